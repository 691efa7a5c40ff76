"""The order in which replays begin, if kernels have to be compiled first."""

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.results import run
from planbatch.experiments.workloads.lublin import synthetic_workload

NAMES = ("fcfs", "easy", "easy-sjf", "plan-wait", "plan-makespan")
LOAD = synthetic_workload(jobs=20, capacity=16)


def tasks():
    """Give a replay under each policy."""
    return [ReplayTask(LOAD, make_policy(name)) for name in NAMES]


def test_the_longest_are_begun_first():
    """Nothing is to be compiled."""
    order = run._order(tasks(), [None] * len(NAMES))
    assert [NAMES[which] for which in order[:2]] == ["plan-wait", "plan-makespan"]
    assert sorted(order) == list(range(len(NAMES)))


def test_each_kernel_is_compiled_once_before_replays_that_wait_for_it():
    """Two plans share a kernel, and so do EASY and EASY-SJF: the second of each comes last."""
    order = run._order(tasks(), ["fcfs", "easy", "easy", "plan", "plan"])
    assert [NAMES[which] for which in order] == [
        "plan-wait",
        "fcfs",
        "easy",
        "plan-makespan",
        "easy-sjf",
    ]


def test_a_line_says_what_is_compiled_and_how_long_it_takes(monkeypatch):
    """Each kernel under the first policy that needs it; nothing is said if there is none."""
    said = []
    kernels = dict(zip(NAMES, ("fcfs", "easy", "easy", "plan", "plan"), strict=True))
    monkeypatch.setattr(run, "kernel_to_compile", lambda policy, several: kernels[policy.name])
    run._kernels_to_compile(tasks(), said.append)
    seconds = run.LOOP_SECONDS + 2 * run.QUEUE_SECONDS + run.SEARCH_SECONDS
    assert said == [
        f"compiling kernels for fcfs, easy, plan-wait: usually about {seconds} s of a processor; "
        "later runs load them from disk"
    ]
    monkeypatch.setattr(run, "kernel_to_compile", lambda policy, several: None)
    run._kernels_to_compile(tasks(), said.append)
    assert len(said) == 1
