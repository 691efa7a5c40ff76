"""The running jobs, by expected end and by actual end."""

import numpy as np

from planbatch.experiments.replay.loop.beliefs import put_off_ends
from planbatch.experiments.replay.loop.news import note_end, tell
from planbatch.experiments.replay.loop.state import At, Replay
from planbatch.planner.history import Event
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.sorting import stable_order
from planbatch.planner.ledger import Entry
from planbatch.planner.round import RunningTable


@borrowing_kernel
def vacate(replay: Replay, job: int) -> None:
    """Remove a job from the running jobs."""
    counters = replay.counters
    end = replay.start[job] + replay.occupied[job]
    at = np.searchsorted(replay.running.end[: counters[At.RUNNING]], end)
    while replay.running_job[at] != job:
        at += 1
    counters[At.RUNNING] -= 1
    counters[At.FREE] += replay.running.procs[at]
    for i in range(at, counters[At.RUNNING]):
        replay.running.procs[i] = replay.running.procs[i + 1]
        replay.running.end[i] = replay.running.end[i + 1]
        replay.running_job[i] = replay.running_job[i + 1]
    for k in range(len(replay.free)):
        replay.free[k] += replay.running.demands[at, k]
        for i in range(at, counters[At.RUNNING]):
            replay.running.demands[i, k] = replay.running.demands[i + 1, k]


@borrowing_kernel
def release(replay: Replay, job: int) -> None:
    """Remove a job that has ended from the running jobs, and tell so."""
    vacate(replay, job)
    note_end(replay, job)


@borrowing_kernel
def ends_before(replay: Replay, at: int, job: int) -> bool:
    """Return whether a running job is told to have ended before one that starts now, and ends at the same instant."""
    return bool(replay.turn[replay.actual_job[at]] < replay.turn[job])


@borrowing_kernel
def occupy(replay: Replay, job: int) -> None:
    """Insert a job that starts now into the running jobs, by expected and by actual end."""
    counters = replay.counters
    now = counters[At.NOW]
    replay.start[job] = now
    if len(replay.ledger.rows):
        replay.ledger.rows[job, Entry.START] = now
    i = counters[At.RUNNING]
    end = now + replay.occupied[job]
    while i > 0 and replay.running.end[i - 1] > end:
        replay.running.procs[i] = replay.running.procs[i - 1]
        replay.running.end[i] = replay.running.end[i - 1]
        replay.running_job[i] = replay.running_job[i - 1]
        i -= 1
    replay.running.procs[i] = replay.jobs.procs[job]
    replay.running.end[i] = end
    replay.running_job[i] = job
    for k in range(len(replay.free)):
        for j in range(counters[At.RUNNING], i, -1):
            replay.running.demands[j, k] = replay.running.demands[j - 1, k]
        replay.running.demands[i, k] = replay.jobs.demands[job, k]
        replay.free[k] -= replay.jobs.demands[job, k]
    i = counters[At.RUNNING] + counters[At.LEAVING]
    end = now + replay.runtime[job]
    while i > 0 and (
        replay.actual_end[i - 1] < end
        or (
            counters[At.EACH_EVENT]
            and replay.actual_end[i - 1] == end
            and ends_before(replay, i - 1, job)
        )
    ):
        replay.actual_end[i] = replay.actual_end[i - 1]
        replay.actual_job[i] = replay.actual_job[i - 1]
        i -= 1
    replay.actual_end[i] = end
    replay.actual_job[i] = job
    counters[At.RUNNING] += 1
    counters[At.FREE] -= replay.jobs.procs[job]
    if len(replay.news):
        if counters[At.EACH_EVENT]:
            replay.untold[counters[At.UNTOLD]] = job
            counters[At.UNTOLD] += 1
        else:
            tell(replay, Event.STARTED, job)


@borrowing_kernel
def let_go(replay: Replay) -> None:
    """Let the jobs leave that end at this instant, as was expected; that they have ended is told later."""
    counters = replay.counters
    now = counters[At.NOW]
    if counters[At.PREDICTION]:
        put_off_ends(replay, now - 1)
    ends = counters[At.RUNNING] - 1
    while ends >= 0 and replay.actual_end[ends] == now:
        job = replay.actual_job[ends]
        if replay.start[job] + replay.occupied[job] == now:
            vacate(replay, job)
            counters[At.LEAVING] += 1
        ends -= 1


@kernel
def running_as_asked(replay: Replay) -> RunningTable:
    """Return the running jobs by the ends of their requests, whatever is believed of them."""
    m = replay.counters[At.RUNNING]
    end = np.empty(m, np.int64)
    for i in range(m):
        job = replay.running_job[i]
        end[i] = replay.start[job] + replay.jobs.walltime[job]
    order = stable_order(end)
    return RunningTable(
        replay.running.procs[:m][order], end[order], replay.running.demands[:m][order]
    )
