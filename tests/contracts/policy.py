"""What every policy has to keep: subclass :class:`PolicyContract` and give it a policy."""

from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from experiments.checker import Recorder, check_trace
from experiments.portable import packed, unpacked
from experiments.replay import Trace, compiled_form, replay
from planner.model import Workload
from planner.plan import check_plan
from planner.round import Round
from tests.small_workloads import ESTIMATES, assert_same, small_workloads, workload_of


class PolicyContract:
    """Tests that a policy inherits.

    Attributes
    ----------
    policy : Policy
        What is tested; subclasses set it.
    complete : bool
        Whether its plans give every waiting job a start in rounds in which it decides anew.
    """

    policy: ClassVar[Any]
    complete: ClassVar[bool] = False

    def crowd(self) -> Workload:
        """Draw a workload of 60 jobs, many at the same instant, for which a queue forms."""
        rng = np.random.default_rng(5)
        walltime = rng.integers(1, 60, 60)
        columns = (
            np.sort(rng.integers(0, 150, 60) // 5 * 5),
            rng.integers(1, 9, 60),
            walltime,
            np.maximum(walltime - rng.integers(0, 40, 60), 1),
        )
        return workload_of(8, list(zip(*columns, strict=True)))

    def run(self, policy, workload: Workload, **options) -> Trace:
        """Replay, and check the trace by independent means."""
        trace = replay(workload, policy, **options)
        assert check_trace(trace) == []
        return trace

    @pytest.mark.parametrize("estimates", ESTIMATES)
    def test_compiled_and_interpreted_replays_are_the_same(self, estimates):
        """One source, run in two ways: the same trace, and the same log of rounds."""
        if compiled_form(self.policy) is None:
            pytest.skip("this policy has no compiled form")
        compiled = self.run(self.policy, self.crowd(), estimates=estimates, seed=3, compiled=True)
        interpreted = self.run(
            self.policy, self.crowd(), estimates=estimates, seed=3, compiled=False
        )
        assert_same(compiled, interpreted)

    def test_a_seed_decides_everything(self):
        """Two replays with the same seed are the same."""
        assert_same(
            self.run(self.policy, self.crowd(), seed=7), self.run(self.policy, self.crowd(), seed=7)
        )

    # Inherited tests run once for each subclass, with examples of their own.
    @settings(
        max_examples=25,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.differing_executors],
    )
    @given(workload=small_workloads())
    def test_every_job_of_any_workload_runs(self, workload):
        """All jobs run, and by the rules."""
        self.run(self.policy, workload)

    def test_plans_are_valid(self):
        """No plan exceeds the machine or lies in the past; searching policies plan every job."""
        checked = []

        def checking(problem: Round, rng: np.random.Generator):
            outcome = self.policy(problem, rng)
            plan = getattr(outcome, "plan", outcome)
            blocked = problem.jobs.procs.min() > problem.free
            assert check_plan(problem, plan, complete=self.complete and not blocked) == []
            checked.append(problem.now)
            return outcome

        self.run(checking, self.crowd())
        assert checked

    def test_one_job_starts_at_once(self):
        """On an idle machine there is nothing to wait for."""
        assert self.run(self.policy, workload_of(4, [(9, 4, 5, 2)])).start.tolist() == [9]

    def test_no_jobs_take_no_rounds(self):
        """An empty workload is replayed in no rounds."""
        assert len(self.run(self.policy, workload_of(4, [])).rounds) == 0

    def test_simultaneous_jobs_that_fit_start_at_once(self):
        """Jobs that are submitted at one instant are decided in one round."""
        trace = self.run(self.policy, workload_of(4, [(3, 1, 5), (3, 2, 5), (3, 1, 7)]))
        assert trace.start.tolist() == [3, 3, 3]
        assert trace.rounds.time.tolist() == [3]

    def test_simultaneous_jobs_that_do_not_fit_all_run(self):
        """Of many equal jobs of the whole machine, one runs after the other."""
        trace = self.run(self.policy, workload_of(2, [(0, 2, 5)] * 12))
        assert sorted(trace.start.tolist()) == list(range(0, 60, 5))

    def test_the_policy_travels_between_processes(self):
        """A policy that was packed and unpacked is the same policy, with the same kernels."""
        assert unpacked(packed(self.policy)) == self.policy
        assert len(packed(self.policy)) < 2000

    def test_a_policy_keeps_no_state(self):
        """Replaying does not change what a policy is."""
        before = packed(self.policy)
        self.run(self.policy, self.crowd())
        assert packed(self.policy) == before

    def test_it_can_be_recorded(self):
        """A wrapper sees every round that the log counts."""
        recorder = Recorder(self.policy)
        trace = self.run(recorder, self.crowd(), seed=3)
        assert [planned.now for planned in recorder.rounds] == trace.rounds.time.tolist()
        assert trace.policy == self.policy.name
