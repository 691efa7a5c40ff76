"""The protocol of policies, and policies of the compiled core."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from planbatch import _core
from planbatch.baselines.promise import Promise
from planbatch.planner.arguments import short_repr
from planbatch.planner.history.history import History
from planbatch.planner.names import create
from planbatch.planner.optimizer import Result
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round


@dataclass(frozen=True)
class Traits:
    """What a policy is; the defaults hold for any function."""

    searches: bool = False  # whether it searches for a plan in its rounds, so that they have evaluations and costs
    #: Whether no planned start ever moves to a later time (unless running jobs stay longer than expected).
    keeps_reservations: bool = False
    about_deadlines: bool = False  # whether it looks at deadlines, so that results report on them
    needs_deadlines: bool = False  # whether it makes no sense if no job has a deadline
    recorded: bool = False  # whether its starts are read from a log, in which more may be in use than the machine has
    draws: bool = True  # whether it draws random numbers, so that experiments replay it with every seed
    timed: bool = False  # whether a time limit ends its searches, so that its decisions depend on the machine
    #: Roughly how long its decisions take per job, in some unit: the order of tasks and progress follow it.
    effort: float | None = None
    #: Its own parameters by name, as files and tables show them.
    parameters: Mapping[str, Any] = field(default_factory=dict)


def traits_of(policy: object) -> Traits:
    """Return the attribute ``traits`` of a policy; the defaults if it has none."""
    traits: Traits = getattr(policy, "traits", None) or Traits()
    return traits


def effort_of(policy: object) -> float:
    """Return roughly how long a policy's decisions take per job; see :class:`Traits`."""
    effort = traits_of(policy).effort
    if effort is not None:
        return effort
    return 1000.0 if core_form(policy) is None else 5.0


def policy_name(policy: object) -> str:
    """Return what tables call a policy: its ``name``, or that of the function or class."""
    own = getattr(policy, "name", None)
    return str(own or getattr(policy, "__name__", type(policy).__name__).replace("_", "-"))


class Policy(Protocol):
    """Decides a round: ``policy(problem, rng) -> Plan``. Any such callable can be replayed.

    A policy that searches may return the search's :class:`Result`; the replay then records its
    evaluations and costs.

    Jobs that the plan starts at ``problem.now`` are started; the others come back in the next round, with their
    planned starts in ``Round.planned``. A policy keeps no state between rounds.

    Optional attributes: ``name``, what tables call it; ``traits``, see :class:`Traits`; ``promise``, what jobs are
    promised; ``for_workload(workload)``, the policy for one machine; ``core_form()``, a :class:`CorePolicy`;
    ``search(problem, rng)``, which makes a plan even if nothing can start now, and keeps promises: for live clusters.

    Examples
    --------
    >>> import numpy as np
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> def shortest_first(problem, rng):
    ...     return pb.decode(problem, np.argsort(problem.jobs.walltime, kind="stable"))
    >>> pb.replay(workload, shortest_first).policy
    'shortest-first'
    """

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan | Result:
        """Return the plan for a round."""
        ...


@dataclass(frozen=True)
class CorePolicy:
    """A policy whose decision is in the compiled core, so that whole replays run there.

    Attributes
    ----------
    name : str
        What tables call it.
    core : _core.Policy
        What decides.
    traits : Traits
        Its traits.
    history : History, optional
        What the replay updates for it.
    promise : Promise, optional
        What jobs are promised.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> mine = pb.make_policy("easy:largest-area")
    >>> pb.replay(workload, mine).policy
    'easy:largest-area'
    """

    name: str
    core: _core.Policy
    traits: Traits = Traits()
    history: History | None = None
    promise: Promise | None = None

    def __repr__(self) -> str:
        return f"CorePolicy({self.name}{f', promise {self.promise}' if self.promise else ''})"

    def core_form(self) -> "CorePolicy":
        """Return the policy itself."""
        return self

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan | Result:
        """Decide one round; a policy that searches returns a result, whose seconds are not measured."""
        start, policy_state, evaluations, seed_cost, cost = self.core.decide(problem.core, rng)
        plan = Plan(start, policy_state)
        if not self.traits.searches:
            return plan
        return Result(plan, plan.order(), cost, seed_cost, evaluations, seconds=float("nan"), native=True)


def core_form(policy: object) -> CorePolicy | None:
    """Return a policy as the compiled core decides it, or None if it is plain Python."""
    form = getattr(policy, "core_form", None)
    return None if form is None else form()


def as_policy(policy: Policy | str) -> Policy:
    """Take a policy as it is, or by the name that :func:`make_policy` takes; ``ValueError`` if it is neither."""
    if isinstance(policy, str):
        return create("policy", policy)  # type: ignore[no-any-return]
    if isinstance(policy, type):
        raise ValueError(f"policy: {policy.__name__} is a class; give an object of it")
    if not callable(policy):
        raise ValueError(f"policy: {short_repr(policy)} is neither a policy nor a name")
    try:
        inspect.signature(policy).bind(None, None)
    except TypeError:
        raise ValueError(
            f"policy {policy_name(policy)}: it does not take two arguments; a policy is policy(problem, rng)"
        ) from None
    except ValueError:  # of the core, without a signature
        pass
    return policy


def calls_python(core: object) -> bool:
    """Return whether an object of the core calls a function in plain Python, directly or through its parts."""
    if getattr(core, "calls_python", False):
        return True
    if isinstance(core, list | tuple):
        return any(map(calls_python, core))
    return type(core).__module__ == _core.__name__ and calls_python(core.__reduce__()[1])
