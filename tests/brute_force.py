"""Exact optima of tiny rounds: every permutation, decoded (for regular objectives they contain an optimal plan)."""

from dataclasses import replace
from itertools import permutations

import numpy as np

from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER
from planbatch.planner.objective import Objective
from planbatch.planner.resources import Resource
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms, terms_cost


def objective_of(terms: Terms) -> Objective:
    cost = lambda start, jobs, now: terms_cost(terms, start)  # noqa: E731
    return Objective("of terms", cost, terms=lambda jobs, now: terms)


def least_cost(problem: Round, terms: Terms) -> float:
    """Of the plans that keep all promises."""
    if not len(problem):
        return 0.0
    orders = [np.array(order) for order in permutations(range(len(problem)))]
    start = np.array([decode(problem, order).start for order in orders])
    start = start[(start <= problem.jobs.latest).all(axis=1)]
    each = terms.weight * np.maximum(0.0, start - terms.origin) ** terms.power
    total = each.max(axis=1) if terms.largest else each.sum(axis=1)
    return float(total.min()) / terms.divisor


def random_round(rng: np.random.Generator, most_jobs: int = 6, horizon: int = 12, capacity: int | None = None) -> Round:
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


def with_resources(problem: Round, rng: np.random.Generator) -> Round:
    """The round with memory, which all jobs take or some, and licences, which few take; some are in use."""
    waiting, running = len(problem), len(problem.running.procs)
    memory, licences = int(rng.integers(1, 12)), int(rng.integers(1, 4))
    least = [int(rng.integers(0, 2)), 0]
    demands = rng.integers(least, [memory + 1, licences + 1], size=(waiting, 2)) * [1, rng.random() < 0.7]
    in_use = np.zeros((running, 2), dtype=np.int64)
    if running:
        in_use[0] = rng.integers(0, [memory + 1, licences + 1])
    return replace(
        problem,
        resources=(Resource("memory", memory), Resource("licences", licences)),
        windows=None,  # type: ignore[arg-type]
        jobs=problem.jobs._replace(demands=demands.astype(np.int64)),
        running=problem.running._replace(demands=in_use),
    )


def with_promises(problem: Round, rng: np.random.Generator) -> Round:
    """The round in which some jobs are promised their starts in the previous plan, or somewhat later ones."""
    planned = decode(problem, rng.permutation(len(problem))).start
    latest = planned + rng.integers(0, 5, size=len(problem))
    latest = np.where(rng.random(len(problem)) < 0.5, latest, NEVER)
    return replace(problem, jobs=problem.jobs._replace(latest=latest), planned=planned)


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
