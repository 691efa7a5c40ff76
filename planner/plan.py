"""Plans, and an independent check of them."""

from dataclasses import dataclass

import numpy as np

from planner.model import NEVER, IntArray, int_column
from planner.round import Round


@dataclass(frozen=True)
class Plan:
    """A start time for every waiting job of a round.

    Attributes
    ----------
    start : int64 array, shape (n,)
        Planned starts (s), in the order of the round's jobs. A queue-based policy may leave jobs unplanned:
        ``NEVER``.
    notes : int64 array, shape (n,), optional
        A number a job that the policy wants to be told in the next round (``Round.notes``).
    """

    start: IntArray
    notes: IntArray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", int_column("start", self.start, -NEVER, NEVER))
        if self.notes is not None:
            object.__setattr__(self, "notes", int_column("notes", self.notes, -NEVER, NEVER))
            if len(self.notes) != len(self.start):
                raise ValueError(f"notes: {len(self.notes)} entries for {len(self.start)} starts")

    def startable(self, now: int) -> IntArray:
        """Indices of the jobs that the plan starts at ``now``."""
        return np.flatnonzero(self.start == now)

    def order(self) -> IntArray:
        """The jobs in the order of their starts (ties in the order of the round): the plan's permutation."""
        return np.argsort(self.start, kind="stable")


def check_plan(problem: Round, plan: Plan, complete: bool = False) -> list[str]:
    """Every way in which a plan breaks the rules, in words; an empty list for a valid plan.

    Shares no code with the decoder and the profile: at every instant at which a job starts, it adds up what runs.

    Parameters
    ----------
    problem : Round
        The round.
    plan : Plan
        The plan.
    complete : bool
        Whether every job must have a start.
    """
    jobs, start = problem.jobs, plan.start
    if len(start) != len(problem):
        return [f"the plan has {len(start)} starts for {len(problem)} jobs"]
    faults = []
    planned = start != NEVER
    for i in np.flatnonzero(planned & (start < problem.now)):
        faults.append(f"job {problem.ids[i]} starts at {start[i]}, before now ({problem.now})")
    for i in np.flatnonzero(planned & (start > jobs.latest)):
        faults.append(
            f"job {problem.ids[i]} starts at {start[i]}, after its promise ({jobs.latest[i]})"
        )
    if complete:
        faults += [f"job {problem.ids[i]} has no start" for i in np.flatnonzero(~planned)]
    first = np.concatenate([np.full(len(problem.running.end), problem.now), start[planned]])
    last = np.concatenate([problem.running.end, start[planned] + jobs.walltime[planned]])
    procs = np.concatenate([problem.running.procs, jobs.procs[planned]])
    for when in np.unique(first):
        used = int(procs[(first <= when) & (when < last)].sum())
        if used > problem.capacity:
            faults.append(
                f"{used} processors are in use at {when}, above the capacity of {problem.capacity}"
            )
    return faults
