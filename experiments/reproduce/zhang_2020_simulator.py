"""The simulator of Zhang et al. (SC 2020), by its own rules; they are not those of planbatch's replay.

The simulator commits to one job at a time: it sorts the queue and waits until the first job has started, even if
better ones arrive. Only then it sorts the queue again. Events are processed one by one, submissions before ends.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.planner.model import FloatArray, Workload

#: Where the ten sequences begin (0-based, in the jobs by number), and how long they are.
STARTS = (1981, 2756, 4299, 8850, 3316, 2714, 5228, 7762, 4022, 7085)
LENGTH = 1024
#: Run time of jobs that have a negative one (s).
UNKNOWN_RUN = 10
#: Run times below it count as this in a slowdown (s).
SHORT = 10
#: Added to avoid a division by log2(1) = 0.
TINY = 1e-15


@dataclass(eq=False, slots=True)
class SequenceJob:
    """A job; times in seconds."""

    #: Submit time; run time, which the request does not cut; requested time.
    submit: int
    run: int
    request: int
    procs: int  # processors
    user: int = -1  # its number; -1 if unknown
    start: int = -1  # when it starts; -1 while it waits

    @property
    def slowdown(self) -> float:
        """Bounded slowdown: max(1, (wait + run) / max(run, 10 s))."""
        return max(1.0, (self.start - self.submit + self.run) / max(self.run, SHORT))


@dataclass(frozen=True)
class SequenceMachine:
    """The jobs of a log by number, and the machine's processors."""

    jobs: tuple[SequenceJob, ...]
    processors: int

    def sequence(self, number: int) -> list[SequenceJob]:
        """Return fresh copies of the jobs of one of the ten sequences."""
        first = STARTS[number]
        return [
            SequenceJob(job.submit, job.run, job.request, job.procs, job.user)
            for job in self.jobs[first : first + LENGTH]
        ]

    def workload(self, number: int) -> Workload:
        """Return a sequence for planbatch's replay: runs cut at the request."""
        jobs = self.sequence(number)
        columns: dict[str, Any] = {
            "submit": [job.submit for job in jobs],
            "procs": [job.procs for job in jobs],
            "walltime": [max(job.request, 1) for job in jobs],
            "runtime": [max(min(job.run, job.request), 1) for job in jobs],
            "user": [job.user for job in jobs],
        }
        return Workload(f"sequence {number + 1}", self.processors, np.arange(1, len(jobs) + 1), **columns)


def machine_of(log: SwfLog, needed: int = max(STARTS) + LENGTH) -> SequenceMachine:
    """Read the jobs as the simulator does.

    Lines with a run time of 0 are left out; a negative run time becomes 10 s; a requested time of -1 becomes the run
    time before that. Processors are the larger of allocated and requested ones; every one is a node of its own.

    Raises ``ValueError`` if the header does not say how large the machine is, or the log has fewer jobs than are
    ``needed``.
    """
    capacity = log.header.capacity
    if capacity is None:
        raise ValueError(f"{log.source}: the header has neither MaxProcs nor MaxNodes")
    c = log.columns
    jobs = []
    for i in np.argsort(c["job"], kind="stable"):
        run, request = int(c["runtime"][i]), int(c["requested_time"][i])
        if run == 0:
            continue
        jobs.append(
            SequenceJob(
                submit=int(c["submit"][i]),
                run=run if run > 0 else UNKNOWN_RUN,
                request=run if request == -1 else request,
                procs=max(int(c["used_procs"][i]), int(c["requested_procs"][i])),
                user=int(c["user"][i]),
            )
        )
    if len(jobs) < needed:
        raise ValueError(f"{log.source}: {len(jobs):,} jobs, but the sequences need {needed:,}")
    return SequenceMachine(tuple(jobs), capacity)


Score = Callable[[SequenceJob, int], float]


def fcfs(job: SequenceJob, _now: int) -> float:
    """Submit time."""
    return job.submit


def sjf(job: SequenceJob, _now: int) -> float:
    """Requested time."""
    return job.request


def f1(job: SequenceJob, _now: int) -> float:
    """log10(r) · n + 870 · log10(s)."""
    return float(np.log10(max(job.request, 0.1)) * job.procs + 870 * np.log10(max(job.submit, 0.1)))


def wfp3(job: SequenceJob, now: int) -> float:
    """−(w / r)³ · n."""
    return float(-(((now - job.submit) / job.request) ** 3) * job.procs)


def unicep(job: SequenceJob, now: int) -> float:
    """−w / (log2(n) · r)."""
    waited = now - job.submit + TINY
    return float(-waited / (np.log2(job.procs + TINY) * job.request))


def at(moment: int, score: Score) -> Score:
    """Return a score at a fixed moment: −1 is what the published code takes for now while a job waits."""

    def scored(job: SequenceJob, _now: int) -> float:
        return score(job, moment)

    return scored


#: The scores of Table V, as they were published, and the two that take the time as it is.
PUBLISHED: dict[str, Score] = {"FCFS": fcfs, "WFP3": at(-1, wfp3), "UNICEP": at(-1, unicep), "SJF": sjf, "F1": f1}
CORRECTED: dict[str, Score] = {"WFP3": wfp3, "UNICEP": unicep}


class QueueSimulator:
    """One sequence under one score, with or without the simulator's backfilling."""

    def __init__(self, jobs: list[SequenceJob], processors: int, score: Score, backfilling: bool) -> None:
        self.coming = jobs
        self.next = 1
        self.now = jobs[0].submit
        self.queue = [jobs[0]]
        self.running: list[SequenceJob] = []
        self.free = processors
        self.score = score
        self.backfilling = backfilling

    def run(self) -> None:
        """Give every job its start."""
        while self.queue:
            self.queue.sort(key=lambda job: self.score(job, self.now))
            self.commit(self.queue[0])
            while not self.queue and self.next < len(self.coming):
                self.step()

    def commit(self, job: SequenceJob) -> None:
        """Wait until a job fits, and start it."""
        promised = self.expected_start(job)
        while job.procs > self.free:
            if self.backfilling:
                self.backfill(promised)
            self.step()
        self.begin(job)

    def expected_start(self, job: SequenceJob) -> int:
        """Return when enough processors are free by requested times; it is computed once per job."""
        free, moment = self.free, self.now
        for other in sorted(self.running, key=lambda other: other.start + other.request):
            if free >= job.procs:
                break
            free += other.procs
            moment = other.start + other.request
        return moment

    def backfill(self, promised: int) -> None:
        """Start the jobs, in FCFS order, that fit and by their requests end before the promised start."""
        self.queue.sort(key=lambda job: job.submit)
        for job in list(self.queue):
            if job.procs <= self.free and self.now + job.request < promised:
                self.begin(job)

    def begin(self, job: SequenceJob) -> None:
        """Start a job now."""
        job.start = self.now
        self.free -= job.procs
        self.queue.remove(job)
        self.running.append(job)

    def step(self) -> None:
        """Process the next event: a submission, or an end."""
        ending = min(self.running, key=lambda job: job.start + job.run, default=None)
        coming = self.coming[self.next] if self.next < len(self.coming) else None
        if coming is not None and (ending is None or coming.submit <= ending.start + ending.run):
            self.now = max(self.now, coming.submit)
            self.queue.append(coming)
            self.next += 1
            return
        assert ending is not None
        self.now = max(self.now, ending.start + ending.run)
        self.free += ending.procs
        self.running.remove(ending)


def mean_slowdowns(
    machine: SequenceMachine, score: Score, backfilling: bool, numbers: Iterable[int] = range(len(STARTS))
) -> FloatArray:
    """Simulate sequences, by default all ten; return the mean bounded slowdown of each."""
    means = []
    for number in numbers:
        jobs = machine.sequence(number)
        QueueSimulator(list(jobs), machine.processors, score, backfilling).run()
        means.append(sum(job.slowdown for job in jobs) / len(jobs))
    return np.array(means)
