"""Predictors of one line: a quotient of the request, or the mean of two run times."""

from planbatch import _core
from planbatch.planner.expectation import EXPECTED_RUN_TIMES, Expected
from planbatch.planner.history import History
from planbatch.planner.predictions.predictor import Predictor, corrector_of

LAST_TWO = History(_core.LastTwo())
_PREDICTION = 1


def ratio(correction: str = "at-start") -> Predictor:
    """The request times the mean quotient of run time and request of the user's last 64 ended jobs.

    Predictions of waiting jobs change as jobs of their users end; see :mod:`expectation`.
    """
    return Predictor(EXPECTED_RUN_TIMES, Expected.RUN, corrector_of(correction))


def last_two(correction: str = "at-start") -> Predictor:
    """The mean of the run times of the user's last two ended jobs; the request until two have ended.

    Tsafrir, Etsion, Feitelson: "Backfilling Using System-Generated Predictions Rather than User Runtime Estimates"
    (TPDS 2007). With ``easy:fcfs/sjf`` and ``correction=incremental`` this is EASY++.
    """
    return Predictor(LAST_TWO, _PREDICTION, corrector_of(correction))
