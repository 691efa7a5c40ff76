"""Why a job of a replay started when it did, as it looks once everything has happened."""

import numpy as np

from planbatch.experiments.replay.trace import Trace
from planbatch.planner.arguments import expect, whole
from planbatch.planner.explanation import Explanation, explain
from planbatch.planner.model import IntArray
from planbatch.planner.plan import Plan
from planbatch.planner.resources import window_table
from planbatch.planner.round import Round, RunningTable, job_table


def explain_replay(trace: Trace, job: int) -> Explanation:
    """Explain why a job of a replay started when it did.

    Parameters
    ----------
    trace : Trace
        The replay.
    job : int
        The job's number in the log.

    Returns
    -------
    Explanation
        Of the round at the job's submission, with the run times and starts that were to come: the running jobs start
        and end when they did, and the plan is the trace. Overtakers are the jobs that were submitted later and started
        earlier.

    Raises
    ------
    ValueError
        If the trace has no such job.

    Examples
    --------
    >>> import planbatch as pb
    >>> trace = pb.replay(pb.synthetic_workload(jobs=100, capacity=16), "easy")
    >>> why = pb.explain_replay(trace, 41)
    >>> why.start == trace.start[trace.workload.id == 41]
    array([ True])
    """
    expect("trace", trace, Trace)
    return hindsight(trace, job)[2]


def hindsight(trace: Trace, job: int) -> tuple[Round, Plan, Explanation]:
    """Return the round at a job's submission with what was to come, its plan, and what they say of the job."""
    workload, start, job = trace.workload, trace.start, whole("job", job, None)
    indices = np.flatnonzero(workload.id == job)
    if not len(indices):
        raise ValueError(
            f"job {job}: no job of {workload.name} that was replayed has this number "
            f"({len(workload):,} have, from {workload.id.min()} to {workload.id.max()})"
        )
    if len(indices) > 1:
        raise ValueError(f"job {job}: {len(indices)} jobs of {workload.name} have this number")
    i = int(indices[0])
    now = int(workload.submit[i])
    before = np.arange(len(start)) < i
    runs = np.flatnonzero(((start < now) | ((start == now) & before)) & (trace.end > now))
    runs = runs[np.argsort(trace.end[runs], kind="stable")]
    waits = np.flatnonzero(((start > now) | ((start == now) & ~before)) & (start <= start[i]))

    def column(values: IntArray) -> IntArray:
        return values[waits]

    windows = window_table(workload.windows, workload.capacity, workload.resources)
    problem = Round(
        now,
        workload.capacity,
        RunningTable(workload.procs[runs], trace.end[runs], workload.demands[runs]),
        job_table(
            np.minimum(column(workload.submit), now),
            column(workload.procs),
            column(workload.runtime),
            demands=workload.demands[waits],
        ),
        ids=column(workload.id),
        resources=workload.resources,
        windows=windows,
    )
    plan = Plan(column(start))
    return problem, plan, explain(problem, plan, job, workload.id[runs].tolist(), started=start[runs].tolist())
