"""The event loop of the replay (design rules 4 and 5): one source, run compiled or interpreted.

:func:`advance` moves time to the next round, :func:`view` shows the round to a policy, :func:`commit` carries its
plan out, and :func:`drive` is the loop of the three. Compiled policies run in the compiled loop; a policy in plain
Python runs in the very same loop, interpreted.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import typeof, types

from planbatch.experiments.replay.loop.advance import advance, advance_by_event
from planbatch.experiments.replay.loop.beliefs import believe, put_off_ends
from planbatch.experiments.replay.loop.commit import commit, note_turns
from planbatch.experiments.replay.loop.news import catch_up
from planbatch.experiments.replay.loop.promises import guard_promises
from planbatch.experiments.replay.loop.state import REPORTED, At, Replay, Status, empty_replay
from planbatch.experiments.replay.loop.view import view
from planbatch.planner.kernels.native import compiled_for, is_ready_for
from planbatch.planner.kernels.signatures import (
    COST,
    FLOAT64_ARRAY,
    FOLLOW,
    GENERATOR,
    ORDER_KEYS,
    Report,
    round_types,
)
from planbatch.planner.kernels.sorting import fill_column
from planbatch.planner.model import FloatArray


def drive(
    replay: Replay,
    decide: Any,
    order: Any,
    cost: Any,
    follow: Any,
    guard: Any,
    turns: Any,
    params: FloatArray,
    rng: Any,
) -> int:
    """Run rounds until the log is full, a lesson is due or the replay is over; return which, or what is wrong.

    ``follow`` keeps the history that ``order`` or predictions ask for, ``guard`` promises by requests whatever is
    predicted, and ``turns`` is the order if each event is a round; without them, or None, the loop compiles faster.
    """
    counters = replay.counters
    log = replay.log
    report = np.zeros(REPORTED)
    while counters[At.LOGGED] < len(log.time):
        if counters[At.NOW] >= counters[At.LESSON] and counters[At.STARTED] >= counters[At.ENOUGH]:
            return Status.LESSON_DUE
        by_event = turns is not None and counters[At.EACH_EVENT]
        status: int = advance_by_event(replay) if by_event else advance(replay)
        if status != Status.ROUND_DUE:
            return status
        logged = counters[At.LOGGED]
        fill_column(report, np.nan)
        report[Report.EVALUATIONS] = 0.0
        plan = replay.plan[counters[At.FIRST] : counters[At.LAST]]
        if follow is not None:
            if len(replay.news):
                catch_up(replay, follow)
            if counters[At.PREDICTION]:
                believe(replay)
                put_off_ends(replay, counters[At.NOW])
        decide(view(replay), order, cost, params, rng, plan, report)
        log.evaluations[logged] = int(report[Report.EVALUATIONS])
        log.seed_cost[logged] = report[Report.SEED_COST]
        log.cost[logged] = report[Report.COST]
        if guard is not None and counters[At.GUARDED]:
            guard_promises(replay, guard)
        if turns is not None and counters[At.EACH_EVENT]:
            note_turns(replay, turns)
        status = commit(replay)
        if status != Status.CARRIED_OUT:
            return status
    return Status.LOG_FULL


def drive_signature(several: bool, plain: bool) -> Any:
    """Return the types of :func:`drive`, for one resource or for several.

    ``plain`` says that there is no ``follow``, ``guard`` or ``turns``.
    """
    replay_type = typeof(empty_replay(1, 1, 1, [1] if several else []))
    kinds = round_types(several)
    further = (types.none,) * 3 if plain else (FOLLOW, kinds.guard, ORDER_KEYS)
    handed = (kinds.decide, ORDER_KEYS, COST, *further)
    return types.int64(replay_type, *handed, FLOAT64_ARRAY, GENERATOR)


@cache
def compiled_drive(several: bool, plain: bool) -> Callable[..., int]:
    """:func:`drive`, compiled for any compiled policy, order and objective; see :func:`drive_signature`."""
    return compiled_for(drive_signature(several, plain), drive)


def drive_is_ready(several: bool, plain: bool) -> bool:
    """Return whether :func:`compiled_drive` is on disk."""
    return is_ready_for(drive_signature(several, plain), drive)
