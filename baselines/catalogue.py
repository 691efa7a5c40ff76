"""The policies by the names that the command uses."""

from collections.abc import Callable
from difflib import get_close_matches
from functools import partial

from baselines.conservative import decide_conservative
from baselines.easy import decide_easy
from baselines.fcfs import decide_fcfs
from baselines.policy import CompiledPolicy, Policy
from baselines.replanned import decide_replanned
from objectives import MAKESPAN, SQUARED_WAIT, WAIT
from planner.annealing import decide_plan
from planner.objective import Objective
from planner.orders import ORDERS

DEFAULT_EVALUATIONS = 100


def plan_based(name: str, objective: Objective, evaluations: int | None = None) -> Policy:
    """Placeholder of the plan-based policy."""
    count = DEFAULT_EVALUATIONS if evaluations is None else evaluations
    params = (float(count), 0.001, 1e-5, 0.9, 20.0, 1.0, 1.0)
    return CompiledPolicy(name, decide_plan, cost=objective.cost, params=params)


def queue_based(decide: Callable[..., None], name: str, order: str = "submit") -> Policy:
    """Make a policy that works through the queue in an order (see ``planner.orders.ORDERS``)."""
    if order not in ORDERS:
        raise ValueError(f"policy {name}: there is no order {order!r}; {_hint(order, ORDERS)}")
    return CompiledPolicy(name, decide, order=ORDERS[order])


#: Policies that take an order behind a colon, such as ``easy:smallest-area``.
ORDERED: dict[str, Callable[..., None]] = {
    "fcfs": decide_fcfs,
    "easy": decide_easy,
    "replanned": decide_replanned,
}

#: Name → maker of the policy.
POLICIES: dict[str, Callable[..., Policy]] = {
    "fcfs": partial(queue_based, decide_fcfs, "fcfs"),
    "easy": partial(queue_based, decide_easy, "easy"),
    "easy-sjf": partial(queue_based, decide_easy, "easy-sjf", "shortest"),
    "conservative": partial(CompiledPolicy, "conservative", decide_conservative),
    "replanned": partial(queue_based, decide_replanned, "replanned"),
    "plan-wait": partial(plan_based, "plan-wait", WAIT),
    "plan-squared-wait": partial(plan_based, "plan-squared-wait", SQUARED_WAIT),
    "plan-makespan": partial(plan_based, "plan-makespan", MAKESPAN),
}


def _hint(name: str, known: dict[str, object] | dict[str, Callable[..., Policy]]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"choose one of {', '.join(known)}"


def make_policy(
    name: str,
    *,
    optimizer: str | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
) -> Policy:
    """Make the policy of a name.

    Parameters
    ----------
    name : str
        One of :data:`POLICIES`; those in :data:`ORDERED` take an order: ``easy:smallest-area``.
    optimizer : str, optional
        Which optimizer plan-based policies search with.
    evaluations : int, optional
        Plans that plan-based policies evaluate in a round, after the seeds.
    seconds : float, optional
        For how long plan-based policies search in a round, instead.

    Raises
    ------
    ValueError
        Where there is no such policy or order, with the nearest name; or a parameter is out of its range.
    """
    if evaluations is not None and evaluations < 0:
        raise ValueError(f"evaluations: {evaluations} is negative")
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds: {seconds} is not a positive time")
    base, colon, order = name.partition(":")
    if base not in POLICIES:
        raise ValueError(f"policy: there is no {name!r}; {_hint(base, POLICIES)}")
    if colon:
        if base not in ORDERED:
            raise ValueError(f"policy: {base} takes no order; {', '.join(ORDERED)} do")
        return queue_based(ORDERED[base], name, order)
    if base.startswith("plan-"):
        return POLICIES[base](evaluations=evaluations)
    return POLICIES[base]()
