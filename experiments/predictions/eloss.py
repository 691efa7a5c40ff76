"""E-Loss: online regression that would rather predict too little, and weighs the errors of large jobs more.

Gaussier, Glesser, Reis, Trystram: "Improving Backfilling by using Machine Learning to predict Running Times" (SC 2015).
The features are those of the published code.
"""

import math
from collections import defaultdict, deque
from dataclasses import dataclass, field

import numpy as np

from planbatch.experiments.predictions.predictor import Submitted
from planbatch.planner.model import FloatArray

#: Weight of the L2 penalty, and learning rate.
PENALTY, RATE = 4e9, 5000.0
DAY, WEEK = 86400, 604800
#: Features before products: a constant and 18 others; pairs are taken of those from 1 to 16.
PLAIN, PAIRED = 19, 17
_LEFT, _RIGHT = np.triu_indices(PAIRED - 1, 1)


@dataclass
class _User:
    """The history of a user."""

    last: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=3))
    jobs: int = 0
    seconds: float = 0.0
    procs: float = 0.0
    ended: int = 0
    running: dict[int, tuple[int, int]] = field(default_factory=dict)


class NormalisedGradient:
    """Linear regression by the normalised adaptive gradient (Ross, Mineiro, Langford, UAI 2013).

    The error e of a prediction costs weight · e² if it is above the value, weight · |e| if it is below.
    """

    def __init__(self, features: int) -> None:
        self.weights = np.zeros(features)
        self.scale = np.zeros(features)
        self.squares = np.zeros(features)
        self.total = 0.0
        self.time = 1.0

    def predict(self, x: FloatArray) -> float:
        """Return w · x."""
        return float(np.dot(self.weights, x))

    def fit(self, x: FloatArray, value: float, weight: float) -> None:
        """Learn one example."""
        size = np.abs(x)
        larger = size > self.scale
        self.weights[larger] *= self.scale[larger] / size[larger]
        self.scale[larger] = size[larger]
        seen = self.scale > 0
        self.total += float(((x[seen] / self.scale[seen]) ** 2).sum())
        error = self.predict(x) - value
        slope = 2.0 * weight * error if error > 0 else -weight if error < 0 else 0.0
        gradient = slope * x + PENALTY * self.weights
        self.squares += gradient**2
        moved = self.squares > 0
        rate = np.sqrt(self.total * self.squares[moved] / self.time) * self.scale[moved]
        self.weights[moved] -= RATE * gradient[moved] / rate
        self.time += 2.0


class ELoss:
    """The regression on what is known of a job and of its user's jobs when it is submitted; trained at each end."""

    def __init__(self) -> None:
        self.users: defaultdict[int, _User] = defaultdict(_User)
        self.features: dict[int, FloatArray] = {}
        self.model = NormalisedGradient(PLAIN + len(_LEFT) + PLAIN - 1)

    def predict(self, job: Submitted) -> int:
        """Return |w · x|, rounded down, within 1 … walltime."""
        x = features_of(job, self.users[job.user])
        self.features[job.job] = x
        return min(max(int(abs(self.model.predict(x))), 1), job.walltime)

    def started(self, job: Submitted, now: int) -> None:
        """Count the job as running."""
        self.users[job.user].running[job.job] = (now, job.procs)

    def ended(self, job: Submitted, now: int, runtime: int) -> None:
        """Add the job to its user's history, and learn its run time."""
        user = self.users[job.user]
        del user.running[job.job]
        user.last.appendleft((job.submit, runtime))
        user.jobs += 1
        user.seconds += runtime
        user.procs += job.procs
        user.ended = now
        self.model.fit(self.features.pop(job.job), runtime, 1.0 + math.log(job.procs * runtime))


def features_of(job: Submitted, user: _User) -> FloatArray:
    """Return the features of a job that is submitted now: 19, 120 products of two, 18 squares."""
    now, request = job.submit, float(job.walltime)
    x = np.zeros(PLAIN)
    x[0] = 1.0
    x[1:4] = request
    for place, (submit, runtime) in enumerate(user.last):
        # As in the published code: the run time only if the job would still run had it started at once.
        known = runtime if submit + runtime > now else now - submit
        x[1 + place] = min(request, known)
    x[4] = request
    x[5] = 0.5 * (x[1] + x[2]) if len(user.last) >= 2 else x[1]
    x[6] = 0.33 * (x[1] + x[2] + x[3]) if len(user.last) == 3 else x[5]
    if user.jobs:
        x[7] = user.seconds / user.jobs
        x[9] = job.procs / (user.procs / user.jobs)
    if user.ended:
        x[8] = now - user.ended
    elapsed = [now - start for start, _ in user.running.values()]
    x[10] = sum(procs for _, procs in user.running.values())
    x[11], x[12], x[13] = sum(elapsed), len(elapsed), max(elapsed, default=0)
    day, week = 2 * math.pi * (now % DAY) / DAY, 2 * math.pi * (now % WEEK) / WEEK
    x[14:18] = math.cos(day), math.sin(day), math.cos(week), math.sin(week)
    x[18] = job.procs
    paired = x[1:PAIRED]
    return np.concatenate([x, paired[_LEFT] * paired[_RIGHT], x[1:] ** 2])
