"""Small workloads and rounds, made of text: the same ones everywhere, since only whole numbers are drawn."""

from dataclasses import dataclass, fields, replace

import numpy as np

from planbatch.planner.model import NEVER, IntArray, Workload
from planbatch.planner.resources import Resource, Window, Windows
from planbatch.planner.round import Round, RunningTable, job_table

#: Further resources, the first of which a machine has.
RESOURCES = (Resource("memory", 64_000), Resource("gpus", 7), Resource("bytes", 10**12))
USERS = 9
#: Times that are far beyond 2^31 s are so many times as long.
FAR = 1_000_000
WALLTIMES = (7, 60, 77, 300, 600, 900, 1800, 3600, 4321, 7200, 14400, 43200)
#: Workloads begin here (s), on a Saturday: neither at 0 nor at the full hour.
BEGIN = 2 * 86_400 + 12_345


@dataclass(frozen=True)
class Kind:
    """A kind of workload."""

    #: Jobs; processors of the machine.
    jobs: int = 200
    capacity: int = 64
    load: int = 160  #: offered load (%)
    further: int = 0  #: resources besides processors
    windows: int = 0  #: windows, some of which are known before they begin
    due: bool = False  #: whether some jobs have deadlines
    grid: int = 1  #: submit times are multiples of this (s), so that much falls together
    exact: bool = False  #: whether jobs take what they request
    #: Whether walltimes, and what follows from them, are :data:`FAR` times as long.
    far: bool = False


BUSY = Kind()
SMALL = Kind(jobs=60, capacity=16, load=250)
DEEP = Kind(jobs=300, load=1500)
LONG = Kind(jobs=1000, load=8000)
KINDS = {
    "small": SMALL,
    "small-memory": replace(SMALL, further=1),
    "small-windows": replace(SMALL, windows=2),
    "busy": BUSY,
    "odd": replace(BUSY, capacity=47),
    "ties": replace(BUSY, grid=300, exact=True),
    "far": replace(BUSY, far=True),
    "far-memory": replace(BUSY, far=True, further=1),
    "windows": replace(BUSY, windows=5),
    "memory": replace(BUSY, further=1),
    "two": replace(BUSY, further=2),
    "three": replace(BUSY, further=3),
    "memory-windows": replace(BUSY, further=1, windows=4),
    "three-windows": replace(BUSY, further=3, windows=4),
    "due": replace(BUSY, due=True),
    "due-memory": replace(BUSY, due=True, further=1),
    "due-windows": replace(BUSY, due=True, windows=4),
    "deep": DEEP,
    "deep-memory": replace(DEEP, further=1),
    "deep-windows": replace(DEEP, windows=4),
    "long": LONG,
    "long-memory": replace(LONG, further=1),
    "long-windows": replace(LONG, windows=4),
    "long-due": replace(LONG, due=True),
}


def demands_of(rng: np.random.Generator, count: int, further: int) -> IntArray:
    """Draw demands on further resources: often none, now and then the whole capacity; shape (count, further)."""
    table = np.zeros((count, further), dtype=np.int64)
    for k in range(further):
        share = rng.choice([0, 0, 0, 1, 3, 10, 10, 30, 30, 50, 100], count)
        table[:, k] = -(-share * RESOURCES[k].capacity // 100)
    return table


def sizes_of(rng: np.random.Generator, count: int, capacity: int) -> IntArray:
    """Draw numbers of processors: mostly powers of two; int64, shape (count,)."""
    power = 2 ** rng.integers(0, capacity.bit_length(), count)
    other = rng.integers(1, capacity // 3 + 1, count)
    return np.minimum(np.where(rng.random(count) < 0.8, power, other), capacity)


def due_times(rng: np.random.Generator, submit: IntArray, walltime: IntArray) -> IntArray:
    """Draw deadlines (s) for a third of the jobs, none of them impossible; ``NEVER`` for the others."""
    slack = walltime * rng.integers(1, 12, len(submit)) + rng.integers(0, 20_000, len(submit))
    return np.where(rng.random(len(submit)) < 0.35, submit + slack, NEVER)


def made_workload(text: str) -> Workload:
    """Return the workload of a text: a name of :data:`KINDS`, a hyphen, and a seed."""
    name, _, seed = text.rpartition("-")
    kind = KINDS[name]
    n = kind.jobs
    rng = np.random.default_rng([int(seed), n, kind.further, kind.windows])
    user = rng.integers(0, USERS, n) * rng.integers(0, 2, n)  # half of the jobs are of user 0
    walltime = rng.choice(WALLTIMES, n) * (FAR if kind.far else 1)
    habit = rng.choice([5, 20, 50, 80, 100], USERS)  # how much users need of what they request
    share = np.clip(habit[user] + rng.integers(-15, 16, n), 1, 100)
    share[rng.random(n) < 0.2] = 100
    if kind.exact:
        share[:] = 100
    runtime = np.maximum(walltime * share // 100, 1)
    procs = sizes_of(rng, n, kind.capacity)
    gap = rng.integers(1, 100, n) * (rng.random(n) < 0.7)
    gap[0] = 1
    span = int((procs * runtime).sum()) * 100 // (kind.capacity * kind.load)
    submit = BEGIN + np.cumsum(gap) * span // int(gap.sum()) // kind.grid * kind.grid
    deadline = due_times(rng, submit, walltime) if kind.due else None
    return Workload(
        text,
        kind.capacity,
        np.arange(1, n + 1),
        submit,
        procs,
        walltime,
        runtime,
        deadline=deadline,  # type: ignore[arg-type]
        user=user,
        header={"UnixStartTime": "0"},
        resources=RESOURCES[: kind.further],
        demands=demands_of(rng, n, kind.further),
        windows=tuple(_window(rng, kind, int(submit[0]), span) for _ in range(kind.windows)),
    )


def _window(rng: np.random.Generator, kind: Kind, begin: int, span: int) -> Window:
    """Draw a window: maintenance if it is known before it begins, otherwise a failure."""
    start = begin + int(rng.integers(0, 2 * span))
    amounts = {"processors": int(rng.integers(1, kind.capacity + 1))}
    for resource in RESOURCES[: kind.further]:
        amounts[resource.name] = int(rng.integers(0, resource.capacity + 1))
    announced = None if rng.random() < 0.5 else start - int(rng.integers(0, 100_000))
    return Window(start, start + int(rng.choice([1800, 7200, 36_000])), amounts, announced)


@dataclass(frozen=True)
class RoundRecipe:
    """What a round is drawn from; the fields are the words of its text."""

    #: Waiting jobs; running ones, of which those are kept that fit.
    jobs: int
    seed: int = 1  #: seed of the random numbers
    #: Resources besides processors; windows.
    resources: int = 0
    windows: int = 0
    #: Whether there is a plan of the round before, some jobs have been promised a latest start, some have deadlines,
    #: walltimes are :data:`FAR` times as long.
    planned: int = 0
    promised: int = 0
    due: int = 0
    far: int = 0
    running: int = 30


def made_round(text: str) -> Round:
    """Return the round of a text such as ``jobs=50,resources=2,promised=1``; the words are those of :class:`Drawn`."""
    arguments = {word.partition("=")[0]: int(word.partition("=")[2]) for word in text.split(",")}
    parameters = RoundRecipe(**arguments)
    rng = np.random.default_rng([getattr(parameters, field.name) for field in fields(parameters)])
    n, further = parameters.jobs, parameters.resources
    capacity = int(rng.choice([48, 128, 1152]))
    now = int(rng.choice([0, 1_000_000]))
    walltime = rng.choice(WALLTIMES, n) * (FAR if parameters.far else 1)
    procs = sizes_of(rng, n, capacity)
    submit = np.sort(now - rng.integers(0, 86_400, n))
    deadline = due_times(rng, submit, walltime)
    soon = now + rng.integers(0, 150_000, n)
    planned = np.where(rng.random(n) < 0.8, soon, NEVER)
    latest = np.where(rng.random(n) < 0.7, now + rng.integers(0, 10**7, n), NEVER)
    jobs = job_table(
        submit,
        procs,
        walltime,
        deadline=deadline if parameters.due else None,
        latest=latest if parameters.promised else None,
        user=rng.integers(0, USERS, n),
        demands=demands_of(rng, n, further),
    )
    return Round(
        now,
        capacity,
        _running(rng, parameters, capacity, now),
        jobs,
        planned if parameters.planned or parameters.promised else None,  # type: ignore[arg-type]
        resources=RESOURCES[:further],
        windows=_windows(rng, parameters, capacity, now),
    )


def _running(rng: np.random.Generator, parameters: RoundRecipe, capacity: int, now: int) -> RunningTable:
    """Draw running jobs, and keep the first that fit together."""
    procs = 2 ** rng.integers(0, 6, parameters.running)
    demands = demands_of(rng, parameters.running, parameters.resources)
    end = now + 1 + rng.integers(0, 86_400, parameters.running)
    fits = np.cumsum(procs) <= capacity
    for k in range(parameters.resources):
        fits &= np.cumsum(demands[:, k]) <= RESOURCES[k].capacity
    return RunningTable(procs[fits], end[fits], demands[fits])


def _windows(rng: np.random.Generator, parameters: RoundRecipe, capacity: int, now: int) -> Windows:
    """Draw windows that may have begun, overlap, and take everything."""
    count = parameters.windows
    start = now + rng.integers(-20_000, 100_000, count)
    end = start + rng.choice([600, 3600, 40_000], count)
    amounts = np.zeros((count, 1 + parameters.resources), dtype=np.int64)
    for k, limit in enumerate([capacity, *(r.capacity for r in RESOURCES[: parameters.resources])]):
        amounts[:, k] = rng.integers(0, limit + 1, count) * (rng.random(count) < 0.6)
    amounts[rng.random(count) < 0.2, 0] = capacity
    amounts[amounts.sum(axis=1) == 0, 0] = 1
    return Windows(start, end, amounts)
