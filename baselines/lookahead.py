"""Lookahead optimising scheduling: of all jobs that may be backfilled, those that together use most processors."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch.baselines.head_of_queue import in_order, start_head, whole_timeline
from planbatch.baselines.policy import CompiledPolicy, Traits
from planbatch.baselines.timeline import new_timeline
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.profile import any_fits, demands_of, earliest_index
from planbatch.planner.kernels.sorting import fill_column, stable_order
from planbatch.planner.model import NEVER, FloatArray, IntArray, Workload
from planbatch.planner.optimizer import Result
from planbatch.planner.orders import OrderKeys, as_order
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round, RoundArrays

#: Entries that the table of one round may have: 160 MB. If it had more, fewer jobs would be looked at.
MOST_ENTRIES = 20_000_000


@borrowing_kernel
def greatest_common_divisor(a: int, b: int) -> int:
    """The largest number that divides both."""
    while b:
        a, b = b, a % b
    return a


@kernel
def fullest(size: IntArray, behind: IntArray, free: int, extra: int) -> IntArray:
    """Choose the jobs that use most: Σ size ≤ free, and ≤ extra of those that run on ``behind`` the head's start.

    Of equally good choices the one with the first job, then with the second … (dynamic programming, from the last job
    on: table[k, f, e] is the most that the jobs from k on can use of f and e).

    Returns
    -------
    int64 array
        Their indices, ascending.
    """
    n = len(size)
    table = np.zeros((n + 1, free + 1, extra + 1), np.int64)
    for k in range(n - 1, -1, -1):
        more = size[k] if behind[k] else 0
        for f in range(free + 1):
            for e in range(extra + 1):
                best = table[k + 1, f, e]
                if size[k] <= f and more <= e:
                    best = max(best, size[k] + table[k + 1, f - size[k], e - more])
                table[k, f, e] = best
    chosen = np.empty(n, np.int64)
    count = 0
    f, e = free, extra
    for k in range(n):
        more = size[k] if behind[k] else 0
        if size[k] > f or more > e:
            continue
        if size[k] + table[k + 1, f - size[k], e - more] == table[k, f, e]:
            chosen[count] = k
            count += 1
            f -= size[k]
            e -= more
    return chosen[:count]


@kernel
def decide_los(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Start jobs in order while they fit; behind the first that does not, those that fill the machine best.

    The shadow time and the extra processors are EASY's; among the first ``params[0]`` jobs that could be backfilled,
    the set with most processors is started. Shmueli and Feitelson: "Backfilling with Lookahead to Optimize the
    Performance of Parallel Job Scheduling" (JSSPP 2003).

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (see above),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("los")
    >>> policy.compiled_form().decide is pb.decide_los
    True
    """
    fill_column(start, NEVER)
    if not any_fits(arrays):
        return
    keys = order(arrays.jobs, arrays.now)
    demands, walltime = demands_of(arrays), arrays.jobs.walltime
    line = new_timeline(arrays)
    taken = np.zeros(len(start), np.bool_)
    head = start_head(arrays, demands, keys, in_order(keys), line, taken, start)
    if head < 0:
        return
    taken[head] = True
    whole_timeline(arrays, demands, line, start)
    at = earliest_index(line.times, line.free, line.size[0], demands[head], walltime[head], 0)
    shadow, free, extra = line.times[at], line.free[0], line.free[at] - demands[head]
    found = np.empty(len(start), np.int64)
    size, behind = np.empty(len(start), np.int64), np.empty(len(start), np.int64)
    count, unit = 0, 0
    for i in stable_order(keys):
        late = arrays.now + walltime[i] > shadow
        if (
            count < params[0]
            and not taken[i]
            and demands[i] <= (min(free, extra) if late else free)
        ):
            found[count], size[count], behind[count] = i, demands[i], late
            unit = greatest_common_divisor(demands[i], unit)
            count += 1
    if count == 0:
        return
    free, extra = free // unit, extra // unit
    count = min(count, max(MOST_ENTRIES // ((free + 1) * (extra + 1)) - 1, 1))
    for k in fullest(size[:count] // unit, behind[:count], free, extra):
        start[found[k]] = arrays.now


@dataclass(frozen=True)
class Lookahead(CompiledPolicy):
    """:func:`decide_los`, which knows processors alone."""

    def for_workload(self, workload: Workload) -> "Lookahead":
        """Return the policy itself.

        Raises
        ------
        ValueError
            If the workload has other resources, or windows.
        """
        self._check(bool(workload.resources), bool(workload.windows))
        return self

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan | Result:
        """Decide one round."""
        self._check(bool(problem.resources), len(problem.windows.start) > 0)
        return super().__call__(problem, rng)

    def _check(self, resources: bool, windows: bool) -> None:
        if resources or windows:
            what = "further resources" if resources else "windows"
            raise ValueError(
                f"policy {self.name} knows processors alone, and this machine has {what}"
            )


def los(
    lookahead: int = 50, order: str | OrderKeys = "submit", name: str = "los"
) -> CompiledPolicy:
    """Lookahead optimising scheduling (Shmueli and Feitelson 2003): EASY that backfills the set that fills most.

    Parameters
    ----------
    lookahead : int
        How many jobs that could be backfilled are looked at.
    order : str or callable
        The order of the queue.
    name : str
        What tables call it.

    Raises
    ------
    ValueError
        If it is no positive number, or there is no order of a name.
    """
    if not lookahead >= 1:
        raise ValueError(f"los: lookahead: {lookahead} is no positive number of jobs")
    return Lookahead(
        name,
        decide_los,
        order=as_order(order),
        params=(float(lookahead),),
        traits=Traits(draws=False),
    )
