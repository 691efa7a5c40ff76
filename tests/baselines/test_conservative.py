"""Conservative backfilling: with its reservations kept, and re-planned from scratch."""

import pytest
from hypothesis import given, settings

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.checker import check_reservations, recorded_replay
from planbatch.experiments.replay.replay import replay
from tests.builders import machines_with_jobs, workload_of
from tests.examples import examples


def test_a_kept_reservation_lets_a_later_job_profit_from_an_early_end():
    """R is expected to run until 8, and ends at 2. Reserved until then: J1 for 8 (it needs the machine), J2 for 4.

    Kept, in FCFS order: J1 takes the earliest start among the *others'* reservations, 7, behind J2's; then J2 moves
    to 2. It was one pass, so J1 stays at 7, where its start falls due on an idle machine. Re-planned, J1 is placed
    first, at 4, and J2 behind it. Three processors::

        kept      3 |R R . . . . . J1      re-planned   3 |R R . . J1 J1 J1
                  2 |R R J2J2J2. . J1                   2 |R R . . J1 J1 J1
                  1 |S S S S . . . J1                   1 |S S S S J1 J1 J1 J2 J2 J2
                    +----------------                     +------------------------
                     0 1 2 3 4 5 6 7                       0 1 2 3 4  5  6  7
    """
    jobs = [
        (0, 2, 8, 2),  # R
        (0, 1, 4, 4),  # S
        (1, 3, 3, 3),  # J1
        (1, 1, 3, 3),  # J2
    ]
    kept = replay(workload_of(3, jobs), make_policy("conservative"))
    assert kept.start.tolist() == [0, 0, 7, 2]
    assert kept.rounds.time.tolist() == [0, 1, 2, 4, 5, 7]
    again = replay(workload_of(3, jobs), make_policy("replanned"))
    assert again.start.tolist() == [0, 0, 4, 7]


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
        assert replay(workload_of(2, jobs), make_policy(name)).start.tolist() == [0, 3, 5, 0]


def test_easy_delays_the_second_reservation_where_conservative_does_not():
    """E fits beside B for longer than C's reservation allows. EASY protects B only.

    ::

        conservative  3 |. . C C C        easy  3 |E E E E E
                      2 |A A B C C              2 |A A B C C ...
    """
    jobs = [(0, 2, 2, 2), (0, 2, 1, 1), (0, 3, 2, 2), (0, 1, 5, 5)]
    workload = workload_of(3, jobs)
    assert replay(workload, make_policy("conservative")).start.tolist() == [0, 2, 3, 5]
    assert replay(workload, make_policy("easy")).start.tolist() == [0, 2, 5, 0]


@pytest.mark.parametrize("estimates", ["requested", "actual"])
@settings(max_examples=examples(40))
@given(machine=machines_with_jobs())
def test_no_reservation_ever_moves_to_a_later_time(estimates, machine):
    """Whatever ends early, and whoever arrives."""
    capacity, jobs = machine
    workload = workload_of(capacity, jobs)
    trace, rounds = recorded_replay(workload, make_policy("conservative"), estimates=estimates)
    assert check_reservations(rounds) == []
    assert (
        trace.start == replay(workload, make_policy("conservative"), estimates=estimates).start
    ).all()


def test_mixed_estimates_may_move_reservations():
    """A is expected to run for 2 s while it waits and for 9 s once it runs: B's reservation for 2 cannot be kept.

    The submission of C at 1 is the round that finds out.
    """
    jobs = [(0, 1, 9, 3), (0, 1, 1, 1), (1, 1, 1, 1)]
    trace, rounds = recorded_replay(
        workload_of(1, jobs), make_policy("conservative"), estimates="mixed"
    )
    assert [round_.start.tolist() for round_ in rounds] == [[0, 3], [9, 10], [3, 4], [4]]
    assert trace.start.tolist() == [0, 3, 4]
