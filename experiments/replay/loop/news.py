"""What the history and the ledger are told: submissions, starts and ends, and nothing before it happens."""

from typing import Any

from planbatch.experiments.replay.loop.state import At, Replay
from planbatch.planner.history import Event, News
from planbatch.planner.kernels.job_tables import jobs_between
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.ledger import ENTRIES, UNKNOWN, Entry
from planbatch.planner.model import NEVER


@borrowing_kernel
def tell(replay: Replay, event: int, job: int) -> None:
    """Note what happened to a job, for the history."""
    row = replay.news[replay.counters[At.NEWS]]
    row[News.EVENT] = event
    row[News.TIME] = replay.counters[At.NOW]
    row[News.JOB] = job
    row[News.USER] = replay.user_row[job]
    row[News.PROCS] = replay.jobs.procs[job]
    row[News.WALLTIME] = replay.jobs.walltime[job]
    row[News.RUNTIME] = replay.runtime[job] if event == Event.ENDED else 0
    replay.counters[At.NEWS] += 1


@borrowing_kernel
def note_end(replay: Replay, job: int) -> None:
    """Tell that a job has ended."""
    if len(replay.ledger.rows):
        replay.ledger.rows[job, Entry.RUNTIME] = replay.runtime[job]
    if len(replay.news):
        tell(replay, Event.ENDED, job)


@borrowing_kernel
def tell_starts(replay: Replay) -> None:
    """Tell the history of the starts of the instant that is over."""
    for i in range(replay.counters[At.UNTOLD]):
        tell(replay, Event.STARTED, replay.untold[i])
    replay.counters[At.UNTOLD] = 0


@borrowing_kernel
def enter(replay: Replay, job: int) -> None:
    """Enter a job that is submitted into the ledger."""
    row = replay.ledger.rows[job]
    row[Entry.SUBMIT] = replay.jobs.submit[job]
    row[Entry.PROCS] = replay.jobs.procs[job]
    row[Entry.WALLTIME] = replay.jobs.walltime[job]
    row[Entry.USER] = replay.jobs.user[job]
    row[Entry.START] = NEVER
    row[Entry.RUNTIME] = UNKNOWN
    for k in range(len(replay.free)):
        row[ENTRIES + k] = replay.jobs.demands[job, k]


@borrowing_kernel
def note_past(replay: Replay, at: int) -> None:
    """Note in the ledger what the history knows of an entry of the queue."""
    for k in range(replay.queue.past.shape[1]):
        replay.ledger.past[replay.queue_job[at], k] = replay.queue.past[at, k]


@kernel
def catch_up(replay: Replay, follow: Any) -> None:
    """Have the history see the news since the last round, and fill the columns of the waiting jobs."""
    counters = replay.counters
    told, known = counters[At.TOLD], counters[At.NEWS]
    queue = jobs_between(replay.queue, counters[At.FIRST], counters[At.LAST])
    follow(replay.news[told:known], replay.memory, queue, counters[At.NOW])
    counters[At.TOLD] = known
    if len(replay.ledger.rows):
        at = counters[At.LAST] - 1
        while at >= counters[At.FIRST] and replay.queue_job[at] >= counters[At.SHOWN]:
            note_past(replay, at)
            at -= 1
        counters[At.SHOWN] = counters[At.SUBMITTED]
