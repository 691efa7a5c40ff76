"""Reservations that move forward after an early end: what is remembered of openings changes no start."""

from dataclasses import replace

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER
from planbatch.planner.profile import Profile
from planbatch.planner.resources import Resource
from planbatch.planner.round import Round


def a_round(seed, further):
    """Give many waiting jobs with reservations that were made while more jobs ran, and by no particular order.

    A few new ones have none.
    """
    rng = np.random.default_rng(seed)
    capacity, longest = int(rng.choice([3, 16, 64, 500])), int(rng.choice([6, 40, 3000]))
    n = int(rng.integers(100, 200))
    sizes = 1 + (rng.random(n) ** 2 * capacity).astype(int)
    walltimes = rng.integers(1, longest, n)
    running = [(1, int(end)) for end in rng.integers(1, longest, int(capacity * rng.random()))]
    arguments = {
        "capacity": capacity,
        "waiting": [(-1, int(s), int(w)) for s, w in zip(sizes, walltimes, strict=True)],
        "resources": [Resource("memory", 9)] if further else (),
        "demands": rng.integers(0, 10, (n, 1)) if further else None,
    }
    start = decode(Round.of(running=running, **arguments), rng.permutation(n)).start
    left = [job for job in running if rng.random() < 0.5]
    planned = np.where(rng.random(n) < 0.05, NEVER, start)
    return replace(Round.of(running=left, planned=planned, **arguments), ended_early=True)


def advanced(problem):
    """Let each job in turn give up its reservation for the earliest one; then admit the new ones."""
    start, profile = problem.planned.copy(), Profile(problem)
    columns = list(zip(problem.demands.tolist(), problem.jobs.walltime.tolist(), strict=True))
    reserved = np.flatnonzero(start != NEVER)
    for i in reserved:
        profile.reserve(columns[i][0], int(start[i]), columns[i][1])
    for i in reserved:
        profile.release(columns[i][0], int(start[i]), columns[i][1])
        start[i] = profile.earliest(*columns[i])
        profile.reserve(columns[i][0], int(start[i]), columns[i][1])
    for i in np.flatnonzero(problem.planned == NEVER):
        start[i] = profile.earliest(*columns[i])
        profile.reserve(columns[i][0], int(start[i]), columns[i][1])
    return start


@pytest.mark.parametrize("further", [False, True], ids=["processors", "memory"])
def test_reservations_move_as_in_a_walk_over_the_profile(further):
    """Two early ends, one after the other: each job gets the start that a search through all of it finds."""
    policy, moved = make_policy("conservative"), 0
    for seed in range(25):
        problem = a_round(seed, further)
        for _ in range(2):
            result = policy(problem, np.random.default_rng(0)).start
            assert result.tolist() == advanced(problem).tolist(), seed
            moved += int((result < problem.planned).sum())
            problem = replace(problem, planned=result)
    assert moved > 100
