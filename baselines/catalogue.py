"""The policies by the names that the command uses."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from inspect import Parameter, Signature, signature
from typing import Annotated, Any

import numpy as np

from planbatch import _core
from planbatch.baselines.plan_based import PlanBased
from planbatch.baselines.policy import Policy, as_policy
from planbatch.baselines.queue_based import (
    DUE,
    KEEPS,
    Maker,
    first_reserved,
    fixed,
    los,
    queue_based,
    relaxed,
    selective,
    slack_based,
)
from planbatch.baselines.recorded import Recorded
from planbatch.baselines.rollouts import rollouts
from planbatch.baselines.working_time import Calendar, WorkingTimeBackfilling
from planbatch.objectives.catalogue import OBJECTIVE_NAMES, OBJECTIVES
from planbatch.objectives.scenarios import over_scenarios
from planbatch.planner.arguments import short_repr
from planbatch.planner.budget import DEFAULT_EVALUATIONS, DEFAULT_OPTIMIZER
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Optimizer, Result
from planbatch.planner.plan import Plan
from planbatch.planner.registry.registry import Registry, first_sentence
from planbatch.planner.round import Round
from planbatch.planner.settings import Setting

#: A reference to the policy ``plan``: its objective, and whether more follows.
_PLAN = re.compile(r"plan:(?:objective=)?([^,]*)(,?)")


def plan_based(
    *,
    objective: Objective | str,
    optimizer: Annotated[
        Optimizer | str | None,
        Setting(
            "Optimizer of plan-based policies, such as annealing:cooling=0.8; planbatch list optimizers has all.  "
            f"[default: {DEFAULT_OPTIMIZER}]",
            "NAME",
        ),
    ] = None,
    evaluations: Annotated[int | None, Setting(f"Plans evaluated per round.  {DEFAULT_EVALUATIONS}", "N")] = None,
    seconds: Annotated[float | None, Setting("Time limit per round (s), instead of --evaluations.", "S")] = None,
    promise: Annotated[
        str,
        Setting(
            "The latest start that plan-based policies promise each job: its first planned start and a slack such as "
            "0s, 24h, 2x (walltimes); or within:3d of its submission; or deadline.",
            "SLACK",
        ),
    ] = "none",
    scenarios: Annotated[int, Setting("Sampled sets of run times in which they judge plans; 0 for none.", "N")] = 0,
    risk: Annotated[float, Setting("Share of the scenarios, the cheapest, that does not count.", "SHARE")] = 0.0,
    name: str | None = None,
) -> Policy:
    """In every round, search for the plan that costs least, and act on it.

    Parameters
    ----------
    objective : str
        What plans cost.
    name : str, optional
        What tables call it.
    **settings
        The others say what they are in their annotations.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or there is a risk and no scenarios.
    """
    if scenarios or risk:
        if not scenarios:
            raise ValueError(f"risk: {risk:g} is one of scenarios; give their number, such as scenarios=8")
        objective = over_scenarios(objective, scenarios, risk)
    if name is not None:
        name = _PLAN.sub(_short_name, name)
    return PlanBased(
        objective, optimizer or DEFAULT_OPTIMIZER, evaluations=evaluations, seconds=seconds, promise=promise, name=name
    )


def _short_name(match: re.Match[str]) -> str:
    """Return the beginning of a plan-based policy's name for tables: ``plan-wait:`` for ``plan:wait,``."""
    objective, more = match.groups()
    return f"plan-{objective}{(',' if ':' in objective else ':') if more else ''}"


def plan_for(objective: str) -> Maker:
    """Return a maker of plan-based policies for one objective, whose parameters it takes, too."""
    taken = OBJECTIVE_NAMES.parameters(objective)

    def make(name: str | None = None, **settings: Any) -> Policy:
        own = {p.name: settings.pop(p.name) for p in taken if p.name in settings}
        parameters = ",".join(f"{key}={value}" for key, value in own.items())
        cost = f"{objective}:{parameters}" if parameters else objective
        return plan_based(objective=cost, name=name, **settings)

    searches = signature(plan_based).parameters.values()
    own = [Parameter(p.name, Parameter.POSITIONAL_OR_KEYWORD, default=p.default, annotation=p.kind) for p in taken]
    make.__signature__ = Signature([*own, *(p for p in searches if p.name != "objective")])  # type: ignore[attr-defined]
    about = first_sentence(OBJECTIVE_NAMES.documented(OBJECTIVE_NAMES.known[objective]))
    make.__doc__ = f"Plans that minimise {objective}: {about}."
    return make


def working_time(
    *,
    calendar: Annotated[
        str,
        Setting(
            "Working time: hours, days, time zone (by default, the log's) and holidays, such as "
            "9-18:mon-fri:Europe/Stockholm:2002-12-25,2002-12-26.",
            "CALENDAR",
        ),
    ] = "",
) -> Policy:
    """Backfilling that delays jobs that would end outside working time (Le Hai et al. 2020)."""
    return WorkingTimeBackfilling(Calendar.parse(calendar))


def recorded() -> Policy:
    """The log's own schedule, for comparison: nothing is simulated."""
    return Recorded()


#: Policies that take an order after a colon, such as ``easy:smallest-area``.
ORDERED: dict[str, Maker] = {
    "fcfs": queue_based(
        "fcfs", partial(_core.Serve, passes_blocked=False),
        "First come, first served: the first job that does not fit blocks the others.",
    ),
    "easy": queue_based(
        "easy", _core.Easy, "EASY backfilling: jobs may pass the first blocked one if they do not delay it.", pairs=True
    ),
    "replanned": queue_based("replanned", _core.Replanned, "Conservative backfilling, made anew in every round."),
    "best-fit": queue_based(
        "best-fit", partial(_core.Serve, passes_blocked=True),
        "Start every job that fits, in order; large ones may starve.",
    ),
    "bb": queue_based(
        "bb", partial(_core.BackfillBalanced, one_a_round=False),
        "Backfill Balanced (Leinberger et al. 1999): keeps the use of all resources even.",
    ),
    "ibb": queue_based(
        "ibb", partial(_core.ImprovedBackfillBalanced, as_printed=False),
        "Improved Backfill Balanced (Liu et al. 2016).",
    ),
}  # fmt: skip

_SUBMIT = _core.SubmitOrder()
POLICIES: dict[str, Maker] = {
    "fcfs": ORDERED["fcfs"],
    "easy": ORDERED["easy"],
    "easy-sjf": fixed("easy-sjf", _core.Easy(_core.ShortestFirst()), "EASY backfilling with the shortest jobs first."),
    "conservative": fixed(
        "conservative", _core.Conservative(),
        "Conservative backfilling (CBF): every job has a reservation, which only ever becomes earlier.", traits=KEEPS,
    ),
    "replanned": ORDERED["replanned"],
    "best-fit": ORDERED["best-fit"],
    "bb": ORDERED["bb"],
    "bb-one": fixed(
        "bb-one", _core.BackfillBalanced(_SUBMIT, one_a_round=True), "Backfill Balanced that starts one job per round."
    ),
    "ibb": ORDERED["ibb"],
    "ibb-printed": fixed(
        "ibb-printed", _core.ImprovedBackfillBalanced(_SUBMIT, as_printed=True),
        "Improved Backfill Balanced by the letter of its Algorithm 1.",
    ),
    "first-reserved": first_reserved,
    "selective": selective,
    "relaxed": relaxed,
    "slack": slack_based,
    "los": los,
    "rollouts": rollouts,
    "edf": fixed(
        "edf", _core.Easy(_core.EarliestDeadlineFirst()),
        "EASY backfilling with the earliest deadlines first.", traits=DUE,
    ),
    "dbf": fixed(
        "dbf", _core.DeadlineBackfilling(),
        "Deadline-based backfilling (N'takpé and Suter 2017).", traits=DUE,
    ),
    "dbf-2016": fixed(
        "dbf-2016", _core.DeadlineBackfilling(_core.UrgentJobs.ALL_AT_ONCE),
        "Deadline-based backfilling (N'takpé and Suter 2016).", traits=DUE,
    ),
    "wdbf": working_time,
    **{f"plan-{name}": plan_for(name) for name in OBJECTIVES},
}  # fmt: skip
"""Name → maker of the policy, called with the parameters that it takes by name.

Examples
--------
>>> import planbatch as pb
>>> "easy" in pb.POLICIES, "plan-wait" in pb.POLICIES
(True, True)
"""


def _accept(value: Callable[..., Plan | Result] | str, name: str, values: tuple[Any, ...]) -> Policy:
    if isinstance(value, str):
        raise ValueError(f"policy: {value!r} is neither a policy nor a name")
    if not values:
        return as_policy(value)

    def policy(problem: Round, rng: np.random.Generator) -> Plan | Result:
        return value(problem, rng, *values)

    policy.__name__ = name
    return policy


#: The policies by name, packages' and users' own among them.
POLICY_NAMES = Registry(
    "policy",
    # Neither is a policy of its own: one needs an objective, the other decides no rounds.
    {**POLICIES, "plan": plan_based, "recorded": recorded},
    ("problem", "rng"),
    _accept,
    "policies",
    others={("start", "jobs", "now"): "plan:{}", ("jobs", "now"): "easy:{}"},
)


def make_policy(name: str, **settings: Any) -> Policy:
    """Make the policy of a name.

    Parameters
    ----------
    name : str
        One of :data:`POLICIES`, with parameters after a colon: ``easy:smallest-area``,
        ``plan:squared-wait,optimizer=tabu``, ``plan-aged-wait:12h``; or a user's own, ``FILE.py:name``.
    **settings
        Parameters that the name does not give, of those that the policy takes (:func:`settings_for` chooses them from
        a set for several policies):

        - ``optimizer`` (str), ``evaluations`` (int) or ``seconds`` (float): how plan-based policies search in a
          round;
        - ``promise`` (str): what they promise; see :meth:`Promise.parse`;
        - ``calendar`` (str): the working time of ``wdbf``; see :meth:`Calendar.parse`.

    Raises
    ------
    ValueError
        If there is no such policy or order, with the nearest name; if a parameter is out of its range, or the policy
        does not take it.
    TypeError
        If no policy of planbatch has such a parameter.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.make_policy("easy:smallest-area").name
    'easy:smallest-area'
    >>> pb.make_policy("plan-wait", evaluations=200, promise="1h")
    PlanBased(wait by hybrid, 200 evaluations per round, promise 1h)
    >>> pb.make_policy("esay")
    Traceback (most recent call last):
        ...
    ValueError: policy: there is no 'esay'; did you mean easy? Your own is FILE.py:NAME, MODULE:NAME, or an
    entry point in planbatch.policies
    """
    if not isinstance(name, str):
        raise ValueError(f"policy: {short_repr(name)} is not a name")
    check_settings(settings)
    if key := first_unused(settings, name):
        other = "plan-wait" if key in takes("plan-wait") else "wdbf"
        raise ValueError(f"{key}: the policy {name} has no such parameter; {other} has")
    if {"evaluations", "seconds"} & POLICY_NAMES.reference(name).settings.keys():
        # One of the two in the name replaces either of those that serve all policies.
        settings = {k: v for k, v in settings.items() if k not in ("evaluations", "seconds")}
    return POLICY_NAMES.make(name, **settings)  # type: ignore[no-any-return]


def takes(name: str) -> tuple[str, ...]:
    """Return which parameters the policy of a name takes; see :func:`make_policy`."""
    return tuple(p.name for p in POLICY_NAMES.parameters(name) if p.name in SETTINGS)


def settings_for(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of some settings that the policy of a name takes."""
    taken = takes(name)
    return {key: value for key, value in settings.items() if key in taken}


def check_settings(settings: Mapping[str, Any]) -> None:
    """Raise ``TypeError`` for a setting that no policy has."""
    unknown = settings.keys() - SETTINGS.keys()
    if unknown:
        raise TypeError(f"policies take no {min(unknown)}; they take {', '.join(sorted(SETTINGS))}")


def first_unused(settings: Mapping[str, Any], *names: str) -> str | None:
    """Return the first setting that differs from its default and that none of the policies takes, if there is one."""
    for key, value in settings.items():
        if value not in (None, SETTINGS[key]) and not any(key in takes(name) for name in names):
            return key
    return None


#: The makers whose parameters serve a list of policies: as flags, as keys of files and as keywords.
MAKERS: tuple[Maker, ...] = (plan_based, working_time)
#: Every parameter that some policy takes, and its default.
SETTINGS = {
    name: parameter.default
    for make in MAKERS
    for name, parameter in signature(make).parameters.items()
    if name not in ("objective", "name")
}
