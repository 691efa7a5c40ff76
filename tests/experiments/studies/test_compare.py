"""Comparing policies: the same for any number of processes, and whole after an interrupt."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.plan_based import PlanBased
from planbatch.experiments.figures.comparison import axis_end, draw_mean_waits, draw_waits, write_comparison
from planbatch.experiments.figures.panels import left_edge
from planbatch.experiments.replay import task as task_module
from planbatch.experiments.replay.metrics import summary
from planbatch.experiments.replay.replay import ReplayError
from planbatch.experiments.studies.compare import compare, comparison_table
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan
from tests.builders import Quitter, assert_same, trace_of, workload_of

NAMES = ("fcfs", "easy", "conservative", "plan-wait")


@pytest.fixture(scope="module")
def workload():
    return synthetic_workload(jobs=120, capacity=32, seed=2, load=1.1)


@pytest.fixture
def policies():
    return [make_policy(name, evaluations=20 if "plan" in name else None) for name in NAMES]


@pytest.mark.integration
def test_results_do_not_depend_on_the_number_of_processes(workload, policies):
    """One process or two: the same traces in the same order, with progress to the end."""
    counts: dict[int, int] = {}
    alone = compare(workload, policies, seed=4)
    together = compare(workload, policies, seed=4, jobs=2, progress=counts.__setitem__)
    assert list(alone.traces) == list(together.traces) == list(NAMES)
    for name in NAMES:
        assert_same(alone.traces[name], together.traces[name])
    assert counts == dict.fromkeys(range(4), 120)
    assert together.unfinished == ()


def test_results_do_not_depend_on_the_other_policies(workload, policies):
    """A policy draws from the seed alone."""
    all_of_them = compare(workload, policies, seed=4)
    alone = compare(workload, policies[3:], seed=4)
    assert_same(all_of_them.traces["plan-wait"], alone.traces["plan-wait"])


def test_an_interrupt_keeps_the_policies_that_finished(workload, policies, monkeypatch):
    """Ctrl-C during the third replay leaves two results, and names the others."""
    real = task_module.replay

    def interrupted(workload, policy, **options):
        if policy.name == "conservative":
            raise KeyboardInterrupt
        return real(workload, policy, **options)

    monkeypatch.setattr(task_module, "replay", interrupted)
    comparison = compare(workload, policies)
    assert list(comparison.traces) == ["fcfs", "easy"]
    assert comparison.unfinished == ("conservative", "plan-wait")


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_optimizer_that_says_it_was_interrupted_fails_alone(workload, jobs):
    """Nobody pressed Ctrl-C: the policies behind it run."""
    policies = [PlanBased("wait", Quitter()), make_policy("easy")]
    comparison = compare(workload, policies, jobs=jobs, keep_going=True)
    assert list(comparison.finished) == ["easy"]
    assert comparison.unfinished == ()
    (failure,) = comparison.failed.values()
    assert "optimizer quitter returned the status INTERRUPTED in the round at" in failure.error


def test_frame_has_a_row_for_each_policy(workload, policies):
    frame = compare(workload, policies).to_frame()
    assert list(frame.index) == list(NAMES)
    assert (frame["jobs"] == 120).all()
    assert {"mean_wait", "p95_wait", "max_wait", "utilisation", "rounds", "seconds"} <= {*frame}
    assert compare(workload, "fcfs").to_frame().index.tolist() == ["fcfs"]


def test_a_comparison_is_short_in_a_notebook(workload, policies):
    """Its table is the command's; its traces and replays have tables of their own."""
    comparison = compare(workload, [*policies, never], keep_going=True)
    assert len(repr(comparison)) < 250
    assert "no result: never" in repr(comparison)
    html = comparison._repr_html_()
    assert '<th scope="col" style="text-align: right">mean wait (' in html
    assert "no result: never (ReplayError: policy never left" in html
    assert len(html) < 4000
    name = policies[0].name
    trace, finished = comparison.traces[name], comparison.finished[name]
    assert repr(trace).startswith(f"Trace({name} on {workload.name}: 120 jobs, ")
    assert "mean wait" in trace._repr_html_()
    assert name in repr(finished)
    assert "mean bounded slowdown" in finished._repr_html_()
    assert repr(trace.rounds) == f"RoundLog({len(trace.rounds)} rounds)"


def test_pictures_draw_where_they_are_asked_to(workload, policies):
    """On given axes, which they return; each function of a comparison."""
    comparison = compare(workload, policies)
    axes = Figure().subplots(1, 2)
    assert draw_waits(comparison, ax=axes[0]) is axes[0]
    assert draw_mean_waits(comparison, ax=axes[1]) is axes[1]
    assert len(axes[0].lines) == len(policies) == len(axes[1].patches)


def test_names_have_to_differ(workload):
    """Two policies of one name could not be reported apart."""
    with pytest.raises(ValueError, match="fcfs is named more than once"):
        compare(workload, [make_policy("fcfs"), make_policy("fcfs")])
    with pytest.raises(ValueError, match="jobs: 0"):
        compare(workload, [make_policy("fcfs")], jobs=0)


@pytest.mark.integration
def test_pictures_and_numbers_are_written(workload, policies, tmp_path):
    """A file of numbers, pictures as PNG and SVG: byte for byte the same again."""
    comparison = compare(workload, policies)
    write_comparison(comparison, tmp_path / "one")
    write_comparison(comparison, tmp_path / "two")
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == [
        "comparison.csv", "mean-wait.png", "mean-wait.svg", "trade-off.png", "trade-off.svg", "waits.png", "waits.svg",
    ]  # fmt: skip
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert "plan-squared-wait" not in (tmp_path / "one" / "waits.svg").read_text()
    assert "plan-wait" in (tmp_path / "one" / "waits.svg").read_text()


def test_pictures_of_no_waits_at_all(tmp_path):
    """Where nobody waits, there is still something to draw."""
    idle = synthetic_workload(jobs=3, capacity=4096, seed=1)
    write_comparison(compare(idle, [make_policy("easy")]), tmp_path)
    assert (tmp_path / "waits.png").stat().st_size > 1000


def test_table_without_the_reference(workload, policies):
    """Without EASY there is no column of changes."""
    with_easy = comparison_table(compare(workload, policies))
    without = comparison_table(compare(workload, policies[:1]))
    assert len(with_easy.columns) == len(without.columns) + 1
    assert len(with_easy.rows) == 4


def test_left_edge_lies_below_the_short_waits():
    """Jobs that do not wait have no place on a logarithmic axis, short waits have."""
    none = np.zeros(100)
    some = np.concatenate([np.zeros(50), np.linspace(30, 3000, 50)])
    assert left_edge({"none": none, "some": some}) == 60
    assert left_edge({"some": np.full(10, 5.0)}) == 1


def test_axis_ends_before_a_bar_that_is_far_too_long():
    """FCFS may wait for ten times as long as all others."""
    assert axis_end([3.0, 4.0, 100.0]) == 4.0
    assert axis_end([3.0, 4.0, 9.0]) == 9.0
    assert axis_end([0.0, 0.0]) == 1.0


def never(problem, rng):
    return Plan(np.full(len(problem), NEVER))


@pytest.mark.integration
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_policy_that_breaks_the_rules_ends_the_comparison(workload, jobs):
    """With its name, also out of another process."""
    with pytest.raises(ReplayError, match="policy never left 120 jobs waiting"):
        compare(workload, [never, make_policy("fcfs")], jobs=jobs)


def test_what_is_reported_of_a_replay():
    """The policy's name first; rounds and seconds last."""
    report = summary(trace_of(workload_of(1, [(0, 1, 5, 5)]), [0]))
    assert next(iter(report)) == "policy"
    assert list(report)[-2:] == ["rounds", "seconds"]
    assert (report["policy"], report["jobs"], report["rounds"]) == ("by-hand", 1, 1)
