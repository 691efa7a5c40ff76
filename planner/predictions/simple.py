"""Predictors of one line: a quotient of the request, or the mean of two run times."""

import numpy as np
from planbatch.planner.kernels.native import kernel

from planbatch.planner.expectation import EXPECTED_RUN_TIMES, Expected
from planbatch.planner.history import Event, History, News
from planbatch.planner.model import FloatArray, IntArray, JobTable
from planbatch.planner.predictions.predictor import Predictor, corrector_of


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
