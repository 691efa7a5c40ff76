"""The measurement of predictors."""

import pytest

from planbatch.experiments.bench.predictions import measure_predictions
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.predictors import PREDICTORS

pytest.importorskip("sklearn", reason="needs the extra predictions")


def test_every_predictor_is_set_beside_requests():
    """Two rows each: processor time, and how many times that by requests."""
    rows = list(measure_predictions(synthetic_workload(jobs=100, capacity=16)))
    assert [row.name for row in rows[::2]] == [f"predicted:{name}" for name in PREDICTORS]
    assert {row.unit for row in rows[1::2]} == {"× requests"}
    assert all(row.value > 0 for row in rows)
