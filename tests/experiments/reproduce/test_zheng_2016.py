"""Zheng et al. 2016 beside ours: the paper's figures, what is counted, and the command."""

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.plan_based import PlanBased
from planbatch.experiments.replay.replay import ObservedPolicy, replay
from planbatch.experiments.reproduce.engine import Run
from planbatch.experiments.reproduce.zheng_2016 import (
    ATLAS,
    CLAIMED_UTILISATION,
    MACHINES,
    PLANS,
    POLICIES,
    SIZES,
    TABLE_1,
    TABLE_2,
    WORSE_MONTHS,
    LoggedMachine,
    PlanStudy,
    highest_utilisation,
    longest_decision,
    make_policies,
    reproduce,
    round_at,
    size_shares,
    waits_by_bin,
)
from planbatch.experiments.workloads.load import load_log
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf
from planbatch.experiments.workloads.transform import first_jobs
from tests.builders import trace_of, workload_of
from tests.experiments.reproduce.commands import reproduced

pytestmark = pytest.mark.integration

HOUR = 3600


def test_the_transcribed_figures_agree_with_the_text():
    """Table II: every plan beats FCFS, PLAN 3 by most and by about a point on average."""
    assert TABLE_1.keys() == TABLE_2.keys()
    for fcfs, *plans in TABLE_2.values():
        assert min(plans) > fcfs
        assert max(plans) == plans[2]
    gains = [100 * (of[3] - of[0]) for of in TABLE_2.values()]
    assert np.mean(gains) == pytest.approx(CLAIMED_UTILISATION, abs=0.5)
    assert set(WORSE_MONTHS) == {(trace, plan) for trace in TABLE_1 for plan in PLANS}
    assert all(worse <= TABLE_1[trace][2] for (trace, _), worse in WORSE_MONTHS.items())
    assert all(most <= TABLE_1[trace][0] for trace, most in SIZES)
    assert {machine.paper for machine in MACHINES} - {""} == set(TABLE_1)


def test_sizes_in_classes_of_powers_of_two():
    """One, two, three to four, …; nodes are rounded up."""
    shares = size_shares(np.array([1, 2, 3, 4, 5, 8, 8, 16]), node=1)
    assert list(shares) == [(1, 1), (2, 2), (3, 4), (5, 8), (9, 16)]
    assert list(shares.values()) == [12.5, 12.5, 25.0, 37.5, 12.5]
    assert size_shares(np.array([5, 8, 8, 16]), node=4) == {(2, 2): 75.0, (3, 4): 25.0}


def test_no_schedule_uses_more_than_the_bound():
    """Two jobs of 5 s at 0 and 5 on 2 processors: 3 of 4 parts can be used."""
    workload = workload_of(2, [(0, 2, 5, 5), (5, 1, 5, 5)])
    assert highest_utilisation(workload) == 0.75


def by_hand() -> PlanStudy:
    """Give two jobs of two sizes, of which the second waits 100 s under FCFS and 200 s under PLAN 2."""
    workload = workload_of(4, [(0, 4, 100, 100), (0, 1, 10, 10)])
    traces = {"FCFS": trace_of(workload, [0, 100]), "PLAN 2": trace_of(workload, [0, 200])}
    machine = LoggedMachine("two", "", "", node=2)
    return PlanStudy(machine, workload, np.zeros(2, int), ["month 1"], {"mixed": traces})


def test_study_by_hand():
    """Means by month and by bin, and the jobs that count as large."""
    study = by_hand()
    assert list(study.by_month(np.array([0.0, 100.0]))) == [50.0]
    assert list(study.large(2)) == [True, False]
    data = waits_by_bin(study, "mixed", ("FCFS", "PLAN 2"))
    assert data.jobs.sum() == 2
    assert (data.wait["FCFS"][0, 0], data.wait["PLAN 2"][0, 0]) == (100, 200)


@pytest.mark.parametrize("estimates", ["mixed", "requested", "actual"])
def test_rounds_are_put_together_again_as_they_were(estimates):
    """Everything but the plan before comes back out of a trace."""
    workload = synthetic_workload(jobs=120, capacity=32, seed=3, load=1.2)
    observed = {}

    def keep(problem, plan):
        if problem.any_fits:
            observed[problem.now] = problem

    policy = make_policy("plan-squared-wait", evaluations=5)
    trace = replay(workload, ObservedPolicy(policy, keep), estimates=estimates)
    assert observed
    for now, was in observed.items():
        again = round_at(trace, now, estimates)
        np.testing.assert_array_equal(again.occupied, was.occupied)
        for name in ("submit", "procs", "walltime"):
            np.testing.assert_array_equal(getattr(again.jobs, name), getattr(was.jobs, name))
        np.testing.assert_array_equal(again.running.end, was.running.end)
        assert again.free == was.free


def test_longest_decision():
    """Rounds with the most waiting jobs are timed; without a search there is nothing to time."""
    workload = synthetic_workload(jobs=150, capacity=32, seed=3, load=1.3)
    name, objective = POLICIES["PLAN 2"]
    trace = replay(workload, make_policy(name, evaluations=5))
    waiting, seconds = longest_decision(trace, "requested", objective)
    most = trace.rounds.waiting[trace.rounds.evaluations > 0].max()
    assert 0.5 * most <= waiting <= most
    assert seconds > 0
    easy = replay(workload, make_policy("easy"))
    assert longest_decision(easy, "requested", objective) == (0, 0.0)


def test_settings():
    """The full setting searches as the paper does, and has the fast one beside it."""
    assert list(make_policies(False)) == ["FCFS", *PLANS]
    full = make_policies(True)
    assert len(full) == 7
    search = full["PLAN 2"]
    assert isinstance(search, PlanBased)
    assert (search.optimizer.name, search.budget.evaluations) == ("annealing-paper", 8800)


def test_command(tmp_path):
    """Atlas alone is enough; it is replayed as it is and with more load."""
    logs = {ATLAS: synthetic_workload(jobs=200, capacity=64, seed=1, load=0.8)}
    rows, files, out, _ = reproduced(tmp_path, "zheng-2016", logs, quick=False)
    items = ["Table I", "Figure 3", "Table II", *(f"Figure {n}" for n in (4, 5, 6)), "Section VI-C"]
    assert list(dict.fromkeys(row["item"] for row in rows)) == items
    used = [row for row in rows if row["item"] == "Table II" and row["policy"] == "PLAN 3"]
    assert len(used) == 9
    assert {row["paper"] for row in used} == {"75.8"}
    timed = [row for row in rows if row["metric"].startswith("mean decision of the replay, at most 100 ")]
    assert timed
    assert all(float(row["ours"]) > 0 for row in timed)
    pictures = {f"figure-{n}.{end}" for n in (3, 4, 5, 6) for end in ("png", "svg")}
    assert pictures <= files
    text = (out / "report.md").read_text()
    assert "![Figure 6](figure-6.png)" in text
    assert "(h) | | " not in text


@pytest.mark.nightly
def test_the_full_setting_shows_both_searches(tmp_path):
    """The paper's search as PLAN 1 to 3, the fast one under names of its own."""
    workload = synthetic_workload(jobs=30, capacity=16, seed=1, load=0.9)
    write_swf(tmp_path / f"{ATLAS}.swf", swf_from_workload(workload))
    report = reproduce(Run(tmp_path, workloads=tmp_path, full=True, notify=print))
    policies = {row.policy for row in report.rows if row.item == "Table II"}
    assert policies == {"FCFS", *PLANS, *(f"{plan}, 100 evaluations" for plan in PLANS), "any"}


@pytest.mark.nightly
def test_plan_2_halves_the_waits_of_sdsc_blue(real_log):
    """67,155 jobs, the estimates of the paper's simulator: at least the 40 % that it claims."""
    machine = next(machine for machine in MACHINES if machine.name == "SDSC")
    workload = first_jobs(load_log(real_log(machine.log)).workload(), machine.first)
    policies = make_policies(False)
    waits = {}
    for name in ("FCFS", "PLAN 2"):
        trace = replay(workload, policies[name], estimates="mixed")
        waits[name] = (trace.start - workload.submit).mean()
    assert waits["PLAN 2"] < 0.6 * waits["FCFS"]
