"""What happened in one tick of the driver, and the release of every job to Slurm."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planbatch.experiments.live.slurm.client import CLUSTER_ERRORS, Answer, SlurmClient, SlurmError, kind_of
from planbatch.experiments.live.slurm.commands import Command, give_back, held_by_others, lines_of
from planbatch.experiments.live.slurm.marks import mark_of
from planbatch.experiments.live.slurm.planner import ClusterPlan
from planbatch.experiments.live.slurm.reading import read_snapshot
from planbatch.experiments.live.slurm.snapshot import Snapshot

#: Advice if the driver lacks rights.
RIGHTS = (
    "AdminComment may be written by root, SlurmUser and administrators, not by operators: "
    "sacctmgr modify user NAME set adminlevel=Admin"
)
#: The message if nodes idled although a job fitted.
OBSERVING = "nodes idled although jobs fit: driving is suspended; restart the driver to drive again"


def powerless(answers: Sequence[Answer]) -> bool:
    """Whether Slurm refused every mark for lack of rights: without marks nothing is driven."""
    marks = [answer for answer in answers if "AdminComment=" in answer.line]
    refused = [answer for answer in marks if not answer.done and kind_of(answer.message) == "rights"]
    return bool(marks) and refused == marks


@dataclass(frozen=True)
class Tick:
    """What happened in one tick."""

    #: When it began, and how long it took (s).
    time: float
    seconds: float = 0.0
    snapshot: Snapshot | None = None  # the cluster; None if it could not be read
    cluster_plan: ClusterPlan | None = None  # the plan; None if there is none
    commands: tuple[Command, ...] = ()  # the commands
    answers: tuple[Answer, ...] = ()  # Slurm's answers to their lines; empty in a dry run
    later: int = 0  # how many more jobs change in the next tick
    #: Number of consecutive ticks with idle nodes that a job could use, including this one; see :attr:`idles`.
    idle: int = 0
    observing: bool = False  # whether the driver has released everything, and only observes
    notes: tuple[str, ...] = ()  # further remarks, as sentences
    #: The fault in one sentence, and its kind (:data:`client.ErrorKind`; ``plan`` if there was no plan);
    #: both empty without one.
    fault: str = ""
    kind: str = ""

    def finish(self, start: float, **results: Any) -> "Tick":
        """Return the tick with its results, and with the time since a reading of ``time.perf_counter``."""
        return replace(self, seconds=time.perf_counter() - start, **results)

    @property
    def idles(self) -> bool:
        """Whether a node is idle, a marked job that could start waits, and none was released; or there is no plan."""
        if self.snapshot is None:
            return False
        jobs = self.snapshot.jobs
        busy = {name for job in jobs if job.running for name in job.allocated}
        marked = {job.key for job in jobs if job.pending and mark_of(job.admin_comment) is not None}
        if self.kind == "plan":
            idle = any(node.usable and node.name not in busy for node in self.snapshot.nodes)
            return idle and bool(marked)
        if self.cluster_plan is None:
            return False
        observation, plan = self.cluster_plan.observation, self.cluster_plan.plan
        done_lines = {answer.line for answer in self.answers if answer.done}
        releases = [command for command in self.commands if command.action == "release"]
        due = plan.start <= plan.problem.now
        waits = any(one.job.key in marked for one, now in zip(observation.jobs, due, strict=True) if now)
        released = any(done_lines.issuperset(command.lines) for command in releases)
        return waits and not released and not busy.issuperset(observation.pool.usable)

    @property
    def refused(self) -> list[Answer]:
        """The lines that Slurm did not carry out, but for those that came too late."""
        return [answer for answer in self.answers if not (answer.done or answer.late)]

    @property
    def late(self) -> list[Answer]:
        """The lines to jobs that had started, or ended, since they were read."""
        return [answer for answer in self.answers if answer.late]

    @property
    def advice(self) -> str:
        """What to do about a lack of rights; empty if there is none."""
        return RIGHTS if powerless(self.answers) else ""

    @property
    def refusal(self) -> str:
        """One sentence on what Slurm refused, and the advice if there is any; empty if nothing was refused."""
        if not self.refused:
            return ""
        first = self.refused[0]
        count = f"scontrol refused {len(self.refused)} of {len(self.answers)} lines"
        advice = f". {self.advice}" if self.advice else ""
        return f"{count}; the first: {first.line}: {first.message[:200]}{advice}"


#: Number of attempts to release what is not released yet.
ATTEMPTS = 5


def release_all(
    client: SlurmClient,
    on_tick: Callable[[Tick], None],
    *,
    dry_run: bool = False,
    clock: Callable[[], float] = time.time,
    read: Callable[[], Snapshot] | None = None,
) -> bool:
    """Return all jobs to Slurm, as their users asked for them.

    ``on_tick`` is called with every attempt, ``clock`` and ``read`` give the time (s) and snapshots. Returns whether
    nothing is left that is the driver's, by what Slurm says afterwards; of jobs that are held all the same, the last
    tick names each, and by whom.
    """
    for attempt in range(ATTEMPTS):
        start = time.perf_counter()
        tick = Tick(clock())
        try:
            snapshot = read() if read is not None else read_snapshot(client)
            tick = replace(tick, snapshot=snapshot)
            commands = tuple(give_back(snapshot, int(clock())))
            tick = replace(tick, commands=commands)
            answers = () if dry_run else tuple(client.script(lines_of(commands)))
        except (OSError, ValueError) as error:
            kind = error.kind if isinstance(error, SlurmError) else "plan"
            on_tick(tick.finish(start, fault=str(error), kind=kind))
            if kind in CLUSTER_ERRORS:
                continue
            return False
        tick = tick.finish(start, answers=answers)
        if dry_run or not commands:
            on_tick(replace(tick, notes=tuple(held_by_others(snapshot))))
            return True
        if attempt == ATTEMPTS - 1:
            names = ", ".join(command.label for command in commands[:20])
            fault = f"{len(commands)} jobs are still planbatch's: {names}; {tick.refusal}"
            tick = replace(tick, fault=fault[:400], kind="left")
        on_tick(tick)
    return False
