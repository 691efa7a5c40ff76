"""The trace of what happened on the real machine: nothing is simulated but the run times."""

import numpy as np

from planbatch.baselines.policy import Policy, policy_name, traits_of
from planbatch.experiments.replay.trace import RoundLog, Trace
from planbatch.planner.model import NEVER, Workload


def recorded_trace(workload: Workload, policy: Policy) -> Trace:
    """Return the trace in which every job waits as long as the log says, and runs as in a replay.

    There is a round at every start. More may be in use than the machine has: logs round their times, and real
    machines have nodes that several jobs share.
    """
    start = workload.submit + workload.wait
    end = start + workload.runtime
    times, started = np.unique(start, return_counts=True)
    submitted = np.searchsorted(workload.submit, times, side="right")
    started_before = np.searchsorted(np.sort(start), times)
    ended = np.searchsorted(np.sort(end), times, side="right")
    nothing = np.full(len(times), np.nan)
    rounds = RoundLog(
        time=times,
        waiting=np.asarray(submitted - started_before, dtype=np.int64),
        running=np.asarray(started_before - ended, dtype=np.int64),
        started=np.asarray(started, dtype=np.int64),
        evaluations=np.zeros(len(times), dtype=np.int64),
        seed_cost=nothing,
        cost=nothing,
    )
    no_promise = np.full(len(workload), NEVER)
    return Trace(
        workload, policy_name(policy), start, end, rounds, 0.0, no_promise, traits=traits_of(policy)
    )
