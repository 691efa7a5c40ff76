"""N'takpé and Suter, Don't hurry be happy: a deadline-based backfilling approach (JSSPP 2017).

Tables 1 to 3 and Figures 1 to 7, for the available logs. The paper draws its figures without giving
their numbers: those that its text states are compared with ours, the rest stands alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MultipleLocator

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.working_time import Calendar
from planbatch.experiments.figures.style import COLOURS, FAINT
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.reproduce.engine import PaperReport, Run, percent_change
from planbatch.experiments.reproduce.pictures import (
    draw_distribution,
    finish,
    make_logarithmic,
    name_panel,
    panel_row,
    panels,
    plot_lines,
)
from planbatch.experiments.workloads.deadlines import HOUR, with_deadlines
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.transform import round_sizes
from planbatch.planner.model import NEVER, BoolArray, FloatArray, IntArray, Workload

TITLE = "Don't hurry be happy: deadline-based backfilling (N'takpé and Suter, JSSPP 2017)"
#: The paper's name → the log's.
LOGS = {
    "SDSC-BLUE": "SDSC-BLUE-2000-4.2-cln",
    "SDSC-DS": "SDSC-DS-2004-2.1-cln",
    "HPC2N": "HPC2N-2002-2.2-cln",
    "ANL-Intrepid": "ANL-Intrepid-2009-1",
}
INTERACTIVE = "interactive"
#: Log → the smallest number of processors that its machine allocates (Section 2).
PARTITIONS = {LOGS["ANL-Intrepid"]: 256}
#: The paper's names of the policies that DBF is compared with → ours; the last is an addition.
REFERENCES = {"CBF": "conservative", "EASY": "easy", "CBF re-planned": "replanned"}
#: Those of the paper.
PRINTED_REFERENCES = ("CBF", "EASY")

# The printed values.

#: Share of deadline-driven jobs (%).
SHARES = (20, 40, 60, 80)
#: Table 1: anomalies. Columns as in ``ANOMALIES``.
ANOMALIES = (
    "run time < 0",
    "CPU < 0",
    "used CPU > requested CPU",
    "run time > walltime",
    "run time > walltime + 1 min",
)
TABLE_1 = {
    "SDSC-BLUE": (10770, 19516, 458, 23434, 8115),
    "SDSC-DS": (11176, 0, 0, 10658, 1043),
    "HPC2N": (0, 0, 729, 14817, 6170),
    "ANL-Intrepid": (0, 0, 30948, 12241, 9096),
}
#: Table 2: all jobs, then regular jobs at each share.
TABLE_2 = {
    "SDSC-BLUE": (157604, 126084, 94564, 63043, 31522),
    "SDSC-DS": (64715, 51772, 38829, 25886, 12943),
    "HPC2N": (202871, 162297, 121723, 81150, 40576),
    "ANL-Intrepid": (68936, 55149, 41363, 27575, 13789),
}
#: Table 3: time (s) to simulate DBF at each share, CBF and EASY.
TABLE_3 = {
    "SDSC-BLUE": (273, 274, 278, 313, 215, 138),
    "SDSC-DS": (120, 133, 127, 122, 109, 58),
    "HPC2N": (1383, 1791, 2066, 1827, 441, 183),
    "ANL-Intrepid": (140, 145, 141, 124, 112, 70),
}
#: Figure 1: "roughly corresponds to business hours from 9AM to 6PM for all workloads" (Section 5).
PEAK_HOURS = (9, 18)
#: Sentences of Section 6.3 that give a number: (item, workload, share, metric) → number.
STATEMENTS = {
    # "DBF already reduces the average wait time by more than a factor of two" (against CBF)
    ("Figure 2", "SDSC-DS", 20, "change of the mean wait against CBF (%)"): -50.0,
    # "is at least on par with EASY or reduces the average wait time up to 25% (for the HPC2N …)"
    ("Figure 2", "HPC2N", 20, "change of the mean wait against EASY (%)"): -25.0,
    # "a maximum of 17.3% for SDSC-BLUE with 20% of deadline-driven jobs"
    ("Figure 7", "SDSC-BLUE", 20, "mean use of the deadlines (%)"): 17.3,
}
#: "almost half of the deadline-driven jobs were executed immediately", all simulations combined;
#: "less than 1% of the deadline-driven jobs used more than 80% of their deadlines".
STARTED_AT_ONCE, USED_MOST = 50.0, 1.0


def clean_workload(log: SwfLog) -> Workload:
    """Keep the jobs that the paper counts: 157,604, 64,715 and 202,871 of the first three logs.

    Discarded are jobs "that logged a negative execution time or were allocated a negative number of
    processors", and interactive jobs (Section 3); what that means follows from the totals of Table 2. On ANL-Intrepid,
    sizes "are rounded up to the closest multiple of the partition size", here the smaller of its two.
    """
    columns = log.columns
    keep = (columns["runtime"] > 0) & (columns["used_procs"] > 0)
    partitions = log.header.partitions
    interactive = [number for number, name in partitions.items() if INTERACTIVE in name.lower()]
    if interactive:
        batch = min(number for number in partitions if number not in interactive)
        keep &= columns["partition"] == batch
    queue = log.header.queue_number(INTERACTIVE)
    if queue is not None:
        keep &= columns["queue"] != queue
    workload = log.workload(keep=keep)
    partition = PARTITIONS.get(log.name)
    return workload if partition is None else round_sizes(workload, partition)


# Measures of the replays of one log


@dataclass(frozen=True)
class DeadlineStudy:
    """One log, replayed."""

    name: str  #: the paper's name of the log
    arrivals: FloatArray  #: shape (24,): mean number of jobs submitted in each hour of the day
    others: dict[str, Trace]  #: CBF, EASY and CBF re-planned, which do not look at deadlines
    dbf: dict[int, Trace]  #: DBF at each share (%)

    def regular(self, share: int) -> BoolArray:
        """Mark the regular jobs."""
        return self.dbf[share].workload.deadline == NEVER

    def traces(self, share: int) -> dict[str, Trace]:
        """Return the trace of every policy."""
        return {"DBF": self.dbf[share], **self.others}

    def waits(self, share: int) -> dict[str, IntArray]:
        """Return the waits (s) of the regular jobs that the paper considers.

        Left out are those that DBF, CBF and EASY all start at once (Section 6.3).
        """
        waits = {name: trace.wait for name, trace in self.traces(share).items()}
        waited = np.logical_or.reduce([waits[name] > 0 for name in ("DBF", *PRINTED_REFERENCES)])
        mask = self.regular(share) & waited
        return {name: wait[mask] for name, wait in waits.items()}


def arrivals_by_hour(workload: Workload) -> FloatArray:
    """Return the mean number of submissions in each hour of the day, by the clocks of the site."""
    origin = int(workload.header.get("UnixStartTime", "0"))
    when = pd.to_datetime(workload.submit + origin, unit="s", utc=True)
    hours = when.tz_convert(Calendar().zone(workload)).hour
    days = max((int(workload.submit[-1]) - int(workload.submit[0])) / (24 * HOUR), 1.0)
    return np.bincount(hours, minlength=24) / days


def peak(arrivals: FloatArray) -> tuple[int, int]:
    """Return the first hour and the end of the above-average span around the maximum."""
    quiet = np.flatnonzero(arrivals <= arrivals.mean())
    top = int(np.argmax(arrivals))
    return int(max(quiet[quiet < top], default=-1)) + 1, int(min(quiet[quiet > top], default=24))


def regular_waits(study: DeadlineStudy, share: int) -> dict[str, float]:
    """Return the mean wait (h) of the regular jobs that the paper considers, under every policy."""
    return {name: float(wait.mean()) / HOUR for name, wait in study.waits(share).items()}


def all_waits(study: DeadlineStudy, share: int) -> dict[str, float]:
    """Return the mean wait (min) of all jobs under every policy."""
    return {name: float(trace.wait.mean()) / 60 for name, trace in study.traces(share).items()}


def largest_stretches(study: DeadlineStudy, share: int) -> dict[str, float]:
    """Return the largest stretch of the regular jobs under every policy."""
    return {name: float(stretch(trace)[study.regular(share)].max()) for name, trace in study.traces(share).items()}


def stretch(trace: Trace) -> FloatArray:
    """Return every job's (wait + walltime) / walltime (equation 2)."""
    walltime = trace.workload.walltime
    return (trace.wait + walltime) / walltime


def violations(trace: Trace) -> tuple[int, int]:
    """Count the missed deadlines of 24 h, and those of ten walltimes."""
    workload = trace.workload
    missed = trace.end > workload.deadline
    short = workload.deadline - workload.submit <= 24 * HOUR
    return int((missed & short).sum()), int((missed & ~short).sum())


def use_of_deadlines(trace: Trace) -> FloatArray:
    """Return the use of the deadlines (equation 3, %) of the jobs that did not start at once."""
    workload = trace.workload
    mask = (workload.deadline != NEVER) & (trace.start > workload.submit)
    submit, deadline, end = workload.submit[mask], workload.deadline[mask], trace.end[mask]
    return 100.0 * (end - submit) / (deadline - submit)


# The report


def reproduce(run: Run) -> PaperReport:
    """Replay the logs, write the pictures, and compare the values with the paper's."""
    report = PaperReport(TITLE)
    studies = []
    for name, log in run.logs(LOGS, report):
        table_1(report, name, log)
        workload = run.shorten(clean_workload(log))
        run.notify(f"{name}: {len(workload):,} jobs")
        studies.append(replay_log(run, name, workload))
    if not studies:
        return report
    for part in (table_2, figure_1, figure_2, figures_4_and_5, figure_6, figure_7, table_3):
        for study in studies:
            part(report, study)
    section_6_3(report, studies)
    draw_all(report, studies, run.out)
    return report


def replay_log(run: Run, name: str, workload: Workload) -> DeadlineStudy:
    """Replay one log under all policies; the deadlines of each share are drawn independently."""
    tasks = {policy: ReplayTask(workload, make_policy(ours)) for policy, ours in REFERENCES.items()}
    for share in SHARES:
        variant = with_deadlines(workload, f"random:{share}", seed=share)
        tasks[f"{share}"] = ReplayTask(variant, make_policy("dbf"))
    traces = run.replays(tasks)
    return DeadlineStudy(
        name,
        arrivals_by_hour(workload),
        {policy: traces[policy] for policy in REFERENCES},
        {share: traces[f"{share}"] for share in SHARES},
    )


def table_1(report: PaperReport, name: str, log: SwfLog) -> None:
    """Count the anomalies of a log before any is cleaned."""
    c = log.columns
    sized = (c["used_procs"] > 0) & (c["requested_procs"] > 0)
    timed = (c["runtime"] > 0) & (c["requested_time"] > 0)
    counts = (
        (c["runtime"] <= 0).sum(),
        (c["used_procs"] <= 0).sum(),
        (sized & (c["used_procs"] > c["requested_procs"])).sum(),
        (timed & (c["runtime"] > c["requested_time"])).sum(),
        (timed & (c["runtime"] > c["requested_time"] + 60)).sum(),
    )
    for metric, ours, paper in zip(ANOMALIES, counts, TABLE_1[name], strict=True):
        report.add("Table 1", name, "", metric, float(ours), paper)


def table_2(report: PaperReport, study: DeadlineStudy) -> None:
    """Count the jobs, and the regular ones at each share."""
    total, *regular = TABLE_2[study.name]
    report.add("Table 2", study.name, "", "jobs", len(study.others["CBF"].start), total)
    for share, paper in zip(SHARES, regular, strict=True):
        ours = int(study.regular(share).sum())
        report.add("Table 2", study.name, "", f"regular jobs at {share} %", ours, paper)


def figure_1(report: PaperReport, study: DeadlineStudy) -> None:
    """Report the hours in which more jobs arrive than on average."""
    begin, end = peak(study.arrivals)
    report.add("Figure 1", study.name, "", "peak begins (hour)", begin, PEAK_HOURS[0])
    report.add("Figure 1", study.name, "", "peak ends (hour)", end, PEAK_HOURS[1])
    report.add("Figure 1", study.name, "", "jobs an hour at the peak", study.arrivals.max())


def figure_2(report: PaperReport, study: DeadlineStudy) -> None:
    """Compare the mean waits of regular jobs."""
    item, name = "Figure 2", study.name
    for share in SHARES:
        metric = f"mean wait of regular jobs at {share} % (h)"
        report.add_policies(item, name, metric, regular_waits(study, share))
        means = {policy: float(wait.mean()) for policy, wait in study.waits(share).items()}
        for other in REFERENCES:
            metric = f"change of the mean wait against {other} (%)"
            paper = STATEMENTS.get((item, name, share, metric))
            ours = percent_change(means["DBF"], means[other])
            report.add(item, name, f"DBF at {share} %", metric, ours, paper)


def figures_4_and_5(report: PaperReport, study: DeadlineStudy) -> None:
    """Compare the mean waits of all jobs, those that start at once included, and the largest stretches."""
    for share in SHARES:
        metric = f"mean wait of all jobs at {share} % (min)"
        report.add_policies("Figure 4", study.name, metric, all_waits(study, share))
    for share in SHARES:
        metric = f"maximum stretch of regular jobs at {share} %"
        report.add_policies("Figure 5", study.name, metric, largest_stretches(study, share))


def figure_6(report: PaperReport, study: DeadlineStudy) -> None:
    """Count the missed deadlines of DBF."""
    for share, trace in study.dbf.items():
        first_end = trace.first_planned + trace.workload.walltime
        counts = dict(zip(("24 h", "10 walltimes"), violations(trace), strict=True))
        for kind, count in counts.items():
            metric = f"missed deadlines of {kind} at {share} %"
            report.add("Figure 6", study.name, "DBF", metric, count)
        infeasible = int((first_end > trace.workload.deadline).sum())
        metric = f"infeasible at submission at {share} %"
        report.add("Figure 6", study.name, "DBF", metric, infeasible)


def figure_7(report: PaperReport, study: DeadlineStudy) -> None:
    """Report how far DBF uses the deadlines."""
    metric = "mean use of the deadlines (%)"
    for share, trace in study.dbf.items():
        use = float(use_of_deadlines(trace).mean())
        paper = STATEMENTS.get(("Figure 7", study.name, share, metric))
        report.add("Figure 7", study.name, f"DBF at {share} %", metric, use, paper)


def table_3(report: PaperReport, study: DeadlineStudy) -> None:
    """Compare the times of the replays with the paper's."""
    traces = {f"DBF at {share} %": study.dbf[share] for share in SHARES}
    traces |= {name: study.others[name] for name in PRINTED_REFERENCES}
    for (name, trace), paper in zip(traces.items(), TABLE_3[study.name], strict=True):
        report.add("Table 3", study.name, name, "time to simulate (s)", trace.seconds, paper)
        report.add("Table 3", study.name, name, "times as fast", paper / trace.seconds)


def section_6_3(report: PaperReport, studies: list[DeadlineStudy]) -> None:
    """Check what the paper says about all simulations together."""
    traces = [trace for study in studies for trace in study.dbf.values()]
    driven = sum(int((t.workload.deadline != NEVER).sum()) for t in traces)
    use = np.concatenate([use_of_deadlines(trace) for trace in traces])
    at_once = 100 * (1 - len(use) / driven)
    most = 100 * float((use > 80).sum()) / driven
    item, policy = "Section 6.3", "DBF"
    report.add(item, "all", policy, "deadline jobs started at once (%)", at_once, STARTED_AT_ONCE)
    report.add(item, "all", policy, "deadline jobs that used over 80 % (%)", most, USED_MOST)


# The pictures


def draw_all(report: PaperReport, studies: list[DeadlineStudy], folder: Path) -> None:
    """Draw Figures 1 to 7 as PNG and SVG."""
    selected = "of regular jobs (those that wait under some policy)"

    def path_of(number: int) -> Path:
        return report.picture(folder, f"figure-{number}")

    draw_arrivals(studies, path_of(1))
    title = f"Figure 2: mean wait {selected}"
    draw_shares(studies, regular_waits, title, "mean wait (h)", path_of(2))
    draw_waits(studies, f"Figure 3: waiting times {selected}", path_of(3))
    title = "Figure 4: mean wait of all jobs"
    draw_shares(studies, all_waits, title, "mean wait (min)", path_of(4))
    title = "Figure 5: maximum stretch of regular jobs"
    draw_shares(studies, largest_stretches, title, "maximum stretch", path_of(5), stretches=True)
    draw_violations(studies, path_of(6))
    draw_use(studies, path_of(7))


def share_ticks(panel: Axes, at: Sequence[float] | IntArray = SHARES) -> None:
    """Let the horizontal axis be the share of deadline-driven jobs."""
    panel.set_xticks(at, [f"{share}%" for share in SHARES])
    panel.set_xlabel("deadline-driven jobs")


def draw_shares(
    studies: list[DeadlineStudy],
    values_of: Callable[[DeadlineStudy, int], dict[str, float]],
    title: str,
    unit: str,
    path: Path,
    stretches: bool = False,
) -> None:
    """Draw one panel per log with one line per policy over the share of deadline-driven jobs.

    Of stretches, those of the paper's policies alone, on a logarithmic axis.
    """
    policies = ("DBF", *(PRINTED_REFERENCES if stretches else REFERENCES))
    with panel_row([study.name for study in studies], (2.9, 2.7), title, unit, path) as row:
        for panel, study in zip(row, studies, strict=True):
            values = [values_of(study, share) for share in SHARES]
            plot_lines(panel, SHARES, {name: [of[name] for of in values] for name in policies})
            share_ticks(panel)
            if stretches:
                make_logarithmic(panel)
            else:
                panel.set_ylim(bottom=0)


def draw_waits(studies: list[DeadlineStudy], title: str, path: Path) -> None:
    """Draw distributions of waits: one row per log, one column per share."""
    with panels(len(studies), len(SHARES), (2.5, 1.9), title) as (figure, axes):
        for row, study in zip(axes, studies, strict=True):
            for panel, share in zip(row, SHARES, strict=True):
                waits = study.waits(share)
                waits.pop("CBF re-planned")
                draw_distribution(panel, waits)
                if row is axes[0]:
                    name_panel(panel, f"{share}% deadline-driven")
            row[0].set_ylabel(study.name)
        for panel in axes[-1]:
            panel.set_xlabel("waiting time")
        finish(figure, axes[0][0], path)


def draw_arrivals(studies: list[DeadlineStudy], path: Path) -> None:
    """Draw the submissions by hour of the day, with the hours above average shaded."""
    title, unit = "Figure 1: daily job arrival", "jobs submitted in an hour"
    with panel_row([study.name for study in studies], (2.9, 2.5), title, unit, path) as row:
        for panel, study in zip(row, studies, strict=True):
            panel.axvspan(*peak(study.arrivals), color="#EDEDED", zorder=0)
            panel.axhline(float(study.arrivals.mean()), color=FAINT, linewidth=1)
            panel.stairs(study.arrivals, range(25), color=COLOURS[0], linewidth=1.8)
            panel.set_xlim(0, 24)
            panel.set_ylim(bottom=0)
            panel.set_xticks([0, 6, 9, 12, 18, 24])
            panel.set_xlabel("hour (grey: above average)")


def draw_violations(studies: list[DeadlineStudy], path: Path) -> None:
    """Draw the missed deadlines as bars, those of 24 h below those of ten walltimes."""
    title, unit = "Figure 6: deadlines that DBF misses", "missed deadlines"
    with panel_row([study.name for study in studies], (2.9, 2.5), title, unit, path) as row:
        for panel, study in zip(row, studies, strict=True):
            counts = np.array([violations(study.dbf[share]) for share in SHARES])
            at = np.arange(len(SHARES))
            below, above = counts.T
            panel.bar(at, below, 0.6, color=COLOURS[0], label="24 h")
            panel.bar(at, above, 0.6, below, color=COLOURS[1], label="10 × walltime")
            for x, total in zip(at, below + above, strict=True):
                panel.annotate(f"{total}", (x, total), ha="center", va="bottom", fontsize=9)
            share_ticks(panel, at)
            panel.grid(axis="x", visible=False)
            panel.set_ylim(0, 1.15 * max((below + above).max(), 4))


def draw_use(studies: list[DeadlineStudy], path: Path) -> None:
    """Draw the mean use of the deadlines, one line per log."""
    title = "Figure 7: use of the deadlines by DBF"
    with panels(1, 1, (5.6, 3.2), title) as (figure, axes):
        panel = axes[0][0]
        for i, study in enumerate(studies):
            use = [float(use_of_deadlines(study.dbf[share]).mean()) for share in SHARES]
            panel.plot(SHARES, use, marker="o", markersize=4, color=COLOURS[i], label=study.name)
        panel.set_ylim(bottom=0)
        share_ticks(panel)
        panel.yaxis.set_major_locator(MultipleLocator(5))
        panel.yaxis.set_major_formatter("{x:.0f}%")
        panel.set_ylabel("mean use of the deadlines")
        finish(figure, panel, path)
