"""What users bring, in plain Python: functions of each kind. They add up whole numbers, so that sums are exact."""

from dataclasses import replace

import numpy as np

from planbatch.planner.decoder import decode
from planbatch.planner.model import FloatArray, IntArray, JobTable
from planbatch.planner.optimizers.search import OrderSearch, move_job
from planbatch.planner.orders.catalogue import order_by
from planbatch.planner.plan import Plan
from planbatch.planner.profile import Profile
from planbatch.planner.round import Round


def narrow_and_long(jobs: JobTable, now: int) -> FloatArray:
    """Order by processors, the longest walltimes first among equals."""
    return jobs.procs * 1_000_000.0 - jobs.walltime


def late_and_wide(start: IntArray, jobs: JobTable, now: int) -> float:
    """Cost of a plan: the waits, each as often as the job has processors."""
    total = 0.0
    for i in range(len(start)):
        total += float((start[i] - jobs.submit[i]) * jobs.procs[i])
    return total


def swap_neighbours(search: OrderSearch, rng: np.random.Generator) -> None:
    """Move random jobs, from the best order so far, until the budget is used up."""
    n = len(search.order)
    while True:
        search.evaluate(move_job(search.order, int(rng.integers(n)), int(rng.integers(n))))


def best_of_random(problem: Round, rng: np.random.Generator) -> Plan:
    """Decide a round: of five random orders the one that starts most jobs now."""
    plans = [decode(problem, rng.permutation(len(problem))) for _ in range(5)]
    return max(plans, key=lambda plan: int((plan.start == problem.now).sum()))


def reserved_by_area(problem: Round, rng: np.random.Generator) -> Plan:
    """Decide a round with the profile: each job at its earliest start, the smallest areas first."""
    profile, start = Profile(problem), np.empty(len(problem), dtype=np.int64)
    for i in order_by("smallest-area", problem.jobs, problem.now):
        demand = problem.demands[i]
        start[i] = profile.earliest(demand, int(problem.jobs.walltime[i]))
        profile.reserve(demand, int(start[i]), int(problem.jobs.walltime[i]))
    return replace(Plan(start), policy_state=problem.jobs.procs)
