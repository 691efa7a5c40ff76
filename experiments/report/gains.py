"""Who gains and who loses against the reference: by size, walltime, user, queue and week, and the worst losses."""

from collections.abc import Mapping

from planbatch.experiments.common.table import Column, Table, time_column
from planbatch.experiments.common.text import share, slug
from planbatch.experiments.figures.gains import picture_of, picture_size
from planbatch.experiments.figures.style import drawing
from planbatch.experiments.replay.trace import jobs_frame
from planbatch.experiments.report.cases import Runs
from planbatch.experiments.report.drawing import Picture
from planbatch.experiments.studies.gains import Gains

#: With more policies than this, only the best and the last are shown in full.
MOST_POLICIES = 4


def gains_of(runs: Runs) -> dict[str, Gains]:
    """Compare every policy with the reference, on the first seed; policies that ran other jobs are left out."""
    gains = {}
    for label in runs.labels:
        seed = next(iter(runs.jobs[label]))
        other = runs.reference_jobs(label, seed)
        if label != runs.reference and runs.reference is not None and other is not None:
            old, new = jobs_frame(vars(other)), jobs_frame(vars(runs.jobs[label][seed]))
            gains[label] = Gains.between(runs.reference, old, label, new)
    return gains


def chosen_for_detail(gains: Mapping[str, Gains], mean_wait: Mapping[str, float]) -> list[str]:
    """Return the policies whose gains are shown in full: all, or of many the best and the last."""
    labels = list(gains)
    if len(labels) <= MOST_POLICIES:
        return labels
    best = min(labels, key=lambda label: mean_wait[label])
    return list(dict.fromkeys([best, labels[-1]]))


def overview_table(runs: Runs, gains: Mapping[str, Gains]) -> Table:
    """List how many jobs gain and lose under every policy, and how much."""
    columns = [
        Column("policy", "policy"),
        Column("gain", "jobs that gain", share, best="max"),
        Column("lose", "jobs that lose", share, best="min"),
        time_column("loss", "mean loss of those", "min"),
        time_column("worst", "worst loss", "min"),
    ]
    rows = []
    for label, policy_gains in gains.items():
        total = policy_gains.total()
        row = {name: float(total[name]) for name in ("gain", "lose", "loss")}
        rows.append({"policy": label, **row, "worst": max(float(policy_gains.jobs["change"].max()), 0.0)})
    caption = (
        f"{runs.case.title}: jobs whose start moves by more than a minute against {runs.reference}"
        f"{'' if not runs.which_seed else ', first seed'}"
    )
    return Table(f"{runs.case.name}-gains", caption, columns, rows)


def draw_gains(runs: Runs, gains: Gains) -> Picture:
    """Draw the changes job by job and by group."""
    with drawing(*picture_size(gains)) as figure:
        picture_of(gains, figure)
        title = f"From {gains.before} to {gains.after}"
        caption = (
            f"Change of the waits if {gains.after} replaces {gains.before}: of every job, and of the mean by group, "
            f"with the share of jobs that lose more than a minute.{runs.which_seed}"
        )
        return runs.case.picture(figure, f"gains-{slug(gains.after)}", title, caption)
