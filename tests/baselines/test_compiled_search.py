"""A compiled optimizer that is not annealing: its policy is replayed compiled and interpreted alike."""

from dataclasses import dataclass

import numpy as np
import pytest

from planbatch.baselines.plan_based import PlanBased
from planbatch.baselines.promise import Promise
from planbatch.experiments.replay.replay import compiled_form, replay
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives import SQUARED_WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.kernels.decode import classify
from planbatch.planner.kernels.first_plans import FIRST_PLANS, best_first_plan, kept_plan
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.promises import with_feasible_promises
from planbatch.planner.kernels.signatures import Report
from planbatch.planner.optimizer import CompiledSearch
from planbatch.planner.optimizers.greedy import Greedy

NUMBERS = np.arange(len(FIRST_PLANS))


@kernel
def decide_greedy(arrays, order, cost, params, rng, start, report):
    """Take the best first plan."""
    if kept_plan(arrays, params[0] > 0.0, start):
        return
    arrays = with_feasible_promises(arrays)
    found = best_first_plan(arrays, classify(arrays), cost, NUMBERS, np.arange(len(start)), start)
    report[Report.SEED_COST] = found
    report[Report.COST] = found


@dataclass(frozen=True)
class CompiledGreedy(Greedy):
    """Greedy with a kernel of its own."""

    def compiled(self, objective, budget, promised):
        """Any compiled objective will do."""
        if not objective.compiled:
            return None
        return CompiledSearch(decide_greedy, objective.cost, (float(promised),))


@pytest.mark.parametrize("promise", [None, Promise(seconds=3600)])
def test_compiled_and_interpreted_replays_are_equal(promise):
    """Every start, every promise and every cost."""
    workload = synthetic_workload(jobs=150, load=0.9)
    policy = PlanBased(SQUARED_WAIT, CompiledGreedy(), Budget(evaluations=0), promise)
    if compiled_form(policy) is None:
        pytest.skip("kernels are not compiled in this process")
    fast, slow = (replay(workload, policy, compiled=compiled) for compiled in (True, False))
    assert fast.start.tolist() == slow.start.tolist()
    assert fast.promise.tolist() == slow.promise.tolist()
    for name in ("time", "waiting", "started", "evaluations"):
        assert getattr(fast.rounds, name).tolist() == getattr(slow.rounds, name).tolist()
    np.testing.assert_array_equal(fast.rounds.cost, slow.rounds.cost)
    np.testing.assert_array_equal(fast.rounds.seed_cost, slow.rounds.seed_cost)


def test_optimizers_without_a_kernel_are_replayed_interpreted():
    """They need not define ``compiled`` at all."""
    assert compiled_form(PlanBased(SQUARED_WAIT, Greedy(), Budget(evaluations=0))) is None
