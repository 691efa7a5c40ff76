"""Solving one round: a search for a plan, and a proof of its gap."""

import copy
from dataclasses import replace

import numpy as np

from planbatch.planner.arguments import expect, expect_function, generator, whole
from planbatch.planner.bounds import ITERATIONS, bounded, lower_bound
from planbatch.planner.budget import DEFAULT_OPTIMIZER, ROUND_EVALUATIONS, budget_of
from planbatch.planner.columns import NEVER, Permutation, permutation_of
from planbatch.planner.decoder import decode
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.optimizer import Optimizer, Result, Status
from planbatch.planner.optimizers import as_optimizer, check_supported
from planbatch.planner.plan import Plan
from planbatch.planner.progress import Callback, Watcher
from planbatch.planner.registry.objective import as_objective
from planbatch.planner.round import Round
from planbatch.planner.soundness import checked_search, plan_faults, true_cost
from planbatch.planner.what_if import WhatIf, with_reservation

#: Searches of more seconds end when a bound is reached that is proven before them.
LONG = 1.0


def solve(
    problem: Round,
    objective: Objective | Cost | str,
    optimizer: Optimizer | str = DEFAULT_OPTIMIZER,
    *,
    evaluations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    iterations: int = ITERATIONS,
    first: Plan | Permutation | None = None,
    on_best: Callback | None = None,
    on_progress: Callback | None = None,
) -> Result:
    """Search for a plan of a round; the result carries its lower bound and its gap.

    ``Optimizer.optimize`` is the search alone, for replays of thousands of rounds: proving a bound takes longer than
    most searches. The proof comes after the clock has stopped; ``Result.seconds`` and ``Result.evaluations`` are those
    of the search.

    If the objective declares its terms, the proof is a search, too, of up to 62 jobs that cost something (15 with
    windows): an optimal plan that it finds is the result, whatever the optimizer found. Up to about 15 jobs it mostly
    does.

    Parameters
    ----------
    problem : Round
        The round.
    objective : Objective, function or str
        Cost of plans: an objective, a function ``cost(start, jobs, now)``, or a name. Without terms or a bound of its
        own, the result's bound is NaN, and so is its gap.
    optimizer : Optimizer or str
        The optimizer, or its name.
    evaluations : int, optional
        Plans to evaluate; 8,800 by default, or any number if ``seconds`` are given.
    seconds : float, optional
        Wall-clock time of the search (s). The bound is proven afterwards, in seconds for thousands of jobs. Of more
        than one second, the search ends as soon as a plan is proven optimal, by a bound that is proven before it.
    seed : int
        Seed of the random numbers.
    iterations : int
        Effort for the bound, see :func:`lower_bound`; 0 for a quick one.
    first : Plan or int array, shape (n,), optional
        A plan to start from, or its order: the search starts from it if it is better than its other first plans,
        and the result is never worse.
    on_best, on_progress : callable, optional
        ``callback(progress) -> object``, with a :class:`Progress`: whenever the best plan has changed, and now and then
        (within 0.1 s for ``hybrid`` and ``annealing``). If it returns ``True``, the search ends, with the status
        ``INTERRUPTED``. The bound is proven before the search then.

    Returns
    -------
    Result
        Its status is ``OPTIMAL`` if the bound reaches the cost.

    Raises
    ------
    ValueError
        If there is no objective or no optimizer of that name.
    UnsupportedObjectiveError
        If the optimizer cannot work on the objective.
    ObjectiveError
        If the objective raises, or returns anything but a finite number.
    OptimizerError
        If the optimizer raises, or returns what is no plan of the round or a cost that is not its plan's.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> result = pb.solve(problem, "wait", evaluations=100)
    >>> result.plan.start.tolist(), result.cost, result.gap, result.status.value
    ([50, 0], 25.0, 0.0, 'optimal')
    """
    expect("problem", problem, Round)
    cost, search = as_objective(objective), as_optimizer(optimizer)
    check_supported(search, cost)
    limits, rng = budget_of(evaluations, seconds, ROUND_EVALUATIONS), generator(seed)
    iterations, bound = whole("iterations", iterations), float("nan")
    sampled_cost = cost.for_round(problem, rng)
    first_plan = None if first is None else first_plan_of(problem, first)
    if first_plan is not None:
        problem = replace(problem, planned=first_plan.start)
    for name, call in (("on_best", on_best), ("on_progress", on_progress)):
        expect_function(name, call, "one argument")
    if on_best is not None or on_progress is not None or (seconds is not None and seconds > LONG):
        bound = lower_bound(problem, cost, None, iterations)
        limits = replace(limits, watch=Watcher(bound, on_best, on_progress))
    result = checked_search(search, problem, sampled_cost, limits, rng)
    result = replace(result, lower_bound=float(np.fmax(bound, result.lower_bound)))
    if result.cost <= bound:
        result = replace(result, status=Status.OPTIMAL)
    if first_plan is not None and len(problem):
        price = true_cost(problem, sampled_cost, first_plan.start, first_plan.order())
        if price < result.cost and not plan_faults(problem, first_plan.start):
            result = replace(result, plan=first_plan, permutation=first_plan.order(), cost=price)
    if not (result.status is Status.OPTIMAL and result.lower_bound >= result.cost):
        interrupted = result.status is Status.INTERRUPTED  # whoever presses Ctrl-C wants no long proof
        result = bounded(result, problem, cost, 0 if interrupted else iterations)
    return replace(result, plan=replace(result.plan, problem=problem))


def first_plan_of(problem: Round, first: Plan | Permutation) -> Plan:
    """Return a user's first plan, decoded in its order, which starts no job later.

    Raises ``ValueError`` if it is neither a plan with a start for each waiting job nor an order of them.
    """
    order = first.order() if isinstance(first, Plan) else first
    try:
        return decode(problem, permutation_of(order, problem.ids))
    except ValueError as error:
        raise ValueError(f"first: {error}; give a Plan of the round or an order of its jobs") from None


def what_if(
    problem: Round,
    job: int,
    start: int | None,
    objective: Objective | Cost | str,
    optimizer: Optimizer | str = DEFAULT_OPTIMIZER,
    *,
    evaluations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
) -> WhatIf:
    """Plan a round twice: as it is, and with one job at another start or without it.

    Parameters
    ----------
    problem : Round
        The round.
    job : int
        The id of a waiting job.
    start : int or None
        Its start (s), which the running jobs and the windows must allow; None takes the job out.
    objective, optimizer, evaluations, seconds, seed
        See :func:`solve`; both plans are searched with the same seed.

    Raises
    ------
    ValueError
        If there is no such job, or it cannot start then; see :func:`solve` for others.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=2, now=0, waiting=[(0, 2, 100), (0, 2, 30)])
    >>> pb.what_if(problem, 1, None, "wait").delays.tolist()
    [-30, 0]
    """
    expect("problem", problem, Round)
    whole("job", job)
    if start is not None:
        whole("start", start, None)
    cost, search = as_objective(objective), as_optimizer(optimizer)
    check_supported(search, cost)
    limit, rng = budget_of(evaluations, seconds, ROUND_EVALUATIONS), generator(seed)
    again = copy.deepcopy(rng)
    before = checked_search(search, problem, cost.for_round(problem, rng), limit, rng).plan
    i = problem.index_of(job)
    others = np.arange(len(problem)) != i
    rest = problem.only(others)
    changed = rest if start is None else with_reservation(problem, rest, i, start)
    replanned = checked_search(search, changed, cost.for_round(changed, again), limit, again).plan
    after = np.full(len(problem), NEVER if start is None else start)
    after[others] = replanned.start
    plain = cost.for_round(rest, again)
    costs = [true_cost(rest, plain, starts) for starts in (before.start[others], replanned.start)]
    return WhatIf(int(job), start, replace(before, problem=problem), Plan(after, problem=problem), *costs)
