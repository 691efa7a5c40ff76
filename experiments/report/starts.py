"""Planned against actual starts: how many jobs start when a plan said, and how many earlier and later."""

from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.common.text import share
from planbatch.experiments.report.cases import Runs
from planbatch.experiments.studies.metrics import make_metric

#: What clusters have reported, for scale: the share of jobs that start within a minute of the prediction.
EPCC = "predictions on ARCHER2 and Cirrus are within a minute for 65 and 76 % of the jobs (EPCC, arXiv 2204.13543)"
#: Key → heading and metric.
FIGURES = {
    "first_within_1": ("first plan: within 1 min", "first-plan-within"),
    "first_within_10": ("10 min", "first-plan-within:10"),
    "first_early_1": ("> 1 min earlier", "first-plan-early"),
    "first_late_1": ("> 1 min later", "first-plan-late"),
    "last_within_1": ("last plan before: within 1 min", "last-plan-within"),
    "last_within_10": ("10 min", "last-plan-within:10"),
    "last_early_1": ("> 1 min earlier", "last-plan-early"),
    "last_late_1": ("> 1 min later", "last-plan-late"),
    "at_once": ("started at once", "no-wait"),
}


def planning_labels(runs: Runs) -> list[str]:
    """Return the policies that planned the start of any job before it started."""
    return [
        label
        for label in runs.labels
        if any((jobs.first_planned != jobs.start).any() for jobs in runs.jobs[label].values())
    ]


def starts_table(runs: Runs, labels: list[str]) -> Table:
    """List how many jobs started when they were planned to, under each policy that plans."""
    columns = [Column("policy", "policy")]
    columns += [Column(key, heading, share) for key, (heading, _) in FIGURES.items()]
    metrics = {key: make_metric(name) for key, (_, name) in FIGURES.items()}
    rows = [{"policy": label, **runs.measured(label, metrics)} for label in labels]
    caption = (
        f"{runs.case.title}: jobs that started within 1 and 10 minutes of their start in the first plan, and in the "
        f"plan of the round before; jobs that started at once count as planned. For scale: {EPCC}"
    )
    return Table(f"{runs.case.name}-starts", caption, columns, rows)
