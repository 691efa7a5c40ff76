"""EASY backfilling."""

import numpy as np

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay
from planbatch.planner.round import Round
from tests.builders import workload_of


def starts(capacity, jobs, policy="easy", estimates="requested"):
    """Replay jobs, and return their starts."""
    trace = replay(workload_of(capacity, jobs), make_policy(policy), estimates=estimates)
    return trace.start.tolist()


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
    assert starts(8, jobs) == [0, 4, 0, 0, 6, 0]


def test_one_second_more_than_the_shadow_time_is_too_much():
    """A job may end at the shadow time, not after it, where nothing is extra.

    ::

        2 |C C C B B        2 |. . . B B
        1 |A A A B B        1 |A A A B B C C C C
          +---------          +-----------------
           0 1 2 3 4           0 1 2 3 4 5 6 7 8
    """
    assert starts(2, [(0, 1, 3, 3), (0, 2, 2, 2), (0, 1, 3, 3)]) == [0, 3, 0]
    assert starts(2, [(0, 1, 3, 3), (0, 2, 2, 2), (0, 1, 4, 4)]) == [0, 3, 5]


def test_the_shadow_time_comes_from_walltimes_not_run_times():
    """A ends at 2, but is expected to run until 5: so C, which would delay B, starts at 0.

    ::

        2 |C C C C B
        1 |A A . . B
          +---------
           0 1 2 3 4
    """
    jobs = [(0, 1, 5, 2), (0, 2, 1, 1), (0, 1, 5, 4)]
    assert starts(2, jobs) == [0, 4, 0]
    assert starts(2, jobs, estimates="actual") == [0, 2, 3]


def test_the_walltime_of_running_and_the_run_time_of_waiting_jobs():
    """With mixed estimates B's shadow time is A's requested end 5; C's run time of 4 fits before it.

    C is submitted when A runs already, and its requested 9 seconds would not fit.
    """
    jobs = [(0, 1, 5, 3), (1, 2, 1, 1), (1, 1, 9, 4)]
    assert starts(2, jobs, estimates="requested") == [0, 3, 4]
    assert starts(2, jobs, estimates="mixed") == [0, 5, 1]


def test_shortest_jobs_go_first():
    """EASY-SJF takes the queue in the order of (walltime, FCFS).

    ::

        easy       2 |A A A A B B B C        easy-sjf   2 |A A A A C B B B
                   1 |A A A A B B B C                   1 |A A A A C B B B
                     +---------------                     +---------------
                      0 1 2 3 4 5 6 7                      0 1 2 3 4 5 6 7
    """
    jobs = [(0, 2, 4, 4), (1, 2, 3, 3), (2, 2, 1, 1)]
    assert starts(2, jobs) == [0, 4, 7]
    assert starts(2, jobs, "easy-sjf") == [0, 5, 4]


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
