"""A round: everything that one scheduling decision may know."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from planner.model import NEVER, IntArray, JobTable, int_column


class RunningTable(NamedTuple):
    """The running jobs in the order of their expected ends.

    Attributes
    ----------
    procs : int64 array, shape (m,)
        Processors.
    end : int64 array, shape (m,)
        Expected ends (s), ascending, after the round's ``now``.
    """

    procs: IntArray
    end: IntArray


class RoundArrays(NamedTuple):
    """A round as compiled kernels see it; the fields are those of :class:`Round`.

    Policies write into ``notes`` what they want to be told in the next round, and into nothing else.
    """

    now: int
    capacity: int
    running: RunningTable
    jobs: JobTable
    planned: IntArray
    ended_early: bool
    notes: IntArray
    occupied: IntArray


@dataclass(frozen=True)
class Round:
    """One scheduling decision: the time, the running jobs, the waiting jobs.

    Attributes
    ----------
    now : int
        The time of the decision (s).
    capacity : int
        Processors of the machine.
    running : RunningTable
        The running jobs, by expected end.
    jobs : JobTable
        The waiting jobs, in FCFS order.
    planned : int64 array, shape (n,)
        The start of every waiting job in the plan of the round before, ``NEVER`` where it had none.
    ended_early : bool
        Whether a job ended before its expected end at this very instant.
    occupied : int64 array, shape (n,)
        For how long each waiting job will be expected to run once it has started (s); the walltimes by default. Only
        with ``mixed`` estimates it differs from them.
    ids : int64 array, shape (n,)
        Job numbers, for people; 0 … n - 1 by default.
    notes : int64 array, shape (n,)
        A number that the policy noted about every waiting job in the round before; ``NEVER`` where it noted none.

    Raises
    ------
    ValueError
        Where a field is out of its range, the running jobs exceed the capacity or an end is not after ``now``.
    """

    now: int
    capacity: int
    running: RunningTable
    jobs: JobTable
    planned: IntArray = field(default=None)  # type: ignore[arg-type]
    ended_early: bool = False
    ids: IntArray = field(default=None)  # type: ignore[arg-type]
    notes: IntArray = field(default=None)  # type: ignore[arg-type]
    occupied: IntArray = field(default=None)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        if self.capacity < 1:
            raise ValueError(f"capacity: {self.capacity} is not a positive number of processors")
        n = len(self.jobs.submit)
        limits = {"procs": (1, self.capacity), "walltime": (1, NEVER), "submit": (-NEVER, NEVER)}
        columns = {}
        for name in JobTable._fields:
            least, most = limits.get(name, (-NEVER, NEVER))
            columns[name] = int_column(f"waiting {name}", getattr(self.jobs, name), least, most)
            if len(columns[name]) != n:
                raise ValueError(f"waiting {name}: {len(columns[name])} entries for {n} jobs")
        object.__setattr__(self, "jobs", JobTable(**columns))
        end = int_column("running end", self.running.end, self.now + 1, NEVER)
        procs = int_column("running procs", self.running.procs, 1, self.capacity)
        if len(end) != len(procs):
            raise ValueError(f"running: {len(procs)} sizes for {len(end)} ends")
        if procs.sum() > self.capacity:
            raise ValueError(
                f"running procs: {procs.sum()} in use, above the capacity of {self.capacity}"
            )
        order = np.argsort(end, kind="stable")
        object.__setattr__(self, "running", RunningTable(procs[order], end[order]))
        never = np.full(n, NEVER)
        for name, absent in (
            ("planned", never),
            ("ids", np.arange(n)),
            ("notes", never),
            ("occupied", self.jobs.walltime),
        ):
            given = getattr(self, name)
            column = int_column(name, absent if given is None else given, -NEVER, NEVER)
            if len(column) != n:
                raise ValueError(f"{name}: {len(column)} entries for {n} jobs")
            object.__setattr__(self, name, column)

    @classmethod
    def of(
        cls,
        capacity: int,
        now: int = 0,
        running: Sequence[tuple[int, int]] = (),
        waiting: Sequence[tuple[int, ...]] = (),
        planned: Sequence[int] | None = None,
    ) -> "Round":
        """A round from plain numbers, for examples and notebooks.

        Parameters
        ----------
        capacity, now : int
            Processors; time of the decision (s).
        running : sequence of (procs, end)
            The running jobs.
        waiting : sequence of (submit, procs, walltime[, deadline])
            The waiting jobs, in FCFS order.
        planned : sequence of int, optional
            Their starts in the plan before.
        """
        full = [(*job, NEVER)[:4] for job in waiting]
        submit, procs, walltime, deadline = np.array(full, dtype=np.int64).reshape(-1, 4).T
        jobs = job_table(submit, procs, walltime, deadline)
        sizes, ends = np.array(running, dtype=np.int64).reshape(-1, 2).T
        past = None if planned is None else np.array(planned, dtype=np.int64)
        return cls(now, capacity, RunningTable(sizes, ends), jobs, past)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.jobs.submit)

    @property
    def free(self) -> int:
        """Processors that are free now."""
        return self.capacity - int(self.running.procs.sum())

    @cached_property
    def arrays(self) -> RoundArrays:
        """The round as compiled kernels see it (writable copies, since kernels are typed for those)."""
        jobs = JobTable(*(column.copy() for column in self.jobs))
        running = RunningTable(self.running.procs.copy(), self.running.end.copy())
        planned, notes = self.planned.copy(), self.notes.copy()
        return RoundArrays(
            self.now,
            self.capacity,
            running,
            jobs,
            planned,
            self.ended_early,
            notes,
            self.occupied.copy(),
        )


def job_table(
    submit: IntArray,
    procs: IntArray,
    walltime: IntArray,
    deadline: IntArray | None = None,
    latest: IntArray | None = None,
    user: IntArray | None = None,
) -> JobTable:
    """A :class:`JobTable` of contiguous int64 columns; absent columns mean no deadline, no promise, no user."""

    def column(values: IntArray | None, absent: int) -> IntArray:
        if values is None:
            return np.full(len(submit), absent, dtype=np.int64)
        return np.ascontiguousarray(values, dtype=np.int64)

    return JobTable(
        column(submit, 0),
        column(procs, 0),
        column(walltime, 0),
        column(deadline, NEVER),
        column(latest, NEVER),
        column(user, -1),
    )
