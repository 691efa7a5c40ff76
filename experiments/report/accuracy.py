"""How well run times were predicted: underestimates and relative errors, over all jobs and by user."""

from collections.abc import Callable
from typing import Any

import numpy as np

from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.common.text import share
from planbatch.experiments.report.cases import Runs
from planbatch.experiments.report.fairness import LEAST_JOBS, frequent_users, user_means
from planbatch.experiments.runs.jobs import Jobs
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
FIGURES: dict[str, tuple[str, Callable[[Jobs], FloatArray]]] = {
    "underestimated": ("outlived their predictions", underestimates),
    "prediction_error": ("mean relative error", prediction_errors),
    "request_error": ("error of the requests", request_errors),
}
COLUMNS = [
    Column(key, heading, share, best="" if key == "request_error" else "min") for key, (heading, _) in FIGURES.items()
]


def accuracy_tables(runs: Runs, labels: list[str]) -> tuple[Table, Table]:
    """List the errors of predictions and requests under each policy: over all jobs, and by user."""
    numbers, counts = frequent_users(runs)
    rows: list[dict[str, Any]] = []
    user_rows: list[dict[str, Any]] = []
    for label in labels:
        jobs = runs.jobs[label].values()
        means = {key: float(np.mean([of(each).mean() for each in jobs])) for key, (_, of) in FIGURES.items()}
        of_users = {key: user_means(runs, label, of, numbers) for key, (_, of) in FIGURES.items()}
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
        *COLUMNS,
        Column("median_user_error", "median user's mean error", share, best="min"),
        Column("worst_user_error", "worst user", share, best="min"),
        Column("users_helped", "users predicted better than they request", share, best="max"),
    ]
    by_users = [policy, Column("user", "user", str), Column("jobs", "jobs", str), *COLUMNS]
    caption = (
        f"{runs.case.title}: predicted run times when jobs started; the error of a prediction p of a run time r is "
        f"|p − r| / max(p, r); users with at least {LEAST_JOBS} jobs"
    )
    return (
        Table(name, caption, by_policy, rows),
        Table(f"{name}-by-user", f"{runs.case.title}: predicted run times, by user", by_users, user_rows),
    )
