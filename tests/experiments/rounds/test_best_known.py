"""The file of best-known costs."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from planbatch.experiments.rounds.benchmark import run_benchmark
from planbatch.experiments.rounds.best_known import BestKnown, improve, key_of, read_best_known
from planbatch.experiments.rounds.compare import compare_rounds
from planbatch.objectives import WAIT
from planbatch.planner.decoder import decode
from planbatch.planner.objective import Objective
from planbatch.planner.round import Round
from tests.builders import random_round


@pytest.fixture
def problem() -> Round:
    return random_round(6)


def entry(problem: Round, order: list[int]) -> BestKnown:
    """Give what a search would claim of an order."""
    return BestKnown.of(problem, WAIT, decode(problem, np.array(order)).start, "mine", "3 s", 0)


def test_it_only_improves(problem, tmp_path):
    """A better plan replaces a worse one, and never the other way round."""
    path = tmp_path / "new" / "best.json"
    key = key_of(problem, WAIT)
    plans = [entry(problem, order) for order in ([5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5], [2, 1, 0, 5, 4, 3])]
    least = min(plan.cost for plan in plans)
    so_far = float("inf")
    for plan in plans:
        best = improve(path, {key: (problem, WAIT)}, {key: plan})
        so_far = min(so_far, plan.cost)
        assert best[key].cost == read_best_known(path)[key].cost == so_far
    assert so_far == least
    assert improve(path, {key: (problem, WAIT)}, {})[key].cost == least


def test_claims_are_not_believed(problem, tmp_path):
    """A cost is reckoned anew, in the file as in what was found; what is no plan of the round is not taken."""
    path = tmp_path / "best.json"
    key = key_of(problem, WAIT)
    good = entry(problem, [0, 1, 2, 3, 4, 5])
    subjects = {key: (problem, WAIT)}
    improve(path, subjects, {key: good})
    lie = replace(entry(problem, [5, 4, 3, 2, 1, 0]), cost=0.0)
    assert lie.verified(problem, WAIT).cost > 0
    for claim in (replace(good, cost=-1.0, order=good.order[1:]), replace(good, starts=(problem.now,) * 6)):
        assert claim.verified(problem, WAIT) is None
        assert improve(path, subjects, {key: claim})[key] == good
    text = json.loads(path.read_text())
    text[key]["cost"] = 0.0
    path.write_text(json.dumps(text))
    assert improve(path, subjects, {})[key].cost == pytest.approx(good.cost)


def test_entries_of_other_rounds_stay(problem, tmp_path):
    """Whatever another comparison wrote meanwhile is merged."""
    path = tmp_path / "best.json"
    other = random_round(6, seed=9)
    for p in (problem, other):
        key = key_of(p, WAIT)
        improve(path, {key: (p, WAIT)}, {key: entry(p, [0, 1, 2, 3, 4, 5])})
    assert set(read_best_known(path)) == {key_of(problem, WAIT), key_of(other, WAIT)}


def test_a_plan_that_its_order_does_not_give_is_kept_with_its_starts(problem):
    """An objective that is better for later starts."""

    def earliness(start, jobs, now):
        return float(-(start - now).sum())

    delayed = Objective("late", earliness)
    start = decode(problem, np.arange(6)).start + 100_000
    best = BestKnown.of(problem, delayed, start, "mine", "3 s", 0)
    assert best.starts == tuple(np.sort(start))
    assert best.verified(problem, delayed) == best
    assert best.cost == earliness(start, problem.jobs, problem.now)


def test_another_file_is_refused_by_name(tmp_path):
    """In one sentence, and it stays as it is."""
    for text in ("no json", "[1]", '{"a": {"cost": 1}}'):
        path = tmp_path / "best.json"
        path.write_text(text)
        with pytest.raises(ValueError, match=r"best\.json: not a file of best-known costs"):
            read_best_known(path)
        assert path.read_text() == text


@pytest.mark.parametrize("compare", [partial(compare_rounds, [random_round(3)], objectives="wait"), run_benchmark])
def test_a_file_that_cannot_be_written_is_an_error_before_any_search(tmp_path, compare):
    def unused(search, rng):
        raise AssertionError("it searched")

    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        compare(optimizers=[unused], best_known=tmp_path / "file" / "best-known.json")
