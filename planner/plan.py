"""Plans, and an independent check of them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from planbatch.planner.arguments import expect
from planbatch.planner.display import MOST_ROWS, counted, html_table, moment
from planbatch.planner.model import NEVER, IntArray, int_column
from planbatch.planner.names import create
from planbatch.planner.resources import names_of
from planbatch.planner.round import Round


@dataclass(frozen=True)
class Plan:
    """A start time for every waiting job of a round.

    Attributes
    ----------
    start : int64 array, shape (n,)
        Planned starts (s), in the order of the round's jobs. A queue-based policy may leave jobs unplanned:
        ``NEVER``.
    policy_state : int64 array, shape (n,), optional
        One number per job, which the policy gets back in the next round (``Round.policy_state``).
    problem : Round, optional
        Its round, for people: the numbers of the jobs, and when time 0 was. :func:`decode` and :func:`solve` set it.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> plan = pb.decode(problem, [1, 0])
    >>> plan
    Plan(2 starts, from 0 s (job 1) to 50 s (job 0))
    >>> plan.order().tolist(), plan.startable(0).tolist()
    ([1, 0], [1])
    """

    start: IntArray
    policy_state: IntArray | None = None
    problem: Round | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", int_column("start", self.start, -NEVER, NEVER))
        if self.policy_state is not None:
            object.__setattr__(self, "policy_state", int_column("policy_state", self.policy_state, -NEVER, NEVER))
            if len(self.policy_state) != len(self.start):
                raise ValueError(f"policy_state: {len(self.policy_state)} entries for {len(self.start)} starts")

    @classmethod
    def of_core(cls, start: IntArray) -> "Plan":
        """Return a plan of starts from the core, which are not checked again."""
        plan = object.__new__(cls)
        object.__setattr__(plan, "start", start)
        return plan

    @property
    def epoch(self) -> int | None:
        """The Unix time of time 0, if the round knows it (s)."""
        return None if self.problem is None else self.problem.epoch

    def _start(self, i: int) -> str:
        """When a job starts, and which, if the round is known."""
        job = "" if self.problem is None else f" (job {self.problem.ids[i]})"
        return f"{moment(int(self.start[i]), self.epoch)}{job}"

    @property
    def _size(self) -> str:
        """How many jobs have a start, and when the first and the last are."""
        order = self.order()
        jobs = order[self.start[order] != NEVER]
        missing = len(self.start) - len(jobs)
        parts = [counted(len(jobs), "start")]
        if len(jobs):
            parts.append(f"from {self._start(jobs[0])} to {self._start(jobs[-1])}")
        return ", ".join([*parts, *([f"{missing:,} unplanned"] if missing else [])])

    def __repr__(self) -> str:
        return f"Plan({self._size})"

    def _repr_html_(self) -> str:
        """Return what notebooks show: the jobs that start first."""
        first = self.order()[:MOST_ROWS]
        rows = [
            [
                str(i if self.problem is None else self.problem.ids[i]),
                moment(int(self.start[i]), self.epoch) if self.start[i] != NEVER else "–",
            ]
            for i in first
        ]
        headings = ("index" if self.problem is None else "job", "start")
        more = len(self.start) - len(rows)
        return html_table(headings, rows, f"Plan: {self._size}", more)

    def to_frame(self) -> Any:
        """Return a data frame with one row per job, in the order of the round.

        Returns
        -------
        DataFrame
            ``start`` (s), NA if the job is not planned. With the round, indexed by the numbers of the jobs: also
            ``submit``, ``wait``, ``end`` (s), ``procs`` and ``walltime`` (s); and ``clock``, the start in UTC, if the
            round knows when time 0 was.

        Examples
        --------
        >>> import planbatch as pb
        >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
        >>> pb.decode(problem, [1, 0]).to_frame()[["start", "wait", "end", "procs"]]
             start  wait  end  procs
        job
        0       50    50  150      4
        1        0     0   50      2
        """
        return create("frame", "frame_of_plan")(self)

    def startable(self, now: int) -> IntArray:
        """Return the indices of the jobs that the plan starts at ``now``."""
        return np.flatnonzero(self.start == now)

    def order(self) -> IntArray:
        """Return the jobs in the order of their starts (ties in the order of the round): the plan's permutation."""
        return np.argsort(self.start, kind="stable")


def check_plan(problem: Round, plan: Plan, complete: bool = False) -> list[str]:
    """Return one sentence for each way in which a plan breaks the rules; an empty list for a valid plan.

    Shares no code with the decoder and the profile: at every instant at which a job starts, it adds up what runs.

    Parameters
    ----------
    problem : Round
        The round.
    plan : Plan
        The plan.
    complete : bool
        Whether every job must have a start.

    Examples
    --------
    >>> import numpy as np
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.check_plan(problem, pb.Plan(np.array([0, 100])))
    []
    >>> pb.check_plan(problem, pb.Plan(np.array([0, 50])))
    ['6 processors are in use at 50, above the capacity of 4']
    """
    expect("problem", problem, Round)
    expect("plan", plan, Plan)
    jobs, start = problem.jobs, plan.start
    if len(start) != len(problem):
        return [f"the plan has {len(start)} starts for {len(problem)} jobs"]
    faults = []
    has_start = start != NEVER
    for i in np.flatnonzero(has_start & (start < problem.now)):
        faults.append(f"job {problem.ids[i]} starts at {start[i]}, before now ({problem.now})")
    for i in np.flatnonzero(has_start & (start > jobs.latest)):
        faults.append(f"job {problem.ids[i]} starts at {start[i]}, after its promise ({jobs.latest[i]})")
    if complete:
        faults += [f"job {problem.ids[i]} has no start" for i in np.flatnonzero(~has_start)]
    return faults + _overuse(problem, start)


def expect_plan(problem: Round, plan: Plan) -> None:
    """Raise a ``ValueError`` unless it is a plan with a start for each job of the round."""
    expect("plan", plan, Plan)
    if len(plan.start) != len(problem):
        raise ValueError(f"plan: it has {counted(len(plan.start), 'start')} for {counted(len(problem), 'job')}")


def _overuse(problem: Round, start: IntArray) -> list[str]:
    """Return one sentence for each overuse of what the running jobs and the windows leave."""
    has_start = start != NEVER
    first, last = start[has_start], start[has_start] + problem.jobs.walltime[has_start]
    demands = problem.demands[has_start]
    running, windows, in_use = problem.running, problem.windows, problem.in_use
    names = names_of(problem.resources)
    when = np.unique(np.concatenate([first, windows.start]))
    starting = _sums_until(when, first, demands) - _sums_until(when, last, demands)
    use = starting + in_use.sum(axis=0) - _sums_until(when, running.end, in_use)
    closed = _sums_until(when, windows.start, windows.amounts)
    closed -= _sums_until(when, windows.end, windows.amounts)
    return [
        f"{use[i, k]} {names[k]} are in use at {when[i]}, above the capacity of {problem.capacities[k] - closed[i, k]}"
        for i, k in zip(*np.nonzero((starting > 0) & (use + closed > problem.capacities)), strict=True)
    ]


def _sums_until(when: IntArray, times: IntArray, amounts: IntArray) -> IntArray:
    """Return, for each instant, the sum of the amounts whose time has come by then."""
    order = np.argsort(times, kind="stable")
    sums = np.zeros((len(times) + 1, amounts.shape[1]), dtype=np.int64)
    np.cumsum(amounts[order], axis=0, out=sums[1:])
    return sums[np.searchsorted(times[order], when, side="right")]
