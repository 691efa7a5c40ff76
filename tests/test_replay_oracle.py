"""The compiled replay against a slow one that looks at every second."""

from functools import partial

import pytest
from hypothesis import given, settings

from baselines.catalogue import make_policy
from experiments.checker import check_reservations, check_trace, recorded_replay
from experiments.replay import replay
from tests import oracles
from tests.small_workloads import ESTIMATES, small_workloads

RULES = {
    "fcfs": oracles.fcfs,
    "fcfs:shortest": partial(oracles.fcfs, key=oracles.shortest),
    "easy": oracles.easy,
    "easy-sjf": partial(oracles.easy, key=oracles.shortest),
    "conservative": oracles.conservative,
    "replanned": oracles.replanned,
    "replanned:shortest": partial(oracles.replanned, key=oracles.shortest),
}


@pytest.mark.parametrize("estimates", ESTIMATES)
@pytest.mark.parametrize("name", list(RULES))
@settings(max_examples=100, deadline=None)
@given(workload=small_workloads())
def test_replay_equals_the_slow_replay(name, estimates, workload):
    """Every start, and every round, is that of the rules."""
    trace = replay(workload, make_policy(name), estimates=estimates)
    slow = oracles.slow_replay(workload, RULES[name], estimates)
    assert trace.start.tolist() == slow.start
    log = trace.rounds
    rounds = zip(log.time, log.waiting, log.running, log.started, strict=True)
    assert [tuple(map(int, entry)) for entry in rounds] == slow.rounds
    assert check_trace(trace) == []


@pytest.mark.parametrize("estimates", ["requested", "actual"])
@settings(max_examples=100, deadline=None)
@given(workload=small_workloads(most=12))
def test_conservative_never_moves_a_reservation_later(estimates, workload):
    """A job that was told a start gets that start or an earlier one."""
    _, rounds = recorded_replay(workload, make_policy("conservative"), estimates=estimates)
    assert check_reservations(rounds) == []
