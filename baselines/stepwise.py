"""Plans that are made job by job: what learned policies decide."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from planbatch import _core
from planbatch.baselines.policy import Traits
from planbatch.planner.arguments import short_repr, whole
from planbatch.planner.failures import USER_ERRORS, failure
from planbatch.planner.model import IntArray
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

#: How many waiting jobs, the first in FCFS order, may be chosen from.
VISIBLE = 32


class Decision(NamedTuple):
    """What is seen before a decision of a plan that is made job by job.

    Attributes
    ----------
    jobs : float32 array, shape (visible, 6)
        A row per visible job, 0 for jobs that are placed or absent: 1; its processors and its largest share of another
        resource, as a part of the capacity; its walltime, its wait so far, and the time until its earliest start among
        the running and the placed jobs, each as log(1 + seconds) / 20.
    machine : float32 array, shape (6,)
        The share of processors that is free now and in 1, 4 and 24 h; the numbers of waiting and of running jobs, each
        as log(1 + jobs) / 20.
    mask : uint8 array, shape (visible + 1,)
        1 for each choice that is allowed: the index of a job, or at last ``visible``, which ends the round.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.baselines import StepwisePolicy
    >>> def largest(decision, rng):
    ...     return int(decision.jobs[:, 1].argmax())
    >>> pb.replay(pb.synthetic_workload(jobs=100, capacity=16), StepwisePolicy(largest)).policy
    'largest'
    """

    jobs: np.ndarray
    machine: np.ndarray
    mask: np.ndarray


class StepwisePolicy:
    """Makes the plan of a round job by job: a function chooses which waiting job is placed next.

    The chosen job takes its earliest feasible start among the running and the placed jobs: it starts now, or this start
    is reserved for it. The round ends when none of the visible jobs could start now, or when the function says so.

    Parameters
    ----------
    choose : function
        ``choose(decision, rng) -> int``: the index of a visible job, or ``visible`` to end the round; see
        :class:`Decision`.
    visible : int
        How many waiting jobs it may choose from, the first in FCFS order.
    name : str, optional
        What tables call it; by default, the name of the function.

    Raises
    ------
    ValueError
        In a replay, if the function raises, or returns what is not allowed.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.baselines import StepwisePolicy
    >>> def first(decision, rng):
    ...     return int(decision.mask.argmax())
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> bool((pb.replay(workload, StepwisePolicy(first)).start >= workload.submit).all())
    True
    """

    def __init__(
        self, choose: Callable[[Decision, np.random.Generator], int], visible: int = VISIBLE, name: str | None = None
    ) -> None:
        if not callable(choose):
            raise ValueError(f"choose: {short_repr(choose)} is not a function (decision, rng)")
        self.choose, self.visible = choose, whole("visible", visible, 1, "jobs")
        self.name = name or getattr(choose, "__name__", type(choose).__name__).replace("_", "-")
        self.traits = Traits(parameters={"visible": visible})

    def __repr__(self) -> str:
        return f"StepwisePolicy({self.name}, {self.visible} visible jobs)"

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan:
        """Return the plan of a round; jobs that are not placed have no start."""
        plan = _core.StepwisePlan(problem.core, self.visible)
        while plan.is_open:
            decision = Decision(*plan.observe())
            action = self._choose(decision, problem, rng)
            if action == self.visible:
                break
            plan.place(action)
        return Plan(plan.start)

    def _choose(self, decision: Decision, problem: Round, rng: np.random.Generator) -> int:
        """Return what the function chooses, checked."""
        where = f"in the round at {problem.now}"
        try:
            action = self.choose(decision, rng)
        except USER_ERRORS as error:
            raise ValueError(f"policy {self.name}: choose {failure(error, where)}") from error
        whole = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
        if not whole or not 0 <= action <= self.visible or not decision.mask[action]:
            allowed: IntArray = np.flatnonzero(decision.mask)
            raise ValueError(
                f"policy {self.name}: choose returned {action!r} {where}; allowed are {allowed.tolist()} (see mask)"
            )
        return int(action)
