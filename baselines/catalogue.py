"""The policies by the names that the command uses."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from inspect import signature
from typing import Any

from planbatch.baselines.balanced import BalanceSetting, decide_bb, decide_ibb
from planbatch.baselines.conservative import decide_conservative
from planbatch.baselines.dbf import decide_dbf, decide_dbf_2016
from planbatch.baselines.easy import decide_easy
from planbatch.baselines.fcfs import decide_best_fit, decide_fcfs
from planbatch.baselines.plan_based import DEFAULT_EVALUATIONS, PlanBased
from planbatch.baselines.policy import CompiledPolicy, Policy, Traits
from planbatch.baselines.recorded import Recorded
from planbatch.baselines.replanned import decide_replanned
from planbatch.baselines.working_time import Calendar, WorkingTimeBackfilling
from planbatch.objectives.catalogue import OBJECTIVES, PARAMETRIC, make_objective
from planbatch.planner.budget import Budget
from planbatch.planner.names import did_you_mean
from planbatch.planner.objective import Objective

PLAIN = Traits()
DUE = Traits(about_deadlines=True, needs_deadlines=True)


def plan_based(
    objective: Objective,
    *,
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


def queue_based(
    decide: Callable[..., None],
    name: str,
    traits: Traits = PLAIN,
    order: str = "submit",
) -> Policy:
    """Make a policy that works through the queue in an order (see :data:`ORDERS`)."""
    if order == "earliest-deadline":
        traits = replace(traits, needs_deadlines=True)
    return CompiledPolicy(name, decide, order=order, traits=traits)


def working_time(*, calendar: str = "") -> Policy:
    """Make working-time backfilling."""
    return WorkingTimeBackfilling(Calendar.parse(calendar))


#: Policies that take an order after a colon, such as ``easy:smallest-area``.
ORDERED: dict[str, Callable[..., None]] = {
    "fcfs": decide_fcfs,
    "easy": decide_easy,
    "replanned": decide_replanned,
    "best-fit": decide_best_fit,
    "bb": decide_bb,
    "ibb": decide_ibb,
}

#: Name → maker of the policy, called with the parameters that it takes by name.
POLICIES: dict[str, Callable[..., Policy]] = {
    "fcfs": partial(queue_based, decide_fcfs, "fcfs"),
    "easy": partial(queue_based, decide_easy, "easy"),
    "easy-sjf": partial(queue_based, decide_easy, "easy-sjf", order="shortest"),
    "conservative": partial(
        CompiledPolicy, "conservative", decide_conservative, traits=Traits(keeps_reservations=True)
    ),
    "replanned": partial(queue_based, decide_replanned, "replanned"),
    "best-fit": partial(queue_based, decide_best_fit, "best-fit"),
    "bb": partial(queue_based, decide_bb, "bb"),
    "bb-one": partial(
        CompiledPolicy,
        "bb-one",
        decide_bb,
        params=tuple(map(float, BalanceSetting(one_a_round=True))),
    ),
    "ibb": partial(queue_based, decide_ibb, "ibb"),
    "ibb-printed": partial(
        CompiledPolicy,
        "ibb-printed",
        decide_ibb,
        params=tuple(map(float, BalanceSetting(as_printed=True))),
    ),
    "edf": partial(queue_based, decide_easy, "edf", DUE, "earliest-deadline"),
    "dbf": partial(CompiledPolicy, "dbf", decide_dbf, traits=DUE),
    "dbf-2016": partial(CompiledPolicy, "dbf-2016", decide_dbf_2016, traits=DUE),
    "wdbf": working_time,
    **{f"plan-{name}": partial(plan_based, objective) for name, objective in OBJECTIVES.items()},
}


#: Schedules that are named, stored and tabulated like policies, but decide no rounds.
SCHEDULES: dict[str, Callable[..., Policy]] = {"recorded": Recorded}


def make_policy(name: str, **settings: Any) -> Policy:
    """Make the policy of a name.

    Parameters
    ----------
    name : str
        One of :data:`POLICIES`; those in :data:`ORDERED` take an order: ``easy:smallest-area``, and plans for an
        objective with a parameter take that: ``plan-aged-wait:12h``.
    **settings
        Parameters. A policy uses those that it :func:`takes`, and ignores the others, so that one set serves a list
        of policies:

        - ``optimizer`` (str), ``evaluations`` (int) or ``seconds`` (float): how plan-based policies search in a
          round;
        - ``promise`` (str): what they promise; see :meth:`Promise.parse`;
        - ``calendar`` (str): the working time of ``wdbf``; see :meth:`Calendar.parse`.

    Raises
    ------
    ValueError
        If there is no such policy or order, with the nearest name; if a parameter is out of its range.
    TypeError
        If no policy has such a parameter.
    """
    unknown = settings.keys() - SETTINGS
    if unknown:
        raise TypeError(f"policies take no {min(unknown)}; they take {', '.join(sorted(SETTINGS))}")
    make = _maker(name)
    return make(**{key: settings[key] for key in takes(name) if key in settings})


@cache
def takes(name: str) -> tuple[str, ...]:
    """Return which parameters the policy of a name takes; see :func:`make_policy`."""
    return tuple(key for key in signature(_maker(name)).parameters if key in SETTINGS)


def _maker(name: str) -> Callable[..., Policy]:
    """Find what makes the policy of a name."""
    base, colon, behind = name.partition(":")
    known = POLICIES | SCHEDULES
    if base not in known:
        raise ValueError(f"policy: there is no {name!r}; {did_you_mean(base, known)}")
    if not colon:
        return known[base]
    if base.removeprefix("plan-") in PARAMETRIC:
        return partial(plan_based, make_objective(name.removeprefix("plan-")))
    if base in ORDERED:
        return partial(queue_based, ORDERED[base], name, order=behind)
    raise ValueError(f"policy: {base} takes no order; {', '.join(ORDERED)} do")


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


#: Every parameter that some policy takes.
SETTINGS = frozenset(
    name
    for make in (plan_based, working_time)
    for name, parameter in signature(make).parameters.items()
    if parameter.kind is parameter.KEYWORD_ONLY
)
