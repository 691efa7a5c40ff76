"""The driver's journal: what was seen, planned and done in every tick, and what the next driver takes from it."""

from collections.abc import Sequence
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
    write_tick,
)
from planbatch.experiments.live.slurm.asked import Target
from planbatch.experiments.live.slurm.planner import Memory, Planner
from planbatch.experiments.live.slurm.said import Answer
from planbatch.experiments.live.slurm.tick import Tick
from planbatch.experiments.live.slurm.waiting import TASK_IDS
from planbatch.experiments.live.slurm.when import last_planned
from planbatch.experiments.workloads.journal_lines import COMMANDS, RESULTS
from planbatch.planner.model import NEVER

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
        rows = [{"deed": one.deed, "job": list(one.key), "label": one.label, "lines": list(one.lines), "why": one.why}
                for one in tick.commands]  # fmt: skip
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
