"""Lower bounds of rounds with several resources or windows.

Sums of terms are bounded with rows of capacity of every resource at once, and configurations of one; largest terms by
relaxations with one resource and no windows.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from planbatch.planner.bounds.proof import rounded_up
from planbatch.planner.bounds.staircase import processors_alone
from planbatch.planner.model import MAX_VALUE
from planbatch.planner.profile import Profile
from planbatch.planner.round import Round, RunningTable
from planbatch.planner.terms import Terms, terms_cost

#: Factor by which units are refined, per job that takes nothing of a resource.
REFINEMENT = 1000


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


def sum_relaxations(problem: Round) -> Iterator[tuple[Round, list[int]]]:
    """Yield rounds, each with the columns of its demands that bound a sum of terms, the main one first.

    ``problem`` has no windows. Every resource is the main one once, processors first: among all of them if every job
    takes some of it, alone if not.
    """
    columns = range(problem.demands.shape[1])
    for main in columns:
        if (problem.demands[:, main] > 0).all():
            yield problem, [main, *(k for k in columns if k != main)]
        elif (single := single_resource(problem, main)) is not None:
            yield single, [0]


def relaxations(problem: Round) -> Iterator[Round]:
    """Yield the round once per resource, with that resource in place of the processors, and without windows."""
    yield processors_alone(problem)
    for k in range(1, 1 + len(problem.resources)):
        relaxed = single_resource(problem, k)
        if relaxed is not None:
            yield relaxed


def single_resource(problem: Round, column: int) -> Round | None:
    """Return the round with this column of its demands in place of the processors, or None if numbers get too large.

    A job that takes nothing has to take one unit, since rounds know no other jobs. So units are refined until such jobs
    hardly count, and the capacity is raised by as many units as there are such jobs: every plan of the round remains
    one.
    """
    capacity = int(problem.capacities[column])
    demands, in_use = problem.demands[:, column], problem.in_use[:, column]
    nothing = int((demands == 0).sum())
    fine = REFINEMENT * nothing if nothing else 1
    if capacity * fine + nothing > MAX_VALUE >> 8 or nothing == len(demands):
        return None
    sizes = np.where(demands == 0, 1, demands * fine)
    taking = in_use > 0
    alone = processors_alone(problem)
    return replace(
        alone,
        capacity=capacity * fine + nothing,
        jobs=alone.jobs._replace(procs=sizes),
        running=RunningTable(in_use[taking] * fine, problem.running.end[taking]),
    )
