"""What every policy keeps; a policy's tests inherit from :class:`PolicyContract`."""

from functools import cache

import pytest

from planbatch.baselines.policy import traits_of
from planbatch.experiments.replay.checker import check_trace, recorded_replay
from planbatch.experiments.replay.replay import bound, compiled_form, replay
from planbatch.experiments.tasks.pickled import packed, unpacked
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.plan import check_plan
from tests.builders import assert_same, workload_of


@cache
def busy_workload(jobs):
    """Return jobs that ask for more than a machine of 32 processors can do."""
    return synthetic_workload(jobs, capacity=32, seed=3, load=1.1)


class PolicyContract:
    """Give a fixture ``policy``, and inherit the contract."""

    #: Jobs of the workload on which most of the contract is tested.
    jobs = 150

    @pytest.fixture
    def policy(self):
        """Return the policy."""
        raise NotImplementedError

    @pytest.fixture
    def busy(self):
        """Return a workload whose queue is long at times."""
        return busy_workload(self.jobs)

    @pytest.mark.parametrize("estimates", ["requested", "actual", "mixed"])
    def test_traces_are_valid(self, policy, busy, estimates):
        """Every job runs once, after its submission, within the capacity."""
        trace = replay(busy, policy, estimates=estimates)
        assert check_trace(trace) == []
        assert trace.rounds.started.sum() == len(busy)

    def test_a_seed_gives_the_same_trace_again(self, policy, busy):
        """Nothing but the seed decides."""
        before = packed(policy)
        assert_same(replay(busy, policy, seed=5), replay(busy, policy, seed=5))
        assert packed(policy) == before

    @pytest.mark.parametrize("estimates", ["requested", "mixed"])
    def test_compiled_and_interpreted_loops_agree(self, policy, busy, estimates):
        """The trace is the same, and so is the log of the rounds, evaluations and costs included."""
        if compiled_form(policy) is None:
            pytest.skip("the policy does not run in the compiled loop")
        native = replay(busy, policy, estimates=estimates, compiled=True, seed=2)
        plain = replay(busy, policy, estimates=estimates, compiled=False, seed=2)
        assert_same(native, plain)

    def test_plans_are_valid(self, policy, busy):
        """No plan of any round exceeds the machine or lies in the past."""
        rounds = []
        deciding = bound(policy, busy)

        def checking(problem, rng):
            outcome = deciding(problem, rng)
            assert check_plan(problem, getattr(outcome, "plan", outcome)) == []
            rounds.append(problem.now)
            return outcome

        trace = replay(busy, checking)
        assert trace.rounds.time.tolist() == rounds

    def test_the_policy_travels_between_processes(self, policy):
        """A policy that was packed and unpacked does what it did, with kernels sent by name."""
        again = unpacked(packed(policy))
        crowd = workload_of(4, [(i // 3, 1 + i % 4, 8 + i % 7, 3 + i % 5) for i in range(20)])
        assert_same(replay(crowd, again), replay(crowd, policy))
        assert len(packed(policy)) < 3000

    def test_it_can_be_recorded(self, policy, busy):
        """An observer sees every round that the log counts; the trace says what the policy is."""
        trace, rounds = recorded_replay(busy, policy)
        assert [planned.now for planned in rounds] == trace.rounds.time.tolist()
        assert trace.policy == policy.name
        assert trace.traits == traits_of(policy)

    def test_no_jobs(self, policy):
        """An empty workload is replayed in no rounds."""
        assert len(replay(workload_of(4, []), policy).rounds) == 0

    def test_one_job(self, policy):
        """A job that is alone never waits."""
        trace = replay(workload_of(4, [(10, 3, 50, 20)]), policy)
        assert trace.start.tolist() == [10]
        assert trace.end.tolist() == [30]

    def test_jobs_submitted_at_one_instant(self, policy):
        """What fits together starts together, in one round."""
        trace = replay(workload_of(6, [(0, 1, 9, 9), (0, 2, 9, 9), (0, 3, 9, 9)]), policy)
        assert trace.start.tolist() == [0, 0, 0]
        assert trace.rounds.time.tolist() == [0]

    def test_jobs_that_fill_the_machine(self, policy):
        """They run one after the other without a gap, whatever their order."""
        trace = replay(workload_of(5, [(0, 5, 7, 7)] * 4), policy)
        assert sorted(trace.start.tolist()) == [0, 7, 14, 21]

    def test_early_ends_leave_no_gap_either(self, policy):
        """A round follows every end, also one before the walltime."""
        trace = replay(workload_of(5, [(0, 5, 9, 3)] * 4), policy)
        assert sorted(trace.start.tolist()) == [0, 3, 6, 9]

    def test_no_policy_sees_run_times(self, policy):
        """Up to its first early end, a replay is the same whatever the run times are."""
        walltimes = [(0, 2, 6), (0, 3, 8), (1, 1, 4), (2, 2, 9), (2, 4, 5), (3, 1, 20)]
        full = replay(workload_of(4, [(*job, job[2]) for job in walltimes]), policy, seed=1)
        late = [(*job, job[2]) for job in walltimes[:-1]] + [(*walltimes[-1], 19)]
        cut = replay(workload_of(4, late), policy, seed=1)
        before = int(cut.end[-1])
        known = full.start < before
        assert known.sum() >= 4
        assert full.start[known].tolist() == cut.start[known].tolist()

    def test_has_a_name(self, policy):
        """Tables need one."""
        assert policy.name
        assert isinstance(policy.name, str)
