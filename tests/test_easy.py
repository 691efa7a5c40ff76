"""EASY backfilling."""

import numpy as np

from baselines.catalogue import make_policy
from baselines.easy import shadow_time
from experiments.replay import replay
from planner.round import Round
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


def test_shadow_time_counts_all_jobs_that_end_then():
    """Two jobs end at 20: both add to the extra processors."""
    problem = Round.of(10, 0, [(2, 10), (3, 20), (4, 20)], [(0, 5, 7), (0, 1, 2)])
    nothing_started = np.zeros(2, dtype=np.bool_)
    assert shadow_time(problem.arrays, nothing_started, 1, 4) == (20, 6)
    assert shadow_time(problem.arrays, nothing_started, 1, 3) == (10, 0)


def test_shadow_time_counts_jobs_that_have_just_started():
    """The second waiting job has just been started, and ends at 2."""
    problem = Round.of(10, 0, [(9, 10)], [(0, 5, 7), (0, 1, 2)])
    started = np.array([False, True])
    assert shadow_time(problem.arrays, started, 0, 1) == (2, 0)
    assert shadow_time(problem.arrays, started, 0, 10) == (10, 0)
