"""Time moves to the next round: with all events of an instant together, or with a round for each event."""

from planbatch.experiments.replay.loop.news import note_end, tell_starts
from planbatch.experiments.replay.loop.running import let_go, release
from planbatch.experiments.replay.loop.state import At, Replay, Status
from planbatch.experiments.replay.loop.waiting import submit
from planbatch.planner.kernels.native import borrowing_kernel, shared_borrowing_kernel
from planbatch.planner.model import NEVER


@borrowing_kernel
def pass_changes(replay: Replay) -> None:
    """Leave the changes of the machine behind that happen by this instant."""
    counters, changes = replay.counters, replay.changes
    while counters[At.CHANGE] < len(changes) and changes[counters[At.CHANGE]] <= counters[At.NOW]:
        counters[At.CHANGE] += 1


@borrowing_kernel
def know_windows(replay: Replay) -> None:
    """Show the windows that become known by this instant."""
    counters, known = replay.counters, replay.window_known
    while counters[At.KNOWN] < len(known) and known[counters[At.KNOWN]] <= counters[At.NOW]:
        counters[At.KNOWN] += 1


@shared_borrowing_kernel
def advance(replay: Replay) -> int:
    """Move to the next instant at which a job waits; return ROUND_DUE, FINISHED or STUCK.

    At one instant, all completions come first, then all submissions (rule 4), then changes of the machine.
    """
    counters = replay.counters
    n = len(replay.start)
    changes = replay.changes
    while True:
        now = NEVER
        if counters[At.SUBMITTED] < n:
            now = replay.jobs.submit[counters[At.SUBMITTED]]
        if counters[At.RUNNING]:
            now = min(now, replay.actual_end[counters[At.RUNNING] - 1])
        now = min(now, counters[At.DUE])
        if counters[At.STARTED] < n and counters[At.CHANGE] < len(changes):
            now = min(now, changes[counters[At.CHANGE]])
        if now == NEVER:
            return Status.STUCK if counters[At.STARTED] < n else Status.FINISHED
        counters[At.NOW] = now
        counters[At.EARLY] = 0
        counters[At.DUE] = NEVER if counters[At.DUE] == now else counters[At.DUE]
        while counters[At.RUNNING] and replay.actual_end[counters[At.RUNNING] - 1] == now:
            job = replay.actual_job[counters[At.RUNNING] - 1]
            if replay.runtime[job] < replay.occupied[job]:
                counters[At.EARLY] = 1
            release(replay, job)
        while counters[At.SUBMITTED] < n and replay.jobs.submit[counters[At.SUBMITTED]] == now:
            submit(replay, counters[At.SUBMITTED])
        pass_changes(replay)
        know_windows(replay)
        if counters[At.STARTED] < counters[At.SUBMITTED]:
            return Status.ROUND_DUE


@borrowing_kernel
def advance_by_event(replay: Replay) -> int:
    """Move to the next event at which a job waits: :func:`advance` with a round for each event.

    At one instant, all submissions come first, one by one, then the ends, in the order of the starts, then changes of
    the machine and starts that fall due, together. A job that was expected to end at this instant, and does, has left
    before any of them. The rules are those of the simulator behind Gaussier et al. (SC 2015).
    """
    counters = replay.counters
    n = len(replay.start)
    changes = replay.changes
    while True:
        waits = counters[At.SUBMITTED] < n
        submission = replay.jobs.submit[counters[At.SUBMITTED]] if waits else NEVER
        running = counters[At.RUNNING] + counters[At.LEAVING]
        end = replay.actual_end[running - 1] if running else NEVER
        other = counters[At.DUE]
        if counters[At.STARTED] < n and counters[At.CHANGE] < len(changes):
            other = min(other, changes[counters[At.CHANGE]])
        now = min(submission, min(end, other))
        if now == NEVER:
            return Status.STUCK if counters[At.STARTED] < n else Status.FINISHED
        if now != counters[At.NOW] or counters[At.ROUNDS] == 0:
            tell_starts(replay)
            counters[At.NOW] = now
            let_go(replay)
        counters[At.EARLY] = 0
        if submission == now:
            submit(replay, counters[At.SUBMITTED])
        elif end == now:
            job = replay.actual_job[running - 1]
            if replay.start[job] + replay.occupied[job] == now:
                counters[At.LEAVING] -= 1
                note_end(replay, job)
            else:
                counters[At.EARLY] = 1
                release(replay, job)
        else:
            counters[At.DUE] = NEVER if counters[At.DUE] == now else counters[At.DUE]
            pass_changes(replay)
        know_windows(replay)
        if counters[At.STARTED] < counters[At.SUBMITTED]:
            return Status.ROUND_DUE
