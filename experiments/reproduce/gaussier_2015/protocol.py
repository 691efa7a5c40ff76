"""The simulator of Gaussier et al. (SC 2015), by its own rules; they are not those of planbatch's replay.

There is a pass after each event, and none after a correction. At one instant predictions that are over come first, then
submissions, then ends, then starts. What is free is told by predicted ends: a job that is expected to end now has left.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from planbatch.experiments.predictions.correctors import Corrector
from planbatch.experiments.predictions.predictor import Predictor, Submitted
from planbatch.experiments.workloads.swf.log import SwfLog

#: Run times below it count as this in a slowdown (s).
SHORT = 10


class Event(IntEnum):
    """What happens, in the order in which it happens at one instant."""

    PREDICTION_OVER = 0
    SUBMITTED = 1
    ENDED = 2
    STARTED = 3


@dataclass(eq=False, slots=True)
class Job:
    """A job and what becomes of it; times in seconds.

    Attributes
    ----------
    known : Submitted
        What schedulers see.
    runtime : int
        Its run time, at most its request.
    first, predicted : int
        The first prediction of its run time, and the present one.
    corrections : int
        How often it was corrected.
    start : int
        When it starts; -1 while it waits.
    """

    known: Submitted
    runtime: int
    first: int = 0
    predicted: int = 0
    corrections: int = 0
    start: int = -1

    @property
    def slowdown(self) -> float:
        """Bounded slowdown: max(1, (wait + run) / max(run, 10 s))."""
        wait = self.start - self.known.submit
        return max(1.0, (wait + self.runtime) / max(self.runtime, SHORT))


def jobs_of(log: SwfLog) -> tuple[list[Job], int]:
    """Read the jobs as the paper does, and the machine's processors.

    Left out are jobs that are larger than the machine by either column, or whose processors, run time, request or
    submission are not known. Processors are the requested ones, or else the allocated; runs are cut at the request.

    Raises
    ------
    ValueError
        If the header does not say how large the machine is.
    """
    capacity = log.header.capacity
    if capacity is None:
        raise ValueError(f"{log.source}: the header has neither MaxProcs nor MaxNodes")
    c = {name: column.astype(np.int64) for name, column in log.columns.items()}
    jobs = []
    for i in range(len(log)):
        allocated, requested = int(c["used_procs"][i]), int(c["requested_procs"][i])
        run, request, submit = (int(c[n][i]) for n in ("runtime", "requested_time", "submit"))
        procs = requested if requested > 0 else allocated
        unknown = procs <= 0 or run <= 0 or request <= 0 or submit < 0
        if unknown or max(allocated, requested) > capacity:
            continue
        known = Submitted(int(c["job"][i]), int(c["user"][i]), submit, procs, request)
        jobs.append(Job(known, min(run, request)))
    return jobs, capacity


class Simulation:
    """EASY with predictions.

    Parameters
    ----------
    capacity : int
        Processors of the machine.
    predictor : Predictor
        Predicts run times.
    corrector : callable
        Corrects predictions that are over.
    shortest : bool
        Whether jobs are backfilled by shortest prediction (SJBF), else in FCFS order.
    """

    def __init__(
        self, capacity: int, predictor: Predictor, corrector: Corrector, shortest: bool
    ) -> None:
        self.capacity = capacity
        self.predictor = predictor
        self.corrector = corrector
        self.shortest = shortest
        self.queue: list[Job] = []
        self.running: dict[Job, None] = {}
        self.events: list[tuple[int, int, int, Job]] = []
        self.added = 0

    def run(self, jobs: list[Job]) -> None:
        """Give every job its start."""
        for job in jobs:
            self.add(job.known.submit, Event.SUBMITTED, job)
        while self.events:
            now, event, _, job = heapq.heappop(self.events)
            if event == Event.STARTED:
                self.begin(job, now)
            elif event == Event.PREDICTION_OVER:
                self.correct(job)
            else:
                for started in self.after(Event(event), job, now):
                    self.add(now, Event.STARTED, started)

    def add(self, time: int, event: Event, job: Job) -> None:
        """Add an event; of one kind and one instant, the one that was added first comes first."""
        heapq.heappush(self.events, (time, int(event), self.added, job))
        self.added += 1

    def begin(self, job: Job, now: int) -> None:
        """Let a job run."""
        self.predictor.started(job.known, now)
        self.add(now + job.runtime, Event.ENDED, job)
        if job.predicted < job.runtime:
            self.add(now + job.predicted, Event.PREDICTION_OVER, job)

    def correct(self, job: Job) -> None:
        """Correct the prediction of a job that has outlived it."""
        job.predicted = self.corrector(
            job.first, job.predicted, job.corrections, job.known.walltime
        )
        job.corrections += 1
        if job.predicted < job.runtime:
            self.add(job.start + job.predicted, Event.PREDICTION_OVER, job)

    def after(self, event: Event, job: Job, now: int) -> Iterator[Job]:
        """Take note of a submission or an end, and yield the jobs that start."""
        if event == Event.SUBMITTED:
            job.first = job.predicted = self.predictor.predict(job.known)
            self.queue.append(job)
            if not self.shortest and job.known.procs > self.free(now):
                return
        else:
            del self.running[job]
            self.predictor.ended(job.known, now, job.runtime)
        yield from self.start_jobs(now)

    def free(self, now: int) -> int:
        """Processors of no job that is expected to run on."""
        taken = (job.known.procs for job in self.running if job.start + job.predicted > now)
        return self.capacity - sum(taken)

    def take(self, job: Job, now: int) -> Job:
        """Start a job."""
        self.queue.remove(job)
        job.start = now
        self.running[job] = None
        return job

    def start_jobs(self, now: int) -> Iterator[Job]:
        """Start jobs from the head of the queue, and backfill."""
        free = self.free(now)
        while self.queue and self.queue[0].known.procs <= free:
            free -= self.queue[0].known.procs
            yield self.take(self.queue[0], now)
        if len(self.queue) < 2:
            return
        shadow, extra = self.shadow(free, now)
        tail = self.queue[1:]
        if self.shortest:
            tail.sort(key=lambda job: job.predicted)
        for job in tail:
            procs = job.known.procs
            late = now + job.predicted > shadow
            if procs > free or (late and procs > extra):
                continue
            free -= procs
            extra -= procs if late else 0
            yield self.take(job, now)

    def shadow(self, free: int, now: int) -> tuple[int, int]:
        """When the head of the queue is expected to start, and what it then leaves free."""
        head = self.queue[0].known.procs
        ends = sorted((job.start + job.predicted, job.known.procs) for job in self.running)
        moment = now
        for end, procs in ends:
            if end <= now:
                continue
            if free >= head and end > moment:
                break
            free += procs
            moment = end
        return moment, free - head
