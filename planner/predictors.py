"""Predictors of run times by name: what replays with the estimates ``predicted:NAME`` plan with.

Kill time and prediction are two things (Tsafrir, Etsion, Feitelson, TPDS 2007): jobs are killed at their request, and
planned with the prediction. A predictor is a :class:`~planbatch.planner.history.History`, one of whose columns is the
predicted run time; so it is shown a run time when the job has ended, and no other way. A job that outlives its
prediction is given another by a *corrector*, in the next round that there is.

By default only waiting jobs are planned by predictions, and running ones hold what they have until their requests end:
where these count by predictions, too, what is reserved for the largest jobs is put off again and again.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from planbatch.planner.expectation import EXPECTED_RUN_TIMES, Expected
from planbatch.planner.history import Event, History, News
from planbatch.planner.kernels.native import kernel
from planbatch.planner.model import FloatArray, IntArray, JobTable
from planbatch.planner.plugins.registry import Registry


class Corrector(IntEnum):
    """What a job is believed to take once it has outlived its prediction; at most its request."""

    INCREMENTAL = 0  #: the prediction and 1, 5, 15, 30 min, 1, 2, 5, 10, 20, 50, 100 h, the first that is enough
    DOUBLING = 1  #: the prediction, doubled until it is enough
    REQUEST = 2  #: the request
    AT_START = 3  #: the request, as soon as it runs: only waiting jobs are planned by predictions


@dataclass(frozen=True)
class Predictor:
    """What predicts the run times of waiting jobs.

    Attributes
    ----------
    history : History
        What it keeps of the past.
    column : int
        The column of ``jobs.past`` with the predicted run time (s), rounded down and held between one second and the
        request. NaN is the request.
    corrector : Corrector
        What corrects a prediction that a job outlives.
    """

    history: History
    column: int
    corrector: Corrector = Corrector.AT_START


def corrector_of(name: str) -> Corrector:
    """Return a corrector by its name.

    Raises
    ------
    ValueError
        If there is none of this name.
    """
    names = [corrector.name.lower().replace("_", "-") for corrector in Corrector]
    if name not in names:
        raise ValueError(f"correction: {name!r} is none of {', '.join(names)}")
    return Corrector(names.index(name))


def ratio(correction: str = "at-start") -> Predictor:
    """The request times the mean quotient of run time and request of the user's last 64 ended jobs.

    Predictions of waiting jobs change as jobs of their users end; see :mod:`expectation`.
    """
    return Predictor(EXPECTED_RUN_TIMES, Expected.RUN, corrector_of(correction))


# Columns of the memory of last-two: how many jobs of the user have ended, and the run times of the last two.
_ENDED, _LAST, _LAST_BUT_ONE = 1, 2, 3
_PREDICTION = 1


@kernel
def follow_last_two(news: IntArray, memory: FloatArray, jobs: JobTable, now: int) -> None:
    """Remember the run times of each user's last two ended jobs; predict a job once, at its submission."""
    for k in range(len(news)):
        if news[k, News.EVENT] == Event.ENDED:
            row = memory[news[k, News.USER]]
            row[_ENDED] += 1.0
            row[_LAST_BUT_ONE] = row[_LAST]
            row[_LAST] = news[k, News.RUNTIME]
    for i in range(len(jobs.submit)):
        if np.isnan(jobs.past[i, _PREDICTION]):
            row = memory[int(jobs.past[i, 0])]
            known = row[_ENDED] >= 2.0
            mean = (row[_LAST] + row[_LAST_BUT_ONE]) / 2.0
            jobs.past[i, _PREDICTION] = np.floor(mean) if known else float(jobs.walltime[i])


LAST_TWO = History(follow_last_two, 4, 1)


def last_two(correction: str = "at-start") -> Predictor:
    """The mean of the run times of the user's last two ended jobs; the request until two have ended.

    Tsafrir, Etsion, Feitelson: "Backfilling Using System-Generated Predictions Rather than User Runtime Estimates"
    (TPDS 2007). With ``easy:fcfs/sjf`` and ``correction=incremental`` this is EASY++.
    """
    return Predictor(LAST_TWO, _PREDICTION, corrector_of(correction))


#: The predictors by name.
PREDICTORS: dict[str, Any] = {"ratio": ratio, "last-two": last_two}


def _accept(predictor: Any, name: str, values: tuple[Any, ...]) -> Predictor:
    if not isinstance(predictor, Predictor):
        raise ValueError(f"predictor {name}: {predictor!r} is not a Predictor")
    return predictor


#: The predictors, packages' and users' own among them.
PREDICTOR_NAMES = Registry("predictor", PREDICTORS, (), _accept, "predictors")
