"""The queue as its users asked for it: a snapshot without the driver's own holds and begin times.

Plans are made of this, never of the raw snapshot: a job that the driver holds would not be planned, and one whose begin
time it set would never be planned earlier.
"""

from dataclasses import replace

from planbatch.experiments.live.slurm.marks import PREFIX
from planbatch.experiments.live.slurm.rules import DriveRules, Standing, standing
from planbatch.experiments.live.slurm.snapshot import JobKey, LiveJob, Snapshot


def as_asked(snapshot: Snapshot, rules: DriveRules) -> Snapshot:
    """Return the snapshot as it would be without the driver.

    Jobs that it holds wait; jobs whose begin time it set have that of their user; one that was taken back begins when
    its pause is over. No job has a mark.
    """
    jobs = tuple(_asked(job, rules, snapshot.time) if job.pending else job for job in snapshot.jobs)
    return replace(snapshot, jobs=jobs)


def released(snapshot: Snapshot, rules: DriveRules) -> frozenset[JobKey]:
    """Return the jobs that are released and have not started yet: what they take is theirs."""
    return frozenset(
        job.key
        for job in snapshot.jobs
        if job.pending and standing(job, rules, snapshot.time).waits
    )


def _asked(job: LiveJob, rules: DriveRules, now: int) -> LiveJob:
    found = standing(job, rules, now)
    plain = job if not job.admin_comment.startswith(PREFIX) else replace(job, admin_comment="")
    if found.mark is None or not found.ours:
        return plain
    if found.kept:
        return plain if job.held else replace(plain, held="user")
    if found.mark.kind == "begin":
        return _with_begin(plain, asked_begin(job, found))
    free = replace(plain, held=None, reason="", priority=max(job.priority, 1))
    if found.mark.kind == "back":
        ends = int(found.mark.time + rules.pause(found.mark.times))
        return _with_begin(free, max(ends, job.begin_time)) if ends > now else free
    return free


def asked_begin(job: LiveJob, found: Standing) -> int:
    """Give the begin time for which the user of a job asked (s): its own, unless the driver set it."""
    if found.mark is not None and found.mark.kind == "begin" and job.begin_time == found.mark.time:
        return found.mark.asked
    return job.begin_time


def _with_begin(job: LiveJob, begin: int) -> LiveJob:
    return replace(job, begin_time=begin, eligible_time=begin or job.submit_time)
