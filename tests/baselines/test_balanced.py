"""BB and IBB (Liu et al. 2016): the choices by hand, and Algorithm 1 in plain Python."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay
from planbatch.planner.resources import Resource
from planbatch.planner.round import Round
from tests.builders import left_by_seconds, machines_with_jobs, rounds_with_resources, workload_of
from tests.examples import examples

MEMORY = Resource("memory", 10, "GB")


def started(policy, problem):
    """Tell which waiting jobs a policy starts now, by their index."""
    plan = make_policy(policy)(problem, np.random.default_rng(0))
    return np.flatnonzero(plan.start == problem.now).tolist()


def machine(in_use, waiting, until=10):
    """Give a round on ten processors and 10 GB: what runs, until 10, and jobs as (processors, GB, walltime)."""
    procs, memory = in_use
    return Round.of(
        10, 0, [(procs, until)], [(0, p, walltime) for p, _, walltime in waiting],
        resources=[MEMORY], demands=[[m] for _, m, _ in waiting], in_use=[[memory]],
    )  # fmt: skip


def test_equation_1_chooses_the_job_that_balances_best():
    """S = (.6, .2); the pivot P needs the whole machine at 10, and all the others end by then.

    ::

        job  takes     S + R      max / mean         x (1 - mean)
        C    4p 1 GB   (1, .3)    1 / .65  = 1.54    x .35  = .54
        A    2p 2 GB   (.8, .4)   .8 / .6  = 1.33    x .40  = .53
        B    1p 5 GB   (.7, .7)   .7 / .7  = 1       x .30  = .30   <- first, then A: (.9, .9), .10

    EASY starts C, the first that fits, and has no processor left. IBB passes C over, because it worsens the balance
    of .6 / .4 = 1.5, and starts A (1.33) and then B (.9 / .9 = 1).
    """
    problem = machine((6, 2), [(10, 0, 5), (4, 1, 10), (2, 2, 10), (1, 5, 10)])
    assert started("easy", problem) == [1]
    assert started("bb", problem) == [2, 3]
    assert started("bb-one", problem) == [3]
    assert started("ibb", problem) == [2, 3]


def test_the_fullness_modifier_prefers_a_job_that_fills_the_machine():
    """S = (.5, .4): X balances better, (.6, .6), but Y nearly fills the machine.

    ::

        X    1p 2 GB   (.6, .6)   1    x .4 = .40
        Y    5p 4 GB   (1, .8)    1.11 x .1 = .11   <- BB
    """
    problem = machine((5, 4), [(10, 0, 5), (1, 2, 10), (5, 4, 10)])
    assert started("bb", problem) == [2]
    assert started("ibb", problem) == [1]


@pytest.mark.parametrize(("job", "starts"), [((3, 1), True), ((3, 0), False), ((4, 1), False), ((1, 1), True)])
def test_inequality_2_takes_what_does_not_worsen_the_balance(job, starts):
    """S = (.6, .2), .6 / .4 = 1.5: a job in the same proportion keeps that, and one with less memory does not.

    ::

        3p 1 GB   (.9, .3)   .9 / .6  = 1.5    starts
        3p 0 GB   (.9, .2)   .9 / .55 = 1.64
        4p 1 GB   (1, .3)    1 / .65  = 1.54
        1p 1 GB   (.7, .3)   .7 / .5  = 1.4    starts
    """
    problem = machine((6, 2), [(10, 0, 5), (*job, 10)])
    assert started("ibb", problem) == ([1] if starts else [])
    assert started("easy", problem) == [1]


def test_extra_is_used_up_resource_by_resource():
    """At t = 10 the pivot P leaves 3 processors and 4 GB. All others run longer than that.

    ::

        10 |. . C C C C        A takes 1p 3 GB: 2 processors and 1 GB are extra from then on.
         9 |A A A A A A        B takes 1p 2 GB: processors enough, but 1 GB too much.
         8 |R R P P P P        C takes 2p 1 GB: all that is left of both.
         … |R R P P P P        D takes 1p 0 GB: no processor is left.
           +------------
            0   10
    """
    jobs = [(7, 6, 9), (1, 3, 30), (1, 2, 30), (2, 1, 30), (1, 0, 30)]
    problem = machine((6, 3), jobs)
    assert started("easy", problem) == [1, 3]
    assert started("bb", problem) == [1, 3]
    assert started("ibb", problem) == [1]  # C, after A: (.7, .6), would come to (.9, .7), 1.125 > 1.077


def test_as_printed_nothing_is_ever_backfilled():
    """Algorithm 1 compares the average utilisation, which every job that takes anything raises: that is FCFS."""
    problem = machine((6, 2), [(10, 0, 5), (1, 1, 10)])
    assert started("ibb-printed", problem) == []
    assert started("ibb", problem) == [1]


def algorithm_1(problem, improved):
    """Algorithm 1 of the paper, with inequality (2) as the criterion; or BB, with the lowest score of equation (1).

    Returns
    -------
    list of int
        Indices of the jobs that start, in the order in which they are started.
    """
    capacity = problem.capacities.tolist()
    running = list(zip(problem.running.end.tolist(), problem.in_use.tolist(), strict=True))
    demands, walltimes = problem.demands.tolist(), problem.jobs.walltime.tolist()
    kinds = range(len(capacity))
    begun = []

    def idle(when):
        """What is free at a moment, by the expected ends."""
        in_use = [amounts for end, amounts in running if end > when]
        return [capacity[k] - sum(amounts[k] for amounts in in_use) for k in kinds]

    def fits(amounts, room):
        return all(need <= there for need, there in zip(amounts, room, strict=True))

    def start(job):
        begun.append(job)
        running.append((problem.now + walltimes[job], demands[job]))

    def balance(used):
        """Max S / (sum S / K)."""
        return max(used) / (sum(used) / len(used)) if sum(used) else Fraction(1)

    def utilised(job=None):
        room = idle(problem.now)
        more = [0] * len(capacity) if job is None else demands[job]
        return [Fraction(capacity[k] - room[k] + more[k], capacity[k]) for k in kinds]

    queue = list(range(len(problem)))
    while queue and fits(demands[queue[0]], idle(problem.now)):
        start(queue.pop(0))
    if not queue:
        return begun
    pivot = queue.pop(0)
    t = next(when for when in sorted({problem.now, *(end for end, _ in running)}) if fits(demands[pivot], idle(when)))
    extra = [there - need for there, need in zip(idle(t), demands[pivot], strict=True)]

    def candidate(job):
        ends_in_time = problem.now + walltimes[job] <= t
        now = idle(problem.now)
        return fits(demands[job], now) and (ends_in_time or fits(demands[job], extra))

    def backfill(job):
        start(job)
        if problem.now + walltimes[job] > t:
            for k in kinds:
                extra[k] -= demands[job][k]

    if improved:
        for job in queue:
            if candidate(job) and balance(utilised(job)) <= balance(utilised()):
                backfill(job)
        return begun
    while choice := [job for job in queue if candidate(job)]:
        scores = [balance(after) * (1 - sum(after) / len(after)) for after in map(utilised, choice)]
        best = choice[scores.index(min(scores))]
        queue.remove(best)
        backfill(best)
    return begun


@given(rounds_with_resources(9))
@settings(max_examples=examples(300))
def test_against_algorithm_1_in_plain_python(problem):
    """On small machines with up to three resources, exact in fractions."""
    assume(len(problem))
    problem = replace(problem, windows=None)
    assert started("ibb", problem) == sorted(algorithm_1(problem, True))
    assert started("bb", problem) == sorted(algorithm_1(problem, False))


@given(rounds_with_resources(9))
@settings(max_examples=examples(100))
def test_the_pivot_is_never_delayed(problem):
    """Whatever is backfilled, the first job that did not fit finds its place as early as without it."""
    assume(len(problem))
    for policy in ("bb", "ibb", "ibb-printed", "easy"):
        begun = started(policy, problem)
        waiting = [i for i in range(len(problem)) if i not in begun]
        if not waiting:
            continue
        pivot = waiting[0]  # in FCFS order, and everything before it has started
        ahead = [i for i in begun if i < pivot]
        assert earliest(problem, ahead, pivot) == earliest(problem, begun, pivot), policy


def earliest(problem, begun, job):
    """Find the earliest start of a job by counting seconds, while some have begun now."""
    left = left_by_seconds(problem)
    for other in begun:
        left[: problem.jobs.walltime[other]] -= problem.demands[other]
    when = 0
    while (left[when : when + problem.jobs.walltime[job]] < problem.demands[job]).any():
        when += 1
    return when


@given(machines_with_jobs(20))
@settings(max_examples=examples(100))
def test_with_processors_alone_ibb_is_easy(example):
    """No job worsens the balance of one resource; and as printed IBB is FCFS."""
    workload = workload_of(*example)
    starts = {
        name: replay(workload, make_policy(name)).start.tolist() for name in ("ibb", "easy", "ibb-printed", "fcfs")
    }
    assert starts["ibb"] == starts["easy"]
    assert starts["ibb-printed"] == starts["fcfs"]
