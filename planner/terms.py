"""Terms: a declarative form of the usual objectives, for methods that need more than their value.

A lower bound, a branch and bound and a solver model cannot look into a cost function. An objective that is a sum, or
the largest, of one term per job declares this with :class:`Terms`, and all of them work on it.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from planbatch.planner.model import NEVER, BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from planbatch.planner.round import Round


class Terms(NamedTuple):
    """The cost of a plan as one term per job: termᵢ = weightᵢ · max(0, startᵢ − originᵢ)^power.

    The cost is Σ termᵢ / divisor, or max termᵢ / divisor if ``largest`` is set. No term ever falls when its job
    starts later, hence such objectives are regular: the permutations contain an optimal plan.

    Attributes
    ----------
    weight : float64 array, shape (n,)
        Weights, 0 or more.
    origin : int64 array, shape (n,)
        Time from which a start costs (s): the submit time for waits, deadline − walltime for tardiness, now − walltime
        for a makespan. ``NEVER`` for a job that costs nothing.
    power : int
        1 or 2.
    divisor : float
        The number of jobs for a mean, 1 for a sum.
    largest : bool
        Whether the largest term counts instead of the sum.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.objectives import WAIT
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> terms = WAIT.terms(problem.jobs, problem.now)
    >>> terms.weight.tolist(), terms.origin.tolist(), terms.power, terms.divisor
    ([1.0, 1.0], [0, 0], 1, 2)
    """

    weight: FloatArray
    origin: IntArray
    power: int = 1
    divisor: float = 1.0
    largest: bool = False


def mean_terms(weight: FloatArray, origin: IntArray, power: int = 1) -> Terms:
    """Return the terms of a mean over all jobs."""
    return Terms(weight, origin, power, max(len(origin), 1))


def jobs_that_count(problem: "Round", terms: Terms) -> BoolArray:
    """Which jobs cost something in some plan, or are promised a start; the others may start after all of these."""
    return (terms.weight > 0) & (terms.origin < NEVER) | (problem.jobs.latest < NEVER)


def terms_of_some(terms: Terms, chosen: BoolArray | IntArray) -> Terms:
    """Return the terms of some of the jobs; the divisor stays that of all."""
    return terms._replace(weight=terms.weight[chosen], origin=terms.origin[chosen])


def order_of_some(start: IntArray, chosen: BoolArray) -> IntArray:
    """Return an order of all jobs in which some come first, in the order of their starts."""
    first = np.full(len(chosen), NEVER)
    first[chosen] = start
    return np.argsort(first, kind="stable")


def equal_jobs(problem: "Round", terms: Terms) -> tuple[IntArray, BoolArray]:
    """Return the jobs, equal ones next to one another by origin: of those, the first is to start first.

    And for each but the first of them, shape (n - 1,), whether it differs from the one before.
    """
    jobs, demands = problem.jobs, problem.demands.T
    alike = np.stack([*demands, jobs.walltime, terms.weight, jobs.latest])
    order = np.lexsort((terms.origin, jobs.latest, terms.weight, jobs.walltime, *demands))
    return order, (alike[:, order[1:]] != alike[:, order[:-1]]).any(axis=0)


def check_terms(terms: Terms, n: int) -> Terms:
    """Return ``terms`` with columns of the types that kernels take; ``ValueError`` names a field out of its range."""
    weight = np.ascontiguousarray(terms.weight, dtype=np.float64)
    origin = np.ascontiguousarray(terms.origin, dtype=np.int64)
    if weight.shape != (n,) or origin.shape != (n,):
        raise ValueError(f"terms: {weight.shape} weights, {origin.shape} origins for {n} jobs")
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError("terms weight: not a finite number, 0 or more")
    if terms.power not in (1, 2):
        raise ValueError(f"terms power: {terms.power} is neither 1 nor 2")
    if not 0 < terms.divisor < float("inf"):
        raise ValueError(f"terms divisor: {terms.divisor} is not a positive number")
    return Terms(weight, origin, int(terms.power), float(terms.divisor), bool(terms.largest))


def terms_cost(terms: Terms, start: IntArray) -> float:
    """Return the cost of the plan with these starts."""
    late = np.maximum(0.0, np.asarray(start, dtype=np.float64) - terms.origin)
    each = terms.weight * late**terms.power
    if not len(each):
        return 0.0
    return float(each.max() if terms.largest else each.sum()) / terms.divisor
