"""The trade between mean and maximum wait: the front, the points, the command and its picture."""

import csv
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.figures.style import logarithmic_ticks
from planbatch.experiments.studies.trade import choices, pareto_front, trade
from planbatch.experiments.workloads.lublin import synthetic_workload
from tests.builders import workload_of

COSTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14)


@given(COSTS)
def test_front_against_brute_force(costs):
    """A point is on the front if no other is better in one cost and no worse in the other; ties are many here."""
    expected = [not any(a <= c and b <= d and (a, b) != (c, d) for a, b in costs) for c, d in costs]
    assert pareto_front(np.array(costs, dtype=float)).tolist() == expected


def test_front_by_hand():
    """Stairs of three points; one above them, one equal to a stair.

    ::

        3 | x              1: (1, 3)  2: (2, 2)  3: (2, 2)  4: (3, 2)  5: (4, 0)
        2 |    xx  .
        0 |           x
    """
    costs = np.array([(1.0, 3.0), (2.0, 2.0), (2.0, 2.0), (3.0, 2.0), (4.0, 0.0)])
    assert pareto_front(costs).tolist() == [True, True, True, False, True]


def test_choices_cross_policies_that_plan_with_promises():
    """EASY is always there and first; policies without promises come once, names twice count once."""
    listed = choices(("plan-wait", "fcfs", "plan-wait"), ("none", "2x", "2x"))
    assert [(choice.name, choice.promise) for choice in listed] == [
        ("easy", "none"),
        ("plan-wait", "none"),
        ("plan-wait", "2x"),
        ("fcfs", "none"),
    ]
    with pytest.raises(ValueError, match=r"^promise: "):
        choices(("plan-wait",), ("soon",))


def test_ratios_are_to_easy_on_the_same_workload():
    """EASY's own are 1; the others' times EASY's waits are theirs; every front has a point."""
    workloads = [synthetic_workload(jobs=200, capacity=64, load=load) for load in (0.8, 1.1)]
    workloads = [w.take(slice(None), name=f"w{i}") for i, w in enumerate(workloads)]
    seen = {}
    result = trade(
        workloads,
        choices(("plan-wait", "fcfs"), ("none", "1x")),
        progress=seen.__setitem__,
    )
    assert seen == dict.fromkeys(range(8), 200)
    assert list(result.by_workload()) == ["w0", "w1"]
    for points in result.by_workload().values():
        easy = points[0]
        assert (easy.policy, easy.mean_ratio, easy.max_ratio) == ("easy", 1.0, 1.0)
        assert any(point.on_front for point in points)
        for point in points:
            assert point.mean_ratio * easy.mean_wait == pytest.approx(point.mean_wait)
            assert point.max_ratio * easy.max_wait == pytest.approx(point.max_wait)


def test_processes_change_nothing():
    """One process or two, and whatever else is replayed: the same points, in the same order."""
    workload = synthetic_workload(jobs=150, capacity=64, load=0.9)
    listed = choices(("plan-wait",), ("none", "2x"))
    one = trade([workload], listed)
    assert trade([workload], listed, jobs=2) == one
    alone = trade([workload], choices(("plan-wait",), ("2x",)))
    assert alone.points[1].max_wait == one.points[2].max_wait


def test_what_cannot_be_compared_is_refused():
    """Two workloads of one name; no reference; nobody waits."""
    idle = workload_of(4, [(0, 1, 10), (20, 1, 10)], name="idle")
    with pytest.raises(ValueError, match=r"^workloads: idle is given more than once"):
        trade([idle, idle], choices((), ("none",)))
    with pytest.raises(ValueError, match=r"^policies: "):
        trade([idle], choices((), ("none",))[1:])
    with pytest.raises(ValueError, match=r"^idle: no job waits under EASY"):
        trade([idle], choices((), ("none",)))


def test_an_interrupt_keeps_finished_points(monkeypatch):
    """The third replay is interrupted: two points, and the rest counted."""
    from planbatch.experiments.replay import task as module

    original = module.replay

    def replay(workload, policy, **options):
        if policy.name == "plan-wait":
            raise KeyboardInterrupt
        return original(workload, policy, **options)

    monkeypatch.setattr(module, "replay", replay)
    workload = synthetic_workload(jobs=100, capacity=64, load=1.0)
    result = trade([workload], choices(("fcfs", "plan-wait"), ("none", "2x")))
    assert [point.policy for point in result.points] == ["easy", "fcfs"]
    assert result.unfinished == 2


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (45.0, 240.0, [50.0, 100.0, 200.0]),
        (0.9, 2.2, [1.0, 1.5, 2.0]),
        (0.9, 1.3, [0.9, 1.0, 1.2]),
        (0.5, 2000.0, [1.0, 10.0, 100.0, 1000.0]),
    ],
)
def test_ticks_of_logarithmic_axes(low, high, ticks):
    """Three at least, and round."""
    assert logarithmic_ticks(low, high) == ticks


FEW = ("--first", 300, "--evaluations", 10, "--jobs", 1)


def test_command_on_the_embedded_workload(run, tmp_path):
    """A table with the front marked, one JSON object, and the same points as CSV; pictures in two formats."""
    words = ("--policy", "plan-wait", "--policy", "fcfs", "--promise", "none", "--promise", "1x")
    code, out, err = run("trade", *FEW, *words, "--out", "pictures")
    assert code == 0
    assert "on the Pareto front" in out
    assert "trade.png, trade.svg, trade.csv and the replays written to pictures" in err
    with (tmp_path / "pictures/trade.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert (tmp_path / "pictures/trade.png").read_bytes().startswith(b"\x89PNG")
    drawn = (tmp_path / "pictures/trade.svg").read_text()
    assert "plan-wait" in drawn
    code, out, _ = run("trade", *FEW, *words, "--out", "pictures", "--json")
    assert code == 0
    assert out.count("\n") == 1
    points = json.loads(out)["points"]
    assert [(point["policy"], point["promise"]) for point in points] == [
        ("easy", "none"),
        ("plan-wait", "none"),
        ("plan-wait", "1x"),
        ("fcfs", "none"),
    ]
    assert [float(row["max_ratio"]) for row in rows] == [point["max_ratio"] for point in points]
    assert (tmp_path / "pictures/trade.svg").read_text() == drawn


LOG = """\
; MaxProcs: 8
1   0 -1  30 2 -1 -1  2  30 -1 1 1 1 -1 1 1 -1 -1
2   1 -1  20 3 -1 -1  3  20 -1 1 1 1 -1 1 1 -1 -1
3   2 -1  10 1 -1 -1  1  10 -1 1 1 1 -1 1 1 -1 -1
"""


def test_capacity_behind_the_name(run, tmp_path):
    """Several logs, each with a machine of its own."""
    (tmp_path / "one.swf").write_text(LOG)
    (tmp_path / "two.swf").write_text(LOG)
    code, out, _ = run("trade", "one.swf@3", "two.swf@4", "--policy", "fcfs", "--json", "--jobs", 1)
    assert code == 0
    waits = [(p["workload"], p["policy"], p["mean_wait"]) for p in json.loads(out)["points"]]
    assert waits == [
        ("one", "easy", 29 / 3), ("one", "fcfs", (29 + 48) / 3),
        ("two", "easy", 29 / 3), ("two", "fcfs", (29 + 28) / 3),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nowhere.swf",), "nowhere.swf: there is no such file"),
        (("--policy", "esy"), "policy: there is no 'esy'; did you mean easy?"),
        (("--promise", "soon"), "promise: cannot read 'soon'"),
        (("--seed", "-1"), "seed: -1 is negative"),
        (("one.swf@3", "--capacity", 4), "capacity: give either --capacity or one.swf@3, not both"),
        (("--first", 5), "no job waits under EASY"),
        (("--evaluations", -1), "budget: -1 is not a number of evaluations"),
    ],
)
def test_bad_input_is_told_in_one_sentence(run, words, told):
    """Exit code 2, nothing on standard output."""
    code, out, err = run("trade", *words, "--jobs", 1)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("planbatch: ")
    assert told in err
