"""The queue as its users asked for it: a snapshot without the driver's own begin times.

Plans are made of this, never of the raw snapshot: a job whose begin time the driver set would never be planned earlier.
What Slurm refuses is left out for a while: a job, and all of the same shape of its user, twice as long each time.
"""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from planbatch.experiments.live.slurm.marks import PREFIX, asked_begin
from planbatch.experiments.live.slurm.rules import DriveRules, JobState, state_of
from planbatch.experiments.live.slurm.snapshot import JobKey, LiveJob, Snapshot


class Target(NamedTuple):
    """What is planned: a job, or a task of an array.

    Attributes
    ----------
    key : JobKey
        The row of the queue.
    task : int, optional
        The task, if the row stands for several.
    """

    key: JobKey
    task: int | None = None


@dataclass(frozen=True)
class AskedQueue:
    """A queue without the driver's begin times.

    Attributes
    ----------
    snapshot : Snapshot
        The cluster, jobs that are released first; no job has a mark.
    released : mapping of JobKey to int
        Jobs that may start and have not started yet, and since when they may (s): what they take is theirs.
    suspects : frozenset of JobKey
        Jobs of users of whom Slurm refused one that still waits.
    """

    snapshot: Snapshot
    released: Mapping[JobKey, int]
    suspects: frozenset[JobKey]

    def without(self, targets: frozenset[Target], until: int) -> "AskedQueue":
        """Return the queue without some jobs: they begin later (s); arrays lose the tasks."""
        keys = {target.key for target in targets}

        def rest(job: LiveJob) -> LiveJob:
            if job.key not in keys:
                return job
            tasks = job.array.tasks if job.array is not None else ()
            left = tuple(task for task in tasks if Target(job.key, task) not in targets)
            if job.array is not None and left:
                return replace(job, array=replace(job.array, tasks=left))
            return _with_begin(job, until, job.reason)

        jobs = tuple(map(rest, self.snapshot.jobs))
        return replace(self, snapshot=replace(self.snapshot, jobs=jobs))


def asked_queue(snapshot: Snapshot, rules: DriveRules) -> AskedQueue:
    """Return the queue as it would be without the driver."""
    now = snapshot.time
    states = {job.key: state_of(job, rules, now) for job in snapshot.jobs if job.pending}
    pauses = pauses_of(snapshot, states, rules)
    released = {
        key: state.released
        for key, state in states.items()
        if state.released is not None and not state.refused
    }

    def asked(job: LiveJob) -> LiveJob:
        if not job.pending:
            return job
        plain = replace(job, admin_comment="") if job.admin_comment.startswith(PREFIX) else job
        if job.key in released:
            return plain
        state = states[job.key]
        pause, _ = pauses.get(shape_of(job), (0, 0)) if state.managed else (0, 0)
        begin = max(asked_begin(job), pause if pause > now else 0)
        parked = state.mark is not None and job.begin_time > now and not job.held
        return _with_begin(plain, begin, "" if parked else job.reason)

    jobs = sorted(map(asked, snapshot.jobs), key=lambda job: job.key not in released)
    users = {shape[0] for shape in pauses}
    suspects = frozenset(key for job in jobs if (key := job.key) in states and job.user in users)
    return AskedQueue(replace(snapshot, jobs=tuple(jobs)), released, suspects)


def shape_of(job: LiveJob) -> tuple[Hashable, ...]:
    """Return what Slurm judges a job by, its user first; jobs of one shape are refused together."""
    return (job.user, job.account, job.qos, job.partition, job.nodes, job.cpus, job.gpus, job.exclusive,
            job.required, job.excluded, job.features, job.licenses, *sorted(job.tres.items()))  # fmt: skip


def pauses_of(
    snapshot: Snapshot, states: Mapping[JobKey, JobState], rules: DriveRules
) -> dict[tuple[Hashable, ...], tuple[int, int]]:
    """Return of each shape that was refused until when it is left alone (s), and how often it was."""
    found: dict[tuple[Hashable, ...], tuple[int, int]] = {}
    refused = set()
    for job in snapshot.jobs:
        state = states.get(job.key)
        if state is None or not state.managed:
            continue
        shape, mark = shape_of(job), state.mark
        if state.refused:
            refused.add(shape)
        if state.refused or (mark is not None and mark.times):
            back, times = (mark.back, mark.times) if mark is not None else (0, 0)
            until, most = found.get(shape, (0, 0))
            found[shape] = (max(until, math.ceil(back + rules.pause(times))), max(most, times))
    for shape in refused:
        times = found[shape][1] + 1
        found[shape] = (math.ceil(snapshot.time + rules.pause(times)), times)
    return found


def _with_begin(job: LiveJob, begin: int, reason: str) -> LiveJob:
    if begin == job.begin_time:
        return replace(job, reason=reason)
    return replace(job, begin_time=begin, eligible_time=begin or job.submit_time, reason=reason)
