"""Metrics of how well run times were predicted; where nothing was, of the requests."""

from typing import TYPE_CHECKING

import numpy as np

from planbatch.planner.model import FloatArray

if TYPE_CHECKING:
    from pandas import DataFrame


def relative_errors(predicted: FloatArray, runtime: FloatArray) -> FloatArray:
    """Return |p − r| / max(p, r) of predictions p and run times r (s): 0 if exact, below 1; shape (n,).

    It is 1 less the accuracy of Tsafrir, Etsion, Feitelson (TPDS 2007), who divide the smaller by the larger.
    """
    errors: FloatArray = np.abs(predicted - runtime) / np.maximum(predicted, runtime)
    return errors


def _believed(jobs: "DataFrame") -> FloatArray:
    """Return what was believed of each job: the prediction, or the request where there is none."""
    believed: FloatArray = jobs["predicted"].fillna(jobs["walltime"]).to_numpy(dtype=np.float64)
    return believed


def prediction_error(jobs: "DataFrame") -> float:
    """The mean of |p − run| / max(p, run), p what a job was believed to take when it started: 0 if exact, below 1."""
    return float(relative_errors(_believed(jobs), jobs["runtime"].to_numpy(np.float64)).mean())


def underestimated(jobs: "DataFrame") -> float:
    """The share of the jobs that ran for longer than they were believed to when they started."""
    return float((jobs["runtime"].to_numpy(np.float64) > _believed(jobs)).mean())
