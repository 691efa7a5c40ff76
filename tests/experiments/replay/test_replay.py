"""Replays: against a reference that counts seconds, and what a policy may not do."""

import numpy as np
import pytest
from hypothesis import example, given, settings

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.policy import policy_name
from planbatch.experiments.replay import simulation as replay_module
from planbatch.experiments.replay.checker import check_trace
from planbatch.experiments.replay.estimates import estimated_times
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.replay.simulation import ReplayError
from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan
from tests import oracles
from tests.builders import machines_with_jobs, workload_of
from tests.examples import examples

ORDERS = {
    "submit": oracles.submit_order,
    "shortest": lambda job: job.walltime,
    "longest": lambda job: -job.walltime,
    "smallest": lambda job: job.procs,
    "largest": lambda job: -job.procs,
    "smallest-area": lambda job: job.procs * job.walltime,
    "largest-area": lambda job: -job.procs * job.walltime,
}
POLICIES = {
    "conservative": oracles.conservative,
    **{
        f"{name}:{order}": lambda scene, decide=decide, key=key: decide(scene, key)
        for name, decide in (("fcfs", oracles.fcfs), ("easy", oracles.easy), ("replanned", oracles.replanned))
        for order, key in ORDERS.items()
    },
}


def same_as_oracle(name, estimates, capacity, jobs):
    """Compare the starts and the rounds with the reference's."""
    trace = replay(workload_of(capacity, jobs), make_policy(name), estimates=estimates)
    start, rounds = oracles.replay_oracle(jobs, capacity, POLICIES[name], estimates)
    assert trace.start.tolist() == start
    log = trace.rounds
    columns = (log.time, log.waiting, log.running, log.started)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == rounds
    assert check_trace(trace) == []


@pytest.mark.parametrize("estimates", ["requested", "actual", "mixed"])
@pytest.mark.parametrize("name", ["fcfs:submit", "easy:submit", "replanned:submit", "conservative"])
@settings(max_examples=examples(60))
@given(machine=machines_with_jobs())
@example(machine=(2, [(0, 2, 5, 1), (0, 1, 5, 5), (0, 2, 5, 5), (1, 1, 4, 4)]))
def test_replays_equal_the_second_by_second_reference(name, estimates, machine):
    """Whatever schedulers know of run times, starts and rounds are those of the reference."""
    same_as_oracle(name, estimates, *machine)


@pytest.mark.parametrize(
    ("name", "estimates", "seed"),
    [
        ("fcfs:submit", "requested", 0),
        ("fcfs:submit", "mixed", 1),
        ("easy:submit", "requested", 2),
        ("easy:submit", "mixed", 0),
        ("easy:shortest", "requested", 1),
        ("easy:shortest", "mixed", 2),
    ],
)
def test_long_queues_equal_the_second_by_second_reference(name, estimates, seed):
    """Hundreds of jobs wait, so that they are looked at, and moved, in blocks; small ones overtake from anywhere."""
    rng = np.random.default_rng(seed)
    submit = np.sort(rng.integers(0, 90, 400))
    procs = np.minimum(2 ** rng.integers(0, 6, 400), 24)
    walltime = rng.integers(1, 15, 400)
    runtime = rng.integers(1, walltime + 1)
    jobs = np.column_stack([submit, procs, walltime, runtime]).tolist()
    same_as_oracle(name, estimates, 24, jobs)


@pytest.mark.parametrize("name", [name for name in POLICIES if not name.endswith("submit")][1:])
@settings(max_examples=examples(15))
@given(machine=machines_with_jobs())
def test_ordered_replays_equal_the_second_by_second_reference(name, machine):
    """The same holds for queues in other orders."""
    same_as_oracle(name, "requested", *machine)


def test_completions_come_before_submissions():
    """What ends at the instant of a submission leaves its processors to it, in a single round.

    ::

        1 |A A B B
          +-------
           0 1 2 3
    """
    trace = replay(workload_of(1, [(0, 1, 2, 2), (2, 1, 2, 2)]), make_policy("fcfs"))
    assert trace.start.tolist() == [0, 2]
    assert trace.rounds.time.tolist() == [0, 2]
    assert trace.rounds.waiting.tolist() == [1, 1]
    assert trace.rounds.running.tolist() == [0, 0]
    assert trace.rounds.started.tolist() == [1, 1]


def test_a_planned_start_falls_due_without_any_completion():
    """A plan for later is a round of its own when its time comes."""

    def after_seven_seconds(problem, rng):
        return Plan(np.maximum(problem.jobs.submit + 7, problem.now))

    trace = replay(workload_of(2, [(0, 1, 9, 9), (3, 1, 9, 9)]), after_seven_seconds)
    assert trace.start.tolist() == [7, 10]
    assert trace.rounds.time.tolist() == [0, 3, 7, 10]
    assert trace.rounds.started.tolist() == [0, 0, 1, 1]


def test_policies_see_what_rule_eight_lets_them_see():
    """Each kind of estimates is one of four combinations of run times and requested times."""
    workload = workload_of(1, [(0, 1, 9, 2)])
    outcomes = {kind: tuple(int(c[0]) for c in estimated_times(workload, kind)) for kind in
            ("requested", "actual", "mixed")}  # fmt: skip
    assert outcomes == {"requested": (9, 9), "actual": (2, 2), "mixed": (2, 9)}


def test_rounds_show_ids_plans_and_early_ends():
    """A policy in plain Python sees job numbers, its own plan before, and whether a job ended early."""
    rounds = []

    def patient(problem, rng):
        rounds.append((problem.now, problem.ids.tolist(), problem.planned.tolist(), problem.ended_early))
        return Plan(np.full(len(problem), max(problem.now, 8 if len(rounds) > 1 else 0)))

    replay(workload_of(3, [(0, 1, 5, 2), (1, 1, 5, 5), (1, 1, 5, 5)]), patient)
    assert rounds == [
        (0, [1], [NEVER], False),
        (1, [2, 3], [NEVER, NEVER], False),
        (2, [2, 3], [8, 8], True),
        (8, [2, 3], [8, 8], False),
    ]


def everything_now(problem, rng):
    return Plan(np.full(len(problem), problem.now))


def yesterday(problem, rng):
    return Plan(np.full(len(problem), problem.now - 1))


def never(problem, rng):
    return Plan(np.full(len(problem), NEVER))


def one_too_few(problem, rng):
    """Forget a job."""
    return Plan(np.full(len(problem) - 1, problem.now))


def nothing_at_all(problem, rng):
    """Forget to return the plan."""


def always_later(problem, rng):
    """Plan everything for the next second, every second."""
    return Plan(np.full(len(problem), problem.now + 1))


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (nothing_at_all, "policy nothing-at-all returned None in the round at 5; it should return a Plan or a Result"),
        (everything_now, "policy everything-now started more jobs than fit, in the round at 5"),
        (yesterday, "policy yesterday planned a start in the past, in the round at 5"),
        (never, "policy never left 2 jobs waiting on an idle machine, the last round at 5"),
        (one_too_few, "policy one-too-few planned 1 of 2 jobs at 5"),
    ],
)
def test_a_policy_that_breaks_the_rules_is_named_with_the_time(policy, message):
    """The replay ends with a sentence that says who did what, and when."""
    with pytest.raises(ReplayError, match=f"^{message}$"):
        replay(workload_of(2, [(5, 2, 3, 3), (5, 1, 3, 3)]), policy)


def test_a_policy_that_puts_its_plan_off_for_ever_is_stopped(monkeypatch):
    """The machine is idle, nothing is submitted any more, and still no job starts."""
    monkeypatch.setattr(replay_module, "MOST_IDLE_ROUNDS", 50)
    message = "policy always-later postponed its plan in 50 rounds in which nothing else happened, until 55"
    with pytest.raises(ReplayError, match=f"^{message}$"):
        replay(workload_of(2, [(5, 2, 3, 3), (5, 1, 3, 3)]), always_later)


def test_a_policy_may_put_its_plan_off_while_jobs_run_or_come(monkeypatch):
    """Waiting is counted anew whenever something happens."""
    monkeypatch.setattr(replay_module, "MOST_IDLE_ROUNDS", 8)

    def evenings(problem, rng):
        now = problem.now
        return Plan(np.full(len(problem), now if now in (7, 14) else now + 1))

    trace = replay(workload_of(3, [(0, 1, 20), (5, 1, 3), (9, 1, 3)]), evenings)
    assert trace.start.tolist() == [7, 7, 14]


def test_names_of_policies():
    """A policy is called by its name, else its function's or its class's."""

    class Bare:
        pass

    assert policy_name(make_policy("easy:shortest")) == "easy:shortest"
    assert policy_name(never) == "never"
    assert policy_name(Bare()) == "Bare"


def decode_queue(problem, rng):
    return decode(problem, np.arange(len(problem)))


def test_progress_counts_started_jobs():
    """Progress never falls, and ends at the number of jobs."""
    counts = []
    jobs = [(i, 1, 3, 3) for i in range(200)]
    replay(workload_of(2, jobs), decode_queue, progress=counts.append)
    assert counts == sorted(counts)
    assert counts[-1] == 200
    assert len(counts) > 1
