"""The round: all input of one scheduling decision."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from planbatch import _core
from planbatch.planner.arguments import as_list, expect_all, number_rows, whole
from planbatch.planner.columns import check_total
from planbatch.planner.display import MOST_ROWS, counted, hms, html_table, moment, table_repr
from planbatch.planner.history.job_history import JobHistory, empty_job_history
from planbatch.planner.model import NEVER, BoolArray, IntArray, JobTable, int_column
from planbatch.planner.resources import Resource, Windows, amount_table, checked_windows


class RunningTable(NamedTuple):
    """The running jobs in the order of their expected ends.

    Attributes
    ----------
    procs : int64 array, shape (m,)
        Processors.
    end : int64 array, shape (m,)
        Expected ends (s), ascending, after the round's ``now``.
    demands : int64 array, shape (m, K - 1)
        Demands on the resources besides processors; 0 if left out.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(
    ...     capacity=8, now=100, running=[(4, 200)], waiting=[(10, 8, 100), (20, 4, 300), (30, 2, 50)]
    ... )
    >>> problem.running.procs.tolist(), problem.running.end.tolist()
    ([4], [200])
    """

    procs: IntArray
    end: IntArray
    demands: IntArray = None  # type: ignore[assignment] # filled in by Round

    def __repr__(self) -> str:
        return table_repr(self, ("procs", "end"), NEVER)


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
        The start of every waiting job in the plan of the previous round, ``NEVER`` if it had none.
    ended_early : bool
        Whether a job ended before its expected end at this very instant.
    occupied : int64 array, shape (n,)
        Expected run time of each waiting job once it has started (s); the walltimes by default. It differs from them
        only with ``mixed`` estimates.
    ids : int64 array, shape (n,)
        Job numbers, for people; 0 … n - 1 by default.
    policy_state : int64 array, shape (n,)
        What the policy stored per waiting job in the previous round (``Plan.policy_state``); ``NEVER`` if nothing.
    resources : tuple of Resource
        The resources besides processors, in the order of the columns of ``jobs.demands`` and ``running.demands``.
    windows : Windows
        The known windows in which a part of the machine is unavailable; none by default. Running jobs keep what they
        have.
    job_history : JobHistory
        The jobs submitted so far; empty unless the policy's history asks for it.
    epoch : int, optional
        The Unix time of time 0 (s), so that people see clocks (UTC); planning does not depend on it.

    Raises
    ------
    ValueError
        If a field is out of its range, the running jobs exceed the capacity, or an end is not after ``now``.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(
    ...     capacity=8, now=100, running=[(4, 200)], waiting=[(10, 8, 100), (20, 4, 300), (30, 2, 50)]
    ... )
    >>> len(problem), problem.free, problem.in_use.tolist()
    (3, 4, [[4]])
    """

    now: int
    capacity: int
    running: RunningTable
    jobs: JobTable
    planned: IntArray = field(default=None)  # type: ignore[arg-type]
    ended_early: bool = False
    ids: IntArray = field(default=None)  # type: ignore[arg-type]
    policy_state: IntArray = field(default=None)  # type: ignore[arg-type]
    occupied: IntArray = field(default=None)  # type: ignore[arg-type]
    resources: tuple[Resource, ...] = ()
    windows: Windows = field(default=None)  # type: ignore[assignment]
    job_history: JobHistory = field(default_factory=empty_job_history, repr=False)
    epoch: int | None = None

    def __post_init__(self) -> None:
        whole("capacity", self.capacity, 1, "processors")
        whole("now", self.now, None, "seconds")
        object.__setattr__(self, "resources", expect_all("resources", self.resources, Resource))
        object.__setattr__(self, "jobs", self._checked_jobs())
        object.__setattr__(self, "running", self._checked_running())
        windows = checked_windows(self.windows, self.capacity, self.resources)
        object.__setattr__(self, "windows", windows)
        n = len(self.jobs.submit)
        never = np.full(n, NEVER)
        for name, absent in (
            ("planned", never),
            ("ids", np.arange(n)),
            ("policy_state", never),
            ("occupied", self.jobs.walltime),
        ):
            value = getattr(self, name)
            column = int_column(name, absent if value is None else value, -NEVER, NEVER)
            if len(column) != n:
                raise ValueError(f"{name}: {len(column)} entries for {n} jobs")
            object.__setattr__(self, name, column)
        check_total("waiting occupied", self.occupied)

    def _demands(self, what: str, values: IntArray | None, rows: int) -> IntArray:
        names = [resource.name for resource in self.resources]
        limits = [resource.capacity for resource in self.resources]
        return amount_table(what, values, rows, names, limits)

    def _checked_jobs(self) -> JobTable:
        n = len(self.jobs.submit)
        limits = {"procs": (1, self.capacity), "walltime": (1, NEVER), "submit": (-NEVER, self.now)}
        columns = {}
        for name in JobTable._fields[:-2]:
            least, most = limits.get(name, (-NEVER, NEVER))
            columns[name] = int_column(f"waiting {name}", getattr(self.jobs, name), least, most)
            if len(columns[name]) != n:
                raise ValueError(f"waiting {name}: {len(columns[name])} entries for {n} jobs")
        check_total("waiting walltime", columns["walltime"])
        past = np.zeros((n, 0)) if self.jobs.past is None else np.array(self.jobs.past, np.float64)
        if past.ndim != 2 or len(past) != n:
            raise ValueError(f"waiting past: expected one row for each of {n} jobs")
        past.flags.writeable = False
        demands = self._demands("waiting", self.jobs.demands, n)
        return JobTable(**columns, demands=demands, past=past)

    def _checked_running(self) -> RunningTable:
        end = int_column("running end", self.running.end, self.now + 1, NEVER)
        procs = int_column("running procs", self.running.procs, 1, self.capacity)
        if len(end) != len(procs):
            raise ValueError(f"running: {len(procs)} sizes for {len(end)} ends")
        if procs.sum() > self.capacity:
            raise ValueError(f"running procs: {procs.sum()} in use, above the capacity of {self.capacity}")
        demands = self._demands("running", self.running.demands, len(end))
        for resource, amount in zip(self.resources, demands.sum(axis=0), strict=True):
            if amount > resource.capacity:
                raise ValueError(f"running {resource.name}: {amount} in use, above the capacity of {resource.capacity}")
        order = np.argsort(end, kind="stable")
        return RunningTable(procs[order], end[order], demands[order])

    @classmethod
    def unchecked(cls, **columns: Any) -> "Round":
        """Make a round from columns of the core: read-only, in order, within their limits. Nothing is checked."""
        problem = object.__new__(cls)
        vars(problem).update(columns)
        return problem

    @classmethod
    def of(
        cls,
        capacity: int,
        now: int = 0,
        running: Sequence[tuple[int, int]] = (),
        waiting: Sequence[tuple[int, ...]] = (),
        planned: Sequence[int] | None = None,
        resources: Sequence[Resource] = (),
        demands: Sequence[Sequence[int]] | None = None,
        in_use: Sequence[Sequence[int]] | None = None,
        windows: Sequence[tuple[int, ...]] = (),
    ) -> "Round":
        """Make a round from plain numbers, for examples and notebooks.

        Parameters
        ----------
        capacity, now : int
            Processors; time of the decision (s).
        running : sequence of (procs, end)
            The running jobs.
        waiting : sequence of (submit, procs, walltime[, deadline])
            The waiting jobs, in FCFS order.
        planned : sequence of int, optional
            Their starts in the previous plan.
        resources : sequence of Resource
            The resources besides processors.
        demands, in_use : sequences of rows, optional
            Demands of the waiting and of the running jobs on those.
        windows : sequence of (start, end, processors[, amount of each further resource])
            The windows in which a part of the machine is unavailable.
        """
        resources = expect_all("resources", resources, Resource)
        further = len(resources)
        form = "(submit, procs, walltime) or (submit, procs, walltime, deadline)"
        entries = as_list("waiting", waiting, least=0)
        listed = [(*job, NEVER) if np.size(job) == 3 else job for job in entries]
        submit, procs, walltime, deadline = number_rows("waiting", listed, 4, form).T

        def rows(values: Sequence[Sequence[int]] | None, count: int) -> IntArray:
            table = np.zeros((count, further)) if values is None else values
            return np.array(table, dtype=np.int64).reshape(count, further)

        jobs = job_table(submit, procs, walltime, deadline, demands=rows(demands, len(submit)))
        sizes, ends = number_rows("running", running, 2, "(procs, end)").T
        amounts = ", ".join(["processors", *(resource.name for resource in resources)])
        closed = number_rows("windows", windows, 3 + further, f"(start, end, {amounts})")
        return cls(
            now,
            capacity,
            RunningTable(sizes, ends, rows(in_use, len(ends))),
            jobs,
            planned,  # type: ignore[arg-type]
            resources=resources,
            windows=Windows(closed[:, 0], closed[:, 1], closed[:, 2:]),
        )

    def __len__(self) -> int:
        return len(self.jobs.submit)

    @property
    def _size(self) -> str:
        """How many jobs wait and run, and what is free."""
        return (
            f"at {moment(self.now, self.epoch)}, {len(self):,} waiting, {len(self.running.end):,} running, "
            f"{self.free:,} of {counted(self.capacity, 'processor')} free"
        )

    def __repr__(self) -> str:
        return f"Round({self._size})"

    def _repr_html_(self) -> str:
        """Return what notebooks show: the first waiting jobs, and how long they have waited."""
        jobs, has_plan = self.jobs, bool((self.planned != NEVER).any())
        headings = ["job", "waited (h:m:s)", "processors", "walltime (h:m:s)"]
        headings += [resource.name for resource in self.resources]
        headings += ["planned to start in (h:m:s)"] if has_plan else []
        rows = []
        for i in range(min(len(self), MOST_ROWS)):
            row = [
                str(self.ids[i]),
                hms(max(self.now - int(jobs.submit[i]), 0)),
                f"{jobs.procs[i]:,}",
                hms(int(jobs.walltime[i])),
                *(f"{amount:,}" for amount in jobs.demands[i]),
            ]
            if has_plan:
                has_start = self.planned[i] != NEVER
                row.append(hms(max(int(self.planned[i]) - self.now, 0)) if has_start else "–")
            rows.append(row)
        return html_table(headings, rows, f"Round: {self._size}", len(self) - len(rows))

    def index_of(self, job: int) -> int:
        """Return the index of a waiting job by its id.

        Raises
        ------
        ValueError
            If no waiting job has this id, or more than one has.
        """
        indices = np.flatnonzero(self.ids == whole("job", job))
        if not len(indices):
            raise ValueError(f"job {job}: no waiting job of the round has this id")
        if len(indices) > 1:
            raise ValueError(f"job {job}: {len(indices)} waiting jobs of the round have this id")
        return int(indices[0])

    def only(self, chosen: BoolArray | IntArray) -> "Round":
        """Return the round with some of its waiting jobs."""
        columns = {name: getattr(self, name)[chosen] for name in ("planned", "ids", "policy_state", "occupied")}
        jobs = JobTable._make(column[chosen] for column in self.jobs)
        return replace(self, jobs=jobs, **columns)

    @property
    def free(self) -> int:
        """Processors that are free now."""
        return self.capacity - int(self.running.procs.sum())

    @property
    def capacities(self) -> IntArray:
        """Capacities of all resources, the processors first; shape (K,)."""
        further = [resource.capacity for resource in self.resources]
        return np.array([self.capacity, *further], dtype=np.int64)

    @property
    def demands(self) -> IntArray:
        """Demands of the waiting jobs on all resources, the processors first; shape (n, K)."""
        return np.column_stack([self.jobs.procs, self.jobs.demands])

    @property
    def in_use(self) -> IntArray:
        """Demands of the running jobs on all resources, the processors first; shape (m, K)."""
        return np.column_stack([self.running.procs, self.running.demands])

    @cached_property
    def core(self) -> _core.Round:
        """The round as the compiled core takes it: checked copies of its columns."""
        jobs, running, windows, job_history = (self.jobs, self.running, self.windows, self.job_history)
        return _core.Round(
            now=int(self.now),
            capacities=self.capacities,
            running_end=running.end,
            running_amounts=self.in_use,
            submit=jobs.submit,
            walltime=jobs.walltime,
            deadline=jobs.deadline,
            latest=jobs.latest,
            user=jobs.user,
            amounts=self.demands,
            past=jobs.past,
            planned=self.planned,
            occupied=self.occupied,
            policy_state=self.policy_state,
            window_start=windows.start,
            window_end=windows.end,
            window_amounts=windows.amounts,
            ended_early=bool(self.ended_early),
            history_rows=job_history.rows,
            history_past=job_history.past,
            history_running=job_history.running,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields, which is all that is sent to other processes."""
        return {name: value for name, value in vars(self).items() if name != "core"}

    @property
    def any_fits(self) -> bool:
        """Whether the demands of any waiting job are free now; windows are not counted."""
        free = self.capacities - self.in_use.sum(axis=0)
        return bool((self.demands <= free).all(axis=1).any())


def job_table(
    submit: IntArray,
    procs: IntArray,
    walltime: IntArray,
    deadline: IntArray | None = None,
    latest: IntArray | None = None,
    user: IntArray | None = None,
    demands: IntArray | None = None,
) -> JobTable:
    """Make a :class:`JobTable` of contiguous int64 columns; absent ones mean no deadline, promise, user or demand."""

    def column(values: IntArray | None, absent: int) -> IntArray:
        if values is None:
            return np.full(len(submit), absent, dtype=np.int64)
        return np.ascontiguousarray(values, dtype=np.int64)

    if demands is None:
        demands = np.zeros((len(submit), 0), dtype=np.int64)
    return JobTable(
        column(submit, 0),
        column(procs, 0),
        column(walltime, 0),
        column(deadline, NEVER),
        column(latest, NEVER),
        column(user, -1),
        np.ascontiguousarray(demands, dtype=np.int64),
        np.zeros((len(submit), 0)),
    )
