"""Deadline-based backfilling: by hand, against a reference, and what must always hold."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch._core import AdvanceOrder, DeadlineBackfilling, UrgentJobs
from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.policy import CorePolicy, Policy
from planbatch.experiments.replay.checker import check_trace
from planbatch.experiments.replay.metrics import deadline_metrics, metrics
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.deadlines import with_deadlines
from planbatch.experiments.workloads.load import load_log
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.model import NEVER, Workload
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.round import Round
from tests.baselines.dbf_reference import Reference
from tests.examples import examples

#: Policy → the rule of the reference, and in which order definitive jobs move forward.
RULES = {
    "dbf": (2017, AdvanceOrder.FCFS),
    "dbf-2016": (2016, AdvanceOrder.FCFS),
    "dbf-2016 in list order": (2016, AdvanceOrder.AS_JOINED),
    "dbf-2016, regular first": (2016, AdvanceOrder.REGULAR_FIRST),
}
RNG = np.random.default_rng(0)


def dbf_policy(name: str) -> Policy:
    _, advance = RULES[name]
    if advance == AdvanceOrder.FCFS:
        return make_policy(name)
    return CorePolicy(name, DeadlineBackfilling(UrgentJobs.ALL_AT_ONCE, advance))


def jobs(capacity: int, *rows: tuple[int, ...]) -> Workload:
    """Give a workload of (submit, procs, walltime, run time, deadline), the last two optional."""
    full = [(*row, row[2], NEVER)[:5] if len(row) == 3 else (*row, NEVER)[:5] for row in rows]
    submit, procs, walltime, runtime, deadline = np.array(full).T
    ids = np.arange(1, len(rows) + 1)
    return Workload("by hand", capacity, ids, submit, procs, walltime, runtime, deadline)


def random_jobs(rng: np.random.Generator, n: int = 40, capacity: int = 8) -> Workload:
    """Give a short, crowded workload with many tight deadlines and early ends."""
    submit = np.sort(rng.integers(0, 2 * n, n))
    walltime = rng.integers(1, 20, n)
    slack = np.where(rng.random(n) < 0.5, rng.integers(0, 60, n), 150)
    deadline = np.where(rng.random(n) < 0.6, submit + walltime + slack, NEVER)
    return Workload(
        name="random",
        capacity=capacity,
        id=np.arange(n),
        submit=submit,
        procs=rng.integers(1, capacity + 1, n),
        walltime=walltime,
        runtime=np.maximum(walltime - rng.integers(0, 12, n), 1),
        deadline=deadline,
    )


class Watched:
    """A policy that does what another does, and shows every round and its plan to a function."""

    def __init__(self, name: str, look) -> None:
        self.name, self.policy, self.look = name, dbf_policy(name), look

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan:
        plan = self.policy(problem, rng)
        self.look(problem, plan)
        return plan


@pytest.mark.parametrize("name", RULES)
def test_figure_1_of_2016(name):
    """
    A deadline job makes room as long as it can, then stays where it is (2016, Figure 1).

    The machine is taken until 4. T1 (3 s) has to end by 13. Regular T2 (3 s) and T3 (2 s) push it
    back; behind T4 (3 s) it would end at 15, so it becomes definitive, and T4 comes behind it.

        t = 0   |####|T1 |
        t = 1   |####|T2 |T1 |
        t = 2   |####|T2 |T3|T1 |
        t = 3   |####|T2 |T3|T1 |T4 |
                0    4   7  9   12  15
    """
    plans = {}

    def look(problem: Round, plan: Plan) -> None:
        plans[problem.now] = dict(zip(problem.ids.tolist(), plan.start.tolist(), strict=True))
        stands_still = (plan.policy_state == NEVER) | (plan.policy_state < 0)
        definitive = dict(zip(problem.ids.tolist(), stands_still.tolist(), strict=True))
        if 2 in definitive:
            assert definitive[2] == (problem.now >= 3)

    workload = jobs(4, (0, 4, 4), (0, 4, 3, 3, 13), (1, 4, 3), (2, 4, 2), (3, 4, 3))
    trace = replay(workload, Watched(name, look))
    assert plans[0] == {1: 0, 2: 4}
    assert plans[1] == {2: 7, 3: 4}
    assert plans[2] == {2: 9, 3: 4, 4: 7}
    assert plans[3] == {2: 9, 3: 4, 4: 7, 5: 12}
    assert trace.start.tolist() == [0, 9, 4, 7, 12]


@pytest.mark.parametrize("name", RULES)
def test_a_deadline_that_cannot_be_met_makes_a_regular_job(name):
    """
    A job that would end too late in the slot that it is given at submission is a regular one.

    At 1, A (may wait until 20) stands at 4. B has to end by 5, which it cannot: as a regular job it
    goes before A, and misses its deadline by 2 s.

        |####|B  |A  |
        0    4   7   10
    """
    workload = jobs(4, (0, 4, 4), (0, 4, 3, 3, 20), (1, 4, 3, 3, 5))
    trace = replay(workload, dbf_policy(name))
    assert trace.start.tolist() == [0, 7, 4]
    measured = deadline_metrics(trace)
    assert (measured.missed_deadlines, measured.infeasible_deadlines) == (1, 1)
    assert measured.regular_mean_wait == 0


@pytest.mark.parametrize("name", RULES)
def test_after_an_early_end_regular_jobs_go_first(name):
    """
    The machine is taken until 9, but free at 2: A, submitted before R, still comes behind it.

    A has time until 30.

        t = 1   |########|R  |A  |        t = 2   |##|R  |A  |
                0        9   12  15               0  2   5   8
    """
    workload = jobs(4, (0, 4, 9, 2), (0, 4, 3, 3, 30), (1, 4, 3))
    assert replay(workload, dbf_policy(name)).start.tolist() == [0, 5, 2]


@pytest.mark.parametrize("name", RULES)
def test_as_the_reference_does(name):
    """Round by round, plans and lists are those of the reference; every step occurs."""
    cases: Counter = Counter()
    rule, advance = RULES[name]

    def look(problem: Round, plan: Plan) -> None:
        expected = Reference(problem, rule, cases, advance)
        assert plan.start.tolist() == expected.start
        assert plan.policy_state.tolist() == expected.limit
        assert not check_plan(problem, plan, complete=True)

    for seed in range(examples(40)):
        replay(random_jobs(np.random.default_rng(seed)), Watched(name, look))
    joins = "one joins" if name == "dbf" else "all late ones join"
    assert cases[joins] > 20
    assert cases["those before join"] > 2
    assert cases["all move together"] > 2
    assert advance == AdvanceOrder.FCFS or cases["not in FCFS order"] > 2


@settings(max_examples=examples(60))
@given(st.integers(0, 2**32), st.sampled_from(sorted(RULES)))
def test_guarantees(seed, name):
    """
    What is definitive never gets later, and a deadline that is held at first is held to the end.

    A replay gives the same starts in one go, and a sound trace.
    """
    latest: dict[int, int] = {}

    def look(problem: Round, plan: Plan) -> None:
        rows = zip(problem.ids.tolist(), plan.start.tolist(), plan.policy_state.tolist(), strict=True)
        for job, start, note in rows:
            assert start <= latest.get(job, NEVER)
            if note == NEVER:
                latest[job] = start

    workload = random_jobs(np.random.default_rng(seed), n=40)
    trace = replay(workload, Watched(name, look))
    assert (replay(workload, dbf_policy(name)).start == trace.start).all()
    assert not check_trace(trace)
    planned_end = trace.start + workload.walltime
    first_end = trace.first_planned + workload.walltime
    assert not ((planned_end > workload.deadline) & (first_end <= workload.deadline)).any()
    regular = workload.deadline == NEVER
    assert (trace.start <= trace.first_planned)[regular].all()


@pytest.mark.parametrize("name", RULES)
def test_without_deadlines_it_is_conservative_backfilling(name):
    """Where no job has a deadline, all reservations are definitive."""
    workload = synthetic_workload(jobs=800, capacity=64, seed=3, load=1.0)
    expected = replay(workload, make_policy("conservative")).start
    assert (replay(workload, dbf_policy(name)).start == expected).all()


@pytest.mark.parametrize(("name", "estimates"), list(zip(RULES, ("actual", "mixed") * 2, strict=True)))
def test_other_estimates(name, estimates):
    """Jobs that hold on to processors for longer than was reckoned with do not upset the lists."""
    workload = with_deadlines(synthetic_workload(jobs=600, capacity=64, seed=4, load=1.1), "third")
    trace = replay(workload, dbf_policy(name), estimates=estimates)
    assert not check_trace(trace)


def test_edf_starts_with_the_earliest_deadline():
    """
    The queue is in the order of the deadlines, jobs without one last; the first is not held up.

        |####|C  |B  |A  |
        0    4   7   10  13
    """
    workload = jobs(4, (0, 4, 4), (1, 4, 3), (1, 4, 3, 3, 30), (2, 4, 3, 3, 20))
    assert replay(workload, make_policy("edf")).start.tolist() == [0, 10, 7, 4]


def test_regular_jobs_gain():
    """On a busy machine, the deadlines of some shorten the waits of the others."""
    rng = np.random.default_rng(0)
    n = 3000
    walltime = rng.integers(60, 8 * 3600, n)
    procs = rng.integers(1, 40, n)
    gap = (walltime * procs).mean() * 0.6 / 64 / 0.85
    submit = np.cumsum(rng.exponential(gap, n)).astype(np.int64)
    runtime = np.maximum((walltime * rng.uniform(0.2, 1, n)).astype(np.int64), 1)
    plain = Workload("steady", 64, np.arange(n), submit, procs, walltime, runtime)
    workload = with_deadlines(plain, "random:40")
    waits = {
        name: deadline_metrics(replay(workload, make_policy(name))).regular_mean_wait
        for name in ("conservative", "dbf", "dbf-2016")
    }
    assert waits["dbf"] < 0.8 * waits["conservative"]
    assert waits["dbf-2016"] < 0.8 * waits["conservative"]


@pytest.mark.nightly
def test_on_a_real_log(real_log):
    """Without deadlines the figures are conservative backfilling's; with them, none is lost."""
    workload = load_log(real_log("KTH-SP2-1996-2.1-cln")).workload()
    assert metrics(replay(workload, make_policy("dbf"))).mean_wait == pytest.approx(7319.8217)
    chosen = with_deadlines(workload, "random:40", seed=2)
    trace = replay(chosen, make_policy("dbf"))
    measured = deadline_metrics(trace)
    assert 0 < measured.missed_deadlines <= measured.infeasible_deadlines < 200
    lost = (trace.end > chosen.deadline) & (trace.first_planned + chosen.walltime <= chosen.deadline)
    assert not lost.any()
