"""Means, ranges and differences over seeds."""

import json

import numpy as np
import pytest

from planbatch.experiments.studies.compare import compare
from planbatch.experiments.studies.seeds import SeedComparison, compare_seeds
from planbatch.experiments.workloads.lublin import synthetic_workload
from tests.builders import workload_of


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
