"""Promises: what is promised to a job when it is first planned, and the guard of what was promised."""

from typing import Any

import numpy as np

from planbatch.experiments.replay.loop.running import running_as_asked
from planbatch.experiments.replay.loop.state import At, Replay
from planbatch.experiments.replay.loop.view import view
from planbatch.planner.kernels.job_tables import jobs_between, round_of, with_running
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.model import NEVER


@kernel
def guard_promises(replay: Replay, guard: Any) -> None:
    """Have the plan of this round mended if it could break a promise; see ``planner.kernels.guarantees``."""
    counters = replay.counters
    first, last = counters[At.FIRST], counters[At.LAST]
    which = replay.queue_job[first:last]
    plan = replay.plan[first:last]
    arrays = view(replay)
    jobs = jobs_between(replay.queue, first, last)
    asked = round_of(arrays, jobs, replay.guaranteed[which], arrays.notes, arrays.occupied)
    asked = with_running(asked, running_as_asked(replay))
    guaranteed = np.empty(last - first, np.int64)
    guard(asked, plan, guaranteed)
    for i in range(len(which)):
        replay.guaranteed[which[i]] = guaranteed[i]


@borrowing_kernel
def note_first_plan(replay: Replay, at: int, planned: int) -> None:
    """Keep the start for which a job was planned first, and promise it one: by requests, if those are not believed."""
    job = replay.queue_job[at]
    if replay.first_planned[job] == NEVER:
        replay.first_planned[job] = planned
    if replay.queue.latest[at] == NEVER:
        promise(replay, at, replay.guaranteed[job] if replay.counters[At.GUARDED] else planned)


@borrowing_kernel
def promise(replay: Replay, at: int, planned: int) -> None:
    """Promise a latest start to a job planned for the first time, if promises are made."""
    job = replay.queue_job[at]
    if replay.slack[job] != NEVER:
        latest = max(planned + replay.slack[job], replay.floor[job])
        replay.queue.latest[at] = latest
        replay.jobs.latest[job] = latest
