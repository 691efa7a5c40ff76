"""Observing the rounds of a replay: a policy that decides as another one does, and reports its plans."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from planbatch.baselines.policy import Policy, policy_name, traits_of
from planbatch.planner.optimizer import Result
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

#: Receives every round and its plan.
Observer = Callable[[Round, Plan], None]


class Observed:
    """A policy that reports its rounds to an observer; its replay runs interpreted.

    Parameters
    ----------
    policy : Policy
        The deciding policy, bound to its workload.
    observer : callable
        ``observer(problem, plan)``, called after each decision.
    """

    def __init__(self, policy: Policy, observer: Observer) -> None:
        self.policy, self.observer = policy, observer
        self.name = policy_name(policy)
        self.promise = getattr(policy, "promise", None)
        self.history = getattr(policy, "history", None)
        # Recorded starts are not decided in rounds: asked for one, such a policy refuses.
        self.traits = replace(traits_of(policy), recorded=False)

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan | Result:
        """Decide as the policy does, and report the plan."""
        outcome = self.policy(problem, rng)
        self.observer(problem, outcome.plan if isinstance(outcome, Result) else outcome)
        return outcome
