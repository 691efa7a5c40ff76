"""A user's functions ask for a history by name, or bring their own."""

from dataclasses import replace

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.plan_based import PlanBased
from planbatch.experiments.replay.checker import recorded_replay
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.lublin import synthetic_workload
from tests.builders import assert_same

MINE = """
import numpy as np

from planbatch.planner import Event, History, EventColumn, expected_run, fair_share


def area(jobs, now):
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        keys[i] = jobs.procs[i] * expected_run(jobs, i)
    return keys


area.asks_for = "expectation"


def waiting_area(start, jobs, now):
    total = 0.0
    for i in range(len(start)):
        total += jobs.procs[i] * expected_run(jobs, i) * (start[i] - jobs.submit[i])
    return total / max(len(start), 1)


waiting_area.asks_for = "expectation"


def thrifty(jobs, now):
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        keys[i] = -fair_share(jobs, i)
    return keys


thrifty.asks_for = "fair-share"


def count(events, state, jobs, now):
    for k in range(len(events)):
        if events[k, EventColumn.EVENT] == Event.ENDED:
            state[events[k, EventColumn.USER], 1] += 1.0
    for i in range(len(jobs.submit)):
        jobs.past[i, 1] = state[int(jobs.past[i, 0]), 1]


def newcomers_first(jobs, now):
    return jobs.past[:, 1].copy()


newcomers_first.asks_for = History.of(count, 2, 1)


def misspelt(jobs, now):
    return jobs.procs * 1.0


misspelt.asks_for = "expectations"
"""


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    """Give the path of a file with orders and an objective."""
    path = tmp_path_factory.mktemp("mine") / "mine.py"
    path.write_text(MINE)
    return path


@pytest.fixture(scope="module")
def busy():
    """Give a workload of four users, who overestimate unevenly."""
    workload = synthetic_workload(jobs=250, capacity=32, seed=2, load=1.2)
    user = np.arange(250) % 4
    return replace(workload, user=user, walltime=workload.runtime * (1 + 3 * user))


def test_an_order_that_asks_for_the_expectation(mine, busy):
    """It is the order of planbatch, to the second, in one go and stepped."""
    policy = make_policy(f"easy:{mine}:area")
    trace = replay(busy, policy)
    assert_same(trace, replay(busy, "easy:expected-area"))
    assert_same(trace, recorded_replay(busy, policy)[0])
    assert (trace.start != replay(busy, "easy:smallest-area").start).any()


def test_an_objective_that_asks_for_the_expectation(mine, busy):
    """It plans otherwise than by requests, and the same stepped."""
    part = busy.take(slice(0, 60))
    policy = make_policy(f"plan:{mine}:waiting_area,evaluations=20")
    assert policy.history is not None
    assert_same(replay(part, policy), recorded_replay(part, policy)[0])
    assert (replay(busy, policy).start != replay(busy, PlanBased("wait", evaluations=20)).start).any()


def test_an_order_that_asks_for_fair_share(mine, busy):
    """Priority by fair-share alone is Slurm's with all other weights 0."""
    theirs = replay(busy, "easy:(multifactor:age=0,fairshare=1,size=0)")
    assert_same(replay(busy, f"easy:{mine}:thrifty"), theirs)


def test_a_history_of_her_own(mine, busy):
    """Users of whom the fewest jobs have ended come first; events, state and columns are plain arrays."""
    trace = replay(busy, f"easy:{mine}:newcomers_first")
    assert (trace.start != replay(busy, "easy").start).any()
    assert_same(trace, recorded_replay(busy, make_policy(f"easy:{mine}:newcomers_first"))[0])


def test_a_history_that_there_is_not(mine):
    with pytest.raises(ValueError, match="did you mean expectation") as error:
        make_policy(f"easy:{mine}:misspelt")
    assert "misspelt: asks_for: 'expectations' is neither a History nor the name of one" in str(error.value)
