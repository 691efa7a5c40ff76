"""The policies by the names that the command uses."""

from collections.abc import Callable
from functools import partial

from planbatch.baselines.balanced import AS_PRINTED, ONE_A_ROUND, decide_bb, decide_ibb
from planbatch.baselines.conservative import decide_conservative
from planbatch.baselines.dbf import decide_dbf, decide_dbf_2016
from planbatch.baselines.easy import decide_easy
from planbatch.baselines.fcfs import decide_best_fit, decide_fcfs
from planbatch.baselines.plan_based import DEFAULT_EVALUATIONS, PlanBased
from planbatch.baselines.policy import CompiledPolicy, Policy
from planbatch.baselines.replanned import decide_replanned
from planbatch.baselines.working_time import Calendar, WorkingTimeBackfilling
from planbatch.objectives.catalogue import OBJECTIVES, PARAMETRIC, make_objective
from planbatch.planner.budget import Budget
from planbatch.planner.names import did_you_mean
from planbatch.planner.objective import Objective


def plan_based(
    objective: Objective,
    optimizer: str | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    promise: str = "none",
) -> Policy:
    """Make a plan-based policy; by default, annealing with 100 evaluations per round."""
    if evaluations is None and seconds is None:
        evaluations = DEFAULT_EVALUATIONS
    budget = Budget(seconds=seconds, evaluations=evaluations)
    return PlanBased(objective, optimizer or "annealing", budget, promise)


def queue_based(decide: Callable[..., None], name: str, order: str = "submit") -> Policy:
    """Make a policy that works through the queue in an order (see :data:`ORDERS`)."""
    return CompiledPolicy(name, decide, order=order)


#: Policies that take an order after a colon, such as ``easy:smallest-area``.
ORDERED: dict[str, Callable[..., None]] = {
    "fcfs": decide_fcfs,
    "easy": decide_easy,
    "replanned": decide_replanned,
    "best-fit": decide_best_fit,
    "bb": decide_bb,
    "ibb": decide_ibb,
}

#: Name → maker of the policy.
POLICIES: dict[str, Callable[..., Policy]] = {
    "fcfs": partial(queue_based, decide_fcfs, "fcfs"),
    "easy": partial(queue_based, decide_easy, "easy"),
    "easy-sjf": partial(queue_based, decide_easy, "easy-sjf", "shortest"),
    "conservative": partial(CompiledPolicy, "conservative", decide_conservative),
    "replanned": partial(queue_based, decide_replanned, "replanned"),
    "best-fit": partial(queue_based, decide_best_fit, "best-fit"),
    "bb": partial(queue_based, decide_bb, "bb"),
    "bb-one": partial(CompiledPolicy, "bb-one", decide_bb, params=(float(ONE_A_ROUND),)),
    "ibb": partial(queue_based, decide_ibb, "ibb"),
    "ibb-printed": partial(CompiledPolicy, "ibb-printed", decide_ibb, params=(float(AS_PRINTED),)),
    "edf": partial(queue_based, decide_easy, "edf", "earliest-deadline"),
    "dbf": partial(CompiledPolicy, "dbf", decide_dbf),
    "dbf-2016": partial(CompiledPolicy, "dbf-2016", decide_dbf_2016),
    "wdbf": WorkingTimeBackfilling,
    **{f"plan-{name}": partial(plan_based, objective) for name, objective in OBJECTIVES.items()},
}

#: Policies that look at deadlines.
DEADLINE_POLICIES = frozenset(("edf", "dbf", "dbf-2016", "wdbf"))


def make_policy(
    name: str,
    *,
    optimizer: str | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    promise: str = "none",
    calendar: str = "",
) -> Policy:
    """Make the policy of a name.

    Parameters
    ----------
    name : str
        One of :data:`POLICIES`; those in :data:`ORDERED` take an order (``easy:smallest-area``), and plans for an
        objective with a parameter take the parameter (``plan-aged-wait:12h``).
    optimizer : str, optional
        Which optimizer plan-based policies search with.
    evaluations : int, optional
        Plans that plan-based policies evaluate in a round, besides the first plans.
    seconds : float, optional
        Seconds that plan-based policies search in a round, instead.
    promise : str
        What plan-based policies promise; see :meth:`Promise.parse`.
    calendar : str
        The working time of ``wdbf``; see :meth:`Calendar.parse`.

    Raises
    ------
    ValueError
        If there is no such policy or order (the message suggests the nearest), or a parameter is out of its range.
    """
    base, colon, order = name.partition(":")
    if base not in POLICIES:
        raise ValueError(f"policy: there is no {name!r}; {did_you_mean(base, POLICIES)}")
    if colon and base.removeprefix("plan-") in PARAMETRIC:
        objective = make_objective(name.removeprefix("plan-"))
        return plan_based(objective, optimizer, evaluations, seconds, promise)
    if colon:
        if base not in ORDERED:
            raise ValueError(f"policy: {base} takes no order; {', '.join(ORDERED)} do")
        return queue_based(ORDERED[base], name, order)
    if base.startswith("plan-"):
        return POLICIES[base](optimizer, evaluations, seconds, promise)
    if base == "wdbf":
        return WorkingTimeBackfilling(Calendar.parse(calendar))
    return POLICIES[base]()


def as_policy(policy: Policy | str) -> Policy:
    """Take a policy as it is, or by the name that :func:`make_policy` takes.

    Raises
    ------
    ValueError
        If there is no policy of this name, or it is neither.
    """
    if isinstance(policy, str):
        return make_policy(policy)
    if not callable(policy):
        raise ValueError(f"policy: {policy!r} is neither a policy nor a name")
    return policy
