"""Policies on their way to another process."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from planbatch.baselines.catalogue import POLICIES, make_policy
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.runs.task import pack, unpack
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives.catalogue import OBJECTIVES, make_objective
from planbatch.planner.solve import solve
from tests.builders import random_round


def test_policies_of_the_core_travel_by_their_arguments():
    """They are equal in the other process."""
    policy = make_policy("easy:shortest/smallest@20h")
    assert unpack(pack(policy)) == policy


def test_functions_without_a_module_travel_as_copies():
    """A policy that was defined on the spot."""
    assert unpack(pack(lambda problem, rng: 42))(None, None) == 42


def results(arguments):
    """Return the starts and costs that policies and objectives give, in this process or in another."""
    policies, objectives, problem, trace = arguments
    starts = [replay(trace.workload, policy).start.tolist() for policy in policies]
    costs = [solve(problem, objective, evaluations=20).cost for objective in objectives]
    return starts, costs, trace.start.tolist(), [policy.name for policy in policies]


def test_all_that_comes_by_name_is_pickled_under_spawn():
    """Plain pickle, another process, the same results."""
    workload = synthetic_workload(jobs=30, capacity=16)
    arguments = (
        [make_policy(name) for name in POLICIES],
        [make_objective(name) for name in OBJECTIVES],
        random_round(9),
        replay(workload, "easy"),
    )
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(results, arguments).result() == results(arguments)
