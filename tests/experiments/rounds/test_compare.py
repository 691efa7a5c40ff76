"""Optimizers compared on rounds, and the best plans known of them."""

import json
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from planbatch.experiments.figures.round_gantt import draw_plan, draw_plans, lay_out
from planbatch.experiments.figures.round_pictures import draw_curves, draw_profile, excess_over, write_round_comparison
from planbatch.experiments.rounds import compare
from planbatch.experiments.rounds.benchmark import run_benchmark
from planbatch.experiments.rounds.best_known import BestKnown, improve, key_of, read_best_known
from planbatch.experiments.rounds.compare import SearchTask, compare_rounds, parts
from planbatch.experiments.rounds.results import excess, gap
from planbatch.objectives import WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER
from planbatch.planner.objective import Objective, UnsupportedObjectiveError
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round
from tests.builders import random_round

CLOCKS = ["seconds", "evaluations_per_second"]


@dataclass(frozen=True)
class Broken:
    """Annealing that goes wrong in one way on rounds of 9 jobs."""

    how: str

    @property
    def name(self) -> str:
        return f"broken-{self.how}"

    def supports(self, objective: Objective) -> bool:
        return True

    def optimize(self, problem, objective, budget, rng):
        result = Annealing().optimize(problem, objective, budget, rng)
        if len(problem) != 9:
            return result
        if self.how == "raise":
            raise RuntimeError("no luck")
        if self.how == "boast":
            return replace(result, cost=result.cost / 2)
        return replace(result, plan=replace(result.plan, start=np.full(9, problem.now)))


@pytest.fixture(scope="module")
def rounds() -> dict[str, Round]:
    return {f"n{n}": random_round(n) for n in (8, 9, 10)}


@pytest.fixture(scope="module")
def comparison(rounds):
    """Compare two optimizers, with curves."""
    return compare_rounds(rounds, ["annealing", "annealing-paper"], ["wait"], evaluations=40, seeds=2, curves=1)


def test_the_frame_is_tidy_and_its_figures_agree(comparison, rounds):
    """A row per search, in the order of rounds, optimizers and seeds."""
    data = comparison.to_frame()
    assert list(data["round"].unique()) == list(rounds)
    assert len(data) == 3 * 2 * 2
    assert list(data["seed"][:2]) == [0, 1]
    assert (data["cost"] >= data["best"] * (1 - 1e-9)).all()
    assert (data["best"] >= data["lower_bound"] * (1 - 1e-9)).all()
    assert np.allclose(data["excess"], data["cost"] / data["best"] - 1)
    assert np.allclose(data["gap"], 1 - data["lower_bound"] / data["cost"])
    assert (data["cost"] <= data["seed_cost"]).all()
    best = comparison.best["n9", "wait"]
    problem = rounds["n9"]
    plan = decode(problem, [list(problem.ids).index(job) for job in best.order])
    assert WAIT.cost(plan.start.copy(), problem.jobs, problem.now) == best.cost


def test_the_summary_counts_wins_and_searches(comparison):
    """On every round and seed at least one optimizer wins."""
    summary = comparison.summary().set_index("optimizer")
    assert list(summary["searches"]) == [6, 6]
    assert not summary["failed"].any()
    assert 6 <= summary["wins"].sum() <= 12
    assert (summary["worst_excess"] >= summary["median_excess"]).all()


def test_curves_only_fall_and_end_where_the_search_does(comparison):
    """A search with a small budget is the beginning of one with a larger."""
    data = comparison.curves()
    assert set(data["round"]) == {"n8"}
    assert set(data["seed"]) == {0, 1}
    for (name, seed), curve in data.groupby(["optimizer", "seed"]):
        assert list(curve["evaluations"]) == [0, 10, 30, 40]
        assert curve["cost"].is_monotonic_decreasing
        assert curve["seconds"].is_monotonic_increasing
        ends = comparison.to_frame().set_index(["round", "optimizer", "seed"])["cost"]
        assert curve["cost"].iloc[-1] == ends["n8", name, seed]


def test_budgets_of_curves_grow_geometrically():
    """Evaluations by threes and tens, seconds by twos."""
    steps = [part.evaluations for part in parts(Budget(evaluations=1000))]
    assert steps == [0, 10, 30, 100, 300]
    assert [part.seconds for part in parts(Budget(seconds=6.4))][-2:] == [1.6, 3.2]


@pytest.mark.integration
def test_results_depend_neither_on_processes_nor_on_what_else_is_compared(comparison, rounds):
    """Two processes, the other way round, and with another optimizer that fails."""
    other = compare_rounds(
        dict(reversed(rounds.items())),
        ["annealing-paper", Broken("raise"), "annealing"],
        ["wait"],
        evaluations=40,
        jobs=2,
    )
    key = ["round", "optimizer", "seed"]
    serial = comparison.to_frame().drop(columns=CLOCKS).set_index(key)
    parallel = other.to_frame().drop(columns=CLOCKS).set_index(key)
    same = ["cost", "seed_cost", "evaluations", "status", "error"]
    serial = serial[serial.index.get_level_values("seed") == 0]
    pd.testing.assert_frame_equal(serial[same], parallel.loc[serial.index, same], check_dtype=False, rtol=0)
    failed = other.to_frame().query("status == 'failed'")
    (row,) = zip(failed["round"], failed["optimizer"], failed["error"], strict=True)
    assert row[:2] == ("n9", "broken-raise")
    now = rounds["n9"].now
    message = f"OptimizerError: optimizer broken-raise raised RuntimeError in the round at {now}: no luck"
    assert row[2].startswith(f"{message} ({__file__}, line ")
    assert failed["cost"].isna().all()
    assert list(other.summary()["failed"]) == [0, 1, 0]


@pytest.mark.parametrize(
    ("how", "message"), [("boast", "claimed, but the plan costs"), ("cheat", "no plan of the round")]
)
def test_an_unsound_result_fails_its_cell(rounds, how, message):
    """Neither its plan nor its cost is believed."""
    comparison = compare_rounds(rounds, [Broken(how)], ["wait"], evaluations=5)
    data = comparison.to_frame().set_index("round")
    assert list(data["status"] == "failed") == [False, True, False]
    assert message in data.loc["n9", "error"]
    assert ("n9", "wait") not in comparison.best


def test_what_an_optimizer_cannot_do_is_left_out_or_refused_by_name(rounds):
    """Branch and bound needs to look into the objective; nothing runs where no pair is left."""

    def mystery(start, jobs, now):
        raise AssertionError("it must not be called")

    def late(start, jobs, now):
        return float((start - jobs.submit).max())

    with pytest.raises(UnsupportedObjectiveError, match="exhaustive cannot work on the objective mystery"):
        compare_rounds(rounds, ["exhaustive"], [Objective("mystery", mystery)], evaluations=40)
    with pytest.warns(UserWarning, match="exhaustive cannot work .*; this pair is left out"):
        comparison = compare_rounds(
            rounds, ["annealing", "exhaustive"], ["wait", Objective("late", late)], evaluations=40
        )
    pairs = {(cell.objective, cell.optimizer) for cell in comparison.cells}
    assert pairs == {("wait", "annealing"), ("wait", "exhaustive"), ("late", "annealing")}


def test_bad_input_is_refused(rounds):
    """Names that are given twice, nothing to do."""
    problem = rounds["n8"]
    for bad, message in (
        (([problem], ["annealing"] * 2, ["wait"]), "annealing is given more than once"),
        (([problem], ["annealing"], []), "objectives: there is none"),
        (([], ["annealing"], ["wait"]), "rounds: there is none"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_rounds(*bad)


def test_an_interrupt_leaves_what_is_finished(rounds):
    """The searches that were not run are counted, and nothing is made up for them."""

    def progress(done, total):
        if done == 4:
            raise KeyboardInterrupt

    comparison = compare_rounds(rounds, ["annealing"], ["wait"], evaluations=40, seeds=2, progress=progress)
    assert comparison.unfinished == 2
    assert len(comparison.to_frame()) == 4
    assert list(comparison.summary()["searches"]) == [4]


def test_excess_and_gap_of_nothing():
    """Where the best cost is nothing, an excess over it has no size."""
    assert excess(0.0, 0.0) == gap(0.0, 0.0) == 0.0
    assert excess(1.0, 0.0) == float("inf")
    assert excess(-9.0, -10.0) == pytest.approx(0.1)


def test_charts_give_every_job_its_processors_and_none_to_two(rounds):
    """At every instant, the blocks of a plan do not overlap, and each job has as many as it needs."""
    problem = random_round(30)
    start = decode(problem, np.arange(30)).start
    blocks = lay_out(problem, start)
    got = np.zeros(30, dtype=int)
    for begin, end, low, count, job in blocks:
        assert low >= 0
        assert low + count <= problem.capacity
        if job >= 0:
            got[job] += count
            assert (begin, end) == (start[job], start[job] + problem.jobs.walltime[job])
    np.testing.assert_array_equal(got, problem.jobs.procs)
    for i, (begin, end, low, count, _) in enumerate(blocks):
        for other_begin, other_end, other_low, other_count, _ in blocks[:i]:
            apart_in_time = end <= other_begin or other_end <= begin
            assert apart_in_time or low + count <= other_low or other_low + other_count <= low


@pytest.mark.integration
def test_tables_and_pictures_are_written(comparison, tmp_path):
    """PNG and SVG of profiles, curves and plans; failed searches are no obstacle."""
    write_round_comparison(comparison, tmp_path / "a", plans=1)
    names = {path.name for path in (tmp_path / "a").iterdir()}
    pictures = {f"{stem}-wait{end}.{kind}" for stem, end in (("profile", ""), ("curves", ""), ("plans", "-n8"))
                for kind in ("png", "svg")}  # fmt: skip
    assert names == {"rounds.csv", "summary.csv", "curves.csv"} | pictures
    failed = compare_rounds([random_round(9)], [Broken("raise")], ["wait"], evaluations=40, curves=1)
    paths = write_round_comparison(failed, tmp_path / "b")
    assert [path.suffix for path in paths] == [".csv"] * 3


def test_pictures_of_rounds_draw_where_they_are_asked_to(comparison):
    """On given axes, which they return; too few are refused."""
    axes = Figure().subplots(2, 2)
    assert draw_profile(comparison, "wait", ax=axes[0, 0]) is axes[0, 0]
    assert draw_curves(comparison, "wait", ax=axes[0, 1], against="seconds") is axes[0, 1]
    assert draw_plans(comparison, "n8", "wait", ax=axes[1]) == list(axes[1])
    with pytest.raises(ValueError, match="ax: 2 axes are needed, and 1 are given"):
        draw_plans(comparison, "n8", "wait", ax=axes[0, 0])
    with pytest.raises(ValueError, match="makespan: no search"):
        draw_curves(comparison, "makespan")


def test_plans_are_drawn_as_far_as_jobs_are_planned():
    """A running job of four days does not push a job of a minute out of sight."""
    problem = Round.of(4, 0, [(2, 4 * 86400)], [(-30, 2, 60)])
    axes = draw_plan(problem, Plan([0]), Figure().subplots())
    assert axes.get_xlabel() == "seconds from now"
    assert axes.get_xlim() == (0, pytest.approx(61.2))
    whole = draw_plan(problem, Plan([NEVER]), Figure().subplots())
    assert whole.get_xlim()[1] > 0


def test_curves_are_quartiles_over_rounds_and_seeds():
    """Four searches that reach 0 … 30 % at ten evaluations: the median is 15 %, the quartiles 7.5 and 22.5 %."""
    curves = pd.DataFrame(
        {
            "round": ["a"] * 8,
            "objective": ["wait"] * 8,
            "seed": np.repeat(range(4), 2),
            "evaluations": [0, 10] * 4,
            "cost": [200, 100, 200, 110, 200, 120, 200, 130],
        }
    )
    best_known = SimpleNamespace(best={("a", "wait"): SimpleNamespace(cost=100.0)})
    at, low, middle, high = excess_over(best_known, curves, "evaluations", 100.0)
    assert at.tolist() == [1, 10, 10, 100, 100]
    np.testing.assert_allclose(middle[[0, 1, 2]], [1.0, 1.0, 0.15])
    np.testing.assert_allclose([low[2], high[2]], [0.075, 0.225])


def test_a_comparison_of_rounds_is_short_in_a_notebook(comparison):
    assert repr(comparison).endswith(f"wait; {len(comparison.cells)} searches)")
    assert "median excess" in comparison._repr_html_()
    assert len(comparison._repr_html_()) < 3000


# The file of best-known costs.


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
    assert lie.verify(problem, WAIT).cost > 0
    for claim in (replace(good, cost=-1.0, order=good.order[1:]), replace(good, starts=(problem.now,) * 6)):
        assert claim.verify(problem, WAIT) is None
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
    assert best.verify(problem, delayed) == best
    assert best.cost == earliness(start, problem.jobs, problem.now)


def test_another_file_is_refused_by_name(tmp_path):
    """In one sentence, and it stays as it is."""
    entry = '{"a": {"cost": 1, "optimizer": "x", "budget": "1 s", "seed": 0, "order": [[1]]}}'
    for text in ("no json", "[1]", '{"a": 5}', '{"a": {"cost": 1}}', entry):
        path = tmp_path / "best.json"
        path.write_text(text)
        with pytest.raises(ValueError, match=r"best\.json: not a file of best-known costs"):
            read_best_known(path)
        assert path.read_text() == text


COMPARE_ONE = partial(compare_rounds, [random_round(3)], objectives="wait")


@pytest.mark.parametrize(
    ("run", "where"),
    [
        (COMPARE_ONE, {"best_known": "file/best-known.json"}),
        (COMPARE_ONE, {"out": "file"}),
        (run_benchmark, {"best_known": "file/best-known.json"}),
    ],
)
def test_a_file_that_cannot_be_written_is_an_error_before_any_search(tmp_path, run, where):
    def unused(search, rng):
        raise AssertionError("it searched")

    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        run(optimizers=[unused], **{name: tmp_path / path for name, path in where.items()})


def test_stored_searches_and_bounds_are_not_run_again(rounds, tmp_path, monkeypatch):
    run = partial(compare_rounds, rounds, ["annealing"], ["wait"], evaluations=20, out=tmp_path)
    first = run()
    for part, name in ((SearchTask, "__call__"), (compare, "proven_bound")):
        monkeypatch.setattr(part, name, Mock(side_effect=RuntimeError("run again")))
    again = run()
    assert again.to_frame().equals(first.to_frame())
    assert again.bounds == first.bounds
    assert len(run(seeds=2).failures()) == len(rounds)  # the other seed is not there
