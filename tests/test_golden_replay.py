"""Whole real logs, against figures that independent simulators agree with."""

import pytest

from baselines.catalogue import make_policy
from experiments.checker import check_trace
from experiments.metrics import metrics
from experiments.replay import replay
from experiments.workload_source import load_workload

pytestmark = pytest.mark.slow

KTH = "KTH-SP2-1996-2.1-cln"
#: Policy → mean wait, maximum wait, mean bounded slowdown, makespan: to the last digit that is
#: known.
KTH_FIGURES = {
    "fcfs": (353943.094, 946685, 6825.6663, 28779758),
    "easy": (6837.2263, 262194, 92.8702, 28763776),
    "easy-sjf": (4599.4262, 678723, 42.3783, 28763776),
    "conservative": (7319.8217, 249058, 89.2134, 28763776),
    "replanned": (7942.1348, 249742, 102.3206, 28763776),
}


@pytest.mark.parametrize("name", list(KTH_FIGURES))
def test_kth_sp2(real_log, name):
    """28,475 jobs on 100 processors; integer arithmetic, so the figures hold on every platform."""
    workload = load_workload(real_log(KTH))
    assert (len(workload), workload.capacity) == (28475, 100)
    trace = replay(workload, make_policy(name))
    measured = metrics(trace)
    mean, longest, slowdown, makespan = KTH_FIGURES[name]
    assert measured.mean_wait == pytest.approx(mean, abs=6e-4 if name == "fcfs" else 6e-5)
    assert measured.max_wait == longest
    assert measured.mean_bounded_slowdown == pytest.approx(slowdown, abs=6e-5)
    assert measured.makespan == makespan
    assert check_trace(trace) == []
