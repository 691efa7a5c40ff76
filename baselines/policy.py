"""The protocol of policies, and policies that are compiled."""

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

import numpy as np
from numba.core.dispatcher import Dispatcher

from planbatch.objectives.wait import mean_wait
from planbatch.planner.checked_orders import OrderError, checked_order, order_name
from planbatch.planner.history import History, follow_nothing, history_of
from planbatch.planner.kernels.native import compiled_for
from planbatch.planner.kernels.signatures import Report, round_types
from planbatch.planner.model import FloatArray
from planbatch.planner.objective import NotFiniteError, ObjectiveError, not_finite
from planbatch.planner.optimizer import Result
from planbatch.planner.orders import as_order, submit_order
from planbatch.planner.plan import Plan
from planbatch.planner.plugins.source import is_users
from planbatch.planner.round import Round


@dataclass(frozen=True)
class Traits:
    """What a policy says about itself; the defaults hold for any function.

    Attributes
    ----------
    searches : bool
        Whether it searches for a plan in its rounds, so that they have evaluations and costs.
    keeps_reservations : bool
        Whether no planned start ever moves to a later time (unless running jobs stay longer than expected).
    about_deadlines : bool
        Whether it looks at deadlines, so that results report on them.
    needs_deadlines : bool
        Whether it makes no sense if no job has a deadline.
    recorded : bool
        Whether its starts are read from a log, in which more may be in use than the machine has.
    draws : bool
        Whether it draws random numbers, so that experiments replay it with every seed.
    parameters : mapping of str to object
        Its own parameters by name, as files and tables show them.
    """

    searches: bool = False
    keeps_reservations: bool = False
    about_deadlines: bool = False
    needs_deadlines: bool = False
    recorded: bool = False
    draws: bool = True
    parameters: Mapping[str, Any] = field(default_factory=dict)


def traits_of(policy: Any) -> Traits:
    """Return what a policy says about itself in its attribute ``traits``; the defaults if it has none."""
    found: Traits = getattr(policy, "traits", None) or Traits()
    return found


def policy_name(policy: Any) -> str:
    """Return what tables call a policy: its ``name``, or that of the function or class."""
    own = getattr(policy, "name", None)
    return str(own or getattr(policy, "__name__", type(policy).__name__).replace("_", "-"))


class Policy(Protocol):
    """Decides a round: ``policy(problem, rng) -> Plan``. Any such callable can be replayed.

    A policy that searches may return the search's :class:`Result`; the replay then records its
    evaluations and costs.

    Jobs that the plan starts at ``problem.now`` are started; the others come back in the next round, with their
    planned starts in ``Round.planned``. A policy keeps no state between rounds.

    It may have more to say: ``name``, what tables call it; ``traits``, see :class:`Traits`; ``promise``, what jobs are
    promised; ``for_workload(workload)``, the policy for one machine; ``compiled_form()``, a :class:`CompiledPolicy`.

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
class CompiledPolicy:
    """A policy whose decision is a kernel: the whole replay runs compiled.

    Attributes
    ----------
    name : str
        What tables call it.
    decide : callable
        ``decide(arrays, order, cost, params, rng, start, report)``, compiled; see ``signatures.RoundTypes``.
    order : callable or str
        The order of the queue, ``keys(jobs, now)`` or a name of :data:`ORDERS`; FCFS by default. If it is not compiled,
        the replay runs interpreted.
    cost : callable
        The cost function of policies that search; others ignore it.
    params : tuple of float
        Whatever else the kernel needs.
    traits : Traits
        What it says about itself.
    history : History, optional
        What the replay keeps up to date for the order; by default, what the order asks for.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> mine = pb.CompiledPolicy("largest first", pb.decide_easy, order="largest-area")
    >>> pb.replay(workload, mine).policy
    'largest first'
    """

    name: str
    decide: Callable[..., None]
    order: Any = submit_order
    cost: Any = mean_wait
    params: tuple[float, ...] = ()
    traits: Traits = Traits()
    history: History | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", as_order(self.order))
        object.__setattr__(self, "history", self.history or history_of(self.order))

    def compiled_form(self) -> "CompiledPolicy | None":
        """The policy itself, or None if its order or its cost is plain Python."""
        compiled = isinstance(self.order, Dispatcher) and isinstance(self.cost, Dispatcher)
        return self if compiled else None

    @property
    def follow(self) -> Any:
        """The kernel of the history, one that does nothing if none is kept."""
        return follow_nothing if self.history is None else self.history.follow

    @property
    def param_array(self) -> FloatArray:
        """The parameters as the kernel takes them."""
        return np.array(self.params, dtype=np.float64)

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan | Result:
        """Decide one round; a policy that searches returns a result, whose seconds are not measured."""
        start = np.empty(len(problem), dtype=np.int64)
        report = empty_report()
        # With NUMBA_DISABLE_JIT, kernels are plain functions already.
        plain = getattr(self.decide, "py_func", self.decide)
        several = bool(problem.resources)
        decide = typed_decision(self.decide, several) if self.compiled_form() else plain
        arrays = problem.arrays._replace(notes=problem.notes.copy())
        try:
            order = checked_order(self.order)
            decide(arrays, order, self.cost, self.param_array, rng, start, report)
        except Exception as error:
            raise explained(error, self, problem.now) from error
        plan = Plan(start, arrays.notes)
        if not self.traits.searches:
            return plan
        return reported_result(plan, report)


def explained(error: Exception, policy: CompiledPolicy, now: int) -> ValueError:
    """Return the error of a user's function that a compiled policy calls, with its name and the round."""
    objective = str(policy.traits.parameters.get("objective", policy.name))
    if isinstance(error, NotFiniteError):
        return not_finite(objective, now)
    if isinstance(error, OrderError):
        return OrderError(f"{error}, in the round at {now}")
    said = f"raised {type(error).__name__} in the round at {now}: {error}"
    frame = traceback.extract_tb(error.__traceback__)[-1]
    order = order_name(policy.order)
    by_order = policy.order is not submit_order and not policy.traits.searches
    if frame.name.replace("_", "-") == order or (by_order and not is_users(frame.filename)):
        return OrderError(f"order {order} {said}")
    if policy.traits.searches:
        return ObjectiveError(f"objective {objective} {said}")
    return ValueError(f"policy {policy.name}: {frame.name} {said}")


def empty_report() -> FloatArray:
    """Return the report of a round before anything is searched; see :class:`Report`."""
    report = np.full(len(Report), np.nan)
    report[Report.EVALUATIONS] = 0.0
    return report


def reported_result(plan: Plan, report: FloatArray, seconds: float = float("nan")) -> Result:
    """Return a plan with what kernels reported of their search, and the seconds that it took."""
    return Result(
        plan,
        plan.order(),
        float(report[Report.COST]),
        float(report[Report.SEED_COST]),
        int(report[Report.EVALUATIONS]),
        seconds=seconds,
        native=True,
    )


@cache
def typed_decision(decide: Any, several: bool) -> Callable[..., None]:
    """A compiled decision for *any* compiled order and cost, so that it is compiled only once.

    ``several`` says whether there are resources besides processors.
    """
    return compiled_for(round_types(several).decide.signature, decide)
