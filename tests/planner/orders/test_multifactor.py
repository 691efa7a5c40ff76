"""Slurm's multifactor priority with classic fair-share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay, rounds_at
from planbatch.planner.orders.catalogue import as_orders
from planbatch.planner.orders.multifactor import multifactor
from tests.builders import machines_with_jobs, workload_of


def with_users(capacity, jobs, users):
    return workload_of(capacity, jobs).take(slice(None), user=np.array(users))


def test_who_used_the_machine_comes_after_who_did_not():
    """User 7 ran job 1; at its end, the job of user 8 goes first, though user 7's was submitted before.

    ::

        |1 1 1 1 1 1|3 3 3|2 2 2
        0           6     9
    """
    workload = with_users(1, [(0, 1, 6), (1, 1, 3), (2, 1, 3)], [7, 7, 8])
    assert replay(workload, "easy:multifactor").start.tolist() == [0, 9, 6]
    assert replay(workload, "easy:multifactor:fairshare=0").start.tolist() == [0, 6, 9]


def test_use_decays():
    """User 1 used the machine for 40 s long ago, user 2 for 10 s just now: with a short half-life, 1 goes first."""
    jobs = [(0, 1, 40), (190, 1, 10), (195, 1, 5), (196, 1, 5)]
    workload = with_users(1, jobs, [1, 2, 2, 1])
    assert replay(workload, "easy:multifactor:half_life=20s").start.tolist() == [0, 190, 205, 200]
    assert replay(workload, "easy:multifactor:half_life=9d").start.tolist() == [0, 190, 200, 205]


def factors_by_hand(problem, past, capacity, half_life):
    """The columns of a round by their definition: use second by second of what ran until now."""
    now = problem.now
    use: dict[int, float] = {}
    for user, procs, start, end in past:
        decayed = sum(0.5 ** ((now - second - 0.5) / half_life) for second in range(start, end))
        use[user] = use.get(user, 0.0) + procs * decayed
    known_users = {user for user, *_ in past} | set(problem.jobs.user.tolist())
    total = sum(use.values())
    return [
        [2.0 ** (-(use.get(user, 0.0) / total if total else 0.0) * len(known_users)), procs / capacity]
        for user, procs in zip(problem.jobs.user.tolist(), problem.jobs.procs.tolist(), strict=True)
    ]


@given(machines_with_jobs(), st.randoms(use_true_random=False))
def test_columns_of_a_round_like_the_definition(machine, random):
    """Whatever started before, running or ended, counts by the seconds that it ran; users count once seen."""
    capacity, jobs = machine
    users = [random.choice([3, 5, 11]) for _ in jobs]
    workload = with_users(capacity, jobs, users)
    policy = make_policy("easy:multifactor:half_life=30s")
    trace = replay(workload, policy)
    numbers = range(len(trace.rounds))
    for problem in rounds_at(workload, policy, numbers):
        past = [
            (users[i], jobs[i][1], int(trace.start[i]), min(int(trace.end[i]), problem.now))
            for i in range(len(jobs))
            if trace.start[i] < problem.now
        ]
        expected = factors_by_hand(problem, past, capacity, 30.0)
        assert problem.jobs.past[:, 1:] == pytest.approx(np.array(expected), rel=2e-3)


@given(machines_with_jobs(), st.integers(0, 11), st.randoms(use_true_random=False))
def test_no_column_knows_the_future(machine, place, random):
    """With other jobs from some moment on, all rounds before it have the same columns."""
    capacity, jobs = machine
    moment = jobs[min(place, len(jobs) - 1)][0]
    users = [random.choice([3, 5]) for _ in jobs]
    policy = make_policy("easy:multifactor")

    def rounds(jobs, users):
        workload = with_users(capacity, jobs, users)
        trace = replay(workload, policy)
        before = np.flatnonzero(trace.rounds.time < moment)
        return [(problem.now, problem.jobs.past.tolist()) for problem in rounds_at(workload, policy, before)]

    earlier = [i for i, job in enumerate(jobs) if job[0] < moment]
    later = [(*jobs[i][:3], jobs[i][2]) for i in range(len(jobs)) if i not in earlier]
    changed = [*(jobs[i] for i in earlier), *((at, 1, 3, 2) for at, *_ in later)]
    same = [*(users[i] for i in earlier), *(3 for _ in later)]
    for (now, mine), (then, theirs) in zip(rounds(jobs, users), rounds(changed, same), strict=True):
        assert now == then
        assert [row[1:] for row in mine] == [row[1:] for row in theirs]


def test_two_histories_do_not_stand_together():
    """Orders whose use decays differently."""
    with pytest.raises(ValueError, match="ask for different histories"):
        as_orders("multifactor/(multifactor:half_life=1d)")
    assert as_orders("multifactor/multifactor").history == multifactor().history
