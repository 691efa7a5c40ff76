"""Reservations for some, relaxed and slack-based backfilling, and lookahead: worked by hand, and against references."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.checker import check_reservations, check_trace, recorded_replay
from planbatch.experiments.replay.metrics import promises
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.model import NEVER
from planbatch.planner.resources import Resource
from planbatch.planner.round import Round
from tests import oracles
from tests.baselines import backfilling_references as references
from tests.builders import assert_same, machines_with_jobs, workload_of, workloads_with_windows
from tests.examples import examples

#: A policy, and its reference for one replay.
REFERENCES = {
    "first-reserved:1": lambda: lambda scene: references.first_reserved(scene, 1),
    "first-reserved:3": lambda: lambda scene: references.first_reserved(scene, 3),
    "first-reserved:2,order=sjf": lambda: lambda scene: references.first_reserved(scene, 2, lambda job: job.walltime),
    "selective:1.5": lambda: lambda scene: references.selective(scene, 1.5),
    "selective:3": lambda: lambda scene: references.selective(scene, 3.0),
    "selective:2,order=sjf": lambda: lambda scene: references.selective(scene, 2.0, lambda job: job.walltime),
    "relaxed:0.5": lambda: references.Relaxed(0.5),
    "relaxed:2": lambda: references.Relaxed(2.0),
    "relaxed:1,order=sjf": lambda: references.Relaxed(1.0, lambda job: job.walltime),
    "slack:0s": lambda: references.Slack(0),
    "slack:4s": lambda: references.Slack(4),
    "los:6": lambda: lambda scene: references.los(scene, 6),
    "los:2": lambda: lambda scene: references.los(scene, 2),
}


@pytest.mark.parametrize("name", REFERENCES)
@settings(max_examples=examples(120))
@given(machine=machines_with_jobs(), estimates=st.sampled_from(["requested", "actual", "mixed"]))
def test_replays_equal_the_second_by_second_reference(name, estimates, machine):
    """Thousands of small workloads: every start."""
    capacity, jobs = machine
    expected, _ = oracles.replay_oracle(jobs, capacity, REFERENCES[name](), estimates)
    trace = replay(workload_of(capacity, jobs), name, estimates=estimates)
    assert trace.start.tolist() == expected
    assert faults_of(trace) == []


def faults_of(trace):
    """Check a trace; jobs that run longer than expected, and sudden windows, may make promises impossible."""
    return [fault for fault in check_trace(trace) if "after its promise" not in fault]


BUSY = synthetic_workload(jobs=1500, capacity=64, seed=5, load=1.0)


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("first-reserved:1", "easy"),
        ("first-reserved:1,order=fcfs/sjf", "easy:fcfs/sjf"),
        ("first-reserved:100000", "replanned"),
        ("first-reserved:100000,order=lxf", "replanned:lxf"),
        ("selective:0", "conservative"),
        ("selective:1e9", "best-fit"),
        ("selective:1e9,order=saf", "best-fit:saf"),
        ("relaxed:0", "easy"),
        ("relaxed:0,order=wfp3/sjf", "easy:wfp3/sjf"),
    ],
)
def test_at_the_ends_of_their_scales_they_are_known_policies(name, same):
    for estimates in ("requested", "actual"):
        one = replay(BUSY, name, estimates=estimates)
        assert one.start.tolist() == replay(BUSY, same, estimates=estimates).start.tolist()


def starts(name, capacity, jobs):
    return replay(workload_of(capacity, jobs), name).start.tolist()


def test_two_reservations_protect_the_second_job_too():
    """B is reserved at 4. D would delay C, not B: under EASY it starts at once.

    ::

        easy   3 |D D D D D D D . .        first-reserved:2   3 |. . . . C C C
               2 |A A A A B B . C C                           2 |A A A A B B D …
               1 |A A A A B B . C C                           1 |A A A A B B D
    """
    jobs = [(0, 2, 4), (0, 2, 2), (0, 3, 3), (0, 1, 7)]
    assert starts("easy", 3, jobs) == [0, 4, 7, 0]
    assert starts("first-reserved:2", 3, jobs) == [0, 4, 6, 9]
    assert starts("first-reserved:1", 3, jobs) == [0, 4, 7, 0]


def test_a_reservation_is_made_once_a_job_has_waited_enough():
    """B (2 processors, 4 s) is passed by single ones until (w + 4) / 4 > 1.5: in the round at 3 it gets a reservation.

    A runs until 4, C until 6, D was submitted at 2 and starts at 4, E at 5 may not.
    """
    jobs = [(0, 1, 4), (0, 2, 4), (0, 1, 6), (2, 1, 5), (3, 1, 9)]
    assert starts("selective:1e9", 2, jobs) == [0, 15, 0, 4, 6]
    assert starts("selective:1.5", 2, jobs) == [0, 6, 0, 10, 10]


def test_the_head_may_be_delayed_by_a_part_of_its_expected_wait():
    """B is expected at 10, after a wait of 10 s; C would delay it by 4 s, which is 0.4 of that.

    ::

        relaxed:0.4   2 |C C C C C C C C C C C C C C B B
                      1 |A A A A A A A A A A . . . . B B
    """
    jobs = [(0, 1, 10), (0, 2, 2), (0, 1, 14)]
    assert starts("relaxed:0.4", 2, jobs) == [0, 14, 0]
    assert starts("relaxed:0.39", 2, jobs) == [0, 10, 12]


def test_the_delays_of_several_rounds_do_not_add_up():
    """The head starts by its first expected start, and a part of the wait until then."""
    policy = make_policy("relaxed:0.5")
    latest: dict[int, int] = {}

    def watching(problem, rng):
        plan = policy(problem, rng)
        for job, note in zip(problem.ids.tolist(), plan.policy_state.tolist(), strict=True):
            if note != NEVER:
                assert latest.setdefault(job, note) == note
        return plan

    trace = replay(BUSY, watching)
    assert trace.start.tolist() == replay(BUSY, policy).start.tolist()
    places = {int(job): index for index, job in enumerate(BUSY.id)}
    late = [trace.start[places[job]] - note for job, note in latest.items()]
    assert len(late) >= 50
    assert max(late) <= 0


def test_a_job_may_be_delayed_by_its_slack():
    """B is planned at 4. C, which would delay it by 3 s, starts at 1 if the slack is 3 s."""
    jobs = [(0, 1, 4), (0, 2, 2), (1, 1, 6)]
    assert starts("slack:2s", 2, jobs) == [0, 4, 6]
    assert starts("slack:3s", 2, jobs) == [0, 7, 1]


@pytest.mark.parametrize("slack", ["0s", "30min", "2x"])
def test_no_slack_is_exceeded(slack):
    """Promises are as they are recorded, with requested times and with actual ones."""
    for estimates in ("requested", "actual"):
        trace = replay(BUSY, f"slack:{slack}", estimates=estimates)
        assert promises(trace)["promises"] == len(BUSY)
        assert promises(trace)["promises_broken"] == 0


def test_lookahead_fills_the_machine():
    """Three processors are free until 4: EASY takes C and leaves one idle, LOS takes D and E.

    ::

        easy   4 |C C C C B B        los   4 |D D D D B B
               3 |C C C C B B              3 |D D D D B B
               2 |. . . . B B              2 |E E E E B B
               1 |A A A A B B              1 |A A A A B B
    """
    jobs = [(0, 1, 4), (0, 4, 2), (0, 2, 4), (0, 2, 4), (0, 1, 4)]
    assert starts("los", 4, jobs) == [0, 4, 0, 6, 0]
    jobs = [(0, 1, 4), (0, 4, 2), (0, 1, 4), (0, 3, 4)]
    assert starts("easy", 4, jobs) == [0, 4, 0, 6]
    assert starts("los", 4, jobs) == [0, 4, 6, 0]


def test_lookahead_counts_the_extra_processors():
    """Long jobs share what the head leaves: one of D and E; the shorter C takes the rest until the shadow time."""
    jobs = [(0, 2, 4), (0, 5, 2), (0, 2, 4), (0, 1, 9), (0, 1, 9)]
    assert starts("los", 6, jobs) == [0, 4, 0, 0, 6]


def test_large_machines_are_counted_in_units():
    """Sizes of 4,096 and multiples, on a machine of a million: the table has few entries."""
    unit = 4096
    jobs = [(0, 100 * unit, 4), (0, 256 * unit, 2), (0, 100 * unit, 4), (0, 56 * unit, 4), (0, 156 * unit, 4)]
    assert starts("los", 256 * unit, jobs) == [0, 4, 0, 0, 6]


@settings(max_examples=examples(60))
@given(workloads_with_windows(), st.sampled_from(["first-reserved:2", "selective:1.5", "relaxed:1", "slack:2s"]))
def test_several_resources_and_windows(workload, name):
    """Traces are sound, stepped and in one go alike."""
    trace = replay(workload, name)
    assert faults_of(trace) == []
    assert_same(trace, recorded_replay(workload, make_policy(name))[0])


def test_lookahead_refuses_further_resources_and_windows():
    policy = make_policy("los")
    with pytest.raises(ValueError, match="los supports processors only, and this machine has windows"):
        policy(Round.of(4, 0, [], [(0, 1, 1)], windows=[(5, 6, 1)]), np.random.default_rng(0))
    memory = [Resource("memory", 3)]
    with pytest.raises(ValueError, match="and this machine has further resources"):
        policy(Round.of(4, 0, [], [(0, 1, 1)], resources=memory), np.random.default_rng(0))


def test_reservations_of_selective_backfilling_only_become_earlier():
    trace, rounds = recorded_replay(BUSY, make_policy("selective:2"))
    assert check_trace(trace) == []
    assert check_reservations(rounds) == []


# EASY with one order for the head of the queue and another for backfilling, and with a threshold.


#: Orders of a waiting job, for oracles.
KEYS = {"fcfs": lambda job: 0.0, "sjf": lambda job: job.walltime, "largest": lambda job: -job.procs}


def test_the_head_is_the_first_come_and_the_shortest_is_backfilled():
    """B is the head of the queue; of C and D, which both end by its shadow time, only one fits: the shorter one.

    ::

        fcfs/sjf   2 |D D C C C C B B        fcfs   2 |C C C C D D B B        sjf   2 |D D B B C C C C
                   1 |A A A A A A B B               1 |A A A A A A B B              1 |A A A A A A B B …
                     +----------------                +----------------               +----------------
    """
    jobs = [(0, 1, 6), (1, 2, 2), (1, 1, 4), (1, 1, 2)]

    def starts(policy: str) -> list[int]:
        return replay(workload_of(2, jobs), policy).start.tolist()

    assert starts("easy") == [0, 6, 1, 8]
    assert starts("easy:fcfs/sjf") == [0, 6, 8, 1]
    assert starts("easy:sjf") == [0, 6, 8, 1]
    jobs = [(0, 2, 6), (1, 2, 4), (1, 2, 2)]
    assert starts("easy:fcfs/sjf") == [0, 6, 10]
    assert starts("easy:sjf/fcfs") == [0, 8, 6]


def test_a_job_that_has_waited_longer_than_the_threshold_is_the_head():
    """Short jobs keep passing the long job B until it has waited for more than 5 s.

    One processor; B asks for 9 s, the others for 3::

        sjf      |A A A|C C C|D D D|E E E|B …
        sjf@5s   |A A A|C C C|B …
                  0     3     6     9
    """
    jobs = [(0, 1, 3), (0, 1, 9), (2, 1, 3), (5, 1, 3), (8, 1, 3)]

    def starts(policy: str) -> list[int]:
        return replay(workload_of(1, jobs), policy).start.tolist()

    assert starts("easy:sjf") == [0, 12, 3, 6, 9]
    assert starts("easy:sjf@5s") == [0, 6, 3, 15, 18]
    assert starts("easy:sjf@6s") == [0, 9, 3, 6, 18]


@given(
    machines_with_jobs(),
    st.sampled_from(sorted(KEYS)),
    st.sampled_from(sorted(KEYS)),
    st.sampled_from([None, 3]),
    st.sampled_from(["requested", "actual", "mixed"]),
)
def test_like_the_reference(example, primary, backfilling, threshold, estimates):
    """Second by second, in plain Python."""
    capacity, jobs = example

    def decide(scene):
        def key(order):
            def of(job):
                late = threshold is not None and scene.now - job.submit > threshold
                return (0, 0.0) if late else (1, KEYS[order](job))

            return of

        return oracles.easy(scene, key(primary), key(backfilling))

    at = "" if threshold is None else f"@{threshold}s"
    expected, _ = oracles.replay_oracle(jobs, capacity, decide, estimates)
    policy = make_policy(f"easy:{primary}/{backfilling}{at}")
    trace = replay(workload_of(capacity, jobs), policy, estimates=estimates)
    assert trace.start.tolist() == expected


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "my.py"
    path.write_text("def slow(jobs, now, power=1):\n    return -(jobs.walltime ** power)\n")
    return path


def test_users_orders_stand_in_pairs(mine):
    """With parameters and a threshold; tables leave the folder out."""
    workload = workload_of(2, [(0, 1, 6), (1, 2, 2), (1, 1, 4), (1, 1, 2), (2, 1, 3)])
    policy = make_policy(f"easy:fcfs/{mine}:slow:power=2@1h")
    assert policy.name == "easy:fcfs/slow:power=2@1h"
    theirs = replay(workload, "easy:fcfs/longest")
    assert replay(workload, policy).start.tolist() == theirs.start.tolist()
    assert make_policy(f"easy:{mine}:slow/{mine}:slow").name == "easy:slow/slow"


def test_a_pair_by_deadlines_needs_deadlines():
    assert make_policy("easy:fcfs/earliest-deadline").traits.needs_deadlines
    assert not make_policy("easy:fcfs/sjf").traits.needs_deadlines
