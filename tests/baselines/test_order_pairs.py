"""EASY with one order for the head of the queue and another for backfilling, and with a threshold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay
from tests import oracles
from tests.builders import machines_with_jobs, workload_of
from tests.contracts.policy_contract import PolicyContract

#: Orders of a waiting job, for oracles.
BY = {"fcfs": lambda job: 0.0, "sjf": lambda job: job.walltime, "largest": lambda job: -job.procs}


class TestPair(PolicyContract):
    """A pair with a threshold is a policy like any other."""

    @pytest.fixture(params=["easy:fcfs/sjf", "easy:lxf/saf@2h", "fcfs:saf@1h", "replanned:wfp3@1h"])
    def policy(self, request):
        return make_policy(request.param)


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
    st.sampled_from(sorted(BY)),
    st.sampled_from(sorted(BY)),
    st.sampled_from([None, 3]),
    st.sampled_from(["requested", "actual", "mixed"]),
)
def test_like_the_reference(drawn, primary, backfilling, threshold, estimates):
    """Second by second, in plain Python."""
    capacity, jobs = drawn

    def decide(scene):
        def key(order):
            def of(job):
                late = threshold is not None and scene.now - job.submit > threshold
                return (0, 0.0) if late else (1, BY[order](job))

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


def test_policies_without_backfilling_take_one_order():
    with pytest.raises(ValueError, match=r"order: 'fcfs/sjf' are two"):
        make_policy("fcfs:fcfs/sjf")
    assert make_policy("fcfs:saf@20h").name == "fcfs:saf@20h"


def test_a_pair_by_deadlines_needs_deadlines():
    assert make_policy("easy:fcfs/earliest-deadline").traits.needs_deadlines
    assert not make_policy("easy:fcfs/sjf").traits.needs_deadlines
