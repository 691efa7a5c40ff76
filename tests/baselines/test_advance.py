"""Reservations that move forward after an early end: remembering openings changes nothing but the time it takes."""

import numpy as np
import pytest

from planbatch.baselines.advance import MANY_JOBS, advance_all, advance_each
from planbatch.baselines.conservative import reserve_at_once, reserve_in_turn
from planbatch.planner.kernels.decode import decode_linear
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.round import Round, RoundArrays


def a_round(rng: np.random.Generator) -> tuple[RoundArrays, IntArray]:
    """Give many waiting jobs with reservations that were made while more jobs ran, and by no particular order."""
    capacity = int(rng.choice([3, 16, 64, 500]))
    longest = int(rng.choice([6, 40, 3000]))
    n = int(rng.integers(MANY_JOBS, 2 * MANY_JOBS))
    sizes = 1 + (rng.random(n) ** 2 * capacity).astype(int)
    waiting = [
        (-1, int(size), int(walltime))
        for size, walltime in zip(sizes, rng.integers(1, longest, n), strict=True)
    ]
    running = [(1, int(end)) for end in rng.integers(1, longest, int(capacity * rng.random()))]
    before = Round.of(capacity, 0, running, waiting).arrays
    start = np.empty(n, np.int64)
    decode_linear(before, rng.permutation(n), start)
    left = [job for job in running if rng.random() < 0.5]
    return Round.of(capacity, 0, left, waiting).arrays, start


def buffers(arrays: RoundArrays) -> tuple[IntArray, IntArray]:
    """Give columns for a profile with all reservations."""
    room = len(arrays.running.end) + 2 * len(arrays.jobs.procs) + 9
    return np.empty(room, np.int64), np.empty(room, np.int64)


def free_at(times: IntArray, free: IntArray, size: int, when: IntArray) -> IntArray:
    """Read a profile at some times."""
    return free[np.searchsorted(times[:size], when, side="right") - 1]


@pytest.mark.parametrize("seed", range(150))
def test_what_is_remembered_changes_no_reservation(seed):
    """Two passes, as after two early ends: each gives every job the start that it finds by walking over the profile."""
    rng = np.random.default_rng(seed)
    arrays, start = a_round(rng)
    expected, order = start.copy(), np.arange(len(start))
    profiles = []
    for _ in range(2):
        profiles = []
        for advance, reserved in ((advance_each, expected), (advance_all, start)):
            times, free = buffers(arrays)
            size = reserve_in_turn(arrays, arrays.jobs.procs, reserved, times, free)
            size = advance(arrays, arrays.jobs.procs, order, reserved, times, free, size)
            profiles.append((times, free, size))
        np.testing.assert_array_equal(start, expected)
    when = np.unique(np.concatenate([start, start + arrays.jobs.walltime, arrays.running.end]))
    np.testing.assert_array_equal(free_at(*profiles[0], when), free_at(*profiles[1], when))


@pytest.mark.parametrize("seed", range(40))
def test_reservations_taken_at_once_leave_what_they_leave_one_by_one(seed):
    """Some jobs have no reservation yet."""
    rng = np.random.default_rng(seed)
    arrays, start = a_round(rng)
    start[rng.random(len(start)) < 0.2] = NEVER
    profiles = []
    for reserve in (reserve_in_turn, reserve_at_once):
        times, free = buffers(arrays)
        size = reserve(arrays, arrays.jobs.procs, start, times, free)
        assert (np.diff(times[:size]) > 0).all()
        profiles.append((times, free, size))
    when = np.concatenate([profile[0][: profile[2]] for profile in profiles])
    np.testing.assert_array_equal(free_at(*profiles[0], when), free_at(*profiles[1], when))
