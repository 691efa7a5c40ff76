"""The queue-based policies on instances worked by hand; the pictures show processors over time."""

import numpy as np
import pytest
from hypothesis import given, settings

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.checker import check_reservations, recorded_replay
from planbatch.experiments.replay.replay import replay
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


def test_easy_sjf_works_through_the_shortest_first():
    """Of three jobs that fill the machine, the shortest goes first; equal ones keep their order."""
    jobs = [(0, 2, 3), (1, 2, 5), (1, 2, 2), (1, 2, 2)]
    assert starts("easy-sjf", 2, jobs) == [0, 7, 3, 5]
    assert starts("easy:shortest", 2, jobs) == [0, 7, 3, 5]
    assert starts("easy", 2, jobs) == [0, 3, 8, 10]


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
    kept, rounds = recorded_replay(workload_of(3, jobs), make_policy("conservative"))
    assert rounds[0].start.tolist() == [0, 0, 10, 2]
    assert rounds[1].start.tolist() == [10, 1]
    assert kept.start.tolist() == [0, 0, 10, 1]
    assert kept.rounds.time.tolist() == [0, 1, 2, 9, 10]
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
    kept, rounds = recorded_replay(workload_of(2, jobs), make_policy("conservative"))
    assert [planned.start.tolist() for planned in rounds[:3]] == [[0, 6], [6, 9], [2, 5]]
    assert kept.start.tolist() == [0, 2, 5]


def test_replanned_decodes_an_order():
    """In the order of areas, the small job goes first."""
    jobs = [(0, 2, 2), (0, 2, 9), (0, 1, 3)]
    assert starts("replanned", 2, jobs) == [0, 2, 11]
    assert starts("replanned:smallest-area", 2, jobs) == [3, 5, 0]


@pytest.mark.parametrize("name", ["fcfs", "easy", "conservative", "replanned"])
def test_completions_come_before_submissions(name):
    """A job that is submitted when another ends finds its processors free."""
    assert starts(name, 1, [(0, 1, 5), (5, 1, 1)]) == [0, 5]


def test_equal_submit_times_keep_the_order_of_the_file():
    """FCFS order is (submit time, place in the file)."""
    jobs = [(3, 1, 2, 2), (0, 1, 5, 5), (3, 1, 1, 1)]
    workload = workload_of(1, jobs)
    trace = replay(workload, make_policy("fcfs"))
    assert workload.id.tolist() == [2, 1, 3]
    assert trace.start.tolist() == [0, 5, 7]


def test_an_early_end_is_used_at_once():
    """A ends two seconds before its walltime, and B starts then."""
    jobs = [(0, 2, 5, 3), (1, 2, 4, 4)]
    assert starts("fcfs", 2, jobs) == [0, 3]


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


def test_the_walltime_of_running_and_the_run_time_of_waiting_jobs():
    """With mixed estimates B's shadow time is A's requested end 5; C's run time of 4 fits before it.

    C is submitted when A runs already, and its requested 9 seconds would not fit.
    """
    jobs = [(0, 1, 5, 3), (1, 2, 1, 1), (1, 1, 9, 4)]
    assert starts("easy", 2, jobs, estimates="requested") == [0, 3, 4]
    assert starts("easy", 2, jobs, estimates="mixed") == [0, 5, 1]


def decided(running, waiting):
    """Decide one round on ten processors; return who starts."""
    problem = Round.of(10, 0, running, waiting)
    plan = make_policy("easy")(problem, np.random.default_rng(0))
    return (plan.start == 0).tolist()


def test_the_shadow_time_counts_all_jobs_that_end_then():
    """Two jobs end at 20; with the one that is free, 8 are there for the blocked job, and 2 are extra from then on.

    A job that ends after 20 fits if it takes the free one; so it does if only one were extra, but not if none were.
    """
    running = [(2, 10), (3, 20), (4, 20)]
    assert decided(running, [(0, 8, 7), (0, 1, 30)]) == [False, True]
    assert decided(running, [(0, 10, 7), (0, 1, 30)]) == [False, False]
    assert decided(running, [(0, 10, 7), (0, 1, 20)]) == [False, True]


def test_jobs_that_have_just_started_count_as_running():
    """A starts at 0 and ends at 2; B, which needs all ten, waits until then; C may not delay it, D ends in time."""
    assert decided([], [(0, 9, 2), (0, 10, 7), (0, 1, 3), (0, 1, 2)]) == [True, False, False, True]


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
