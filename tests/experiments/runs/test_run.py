"""The one way to run replays: each once, kept as soon as it is finished; in what order, and pickled how."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from planbatch.baselines.catalogue import POLICIES, make_policy
from planbatch.baselines.policy import policy_name
from planbatch.experiments import Experiment, run_experiment
from planbatch.experiments.replay import task as task_module
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.reproduce.engine import REPLAYS, Run
from planbatch.experiments.runs import run
from planbatch.experiments.runs.run import FinishedReplay, Workers, run_replays
from planbatch.experiments.runs.store import Store
from planbatch.experiments.runs.task import Failure, pack, unpack
from planbatch.experiments.studies.compare import compare
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.transform import scale_load
from planbatch.objectives.catalogue import OBJECTIVES, make_objective
from planbatch.planner.solve import solve
from tests.builders import assert_same, random_round

LOAD = synthetic_workload(jobs=60, capacity=16, seed=1, load=1.2)
TASKS = {
    ("easy", "requested"): ReplayTask(LOAD, make_policy("easy")),
    ("easy", "mixed"): ReplayTask(LOAD, make_policy("easy"), "mixed"),
    ("plan", "requested"): ReplayTask(LOAD, make_policy("plan-wait", evaluations=10)),
}


@pytest.fixture
def replayed(monkeypatch):
    """Give the list of the replays that were really run."""
    done = []
    real = task_module.replay

    def replay(workload, policy, **options):
        done.append((policy_name(policy), options["estimates"]))
        return real(workload, policy, **options)

    monkeypatch.setattr(task_module, "replay", replay)
    return done


def same(trace, other):
    """Whether two traces say the same, to the job, the round and the clock."""
    assert_same(trace, other)
    assert np.array_equal(trace.first_planned, other.first_planned)
    return (trace.policy, trace.seconds, trace.traits) == (other.policy, other.seconds, other.traits)


def stored(folder, **options):
    """Run the tasks with a store; give what came of them by place."""
    store = Store(folder)
    store.check()
    with store.locked():
        return dict(run_replays(list(TASKS.values()), store, **options))


def test_with_and_without_a_store_the_traces_are_the_same(tmp_path):
    """Workload, policy and traits are the task's; only the clock differs between two runs."""
    plain = dict(run_replays(list(TASKS.values())))
    traces = stored(tmp_path)
    again = stored(tmp_path)
    for place, finished in plain.items():
        assert isinstance(finished, FinishedReplay)
        assert_same(finished.trace(), traces[place].trace())
        assert same(traces[place].trace(), again[place].trace())
        assert traces[place].trace().workload is LOAD
        assert traces[place].summary == again[place].summary
        assert finished.summary.keys() == traces[place].summary.keys()


def test_a_second_run_replays_nothing(tmp_path, replayed):
    """It reads all traces, and says so if some are missing."""
    messages = []
    run = Run(tmp_path, notify=messages.append)
    first = run.replays(TASKS)
    assert sorted(replayed) == [("easy", "mixed"), ("easy", "requested"), ("plan-wait", "requested")]
    replayed.clear()
    second = run.replays(TASKS)
    assert replayed == []
    assert list(first) == list(second) == list(TASKS)
    assert all(same(first[key], second[key]) for key in TASKS)
    more = TASKS | {"other": ReplayTask(scale_load(LOAD, 1.1), make_policy("easy"))}
    assert list(run.replays(more)) == list(more)
    assert replayed == [("easy", "requested")]
    assert messages[0] == f"3 of 3 replays are in {tmp_path / REPLAYS} already"
    assert messages[1] == f"3 of 4 replays are in {tmp_path / REPLAYS} already"


def test_the_same_under_two_names_is_run_once(tmp_path, replayed):
    easy = TASKS["easy", "requested"]
    traces = Run(tmp_path, notify=print).replays({"one": easy, "two": replace(easy)})
    assert list(traces) == ["one", "two"]
    assert replayed == [("easy", "requested")]


def broken(problem, rng):
    raise ZeroDivisionError


def test_after_a_failure_only_what_is_missing_runs(tmp_path, replayed):
    """What else there is to run is run and kept, before the failure ends a reproduction."""
    run = Run(tmp_path, notify=print)
    with pytest.raises(ZeroDivisionError):
        run.replays({"broken": ReplayTask(LOAD, broken)} | TASKS)
    replayed.clear()
    run.replays(TASKS)
    assert replayed == []


def test_a_failure_has_every_place_of_its_task():
    """Two names of one replay that fails fail both, and cost no other its result."""
    task = ReplayTask(LOAD, broken)
    outcomes = dict(run_replays([task, TASKS["easy", "requested"], replace(task, label="other")]))
    assert isinstance(outcomes[0], Failure)
    assert isinstance(outcomes[2], Failure)
    assert isinstance(outcomes[1], FinishedReplay)


def test_the_key_says_what_decides_the_outcome_and_nothing_else():
    """Workload, estimates, parameters, seed and the jobs that count; no names."""
    ten = TASKS["plan", "requested"]
    renamed = replace(ten, label="another", description={"title": "x"}, workload=replace(LOAD, name="other"))
    assert renamed.key == ten.key
    others = (
        replace(ten, policy=make_policy("plan-wait", evaluations=11)),
        replace(ten, policy=make_policy("plan-wait", optimizer="tabu", evaluations=10)),
        replace(ten, policy=make_policy("plan-wait", evaluations=10, promise="1h")),
        replace(ten, policy=make_policy("plan-squared-wait", evaluations=10)),
        replace(ten, estimates="actual"),
        replace(ten, seed=1),
        replace(ten, own=(0, 30)),
        replace(ten, workload=scale_load(LOAD, 1.1)),
        replace(ten, code="another"),
    )
    assert len({task.key for task in (ten, *others)}) == 1 + len(others)


def test_the_longest_begins_first_on_several_workers(tmp_path, replayed):
    """With one worker, the order is that of the tasks."""
    tasks = list(TASKS.values())
    threads = Workers(2, "threading")
    list(run_replays(tasks, workers=threads))
    assert replayed[0] == ("plan-wait", "requested")
    replayed.clear()
    list(run_replays(tasks))
    assert replayed[0] == ("easy", "requested")


def test_whoever_asks_for_a_replay_finds_it(tmp_path, replayed):
    """A comparison and an experiment in one folder run each replay once."""
    policies = [make_policy("easy"), make_policy("plan-wait", evaluations=10)]
    first = compare(LOAD, policies, out=tmp_path)
    assert [name for name, _ in replayed] == ["easy", "plan-wait"]
    replayed.clear()
    again = compare(LOAD, policies, out=tmp_path)
    run_experiment(Experiment([LOAD], policies, seeding="plain"), tmp_path)
    assert replayed == []
    assert all(same(first.traces[name], again.traces[name]) for name in first.traces)


def test_without_a_store_a_policy_needs_no_content():
    """Parts that cannot be reported from others matter only if results are kept."""
    easy = make_policy("easy")

    def deep(problem, rng):
        return easy(problem, rng)

    class Odd:
        name = "odd"

        def __init__(self):
            self.part = [deep]
            for _ in range(12):
                self.part = [self.part]

        def __call__(self, problem, rng):
            return deep(problem, rng)

    traces = compare(LOAD, [easy, Odd()]).traces
    assert traces["odd"].start.tolist() == traces["easy"].start.tolist()
    with pytest.raises(ValueError, match="nested too deeply"):
        _ = ReplayTask(LOAD, Odd()).key


# Policies on their way to another process.


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


@pytest.mark.integration
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


# The order in which replays begin.


NAMES = ("fcfs", "easy", "easy-sjf", "plan-wait", "plan-makespan")
SMALL = synthetic_workload(jobs=20, capacity=16)


def tasks_by_name():
    return [ReplayTask(SMALL, make_policy(name)) for name in NAMES]


def test_short_ones_are_begun_first_then_the_longest():
    """After an interrupt there is something; no worker is left alone with a long one."""
    order = [NAMES[index] for index in run._run_order(tasks_by_name())]
    assert sorted(order[:3]) == ["easy", "easy-sjf", "fcfs"]
    assert sorted(order) == sorted(NAMES)


def test_of_equal_replays_the_order_stays():
    """Whether some of them count as quick or not."""
    for n in (9, 20):
        assert run._run_order([ReplayTask(SMALL, make_policy("easy"))] * n) == list(range(n))
