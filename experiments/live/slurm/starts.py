"""Planned against actual starts of a live cluster, from its journal."""

from pathlib import Path
from typing import TYPE_CHECKING

from planbatch.experiments.live.journal import Tick, read_ticks
from planbatch.experiments.live.slurm.observe import TASK_IDS
from planbatch.experiments.studies.waits import early, late, within

if TYPE_CHECKING:
    from pandas import DataFrame

#: What plans a start → the place of its start in a line of the journal.
PLANNERS = {"planbatch": 0, "Slurm": 2}


def planned_starts(path: str | Path) -> "dict[str, DataFrame]":
    """Return when jobs were planned to start, and when they did.

    Parameters
    ----------
    path : str or Path
        A journal.

    Returns
    -------
    dict of str to DataFrame
        For planbatch, and for Slurm's own forecasts, one row per job that was seen waiting with a planned start and
        later running: its ``job``, ``start``, and ``first_planned`` and ``last_planned`` before (s). Metrics such as
        ``first-plan-within`` take these frames.

    Raises
    ------
    OSError, ValueError
        As for :func:`read_ticks`.
    """
    import pandas as pd

    first: dict[str, dict[str, int]] = {name: {} for name in PLANNERS}
    last: dict[str, dict[str, int]] = {name: {} for name in PLANNERS}
    started: dict[str, int] = {}
    for tick in read_ticks(path):
        if tick.snapshot is None:
            continue
        for job in tick.snapshot.jobs:
            if job.start_time and not job.pending:
                started.setdefault(job.label, job.start_time)
        for label, times in _planned(tick):
            for name, place in PLANNERS.items():
                if label not in started and times[place] is not None:
                    first[name].setdefault(label, times[place])
                    last[name][label] = times[place]
    return {
        name: pd.DataFrame(
            [
                (job, started[job], first[name][job], last[name][job])
                for job in started
                if job in last[name]
            ],
            columns=["job", "start", "first_planned", "last_planned"],
        )
        for name in PLANNERS
    }


def accuracy_of(jobs: "DataFrame") -> dict[str, float]:
    """Return how many jobs a frame of :func:`planned_starts` has, and the shares that started as planned."""
    figures: dict[str, float] = {"jobs": len(jobs)}
    if len(jobs):
        for plan in ("first", "last"):
            for minutes in (1, 10):
                figures[f"{plan}_within_{minutes}"] = within(jobs, plan, minutes)
            figures[f"{plan}_early_1"] = early(jobs, plan, 1)
            figures[f"{plan}_late_1"] = late(jobs, plan, 1)
    return figures


def _planned(tick: Tick) -> "list[tuple[str, list[int]]]":
    """Return the label and the times of every job that a tick plans."""
    assert tick.snapshot is not None
    labels = {job.job_id: job.label for job in tick.snapshot.jobs}
    found = []
    for place, times in tick.starts.items():
        array, task = divmod(place, TASK_IDS)
        label = f"{array}_{task}" if place >= TASK_IDS else labels.get(place)
        if label is not None:
            found.append((label, list(times)))
    return found  # type: ignore[return-value]
