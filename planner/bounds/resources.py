"""Lower bounds of rounds with several resources or windows, from relaxations with one resource and no windows."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from planbatch.planner.bounds.separable import rounded_up
from planbatch.planner.bounds.staircase import processors_alone
from planbatch.planner.model import MAX_VALUE, IntArray
from planbatch.planner.profile import Profile
from planbatch.planner.round import Round, RunningTable
from planbatch.planner.terms import Terms, terms_cost

#: Factor by which units are refined, per job that takes nothing of a resource.
REFINED = 1000


def alone_bound(problem: Round, terms: Terms) -> float:
    """Return the cost if every job started as if no other waited; 0 if processors are the only resource.

    In that case the bounds of the relaxations include this one already.
    """
    if processors_alone(problem) is problem:
        return 0.0
    profile = Profile(problem)
    walltime = problem.jobs.walltime.tolist()
    start = [profile.earliest(demand, length) for demand, length in zip(problem.demands, walltime, strict=True)]
    total = terms_cost(terms, np.array(start, dtype=np.int64)) * terms.divisor
    return rounded_up(total * (1 - 1e-12), terms)


def relaxations(problem: Round) -> Iterator[Round]:
    """Yield the round once per resource, with that resource in place of the processors, and without windows."""
    alone = processors_alone(problem)
    yield alone
    for k, resource in enumerate(problem.resources):
        demands = problem.jobs.demands[:, k]
        relaxed = single_resource(alone, resource.capacity, demands, problem.running.demands[:, k])
        if relaxed is not None:
            yield relaxed


def single_resource(problem: Round, capacity: int, demands: IntArray, in_use: IntArray) -> Round | None:
    """Return the round with these demands in place of the processors, or None if the numbers get too large.

    A job that takes nothing has to take one unit, since rounds know no other jobs. So units are refined until such jobs
    hardly count, and the capacity is raised by as many units as there are such jobs: every plan of the round remains
    one.
    """
    nothing = int((demands == 0).sum())
    fine = REFINED * nothing if nothing else 1
    if capacity * fine + nothing > MAX_VALUE >> 8 or nothing == len(demands):
        return None
    sizes = np.where(demands == 0, 1, demands * fine)
    taking = in_use > 0
    return replace(
        problem,
        capacity=capacity * fine + nothing,
        jobs=problem.jobs._replace(procs=sizes),
        running=RunningTable(in_use[taking] * fine, problem.running.end[taking]),
    )
