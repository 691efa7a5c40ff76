"""Fairness among users: each counts with the mean over their own jobs."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from planbatch.experiments.common.table import Column, Table, time_column
from planbatch.experiments.common.text import number, share
from planbatch.experiments.figures.panels import draw_curve_panel
from planbatch.experiments.figures.style import FAINT, add_heading, drawing, legend_right, ratio_ticks, time_ticks
from planbatch.experiments.report.cases import Runs
from planbatch.experiments.report.drawing import Picture
from planbatch.experiments.runs.read import Jobs
from planbatch.planner.model import FloatArray, IntArray

#: Users with fewer jobs are left out: their means say little.
LEAST_JOBS = 10
#: Users whose mean wait grows by more than this factor, and by more than a minute, count as worse off.
WORSE = 1.1


@dataclass(frozen=True)
class Users:
    """Means of the users with at least ``LEAST_JOBS`` jobs."""

    #: Their numbers, and how many jobs they have; shape (users,).
    numbers: IntArray
    jobs: IntArray
    #: Policy → mean wait (s), mean bounded slowdown; shape (users,).
    wait: dict[str, FloatArray]
    slowdown: dict[str, FloatArray]


def frequent_users(runs: Runs) -> tuple[IntArray, IntArray]:
    """Return the numbers of the users with at least ``LEAST_JOBS`` jobs, and how many they have."""
    user = runs.first(runs.labels[0]).user
    numbers, counts = np.unique(user[user >= 0], return_counts=True)
    return numbers[counts >= LEAST_JOBS], counts[counts >= LEAST_JOBS]


def users_of(runs: Runs) -> Users | None:
    """Average over the jobs of each user; None if fewer than two users are known."""
    numbers, counts = frequent_users(runs)
    if len(numbers) < 2:
        return None
    means = {
        name: {label: user_means(runs, label, attrgetter(name), numbers) for label in runs.labels}
        for name in ("wait", "slowdown")
    }
    return Users(numbers, counts, **means)


def user_means(runs: Runs, label: str, of: Callable[[Jobs], FloatArray], numbers: IntArray) -> FloatArray:
    """Average figures of a policy's jobs over the jobs of each of some users, and over the seeds."""
    return runs.over_seeds(label, lambda jobs: by_user(jobs, of(jobs), numbers))


def by_user(jobs: Jobs, values: FloatArray, numbers: IntArray) -> FloatArray:
    """Average a value of every job over the jobs of each of some users."""
    mask = np.isin(jobs.user, numbers)
    index = np.searchsorted(numbers, jobs.user[mask])
    counts = np.maximum(np.bincount(index, minlength=len(numbers)), 1)
    return np.bincount(index, values[mask], len(numbers)) / counts


def fairness_table(runs: Runs, users: Users) -> Table:
    """List the figures of each policy for users."""
    columns = [
        Column("policy", "policy"),
        time_column("median_user_wait", "median user's mean wait", "min"),
        time_column("p95_user_wait", "95% of users", "min"),
        time_column("worst_user_wait", "worst user", "min"),
        Column("worst_user_slowdown", "worst user's slowdown", number, best="min"),
        Column("worse_off", "worse off", share, best="min"),
        Column("better_off", "better off", share, best="max"),
    ]
    rows = []
    for label, wait in users.wait.items():
        row: dict[str, Any] = {
            "policy": label,
            "median_user_wait": float(np.median(wait)),
            "p95_user_wait": float(np.percentile(wait, 95)),
            "worst_user_wait": float(wait.max()),
            "worst_user_slowdown": float(users.slowdown[label].max()),
        }
        if runs.reference is not None and label != runs.reference:
            base = users.wait[runs.reference]
            differs = np.abs(wait - base) > 60
            row["worse_off"] = float((differs & (wait > WORSE * base)).mean())
            row["better_off"] = float((differs & (WORSE * wait < base)).mean())
        rows.append(row)
    against = (
        f"; worse and better off: mean wait differs from that under {runs.reference} by more than "
        f"{WORSE - 1:.0%} and a minute" if runs.reference else ""
    )  # fmt: skip
    caption = f"{runs.case.title}: {len(users.numbers)} users with at least {LEAST_JOBS} jobs{against}"
    return Table(f"{runs.case.name}-users", caption, columns, rows)


def draw_users(runs: Runs, users: Users) -> Picture:
    """Draw how mean waits are distributed over users, and their ratios to the reference."""
    styles = runs.case.styles
    alone = runs.reference is None or len(runs.labels) < 2
    with drawing(7.0 if alone else 10.4, 3.7) as figure:
        panels = figure.subplots(1, 1 if alone else 2, squeeze=False, sharey=True)[0]
        least = min(float(wait.min()) for wait in users.wait.values())
        draw_curve_panel(panels[0], users.wait, max(60.0, least / 4), styles)
        time_ticks(panels[0].xaxis, *panels[0].get_xlim())
        panels[0].set_xlabel("mean wait of a user")
        panels[0].set_ylabel("users with at most so much")
        if runs.reference is not None and not alone:
            base = users.wait[runs.reference]
            ratios = {label: (wait + 1) / (base + 1) for label, wait in users.wait.items() if label != runs.reference}
            ends = [max(ratio.max(), 1 / ratio.min()) for ratio in ratios.values()]
            high = float(np.clip(2 * max(ends), 4, 32))
            low = 1 / high
            draw_curve_panel(panels[1], ratios, low, styles)
            panels[1].set_xlim(low, high)
            ratio_ticks(panels[1].xaxis, low, high)
            panels[1].axvline(1, color=FAINT, linewidth=1)
            panels[1].set_xlabel(f"ratio to the user's mean wait under {runs.reference}")
        legend_right(figure, panels[0])
        add_heading(figure, f"{runs.case.title}: users")
        caption = f"Each user with at least {LEAST_JOBS} jobs counts once, by the mean wait of the own jobs."
        if not alone:
            caption += " Right: users to the left of the line wait less than under the reference."
        return runs.case.picture(figure, "users", "Users", caption)
