"""What predictors are told, and the simple ones."""

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Submitted:
    """A job as it is known when it is submitted.

    Attributes
    ----------
    job : int
        Its number.
    user : int
        Number of its user, -1 if unknown.
    submit : int
        When it was submitted (s).
    procs : int
        Its processors.
    walltime : int
        Its requested time (s).
    """

    job: int
    user: int
    submit: int
    procs: int
    walltime: int


class Predictor(Protocol):
    """Predicts the run time of a job when it is submitted.

    It keeps the history that it needs: a new one is made for every replay. A run time reaches it when the job has
    ended, and no other way.
    """

    def predict(self, job: Submitted) -> int:
        """Return the expected run time (s), 1 … walltime; called once, when the job is submitted."""
        ...

    def started(self, job: Submitted, now: int) -> None:
        """Hear that a job starts now."""
        ...

    def ended(self, job: Submitted, now: int, runtime: int) -> None:
        """Hear that a job ends now, and for how long it ran (s)."""
        ...


class Requested:
    """The requested time."""

    def predict(self, job: Submitted) -> int:
        """Return the walltime."""
        return job.walltime

    def started(self, job: Submitted, now: int) -> None:
        """Forget it."""

    def ended(self, job: Submitted, now: int, runtime: int) -> None:
        """Forget it."""


class LastTwo(Requested):
    """Mean of the run times of the user's last two finished jobs, rounded down; the request until there are two.

    Tsafrir, Etsion, Feitelson: "Backfilling Using System-Generated Predictions Rather than User Runtime Estimates"
    (IEEE TPDS 2007).
    """

    def __init__(self) -> None:
        self.last: defaultdict[int, deque[int]] = defaultdict(lambda: deque(maxlen=2))

    def predict(self, job: Submitted) -> int:
        """Return the mean, at most the walltime."""
        last = self.last[job.user]
        return min(sum(last) // 2, job.walltime) if len(last) == 2 else job.walltime

    def ended(self, job: Submitted, now: int, runtime: int) -> None:
        """Keep the run time."""
        self.last[job.user].append(runtime)


class UsersRatio(Requested):
    """The request times the mean ratio of run time to request of the user's last finished jobs.

    Parameters
    ----------
    jobs : int
        How many of them; the request until one has finished.
    """

    def __init__(self, jobs: int = 64) -> None:
        if jobs < 1:
            raise ValueError(f"user's ratio: {jobs} is no positive number of jobs")
        self.ratios: defaultdict[int, deque[float]] = defaultdict(lambda: deque(maxlen=jobs))

    def predict(self, job: Submitted) -> int:
        """Return the product, rounded down, at least a second."""
        ratios = self.ratios[job.user]
        if not ratios:
            return job.walltime
        return min(max(int(job.walltime * sum(ratios) / len(ratios)), 1), job.walltime)

    def ended(self, job: Submitted, now: int, runtime: int) -> None:
        """Keep the ratio."""
        self.ratios[job.user].append(runtime / job.walltime)


#: Makers of predictors by name.
SIMPLE: dict[str, Callable[[], Predictor]] = {
    "requested": Requested,
    "last-two": LastTwo,
    "users-ratio": UsersRatio,
}
