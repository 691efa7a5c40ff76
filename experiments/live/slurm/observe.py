"""From a snapshot of a cluster to one scheduling round."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planbatch.experiments.common.text import duration
from planbatch.experiments.live.slurm.pool import Held, ObserveOptions, Pool, held_by_jobs, pool_of
from planbatch.experiments.live.slurm.snapshot import LiveNode, Snapshot
from planbatch.experiments.live.slurm.waiting import Queue, Remark, WaitingJob
from planbatch.experiments.live.slurm.windows import reservation_remarks, windows_of
from planbatch.planner.model import NEVER
from planbatch.planner.round import Round, RunningTable, job_table

#: Most names of nodes that a remark spells out.
NAMED = 6


@dataclass(frozen=True)
class Observation:
    """A snapshot as a scheduling round.

    Attributes
    ----------
    snapshot : Snapshot
        The snapshot.
    pool : Pool
        What of the cluster is planned.
    problem : Round
        The round.
    jobs : tuple of WaitingJob
        The waiting jobs in the order of the round.
    left_out : tuple of Remark
        Waiting jobs that are not in the round, and why.
    noted : tuple of Remark
        Nodes that are not usable or reserved, running jobs past their end, and assumptions about waiting jobs.

    Examples
    --------
    >>> import planbatch as pb
    >>> node = pb.LiveNode("n1", "IDLE", frozenset(), cpus=8)
    >>> job = pb.LiveJob(
    ...     pb.JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING", time_limit=600,
    ...     exclusive=True,
    ... )
    >>> snapshot = pb.Snapshot(100, (job,), (node,))
    >>> seen = pb.observe(snapshot)
    >>> len(seen.problem), seen.left_out, seen.noted
    (1, (), ())
    """

    snapshot: Snapshot
    pool: Pool
    problem: Round
    jobs: tuple[WaitingJob, ...]
    left_out: tuple[Remark, ...]
    noted: tuple[Remark, ...]

    @property
    def source(self) -> str:
        """What the round is of, in a few words."""
        version = f", Slurm {self.snapshot.version}" if self.snapshot.version else ""
        name = self.snapshot.cluster or "a Slurm cluster"
        return f"{name} at {self.snapshot.time}, {self.pool.unit} as processors{version}"


def observe(snapshot: Snapshot, options: ObserveOptions | None = None) -> Observation:
    """Make a scheduling round of a snapshot.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster at one moment.
    options : ObserveOptions, optional
        What is planned, and how it is counted.

    Raises
    ------
    ValueError
        If a partition is not there, or no node is usable.

    Examples
    --------
    >>> import planbatch as pb
    >>> node = pb.LiveNode("n1", "IDLE", frozenset(), cpus=8)
    >>> job = pb.LiveJob(
    ...     pb.JobKey(7, 90), "demo", "ann", "physics", "main", nodes=1, cpus=8, state="PENDING", time_limit=600,
    ...     exclusive=True,
    ... )
    >>> snapshot = pb.Snapshot(100, (job,), (node,))
    >>> pb.observe(snapshot).problem
    Round(at 100 s, 1 waiting, 0 running, 1 of 1 processor free)
    """
    options = options or ObserveOptions()
    pool = pool_of(snapshot, options)
    if not pool.capacity:
        states = sorted({node.state.lower() for node in pool.nodes.values()})
        raise ValueError(
            f"no node is usable: {len(pool.nodes)} are {' or '.join(states) or 'known'}"
        )
    queue = Queue(snapshot, pool, options)
    jobs = sorted(queue.planned, key=lambda job: job.job.submit_time)
    problem = _round(snapshot, pool, held_by_jobs(snapshot, pool, options), jobs)
    problem = replace(problem, windows=windows_of(snapshot, pool, options))
    reserved = reservation_remarks(snapshot, pool, NAMED)
    noted = [*_nodes(pool), *reserved, *_overruns(snapshot, options), *queue.noted]
    return Observation(snapshot, pool, problem, tuple(jobs), tuple(queue.left_out), tuple(noted))


def _round(
    snapshot: Snapshot, pool: Pool, running: Sequence[Held], jobs: Sequence[WaitingJob]
) -> Round:
    """Lay the running and the waiting jobs out in columns."""
    now, resources = snapshot.time, pool.resources

    def table(
        rows: Sequence[Held] | Sequence[WaitingJob],
    ) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
        amounts = [[row.further.get(resource.name, 0) for resource in resources] for row in rows]
        return np.array(amounts, dtype=np.int64).reshape(len(rows), len(resources))

    def column(values: Sequence[int]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        return np.array(values, dtype=np.int64)

    return Round(
        now,
        pool.capacity,
        RunningTable(
            column([one.amount for one in running]),
            column([one.end for one in running]),
            table(running),
        ),
        job_table(
            column([min(one.job.submit_time, now) for one in jobs]),
            column([one.amount for one in jobs]),
            column([one.walltime for one in jobs]),
            column([one.job.deadline or NEVER for one in jobs]),
            user=column([one.job.user_id for one in jobs]),
            demands=table(jobs),
        ),
        ids=column([one.id for one in jobs]),
        resources=resources,
    )


def _nodes(pool: Pool) -> list[Remark]:
    """Nodes that are not usable, those of one state and reason together."""
    groups: dict[tuple[str, str], list[LiveNode]] = defaultdict(list)
    for name, node in pool.nodes.items():
        if name not in pool.usable:
            groups["+".join((node.state, *sorted(node.flags))).lower(), node.reason].append(node)
    found = []
    for (state, reason), nodes in groups.items():
        names = ",".join(node.name for node in nodes[:NAMED]) + ("…" if len(nodes) > NAMED else "")
        shown = f"{names} ({len(nodes)})" if len(nodes) > 1 else names
        found.append(Remark("not usable", shown, "", f"{state}{f': {reason}' if reason else ''}"))
    return found


def _overruns(snapshot: Snapshot, options: ObserveOptions) -> list[Remark]:
    """Running jobs that are past their end, and those that never end."""
    found = []
    limit, slack = duration(options.default_limit), duration(options.slack)
    for job in snapshot.jobs:
        if not job.running or job.state == "COMPLETING":
            continue
        late = snapshot.time - job.end_time
        if job.time_limit is None:
            why = f"expected to end {limit} after its start"
            found.append(Remark("runs without limit", job.label, job.user, why))
        elif job.end_time and late >= 0:
            why = f"{duration(late)} past its end; expected to end in {slack}"
            found.append(Remark("overruns", job.label, job.user, why))
    return found
