"""N'takpé and Suter, Don't hurry be happy: a deadline-based backfilling approach (JSSPP 2017).

Tables 1 to 3 and Figures 1 to 7, for the available logs. The paper draws its figures without giving
their numbers: those that its text states are compared with ours, the rest stands alone.
"""

import numpy as np

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.reproduce.cleaning import LOGS, cleaned
from planbatch.experiments.reproduce.ntakpe_2017 import pictures
from planbatch.experiments.reproduce.ntakpe_2017.measures import (
    COMPARED,
    Study,
    arrivals_by_hour,
    peak,
    stretch,
    use_of_deadlines,
    violations,
)
from planbatch.experiments.reproduce.ntakpe_2017.paper import (
    ANOMALIES,
    PEAK_HOURS,
    SHARES,
    STARTED_AT_ONCE,
    STATED,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    USED_MOST,
)
from planbatch.experiments.reproduce.paper_report import Report, percent_change
from planbatch.experiments.reproduce.run import Run
from planbatch.experiments.workloads.deadlines import HOUR, with_deadlines
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.planner.model import NEVER, Workload

TITLE = "Don't hurry be happy: deadline-based backfilling (N'takpé and Suter, JSSPP 2017)"
#: The paper's names of the policies that DBF is compared with → ours; the last is an addition.
OTHERS = {"CBF": "conservative", "EASY": "easy", "CBF re-planned": "replanned"}


def reproduce(run: Run) -> Report:
    """Replay the logs, write the pictures, and compare the values with the paper's."""
    report = Report(TITLE)
    studies = []
    for name in LOGS:
        log = run.log(LOGS[name])
        if log is None:
            report.notes.append(f"{name} is left out: the log {LOGS[name]} is not there.")
            continue
        table_1(report, name, log)
        workload = run.shortened(cleaned(log))
        run.tell(f"{name}: {len(workload):,} jobs")
        studies.append(study(run, name, workload))
    if not studies:
        return report
    for part in (table_2, figure_1, figure_2, figure_4, figure_5, figure_6, figure_7, table_3):
        for one in studies:
            part(report, one)
    over_all(report, studies)
    report.pictures += pictures.draw_all(studies, run.out)
    report.notes += NOTES
    return report


def study(run: Run, name: str, workload: Workload) -> Study:
    """Replay one log under all policies; the deadlines of each share are drawn independently."""
    tasks = {policy: ReplayTask(workload, make_policy(ours)) for policy, ours in OTHERS.items()}
    for share in SHARES:
        chosen = with_deadlines(workload, f"random:{share}", seed=share)
        tasks[f"{share}"] = ReplayTask(chosen, make_policy("dbf"))
    traces = run.replays(tasks)
    return Study(
        name,
        arrivals_by_hour(workload),
        {policy: traces[policy] for policy in OTHERS},
        {share: traces[f"{share}"] for share in SHARES},
    )


def table_1(report: Report, name: str, log: SwfLog) -> None:
    """Count the anomalies of a log, as found."""
    c = log.columns
    known = (c["used_procs"] > 0) & (c["requested_procs"] > 0)
    timed = (c["runtime"] > 0) & (c["requested_time"] > 0)
    counts = (
        (c["runtime"] <= 0).sum(),
        (c["used_procs"] <= 0).sum(),
        (known & (c["used_procs"] > c["requested_procs"])).sum(),
        (timed & (c["runtime"] > c["requested_time"])).sum(),
        (timed & (c["runtime"] > c["requested_time"] + 60)).sum(),
    )
    for metric, ours, paper in zip(ANOMALIES, counts, TABLE_1[name], strict=True):
        report.add("Table 1", name, "", metric, float(ours), paper)


def table_2(report: Report, one: Study) -> None:
    """Count the jobs, and the regular ones at each share."""
    total, *regular = TABLE_2[one.name]
    report.add("Table 2", one.name, "", "jobs", len(one.others["CBF"].start), total)
    for share, paper in zip(SHARES, regular, strict=True):
        ours = int(one.regular(share).sum())
        report.add("Table 2", one.name, "", f"regular jobs at {share} %", ours, paper)


def figure_1(report: Report, one: Study) -> None:
    """Report the hours in which more jobs arrive than on average."""
    begin, end = peak(one.arrivals)
    report.add("Figure 1", one.name, "", "peak begins (hour)", begin, PEAK_HOURS[0])
    report.add("Figure 1", one.name, "", "peak ends (hour)", end, PEAK_HOURS[1])
    report.add("Figure 1", one.name, "", "jobs an hour at the peak", one.arrivals.max())


def figure_2(report: Report, one: Study) -> None:
    """Compare the mean waits of regular jobs."""
    for share in SHARES:
        means = {name: float(wait.mean()) for name, wait in one.waits(share).items()}
        for name, mean in means.items():
            metric = f"mean wait of regular jobs at {share} % (h)"
            report.add("Figure 2", one.name, name, metric, mean / HOUR)
        for name in OTHERS:
            metric = f"change of the mean wait against {name} (%)"
            paper = STATED.get(("Figure 2", one.name, share, metric))
            ours = percent_change(means["DBF"], means[name])
            report.add("Figure 2", one.name, f"DBF at {share} %", metric, ours, paper)


def figure_4(report: Report, one: Study) -> None:
    """Compare the mean waits of all jobs, those that start at once included."""
    for share in SHARES:
        for name, trace in one.traces(share).items():
            mean = float((trace.start - trace.workload.submit).mean()) / 60
            report.add(
                "Figure 4", one.name, name, f"mean wait of all jobs at {share} % (min)", mean
            )


def figure_5(report: Report, one: Study) -> None:
    """Compare the largest stretches of regular jobs."""
    for share in SHARES:
        for name, trace in one.traces(share).items():
            largest = float(stretch(trace)[one.regular(share)].max())
            metric = f"maximum stretch of regular jobs at {share} %"
            report.add("Figure 5", one.name, name, metric, largest)


def figure_6(report: Report, one: Study) -> None:
    """Count the missed deadlines of DBF."""
    for share in SHARES:
        trace = one.dbf[share]
        for kind, count in zip(("24 h", "10 walltimes"), violations(trace), strict=True):
            report.add(
                "Figure 6", one.name, "DBF", f"missed deadlines of {kind} at {share} %", count
            )
        first_end = trace.first_planned + trace.workload.walltime
        infeasible = int((first_end > trace.workload.deadline).sum())
        report.add(
            "Figure 6", one.name, "DBF", f"infeasible at submission at {share} %", infeasible
        )


def figure_7(report: Report, one: Study) -> None:
    """Report how far DBF uses the deadlines."""
    metric = "mean use of the deadlines (%)"
    for share in SHARES:
        used = float(use_of_deadlines(one.dbf[share]).mean())
        paper = STATED.get(("Figure 7", one.name, share, metric))
        report.add("Figure 7", one.name, f"DBF at {share} %", metric, used, paper)


def over_all(report: Report, studies: list[Study]) -> None:
    """Check what the paper says about all simulations together (Section 6.3)."""
    traces = [trace for one in studies for trace in one.dbf.values()]
    driven = sum(int((t.workload.deadline != NEVER).sum()) for t in traces)
    used = np.concatenate([use_of_deadlines(trace) for trace in traces])
    at_once = 100 * (1 - len(used) / driven)
    most = 100 * float((used > 80).sum()) / driven
    item, policy = "Section 6.3", "DBF"
    report.add(item, "all", policy, "deadline jobs started at once (%)", at_once, STARTED_AT_ONCE)
    report.add(item, "all", policy, "deadline jobs that used over 80 % (%)", most, USED_MOST)


def table_3(report: Report, one: Study) -> None:
    """Compare the times of the replays with the paper's."""
    traces = [one.dbf[share] for share in SHARES] + [one.others[name] for name in COMPARED]
    names = [f"DBF at {share} %" for share in SHARES] + list(COMPARED)
    for name, trace, paper in zip(names, traces, TABLE_3[one.name], strict=True):
        report.add("Table 3", one.name, name, "time to simulate (s)", trace.seconds, paper)
        report.add("Table 3", one.name, name, "times as fast", paper / trace.seconds)


NOTES = [
    "**Jobs.** The totals of Table 2 come out to the job if run times of 0 count as negative (as "
    "the first column of Table 1 shows: 10,744 negative and 26 zero in SDSC-BLUE), jobs without "
    "allocated processors are discarded, the interactive queue of SDSC-BLUE is removed, and of "
    "SDSC-DS only the batch partition of 8-way nodes is kept; the machines keep all processors.",
    "**Regular jobs at a share.** X % of the jobs, rounded down, chosen at random with a seed of "
    "their own; the paper's counts differ from that by a job or two.",
    "**CBF** keeps its reservations, and lets them move forward after an early end. CBF re-planned "
    "decodes the queue from scratch at every event; it gives no guarantee, and is the slower "
    "scheduler, against which DBF gains more.",
    "**SDSC-DS at 20 %.** The paper halves the wait of regular jobs; here it takes 60 % of "
    "deadline-driven jobs. Its CBF must be worse than ours there: the paper finds that EASY is far "
    "better than its CBF on this log, which it is not than ours (Figure 2).",
    "**Curves.** The paper's text gives few of the numbers behind Figures 2 to 7; those are set "
    "beside ours. *More than a factor of two* counts as -50 %, *up to 25 %* as -25 %, *almost "
    "half* as 50 %, and *less than 1 %* as 1 %.",
    "**Times.** The paper simulated on an eight-core notebook of 2013, with Batsim and a scheduler "
    "in Python; ours are processor seconds of one core, compilation excluded.",
]
