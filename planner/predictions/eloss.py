"""E-Loss: online regression that would rather predict too little, and weighs the errors of large jobs more.

Gaussier, Glesser, Reis, Trystram: "Improving Backfilling by using Machine Learning to predict Running Times" (SC 2015).
The features are those of the published code. The regression is that of Ross, Mineiro, Langford: "Normalized Online
Learning" (UAI 2013): the error e of a prediction costs weight · e² if it is above the run time, weight · |e| if below.
"""

import math

import numpy as np
from planbatch.planner.kernels.native import borrowing_kernel, kernel

from planbatch.planner.history import Event, History, News, shared_numbers
from planbatch.planner.model import FloatArray, IntArray, JobTable
from planbatch.planner.predictions.predictor import Predictor, corrector_of
from planbatch.planner.predictions.users import (
    CHAIN,
    LAST,
    WIDTH,
    Of,
    Own,
    kept_from,
    note_end,
    note_start,
)

#: Weight of the L2 penalty, and learning rate.
PENALTY, RATE = 4e9, 5000.0
DAY, WEEK = 86400, 604800
#: Features before products: a constant and 18 others; pairs are taken of those from 1 to 16.
PLAIN, PAIRED = 19, 17
#: All features: the plain ones, 120 products of two, 18 squares.
FEATURES = PLAIN + (PAIRED - 1) * (PAIRED - 2) // 2 + PLAIN - 1
#: The model: N and t of the normalised adaptive gradient, then weights, scales and sums of squared gradients.
TOTAL, TIME, WEIGHTS = 0, 1, 2
SHARED = WEIGHTS + 3 * FEATURES
KEPT = CHAIN + PLAIN
PREDICTION = 1


@borrowing_kernel
def write_features(row: FloatArray, oldest: float, told: IntArray, x: FloatArray) -> None:
    """Write the 19 plain features of a job that is submitted; ``oldest``: the start of the user's oldest that runs."""
    now, request, procs = told[News.TIME], float(told[News.WALLTIME]), float(told[News.PROCS])
    known = min(int(row[Own.JOBS]), LAST)
    x[0] = 1.0
    for place in range(LAST):
        x[1 + place] = request
        if place < known:
            # As in the published code: the run time only if the job would still run had it started at once.
            submit, ran = row[Own.SUBMITTED + place], row[Own.RAN + place]
            x[1 + place] = min(request, ran if submit + ran > now else now - submit)
    x[4] = request
    x[5] = 0.5 * (x[1] + x[2]) if known >= 2 else x[1]
    x[6] = 0.33 * (x[1] + x[2] + x[3]) if known == LAST else x[5]
    x[7] = row[Own.SECONDS] / row[Own.JOBS] if known else 0.0
    x[8] = now - row[Own.ENDED] if known else 0.0
    x[9] = procs / (row[Own.PROCS] / row[Own.JOBS]) if known else 0.0
    x[10] = row[Own.BUSY]
    x[11] = row[Own.RUNNING] * now - row[Own.STARTS]
    x[12] = row[Own.RUNNING]
    x[13] = now - oldest if row[Own.RUNNING] else 0.0
    day, week = 2 * math.pi * (now % DAY) / DAY, 2 * math.pi * (now % WEEK) / WEEK
    x[14], x[15], x[16], x[17] = math.cos(day), math.sin(day), math.cos(week), math.sin(week)
    x[18] = procs


@borrowing_kernel
def with_products(x: FloatArray, features: FloatArray) -> None:
    """Write all features: the plain ones, the products of pairs, the squares."""
    for i in range(PLAIN):
        features[i] = x[i]
    at = PLAIN
    for i in range(1, PAIRED):
        for j in range(i + 1, PAIRED):
            features[at] = x[i] * x[j]
            at += 1
    for i in range(1, PLAIN):
        features[at] = x[i] * x[i]
        at += 1


@borrowing_kernel
def weighed(model: FloatArray, x: FloatArray) -> float:
    """Return w · x."""
    total = 0.0
    for i in range(len(x)):
        total += model[WEIGHTS + i] * x[i]
    return total


@borrowing_kernel
def learn_one(model: FloatArray, x: FloatArray, value: float, weight: float) -> None:
    """Learn one example: the normalised adaptive gradient, Algorithm 2 (NAG) of Ross, Mineiro, Langford."""
    n = len(x)
    scales, squares = WEIGHTS + n, WEIGHTS + 2 * n
    if model[TIME] == 0.0:
        model[TIME] = 1.0
    for i in range(n):
        size = abs(x[i])
        if size > model[scales + i]:
            model[WEIGHTS + i] *= model[scales + i] / size
            model[scales + i] = size
        if model[scales + i] > 0.0:
            model[TOTAL] += (x[i] / model[scales + i]) ** 2
    error = weighed(model, x) - value
    slope = 0.0
    if error > 0.0:
        slope = 2.0 * weight * error
    elif error < 0.0:
        slope = -weight
    for i in range(n):
        gradient = slope * x[i] + PENALTY * model[WEIGHTS + i]
        model[squares + i] += gradient * gradient
        if model[squares + i] > 0.0:
            rate = math.sqrt(model[TOTAL] * model[squares + i] / model[TIME]) * model[scales + i]
            model[WEIGHTS + i] -= RATE * gradient / rate
    model[TIME] += 2.0


@kernel
def follow_eloss(news: IntArray, memory: FloatArray, jobs: JobTable, now: int) -> None:
    """Predict each job at its submission; learn its run time at its end."""
    model = shared_numbers(memory, SHARED)
    numbers = memory.reshape(memory.size)
    first = kept_from(memory, SHARED, KEPT, 0)
    features = np.empty(FEATURES)
    new = 0
    for k in range(len(news)):
        told = news[k]
        row = memory[told[News.USER]]
        at = first - told[News.JOB] * KEPT
        x = numbers[at + CHAIN : at + KEPT]
        if told[News.EVENT] == Event.SUBMITTED:
            oldest = (
                numbers[first - (int(row[Own.OLDEST]) - 1) * KEPT + Of.START]
                if row[Own.RUNNING]
                else 0.0
            )
            numbers[at + Of.SUBMIT] = told[News.TIME]
            write_features(row, oldest, told, x)
            with_products(x, features)
            while not np.isnan(
                jobs.past[new, PREDICTION]
            ):  # what was submitted now waits, behind the others
                new += 1
            jobs.past[new, PREDICTION] = max(np.floor(abs(weighed(model, features))), 1.0)
        elif told[News.EVENT] == Event.STARTED:
            note_start(row, numbers, first, KEPT, told)
        else:
            note_end(row, numbers, first, KEPT, told)
            with_products(x, features)
            ran = float(told[News.RUNTIME])
            learn_one(model, features, ran, 1.0 + math.log(told[News.PROCS] * ran))


E_LOSS = History(follow_eloss, WIDTH, 1, KEPT, SHARED)


def e_loss(correction: str = "at-start") -> Predictor:
    """Online regression on the user's last and running jobs, the request and the time of day, once, at submission.

    Gaussier, Glesser, Reis, Trystram: "Improving Backfilling by using Machine Learning to predict Running Times"
    (SC 2015). Errors of large jobs weigh more, and those of predictions that are too long.
    """
    return Predictor(E_LOSS, PREDICTION, corrector_of(correction))
