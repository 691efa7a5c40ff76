"""The order in which replays begin."""

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.runs import run
from planbatch.experiments.workloads.lublin import synthetic_workload

NAMES = ("fcfs", "easy", "easy-sjf", "plan-wait", "plan-makespan")
LOAD = synthetic_workload(jobs=20, capacity=16)


def tasks():
    """Give a replay under each policy."""
    return [ReplayTask(LOAD, make_policy(name)) for name in NAMES]


def test_the_longest_are_begun_first():
    order = run._longest_first(tasks())
    assert [NAMES[which] for which in order[:2]] == ["plan-wait", "plan-makespan"]
    assert sorted(order) == list(range(len(NAMES)))
