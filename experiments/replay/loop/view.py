"""The round that a policy sees."""

from planbatch.experiments.replay.loop.state import At, Replay
from planbatch.planner.kernels.job_tables import jobs_between, with_walltime
from planbatch.planner.kernels.native import kernel
from planbatch.planner.ledger import Ledger
from planbatch.planner.resources import Windows
from planbatch.planner.round import RoundArrays, RunningTable


@kernel(inline="always")
def view(replay: Replay) -> RoundArrays:
    """Return the round at this instant: slices, not copies."""
    counters = replay.counters
    first, last = counters[At.FIRST], counters[At.LAST]
    known = counters[At.KNOWN]
    believed = replay.queue_believed if counters[At.PREDICTION] else replay.queue.walltime
    running = RunningTable(
        replay.running.procs[: counters[At.RUNNING]],
        replay.running.end[: counters[At.RUNNING]],
        replay.running.demands[: counters[At.RUNNING]],
    )
    queue = with_walltime(jobs_between(replay.queue, first, last), believed[first:last])
    windows = Windows(
        replay.windows.start[:known], replay.windows.end[:known], replay.windows.amounts[:known]
    )
    planned = replay.queue_planned[first:last]
    notes = replay.queue_notes[first:last]
    early = counters[At.EARLY] == 1
    submitted = counters[At.SUBMITTED]
    ledger = Ledger(
        replay.ledger.rows[:submitted],
        replay.ledger.past[:submitted],
        replay.running_job[: counters[At.RUNNING]],
    )
    return RoundArrays(
        counters[At.NOW],
        replay.capacity[0],
        running,
        queue,
        planned,
        early,
        notes,
        replay.queue_occupied[first:last],
        replay.capacities,
        windows,
        ledger,
    )
