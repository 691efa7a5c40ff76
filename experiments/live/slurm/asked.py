"""The queue as its users asked for it: a snapshot without the driver's own holds and begin times.

Plans are made of this, never of the raw snapshot: a job that the driver holds would not be planned, and one whose begin
time it set would never be planned earlier.
"""

from dataclasses import replace

from planbatch.experiments.live.slurm.rules import DriveRules, Standing, standing
from planbatch.experiments.live.slurm.snapshot import LiveJob, Snapshot

#: How long a job without a time limit is taken to run once it is released (s).
UNLIMITED = 365 * 24 * 3600


def as_asked(snapshot: Snapshot, rules: DriveRules) -> Snapshot:
    """Return the snapshot as it would be without the driver.

    Jobs that it holds wait; jobs whose begin time it set have that of their user; a job that is released and has not
    started yet counts as running, so that nobody else is planned in its place; one that was taken back begins when
    its pause is over.
    """
    jobs = tuple(_asked(job, rules, snapshot.time) if job.pending else job for job in snapshot.jobs)
    return replace(snapshot, jobs=jobs)


def _asked(job: LiveJob, rules: DriveRules, now: int) -> LiveJob:
    found = standing(job, rules)
    if found.mark is None or not found.ours:
        return job
    if found.kept:
        return job if job.held else replace(job, held="user")
    if found.mark.kind == "begin":
        return _with_begin(job, asked_begin(job, found))
    if found.waits:
        limit = UNLIMITED if job.time_limit is None else job.time_limit
        return replace(
            job, state="CONFIGURING", start_time=now, end_time=now + max(limit, 1), reason=""
        )
    free = replace(job, held=None, reason="", priority=max(job.priority, 1))
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
