"""Who gains and who loses if one policy replaces another: by size, walltime, user, queue and week."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from planbatch.experiments.replay.trace import Trace
from planbatch.planner.arguments import expect, whole
from planbatch.planner.names import did_you_mean

if TYPE_CHECKING:
    from pandas import DataFrame, Series

#: A job gains or loses only if its start moves by more than this (s).
TOLERANCE = 60
#: Upper ends of the classes of processors, and of walltimes (s), with their names.
SIZES = {size: str(size) for size in (1, 4, 16, 64, 256, 1024)}
WALLTIMES = {600: "10 min", 3600: "1 h", 14400: "4 h", 43200: "12 h", 86400: "24 h"}
WEEK = 7 * 86400


@dataclass(frozen=True)
class Gains:
    """Two schedules of the same jobs, job by job.

    Attributes
    ----------
    before, after : str
        The policies.
    jobs : DataFrame
        One row per job: its ``id``, ``user``, ``queue``, ``procs`` and ``walltime`` (s); the waits ``before`` and
        ``after`` and their difference ``change`` (s); its classes ``size``, ``length`` and ``week``.

    Examples
    --------
    >>> import planbatch as pb
    >>> comparison = pb.compare(pb.synthetic_workload(jobs=300, capacity=32, load=1.2), ["fcfs", "easy"])
    >>> gains = pb.Gains.of(comparison.traces["fcfs"], comparison.traces["easy"])
    >>> gains.by("size").columns.tolist()
    ['jobs', 'before', 'after', 'change', 'gain', 'lose', 'loss']
    >>> bool(gains.losers(3)["change"].is_monotonic_decreasing)
    True
    """

    before: str
    after: str
    jobs: "DataFrame"

    @classmethod
    def of(cls, before: Trace, after: Trace) -> "Gains":
        """Compare two traces of one workload.

        Raises
        ------
        ValueError
            If their jobs are not the same.
        """
        for trace in (before, after):
            expect("trace", trace, Trace)
        return cls.between(before.policy, before.to_frame(), after.policy, after.to_frame())

    @classmethod
    def between(cls, before: str, old: "DataFrame", after: str, new: "DataFrame") -> "Gains":
        """Compare two schedules of the same jobs, as frames of :meth:`Trace.to_frame`; see :meth:`of`."""
        if len(old) != len(new) or (old[["id", "submit"]] != new[["id", "submit"]]).any(axis=None):
            raise ValueError(f"{before} and {after} were replayed on different jobs; compare traces of one workload")
        jobs = old[["id", "user", "queue", "submit", "procs", "walltime"]].copy()
        jobs["before"], jobs["after"] = old["wait"], new["wait"]
        jobs["change"] = jobs["after"] - jobs["before"]
        jobs["size"] = _classes(jobs["procs"], SIZES)
        jobs["length"] = _classes(jobs["walltime"], WALLTIMES)
        jobs["week"] = (jobs["submit"] - jobs["submit"].min()) // WEEK + 1
        return cls(before, after, jobs)

    def __repr__(self) -> str:
        total = self.total()
        return (
            f"Gains(from {self.before} to {self.after}: {len(self.jobs):,} jobs, {total['gain']:.1%} gain, "
            f"{total['lose']:.1%} lose)"
        )

    def by(self, column: str) -> "DataFrame":
        """Return who gains and who loses by one column of ``jobs``.

        Returns
        -------
        DataFrame
            One row per group: ``jobs``; mean waits ``before`` and ``after`` and their difference ``change`` (s); the
            shares of jobs that ``gain`` and that ``lose`` more than a minute; and the mean ``loss`` of those (s).
        """
        jobs = self.jobs
        if column not in jobs:
            raise ValueError(f"column: there is no {column!r}; {did_you_mean(str(column), jobs.columns)}")
        lose = jobs["change"] > TOLERANCE
        flagged = jobs.assign(gain=jobs["change"] < -TOLERANCE, lose=lose, loss=jobs["change"].where(lose))
        groups = flagged.groupby(column, sort=True, observed=True)
        means = groups[["before", "after", "change", "gain", "lose", "loss"]].mean()
        means.insert(0, "jobs", groups.size())
        return means

    def losers(self, count: int = 10) -> "DataFrame":
        """Return the jobs whose wait grows most, the worst first."""
        return self.jobs.nlargest(whole("count", count), "change")

    def total(self) -> "Series[float]":
        """Return the row of :meth:`by` for all jobs together."""
        one_group = Gains(self.before, self.after, self.jobs.assign(all=0))
        return one_group.by("all").iloc[0]


def _classes(values: "Series[int]", ends: dict[int, str]) -> "Series[Any]":
    """Return the class of each value: at most the first end, at most the second …, more."""
    import pandas as pd

    names = list(ends.values())
    labels = [f"≤ {name}" for name in names] + [f"> {names[-1]}"]
    return pd.cut(values, [0, *ends, np.inf], labels=labels)
