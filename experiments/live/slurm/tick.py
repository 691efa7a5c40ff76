"""What happened in one tick of the driver, or in one attempt to give everything back."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planbatch.experiments.live.slurm.commands import Command
from planbatch.experiments.live.slurm.marks import mark_of
from planbatch.experiments.live.slurm.planner import Planned
from planbatch.experiments.live.slurm.said import Answer, fault_of
from planbatch.experiments.live.slurm.snapshot import Snapshot

#: What a driver may need to be told.
RIGHTS = (
    "AdminComment may be written by root, SlurmUser and administrators, not by operators: "
    "sacctmgr modify user NAME set adminlevel=Admin"
)


#: What people are told if nodes idled that jobs could have had.
OBSERVING = (
    "nodes idled that jobs could have had: Slurm has its way; restart the driver to drive again"
)


def powerless(answers: Sequence[Answer]) -> bool:
    """Whether Slurm refused every mark for lack of rights: without marks nothing is driven."""
    marks = [answer for answer in answers if "AdminComment=" in answer.line]
    return bool(marks) and all(
        not answer.done and fault_of(answer.message) == "rights" for answer in marks
    )


@dataclass(frozen=True)
class Tick:
    """What happened in one tick.

    Attributes
    ----------
    time : float
        When it began (s).
    seconds : float
        How long it took (s).
    snapshot : Snapshot, optional
        The cluster; None if it could not be read.
    planned : Planned, optional
        The plan; None if there is none.
    commands : tuple of Command
        What was to be done.
    answers : tuple of Answer
        What became of its lines; empty in a dry run.
    idle : int
        For how many ticks, this one among them, nodes were idle that a job could have; see :attr:`idles`.
    observing : bool
        Whether the driver had to let Slurm have its way, and only looks on.
    notes : tuple of str
        What people should know besides, sentences.
    later : int
        How many more jobs are to be told something in the next tick.
    fault : str
        What went wrong, one sentence; empty if nothing did.
    kind : str
        What kind of fault; see :data:`client.Fault`. ``plan`` if there was no plan.
    """

    time: float
    seconds: float = 0.0
    snapshot: Snapshot | None = None
    planned: Planned | None = None
    commands: tuple[Command, ...] = ()
    answers: tuple[Answer, ...] = ()
    later: int = 0
    idle: int = 0
    observing: bool = False
    notes: tuple[str, ...] = ()
    fault: str = ""
    kind: str = ""

    def failed(self, seconds: float, fault: str, kind: str) -> "Tick":
        """Return what was done before something went wrong: nothing was carried out."""
        return replace(self, seconds=seconds, answers=(), later=0, fault=fault[:400], kind=kind)

    @property
    def idles(self) -> bool:
        """Whether a node is idle, a marked job that could start waits, and none was released; or there is no plan."""
        if self.snapshot is None:
            return False
        busy = {name for job in self.snapshot.jobs if job.running for name in job.allocated}
        marked = {
            job.key
            for job in self.snapshot.jobs
            if job.pending and mark_of(job.admin_comment) is not None
        }
        if self.kind == "plan":
            idle = any(node.usable and node.name not in busy for node in self.snapshot.nodes)
            return idle and bool(marked)
        if self.planned is None:
            return False
        seen, plan = self.planned.observation, self.planned.plan
        done = {answer.line for answer in self.answers if answer.done}
        released = any(
            command.deed == "release" and done.issuperset(command.lines)
            for command in self.commands
        )
        due = plan.start <= plan.problem.now
        waits = any(one.job.key in marked for one, now in zip(seen.jobs, due, strict=True) if now)
        return waits and not released and not busy.issuperset(seen.pool.usable)

    @property
    def refused(self) -> list[Answer]:
        """The lines that Slurm did not carry out, but for those that came too late."""
        return [answer for answer in self.answers if not (answer.done or answer.late)]

    @property
    def late(self) -> list[Answer]:
        """The lines to jobs that had started, or ended, since they were read."""
        return [answer for answer in self.answers if answer.late]

    @property
    def powerless(self) -> bool:
        """Whether Slurm refused every mark for lack of rights."""
        return powerless(self.answers)

    @property
    def refusal(self) -> str:
        """One sentence on what Slurm refused, and the advice if there is any; empty if nothing was refused."""
        if not self.refused:
            return ""
        first = self.refused[0]
        said = f"scontrol refused {len(self.refused)} of {len(self.answers)} lines"
        advice = f". {self.advice}" if self.advice else ""
        return f"{said}; the first: {first.line}: {first.message[:200]}{advice}"

    @property
    def advice(self) -> str:
        """What to do about a lack of rights; empty if there is none."""
        return RIGHTS if self.powerless else ""
