"""What judging plans in eight scenarios costs, against one scenario and against requests alone, in the same run."""

from collections.abc import Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from planbatch.experiments.bench.measure import best_times, random_round
from planbatch.experiments.bench.measurement import Measurement
from planbatch.objectives.wait import SQUARED_WAIT
from planbatch.planner.decoder import Permutation
from planbatch.planner.kernels.decode import JobClasses, classify
from planbatch.planner.kernels.evaluate import decoded_cost, with_futures
from planbatch.planner.kernels.futures import Futures, new_futures
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.profile import room_for
from planbatch.planner.model import IntArray
from planbatch.planner.round import Round, RoundArrays
from planbatch.planner.scenarios import rounded_off, set_future

#: In how many scenarios.
COUNT = 8


@kernel
def repeat_cost(
    arrays: RoundArrays,
    classes: JobClasses,
    cost: Any,
    order: Permutation,
    start: IntArray,
    times: int,
) -> float:
    """Evaluate an order so many times."""
    value = 0.0
    for _ in range(times):
        value = decoded_cost(arrays, classes, cost, order, start)
    return value


def uneven_futures(problem: Round, count: int = COUNT) -> Futures:
    """Scenarios in which every job takes some part of its request, or of what is left of it, up to all."""
    rng = np.random.default_rng(6)
    arrays = problem.arrays
    futures: Futures = new_futures(arrays, count, room_for(arrays, 0), 0.0)
    longest = np.concatenate([arrays.running.end - arrays.now, arrays.jobs.walltime])
    m = len(arrays.running.end)
    for k in range(count):
        drawn = np.maximum(longest * rng.random(len(longest)), 1).astype(np.int64)
        taken = np.array([rounded_off(*pair) for pair in zip(drawn, longest, strict=True)])
        taken[:m] += arrays.now
        set_future(futures, k, arrays, taken)
    return futures


def measure_scenarios() -> Iterator[Measurement]:
    """Evaluations per second in eight scenarios of 20 to 1,000 waiting jobs, against one and against requests alone."""
    for waiting, repeats in ((20, 4000), (50, 2000), (300, 100), (1000, 20)):
        problem = random_round(waiting, 40)
        arrays, classes = problem.arrays, classify(problem.arrays)
        in_eight = with_futures(classes, uneven_futures(problem))
        in_one = with_futures(classes, uneven_futures(problem, 1))
        order = np.random.default_rng(2).permutation(waiting)
        start = np.empty(waiting, dtype=np.int64)
        eight, one, alone = (
            partial(repeat_cost, arrays, known, SQUARED_WAIT.cost, order, start, repeats)
            for known in (in_eight, in_one, classes)
        )
        for call in (eight, one, alone):
            call()
        mine, single, reference = best_times(eight, one, alone, clock=process_time)
        about = f"evaluate {waiting:,} jobs, {COUNT} scenarios"
        yield Measurement(about, repeats / mine, "plans/s")
        yield Measurement(f"{about}: takes", mine / single, "× one scenario")
        yield Measurement(f"{about}: takes", mine / reference, "× requests alone")
