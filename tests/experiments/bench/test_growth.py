"""The time of rounds against the number of waiting jobs."""

import json

import pytest

from planbatch.experiments.bench.growth import LONG, Growth, measure_growth, queue_of
from planbatch.experiments.command.bench import show_growth
from planbatch.experiments.views.growth_picture import growth_picture


def test_the_slope_is_the_exponent_over_the_last_decade():
    """Linear up to 100 jobs, quadratic from there on; of one length alone, nothing is known."""
    growth = Growth("any", [10, 100, 300, 1000], [1, 10, 90, 1000], [])
    assert growth.slope == pytest.approx(2, abs=0.01)
    assert str(Growth("any", [10], [1.0], []).slope) == "nan"


def test_queues_are_as_long_as_wanted(tmp_path):
    """All wait from the beginning; the rounds that are timed see about as many; the picture has a line for each."""
    workload = queue_of(300)
    assert (workload.submit[:300] == 0).all()
    found = list(measure_growth(["easy", "conservative"], [100, 300]))
    assert [growth.policy for growth in found] == ["easy", "conservative"]
    for growth in found:
        assert len(growth.waiting) == len(growth.seconds) == 2
        assert growth.waiting[1] == pytest.approx(300, rel=0.7)
        assert min(growth.seconds) > 0
        for seconds, slow in zip(growth.seconds, growth.slow, strict=True):
            assert (slow is None) == (seconds < LONG)
    growth_picture(found, tmp_path / "growth.svg")
    text = (tmp_path / "growth.svg").read_text()
    assert "waiting jobs" in text
    assert "conservative (" in text


def test_programs_get_null_for_what_is_not_known(monkeypatch, capsys):
    """A slope of one point, and the 99th percentile of a short round: NaN would be no JSON."""
    known = Growth("any", [10], [1e-6], [None])
    monkeypatch.setattr("planbatch.experiments.bench.growth.measure_growth", lambda names: [known])
    show_growth(("any",), None, as_json=True)
    (row,) = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert (row["policy"], row["slope"], row["slow"]) == ("any", None, [None])
