"""KTH-SP2-1996-2.1-cln, to the digit.

The FCFS and EASY figures agree with two independent simulators on an excerpt of this log.
"""

import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.checker import check_reservations, check_trace, recorded_replay
from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.load import workload_of_source
from planbatch.experiments.workloads.transform import first_jobs

pytestmark = pytest.mark.nightly


@pytest.fixture
def kth(real_log):
    return workload_of_source(real_log("KTH-SP2-1996-2.1-cln"))


@pytest.mark.parametrize(
    ("policy", "mean_wait", "max_wait", "slowdown", "makespan"),
    [
        ("fcfs", 353943.094, 946685, 6825.6663, 28779758),
        ("easy", 6837.2263, 262194, 92.8702, 28763776),
        ("easy-sjf", 4599.4262, 678723, 42.3783, 28763776),
        ("conservative", 7319.8217, 249058, 89.2134, 28763776),
        ("replanned", 7942.1348, 249742, 102.3206, 28763776),
    ],
)
def test_check_values(kth, policy, mean_wait, max_wait, slowdown, makespan):
    """The whole trace, checked by independent means as well."""
    assert (len(kth), kth.capacity) == (28475, 100)
    trace = replay(kth, make_policy(policy))
    figures = metrics(trace)
    assert round(figures.mean_wait, 4) == mean_wait
    assert figures.max_wait == max_wait
    assert round(figures.mean_bounded_slowdown, 4) == slowdown
    assert figures.makespan == makespan
    assert check_trace(trace) == []


def test_no_reservation_moves_to_a_later_time(kth):
    """Conservative backfilling on the first 8,000 jobs, round by round."""
    trace, rounds = recorded_replay(first_jobs(kth, 8000), make_policy("conservative"))
    assert check_trace(trace) == []
    assert check_reservations(rounds) == []
    assert len(rounds) > 8000


@pytest.mark.parametrize("estimates", ["requested", "actual", "mixed"])
@pytest.mark.parametrize("policy", ["fcfs", "easy", "easy-sjf", "conservative", "replanned"])
def test_traces_are_sound_with_all_estimates(kth, policy, estimates):
    """Nothing starts too early, nothing exceeds the machine."""
    assert check_trace(replay(kth, make_policy(policy), estimates=estimates)) == []


def test_plan_based_scheduling_is_deterministic(kth):
    """On the first 2,000 jobs, twice; the rounds' log as well; another seed searches differently."""
    workload = first_jobs(kth, 2000)
    policy = make_policy("plan-squared-wait", evaluations=100)
    one, two = replay(workload, policy, seed=1), replay(workload, policy, seed=1)
    assert one.start.tolist() == two.start.tolist()
    assert one.rounds.evaluations.tolist() == two.rounds.evaluations.tolist()
    assert one.rounds.cost.tobytes() == two.rounds.cost.tobytes()
    assert check_trace(one) == []
    other = replay(workload, policy, seed=2)
    assert other.start.tolist() != one.start.tolist()
