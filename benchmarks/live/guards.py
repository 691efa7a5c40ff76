"""What promises and guards cost and give: replays of drawn workloads of a log, and of a large job among small ones.

    python -m benchmarks.live.guards LOG [--seeds 12] [--policy plan-wait] [--promise 2x] [--guard none,0.05x]

The workloads are those of ``compare_with_slurm``; waits are divided by EASY's. The large job takes all of eight nodes,
and comes into a stream of jobs of one node with limits of a minute that run for 2 to 4 s, as many as nodes can take.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from benchmarks.live.compare_with_slurm import CPUS, NODES, LabJob, lab_jobs, ratios
from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.policy import Policy
from planbatch.baselines.promise import Promise
from planbatch.experiments.live.planning import Guard, with_guard
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.load import workload_of_source
from planbatch.planner.model import NEVER, IntArray, Workload
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round
from tests.live.lab.processes import arguments


@dataclass
class GuardedPolicy:
    """A policy under a guard, for one replay; it remembers what it promised, as the driver does."""

    policy: Policy
    guard: Guard
    promise: Promise | None
    name: str = "guarded"
    latest: dict[int, int] = field(default_factory=dict)
    first: dict[int, int] = field(default_factory=dict)

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan:
        """Plan."""
        promises = [self.latest.get(number, NEVER) for number in problem.ids.tolist()]
        jobs = problem.jobs._replace(latest=np.minimum(problem.jobs.latest, promises))
        head, first = int(np.argmin(problem.jobs.submit)), np.full(len(problem), NEVER)
        first[head] = self.first.setdefault(int(problem.ids[head]), problem.now)
        problem, _ = with_guard(replace(problem, jobs=jobs), self.guard, first)
        self.latest |= zip(problem.ids.tolist(), problem.jobs.latest.tolist(), strict=True)
        return self.policy(problem, rng)


def as_workload(jobs: list[LabJob], capacity: int) -> Workload:
    """Whole seconds, for a replay."""
    frame = pd.DataFrame({
        "id": range(1, len(jobs) + 1), "submit": [int(job.submit) for job in jobs],
        "procs": [job.procs for job in jobs], "walltime": [60 * job.minutes for job in jobs],
        "runtime": [max(round(job.seconds), 1) for job in jobs],
    })  # fmt: skip
    return Workload.from_frame(frame, capacity)


def a_stream(nodes: int = 8, seconds: int = 180) -> Workload:
    """Jobs of one node, and at 4 s a job of all."""
    small = [LabJob(k * 3 / nodes, 1, 1, 2 + k % 3) for k in range(seconds * nodes // 3)]
    jobs = sorted([*small, LabJob(4.5, nodes, 1, 1)], key=lambda job: job.submit)
    return as_workload(jobs, nodes)


def waits(workload: Workload, policy: Policy | str) -> IntArray:
    """Replay; the waits (s)."""
    trace = replay(workload, policy)
    return trace.start - trace.workload.submit


def main() -> None:
    """Print a row for each promise and guard."""
    options = arguments(__doc__, "log", seeds=12, policy="plan-wait", promise="none,2x",
                      guard="none,0s,0.02x,0.05x,0.1x,0.4w,1w")  # fmt: skip
    log, stream = workload_of_source(options.log), a_stream()
    workloads = [as_workload(lab_jobs(log, 300, 270, seed), NODES * CPUS) for seed in range(1, options.seeds + 1)]
    easy = [waits(workload, "easy") for workload in workloads]
    large = int(np.argmax(stream.procs))
    print(f"the large job, easy: {waits(stream, 'easy')[large]} s")
    for promise in options.promise.split(","):
        for text in options.guard.split(","):
            guard = Guard.parse(text)

            def policy(promise: str = promise, guard: Guard | None = guard) -> Policy:
                policy = make_policy(options.policy, promise=promise)
                return policy if guard is None else GuardedPolicy(policy, guard, Promise.parse(promise))

            means, longest = ratios([waits(workload, policy()) for workload in workloads], easy)
            print(f"promise {promise}, guard {text}: mean wait {np.mean(means):+.0%} ({max(means):+.0%} at worst), "
                  f"longest {np.mean(longest):.2f} × ({max(longest):.2f}); the large job: "
                  f"{waits(stream, policy())[large]} s", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
