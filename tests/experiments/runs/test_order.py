"""The order in which replays begin."""

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.runs import run
from planbatch.experiments.workloads.lublin import synthetic_workload

NAMES = ("fcfs", "easy", "easy-sjf", "plan-wait", "plan-makespan")
LOAD = synthetic_workload(jobs=20, capacity=16)


def tasks():
    return [ReplayTask(LOAD, make_policy(name)) for name in NAMES]


def test_short_ones_are_begun_first_then_the_longest():
    """After an interrupt there is something; no worker is left alone with a long one."""
    order = [NAMES[index] for index in run._run_order(tasks())]
    assert sorted(order[:3]) == ["easy", "easy-sjf", "fcfs"]
    assert sorted(order) == sorted(NAMES)


def test_of_equal_replays_the_order_stays():
    """Whether some of them count as quick or not."""
    for n in (9, 20):
        assert run._run_order([ReplayTask(LOAD, make_policy("easy"))] * n) == list(range(n))
