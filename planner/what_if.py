"""A change of one job of a round: at another time, or gone, and who pays for it."""

from dataclasses import dataclass, replace

import numpy as np

from planbatch.planner.display import moment
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.plan import Plan
from planbatch.planner.profile import Profile
from planbatch.planner.resources import Windows
from planbatch.planner.round import Round


@dataclass(frozen=True)
class WhatIf:
    """The plan of a round with one job elsewhere, next to the plan without that change.

    Attributes
    ----------
    job : int
        The job's id.
    start : int or None
        The start that it was given (s); None if it was taken out.
    before : Plan
        The plan found without the change.
    after : Plan
        The plan found with it; ``NEVER`` for a job that was taken out.
    cost_before, cost_after : float
        What all other jobs cost in these plans.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=2, now=0, waiting=[(0, 2, 100), (0, 2, 30)])
    >>> change = pb.what_if(problem, 0, 0, "wait")
    >>> change.before.start.tolist(), change.after.start.tolist()
    ([30, 0], [0, 100])
    >>> change.delays.tolist(), change.cost_after - change.cost_before
    ([-30, 100], 100.0)
    """

    job: int
    start: int | None
    before: Plan
    after: Plan
    cost_before: float
    cost_after: float

    def __repr__(self) -> str:
        what = "taken out" if self.start is None else f"at {moment(self.start, self.before.epoch)}"
        later, earlier = int((self.delays > 0).sum()), int((self.delays < 0).sum())
        return (
            f"WhatIf(job {self.job} {what}: {later:,} start later, {earlier:,} earlier; "
            f"cost of the others {self.cost_before:,.6g} → {self.cost_after:,.6g})"
        )

    @property
    def delays(self) -> IntArray:
        """How much later each job starts (s), negative if earlier; 0 for a job that was taken out; shape (n,)."""
        has_start = self.after.start != NEVER
        return np.where(has_start, self.after.start - self.before.start, 0)


def with_reservation(problem: Round, rest: Round, i: int, start: int) -> Round:
    """Return the rest of a round with what a job takes from its start on withdrawn."""
    job, end = problem.ids[i], start + int(problem.jobs.walltime[i])
    profile = Profile(problem)
    if start < problem.now or not profile.fits(problem.demands[i], start, end):
        earliest = profile.earliest(problem.demands[i], end - start)
        why = "it is past" if start < problem.now else "running jobs or windows are in the way"
        raise ValueError(f"job {job}: it cannot start at {start}: {why}; the earliest start is {earliest}")
    windows = problem.windows
    return replace(
        rest,
        windows=Windows(
            np.append(windows.start, start),
            np.append(windows.end, end),
            np.vstack([windows.amounts, problem.demands[i : i + 1]]),
        ),
    )
