"""The time of rounds against the number of waiting jobs."""

import numpy as np
import pytest

from planbatch.experiments.bench.growth import LONG, Growth, measure_growth, queue_of
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
            assert np.isnan(slow) == (seconds < LONG)
    growth_picture(found, tmp_path / "growth.svg")
    text = (tmp_path / "growth.svg").read_text()
    assert "waiting jobs" in text
    assert "conservative (" in text
