"""What is believed of run times: predictions of waiting jobs, corrections of running ones that outlive theirs."""

from planbatch.experiments.replay.loop.state import At, Replay
from planbatch.planner.kernels.native import borrowing_kernel
from planbatch.planner.predictors import Corrector


@borrowing_kernel
def believe(replay: Replay) -> None:
    """Take over what is predicted of the waiting jobs: whole seconds, at least one and at most the request."""
    counters = replay.counters
    column = counters[At.PREDICTION]
    for at in range(counters[At.FIRST], counters[At.LAST]):
        believed = replay.queue.walltime[at]
        predicted = replay.queue.past[at, column]
        if predicted < believed:  # not if it is NaN
            believed = max(int(predicted), 1)
        replay.queue_believed[at] = believed
        if counters[At.CORRECTOR] != Corrector.AT_START:
            replay.queue_occupied[at] = believed


@borrowing_kernel
def corrected(corrector: int, predicted: int, elapsed: int, request: int) -> int:
    """Return what a job that has run for longer than predicted is believed to take; see ``planner.predictors``."""
    believed = request
    if corrector == Corrector.INCREMENTAL:
        for minutes in (1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000):
            if predicted + 60 * minutes > elapsed:
                believed = predicted + 60 * minutes
                break
    elif corrector in (Corrector.DOUBLING, Corrector.DOUBLING_BEYOND):
        believed = 2 * predicted
        while believed <= elapsed:
            believed *= 2
        if corrector == Corrector.DOUBLING_BEYOND:
            return believed
    return min(believed, request)


@borrowing_kernel
def put_off_ends(replay: Replay, now: int) -> None:
    """Correct what is believed of the running jobs that should have ended by now, and have not."""
    counters = replay.counters
    ends = replay.running.end
    while counters[At.RUNNING] and ends[0] <= now:
        job, procs = replay.running_job[0], replay.running.procs[0]
        replay.occupied[job] = corrected(
            counters[At.CORRECTOR], replay.predicted[job], now - replay.start[job],
            replay.jobs.walltime[job],
        )  # fmt: skip
        end = replay.start[job] + replay.occupied[job]
        i = 0
        while i + 1 < counters[At.RUNNING] and ends[i + 1] <= end:
            replay.running.procs[i] = replay.running.procs[i + 1]
            ends[i] = ends[i + 1]
            replay.running_job[i] = replay.running_job[i + 1]
            for k in range(len(replay.free)):
                replay.running.demands[i, k] = replay.running.demands[i + 1, k]
            i += 1
        replay.running.procs[i] = procs
        ends[i] = end
        replay.running_job[i] = job
        for k in range(len(replay.free)):
            replay.running.demands[i, k] = replay.jobs.demands[job, k]
