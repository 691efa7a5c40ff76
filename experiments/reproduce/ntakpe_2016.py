"""N'takpé and Suter, Prise en compte de tâches non-prioritaires dans l'ordonnancement batch (2016).

Tables 1 and 2: the gain over conservative backfilling when every third job has a deadline, for
regular jobs and for all. The paper says neither how its conservative backfilling treats jobs that
end early, nor how the logs were cleaned, nor with which job the thirds begin; a table of its own
compares the variants.
"""

from dataclasses import dataclass

import numpy as np

from planbatch import _core
from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.policy import CorePolicy
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.reproduce.engine import PaperReport, Run, percent_change
from planbatch.experiments.reproduce.ntakpe_2017 import LOGS, clean_workload
from planbatch.experiments.workloads.deadlines import HOUR, every_third, slack_deadlines
from planbatch.planner.model import BoolArray, Workload

TITLE = "Deadline-based backfilling (N'takpé and Suter, Compas 2016)"
#: Case → least time to the deadline (s); the factor on the walltime is 2 (Section 4.1).
CASES = {"a": 24 * HOUR, "b": 72 * HOUR}
#: Tables 1 (regular jobs) and 2 (all jobs): log → CBF, DBF (a), DBF (b); mean wait (h) and mean
#: slowdown of CBF, changes (%) of DBF.
PAPER = {
    ("Table 1", "mean wait"): {
        "SDSC-BLUE": (2.36, -21.61, -46.18),
        "SDSC-DS": (1.40, -32.86, -52.14),
        "HPC2N": (3.28, -20.73, -32.01),
    },
    ("Table 1", "mean slowdown"): {
        "SDSC-BLUE": (32.13, -18.08, -45.56),
        "SDSC-DS": (18.05, -32.08, -42.55),
        "HPC2N": (127.65, -23.96, -30.98),
    },
    ("Table 2", "mean wait"): {
        "SDSC-BLUE": (2.35, -2.98, -12.77),
        "SDSC-DS": (1.40, -6.43, -16.43),
        "HPC2N": (3.28, -6.71, -9.76),
    },
    ("Table 2", "mean slowdown"): {
        "SDSC-BLUE": (32.03, -3.09, -29.41),
        "SDSC-DS": (17.88, -19.72, -27.57),
        "HPC2N": (127.14, -17.06, -21.15),
    },
}
#: Jobs that the paper counts (Section 4.1).
JOBS = {"SDSC-BLUE": 250_000, "SDSC-DS": 96_089, "HPC2N": 202_871}
#: The two policies that DBF is compared with.
BASELINES = {"conservative": "CBF, reservations kept", "replanned": "CBF, re-planned"}
CLEANINGS = ("all usable jobs", "cleaned as in 2017")
#: How reservations move forward after an early end.
AdvanceOrder = _core.AdvanceOrder
ADVANCES = {
    AdvanceOrder.FCFS: "definitive ones move first",
    AdvanceOrder.AS_JOINED: "definitive ones move first, in the order of their list",
    AdvanceOrder.REGULAR_FIRST: "regular ones move first",
    AdvanceOrder.TOGETHER: "all move forward together",
}


@dataclass(frozen=True)
class Choice:
    """One reading of what the paper leaves open."""

    cleaning: str = CLEANINGS[0]  #: one of ``CLEANINGS``
    third: int = 2  #: index of the first job with a deadline, 0 … 2
    advance: AdvanceOrder = AdvanceOrder.FCFS  # how reservations move forward after an early end; one of ``ADVANCES``

    def __str__(self) -> str:
        return f"{self.cleaning}, thirds from job {self.third + 1}, {ADVANCES[self.advance]}"


STANDARD = Choice()
#: Key of a replay: a baseline on a cleaning, or a case of DBF under a choice.
Key = tuple[str | Choice, str]


def choices(workloads: dict[str, Workload]) -> list[Choice]:
    """Return the choices that are compared."""
    return [
        choice
        for cleaning in workloads
        for choice in (
            *(Choice(cleaning, third) for third in (2, 0, 1)),
            *(Choice(cleaning, advance=other) for other in ADVANCES if other != AdvanceOrder.FCFS),
        )
    ]


def dbf(advance: AdvanceOrder) -> CorePolicy:
    """Return the policy in one of its variants."""
    return CorePolicy("dbf-2016", _core.DeadlineBackfilling(_core.UrgentJobs.ALL_AT_ONCE, advance))


def reproduce(run: Run) -> PaperReport:
    """Replay the logs, and compare the metrics with the paper's."""
    report = PaperReport(TITLE)
    for name, log in run.logs({name: LOGS[name] for name in JOBS}, report):
        workloads = {CLEANINGS[0]: run.shorten(log.workload())}
        if name != "HPC2N":
            workloads[CLEANINGS[1]] = run.shorten(clean_workload(log))
        run.notify(f"{name}: {len(workloads[CLEANINGS[0]]):,} jobs")
        add_log(run, report, name, workloads)
    report.rows.sort(key=lambda row: (row.item not in ("Table 1", "Table 2"), row.item))
    return report


def add_log(run: Run, report: PaperReport, name: str, workloads: dict[str, Workload]) -> None:
    """Replay one log under all variants."""
    tasks: dict[Key, ReplayTask] = {}
    for cleaning, workload in workloads.items():
        for baseline in BASELINES:
            tasks[cleaning, baseline] = ReplayTask(workload, make_policy(baseline))
    for choice in choices(workloads):
        workload = workloads[choice.cleaning]
        for case, least in CASES.items():
            third = every_third(len(workload), choice.third)
            deadline = slack_deadlines(workload, third, least, 2)
            driven = workload.take(slice(None), deadline=deadline)
            tasks[choice, case] = ReplayTask(driven, dbf(choice.advance))
    traces = run.replays(tasks)
    report.add("Jobs", name, "", "usable jobs", len(workloads[CLEANINGS[0]]), JOBS[name])
    add_tables(report, name, traces)
    add_variants(report, name, workloads, traces)


def measure(trace: Trace, jobs: BoolArray) -> dict[str, float]:
    """Return the mean wait (h) and the mean slowdown of some jobs.

    The paper's formula has the walltime in the slowdown, but its figures (128 for HPC2N, where the
    formula gives 9) can only come from run times.
    """
    wait = trace.wait[jobs]
    run = trace.workload.runtime[jobs]
    slowdown = (wait + run) / run
    return {"mean wait": float(wait.mean()) / HOUR, "mean slowdown": float(slowdown.mean())}


def jobs_of_table(item: str, n: int, third: int) -> BoolArray:
    """Mark the jobs of a table: those without a deadline (Table 1), or all."""
    jobs = np.ones(n, dtype=bool)
    if item == "Table 1":
        jobs[every_third(n, third)] = False
    return jobs


def add_tables(report: PaperReport, name: str, traces: dict[Key, Trace]) -> None:
    """Add Tables 1 and 2, against both baselines."""
    n = len(traces[CLEANINGS[0], "conservative"].start)
    for (item, metric), paper in PAPER.items():
        jobs = jobs_of_table(item, n, STANDARD.third)
        unit = "mean wait (h)" if metric == "mean wait" else metric
        for baseline, policy in BASELINES.items():
            base = measure(traces[CLEANINGS[0], baseline], jobs)[metric]
            report.add(item, name, policy, unit, base, paper[name][0])
            for case, theirs in zip(CASES, paper[name][1:], strict=True):
                ours = percent_change(measure(traces[STANDARD, case], jobs)[metric], base)
                name_of_change = f"change of the {metric} against {policy} (%)"
                report.add(item, name, f"DBF ({case})", name_of_change, ours, theirs)


def add_variants(report: PaperReport, name: str, workloads: dict[str, Workload], traces: dict[Key, Trace]) -> None:
    """Add the change of the regular jobs' mean wait under every choice."""
    for case, theirs in zip(CASES, PAPER["Table 1", "mean wait"][name][1:], strict=True):
        for choice in choices(workloads):
            jobs = jobs_of_table("Table 1", len(workloads[choice.cleaning]), choice.third)
            ours = measure(traces[choice, case], jobs)["mean wait"]
            for baseline, policy in BASELINES.items():
                base = measure(traces[choice.cleaning, baseline], jobs)["mean wait"]
                what = f"regular jobs' mean wait against {policy} (%): {choice}"
                change = percent_change(ours, base)
                report.add("Variants", name, f"DBF ({case})", what, change, theirs)
