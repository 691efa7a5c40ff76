"""Replays on machines with several resources, and with windows in which a part of the machine is not there."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.baselines.catalogue import POLICIES, make_policy
from planbatch.experiments.replay.checker import check_trace
from planbatch.experiments.replay.replay import ReplayError, replay
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.decoder import decode
from planbatch.planner.plan import Plan
from planbatch.planner.resources import Resource, Window
from tests.builders import trace_of, workload_of, workloads_with_windows

DAY = 86400


def with_memory(jobs=150, windows=()):
    """Give jobs that ask for more processors and more memory than there are."""
    workload = synthetic_workload(jobs, capacity=32, seed=3, load=1.0)
    rng = np.random.default_rng(4)
    demands = np.minimum(rng.integers(0, 20, jobs) * workload.procs, 200)[:, None]
    memory = Resource("memory", 200, "GB")
    return replace(workload, resources=(memory,), demands=demands, windows=tuple(windows))


def maintenance(workload):
    """Give a maintenance of everything, known two days before, a failure, and a reservation of memory."""
    begin = int(workload.submit[0])
    return (
        Window(begin + 3 * DAY, begin + 3 * DAY + 7200, {"processors": 32, "memory": 200}, begin + DAY),
        Window(begin + DAY, begin + DAY + 20_000, {"processors": 12}),
        Window(begin + 2 * DAY, begin + 2 * DAY + 9000, {"memory": 150}, begin),
    )


#: ``los`` supports processors only, and says so.
SEVERAL = [name for name in POLICIES if not name.startswith("plan-") and name != "los"]


@pytest.mark.parametrize("name", SEVERAL)
def test_every_policy_knows_resources_and_windows(name):
    """The trace is valid, and the same from the compiled and the interpreted loop."""
    workload = with_memory()
    workload = replace(workload, windows=maintenance(workload))
    policy = make_policy(name)
    trace = replay(workload, policy)
    assert check_trace(trace) == []


@pytest.mark.parametrize("promise", ["none", "2x"])
def test_plans_know_resources_and_windows(promise):
    """No promise is broken that a window did not make impossible."""
    workload = with_memory()
    policy = make_policy("plan-squared-wait", evaluations=30, promise=promise)
    trace = replay(workload, policy)
    assert check_trace(trace) == []
    broken = replay(replace(workload, windows=maintenance(workload)), policy)
    assert all("promise" in fault or "more" in fault for fault in check_trace(broken))


def test_windows_end_with_a_round():
    """All processors are away from 5 to 9; EASY, which plans nothing, starts the waiting job at 9.

    ::

        2 |A A A A . x x x x B B
        1 |. . . . . x x x x B B
          +---------------------
           0 1 2 3 4 5 6 7 8 9 10
    """
    workload = workload_of(2, [(0, 1, 4), (2, 2, 2)])
    away = Window(5, 9, {"processors": 2}, known=0)
    for name in ("fcfs", "easy", "conservative", "replanned", "plan-wait", "bb", "ibb", "dbf"):
        trace = replay(replace(workload, windows=(away,)), make_policy(name))
        assert trace.start.tolist() == [0, 9], name


def test_a_failure_is_planned_around_once_it_is_known():
    """At 3 one of two processors fails until 20; B, planned for 4, waits until then, and A runs on.

    ::

        2 |A A A A x x x x … x B B
        1 |A A A A C C C C … C B B
          +---------------------
           0 1 2 3 4 5 6 7   19
    """
    jobs = [(0, 2, 4), (1, 2, 2), (1, 1, 16)]
    failing = replace(workload_of(2, jobs), windows=(Window(3, 20, {"processors": 1}),))
    for name in ("conservative", "replanned", "easy", "plan-wait"):
        assert replay(failing, make_policy(name)).start.tolist() == [0, 20, 4], name
    trace = replay(failing, make_policy("plan-wait", promise="none"))
    assert check_trace(trace) == []


def test_windows_that_take_more_than_there_is_stop_no_job_that_takes_nothing_of_it():
    """From 9 to 10 the windows take 7 of 5 licences; the job takes memory alone, and starts."""
    workload = replace(
        workload_of(1, [(9, 1, 5, 3)]),
        resources=(Resource("licences", 5), Resource("memory", 5)),
        demands=np.array([[0, 4]]),
        windows=(Window(2, 10, {"licences": 5}), Window(9, 11, {"licences": 2})),
    )
    for name in ("fcfs", "easy", "conservative", "replanned", "plan-wait"):
        trace = replay(workload, make_policy(name))
        assert trace.start.tolist() == [9], name
        assert check_trace(trace) == []


def test_a_drained_window_stops_no_job_that_takes_nothing_of_it():
    """The first job holds all licences into a window that takes them; the second one takes none, and starts."""
    workload = replace(
        workload_of(2, [(0, 1, 5), (2, 1, 5)]),
        resources=(Resource("licences", 5),),
        demands=np.array([[5], [0]]),
        windows=(Window(1, 10, {"licences": 5}),),
    )
    for name in ("fcfs", "easy", "conservative", "replanned", "plan-wait"):
        assert replay(workload, make_policy(name)).start.tolist() == [0, 2], name


@pytest.mark.parametrize("name", ["fcfs", "easy", "best-fit", "conservative", "replanned", "bb", "plan-wait"])
@given(workload=workloads_with_windows(), estimates=st.sampled_from(["requested", "actual", "mixed"]))
def test_decoder_event_loop_and_checker_agree_on_overlapping_windows(name, workload, estimates):
    """What policies start fits, and the checker finds no fault, whatever windows take together."""
    trace = replay(workload, make_policy(name), estimates=estimates)
    assert check_trace(trace) == []


def from_scratch(problem, rng):
    return decode(problem, np.arange(len(problem)))


@given(workload=workloads_with_windows(), estimates=st.sampled_from(["requested", "actual", "mixed"]))
def test_replanned_starts_jobs_as_decoding_from_scratch_does(workload, estimates):
    """Even where the core continues its last plan."""
    traces = [replay(workload, policy, estimates=estimates) for policy in ("replanned", from_scratch)]
    assert traces[0].start.tolist() == traces[1].start.tolist()


def test_best_fit_starves_the_large_job():
    """Small jobs keep coming, and the job for the whole machine waits for the last of them; EASY starts it at 4."""
    jobs = [(0, 1, 4), (0, 2, 4)] + [(2 + 2 * i, 1, 4) for i in range(10)]
    workload = workload_of(2, jobs)
    assert replay(workload, make_policy("best-fit")).start[1] == 24
    assert replay(workload, make_policy("easy")).start[1] == 4


def test_the_checker_sees_a_resource_that_is_overused():
    """And a window that is ignored by a job that started when it was known; not by one from before."""
    memory = Resource("memory", 10, "GB")
    workload = workload_of(4, [(0, 1, 5), (0, 1, 5)])
    greedy = replace(workload, resources=(memory,), demands=np.array([[6], [5]]))
    assert check_trace(trace_of(greedy, [0, 5])) == []
    assert check_trace(trace_of(greedy, [0, 3])) == ["11 memory are in use at 3, above the capacity of 10"]
    away = replace(workload, windows=(Window(4, 8, {"processors": 3}, known=1),))
    assert check_trace(trace_of(away, [0, 0])) == []
    assert check_trace(trace_of(away, [0, 2])) == [
        "2 processors are in use at 4, above the 1 that the window from 4 leaves"
    ]
    assert check_trace(trace_of(away, [0, 5])) == []


def test_the_checker_adds_up_windows_that_overlap():
    """Each of the two leaves room for the job of two processors, both together do not."""
    windows = (Window(4, 8, {"processors": 2}, known=1), Window(6, 9, {"processors": 1}, known=3))
    workload = replace(workload_of(4, [(0, 2, 5)]), windows=windows)
    assert check_trace(trace_of(workload, [2])) == []
    assert check_trace(trace_of(workload, [3])) == [
        "2 processors are in use at 6, above the 1 that the windows known at 3 leave"
    ]
    assert check_trace(trace_of(workload, [8])) == []


def test_a_job_may_wait_for_the_end_of_a_long_window():
    """The machine is away for days: far longer than all jobs together take."""
    away = Window(1, 5 * DAY, {"processors": 4}, known=0)
    workload = replace(workload_of(4, [(0, 1, 5)]), windows=(away,))
    trace = replay(workload, make_policy("easy"))
    assert trace.start.tolist() == [5 * DAY]
    assert check_trace(trace) == []
    assert check_trace(trace_of(workload, [5 * DAY + 6])) == ["job 1 is never started"]


def test_a_policy_that_ignores_a_window_is_caught():
    """It starts more than the window leaves."""
    workload = replace(workload_of(2, [(0, 2, 2)]), windows=(Window(0, 4, {"processors": 1}),))

    def heedless(problem, rng):
        return Plan(np.full(len(problem), problem.now))

    with pytest.raises(ReplayError, match="started more jobs than fit, in the round at 0"):
        replay(workload, heedless)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"demands": np.array([[11]])}, "job 1: it takes 11 GB of memory, above the capacity of 10 .1 such jobs of 1"),
        ({"windows": (Window(0, 5, {"gpu": 1}),)}, "window 0: the machine has no 'gpu'"),
        ({"windows": (Window(0, 5, {"memory": 11}),)}, r"window memory\[0\]: 11 is above the capacity of 10"),
    ],
)
def test_bad_machines_are_refused(changes, message):
    workload = workload_of(4, [(0, 1, 5)])
    arguments = {"resources": (Resource("memory", 10, "GB"),), "demands": np.array([[1]]), **changes}
    with pytest.raises(ValueError, match=message):
        replace(workload, **arguments)
