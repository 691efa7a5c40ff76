"""Queue-based policies on the embedded workload, to four digits.

Pinned with numpy 2 on x86-64. A change here means that the workload's generator or a policy has changed its results.
"""

import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.checker import check_trace
from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.lublin import default_workload


@pytest.mark.parametrize(
    ("estimates", "policy", "mean_wait", "max_wait", "slowdown", "makespan", "rounds"),
    [
        ("requested", "fcfs", 508896.3788, 1064244, 5419.1048, 10675111, 9899),
        ("requested", "easy", 34858.6286, 485500, 215.5602, 9857664, 9552),
        ("requested", "easy-sjf", 26789.5684, 1482409, 73.1626, 10018492, 9707),
        ("requested", "conservative", 35980.3084, 633875, 189.7836, 9876959, 9608),
        ("requested", "replanned", 39976.4382, 504491, 216.5359, 9862588, 9550),
        ("mixed", "fcfs", 508896.3788, 1064244, 5419.1048, 10675111, 9899),
        ("mixed", "easy", 24626.9806, 720538, 180.3838, 9827462, 9577),
        ("mixed", "easy-sjf", 11883.6338, 1320736, 27.1846, 9834940, 9683),
        ("mixed", "conservative", 23409.3338, 736965, 158.9395, 9837785, 9609),
        ("mixed", "replanned", 26360.1086, 891838, 177.9681, 9806692, 9582),
    ],
)
def test_figures(estimates, policy, mean_wait, max_wait, slowdown, makespan, rounds):
    """Mean wait, maximum wait, mean bounded slowdown, makespan; and the trace is sound."""
    trace = replay(default_workload(), make_policy(policy), estimates=estimates)
    figures = metrics(trace)
    assert round(figures.mean_wait, 4) == mean_wait
    assert figures.max_wait == max_wait
    assert round(figures.mean_bounded_slowdown, 4) == slowdown
    assert figures.makespan == makespan
    assert len(trace.rounds) == rounds
    assert check_trace(trace) == []
