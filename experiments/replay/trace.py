"""The trace of a replay: starts and ends of the jobs, and a log of the rounds; also as data frames and Parquet."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from planbatch.baselines.policy import Traits
from planbatch.planner.display import counted, duration, html_table
from planbatch.planner.model import NEVER, FloatArray, IntArray, Workload

if TYPE_CHECKING:
    from pandas import DataFrame

#: The columns of a trace that have one entry per job.
JOB_COLUMNS = ("start", "end", "promise", "first_planned", "last_planned", "predicted")
#: The columns of a workload that tables of jobs repeat.
GIVEN_COLUMNS = ("id", "user", "queue", "submit", "procs", "walltime", "runtime")
#: The columns of the jobs in Parquet.
JOBS = (*GIVEN_COLUMNS, "start", "end", "deadline", "promise", "first_planned", "last_planned", "predicted")
#: Run times below this many seconds count as this long in the bounded slowdown.
SLOWDOWN_BOUND = 10


def bounded_slowdown(wait: FloatArray, run: FloatArray) -> FloatArray:
    """Return max(1, (waitᵢ + runᵢ) / max(runᵢ, 10 s)) of every job (design rule 9)."""
    return np.maximum(1.0, (wait + run) / np.maximum(run, SLOWDOWN_BOUND))


@dataclass(frozen=True)
class RoundLog:
    """One entry per round of a replay; every column has shape (rounds,).

    Attributes
    ----------
    time : int64 array
        When the round was (s).
    waiting, running, started : int64 arrays
        Jobs waiting and running before the decision, and jobs started by it.
    evaluations : int64 array
        Plans that the search evaluated after the seeds.
    seed_cost, cost : float64 arrays
        Cost of the best seed and of the plan; NaN if the round needed no search.

    Examples
    --------
    >>> import numpy as np
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> rounds = pb.replay(workload, "plan-wait").rounds
    >>> int(rounds.started.sum())
    100
    >>> searched = ~np.isnan(rounds.cost)
    >>> bool((rounds.cost[searched] <= rounds.seed_cost[searched]).all())
    True
    """

    time: IntArray
    waiting: IntArray
    running: IntArray
    started: IntArray
    evaluations: IntArray
    seed_cost: FloatArray
    cost: FloatArray

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        return f"RoundLog({counted(len(self), 'round')})"


#: The columns of the rounds.
ROUNDS = tuple(RoundLog.__dataclass_fields__)


@dataclass(frozen=True)
class Trace:
    """The result of a replay.

    Attributes
    ----------
    workload : Workload
        The replayed workload.
    policy : str
        Name of the policy.
    start, end : int64 arrays, shape (n,)
        Start and end of every job (s), in the order of the workload.
    rounds : RoundLog
        One entry per round.
    seconds : float
        How long the replay took, compilation excluded.
    promise : int64 array, shape (n,)
        The latest start promised to every job (s), ``NEVER`` if none was.
    first_planned : int64 array, shape (n,)
        The first planned start of every job (s); under policies that do not plan, its start.
    last_planned : int64 array, shape (n,)
        The start of every job in the plan before the round that started it (s); its start if there was none.
    predicted : int64 array, shape (n,)
        What every job was believed to take in the round that started it (s); ``NEVER`` if run times were not predicted.
    traits : Traits
        What the policy states about itself.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> trace = pb.replay(workload, "easy")
    >>> trace.to_frame()[["submit", "start", "end"]].shape
    (100, 3)
    """

    workload: Workload
    policy: str
    start: IntArray
    end: IntArray
    rounds: RoundLog
    seconds: float
    promise: IntArray
    first_planned: IntArray = field(default=None)  # type: ignore[arg-type]
    traits: Traits = field(default_factory=Traits)
    predicted: IntArray = field(default=None)  # type: ignore[arg-type]
    last_planned: IntArray = field(default=None)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        for name in ("first_planned", "last_planned"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, self.start)
        if self.predicted is None:
            object.__setattr__(self, "predicted", np.full(len(self.start), NEVER))

    @property
    def wait(self) -> IntArray:
        """How long every job waited: start − submit (s); shape (n,)."""
        return self.start - self.workload.submit

    @property
    def title(self) -> str:
        """What was replayed, in one line; traces on their way between processes have no workload."""
        on = f" on {self.workload.name}" if self.workload is not None else ""
        return f"{self.policy}{on}: {counted(len(self.start), 'job')}, {counted(len(self.rounds), 'round')}"

    def __repr__(self) -> str:
        return f"Trace({self.title}, replayed in {self.seconds:.3g} s)"

    def _repr_html_(self) -> str:
        """Return what notebooks show: the waits, and what the replay took."""
        rows = [["replayed in", f"{self.seconds:.3g} s"]]
        if self.workload is not None and len(self.start):
            wait = self.wait
            makespan = int(self.end.max() - self.workload.submit.min())
            rows = [
                ["mean wait", duration(float(wait.mean()))],
                ["median wait", duration(float(np.median(wait)))],
                ["maximum wait", duration(int(wait.max()))],
                ["makespan", duration(makespan)],
                *rows,
            ]
        return html_table((), rows, self.title)

    def to_frame(self) -> "DataFrame":
        """Return a data frame: one row per job, in the order of the workload.

        All times are seconds of the log's clock, all columns int64 unless stated otherwise:

        ==================== =========================================================================
        ``id``               number of the job, as in the log
        ``user``             number of the user, -1 if unknown
        ``queue``            number of the queue, -1 if unknown
        ``submit``           when it was submitted
        ``procs``            processors
        ``walltime``         requested time
        ``runtime``          run time
        ``start``, ``end``   when it started and ended
        ``wait``             start − submit
        ``bounded_slowdown`` max(1, (wait + runtime) / max(runtime, 10)); float64
        ``stretch``          (wait + walltime) / walltime; float64
        ``first_planned``    its first planned start; under policies that do not plan, its start
        ``last_planned``     its start in the plan before the round that started it; its start if there was none
        ``predicted``        what it was believed to take when it started, NaN if nothing was predicted; float64
        ``promise``          the latest start promised to it, NaN for none; float64
        ``deadline``         its latest end, NaN for none; float64
        ==================== =========================================================================

        Demands on further resources follow, one column per resource, by its name. ``frame.attrs`` has the
        ``workload`` (its name), the ``capacity`` (processors), and the ``policy``.
        """
        workload = self.workload
        columns: dict[str, Any] = {name: getattr(workload, name) for name in GIVEN_COLUMNS}
        columns |= {name: getattr(self, name) for name in JOB_COLUMNS} | {"deadline": workload.deadline}
        frame = jobs_frame(columns)
        for k, resource in enumerate(workload.resources):
            frame[resource.name] = workload.demands[:, k]
        frame.attrs = {"workload": workload.name, "capacity": workload.capacity, "policy": self.policy}
        return frame

    def part(self, first: int, last: int) -> "Trace":
        """Keep the jobs from ``first`` to before ``last``, and the rounds of their time.

        Those are the rounds before the first submission of a later job; without later jobs, all to the end.
        """
        submit = self.workload.submit
        time = self.rounds.time
        inside = np.ones(len(time), dtype=np.bool_)
        if first > 0:
            inside &= time >= submit[first]
        if last < len(submit):
            inside &= time < submit[last]
        columns: dict[str, Any] = {name: getattr(self, name)[first:last] for name in JOB_COLUMNS}
        return replace(
            self,
            workload=self.workload.take(slice(first, last)),
            rounds=RoundLog(**{name: column[inside] for name, column in vars(self.rounds).items()}),
            **columns,
        )


def jobs_frame(columns: Mapping[str, IntArray]) -> "DataFrame":
    """Return the data frame of :meth:`Trace.to_frame` from the columns of a workload and of a trace."""
    import pandas as pd

    wait = columns["start"] - columns["submit"]
    derived = {
        "wait": wait,
        "bounded_slowdown": bounded_slowdown(wait.astype(np.float64), columns["runtime"].astype(np.float64)),
        "stretch": (wait + columns["walltime"]) / columns["walltime"],
    }
    own = {name: columns[name] for name in (*GIVEN_COLUMNS, "start", "end") if name in columns}
    plan_columns = {
        "first_planned": columns["first_planned"],
        "last_planned": columns["last_planned"],
        "predicted": absent_as_nan(columns["predicted"]),
        "promise": absent_as_nan(columns["promise"]),
        "deadline": absent_as_nan(columns["deadline"]),
    }
    return pd.DataFrame({**own, **derived, **plan_columns})


def absent_as_nan(times: IntArray) -> FloatArray:
    """Return times with NaN in place of ``NEVER``."""
    return np.where(times == NEVER, np.nan, times)


def join_traces(workload: Workload, parts: list[Trace]) -> Trace:
    """Join the traces of consecutive parts of a workload, as if it had been replayed as a whole."""
    rounds = RoundLog(**{name: np.concatenate([getattr(part.rounds, name) for part in parts]) for name in ROUNDS})
    columns: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in JOB_COLUMNS}
    return replace(parts[0], workload=workload, rounds=rounds, seconds=sum(part.seconds for part in parts), **columns)


def jobs_bytes(trace: Trace) -> bytes:
    """Write one row per job; times in seconds, ``NEVER`` for none."""
    sources = dict.fromkeys(JOB_COLUMNS, trace)
    return _parquet({name: getattr(sources.get(name, trace.workload), name) for name in JOBS})


def rounds_bytes(trace: Trace) -> bytes:
    """Write one row per round; see :class:`RoundLog`."""
    return _parquet({name: getattr(trace.rounds, name) for name in ROUNDS})


def _parquet(columns: dict[str, Any]) -> bytes:
    """Write columns; equal columns give equal bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def array(column: Any) -> Any:
        """Wrap a column without a copy; ``pa.array`` would load pandas, to ask whether it is a series."""
        column = np.ascontiguousarray(column)
        return pa.Array.from_buffers(pa.from_numpy_dtype(column.dtype), len(column), [None, pa.py_buffer(column)])

    table = pa.table({name: array(column) for name, column in columns.items()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())
