"""Exact optima of tiny rounds: every permutation, decoded (for regular objectives they contain an optimal plan)."""

import numpy as np

from planbatch.planner.kernels.decode import decode_linear
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.terms import one_term
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms, check_terms


@kernel
def _next_permutation(order):
    """Step to the next permutation in lexicographic order; false after the last."""
    i = len(order) - 2
    while i >= 0 and order[i] > order[i + 1]:
        i -= 1
    if i < 0:
        return False
    j = len(order) - 1
    while order[j] < order[i]:
        j -= 1
    order[i], order[j] = order[j], order[i]
    order[i + 1 :] = order[i + 1 :][::-1].copy()
    return True


@kernel
def _least_cost(arrays, weight, origin, power, largest):
    order = np.arange(len(weight))
    start = np.empty(len(weight), np.int64)
    least = np.inf
    while True:
        decode_linear(arrays, order, start)
        total = 0.0
        for i in range(len(order)):
            each = one_term(weight[i], float(origin[i]), power, float(start[i]))
            total = max(total, each) if largest else total + each
        least = min(least, total)
        if not _next_permutation(order):
            return least


def least_cost(problem: Round, terms: Terms) -> float:
    """The cost of an optimal plan."""
    if not len(problem):
        return 0.0
    weight, origin, power, divisor, largest = check_terms(terms, len(problem))
    return _least_cost(problem.arrays, weight, origin, power, largest) / divisor


def random_round(
    rng: np.random.Generator, most_jobs: int = 6, horizon: int = 12, capacity: int | None = None
) -> Round:
    """A small round with running jobs, past submissions, repeated jobs and odd sizes."""
    capacity = int(rng.integers(1, 12)) if capacity is None else capacity
    now = int(rng.integers(0, 50))
    free, running = capacity, []
    while free and rng.random() < 0.6:
        procs = int(rng.integers(1, free + 1))
        running.append((procs, now + int(rng.integers(1, horizon + 1))))
        free -= procs
    n = int(rng.integers(1, most_jobs + 1))
    shapes = rng.integers(1, [capacity + 1, horizon + 1], size=(n, 2))
    shapes = shapes[rng.integers(0, n, size=n)] if rng.random() < 0.3 else shapes
    submits = np.sort(now - rng.integers(0, 30, size=n))
    deadlines = now + rng.integers(1, 4 * horizon, size=n)
    waiting = [
        (int(submit), int(procs), int(walltime), int(deadline))
        for submit, (procs, walltime), deadline in zip(submits, shapes, deadlines, strict=True)
    ]
    return Round.of(capacity, now, running, waiting)


def many_terms(problem: Round, rng: np.random.Generator) -> dict[str, Terms]:
    """Every kind of terms for a round: sums and largest, linear and squared, weighted or not."""
    jobs, now, n = problem.jobs, problem.now, len(problem)
    late = jobs.deadline - jobs.walltime
    ones = np.ones(n)
    weights = rng.integers(0, 5, size=n) * rng.choice([1.0, 0.37])
    return {
        "wait": Terms(ones, jobs.submit, 1, n),
        "squared wait": Terms(ones, jobs.submit, 2, n),
        "weighted wait": Terms(weights, jobs.submit),
        "tardiness": Terms(ones, late),
        "weighted tardiness": Terms(weights, late, 1, n),
        "squared tardiness": Terms(weights, late, 2),
        "makespan": Terms(ones, now - jobs.walltime, largest=True),
        "largest wait": Terms(ones, jobs.submit, largest=True),
        "largest tardiness": Terms(ones, late, largest=True),
        "largest weighted squared wait": Terms(weights, jobs.submit, 2, largest=True),
    }
