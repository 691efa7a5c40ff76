"""Copying, cutting and joining tables of jobs and rounds: only this module lists their columns."""

from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.model import IntArray, JobTable
from planbatch.planner.round import RoundArrays, RunningTable


@borrowing_kernel
def copy_job(target: JobTable, at: int, source: JobTable, job: int) -> None:
    """Write one job of a table into a row of another, or of the same one."""
    target.submit[at] = source.submit[job]
    target.procs[at] = source.procs[job]
    target.walltime[at] = source.walltime[job]
    target.deadline[at] = source.deadline[job]
    target.latest[at] = source.latest[job]
    target.user[at] = source.user[job]
    for k in range(source.demands.shape[1]):
        target.demands[at, k] = source.demands[job, k]
    for k in range(source.past.shape[1]):
        target.past[at, k] = source.past[job, k]


@kernel(inline="always")
def jobs_between(jobs: JobTable, first: int, last: int) -> JobTable:
    """Return the jobs from ``first`` to before ``last``: slices, not copies."""
    return JobTable(
        jobs.submit[first:last],
        jobs.procs[first:last],
        jobs.walltime[first:last],
        jobs.deadline[first:last],
        jobs.latest[first:last],
        jobs.user[first:last],
        jobs.demands[first:last],
        jobs.past[first:last],
    )


@kernel
def chosen_jobs(jobs: JobTable, which: IntArray) -> JobTable:
    """Return copies of the jobs with these indices, in their order."""
    return JobTable(
        jobs.submit[which],
        jobs.procs[which],
        jobs.walltime[which],
        jobs.deadline[which],
        jobs.latest[which],
        jobs.user[which],
        jobs.demands[which],
        jobs.past[which],
    )


@kernel
def with_latest(jobs: JobTable, latest: IntArray) -> JobTable:
    """Return the same jobs with other promises."""
    return JobTable(
        jobs.submit,
        jobs.procs,
        jobs.walltime,
        jobs.deadline,
        latest,
        jobs.user,
        jobs.demands,
        jobs.past,
    )


@kernel
def round_of(
    arrays: RoundArrays, jobs: JobTable, planned: IntArray, notes: IntArray, occupied: IntArray
) -> RoundArrays:
    """Return the round at the same moment on the same machine, with other waiting jobs."""
    return RoundArrays(
        arrays.now,
        arrays.capacity,
        arrays.running,
        jobs,
        planned,
        arrays.ended_early,
        notes,
        occupied,
        arrays.capacities,
        arrays.windows,
        arrays.ledger,
    )


@kernel
def with_running(arrays: RoundArrays, running: RunningTable) -> RoundArrays:
    """Return the same round with other running jobs."""
    return RoundArrays(
        arrays.now,
        arrays.capacity,
        running,
        arrays.jobs,
        arrays.planned,
        arrays.ended_early,
        arrays.notes,
        arrays.occupied,
        arrays.capacities,
        arrays.windows,
        arrays.ledger,
    )


@kernel(inline="always")
def with_walltime(jobs: JobTable, walltime: IntArray) -> JobTable:
    """Return the same jobs with other walltimes."""
    return JobTable(
        jobs.submit,
        jobs.procs,
        walltime,
        jobs.deadline,
        jobs.latest,
        jobs.user,
        jobs.demands,
        jobs.past,
    )
