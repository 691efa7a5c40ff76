"""What the report reckons: by hand, and against simple means."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.figures.gains import groups_table, losers_table
from planbatch.experiments.figures.panels import curve, draw_curve_panel
from planbatch.experiments.figures.style import time_ticks
from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.replay.trace import ROUNDS
from planbatch.experiments.report import accuracy, fairness, gains, heat_maps, rounds, series, summary
from planbatch.experiments.report.blocks import predictions_block, rounds_block
from planbatch.experiments.report.cases import cases_of, load
from planbatch.experiments.report.distributions import percentile_table
from planbatch.experiments.report.overview import draw_overview
from planbatch.experiments.runs.read import read_results
from planbatch.experiments.studies.gains import Gains
from planbatch.experiments.studies.metrics import make_metric
from planbatch.experiments.studies.seeds import bootstrap
from planbatch.experiments.workloads.lublin import synthetic_workload
from tests.builders import trace_of, workload_of
from tests.experiments.report.folders import write_cell, write_experiment


@pytest.fixture(scope="module")
def runs(grid):
    return load(cases_of(read_results(grid))[0])


def test_the_figures_are_those_of_the_replay(runs):
    """The report reckons from the jobs alone what a replay tells."""
    lines = {line.label: line.figures for line in summary.summarise(runs)}
    workload = synthetic_workload(jobs=400, capacity=64, seed=1, load=0.9)
    for name in ("fcfs", "easy", "plan-squared-wait"):
        expected = metrics(replay(workload, make_policy(name))).as_dict()
        assert {key: expected[key] for key in lines[name]} == pytest.approx(lines[name])


def test_the_bootstrap_covers_a_known_ratio():
    """Of 200 samples of 24 months whose ratio is 0.7 in truth, about 95 in 100 intervals hold 0.7."""
    rng = np.random.default_rng(3)
    inside = 0
    for sample in range(200):
        below = rng.gamma(4.0, 100.0, 24)
        above = below * rng.normal(0.7, 0.15, 24)
        low, high = bootstrap(above, below, sample)
        inside += low <= 0.7 <= high
    assert 0.88 <= inside / 200 <= 0.985


def test_the_bootstrap_keeps_pairs_together():
    """If every month changes by the same ratio, there is no doubt about it, however different the months."""
    below = np.array([1.0, 1000.0, 20.0, 5.0])
    assert bootstrap(0.5 * below, below) == pytest.approx((0.5, 0.5))
    assert np.isnan(bootstrap(below[:2], below[:2])).all()


def seeds_folder(folder, starts):
    """Write EASY once, and a policy with one seed a row of starts."""
    workload = workload_of(1, [(0, 1, 10, 10), (0, 1, 10, 10), (0, 1, 10, 10)])
    write_cell(folder, "easy", trace_of(workload, [0, 10, 20], "easy"))
    keys = ["easy"]
    for seed, start in enumerate(starts):
        keys.append(f"plan-{seed}")
        write_cell(folder, keys[-1], trace_of(workload, start, "plan"), seed=seed)
    write_experiment(folder, keys)
    return load(cases_of(read_results(folder))[0])


def test_intervals_over_seeds_where_there_are_three(tmp_path):
    """EASY waits 30 s in all; three seeds wait 30, 36 and 42 s, so the ratio is 1.2, within 1 … 1.4."""
    runs = seeds_folder(tmp_path, [[0, 10, 20], [0, 12, 24], [0, 14, 28]])
    wait = summary.summarise(runs)[1].wait
    assert wait is not None
    assert wait.ratio == pytest.approx(1.2)
    assert 1 <= wait.seeds[0] < 1.2 < wait.seeds[1] <= 1.4
    assert wait.ends == wait.seeds
    assert np.isnan(wait.months).all()
    table = summary.summary_table(runs.case, summary.summarise(runs))
    assert table.csv().splitlines()[0].count("wait_seeds_") == 2
    assert "intervals over seeds" in table.caption
    assert "+0 … +40%" in table.texts()[1][1]


def test_a_deterministic_policy_has_no_interval_over_seeds(tmp_path):
    """The same replay three times says nothing about chance."""
    runs = seeds_folder(tmp_path, [[0, 12, 24]] * 3)
    wait = summary.summarise(runs)[1].wait
    assert wait is not None
    assert np.isnan(wait.seeds).all()
    assert wait.unit == ""


def test_one_page_has_one_number_for_one_thing(tmp_path):
    """The longest wait under three seeds, 20, 24 and 28 s, is 24 s in every table."""
    runs = seeds_folder(tmp_path, [[0, 10, 20], [0, 12, 24], [0, 14, 28]])
    plan = percentile_table(runs).rows[1]
    assert plan["wait_p100"] == pytest.approx(24)
    assert summary.summarise(runs)[1].figures["max_wait"] == pytest.approx(24)
    assert series.monthly(runs).wait["plan"].tolist() == [pytest.approx(12)]


def test_intervals_are_mentioned_where_there_are_some(tmp_path):
    """A picture without bars has no caption about bars, and one that is not cut does not end at a ratio."""
    runs = seeds_folder(tmp_path, [[0, 10, 20], [0, 12, 24]])
    picture = draw_overview([(runs.case, summary.summarise(runs))])
    assert picture is not None
    assert "Bars" not in picture.caption
    assert "ends at" not in picture.caption


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 30), st.integers(1, 5)), min_size=1, max_size=12),
    st.integers(1, 9),
)
def test_mean_levels_agree_with_counting_second_by_second(spans, bins):
    """Over any bins, whatever begins and ends in them."""
    begin, length, weights = (np.array(column, dtype=np.int64) for column in zip(*spans, strict=True))
    edges = np.linspace(-3, 90, bins + 1)
    levels = series.mean_level(begin, begin + length, weights, edges)
    seconds = np.arange(-3, 90)
    busy = [weights[(begin <= t) & (t < begin + length)].sum() for t in seconds]
    total = np.concatenate([[0], np.cumsum(busy)])
    expected = np.diff(np.interp(edges, np.arange(-3, 91), total)) / np.diff(edges)
    np.testing.assert_allclose(levels, expected, atol=1e-9)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 30)), min_size=1, max_size=12), st.integers(1, 9))
def test_peaks_agree_with_counting_second_by_second(spans, bins):
    """Jobs that start when they are submitted wait in no bin."""
    begin, length = (np.array(column, dtype=np.int64) for column in zip(*spans, strict=True))
    edges = np.round(np.linspace(-3, 90, bins + 1))
    peaks = series.peak_level(begin, begin + length, edges)
    waiting = [int(((begin <= t) & (t < begin + length)).sum()) for t in range(-3, 90)]
    for low, high, peak in zip(edges[:-1], edges[1:], peaks, strict=True):
        assert peak == max(waiting[int(low) + 3 : int(high) + 3])


def test_month_ticks_of_ten_years_are_years():
    """A label every twelve months, at Januaries."""
    names = [f"{1996 + i // 12}-{i % 12 + 1:02}" for i in range(5, 125)]
    places, labels = series.month_ticks(names)
    assert labels[:2] == ["1997", "1998"]
    assert len(labels) <= 12
    assert names[places[0]] == "1997-01"


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=30))
def test_every_bin_holds_a_whole_number(values):
    """A bin from 1.3 to 1.8 would look like missing data."""
    edges = heat_maps.log_edges(np.array(values))
    assert (np.diff(edges) > 0).all()
    whole = np.arange(min(values), max(values) + 1)
    counts = np.bincount(heat_maps.log_bin(whole, edges), minlength=len(edges) - 1)
    assert len(counts) == len(edges) - 1 <= 15
    assert (counts > 0).all()


def test_the_tail_of_a_distribution_can_be_read(runs):
    """Down to the one job that waited longest, on a logarithmic axis."""
    axes = Figure().subplots()
    waits = {"easy": runs.first("easy").wait}
    draw_curve_panel(axes, waits, 1.0, {"easy": {}}, longer=True)
    assert axes.get_yscale() == "log"
    x, y = axes.lines[0].get_data()
    assert np.isclose(y, 100 / 400).any(), "the second longest wait: one job of 400 waited longer"
    assert x[-1] == pytest.approx(runs.first("easy").wait.max())


@pytest.mark.parametrize(("low", "high"), [(65 * 60, 100 * 60), (86400, 90000), (1, 1e7)])
def test_axes_of_durations_have_several_ticks(low, high):
    axis = Figure().subplots().xaxis
    time_ticks(axis, low, high)
    ticks = axis.get_major_locator().locs
    texts = [axis.get_major_formatter()(tick) for tick in ticks]
    assert len(set(texts)) == len(texts) >= 2
    assert all(texts)


def test_utilisation_over_time_adds_up(runs):
    """Weighted by the bins, it is the work that was done in them."""
    load = series.load_over_time(runs)
    used, queue, edges = load.used, load.queue, load.edges
    assert (load.peaks["fcfs"] >= queue["fcfs"] - 1e-9).all()
    jobs = runs.first("easy")
    inside = np.clip(jobs.end, None, edges[-1]) - np.clip(jobs.start, None, edges[-1])
    work = (used["easy"] * np.diff(edges)).sum() * runs.case.capacity
    assert work == pytest.approx(float((jobs.procs * inside).sum()), rel=1e-9)
    assert queue["fcfs"].sum() > queue["easy"].sum()


def test_heat_maps_hold_every_job_once(runs):
    """13 × 15 bins, two joined with others; weighted by their jobs, their means are the mean wait; ends are inside."""
    jobs = {label: runs.first(label) for label in runs.labels}
    data = heat_maps.heat_map({label: (own.procs, own.runtime, own.wait) for label, own in jobs.items()})
    assert data.jobs.shape == (13, 15)
    assert data.jobs.sum() == 400
    for label in runs.labels:
        total = np.nansum(data.wait[label] * data.jobs)
        assert total == pytest.approx(runs.first(label).wait.sum())
    assert data.sizes[0] == runs.first("easy").procs.min()
    assert data.times[-1] == pytest.approx(runs.first("easy").runtime.max())
    rows = heat_maps.heat_map_table(runs, data).rows
    assert sum(row["jobs"] for row in rows) == 400


def test_logarithmic_bins_by_hand():
    """From 1 to 2¹⁵, each bin doubles; an edge belongs to the bin that it begins, the last edge to the last bin."""
    edges = heat_maps.log_edges(np.array([1, 32768]))
    np.testing.assert_allclose(edges, 2.0 ** np.arange(16))
    bins = heat_maps.log_bin(np.array([1, 2, 3, 4, 16384, 32767, 32768]), edges)
    assert bins.tolist() == [0, 1, 1, 2, 14, 14, 14]


def test_users_fare_as_the_means_of_their_jobs(runs):
    """Each user with at least ten jobs once; who is better off under a policy is counted."""
    users = fairness.users_of(runs)
    assert users is not None
    assert users.jobs.sum() == 400
    jobs = runs.first("easy")
    for number, wait in zip(users.numbers, users.wait["easy"], strict=True):
        assert wait == pytest.approx(jobs.wait[jobs.user == number].mean())


def test_without_users_there_is_nothing_to_tell(grid):
    """Instead of one user called -1."""
    assert fairness.users_of(load(cases_of(read_results(grid))[1])) is None


def test_fairness_by_hand(tmp_path):
    """User 1 waits 0 and user 2 waits 1,000 s under EASY; the other way round under the other policy."""
    jobs = [(0, 1, 10, 10)] * 20
    workload = workload_of(20, jobs)
    workload = workload.take(slice(None), user=np.repeat([1, 2], 10))
    write_cell(tmp_path, "easy", trace_of(workload, [0] * 10 + [1000] * 10, "easy"))
    write_cell(tmp_path, "plan", trace_of(workload, [500] * 10 + [0] * 10, "plan"))
    write_experiment(tmp_path, ["easy", "plan"])
    runs = load(cases_of(read_results(tmp_path))[0])
    users = fairness.users_of(runs)
    assert users is not None
    assert users.wait["easy"].tolist() == [0, 1000]
    easy, plan = fairness.fairness_table(runs, users).rows
    assert (plan["worse_off"], plan["better_off"], plan["worst_user_wait"]) == (0.5, 0.5, 500)
    assert "worse_off" not in easy


def test_accuracy_of_predictions_by_hand(tmp_path):
    """Jobs of 10 s that asked for 40: those of user 1 are believed to take 20 s, those of user 2 only 5; once, 40."""
    workload = workload_of(20, [(0, 1, 40, 10)] * 20)
    workload = workload.take(slice(None), user=np.repeat([1, 2], 10))
    predicted = np.array([20] * 10 + [5] * 9 + [40])
    trace = replace(trace_of(workload, [0] * 20, "easy"), predicted=predicted)
    write_cell(tmp_path, "easy", trace)
    write_cell(tmp_path, "other", trace_of(workload, [0] * 20, "fcfs"))
    write_experiment(tmp_path, ["easy", "other"])
    runs = load(cases_of(read_results(tmp_path))[0])
    labels = accuracy.predicted_labels(runs)
    assert labels == ["easy"]
    by_policy, by_user = accuracy.accuracy_tables(runs, labels)
    (row,) = by_policy.rows
    assert row["underestimated"] == pytest.approx(9 / 20)
    assert row["prediction_error"] == pytest.approx((19 * 0.5 + 0.75) / 20)
    assert row["request_error"] == pytest.approx(0.75)
    assert row["median_user_error"] == pytest.approx((0.5 + 0.525) / 2)
    assert row["worst_user_error"] == pytest.approx(0.525)
    assert row["users_helped"] == 1
    first, second = by_user.rows
    assert (first["user"], first["jobs"], first["underestimated"]) == (1, 10, 0)
    assert (second["user"], second["jobs"], second["underestimated"]) == (2, 10, 0.9)
    assert second["prediction_error"] == pytest.approx(0.525)
    assert predictions_block(runs) is not None
    runs.jobs.pop("easy")
    assert predictions_block(runs) is None


def test_rounds_by_queue_length(grid):
    """Every round is in one bin; searches are counted, and queue-based policies have none."""
    case = cases_of(read_results(grid))[0]
    costs, broken = rounds.case_rounds(case)
    assert broken == []
    by_label = {cost.label: cost for cost in costs}
    assert by_label["easy"].figures["searched"] == 0
    assert by_label["plan-squared-wait"].figures["mean_evaluations"] > 1
    assert 0 <= by_label["plan-squared-wait"].figures["mean_gain"] < 1
    log = case.cells[1].rounds()
    assert tuple(log) == ROUNDS, "the reader knows the columns that are written, and no other"
    assert by_label["easy"].figures["mean_queue"] == pytest.approx(log["waiting"].mean())
    assert (np.diff(by_label["plan-squared-wait"].queue) > 0).all()


def test_rounds_of_two_jobs_are_drawn(tmp_path):
    """No length of the queue has many rounds: the most frequent one is a point."""
    write_cell(tmp_path, "a" * 20, replay(workload_of(2, [(0, 2, 5), (0, 2, 5)]), "easy"))
    write_experiment(tmp_path, ["a" * 20])
    (case,) = cases_of(read_results(tmp_path))
    block, broken = rounds_block(case)
    assert broken == []
    assert len(block.pictures) == 1


def test_distribution_curves_reach_everybody(runs):
    """At the longest wait, all jobs; the table's percentiles are numpy's."""
    wait = runs.first("easy").wait
    at, reached = curve(wait, 1.0, float(wait.max()))
    assert reached[-1] == 100
    assert reached[0] == pytest.approx(100 * (wait <= 1).mean())
    assert (np.diff(at) > 0).all()
    row = next(row for row in percentile_table(runs).rows if row["policy"] == "easy")
    assert row["wait_p95"] == pytest.approx(np.percentile(wait, 95))


def test_monthly_means_weighted_by_jobs_give_the_mean(runs):
    """No job is lost between months."""
    monthly = series.monthly(runs)
    for label in runs.labels:
        total = np.nansum(monthly.wait[label] * monthly.jobs)
        assert total == pytest.approx(runs.first(label).wait.sum())


def test_gains_and_planned_starts_are_those_of_the_traces(tmp_path):
    """The report's tables say what Gains and the metrics say of the replays; jobs that lose most come first."""
    workload = synthetic_workload(jobs=200, capacity=32, load=1.2, seed=3)
    traces = {name: replay(workload, name) for name in ("easy", "plan-wait")}
    for name, trace in traces.items():
        write_cell(tmp_path, name, trace)
    write_experiment(tmp_path, list(traces))
    (case,) = cases_of(read_results(tmp_path))
    runs = load(case)
    result = gains.gains_of(runs)
    expected = Gains.of(traces["easy"], traces["plan-wait"])
    (row,) = gains.overview_table(runs, result).rows
    total = expected.total()
    assert (row["gain"], row["lose"]) == (total["gain"], total["lose"])
    assert row["worst"] == expected.jobs["change"].max()
    rows = groups_table(result["plan-wait"], whole=True).rows
    sizes = [one for one in rows if one["by"] == "size"]
    assert [one["change"] for one in sizes] == expected.by("size")["change"].tolist()
    worst = [one["id"] for one in losers_table(result["plan-wait"]).rows]
    assert worst == expected.losers(10)["id"].tolist()
    assert gains.draw_gains(runs, result["plan-wait"]).svg

    assert accuracy.planning_labels(runs) == ["plan-wait"]
    (row,) = accuracy.starts_table(runs, ["plan-wait"]).rows
    frame = traces["plan-wait"].to_frame()
    for key, name in (
        ("first_within_1", "first-plan-within"),
        ("first_early_1", "first-plan-early"),
        ("first_late_1", "first-plan-late"),
        ("last_within_10", "last-plan-within:minutes=10"),
    ):
        assert row[key] == make_metric(name)(frame)
    assert row["first_within_1"] + row["first_early_1"] + row["first_late_1"] == pytest.approx(1)
