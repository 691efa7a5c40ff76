"""The queue-based policies, and reservations made in advance, on instances worked by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.checker import check_reservations, recorded_replay
from planbatch.experiments.replay.replay import replay
from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER
from planbatch.planner.profile import Profile
from planbatch.planner.resources import Resource
from planbatch.planner.round import Round
from tests.builders import machines_with_jobs, workload_of
from tests.examples import examples


def starts(name: str, capacity: int, jobs: list[tuple[int, ...]], **options: str) -> list[int]:
    """Replay jobs (submit, procs, walltime[, run time]) and return their starts."""
    return replay(workload_of(capacity, jobs), make_policy(name), **options).start.tolist()


def test_fcfs_lets_nobody_overtake():
    """The wide job 2 waits for job 1, and the narrow job 3 waits behind it although it would fit.

    ::

        4 | . . . . 2 2 2
        3 | . . . . 2 2 2
        2 | 1 1 1 1 2 2 2 3 3
        1 | 1 1 1 1 2 2 2 3 3
            0   2   4   6   8
    """
    assert starts("fcfs", 4, [(0, 2, 4), (0, 4, 3), (0, 2, 2)]) == [0, 4, 7]


def test_easy_reckons_with_requested_times():
    """Job 1 is expected until 10 and ends at 2: job 3 was let through for that, and delays job 2.

    ::

        4 | . 3 3 3 3 3 3 3 3 2
        3 | . 3 3 3 3 3 3 3 3 2
        2 | 1 1 . . . . . . . 2
        1 | 1 1 . . . . . . . 2
            0   2   4   6   8
    """
    jobs = [(0, 2, 10, 2), (1, 4, 1), (1, 2, 8)]
    assert starts("easy", 4, jobs) == [0, 9, 1]
    assert starts("easy", 4, jobs, estimates="mixed") == [0, 9, 1]
    assert starts("easy", 4, jobs, estimates="actual") == [0, 2, 3]


def test_conservative_keeps_reservations_that_replanning_gives_up():
    """Job 1 ends early at 1. Job 3 gets to run next only if job 4 loses the start it was told.

    ::

        planned at 0                  reservations kept             planned anew
        3 | 1 1 1 1 1 1 1 1 1 1 3     3 | 1 . . . . . . . . . 3     3 | 1 . 3
        2 | 1 1 1 1 1 1 1 1 1 1 3     2 | 1 4 4 4 4 4 4 4 4 . 3     2 | 1 . 3
        1 | 2 2 4 4 4 4 4 4 4 4 3     1 | 2 2 . . . . . . . . 3     1 | 2 2 3 4 4 4 4 4 4 4 4
            0   2   4   6   8             0   2   4   6   8             0   2   4   6   8

    In the one pass, job 3 goes first and finds the reservation of job 4 in its way; then job 4
    moves to 1. When it ends at 9, it has run for all its time, so that nothing moves.
    """
    jobs = [(0, 2, 10, 1), (0, 1, 2), (0, 3, 1), (0, 1, 8)]
    trace, rounds = recorded_replay(workload_of(3, jobs), make_policy("conservative"))
    assert rounds[0].start.tolist() == [0, 0, 10, 2]
    assert rounds[1].start.tolist() == [10, 1]
    assert trace.start.tolist() == [0, 0, 10, 1]
    assert trace.rounds.time.tolist() == [0, 1, 2, 9, 10]
    assert starts("replanned", 3, jobs) == [0, 0, 2, 3]


def test_conservative_improves_one_reservation_at_a_time():
    """After the early end at 2, job 2 moves into the hole, then job 3 into what job 2 has left.

    ::

        planned at 1                    after the early end
        2 | 1 1 1 1 1 1 2 2 2 3 3       2 | 1 1 2 2 2 3 3
        1 | 1 1 1 1 1 1 2 2 2 3 3       1 | 1 1 2 2 2 3 3
            0   2   4   6   8               0   2   4
    """
    jobs = [(0, 2, 6, 2), (0, 2, 3), (1, 2, 2)]
    trace, rounds = recorded_replay(workload_of(2, jobs), make_policy("conservative"))
    assert [planned.start.tolist() for planned in rounds[:3]] == [[0, 6], [6, 9], [2, 5]]
    assert trace.start.tolist() == [0, 2, 5]


def test_both_ways_to_backfill_and_the_extra_processors_used_up():
    """R runs; B is blocked until the shadow time 4, when 2 extra processors are left over.

    C ends by the shadow time; D runs longer, on the 2 extra processors; E runs longer and finds no extra processor
    any more; F, though submitted last, ends by the shadow time again. Eight processors::

        8 |F F F F B B
        7 |D D D D D D D D D D
        6 |D D D D D D D D D D
        5 |C C C C B B
        4 |R R R R B B
        3 |R R R R B B
        2 |R R R R B B
        1 |R R R R B B E E E E E
          +---------------------
           0 1 2 3 4 5 6 7 8 9
    """
    jobs = [
        (0, 4, 4, 4),  # R
        (0, 6, 2, 2),  # B
        (0, 1, 4, 4),  # C
        (0, 2, 10, 10),  # D
        (0, 1, 5, 5),  # E
        (0, 1, 4, 4),  # F
    ]
    assert starts("easy", 8, jobs) == [0, 4, 0, 0, 6, 0]


def test_one_second_more_than_the_shadow_time_is_too_much():
    """A job may end at the shadow time, not after it, where nothing is extra.

    ::

        2 |C C C B B        2 |. . . B B
        1 |A A A B B        1 |A A A B B C C C C
          +---------          +-----------------
           0 1 2 3 4           0 1 2 3 4 5 6 7 8
    """
    assert starts("easy", 2, [(0, 1, 3, 3), (0, 2, 2, 2), (0, 1, 3, 3)]) == [0, 3, 0]
    assert starts("easy", 2, [(0, 1, 3, 3), (0, 2, 2, 2), (0, 1, 4, 4)]) == [0, 3, 5]


def test_backfilling_may_not_delay_any_reservation():
    """C fits now, but would delay B; D fits into the hole before B.

    ::

        2 |D D . B B
        1 |A A A B B C C C C
          +-----------------
           0 1 2 3 4 5 6 7 8
    """
    jobs = [(0, 1, 3, 3), (0, 2, 2, 2), (0, 1, 4, 4), (0, 1, 2, 2)]
    for name in ("conservative", "replanned"):
        assert starts(name, 2, jobs) == [0, 3, 5, 0]


def test_easy_delays_the_second_reservation_where_conservative_does_not():
    """E fits beside B for longer than C's reservation allows. EASY protects B only.

    ::

        conservative  3 |. . C C C        easy  3 |E E E E E
                      2 |A A B C C              2 |A A B C C ...
    """
    jobs = [(0, 2, 2, 2), (0, 2, 1, 1), (0, 3, 2, 2), (0, 1, 5, 5)]
    assert starts("conservative", 3, jobs) == [0, 2, 3, 5]
    assert starts("easy", 3, jobs) == [0, 2, 5, 0]


@pytest.mark.parametrize("estimates", ["requested", "actual"])
@settings(max_examples=examples(40))
@given(machine=machines_with_jobs())
def test_no_reservation_ever_moves_to_a_later_time(estimates, machine):
    """Whatever ends early, and whoever arrives."""
    capacity, jobs = machine
    workload = workload_of(capacity, jobs)
    trace, rounds = recorded_replay(workload, make_policy("conservative"), estimates=estimates)
    assert check_reservations(rounds) == []
    assert (trace.start == replay(workload, make_policy("conservative"), estimates=estimates).start).all()


def test_mixed_estimates_may_move_reservations():
    """A is expected to run for 2 s while it waits and for 9 s once it runs: B's reservation for 2 cannot be kept.

    The submission of C at 1 is the round that finds out.
    """
    jobs = [(0, 1, 9, 3), (0, 1, 1, 1), (1, 1, 1, 1)]
    trace, rounds = recorded_replay(workload_of(1, jobs), make_policy("conservative"), estimates="mixed")
    assert [round_.start.tolist() for round_ in rounds] == [[0, 3], [9, 10], [3, 4], [4]]
    assert trace.start.tolist() == [0, 3, 4]


# Reservations that move forward after an early end: the slot cache changes no start.


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
    policy, earlier = make_policy("conservative"), 0
    for seed in range(25):
        problem = a_round(seed, further)
        for _ in range(2):
            result = policy(problem, np.random.default_rng(0)).start
            assert result.tolist() == advanced(problem).tolist(), seed
            earlier += int((result < problem.planned).sum())
            problem = replace(problem, planned=result)
    assert earlier > 100
