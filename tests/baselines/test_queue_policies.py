"""The queue-based policies on instances worked by hand; the pictures show processors over time."""

import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.checker import recorded_replay
from planbatch.experiments.replay.replay import replay
from tests.builders import workload_of


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


def test_fcfs_starts_jobs_when_those_before_end_early():
    """Job 1 asked for 10 s and ends after 3: the queue moves up at that instant."""
    assert starts("fcfs", 2, [(0, 2, 10, 3), (1, 2, 5), (2, 1, 1)]) == [0, 3, 8]


def test_easy_backfills_a_job_that_ends_by_the_shadow_time():
    """Job 2 is blocked until 4, its shadow time; job 3 ends at 4 exactly, and may overtake.

    ::

        4 | 3 3 3 3 2 2 2
        3 | 3 3 3 3 2 2 2
        2 | 1 1 1 1 2 2 2
        1 | 1 1 1 1 2 2 2
            0   2   4   6
    """
    assert starts("easy", 4, [(0, 2, 4), (0, 4, 3), (0, 2, 4)]) == [0, 4, 0]


def test_easy_does_not_backfill_beyond_the_shadow_time():
    """With one second more, job 3 would delay job 2, which leaves no extra processors."""
    assert starts("easy", 4, [(0, 2, 4), (0, 4, 3), (0, 2, 5)]) == [0, 4, 7]


def test_easy_backfills_long_jobs_into_the_extra_processors():
    """Job 2 needs 3 of the 4 that are free at its shadow time 4: one is extra, job 3 takes it.

    ::

        4 | 3 3 3 3 3 3 3 3 3
        3 | . . . . 2 2 2
        2 | 1 1 1 1 2 2 2
        1 | 1 1 1 1 2 2 2 4 4 …
            0   2   4   6   8

    Job 4 is as long and as narrow, but the extra processor is used up: it waits.
    """
    jobs = [(0, 2, 4), (0, 3, 3), (0, 1, 9), (0, 1, 9)]
    assert starts("easy", 4, jobs) == [0, 4, 0, 7]


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


def test_mixed_estimates_know_the_run_times_of_waiting_jobs():
    """Job 3 asks for 20 s, too long for the hole of 10 s, but runs for 8: ``mixed`` knows that."""
    jobs = [(0, 2, 10), (1, 4, 1), (1, 2, 20, 8)]
    assert starts("easy", 4, jobs) == [0, 10, 11]
    assert starts("easy", 4, jobs, estimates="mixed") == [0, 10, 1]


def test_easy_sjf_works_through_the_shortest_first():
    """Of three jobs that fill the machine, the shortest goes first; equal ones keep their order."""
    jobs = [(0, 2, 3), (1, 2, 5), (1, 2, 2), (1, 2, 2)]
    assert starts("easy-sjf", 2, jobs) == [0, 7, 3, 5]
    assert starts("easy:shortest", 2, jobs) == [0, 7, 3, 5]
    assert starts("easy", 2, jobs) == [0, 3, 8, 10]


def test_conservative_protects_every_job_not_only_the_first():
    """Job 4 may delay neither job 2 nor job 3; EASY protects job 2 only: job 4 delays job 3.

    ::

        conservative              EASY
        3 | . . . . 2 2 3 3 …     3 | 4 4 4 4 4 4 4 3 3
        2 | 1 1 1 1 2 2 3 3 …     2 | 1 1 1 1 2 2 . 3 3
        1 | 1 1 1 1 . . 3 3 …     1 | 1 1 1 1 2 2 . 3 3
            0   2   4   6             0   2   4   6
    """
    jobs = [(0, 2, 4), (0, 2, 2), (0, 3, 2), (0, 1, 7)]
    assert starts("conservative", 3, jobs) == [0, 4, 6, 8]
    assert starts("easy", 3, jobs) == [0, 4, 7, 0]


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
