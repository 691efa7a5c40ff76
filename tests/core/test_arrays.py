"""Arrays that users' functions are given: their own copies, which they may keep, and cannot change the core by."""

import gc

import numpy as np
import pytest

from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.budget import Budget
from planbatch.planner.history.history import Event, EventColumn, History, asks_for
from planbatch.planner.objective import Objective
from planbatch.planner.optimizers import make_optimizer
from planbatch.planner.round import Round
from tests.builders import random_round


@pytest.mark.parametrize("optimizer", ["annealing", "tabu", "portfolio"])
def test_what_an_objective_keeps_stays_as_it_was(optimizer):
    """Every start and every table of a search, compared with copies that were made at once."""
    copies = []

    def keeping(start, jobs, now):
        copies.append((start, start.copy(), jobs, [column.copy() for column in jobs]))
        return float((start - jobs.submit).mean())

    problem = random_round(70)
    search = make_optimizer(optimizer)
    search.optimize(problem, Objective("keeping", keeping), Budget(evaluations=150), np.random.default_rng(0))
    del problem, search
    gc.collect()
    np.random.default_rng(0).random(10**6).sort()  # so that freed state is written to
    assert len(copies) > 10
    for start, then, jobs, columns in copies:
        assert start.tolist() == then.tolist()
        for column, copy in zip(jobs, columns, strict=True):
            np.testing.assert_array_equal(column, copy)
        for array in (array for array in (start, *jobs) if array.size):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


def test_what_an_order_and_a_history_keep_stays_as_it_was():
    """Over a whole replay; what a history writes into older columns and memories reaches nobody."""
    copies, calls = [], []

    def update(events, state, jobs, now):
        for _, (_, old_memory, old_jobs) in zip(range(3), reversed(calls), strict=False):
            old_memory[:] = -1.0
            old_jobs.past[:] = -1.0
        state[-1, 1] += (events[:, EventColumn.EVENT] == Event.ENDED).sum()
        jobs.past[:, 1] = state[-1, 1]
        calls.append((events, state, jobs))
        with pytest.raises(ValueError, match="read-only"):
            events[:] = 0

    def by_end(jobs, now):
        copies.append((jobs, [column.copy() for column in jobs]))
        assert (jobs.past[:, 1] >= 0).all()
        return jobs.past[:, 1] * 1e6 + jobs.walltime

    asks_for(History.of(update, 2, 1), by_end)
    workload = synthetic_workload(jobs=100, capacity=16, load=1.2, seed=2)
    from planbatch import _core
    from planbatch.baselines.queue_based import in_order

    trace = replay(workload, in_order("mine", _core.Easy, by_end))
    gc.collect()
    assert len(copies) > 20
    for jobs, columns in copies:
        for column, copy in zip(jobs, columns, strict=True):
            np.testing.assert_array_equal(column, copy)
    assert trace.start.tolist() == replay(workload, "easy:sjf").start.tolist()


def test_what_the_core_returns_is_the_callers():
    """Orders and starts of a search stay as they were when the search goes on, and when it is gone."""
    from planbatch.objectives import WAIT

    problem: Round | None = random_round(40)
    search = WAIT.search(problem)
    costs = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(40)
        costs.append((search.evaluate(order), search.order, search.start, search.trial, order))
    copies = [[array.copy() for array in row[1:]] for row in costs]
    del search, problem
    gc.collect()
    for row, copy in zip(costs, copies, strict=True):
        for array, then in zip(row[1:], copy, strict=True):
            assert array.tolist() == then.tolist()
