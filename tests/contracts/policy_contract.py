"""What every policy keeps; a policy's tests inherit from :class:`PolicyContract`."""

from functools import cache
from zlib import crc32

import pytest

from planbatch.baselines.policy import traits_of
from planbatch.experiments.replay.checker import check_trace
from planbatch.experiments.replay.replay import bound, replay
from planbatch.experiments.runs.task import pack, unpack
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
        raise NotImplementedError

    @pytest.fixture
    def busy(self):
        """Return a workload whose queue is long at times."""
        return busy_workload(self.jobs)

    def test_traces_are_valid_and_repeatable(self, policy, busy):
        """Every job runs once, after its submission, within the capacity; nothing but the seed decides."""
        before = pack(policy)
        for estimates in ("requested", "actual", "mixed"):
            trace = replay(busy, policy, estimates=estimates, seed=5)
            assert check_trace(trace) == []
            assert trace.rounds.started.sum() == len(busy)
            assert trace.policy == policy.name
            assert trace.traits == traits_of(policy)
        assert_same(trace, replay(busy, policy, estimates=estimates, seed=5))
        assert pack(policy) == before

    def test_round_by_round_it_is_the_same(self, policy, busy):
        """Stepped from outside, every start, count and cost; no plan exceeds the machine or lies in the past.

        Half of the policies know requested times, the others what each job really takes while it waits.
        """
        estimates = ("requested", "mixed")[crc32(policy.name.encode()) % 2]
        rounds = []
        deciding = bound(policy, busy)

        def watched(problem, rng):
            outcome = deciding(problem, rng)
            if estimates == "requested":  # otherwise running jobs may stay longer than was planned
                assert check_plan(problem, getattr(outcome, "plan", outcome)) == []
            rounds.append(problem.now)
            return outcome

        watched.promise = getattr(policy, "promise", None)
        watched.history = getattr(policy, "history", None)
        stepped = replay(busy, watched, estimates=estimates, seed=2)
        assert stepped.rounds.time.tolist() == rounds
        assert_same(stepped, replay(busy, policy, estimates=estimates, seed=2))

    def test_the_policy_travels_between_processes(self, policy):
        """A policy that was packed and unpacked does what it did."""
        again = unpack(pack(policy))
        crowd = workload_of(4, [(i // 3, 1 + i % 4, 8 + i % 7, 3 + i % 5) for i in range(20)])
        assert_same(replay(crowd, again), replay(crowd, policy))
        assert len(pack(policy)) < 3000

    def test_a_few_jobs(self, policy):
        """None; one, which never waits; three that fit together; four that fill the machine, two ways.

        Those run one after the other without a gap, whatever their order, and whenever they end.
        """
        assert len(replay(workload_of(4, []), policy).rounds) == 0
        alone = replay(workload_of(4, [(10, 3, 50, 20)]), policy)
        assert (alone.start.tolist(), alone.end.tolist()) == ([10], [30])
        three = replay(workload_of(6, [(0, 1, 9, 9), (0, 2, 9, 9), (0, 3, 9, 9)]), policy)
        assert (three.start.tolist(), three.rounds.time.tolist()) == ([0, 0, 0], [0])
        full = replay(workload_of(5, [(0, 5, 7, 7)] * 4), policy)
        assert sorted(full.start.tolist()) == [0, 7, 14, 21]
        early = replay(workload_of(5, [(0, 5, 9, 3)] * 4), policy)
        assert sorted(early.start.tolist()) == [0, 3, 6, 9]

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
