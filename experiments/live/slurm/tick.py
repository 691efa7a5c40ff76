"""What happened in one tick of the driver, or in one attempt to give everything back."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from planbatch.baselines.policy import policy_name
from planbatch.experiments.live.journal import Journal
from planbatch.experiments.live.planning import LivePlan, Remembered
from planbatch.experiments.live.slurm.advise import (
    Advice,
    WaitingKey,
    effect_of,
    job_advice,
    last_planned,
    write_tick,
)
from planbatch.experiments.live.slurm.commands import Command
from planbatch.experiments.live.slurm.errors import Answer, kind_of
from planbatch.experiments.live.slurm.marks import Target, mark_of
from planbatch.experiments.live.slurm.observe import TASK_IDS
from planbatch.experiments.live.slurm.planner import Memory, Planned, Planner
from planbatch.experiments.live.slurm.snapshot import Snapshot
from planbatch.experiments.workloads.journal_lines import COMMANDS, RESULTS
from planbatch.planner.model import NEVER

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
        not answer.done and kind_of(answer.message) == "rights" for answer in marks
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
            command.action == "release" and done.issuperset(command.lines)
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


#: An older plan tells nothing about today (s).
FORGOTTEN_AFTER = 3600


def record(journal: Journal, planner: Planner, tick: Tick) -> None:
    """Write a tick into a journal: snapshot and plan as ``advise`` does, then commands, results and faults.

    Raises
    ------
    OSError
        If the journal cannot be written.
    """
    when = int(tick.snapshot.time if tick.snapshot is not None else tick.time)
    if tick.snapshot is not None:
        journal.snapshot(tick.snapshot)
    if tick.planned is not None:
        seen = tick.planned.observation
        plan = cast("LivePlan[WaitingKey]", tick.planned.plan)  # targets are such keys
        jobs = job_advice(seen, plan)
        name = policy_name(planner.policy)
        advice = Advice(seen, plan, jobs, effect_of(seen, plan, jobs), name)
        write_tick(journal, advice, planner.options)
    if tick.commands:
        rows = [
            {
                "deed": one.action, "job": list(one.key), "label": one.label,
                "lines": list(one.lines), "why": one.reason,
            }
            for one in tick.commands
        ]  # fmt: skip
        journal.write(COMMANDS, when, mode=planner.rules.mode, commands=rows)
    if tick.answers:
        refused, late = _said(tick.refused), _said(tick.late)
        done = len(tick.answers) - len(refused) - len(late)
        journal.write(RESULTS, when, done=done, refused=refused, late=late)
    if tick.fault or tick.refusal:
        journal.fault(when, tick.fault or tick.refusal)


def _said(answers: Sequence[Answer]) -> list[dict[str, str]]:
    return [{"line": one.line, "message": one.message} for one in answers]


def remembered(path: Path, now: float) -> Memory:
    """Return what the last driver or adviser had planned and promised, by its journal.

    Parameters
    ----------
    path : Path
        The journal; there need not be one.
    now : float
        The time (s): a plan of more than an hour ago is forgotten.

    Returns
    -------
    mapping of Target to Remembered
        By the full keys of jobs: a number that was given out again is not known.

    Raises
    ------
    OSError, ValueError
        If it cannot be read, or is of another version.
    """
    tick = last_planned(path) if path.exists() else None
    if tick is None or tick.snapshot is None or now - tick.time > FORGOTTEN_AFTER:
        return {}
    keys = {job.job_id: job.key for job in tick.snapshot.jobs if job.pending}
    memory: dict[Target, Remembered] = {}
    for number, (start, latest, _) in tick.starts.items():
        row, task = divmod(number, TASK_IDS) if number >= TASK_IDS else (number, None)
        if row in keys and start is not None:
            last = NEVER if latest is None else latest
            memory[Target(keys[row], task)] = Remembered(start, last, start)
    return memory
