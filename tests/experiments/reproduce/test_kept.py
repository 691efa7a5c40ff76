"""Replays of a reproduction that are kept: an interrupted one goes on where it was."""

import json
from dataclasses import replace

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.reproduce import run as runs
from planbatch.experiments.reproduce.kept import KeptReplays, ReplayTask
from planbatch.experiments.reproduce.run import REPLAYS, Run
from planbatch.experiments.results.store import ResultsError
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.transform import scale_load

LOAD = synthetic_workload(jobs=60, capacity=16, seed=1, load=1.2)
TASKS = {
    ("easy", "requested"): ReplayTask(LOAD, make_policy("easy")),
    ("easy", "mixed"): ReplayTask(LOAD, make_policy("easy"), "mixed"),
    ("plan", "requested"): ReplayTask(LOAD, make_policy("plan-wait", evaluations=10)),
}


@pytest.fixture
def replayed(monkeypatch):
    """Give the list of the replays that were really run."""
    done = []
    real = runs.replay

    def replay(workload, policy, **options):
        done.append((policy.name, options["estimates"]))
        return real(workload, policy, **options)

    monkeypatch.setattr(runs, "replay", replay)
    return done


def same(one, other):
    """Whether two traces say the same, to the job and the round."""
    columns = ("start", "end", "promise", "first_planned")
    return (one.policy, one.seconds, len(one.rounds)) == (
        other.policy,
        other.seconds,
        len(other.rounds),
    ) and all(
        np.array_equal(a, b, equal_nan=True)
        for a, b in (
            *((getattr(one, name), getattr(other, name)) for name in columns),
            *((vars(one.rounds)[name], vars(other.rounds)[name]) for name in vars(one.rounds)),
        )
    )


def test_a_second_run_replays_nothing(tmp_path, replayed):
    """It reads all traces, seconds and rounds too, and says so where some are missing."""
    told = []
    run = Run(tmp_path, tell=told.append)
    first = run.replays(TASKS)
    assert sorted(replayed) == [
        ("easy", "mixed"),
        ("easy", "requested"),
        ("plan-wait", "requested"),
    ]
    replayed.clear()
    second = run.replays(TASKS)
    assert replayed == []
    assert list(first) == list(second) == list(TASKS)
    assert all(same(first[key], second[key]) for key in TASKS)
    more = TASKS | {"other": ReplayTask(scale_load(LOAD, 1.1), make_policy("easy"))}
    assert list(run.replays(more)) == list(more)
    assert replayed == [("easy", "requested")]
    assert told == ["3 of 4 replays are there already"]


def test_the_same_under_two_names_is_run_once(tmp_path, replayed):
    """Both names get the trace."""
    easy = TASKS["easy", "requested"]
    traces = Run(tmp_path, tell=print).replays({"one": easy, "two": replace(easy)})
    assert list(traces) == ["one", "two"]
    assert replayed == [("easy", "requested")]


def test_after_a_failure_only_what_is_missing_runs(tmp_path, replayed):
    """What was finished before another replay failed is kept; the longest was begun first."""

    def broken(problem, rng):
        raise ZeroDivisionError

    broken.name = "broken"
    run = Run(tmp_path, tell=print)
    with pytest.raises(ZeroDivisionError):
        run.replays(TASKS | {"broken": ReplayTask(LOAD, broken)})
    assert replayed[0] == ("plan-wait", "requested")
    assert replayed[-1] == ("broken", "requested")
    replayed.clear()
    run.replays(TASKS)
    assert replayed == []


def test_other_parameters_are_other_replays(tmp_path):
    """A policy is known by what it does, not by its name."""
    kept = KeptReplays(tmp_path / REPLAYS, print)
    ten = TASKS["plan", "requested"]
    Run(tmp_path, tell=print).replays({0: ten})
    assert kept.find(ten) is not None
    for other in (
        replace(ten, policy=make_policy("plan-wait", evaluations=11)),
        replace(ten, policy=make_policy("plan-wait", optimizer="tabu", evaluations=10)),
        replace(ten, estimates="actual"),
        replace(ten, workload=scale_load(LOAD, 1.1)),
    ):
        assert kept.find(other) is None


def test_what_is_damaged_is_put_aside_and_run_again(tmp_path, replayed):
    """A table that is cut off costs its own replay only."""
    told = []
    run = Run(tmp_path, tell=told.append)
    run.replays(TASKS)
    cells = [path.parent for path in (tmp_path / REPLAYS).glob("cells/*/cell.json")]
    mixed = next(
        cell
        for cell in cells
        if json.loads((cell / "cell.json").read_text())["settings"]["estimates"] == "mixed"
    )
    (mixed / "jobs.parquet").write_bytes(b"PAR1")
    replayed.clear()
    run.replays(TASKS)
    assert replayed == [("easy", "mixed")]
    assert "damaged, and run again" in told[0]
    assert len(list((tmp_path / REPLAYS / "damaged").iterdir())) == 1


def test_two_runs_do_not_share_a_folder(tmp_path):
    """The second is told at once."""
    kept = KeptReplays(tmp_path / REPLAYS, print)
    with kept.alone(), pytest.raises(ResultsError, match="another run"):
        Run(tmp_path, tell=print).replays(TASKS)
