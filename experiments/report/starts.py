"""Planned against actual starts: how many jobs start when a plan said, and how many earlier and later."""

from functools import partial
from typing import Any

import numpy as np

from planbatch.experiments.common.text import share
from planbatch.experiments.report.cases import Runs
from planbatch.experiments.report.tables import Column, Table
from planbatch.experiments.runs.read import Jobs

#: What clusters have reported, for scale: the share of jobs that start within a minute of the prediction.
EPCC = "predictions on ARCHER2 and Cirrus are within a minute for 65 and 76 % of the jobs (EPCC, arXiv 2204.13543)"
#: Key → heading, plan, side, and minutes.
FIGURES = {
    "first_within_1": ("first plan: within 1 min", "first_planned", 0, 1),
    "first_within_10": ("10 min", "first_planned", 0, 10),
    "first_early_1": ("> 1 min earlier", "first_planned", -1, 1),
    "first_late_1": ("> 1 min later", "first_planned", 1, 1),
    "last_within_1": ("last plan before: within 1 min", "last_planned", 0, 1),
    "last_within_10": ("10 min", "last_planned", 0, 10),
    "last_early_1": ("> 1 min earlier", "last_planned", -1, 1),
    "last_late_1": ("> 1 min later", "last_planned", 1, 1),
}


def planning_labels(runs: Runs) -> list[str]:
    """Return the policies that planned the start of any job before it started."""
    return [
        label
        for label in runs.labels
        if any((jobs.first_planned != jobs.start).any() for jobs in runs.jobs[label].values())
    ]


def share_of(jobs: Jobs, plan: str, side: int, minutes: int) -> Any:
    """Return the share of the jobs within some minutes of a plan (side 0), earlier (-1) or later (1) than that."""
    moved = jobs.start - getattr(jobs, plan)
    limit = 60 * minutes
    return np.mean(side * moved > limit if side else np.abs(moved) <= limit)


def starts_table(runs: Runs, labels: list[str]) -> Table:
    """List how many jobs started when they were planned to, under each policy that plans."""
    columns = [Column("policy", "policy")]
    columns += [Column(key, heading, share) for key, (heading, *_) in FIGURES.items()]
    columns.append(Column("at_once", "started at once", share))
    rows = []
    for label in labels:
        row: dict[str, Any] = {"policy": label}
        for key, (_, plan, side, minutes) in FIGURES.items():
            of = partial(share_of, plan=plan, side=side, minutes=minutes)
            row[key] = float(runs.over_seeds(label, of))
        row["at_once"] = float(runs.over_seeds(label, lambda jobs: (jobs.wait == 0).mean()))
        rows.append(row)
    caption = (
        f"{runs.case.title}: jobs that started within 1 and 10 minutes of their start in the first plan, and in the "
        f"plan of the round before; jobs that started at once count as planned. For scale: {EPCC}"
    )
    return Table(f"{runs.case.name}-starts", caption, columns, rows)
