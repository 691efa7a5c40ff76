"""How accurate predictions were: run times, over all jobs and by user, and planned starts."""

from collections.abc import Callable
from typing import Any

import numpy as np

from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.common.text import share
from planbatch.experiments.replay.trace import jobs_frame
from planbatch.experiments.report.cases import Runs
from planbatch.experiments.report.fairness import LEAST_JOBS, frequent_users, user_means
from planbatch.experiments.runs.read import Jobs
from planbatch.experiments.studies.metrics import make_metric
from planbatch.experiments.studies.waits import relative_errors
from planbatch.planner.model import NEVER, FloatArray


def predicted_labels(runs: Runs) -> list[str]:
    """Return the policies under which run times were predicted."""
    return [label for label in runs.labels if (runs.first(label).predicted != NEVER).any()]


def prediction_errors(jobs: Jobs) -> FloatArray:
    """Return the relative error of every prediction; of the request where nothing was predicted."""
    believed = np.where(jobs.predicted == NEVER, jobs.walltime, jobs.predicted)
    return relative_errors(believed, jobs.runtime)


def request_errors(jobs: Jobs) -> FloatArray:
    """Return the relative error of every request."""
    return relative_errors(jobs.walltime, jobs.runtime)


def underestimates(jobs: Jobs) -> FloatArray:
    """Return 1.0 for every job that outlived its prediction, 0.0 for the others."""
    return (jobs.predicted < jobs.runtime).astype(np.float64)


#: Key → heading and figure of each job, for all jobs and by user.
ERRORS: dict[str, tuple[str, Callable[[Jobs], FloatArray]]] = {
    "underestimated": ("outlived their predictions", underestimates),
    "prediction_error": ("mean relative error", prediction_errors),
    "request_error": ("error of the requests", request_errors),
}
ERROR_COLUMNS = [
    Column(key, heading, share, best="" if key == "request_error" else "min") for key, (heading, _) in ERRORS.items()
]


def accuracy_tables(runs: Runs, labels: list[str]) -> tuple[Table, Table]:
    """List the errors of predictions and requests under each policy: over all jobs, and by user."""
    numbers, counts = frequent_users(runs)
    rows: list[dict[str, Any]] = []
    user_rows: list[dict[str, Any]] = []
    for label in labels:
        jobs = runs.jobs[label].values()
        means = {key: float(np.mean([of(each).mean() for each in jobs])) for key, (_, of) in ERRORS.items()}
        of_users = {key: user_means(runs, label, of, numbers) for key, (_, of) in ERRORS.items()}
        rows.append({"policy": label, **means})
        if len(numbers):
            errors = of_users["prediction_error"]
            rows[-1] |= {
                "median_user_error": float(np.median(errors)),
                "worst_user_error": float(errors.max()),
                "users_helped": float((errors < of_users["request_error"]).mean()),
            }
        for index, (user, count) in enumerate(zip(numbers.tolist(), counts.tolist(), strict=True)):
            figures = {key: float(values[index]) for key, values in of_users.items()}
            user_rows.append({"policy": label, "user": user, "jobs": count, **figures})
    policy, name = Column("policy", "policy"), f"{runs.case.name}-predictions"
    by_policy = [
        policy,
        *ERROR_COLUMNS,
        Column("median_user_error", "median user's mean error", share, best="min"),
        Column("worst_user_error", "worst user", share, best="min"),
        Column("users_helped", "users predicted better than they request", share, best="max"),
    ]
    by_users = [policy, Column("user", "user", str), Column("jobs", "jobs", str), *ERROR_COLUMNS]
    caption = (
        f"{runs.case.title}: predicted run times when jobs started; the error of a prediction p of a run time r is "
        f"|p − r| / max(p, r); users with at least {LEAST_JOBS} jobs"
    )
    return (
        Table(name, caption, by_policy, rows),
        Table(f"{name}-by-user", f"{runs.case.title}: predicted run times, by user", by_users, user_rows),
    )


#: What clusters have reported, for scale: the share of jobs that start within a minute of the prediction.
EPCC = "predictions on ARCHER2 and Cirrus are within a minute for 65 and 76 % of the jobs (EPCC, arXiv 2204.13543)"
#: Key → heading and metric.
STARTS = {
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
    columns += [Column(key, heading, share) for key, (heading, _) in STARTS.items()]
    metrics = [make_metric(name) for _, name in STARTS.values()]

    def shares(jobs: Jobs) -> list[float]:
        frame = jobs_frame(vars(jobs))
        return [metric(frame) for metric in metrics]

    rows = [
        {"policy": label, **dict(zip(STARTS, runs.over_seeds(label, shares).tolist(), strict=True))} for label in labels
    ]
    caption = (
        f"{runs.case.title}: jobs that started within 1 and 10 minutes of their start in the first plan, and in the "
        f"plan of the round before; jobs that started at once count as planned. For scale: {EPCC}"
    )
    return Table(f"{runs.case.name}-starts", caption, columns, rows)
