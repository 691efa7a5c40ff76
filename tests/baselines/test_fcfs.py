"""First come, first served."""

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay
from tests.builders import workload_of


def test_the_first_that_does_not_fit_blocks_the_others():
    """C would fit at once, yet it waits behind B.

    ::

        4 |. . . C
        3 |. . . B B
        2 |A A A B B
        1 |A A A B B
          +---------
           0 1 2 3 4
    """
    jobs = [(0, 2, 3, 3), (0, 3, 2, 2), (0, 1, 1, 1)]
    assert replay(workload_of(4, jobs), make_policy("fcfs")).start.tolist() == [0, 3, 3]


def test_shortest_first_reorders_the_queue():
    """With the order ``shortest``, C goes first, then B; A comes last.

    ::

        4 |C . A A A
        3 |B B A A A
        2 |B B A A A
        1 |B B A A A
          +---------
           0 1 2 3 4
    """
    jobs = [(0, 4, 3, 3), (0, 3, 2, 2), (0, 1, 1, 1)]
    assert replay(workload_of(4, jobs), make_policy("fcfs:shortest")).start.tolist() == [2, 0, 0]


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
    assert replay(workload_of(2, jobs), make_policy("fcfs")).start.tolist() == [0, 3]
