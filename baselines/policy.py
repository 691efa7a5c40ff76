"""The protocol of policies, and policies that are compiled."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numba.core.dispatcher import Dispatcher

from planbatch.objectives.wait import mean_wait
from planbatch.planner.kernels.native import compiled_for
from planbatch.planner.kernels.signatures import DECIDE
from planbatch.planner.model import FloatArray
from planbatch.planner.optimizer import Result
from planbatch.planner.orders import as_order, submit_order
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round


class Policy(Protocol):
    """Decides a round: ``policy(problem, rng) -> Plan``. Any such callable can be replayed.

    A policy that searches may return the search's :class:`Result`; the replay then records its
    evaluations and costs.

    Jobs that the plan starts at ``problem.now`` are started; the others come back in the next round, with their
    planned starts in ``Round.planned``. A policy keeps no state between rounds.
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
        ``decide(arrays, order, cost, params, rng, start, report)``, compiled; see ``signatures.DECIDE``.
    order : callable or str
        The order of the queue, ``keys(jobs, now)`` or a name of :data:`ORDERS`; FCFS by default. If it is not compiled,
        the replay runs interpreted.
    cost : callable
        The cost function of policies that search; others ignore it.
    params : tuple of float
        Further parameters of the kernel.
    """

    name: str
    decide: Callable[..., None]
    order: Any = submit_order
    cost: Any = mean_wait
    params: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", as_order(self.order))

    def compiled_form(self) -> "CompiledPolicy | None":
        """The policy itself, or None if its order or its cost is plain Python."""
        compiled = isinstance(self.order, Dispatcher) and isinstance(self.cost, Dispatcher)
        return self if compiled else None

    @property
    def param_array(self) -> FloatArray:
        """The parameters as the kernel takes them."""
        return np.array(self.params, dtype=np.float64)

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan:
        """Decide one round."""
        start = np.empty(len(problem), dtype=np.int64)
        report = np.zeros(3)
        # With NUMBA_DISABLE_JIT, kernels are plain functions already.
        plain = getattr(self.decide, "py_func", self.decide)
        decide = typed_decision(self.decide) if self.compiled_form() else plain
        arrays = problem.arrays._replace(notes=problem.notes.copy())
        decide(arrays, self.order, self.cost, self.param_array, rng, start, report)
        return Plan(start, arrays.notes)


@cache
def typed_decision(decide: Any) -> Callable[..., None]:
    """A compiled decision for *any* compiled order and cost, so that it is compiled only once."""
    return compiled_for(DECIDE.signature, decide)
