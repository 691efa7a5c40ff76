"""Who gains and who loses between two policies, by hand; means and ranges over seeds."""

import json

import numpy as np
import pytest

import planbatch as pb
from planbatch.experiments import RoundLog
from planbatch.experiments.figures.gains import groups_table, losers_table, picture_of, picture_size
from planbatch.experiments.figures.style import drawing
from planbatch.experiments.studies.compare import compare
from planbatch.experiments.studies.seeds import SeedComparison, compare_seeds
from planbatch.experiments.workloads.lublin import synthetic_workload
from tests.builders import workload_of


def trace(policy, waits, **columns):
    n = len(waits)
    workload = pb.Workload(
        capacity=8, submit=np.arange(n) * 100, procs=np.array(columns.get("procs", [1] * n)),
        walltime=np.array(columns.get("walltime", [600] * n)), runtime=np.ones(n, np.int64),
        id=np.arange(1, n + 1), name="made", user=np.array([1, 1, 2, 2][:n]),
    )  # fmt: skip
    start = workload.submit + np.array(waits)
    never = np.full(n, pb.NEVER)
    empty = [np.zeros(0, np.int64)] * 5 + [np.zeros(0)] * 2
    return pb.Trace(workload, policy, start, start + 1, RoundLog(*empty), 0.0, never)


def test_by_hand() -> None:
    """Waits 0, 100, 50, 400 → 0, 0, 90, 1000: one gains (100 s), one loses (600 s), 40 s are no change."""
    shape = {"procs": [1, 4, 5, 8], "walltime": [600, 601, 3600, 90000]}
    gains = pb.Gains.of(trace("a", [0, 100, 50, 400], **shape), trace("b", [0, 0, 90, 1000], **shape))
    total = gains.total()
    assert (total["jobs"], total["before"], total["after"]) == (4, 137.5, 272.5)
    assert (total["gain"], total["lose"], total["loss"]) == (0.25, 0.25, 600)
    assert gains.by("size").index.tolist() == ["≤ 1", "≤ 4", "≤ 16"]
    assert gains.by("size")["change"].tolist() == [0, -100, 320]
    assert gains.by("length").index.tolist() == ["≤ 10 min", "≤ 1 h", "> 24 h"]
    assert gains.by("user")["change"].tolist() == [-50, 320]
    assert gains.losers(2)["id"].tolist() == [4, 3]


def test_the_waits_of_a_table_have_one_unit() -> None:
    """In the heading: hours, since most waits are hours; the file has seconds."""
    gains = pb.Gains.of(trace("a", [0, 1800, 7200, 14400]), trace("b", [0, 900, 7200, 90000]))
    assert groups_table(gains).texts()[0][2:5] == ["mean wait before (h)", "mean wait after (h)", "change (h)"]
    headings, rows = losers_table(gains).texts()
    assert headings[-3:] == ["wait before (h)", "wait after (h)", "change (h)"]
    assert rows[0][-3:] == ["4.00", "25.00", "+21.00"]
    assert rows[-1][-3:] == ["0.50", "0.25", "-0.25"]
    assert losers_table(gains).csv().splitlines()[1].endswith(",14400,90000,75600")


def test_the_picture_has_a_panel_for_each_column_with_several_groups() -> None:
    """Two users, no queue, one week."""
    gains = pb.Gains.of(trace("a", [0, 100, 50, 400]), trace("b", [0, 0, 90, 1000]))
    with drawing(*picture_size(gains)) as figure:
        picture_of(gains, figure)
        titles = [axes.get_title(loc="left").splitlines()[0] for axes in figure.axes]
    assert titles == ["job by job", "by processors", "by walltime", "by user"]


def test_other_jobs_are_refused() -> None:
    with pytest.raises(ValueError, match="different jobs"):
        pb.Gains.of(trace("a", [0, 1]), trace("b", [0, 1, 2]))


@pytest.mark.integration
def test_the_command(run, tmp_path):
    words = ("compare", "--policy", "fcfs", "--policy", "easy", "--first", 300, "--jobs", 1)
    code, out, _ = run(*words, "--against", "fcfs", "--out", "res")
    assert code == 0
    assert "from fcfs to easy" in out
    assert "lose most" in out
    names = {path.name for path in (tmp_path / "res").glob("gains-*")}
    assert {
        "gains-fcfs-easy.png",
        "gains-fcfs-easy-user.csv",
        "gains-fcfs-easy-week.csv",
        "gains-fcfs-easy-losers.csv",
    } <= names


# Means, ranges and differences over seeds.


def test_means_and_ranges_are_those_of_the_seeds():
    """Policies that draw nothing have no range; against themselves nothing changes."""
    workload = synthetic_workload(jobs=300, capacity=32, load=1.1)
    policies = ["easy", "plan-squared-wait:evaluations=5", "fcfs"]
    seeds = compare_seeds(workload, policies, seeds=3, seed=1)
    assert [comparison.seed for comparison in seeds.comparisons] == [1, 2, 3]
    comparisons, table = seeds.comparisons, seeds.to_frame()
    waits = [comparison.metrics[policies[1]].mean_wait for comparison in comparisons]
    plan = table.loc[policies[1]]
    assert plan["mean_wait"] == pytest.approx(np.mean(waits))
    assert (plan["mean_wait_low"], plan["mean_wait_high"]) == (min(waits), max(waits))
    easy = comparisons[0].metrics["easy"]
    assert table.loc["easy", ["mean_wait", "mean_wait_low", "max_wait_high"]].tolist() == [
        easy.mean_wait, easy.mean_wait, easy.max_wait,
    ]  # fmt: skip
    change = comparisons[0].metrics["fcfs"].mean_wait / easy.mean_wait - 1
    assert table.loc["fcfs", "change"] == pytest.approx(change)


def test_a_difference_needs_months():
    """One that is the same in each of four months is one; within a month nothing is claimed."""
    # Each month a wide job blocks the next one for 50 s, which a short one may fill under EASY.
    month = [(0, 2, 100), (1, 4, 50), (2, 2, 90)]
    jobs = [(k * 30 * 86400 + at, procs, length) for k in range(4) for at, procs, length in month]
    for months, differs in ((4, True), (1, False)):
        workload = workload_of(4, jobs[: 3 * months])
        comparison = SeedComparison((compare(workload, ["fcfs", "easy"]),))
        last = comparison.to_frame().loc["fcfs"]
        assert last["change"] == pytest.approx((99 + 148) / 99 - 1)
        assert last["differs"] == differs


def test_the_command_shows_ranges_over_seeds(run):
    """For people and for programs: the mean of the seeds, the least and the most, and the change against EASY."""
    words = [
        "compare",
        "--first",
        "150",
        "--policy",
        "easy",
        "--policy",
        "plan-wait:evaluations=5",
        "--seeds",
        "2",
        "--no-out",
        "--jobs",
        "1",
    ]
    code, out, _ = run(*words)
    assert code == 0
    assert "2 seeds: mean (least … most)" in out
    assert "change against easy" in out
    code, out, _ = run(*words, "--json")
    rows = json.loads(out)["spread"]
    assert [row["policy"] for row in rows] == ["easy", "plan-wait:evaluations=5"]
    assert rows[0]["change"] is None
    assert rows[1]["mean_wait_low"] <= rows[1]["mean_wait"] <= rows[1]["mean_wait_high"]
