"""The measurements of ``planbatch bench``."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from statistics import median
from time import perf_counter

import numpy as np

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.bench.measurement import Measurement
from planbatch.experiments.bench.reference import repeat_scan
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives.catalogue import OBJECTIVES
from planbatch.objectives.wait import WAIT
from planbatch.planner.bounds import lower_bound
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import Permutation
from planbatch.planner.kernels.decode import JobClasses, classify, decode_into
from planbatch.planner.kernels.native import kernel
from planbatch.planner.model import IntArray, Workload
from planbatch.planner.optimizer import Optimizer
from planbatch.planner.optimizers import make_optimizer, warm_up
from planbatch.planner.optimizers.annealing.optimizer import Annealing
from planbatch.planner.resources import Resource, no_windows
from planbatch.planner.round import Round, RoundArrays, RunningTable, job_table


def random_round(waiting: int, running: int, seed: int = 1, capacity: int = 1152) -> Round:
    """A round of a busy machine: sizes in powers of two, popular walltimes."""
    rng = np.random.default_rng(seed)
    sizes = 2 ** rng.integers(0, 6, running)
    sizes = sizes[np.cumsum(sizes) <= capacity]
    ends = 1 + rng.integers(0, 86400, len(sizes))
    walltimes = rng.choice([600, 1800, 3600, 7200, 14400, 43200, 86400], waiting)
    procs = np.minimum(2 ** rng.integers(0, 9, waiting), capacity)
    submit = -rng.integers(0, 86400, waiting)
    jobs = job_table(np.sort(submit), procs, walltimes)
    return Round(0, capacity, RunningTable(sizes, ends), jobs)


@kernel
def repeat_decode(
    arrays: RoundArrays, classes: JobClasses, order: Permutation, start: IntArray, times: int
) -> None:
    """Decode ``times`` times."""
    for _ in range(times):
        decode_into(arrays, classes, order, start)


def best_times(
    *functions: Callable[[], object], clock: Callable[[], float] = perf_counter
) -> list[float]:
    """Seconds of functions, run in turns: the shortest of seven runs of each."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(7):
        for function, taken in zip(functions, times, strict=True):
            began = clock()
            function()
            taken.append(clock() - began)
    return [min(taken) for taken in times]


def measure_decoder() -> Iterator[Measurement]:
    """Plans per second for 50, 1,000 and 10,000 waiting jobs in random order, over 40 running ones."""
    for waiting, repeats in ((50, 2000), (1000, 20), (10000, 1)):
        problem = random_round(waiting, 40)
        arrays, classes = problem.arrays, classify(problem.arrays)
        order = np.random.default_rng(2).permutation(waiting)
        start, expected = np.empty((2, waiting), dtype=np.int64)
        repeat_decode(arrays, classes, order, start, 1)
        repeat_scan(arrays, order, expected, 1)
        if not np.array_equal(start, expected):
            raise AssertionError(
                f"decoding {waiting} jobs: the plan differs from the linear scan's"
            )

        def ours(
            a: RoundArrays = arrays, c: JobClasses = classes, o: Permutation = order,
            s: IntArray = start, r: int = repeats,
        ) -> None:  # fmt: skip
            repeat_decode(a, c, o, s, r)

        def scan(
            a: RoundArrays = arrays, o: Permutation = order, s: IntArray = start, r: int = repeats
        ) -> None:
            repeat_scan(a, o, s, r)

        mine, reference = best_times(ours, scan)
        yield Measurement(
            f"decode {waiting:,} jobs",
            repeats / mine,
            "plans/s",
            reference / mine,
            "a linear scan",
        )


def with_second_resource(problem: Round, alike: bool) -> Round:
    """The round on a machine with a second resource.

    Parameters
    ----------
    problem : Round
        A round with processors alone.
    alike : bool
        Whether every job takes the same share of both, so that plans stay the same; otherwise, the share that another
        job, drawn at random, takes of the processors.
    """
    rng = np.random.default_rng(4)
    tables = (problem.jobs, problem.running)
    demands = [table.procs if alike else rng.permutation(table.procs) for table in tables]
    return replace(
        problem,
        jobs=problem.jobs._replace(demands=demands[0][:, None]),
        running=problem.running._replace(demands=demands[1][:, None]),
        resources=(Resource("memory", problem.capacity),),
        windows=no_windows(1),
    )


def measure_resources() -> Iterator[Measurement]:
    """Plans per second for 50 and 1,000 jobs on a machine with two resources, and the ratio to one resource.

    If both are used alike, the plans are the same; if both are scarce, plans are longer, and so is the work.
    """
    cases = ((50, 2000, True), (50, 2000, False), (1000, 20, True))
    for waiting, repeats, alike in cases:
        one = random_round(waiting, 40)
        order = np.random.default_rng(2).permutation(waiting)
        calls, starts = [], np.empty((2, waiting), dtype=np.int64)
        for problem, start in zip((with_second_resource(one, alike), one), starts, strict=True):
            arrays, classes = problem.arrays, classify(problem.arrays)
            repeat_decode(arrays, classes, order, start, 1)
            calls.append(partial(repeat_decode, arrays, classes, order, start, repeats))
        if alike and (starts[0] != starts[1]).any():
            raise AssertionError(f"decoding {waiting} jobs: a second resource changes the plan")
        mine, reference = best_times(*calls)
        yield Measurement(
            f"decode {waiting:,} jobs, two resources" + ("" if alike else " (scarce)"),
            repeats / mine,
            "plans/s",
            reference / mine,
            "one resource",
        )


def measure_replays(workload: Workload) -> Iterator[Measurement]:
    """Jobs per second of whole replays, and the ratio to FCFS, the cheapest of all policies."""
    names = ("fcfs", "easy", "conservative", "replanned", "plan-squared-wait")
    fcfs = float("nan")
    for name in names:
        policy = make_policy(name)
        taken = median(
            replay(workload, policy).seconds for _ in range(1 if name.startswith("plan") else 3)
        )
        fcfs = taken if name == "fcfs" else fcfs
        yield Measurement(
            f"replay under {name}",
            len(workload) / taken,
            "jobs/s",
            fcfs / taken,
            "FCFS",
        )


def measure_searches() -> Iterator[Measurement]:
    """Evaluations per second of the annealing, and the ratio to bare decoding by a linear scan."""
    optimizer = Annealing()
    warm_up(optimizer, WAIT)
    for waiting, evaluations in ((50, 20000), (300, 3000)):
        problem = random_round(waiting, 40)
        arrays, order = problem.arrays, np.random.default_rng(2).permutation(waiting)
        start = np.empty(waiting, dtype=np.int64)

        def search(p: Round = problem, e: int = evaluations) -> None:
            optimizer.optimize(p, WAIT, Budget(evaluations=e), np.random.default_rng(0))

        def scan(
            a: RoundArrays = arrays,
            o: Permutation = order,
            s: IntArray = start,
            e: int = evaluations,
        ) -> None:
            repeat_scan(a, o, s, e)

        mine, reference = best_times(search, scan)
        yield Measurement(
            f"anneal {waiting} jobs",
            evaluations / mine,
            "evaluations/s",
            reference / mine,
            "bare decoding",
        )


def measure_overruns(rounds: int = 300) -> Iterator[Measurement]:
    """Overruns of searches with a budget in seconds, on rounds of 2 to 5,000 waiting jobs, and of up to 100,000.

    CP-SAT gets longer budgets, in which its models can be built; these and the longest rounds are a fifth.
    """
    fifth = -(-rounds // 5)
    for name, seconds, count, longest in (
        ("annealing", 0.02, rounds, 5000),
        ("annealing", 0.5, fifth, 100_000),
        ("cp-sat", 0.02, rounds, 5000),
        ("cp-sat", 0.5, fifth, 5000),
    ):
        overruns = overruns_of(make_optimizer(name), count, seconds, longest)
        for percent in (50, 99, 99.9, 100):
            yield Measurement(
                f"overrun of {name}, up to {longest:,} jobs, p{percent:g}",
                float(np.percentile(overruns, percent)),
                f"% of {1000 * seconds:.0f} ms",
            )


def overruns_of(
    optimizer: Optimizer, rounds: int, seconds: float, longest: int = 5000
) -> list[float]:
    """Overruns (% of the budget) of a search with a time limit on rounds of 2 to ``longest`` waiting jobs."""
    warm_up(optimizer, WAIT)
    rng = np.random.default_rng(3)
    sizes = np.exp(rng.uniform(np.log(2), np.log(longest), rounds)).astype(int)
    overruns = []
    for i, size in enumerate(sizes):
        problem = random_round(int(size), 40, seed=i)
        began = perf_counter()
        optimizer.optimize(problem, WAIT, Budget(seconds=seconds), rng)
        overruns.append(100 * max(0.0, (perf_counter() - began) / seconds - 1))
    return overruns


def measure_long_rounds() -> Iterator[Measurement]:
    """Gains of a second of annealing over the best first plan on long rounds, and what the lower bound allows."""
    optimizer = Annealing()
    warm_up(optimizer, WAIT)
    for waiting in (1000, 5000, 10_000, 100_000):
        problem = random_round(waiting, 40)
        for name in ("wait", "squared-wait", "stretch"):
            objective = OBJECTIVES[name]
            result = optimizer.optimize(
                problem, objective, Budget(seconds=1.0), np.random.default_rng(0)
            )
            about = f"{waiting:,} jobs, {name}"
            gain = 100 * (1 - result.cost / result.seed_cost)
            yield Measurement(f"{about}: gain in 1 s", gain, "%")
            if waiting <= 10_000:  # of more jobs, the bound takes minutes
                room = 100 * (1 - lower_bound(problem, objective) / result.seed_cost)
                yield Measurement(f"{about}: any plan's", room, "% at most")
            yield Measurement(f"{about}: evaluations", float(result.evaluations), "plans")


def bench_workload() -> Workload:
    """The workload to replay if no log is given: 20,000 synthetic jobs."""
    return synthetic_workload(jobs=20000, load=0.7)
