"""How well run times were predicted: underestimates and relative errors, over all jobs and by user."""

from typing import Any

import numpy as np

from planbatch.experiments.common.text import share
from planbatch.experiments.report.cases import Runs
from planbatch.experiments.report.fairness import LEAST_JOBS, by_user
from planbatch.experiments.report.tables import Column, Table
from planbatch.experiments.runs.read import Jobs
from planbatch.experiments.studies.predictions import relative_errors
from planbatch.planner.model import NEVER, FloatArray, IntArray


def predicted_labels(runs: Runs) -> list[str]:
    """Return the policies under which run times were predicted."""
    return [label for label in runs.labels if (runs.first(label).predicted != NEVER).any()]


def errors_of(jobs: Jobs) -> FloatArray:
    """Return the relative error of every prediction; of the request where nothing was predicted."""
    believed = np.where(jobs.predicted == NEVER, jobs.walltime, jobs.predicted)
    return relative_errors(believed.astype(np.float64), jobs.runtime.astype(np.float64))


def too_short(jobs: Jobs) -> FloatArray:
    """Return 1.0 for every job that outlived its prediction, 0.0 for the others."""
    return (jobs.predicted < jobs.runtime).astype(np.float64)


def errors_of_requests(jobs: Jobs) -> FloatArray:
    """Return the relative error of every request."""
    return relative_errors(jobs.walltime.astype(np.float64), jobs.runtime.astype(np.float64))


def known_users(runs: Runs) -> tuple[IntArray, IntArray]:
    """Return the numbers of the users with at least ``LEAST_JOBS`` jobs, and how many they have."""
    jobs = runs.first(runs.labels[0])
    numbers, counts = np.unique(jobs.user[jobs.user >= 0], return_counts=True)
    return numbers[counts >= LEAST_JOBS], counts[counts >= LEAST_JOBS]


def accuracy_table(runs: Runs, labels: list[str]) -> Table:
    """List what predictions under each policy came to, beside the requests."""
    numbers, _ = known_users(runs)
    columns = [
        Column("policy", "policy"),
        Column("underestimated", "outlived their predictions", share, "min"),
        Column("prediction_error", "mean relative error", share, "min"),
        Column("request_error", "error of the requests", share),
        Column("median_user_error", "median user's mean error", share, "min"),
        Column("worst_user_error", "worst user", share, "min"),
        Column("users_helped", "users predicted better than they request", share, "max"),
    ]
    rows = []
    for label in labels:
        over = runs.over_seeds
        row: dict[str, Any] = {
            "policy": label,
            "underestimated": float(over(label, lambda jobs: too_short(jobs).mean())),
            "prediction_error": float(over(label, lambda jobs: errors_of(jobs).mean())),
            "request_error": float(over(label, lambda jobs: errors_of_requests(jobs).mean())),
        }
        if len(numbers):
            mine = over(label, lambda jobs: by_user(jobs, errors_of(jobs), numbers))
            asked = over(label, lambda jobs: by_user(jobs, errors_of_requests(jobs), numbers))
            row |= {
                "median_user_error": float(np.median(mine)),
                "worst_user_error": float(mine.max()),
                "users_helped": float((mine < asked).mean()),
            }
        rows.append(row)
    caption = (
        f"{runs.case.title}: predicted run times when jobs started; the error of a prediction p of a run time r is "
        f"|p − r| / max(p, r); users with at least {LEAST_JOBS} jobs"
    )
    return Table(f"{runs.case.name}-predictions", caption, columns, rows)


def accuracy_by_user(runs: Runs, labels: list[str]) -> Table:
    """List every user's jobs, underestimates and errors under each policy, as a file."""
    numbers, counts = known_users(runs)
    columns = [
        Column("policy", "policy"),
        Column("user", "user", str),
        Column("jobs", "jobs", str),
        Column("underestimated", "outlived their predictions", share),
        Column("prediction_error", "mean relative error", share),
        Column("request_error", "error of the requests", share),
    ]
    rows = []
    for label in labels:
        figures = [
            runs.over_seeds(label, lambda jobs, of=of: by_user(jobs, of(jobs), numbers))  # type: ignore[misc]
            for of in (too_short, errors_of, errors_of_requests)
        ]
        for place, (user, count) in enumerate(zip(numbers, counts, strict=True)):
            values = [float(figure[place]) for figure in figures]
            row = {"policy": label, "user": int(user), "jobs": int(count)}
            keys = ("underestimated", "prediction_error", "request_error")
            rows.append(row | dict(zip(keys, values, strict=True)))
    caption = f"{runs.case.title}: predicted run times, by user"
    return Table(f"{runs.case.name}-predictions-by-user", caption, columns, rows)
