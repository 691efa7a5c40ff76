"""One call for one round: search for a plan, and prove how far from optimal it can be."""

import numpy as np

from planbatch.planner.bounds import ITERATIONS, bounded
from planbatch.planner.budget import Budget
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Optimizer, Result
from planbatch.planner.optimizers import check_supported, make_optimizer, warm_up
from planbatch.planner.round import Round

#: As many evaluations as the preset of Zheng et al. (2016) makes.
EVALUATIONS = 8800


def solve(
    problem: Round,
    objective: Objective,
    optimizer: Optimizer | str = "annealing",
    budget: Budget | None = None,
    rng: np.random.Generator | int = 0,
    *,
    iterations: int = ITERATIONS,
) -> Result:
    """Search for a plan of a round; the result carries its lower bound and its gap.

    ``Optimizer.optimize`` is the search alone, for those who decide rounds by the thousand: proving a bound takes
    longer than most searches. Here kernels are compiled before the clock starts, and the proof comes after it has
    stopped; ``Result.seconds`` is the time of the search.

    Parameters
    ----------
    problem : Round
        The round.
    objective : Objective
        What plans cost. Without terms or a bound of its own, the result's bound is NaN, and so is its gap.
    optimizer : Optimizer or str
        What searches, or its name.
    budget : Budget, optional
        When the search ends; 8,800 evaluations by default.
    rng : numpy Generator or int
        Random numbers, or their seed.
    iterations : int
        See :func:`lower_bound`.

    Returns
    -------
    Result
        Its status is ``OPTIMAL`` where the bound reaches the cost.

    Raises
    ------
    ValueError
        Where there is no optimizer of that name.
    UnsupportedObjectiveError
        Where the optimizer cannot work on the objective.
    ObjectiveError
        Where the objective raises, or returns anything but a finite number.
    """
    search = make_optimizer(optimizer) if isinstance(optimizer, str) else optimizer
    check_supported(search, objective)
    warm_up(search, objective)
    generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
    result = search.optimize(
        problem, objective, budget or Budget(evaluations=EVALUATIONS), generator
    )
    return bounded(result, problem, objective, iterations)
