"""Predictors of run times by name: what replays with the estimates ``predicted:NAME`` plan with."""

from typing import Any

from planbatch import _core
from planbatch.planner.history.boosted import boosted
from planbatch.planner.history.expectation import EXPECTED_RUN_TIMES, Expected
from planbatch.planner.history.history import History
from planbatch.planner.history.predictor import Predictor, corrector_of
from planbatch.planner.registry.registry import Registry

LAST_TWO = History(_core.LastTwo())
E_LOSS = History(_core.ELoss())
#: The column of both with the prediction.
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


def e_loss(correction: str = "at-start") -> Predictor:
    """Online regression on the user's last and running jobs, the request and the time of day, once, at submission.

    Gaussier, Glesser, Reis, Trystram: "Improving Backfilling by using Machine Learning to predict Running Times"
    (SC 2015). Errors of large jobs weigh more, and those of predictions that are too long. The features and the
    regression are in the core (``core/user_history/e_loss.hpp``, ``normalized_regression.hpp``).
    """
    return Predictor(E_LOSS, _PREDICTION, corrector_of(correction))


PREDICTORS: dict[str, Any] = {"ratio": ratio, "last-two": last_two, "e-loss": e_loss, "boosted": boosted}
"""Name → maker of the predictor.

Examples
--------
>>> import planbatch as pb
>>> sorted(pb.PREDICTORS)
['boosted', 'e-loss', 'last-two', 'ratio']
"""


def _accept(predictor: object, name: str, values: tuple[Any, ...]) -> Predictor:  # noqa: ARG001
    if not isinstance(predictor, Predictor):
        raise ValueError(f"predictor {name}: {predictor!r} is not a Predictor")
    return predictor


#: The predictors, packages' and users' own among them.
PREDICTOR_NAMES = Registry("predictor", PREDICTORS, (), _accept, "predictors")
