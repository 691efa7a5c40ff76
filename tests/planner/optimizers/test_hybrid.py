"""The default of single rounds: tournaments of annealing, basin hopping, and beams."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planbatch.experiments.rounds.benchmark import packed_round
from planbatch.objectives import MAKESPAN, MAXIMUM_TARDINESS, MISSED_DEADLINES, SQUARED_WAIT, TARDINESS, lexicographic
from planbatch.planner.budget import Budget
from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER
from planbatch.planner.objective import Objective
from planbatch.planner.optimizer import Status
from planbatch.planner.optimizers import make_optimizer
from planbatch.planner.optimizers.exhaustive import Exhaustive
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.progress import Progress
from planbatch.planner.round import Round
from planbatch.planner.solve import solve
from tests.builders import busy_round, round_with_few_due, rounds_with_resources
from tests.examples import examples

HYBRID = make_optimizer("hybrid")


def searched(problem, objective, evaluations, seed=0):
    return HYBRID.optimize(problem, objective, Budget(evaluations=evaluations), np.random.default_rng(seed))


@pytest.mark.parametrize("objective", [MAKESPAN, SQUARED_WAIT], ids=str)
@settings(max_examples=examples(60))
@given(problem=rounds_with_resources(most_jobs=8))
def test_small_rounds_are_optimal(objective, problem):
    """Against branch and bound: running jobs, windows, further resources; beams take part."""
    assume(len(problem) > 1)
    exact = Exhaustive().optimize(problem, objective, Budget(evaluations=10**6), None)
    search = objective.search(problem, setting=HYBRID.setting)
    assert search.try_first_plans(HYBRID.first_numbers)
    assert search.advance(5000, np.random.default_rng(0))
    assert exact.status is Status.OPTIMAL
    assert search.cost == exact.cost
    assert check_plan(problem, Plan(search.start), complete=True) == []


@pytest.mark.parametrize("guillotine", [True, False])
def test_perfectly_packed_rounds(guillotine):
    """The areas fill the rectangle, so nothing ends before its height; twenty jobs are packed again."""
    problem = packed_round(20, 3, capacity=40, height=500, guillotine=guillotine)
    assert len(problem) == 20
    assert int((problem.jobs.procs * problem.jobs.walltime).sum()) == 40 * 500
    result = searched(problem, MAKESPAN, 100_000)
    assert (result.cost, result.status) == (500.0, Status.OPTIMAL)
    assert result.evaluations < 100_000
    with pytest.raises(ValueError, match="jobs: 21 cannot be cut from 4 processors × 5 s"):
        packed_round(21, 0, capacity=4, height=5)


def test_it_never_freezes():
    """Annealing ends with the same cost after 500 and after 50,000 evaluations of some rounds."""
    costs = [searched(busy_round(60, 30), SQUARED_WAIT, 500 * 10**k).cost for k in range(3)]
    assert all(more < less for less, more in pairwise(costs))


def root(start, jobs, now):
    """Orders plans as the mean squared wait does, but does not add up over jobs."""
    return float(np.sqrt(SQUARED_WAIT.cost(start, jobs, now)))


def lateness(start, jobs, now):
    """Adds up over jobs, but is no parabola: each may start up to an hour from now."""
    return float(np.maximum(start - now - 3600, 0).sum())


@pytest.mark.parametrize(
    ("own", "adds_up", "bends"), [(SQUARED_WAIT.cost, True, 0), (lateness, True, 31), (root, False, 0)]
)
def test_beams_learn_what_each_start_costs(own, adds_up, bends):
    """Two plans per job, in which all others start now, so that no order decodes to them; 31 more where parabolas fail.

    Where the costs do not add up, all evaluations but those are of plans; where they do, nodes ask for no cost.
    """
    problem, asked = busy_round(40, 20), []

    def cost(start, jobs, now):
        asked.append(start - now)
        return own(start, jobs, now)

    result = searched(problem, Objective("asked", cost), 2000)
    one_waits = [np.flatnonzero(start)[0] for start in asked if np.count_nonzero(start) == 1]
    assert one_waits == [job for times in (2, bends) for job in range(40) for _ in range(times)]
    assert result.evaluations == 2000
    assert (len(asked) - len(one_waits) < 2000 - 80) == adds_up


@pytest.mark.parametrize("seed", range(3))
def test_beams_plan_long_queues(seed):
    """Sizes and walltimes are log-uniform: with beams the same evaluations of 800 jobs find a better plan."""
    rng = np.random.default_rng(seed)
    procs, walltime = np.exp(rng.uniform(0, np.log([64, 1e5]), (800, 2))).astype(int).T
    submit = np.sort(rng.integers(0, 100_000, 800))
    problem = Round.of(64, 100_000, [], list(zip(submit, procs, walltime, strict=True)))
    without = searched(problem, Objective("root", root), 2000, seed)
    assert searched(problem, SQUARED_WAIT, 2000, seed).cost < 0.97 * without.cost**2


def test_the_makespan_may_come_first():
    """Beams find the optimal makespan there, too."""
    problem = packed_round(30, 1, height=100)
    result = searched(problem, lexicographic("makespan", "wait"), 20_000)
    assert int((result.plan.start + problem.jobs.walltime).max()) == 100


def test_of_equal_makespans_the_one_whose_work_ends_early_wins():
    """The long job decides the makespan, wherever the wide one is; the least mean end of the work puts that first.

    ::

        MMMMabc···
        MMMMPPP···
        LLLLLLLLLL
    """
    waiting = [(0, 1, 100), (0, 1, 30), (0, 2, 40), (0, 1, 10), (0, 1, 10), (0, 1, 10), (0, 1, 1)]
    problem = Round.of(capacity=3, now=0, waiting=waiting)
    work = problem.jobs.procs * problem.jobs.walltime

    def end_of_work(start):
        return float(work @ (start + problem.jobs.walltime))

    orders = [np.array(order) for order in permutations(range(7))]
    starts = [start for start in (decode(problem, order).start for order in orders) if start[0] == 0]
    result = searched(problem, MAKESPAN, 5000)
    assert result.cost == 100
    assert end_of_work(result.plan.start) == min(map(end_of_work, starts))
    assert end_of_work(result.plan.start) < end_of_work(decode(problem, np.array([0, 1, 3, 4, 5, 6, 2])).start)


@pytest.mark.parametrize("evaluations", [100, 1000])
@pytest.mark.parametrize("jobs", [4, 7])
def test_of_plans_whose_work_ends_equally_early_the_one_with_the_least_mean_start_wins(jobs, evaluations):
    """Makespan and mean end of the work are the same for all orders of jobs of two of three processors.

    All orders of four jobs are tried. ::

        ············
        abbccc··gggg
        abbccc··gggg
    """
    lengths = [10 * (k + 1) for k in reversed(range(jobs))]
    problem = Round.of(capacity=3, now=0, waiting=[(0, 2, length) for length in lengths])
    result = searched(problem, MAKESPAN, evaluations)
    assert result.cost == sum(lengths)
    assert result.plan.start.tolist() == [sum(lengths[k + 1 :]) for k in range(jobs)]


@pytest.mark.parametrize("objective", [TARDINESS, MAXIMUM_TARDINESS, MISSED_DEADLINES], ids=str)
@pytest.mark.parametrize("jobs", [4, 7])
def test_of_plans_that_meet_all_deadlines_the_one_with_the_shortest_waits_wins(objective, jobs):
    """Two of three processors each, one after the other. All orders of four jobs are tried."""
    lengths = [10 * (k + 1) for k in reversed(range(jobs))]
    deadlines = (1000, NEVER)
    waiting = [(0, 2, length, deadlines[k % 2]) for k, length in enumerate(lengths)]
    result = searched(Round.of(capacity=3, now=0, waiting=waiting), objective, 1000)
    assert result.cost == 0
    assert result.plan.start.tolist() == [sum(lengths[k + 1 :]) for k in range(jobs)]


def test_of_plans_that_miss_as_many_deadlines_the_one_that_misses_less_wins():
    """Each job fills the machine, and no order meets a deadline. The long job misses its own by 1 s or by 11 s.

    Relative to walltimes these 10 s count more than the 100 s by which the short job is later.
    """
    problem = Round.of(4, 2000, [], [(0, 4, 10, 1000), (0, 4, 100, 2099)])
    result = searched(problem, MISSED_DEADLINES, 100)
    assert result.cost == 2
    assert result.plan.start.tolist() == [2100, 2000]


def test_of_plans_with_the_same_maximum_tardiness_the_one_whose_other_jobs_are_less_late_wins():
    """Each job fills the machine; the third has no deadline.

    The first is late by 1010 s at least, the second by 60 s, or by 70 s if it starts after the third. ::

        A BBBBBBBBBB C
    """
    problem = Round.of(4, 2000, [], [(0, 4, 10, 1000), (0, 4, 100, 2050), (0, 4, 10, NEVER)])
    result = searched(problem, MAXIMUM_TARDINESS, 100)
    assert result.cost == 1010
    assert result.plan.start.tolist() == [2000, 2010, 2110]


@pytest.mark.parametrize("objective", [MAXIMUM_TARDINESS, lexicographic("maximum-tardiness", "wait")], ids=str)
def test_the_maximum_tardiness_is_below_that_of_annealing_if_most_jobs_are_late(objective):
    """Most moves leave the maximum tardiness as it is; 60 jobs, means of five seeds."""
    rng = np.random.default_rng(3)
    procs, walltime = 2 ** rng.integers(0, 6, 60), 300 * rng.integers(1, 40, 60)
    deadline = walltime + 600 * rng.integers(1, 60, 60)
    waiting = list(zip([0] * 60, procs.tolist(), walltime.tolist(), deadline.tolist(), strict=True))
    problem = Round.of(64, 0, [], waiting)

    def mean_cost(optimizer):
        results = (
            optimizer.optimize(problem, objective, Budget(evaluations=2000), rng)
            for rng in map(np.random.default_rng, range(5))
        )
        return np.mean([result.cost for result in results])

    assert mean_cost(HYBRID) < mean_cost(make_optimizer("annealing"))


@pytest.mark.parametrize("then", [None, "wait"])
@pytest.mark.parametrize("objective", [TARDINESS, MAXIMUM_TARDINESS, MISSED_DEADLINES], ids=str)
def test_of_many_jobs_the_few_that_are_due_are_searched_alone(objective, then):
    """Of 100 jobs seven are due: in 300 evaluations all of five seeds find the optimum of these seven (brute force)."""
    problem, part = round_with_few_due(np.random.default_rng(5), jobs=100, due=7, deadline=120)
    starts = [decode(part, np.array(order)).start for order in permutations(range(7))]
    optimum = min(objective.cost(start, part.jobs, 0) for start in starts)
    for seed in range(5):
        result = searched(problem, lexicographic(objective, then) if then else objective, 300, seed)
        assert check_plan(problem, result.plan, complete=True) == []
        assert objective.cost(result.plan.start, problem.jobs, 0) == optimum > 0


def test_a_guide_leads_across_a_plateau():
    """The cost counts late jobs in steps; the guide of the user's says which plans are nearer to the next."""

    def steps(start, jobs, now):
        return float((start - jobs.submit).mean() // 1000)

    def wait(start, jobs, now):
        return float((start - jobs.submit).mean()) / 1000

    problem = busy_round(60, 30)
    plain = searched(problem, Objective("steps", steps), 2000)
    guided = searched(problem, Objective("steps", steps, guide=wait), 2000)
    assert guided.cost == steps(guided.plan.start, problem.jobs, problem.now) <= plain.cost
    assert guided.plan.start.mean() < plain.plan.start.mean()


@pytest.mark.parametrize("optimizer", ["hybrid", "annealing", "tabu", "portfolio"])
def test_callbacks_see_the_search_and_end_it(optimizer):
    """The costs fall, each is that of its plan and above the bound; True ends the search."""
    problem = busy_round(20, 10)
    best: list[Progress] = []
    reports: list[Progress] = []
    whole = solve(problem, SQUARED_WAIT, optimizer, evaluations=1500, on_best=best.append, on_progress=reports.append)
    assert all(more.cost < less.cost for less, more in pairwise(best))
    assert best[-1].cost >= whole.cost >= whole.lower_bound >= best[0].bound > 0
    for step in best:
        assert SQUARED_WAIT.cost(step.plan.start, problem.jobs, problem.now) == step.cost
    assert len(reports) >= len(best)
    quiet = solve(problem, SQUARED_WAIT, optimizer, evaluations=1500)
    assert whole.plan.start.tolist() == quiet.plan.start.tolist()

    ended = solve(problem, SQUARED_WAIT, optimizer, evaluations=10**7, on_progress=lambda p: True)
    assert ended.status is Status.INTERRUPTED
    assert ended.evaluations < 10**7


def test_a_proven_plan_ends_the_search():
    """Whoever watches a search, or gives it long, sees it end at the bound that was proven before."""
    problem = busy_round(12, 6)
    for budget in ({"evaluations": 10**7, "on_progress": lambda progress: None}, {"seconds": 5.0}):
        result = solve(problem, SQUARED_WAIT, **budget)
        assert result.status is Status.OPTIMAL
        assert result.evaluations < 10**6


def test_a_first_plan_of_the_users():
    """Without evaluations it is the result; what is no plan is refused."""
    problem = busy_round(40, 20)
    good = solve(problem, SQUARED_WAIT, evaluations=20_000)
    for first in (good.plan, good.permutation):
        again = solve(problem, SQUARED_WAIT, "annealing-paper", evaluations=0, first=first)
        assert again.cost == good.cost
    with pytest.raises(ValueError, match="first: .*; give a Plan of the round or an order"):
        solve(problem, SQUARED_WAIT, first=np.zeros(40, dtype=int))


def test_one_job_at_a_time_needs_no_beam():
    """Jobs as wide as the machine end one after the other, in any order: the first plan is proven."""
    result = solve(Round.of(4, 0, [], [(0, 4, 5 + k) for k in range(30)]), MAKESPAN)
    assert (result.cost, result.status, result.evaluations) == (585.0, Status.OPTIMAL, 0)


# Double justification (Valls, Ballestín, Quintanilla 2005): jobs move as late as they can, then as early.


def search_of(problem, order):
    """A search of which one order was tried."""
    search = MAKESPAN.search(problem, setting=HYBRID.setting)
    search.evaluate(np.array(order))
    return search


def test_a_plan_is_justified_by_hand():
    """Two processors: the long job C is moved to the end with A behind B, and is the first to start afterwards.

    ::

        ACC    .CC    CC
        B      .BA    BA
    """
    search = search_of(Round.of(2, 0, [], [(0, 1, 1), (0, 1, 1), (0, 1, 2)]), [0, 1, 2])
    assert search.start.tolist() == [0, 0, 1]
    assert search.justify()
    assert search.start.tolist() == [1, 0, 0]


@settings(max_examples=examples(200))
@given(problem=rounds_with_resources(most_jobs=8), data=st.data())
def test_a_justified_plan_is_feasible_and_never_ends_later(problem, data):
    """With running jobs, windows and further resources; the last plan that was tried is a plan as well."""
    assume(len(problem) > 0)
    search = search_of(problem, data.draw(st.permutations(range(len(problem)))))
    before = search.cost
    assert search.justify()
    assert search.cost <= before
    for start in (search.start, search.trial):
        assert check_plan(problem, Plan(start), complete=True) == []
        assert (start + problem.jobs.walltime).max() - problem.now == search.cost
