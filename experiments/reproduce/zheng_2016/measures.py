"""The measures for Zheng et al. 2016: months, sizes, bins, and the time of decisions."""

from dataclasses import dataclass
from time import process_time

import numpy as np

from planbatch.experiments.replay.estimates import Estimates, estimated_times
from planbatch.experiments.replay.metrics import Metrics, metrics
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.report.heat_maps import HeatMap, log_edges, mean_by_bin
from planbatch.experiments.reproduce.paper_report import percent_change
from planbatch.experiments.reproduce.zheng_2016.paper import BASE
from planbatch.planner.budget import Budget
from planbatch.planner.model import BoolArray, FloatArray, IntArray, Workload
from planbatch.planner.objective import Objective
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.round import Round, RunningTable, job_table

KINDS: tuple[Estimates, ...] = ("mixed", "requested", "actual")
#: The estimates of the paper's simulator; the pictures show them.
PAPER_KIND: Estimates = "mixed"
#: Evaluations of one decision in the paper.
PAPER_EVALUATIONS = 8800
#: How many of the largest rounds are timed.
TIMED_ROUNDS = 3
#: Months with less than this share of an average month's jobs are ignored.
SPARSE = 0.05
MONTH = 30 * 86400


@dataclass(frozen=True)
class Study:
    """One machine, replayed.

    Attributes
    ----------
    name : str
        Its name in tables.
    paper : str
        The paper's name of the trace; empty if the paper does not have it.
    workload : Workload
        The replayed workload.
    node : int
        Processors of a node.
    month : int64 array, shape (n,)
        Number of the month in which every job was submitted.
    months : list of str
        Names of the months.
    traces : mapping of Estimates to mapping of str to Trace
        Kind of estimates → policy → replay.
    """

    name: str
    paper: str
    workload: Workload
    node: int
    month: IntArray
    months: list[str]
    traces: dict[Estimates, dict[str, Trace]]

    def metrics(self, kind: Estimates) -> dict[str, Metrics]:
        """Return the metrics of every policy."""
        return {policy: metrics(trace) for policy, trace in self.traces[kind].items()}

    def counted_months(self) -> IntArray:
        """Return the numbers of the months that have enough jobs."""
        jobs = np.bincount(self.month, minlength=len(self.months))
        return np.flatnonzero(jobs >= SPARSE * jobs.mean())

    def by_month(self, values: FloatArray) -> FloatArray:
        """Average a value of every job over each month that counts."""
        counted = self.counted_months()
        n = len(self.months)
        sums = np.bincount(self.month, weights=values, minlength=n)[counted]
        means: FloatArray = sums / np.bincount(self.month, minlength=n)[counted]
        return means

    def large(self, nodes: int) -> BoolArray:
        """Mark the jobs that need at least so many nodes."""
        marked: BoolArray = self.workload.procs >= nodes * self.node
        return marked


def wait_of(trace: Trace) -> FloatArray:
    """Return the wait of every job (s)."""
    return (trace.start - trace.workload.submit).astype(np.float64)


def response_of(trace: Trace) -> FloatArray:
    """Return the time from submission to end of every job (s)."""
    return (trace.end - trace.workload.submit).astype(np.float64)


def months_of(workload: Workload) -> tuple[IntArray, list[str]]:
    """Return the month of every submission, and the names of the months.

    Calendar months (UTC) if the header says when the log begins; otherwise months of 30 days.
    """
    submit = workload.submit
    start = workload.epoch
    if start is None:
        index = (submit - submit.min()) // MONTH
        return index, [f"month {i + 1}" for i in range(int(index.max()) + 1)]
    moments = (submit + start).astype("datetime64[s]").astype("datetime64[M]")
    first = moments.min()
    index = (moments - first).astype(np.int64)
    return index, [str(first + i) for i in range(int(index.max()) + 1)]


def size_shares(procs: IntArray, node: int) -> dict[tuple[int, int], float]:
    """Return the share of the jobs (%) in classes of sizes: (fewest, most) nodes → share.

    Classes end at powers of two; empty ones at both ends are left out.
    """
    nodes = -(-procs // node)
    power = np.ceil(np.log2(nodes)).astype(np.int64)
    counts = np.bincount(power)
    return {
        (2**k // 2 + 1 if k else 1, 2**k): 100 * float(counts[k]) / len(procs)
        for k in range(int(power.min()), len(counts))
    }


def highest_utilisation(workload: Workload) -> float:
    """Return the utilisation that no scheduler can exceed: every job starts at its submission."""
    first, last = workload.submit.min(), (workload.submit + workload.runtime).max()
    work = float((workload.procs.astype(np.float64) * workload.runtime).sum())
    return min(1.0, work / (workload.capacity * float(last - first)))


def waits_by_bin(study: Study, kind: Estimates, policies: tuple[str, ...]) -> HeatMap:
    """Average waits over 15 × 15 logarithmic bins of size and run time."""
    load = study.workload
    sizes, times = log_edges(load.procs), log_edges(load.runtime)
    counts = np.zeros((0, 0), dtype=np.int64)
    waits = {}
    for policy in policies:
        wait = wait_of(study.traces[kind][policy])
        counts, waits[policy] = mean_by_bin(load.procs, load.runtime, wait, sizes, times)
    return HeatMap(sizes, times, counts, waits)


def changes(one: Study, kind: Estimates) -> dict[str, tuple[float, float, float]]:
    """Return by how much plans differ from FCFS: wait (%), response (%), utilisation (points)."""
    measured = one.metrics(kind)
    base = measured[BASE]
    return {
        policy: (
            percent_change(figures.mean_wait, base.mean_wait),
            percent_change(figures.mean_response, base.mean_response),
            100 * (figures.utilisation - base.utilisation),
        )
        for policy, figures in measured.items()
        if policy != BASE
    }


def round_at(trace: Trace, now: int, estimates: Estimates) -> Round:
    """Reconstruct a round of a replay from its starts and ends; the previous plan is lost."""
    load = trace.workload
    waits = (load.submit <= now) & (trace.start >= now)
    runs = (trace.start < now) & (trace.end > now)
    waiting, occupied = estimated_times(load, estimates)
    return Round(
        now,
        load.capacity,
        RunningTable(load.procs[runs], trace.start[runs] + occupied[runs]),
        job_table(load.submit[waits], load.procs[waits], waiting[waits]),
        occupied=occupied[waits],
    )


def longest_decision(trace: Trace, estimates: Estimates, objective: Objective) -> tuple[int, float]:
    """Time the paper's annealing on the rounds of a replay in which most jobs wait.

    Returns
    -------
    int
        Jobs waiting in the round that took longest; 0 if no round needed a search.
    float
        Its processor time (s), compilation excluded.
    """
    rounds = trace.rounds
    searched = np.flatnonzero(rounds.evaluations > 0)
    order = searched[np.argsort(-rounds.waiting[searched], kind="stable")]
    search, rng = Annealing.paper(), np.random.default_rng(0)
    longest = (0, 0.0)
    for i, place in enumerate(order[:TIMED_ROUNDS]):
        problem = round_at(trace, int(rounds.time[place]), estimates)
        if i == 0:
            search.optimize(problem, objective, Budget(evaluations=1), rng)
        began = process_time()
        search.optimize(problem, objective, Budget(evaluations=PAPER_EVALUATIONS), rng)
        longest = max(longest, (len(problem), process_time() - began), key=lambda one: one[1])
    return longest
