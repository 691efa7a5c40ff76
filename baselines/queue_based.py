"""Policies that work through the queue in an order; their algorithms are in the core (``core/policies``)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from planbatch import _core
from planbatch.baselines.policy import CorePolicy, Policy, Traits
from planbatch.baselines.promise import Promise
from planbatch.planner.arguments import whole
from planbatch.planner.history.history import history_of
from planbatch.planner.model import Workload
from planbatch.planner.optimizer import Result
from planbatch.planner.orders.catalogue import as_order, as_orders, order_text
from planbatch.planner.orders.order import OrderKeys, core_order
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

PLAIN = Traits(draws=False)
KEEPS = Traits(keeps_reservations=True, draws=False)
DUE = Traits(about_deadlines=True, needs_deadlines=True, draws=False)
#: Makes a policy. ``order`` is the order of its queue, of those that backfill around a head also a pair
#: (:func:`as_orders`); ``name`` is what tables call it.
Maker = Callable[..., Policy]
Decide = Callable[[_core.QueueOrder], _core.Policy]


def in_order(name: str, decide: Decide, order: OrderKeys, traits: Traits = PLAIN) -> CorePolicy:
    """Return a policy of the core that works through the queue in an order."""
    return CorePolicy(name, decide(core_order(order)), traits, history_of(order))


def queue_based(base: str, decide: Decide, about: str, *, pairs: bool = False) -> Maker:
    """Return a maker of policies whose only parameter is the order of the queue.

    ``base`` is the name in FCFS order, ``decide(order)`` returns the policy of the core, ``about`` says what it does,
    and with ``pairs`` it takes an order of its own for backfilling (:func:`as_orders`).
    """

    def make(order: str | OrderKeys = "submit", name: str = base) -> Policy:
        keys = as_orders(order) if pairs else as_order(order)
        traits = PLAIN
        if isinstance(order, str):
            parts = order_text(order)
            by_deadline = "earliest-deadline" in (parts.primary, parts.backfilling)
            traits = replace(PLAIN, needs_deadlines=by_deadline)
            name = f"{base}:{parts.display_name}" if name != base else name
        return in_order(name, decide, keys, traits)

    make.__doc__ = about
    return make


def fixed(name: str, core: _core.Policy, about: str, *, traits: Traits = PLAIN) -> Maker:
    """Return a maker of one policy of the core, without parameters."""

    def make() -> Policy:
        return CorePolicy(name, core, traits)

    make.__doc__ = about
    return make


def first_reserved(jobs: int = 2, order: str | OrderKeys = "submit", name: str = "first-reserved") -> CorePolicy:
    """Backfilling around reservations of the first blocked jobs, made anew in every round; with 1 it is EASY.

    Chiang, Arpaci-Dusseau, Vernon: "The Impact of More Accurate Requested Runtimes on Production Job Scheduling
    Performance" (JSSPP 2002). ``jobs`` says how many have a reservation; ``ValueError`` if it is no positive number.
    """
    reserved = whole("first-reserved: jobs", jobs, 1, "jobs")
    return in_order(name, lambda keys: _core.FirstReserved(keys, reserved), as_orders(order))


def selective(factor: float = 2.0, order: str | OrderKeys = "submit", name: str = "selective") -> CorePolicy:
    """Reservations for jobs whose expansion factor (wait + walltime) / walltime exceeds a threshold.

    The others start if they fit now. With a ``factor`` of 0 it is conservative backfilling, with infinity best fit.

    Srinivasan, Kettimuthu, Subramani, Sadayappan: "Selective Reservation Strategies for Backfill Job Scheduling" (JSSPP
    2002).
    """
    return in_order(name, lambda keys: _core.Selective(keys, float(factor)), as_order(order), KEEPS)


def relaxed(omega: float = 0.2, order: str | OrderKeys = "submit", name: str = "relaxed") -> CorePolicy:
    """EASY that may delay the head of the queue by a part of its expected wait.

    A job is backfilled if the head, whose expected start is s, still starts by s + omega (s - submit), and by what this
    was when it was blocked first; with ``omega=0`` it is EASY, and below that a ``ValueError``.

    Ward, Mahood, West: "Scheduling Jobs on Parallel Systems Using a Relaxed Backfill Strategy" (JSSPP 2002).
    """
    if not omega >= 0:
        raise ValueError(f"relaxed: omega: {omega} is negative")
    return in_order(name, lambda keys: _core.Relaxed(keys, float(omega)), as_orders(order))


def slack_based(slack: str = "1d", order: str | OrderKeys = "submit", name: str = "slack") -> CorePolicy:
    """Slack-based backfilling (Talby and Feitelson 1999): jobs may start later than first planned, by a slack.

    A job starts now if, with the others planned again in the order of their starts, none starts later than its first
    planned start plus the slack. The slacks are promises, which the replay checks. The paper's priorities and costs of
    plans are left out.

    ``slack`` is a duration such as ``1d``, walltimes such as ``2x``, or ``12h+1x``; ``ValueError`` if it cannot be
    read. ``order`` is that in which jobs are tried.
    """
    promise = Promise.parse(slack)
    if promise is None or promise.within is not None or promise.by_deadline:
        raise ValueError(f"slack: {slack!r} is no slack, such as 1d, 2x or 12h+1x")
    traits = Traits(draws=False, parameters={"promise": str(promise)})
    return replace(in_order(name, _core.SlackBased, as_order(order), traits), promise=promise)


@dataclass(frozen=True)
class Lookahead(CorePolicy):
    """Lookahead optimising scheduling, for processors only."""

    def for_workload(self, workload: Workload) -> "Lookahead":
        """Return the policy itself; ``ValueError`` if the workload has other resources, or windows."""
        self._check(bool(workload.resources), bool(workload.windows))
        return self

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan | Result:
        """Decide one round."""
        self._check(bool(problem.resources), len(problem.windows.start) > 0)
        return super().__call__(problem, rng)

    def _check(self, resources: bool, windows: bool) -> None:
        if resources or windows:
            what = "further resources" if resources else "windows"
            raise ValueError(f"policy {self.name} supports processors only, and this machine has {what}")


def los(lookahead: int = 50, order: str | OrderKeys = "submit", name: str = "los") -> CorePolicy:
    """Lookahead optimising scheduling (Shmueli and Feitelson 2003): EASY that backfills the set that fills most.

    The set is chosen among the first ``lookahead`` jobs that could be backfilled; ``ValueError`` if that is no positive
    number.
    """
    most = whole("los: lookahead", lookahead, 1, "jobs")
    policy = in_order(name, lambda keys: _core.Lookahead(keys, most), as_order(order))
    return Lookahead(policy.name, policy.core, policy.traits, policy.history)
