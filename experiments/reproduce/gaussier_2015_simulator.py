"""The simulator of Gaussier et al. (SC 2015): a round after each event, rather than one at each instant.

At one instant predictions that are over come first, then submissions, then ends; what is free follows from predicted
ends, so that a job can start at the instant at which another is expected to end. In plain Python, it shares no code
with planbatch's own replay.
"""

import heapq
import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from planbatch.planner.columns import FloatArray


@dataclass(frozen=True, slots=True)
class SubmittedJob:
    """A job as it is known when it is submitted."""

    job: int  #: its number
    user: int  #: number of its user, -1 if unknown
    submit: int  #: when it was submitted (s)
    procs: int  #: its processors
    walltime: int  #: its requested time (s)


class RequestedTime:
    """The requested time."""

    def predict(self, job: SubmittedJob) -> int:
        """Return the walltime."""
        return job.walltime

    def started(self, job: SubmittedJob, now: int) -> None:
        """Do nothing."""

    def ended(self, job: SubmittedJob, now: int, runtime: int) -> None:
        """Do nothing."""


class Actual(RequestedTime):
    """The run time itself."""

    def __init__(self, runtimes: Mapping[int, int]) -> None:
        self.runtimes = runtimes

    def predict(self, job: SubmittedJob) -> int:
        """Return the run time."""
        return self.runtimes[job.job]


class LastTwo(RequestedTime):
    """Mean of the run times of the user's last two finished jobs, rounded down; the request until there are two.

    Tsafrir, Etsion, Feitelson: "Backfilling Using System-Generated Predictions Rather than User Runtime Estimates"
    (IEEE TPDS 2007).
    """

    def __init__(self) -> None:
        self.last: defaultdict[int, deque[int]] = defaultdict(lambda: deque(maxlen=2))

    def predict(self, job: SubmittedJob) -> int:
        """Return the mean, at most the walltime."""
        last = self.last[job.user]
        return min(sum(last) // 2, job.walltime) if len(last) == 2 else job.walltime

    def ended(self, job: SubmittedJob, _now: int, runtime: int) -> None:
        """Remember the run time."""
        self.last[job.user].append(runtime)


#: What :func:`incremental` adds to the first prediction (s): 1, 5, 15, 30 minutes, 1, 2, 5, 10, 20, 50, 100 hours.
STEPS = tuple(60 * minutes for minutes in (1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000))


def request(_first: int, _prediction: int, _times: int, walltime: int) -> int:
    """Return the requested time."""
    return walltime


def incremental(first: int, _prediction: int, times: int, walltime: int) -> int:
    """Return the first prediction and the next of ``STEPS`` (Tsafrir, Etsion, Feitelson, IEEE TPDS 2007)."""
    return min(first + STEPS[times], walltime) if times < len(STEPS) else walltime


def doubling(_first: int, prediction: int, _times: int, walltime: int) -> int:
    """Return twice the prediction."""
    return min(2 * prediction, walltime)


def beyond(_first: int, prediction: int, _times: int, _walltime: int) -> int:
    """Return twice the prediction, whatever was requested."""
    return 2 * prediction


Corrector = Callable[[int, int, int, int], int]
#: ``corrected(first, prediction, times, walltime)``, by name.
CORRECTORS = {"request": request, "incremental": incremental, "doubling": doubling, "doubling-beyond": beyond}


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
        nonzero = self.scale > 0
        self.total += float(((x[nonzero] / self.scale[nonzero]) ** 2).sum())
        error = self.predict(x) - value
        slope = 2.0 * weight * error if error > 0 else -weight if error < 0 else 0.0
        gradient = slope * x + PENALTY * self.weights
        self.squares += gradient**2
        nonzero = self.squares > 0
        rate = np.sqrt(self.total * self.squares[nonzero] / self.time) * self.scale[nonzero]
        self.weights[nonzero] -= RATE * gradient[nonzero] / rate
        self.time += 2.0


class ELoss:
    """The regression on what is known of a job and of its user's jobs when it is submitted; trained at each end."""

    def __init__(self) -> None:
        self.users: defaultdict[int, _User] = defaultdict(_User)
        self.features: dict[int, FloatArray] = {}
        self.model = NormalisedGradient(PLAIN + len(_LEFT) + PLAIN - 1)

    def predict(self, job: SubmittedJob) -> int:
        """Return |w · x|, rounded down, within 1 … walltime."""
        x = features_of(job, self.users[job.user])
        self.features[job.job] = x
        return min(max(int(abs(self.model.predict(x))), 1), job.walltime)

    def started(self, job: SubmittedJob, now: int) -> None:
        """Count the job as running."""
        self.users[job.user].running[job.job] = (now, job.procs)

    def ended(self, job: SubmittedJob, now: int, runtime: int) -> None:
        """Add the job to its user's history, and learn its run time."""
        user = self.users[job.user]
        del user.running[job.job]
        user.last.appendleft((job.submit, runtime))
        user.jobs += 1
        user.seconds += runtime
        user.procs += job.procs
        user.ended = now
        self.model.fit(self.features.pop(job.job), runtime, 1.0 + math.log(job.procs * runtime))


def features_of(job: SubmittedJob, user: _User) -> FloatArray:
    """Return the features of a job that is submitted now: 19, 120 products of two, 18 squares."""
    now, request = job.submit, float(job.walltime)
    x = np.zeros(PLAIN)
    x[0] = 1.0
    x[1:4] = request
    for i, (submit, runtime) in enumerate(user.last):
        # As in the published code: the run time only if the job would still run had it started at once.
        length = runtime if submit + runtime > now else now - submit
        x[1 + i] = min(request, length)
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


class EventKind(IntEnum):
    """What happens, in the order in which it happens at one instant."""

    PREDICTION_OVER = 0
    SUBMITTED = 1
    ENDED = 2
    STARTED = 3


@dataclass(eq=False, slots=True)
class SimulatedJob:
    """A job and its schedule; times in seconds."""

    submitted: SubmittedJob  # what schedulers see
    runtime: int  # its run time, at most its request
    #: The first prediction of its run time, and the present one.
    first: int = 0
    predicted: int = 0
    corrections: int = 0  # how often it was corrected
    start: int = -1  # when it starts; -1 while it waits


class EventSimulator:
    """EASY with a predictor of run times, and a corrector of predictions that are over.

    With ``shortest``, jobs are backfilled by shortest prediction (SJBF), else in FCFS order.
    """

    def __init__(self, capacity: int, predictor: RequestedTime, corrector: Corrector, shortest: bool) -> None:
        self.capacity = capacity
        self.predictor = predictor
        self.corrector = corrector
        self.shortest = shortest
        self.queue: list[SimulatedJob] = []
        self.running: dict[SimulatedJob, None] = {}
        self.events: list[tuple[int, int, int, SimulatedJob]] = []
        self.added = 0

    def run(self, jobs: list[SimulatedJob]) -> None:
        """Give every job its start."""
        for job in jobs:
            self.add(job.submitted.submit, EventKind.SUBMITTED, job)
        while self.events:
            now, event, _, job = heapq.heappop(self.events)
            if event == EventKind.STARTED:
                self.begin(job, now)
            elif event == EventKind.PREDICTION_OVER:
                self.correct(job)
            else:
                for started in self.after(EventKind(event), job, now):
                    self.add(now, EventKind.STARTED, started)

    def add(self, time: int, event: EventKind, job: SimulatedJob) -> None:
        """Add an event; of one kind and one instant, the one that was added first comes first."""
        heapq.heappush(self.events, (time, int(event), self.added, job))
        self.added += 1

    def begin(self, job: SimulatedJob, now: int) -> None:
        """Start a job's run."""
        self.predictor.started(job.submitted, now)
        self.add(now + job.runtime, EventKind.ENDED, job)
        if job.predicted < job.runtime:
            self.add(now + job.predicted, EventKind.PREDICTION_OVER, job)

    def correct(self, job: SimulatedJob) -> None:
        """Correct the prediction of a job that has outlived it."""
        job.predicted = self.corrector(job.first, job.predicted, job.corrections, job.submitted.walltime)
        job.corrections += 1
        if job.predicted < job.runtime:
            self.add(job.start + job.predicted, EventKind.PREDICTION_OVER, job)

    def after(self, event: EventKind, job: SimulatedJob, now: int) -> Iterator[SimulatedJob]:
        """Process a submission or an end, and yield the jobs that start."""
        if event == EventKind.SUBMITTED:
            job.first = job.predicted = self.predictor.predict(job.submitted)
            self.queue.append(job)
        else:
            del self.running[job]
            self.predictor.ended(job.submitted, now, job.runtime)
        yield from self.start_jobs(now)

    def free(self, now: int) -> int:
        """Processors of no job that is expected to run on."""
        procs = (job.submitted.procs for job in self.running if job.start + job.predicted > now)
        return self.capacity - sum(procs)

    def take(self, job: SimulatedJob, now: int) -> SimulatedJob:
        """Start a job."""
        self.queue.remove(job)
        job.start = now
        self.running[job] = None
        return job

    def start_jobs(self, now: int) -> Iterator[SimulatedJob]:
        """Start jobs from the head of the queue, and backfill."""
        free = self.free(now)
        while self.queue and self.queue[0].submitted.procs <= free:
            free -= self.queue[0].submitted.procs
            yield self.take(self.queue[0], now)
        if len(self.queue) < 2:
            return
        shadow, extra = self.shadow(free, now)
        tail = self.queue[1:]
        if self.shortest:
            tail.sort(key=lambda job: job.predicted)
        for job in tail:
            procs = job.submitted.procs
            past_shadow = now + job.predicted > shadow
            if procs > free or (past_shadow and procs > extra):
                continue
            free -= procs
            extra -= procs if past_shadow else 0
            yield self.take(job, now)

    def shadow(self, free: int, now: int) -> tuple[int, int]:
        """When the head of the queue is expected to start, and what it then leaves free."""
        head = self.queue[0].submitted.procs
        ends = sorted((job.start + job.predicted, job.submitted.procs) for job in self.running)
        moment = now
        for end, procs in ends:
            if end <= now:
                continue
            if free >= head and end > moment:
                break
            free += procs
            moment = end
        return moment, free - head
