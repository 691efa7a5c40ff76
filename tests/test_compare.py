"""Comparisons: in one process and in several, interrupted, wrong."""

import numpy as np
import pytest

from baselines.catalogue import make_policy
from experiments.compare import Comparison, compare, result
from experiments.portable import packed, unpacked
from experiments.replay import ReplayError
from experiments.synthetic import synthetic_workload
from planner.model import NEVER
from planner.plan import Plan
from tests.builders import trace_of, workload_of

WORKLOAD = synthetic_workload(jobs=120, capacity=32, seed=2, load=0.9)
NAMES = ("fcfs", "easy:smallest-area", "conservative", "plan-wait")


def policies():
    """Make four policies."""
    return [make_policy(name, evaluations=10) for name in NAMES]


def test_the_number_of_processes_changes_nothing():
    """One and two processes give the same traces, in the order in which the policies were given."""
    alone = compare(WORKLOAD, policies(), seed=3)
    together = compare(WORKLOAD, policies(), seed=3, jobs=2)
    assert list(alone.traces) == list(together.traces) == list(NAMES)
    assert alone.unfinished == together.unfinished == ()
    for name in NAMES:
        assert alone.traces[name].start.tolist() == together.traces[name].start.tolist()
    frames = [c.frame().drop(columns="seconds") for c in (alone, together)]
    assert frames[0].equals(frames[1])
    assert alone.metrics == together.metrics


def test_other_policies_change_nothing():
    """A policy's random numbers come from the seed alone."""
    among = compare(WORKLOAD, policies(), seed=3).traces["plan-wait"]
    alone = compare(WORKLOAD, policies()[3:], seed=3).traces["plan-wait"]
    assert among.start.tolist() == alone.start.tolist()


def test_a_comparison_as_a_data_frame():
    """One row a policy."""
    frame = compare(WORKLOAD, policies()[:2]).frame()
    assert frame.index.tolist() == ["fcfs", "easy:smallest-area"]
    assert frame.columns.tolist() == [
        "jobs", "mean_wait", "median_wait", "p95_wait", "max_wait", "mean_bounded_slowdown",
        "mean_stretch", "mean_response", "makespan", "utilisation", "rounds", "seconds",
    ]  # fmt: skip
    assert frame["jobs"].tolist() == [120, 120]
    assert Comparison(WORKLOAD, "requested", 0, {}).frame().empty


def test_what_is_reported_of_a_replay():
    """The policy's name first; rounds and seconds last."""
    told = result(trace_of(workload_of(1, [(0, 1, 5, 5)]), [0]))
    assert list(told)[0] == "policy"
    assert list(told)[-2:] == ["rounds", "seconds"]
    assert (told["policy"], told["jobs"], told["rounds"]) == ("by-hand", 1, 1)


def interrupted(problem, rng):
    """Press Ctrl-C in the fifth hour."""
    raise KeyboardInterrupt


def test_an_interrupt_keeps_what_has_finished():
    """The others are named as unfinished."""
    some = [make_policy("fcfs"), interrupted, make_policy("easy")]
    comparison = compare(WORKLOAD, some)
    assert list(comparison.traces) == ["fcfs"]
    assert comparison.unfinished == ("interrupted", "easy")
    assert comparison.metrics["fcfs"].jobs == 120


def never(problem, rng):
    """Start nothing."""
    return Plan(np.full(len(problem), NEVER))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_policy_that_breaks_the_rules_ends_the_comparison(jobs):
    """With its name, also out of another process."""
    with pytest.raises(ReplayError, match="policy never left 120 jobs waiting"):
        compare(WORKLOAD, [never, make_policy("fcfs")], jobs=jobs)


def test_names_have_to_differ():
    """Rows would be mistaken for one another."""
    with pytest.raises(ValueError, match="policies: fcfs is named more than once"):
        compare(WORKLOAD, [make_policy("fcfs"), make_policy("fcfs")])
    with pytest.raises(ValueError, match="jobs: 0 is not a positive number of processes"):
        compare(WORKLOAD, policies(), jobs=0)


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_reaches_the_end_of_every_replay(jobs):
    """In this process and out of others."""
    told = {}
    compare(WORKLOAD, policies(), jobs=jobs, progress=told.__setitem__)
    assert told == dict.fromkeys(range(4), 120)


def test_kernels_travel_by_name():
    """Another process loads their compiled code instead of compiling it anew."""
    policy = make_policy("easy-sjf")
    again = unpacked(packed(policy))
    assert again == policy
    assert again.decide is policy.decide
    assert again.order is policy.order


def test_functions_without_a_module_travel_as_copies():
    """A policy that was defined on the spot."""
    assert unpacked(packed(lambda problem, rng: 42))(None, None) == 42
