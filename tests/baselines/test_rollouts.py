"""Rollouts: candidates, the simulation against the replay, improvement on the base, and what is drawn."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from planbatch import _core
from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay
from planbatch.planner.history.job_history import JobColumn, JobHistory
from planbatch.planner.model import NEVER
from planbatch.planner.round import Round
from tests.builders import machines_with_jobs, workload_of
from tests.examples import examples

NOTHING = np.zeros(0, dtype=np.int64)


def core_round(capacity, workload):
    """Give the round at the first submission in which all jobs are listed, those to come behind those that wait."""
    n = len(workload)
    return _core.Round(
        now=int(workload.submit[0]), capacities=np.array([capacity]), running_end=NOTHING, running_amounts=NOTHING,
        submit=workload.submit, walltime=workload.walltime, deadline=np.full(n, NEVER), latest=np.full(n, NEVER),
        user=workload.user, amounts=workload.procs, past=np.zeros((n, 1)), planned=np.full(n, NEVER),
        occupied=workload.walltime, policy_state=np.full(n, NEVER), window_start=NOTHING, window_end=NOTHING,
        window_amounts=NOTHING, ended_early=False, history_rows=np.zeros((0, 6), dtype=np.int64),
        history_past=np.zeros((0, 1)), history_running=NOTHING,
    )  # fmt: skip


@settings(max_examples=examples(150))
@given(machines_with_jobs(most_jobs=25))
def test_the_simulation_is_easy_replayed(machine):
    """From the first submission on, with the jobs' own run times: every job starts as in a replay of EASY."""
    capacity, jobs = machine
    workload = workload_of(capacity, jobs)
    trace = replay(workload, "easy")
    now = int(workload.submit[0])
    waiting = int((workload.submit == now).sum())
    chosen = (trace.start[:waiting] == now).astype(np.int64)
    start = _core.simulate_easy(core_round(capacity, workload), waiting, workload.runtime, chosen)
    assert start.tolist() == trace.start.tolist()


@settings(max_examples=examples(60))
@given(machines_with_jobs(most_jobs=12), st.sampled_from(["smallest-area", "shortest", "submit"]))
def test_no_worse_than_the_base_if_the_scenario_is_the_truth(machine, order):
    """All jobs come at once, and run as long as requested: squared waits sum to at most those of the base."""
    capacity, jobs = machine
    certain = [(0, procs, walltime, walltime) for _, procs, walltime, _ in jobs]
    workload = workload_of(capacity, certain)
    base = replay(workload, f"easy:{order}")
    rolled = replay(workload, make_policy(f"rollouts:{order},samples=1,confidence=0,evaluations=20"))
    assert (rolled.start**2).sum() <= (base.start**2).sum()


def test_a_long_job_is_held_back():
    """R has two of four processors until 10. H needs three; B would take one for 100 s, three wide W follow.

    ::

        EASY                       B held back
        4 | RR HHHH    W…          RR HHHH WWWWWW WWWWWW WWWWWW
        3 | RR HHHH    W…          RR HHHH WWWWWW WWWWWW WWWWWW
        2 |    HHHH    W…             HHHH WWWWWW WWWWWW WWWWWW
        1 | BBBBBBBBBB W…                  WWWWWW WWWWWW WWWWWW BBBB…
            0  10      100         0  10   20     44     68     92

    In the order of areas EASY backfills B, which takes what H leaves over, and the W wait for 100, 124 and 148 s. Held
    back, B waits for 92 s, they for 20, 44 and 68 s.
    """
    problem = Round.of(4, 0, [(2, 10)], [(0, 3, 10), *[(0, 4, 24)] * 3, (0, 1, 100)])
    rng = np.random.default_rng(0)
    assert make_policy("easy:smallest-area")(problem, rng).start[4] == 0
    rolled = make_policy("rollouts:smallest-area,samples=2,evaluations=0")(problem, rng)
    assert (rolled.plan.start == NEVER).all()


def test_an_idle_machine_starts_something():
    """With nothing running, no candidate holds everything back: nobody would come back to the queue."""
    problem = Round.of(4, 0, [], [(0, 2, 100), *[(0, 4, 5)] * 5])
    rolled = make_policy("rollouts:submit,samples=2")(problem, np.random.default_rng(0))
    assert (rolled.plan.start == 0).any()


def test_only_what_is_surely_better_is_chosen():
    """Four scenarios; differences −1, −1, −1, −1 are sure, −9, 1, 1, 1 are not, though their mean is lower."""
    total, square = np.array([0.0, -4.0, -6.0]), np.array([0.0, 4.0, 84.0])
    assert _core.best_candidate(total, square, 4, 2.0) == 1
    assert _core.best_candidate(total, square, 4, 0.0) == 2
    assert _core.best_candidate(np.array([0.0, 1.0]), np.array([0.0, 1.0]), 4, 0.0) == 0


def ledger_of(submits: list[int], now: int) -> Round:
    """Return an empty round with a history of jobs, all running for a second."""
    rows = np.zeros((len(submits), len(JobColumn)), dtype=np.int64)
    rows[:, JobColumn.SUBMIT] = submits
    rows[:, JobColumn.PROCS] = np.arange(1, len(submits) + 1)
    rows[:, JobColumn.WALLTIME] = 10
    rows[:, JobColumn.RUNTIME] = 1
    job_history = JobHistory(rows, np.zeros((len(submits), 0)), np.zeros(0, dtype=np.int64))
    none = Round.of(100, now)
    return Round(now, 100, none.running, none.jobs, job_history=job_history)


@given(st.lists(st.integers(0, 100), min_size=1, max_size=20), st.integers(1, 60), st.integers(0))
def test_coming_jobs_are_a_span_of_the_past(submits, span, seed):
    """Whatever comes came together once: all that was submitted within a span of the past, and nothing else."""
    problem = ledger_of(sorted(submits), 100)
    moment, rows = _core.draw_coming(problem.core, span, np.random.default_rng(seed % 2**32))
    known = problem.job_history.rows[:, JobColumn.SUBMIT]
    within = np.flatnonzero((known >= moment) & (known < moment + span))
    assert rows.tolist() == (within.tolist() if known[0] < 100 else [])


def test_nothing_comes_without_a_ledger_or_a_span():
    """Rounds of a file have no history; a span of 0 asks for no jobs."""
    rng = np.random.default_rng(0)
    assert len(_core.draw_coming(Round.of(4, 10).core, 60, rng)[1]) == 0
    assert len(_core.draw_coming(ledger_of([1, 2, 3], 10).core, 0, rng)[1]) == 0


def test_the_same_seed_draws_the_same():
    """Two replays with one seed, and one with another."""
    jobs = [(7 * i, 1 + i % 4, 50 + 13 * (i % 5), 10 + 7 * (i % 6)) for i in range(60)]
    workload = workload_of(4, jobs)
    policy = make_policy("rollouts:expected-slowdown,coming=5min,samples=4")
    first, again, other = (replay(workload, policy, seed=seed) for seed in (1, 1, 2))
    assert first.start.tolist() == again.start.tolist()
    assert first.rounds.cost.tolist() != other.rounds.cost.tolist()


def test_with_time_left_a_time_changes_nothing():
    """A minute is enough for four futures a round: starts, costs and evaluations are those without a time."""
    jobs = [(7 * i, 1 + i % 4, 50 + 13 * (i % 5), 10 + 7 * (i % 6)) for i in range(60)]
    workload = workload_of(4, jobs)
    text = "rollouts:wfp3,samples=4,coming=5min,evaluations=20"
    plain = replay(workload, make_policy(text))
    timed = replay(workload, make_policy(text, seconds=60))
    assert timed.start.tolist() == plain.start.tolist()
    assert np.array_equal(timed.rounds.cost, plain.rounds.cost, equal_nan=True)
    assert timed.rounds.evaluations.tolist() == plain.rounds.evaluations.tolist()


def test_without_time_the_base_decides():
    """No set but EASY's is proposed, and nothing is simulated; with time, the long job B is held back (see above)."""
    problem = Round.of(4, 0, [(2, 10)], [(0, 3, 10), *[(0, 4, 24)] * 3, (0, 1, 100)])
    rng = np.random.default_rng(0)
    hurried = make_policy("rollouts:smallest-area,seconds=0")(problem, rng)
    assert (hurried.evaluations, hurried.plan.start[4]) == (0, 0)
    rolled = make_policy("rollouts:smallest-area,samples=4,seconds=60")(problem, rng)
    assert (rolled.plan.start == NEVER).all()
    assert rolled.evaluations > 0
