"""Small workloads and rounds, written down or drawn."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from planbatch.experiments.replay.trace import RoundLog, Trace
from planbatch.planner.model import NEVER, Workload
from planbatch.planner.optimizer import Status
from planbatch.planner.optimizers.search import OrderOptimizer
from planbatch.planner.resources import Resource, Window
from planbatch.planner.round import Round, RunningTable, job_table

#: submit, procs, walltime, runtime
JobTuple = tuple[int, int, int, int]


def workload_of(capacity: int, jobs: Sequence[tuple[int, ...]], name: str = "small") -> Workload:
    """Give a workload of (submit, procs, walltime[, runtime]) tuples; the first job has the number 1."""
    full = [(*job, job[2])[:4] for job in jobs]
    submit, procs, walltime, runtime = np.array(full, dtype=np.int64).reshape(-1, 4).T
    ids = np.arange(1, len(submit) + 1)
    header = {"UnixStartTime": "0"}
    return Workload(name, capacity, ids, submit, procs, walltime, runtime, header=header)


def trace_of(workload: Workload, start: Sequence[int], policy: str = "by-hand") -> Trace:
    """Give the trace in which the jobs of a workload start at these times."""
    column = np.array(start, dtype=np.int64)
    times, started = np.unique(column, return_counts=True)
    zeros = np.zeros(len(times), dtype=np.int64)
    log = RoundLog(times, started, zeros, started, zeros, zeros * np.nan, zeros * np.nan)
    no_promise = np.full(len(workload), NEVER)
    return Trace(workload, policy, column, column + workload.runtime, log, 0.0, no_promise)


def assert_same(one: Trace, other: Trace) -> None:
    """Assert that two traces agree in everything but the clock."""
    np.testing.assert_array_equal(one.start, other.start)
    np.testing.assert_array_equal(one.end, other.end)
    np.testing.assert_array_equal(one.promise, other.promise)
    for name, column in vars(one.rounds).items():
        np.testing.assert_array_equal(column, getattr(other.rounds, name), err_msg=name)


@st.composite
def machines_with_jobs(draw: st.DrawFn, most_jobs: int = 12) -> tuple[int, list[JobTuple]]:
    """Draw a capacity and jobs in FCFS order, many of them submitted or ending at the same instants."""
    capacity = draw(st.integers(1, 6))
    jobs: list[JobTuple] = []
    now = draw(st.integers(-3, 3))
    for _ in range(draw(st.integers(1, most_jobs))):
        now += draw(st.sampled_from([0, 0, 0, 1, 2, 5]))
        walltime = draw(st.integers(1, 12))
        runtime = draw(st.one_of(st.just(walltime), st.integers(1, walltime)))
        jobs.append((now, draw(st.integers(1, capacity)), walltime, runtime))
    return capacity, jobs


@st.composite
def workloads_with_windows(draw: st.DrawFn) -> Workload:
    """Draw a workload on a small machine with two further resources, and windows that often overlap."""
    limits = {"processors": draw(st.integers(1, 4)), "memory": 5, "licences": 3}
    jobs, demands, now = [], [], 0
    for _ in range(draw(st.integers(1, 8))):
        now += draw(st.sampled_from([0, 0, 1, 2, 5]))
        walltime = draw(st.integers(1, 8))
        procs, *further = (draw(st.integers(int(k == 0), most)) for k, most in enumerate(limits.values()))
        jobs.append((now, procs, walltime, draw(st.integers(1, walltime))))
        demands.append(further)
    windows = []
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, 15))
        resource = draw(st.sampled_from(list(limits)))
        amounts = {resource: draw(st.integers(1, limits[resource]))}
        announced = draw(st.one_of(st.none(), st.integers(-2, begin)))
        windows.append(Window(begin, begin + draw(st.integers(1, 10)), amounts, announced))
    capacity, *further = limits.items()
    return replace(
        workload_of(capacity[1], jobs),
        resources=tuple(Resource(*limit) for limit in further),
        demands=np.array(demands),
        windows=tuple(windows),
    )


@st.composite
def small_rounds(draw: st.DrawFn, most_jobs: int = 8) -> Round:
    """Draw a round on a small machine, with running jobs."""
    capacity = draw(st.integers(1, 8))
    now = draw(st.integers(-5, 5))
    free = capacity
    running = []
    for _ in range(draw(st.integers(0, 4))):
        procs = draw(st.integers(1, capacity))
        if procs <= free:
            free -= procs
            running.append((procs, now + draw(st.integers(1, 12))))
    waiting = [
        (now - draw(st.integers(0, 9)), draw(st.integers(1, capacity)), draw(st.integers(1, 9)))
        for _ in range(draw(st.integers(0, most_jobs)))
    ]
    return Round.of(capacity, now, running, waiting)


@st.composite
def rounds_with_resources(draw: st.DrawFn, most_jobs: int = 6) -> Round:
    """Draw a round on a small machine with up to two further resources, and windows."""
    limits = [draw(st.integers(1, 6)) for _ in range(draw(st.integers(1, 3)))]
    resources = [Resource(f"r{k}", limit) for k, limit in enumerate(limits[1:])]
    now = draw(st.integers(-5, 5))
    free = list(limits)
    running, in_use = [], []
    for _ in range(draw(st.integers(0, 3))):
        demand = [draw(st.integers(int(k == 0), limit)) for k, limit in enumerate(limits)]
        if all(t <= f for t, f in zip(demand, free, strict=True)):
            free = [f - t for t, f in zip(demand, free, strict=True)]
            running.append((demand[0], now + draw(st.integers(1, 9))))
            in_use.append(demand[1:])
    waiting, demands = [], []
    for _ in range(draw(st.integers(0, most_jobs))):
        demand = [draw(st.integers(int(k == 0), limit)) for k, limit in enumerate(limits)]
        waiting.append((now - draw(st.integers(0, 9)), demand[0], draw(st.integers(1, 7))))
        demands.append(demand[1:])
    windows = []
    for _ in range(draw(st.integers(0, 2))):
        begin = now + draw(st.integers(-3, 10))
        away = [draw(st.integers(int(k == 0), limit)) for k, limit in enumerate(limits)]
        windows.append((begin, begin + draw(st.integers(1, 6)), *away))
    return Round.of(
        limits[0], now, running, waiting, resources=resources, demands=demands, in_use=in_use, windows=windows
    )


class Quitter(OrderOptimizer):
    """An optimizer that ends each search with the status of an interrupt."""

    name = "quitter"

    def optimize(self, problem, objective, budget, rng):
        return replace(super().optimize(problem, objective, budget, rng), status=Status.INTERRUPTED)


def stepped(policy):
    """Give a policy as a plain function, so that Python steps through the replay."""
    return lambda problem, rng: policy(problem, rng)  # noqa: PLW0108 - not the policy itself


def left_by_seconds(problem: Round, horizon: int = 200) -> np.ndarray:
    """Give what running jobs and windows leave of each resource, second by second from now on."""
    left = np.tile(problem.capacities, (horizon, 1))
    for demand, end in zip(problem.in_use, problem.running.end, strict=True):
        left[: end - problem.now] -= demand
    for begin, end, away in zip(*problem.windows, strict=True):
        left[max(begin - problem.now, 0) : max(end - problem.now, 0)] -= away
    return np.maximum(left, 0)


def random_round(n: int, seed: int = 0, capacity: int = 64, planned: bool = True) -> Round:
    """Give a round of ``n`` waiting jobs on a busy machine; one in ten has no start in the plan before."""
    rng = np.random.default_rng([seed, n, capacity])
    now = 100_000
    sizes = rng.integers(1, capacity // 4 + 1, 12)
    sizes = sizes[np.cumsum(sizes) <= capacity]
    ends = now + rng.integers(1, 5000, len(sizes))
    procs = np.minimum(2 ** rng.integers(0, 9, n), capacity)
    walltime = 60 * rng.integers(1, 300, n)
    submit = np.sort(now - rng.integers(0, 20_000, n))
    before = np.where(rng.random(n) < 0.1, NEVER, now + rng.integers(0, 50_000, n))
    return Round.of(
        capacity,
        now,
        list(zip(sizes.tolist(), ends.tolist(), strict=True)),
        list(zip(submit.tolist(), procs.tolist(), walltime.tolist(), strict=True)),
        before.tolist() if planned else None,
    )


def round_with_few_due(rng: np.random.Generator, jobs: int, due: int, deadline: int) -> tuple[Round, Round]:
    """Give a round of which so many jobs have a deadline, and the round of those alone."""
    is_due = rng.permutation(jobs) < due
    shapes = rng.integers(1, [9, 101], size=(jobs, 2)).tolist()
    waiting = [(0, *shape, deadline) if its_due else (0, *shape) for shape, its_due in zip(shapes, is_due, strict=True)]
    problem = Round.of(8, 0, [(5, 30)], waiting)
    return problem, problem.only(is_due)


def busy_round(waiting: int, running: int, seed: int = 1, capacity: int = 1152) -> Round:
    """Give a round of a busy machine: sizes in powers of two, popular walltimes."""
    rng = np.random.default_rng(seed)
    sizes = 2 ** rng.integers(0, 6, running)
    sizes = sizes[np.cumsum(sizes) <= capacity]
    ends = 1 + rng.integers(0, 86400, len(sizes))
    walltimes = rng.choice([600, 1800, 3600, 7200, 14400, 43200, 86400], waiting)
    procs = np.minimum(2 ** rng.integers(0, 9, waiting), capacity)
    submit = -rng.integers(0, 86400, waiting)
    jobs = job_table(np.sort(submit), procs, walltimes)
    return Round(0, capacity, RunningTable(sizes, ends), jobs)
