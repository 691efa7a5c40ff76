"""HPCOpt's leaderboard and ILOS's protocol: the rules, by hand, and the reports."""

import pytest

from planbatch.experiments.replay.replay import replay
from planbatch.experiments.reproduce.hpcopt_2026 import LOGS, SLOWDOWN, measure
from planbatch.experiments.reproduce.ilos_2026 import WINDOW, blocking_starts, search_order, window
from planbatch.experiments.reproduce.zhang_2020_simulator import SequenceJob, SequenceMachine
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.model import Workload
from tests.experiments.reproduce.commands import reproduced

JOBS = [SequenceJob(-1, 10, 10, 3), SequenceJob(-2, 5, 5, 2), SequenceJob(-3, 1, 1, 1)]


def test_the_head_of_an_order_blocks():
    """Four processors: the second job waits for the first, and the third, which would fit, for the second."""
    assert blocking_starts(JOBS, [0, 1, 2], 4).tolist() == [0, 10, 10]
    assert blocking_starts(JOBS, [2, 1, 0], 4).tolist() == [5, 0, 0]
    assert blocking_starts(JOBS, [1], 4).tolist() == [-1, 0, -1]


def test_the_papers_search_finds_the_best_of_three():
    """Of six orders, only those that end with the long job cost 0 + 0 + 5."""
    order = search_order(JOBS, [0, 1, 2], 4)
    assert order[-1] == 0


def test_windows_wait_since_the_thousand_seconds_before():
    """Each submission is drawn once, and equal places give equal windows."""
    machine = SequenceMachine(tuple(SequenceJob(0, 0, -1, 1) for _ in range(100)), 4)
    submit = [job.submit for job in window(machine, 7)]
    assert len(set(submit)) == WINDOW
    assert submit == sorted(submit, reverse=True)
    assert -1000 < submit[-1] <= submit[0] <= 0
    assert submit == [job.submit for job in window(machine, 7)]
    assert {(job.run, job.request) for job in window(machine, 7)} == {(1, 1)}


def test_the_slowdown_has_a_floor_of_a_minute():
    """One processor, jobs of 30 and 120 s: (0 + 30) / 60 and (30 + 120) / 120; the 95th percentile of 0.5 and 1.25."""
    workload = Workload("two", 1, [1, 2], [0, 0], [1, 1], [30, 120], [30, 120])
    assert measure(replay(workload, "fcfs"))[SLOWDOWN] == pytest.approx(0.5 + 0.95 * 0.75)


@pytest.mark.integration
@pytest.mark.parametrize("paper", ["hpcopt-2026", "ilos-2026"])
def test_reports(tmp_path, paper):
    """The command writes rows for each policy; the published values are for whole logs only."""
    logs = {LOGS["HPC2N"]: synthetic_workload(jobs=300, capacity=32, seed=1, load=0.8)}
    rows = reproduced(tmp_path, paper, logs).rows
    assert {row["workload"] for row in rows} >= {"HPC2N"}
    assert all(row["paper"] == "" and row["ours"] != "" for row in rows)
