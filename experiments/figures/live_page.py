"""A page about the last tick that refreshes itself: a Gantt chart of the plan, and the table of the jobs."""

from html import escape
from pathlib import Path

import numpy as np

from planbatch.experiments.common.atomic import write_whole
from planbatch.experiments.common.text import clock_time, duration
from planbatch.experiments.figures.live_table import clean, effect_line, observation_lines, when
from planbatch.experiments.figures.round_gantt import colour_bar, draw_plan, plans_size
from planbatch.experiments.figures.style import add_title, drawing
from planbatch.experiments.live.slurm.advise import Advice, FailedTick
from planbatch.planner.display import html_table
from planbatch.planner.model import NEVER

#: Most jobs that the chart and the table show: those that start first.
DRAWN, LISTED = 400, 500
#: What the page may load: its own chart, as a static file or served, and no script at all.
_POLICY = "default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 75rem; margin: 1.5rem auto; padding: 0 1rem; }
img { max-width: 100%; background: white; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .8rem .15rem 0; border-bottom: 1px solid #8884; white-space: nowrap; }
.fault { border-left: .3rem solid #d55e00; padding-left: .8rem; }
"""


def write_page(folder: Path, outcome: Advice | FailedTick, every: float) -> None:
    """Write ``index.html``, which refreshes every ``every`` seconds, and ``plan.png``, each whole or not at all.

    After a tick that failed, the page says so, and keeps the chart of the tick before.
    """
    folder.mkdir(parents=True, exist_ok=True)
    chart = folder / "plan.png"
    if isinstance(outcome, Advice) and len(outcome.jobs):
        draw_advice(outcome, chart)
    elif isinstance(outcome, Advice):
        chart.unlink(missing_ok=True)
    write_whole(folder / "index.html", page_of(outcome, every, chart.is_file()).encode())


def draw_advice(advice: Advice, path: Path) -> None:
    """Draw the plan of a tick as a Gantt chart: the jobs that start first."""
    problem = advice.plan.problem
    start = advice.plan.start.copy()
    start[np.argsort(start, kind="stable")[DRAWN:]] = NEVER
    with drawing(*plans_size(1)) as figure:
        axes = figure.add_subplot()
        draw_plan(problem, start, axes)
        axes.set_ylabel(advice.observation.pool.unit)
        colour_bar(problem, [axes])
        more = f" (the first {DRAWN:,})" if len(start) > DRAWN else ""
        add_title(axes, f"plan of {advice.policy}", f"{len(start):,} jobs wait{more}; grey: running")
        unfinished = path.with_name(f".{path.name}")
        figure.savefig(unfinished, dpi=120, format="png")
    unfinished.replace(path)


def page_of(outcome: Advice | FailedTick, every: float, chart: bool) -> str:
    """Return the page; every text of the cluster's is escaped."""
    at = clock_time(outcome.time)
    picture = f'<p><img src="plan.png?{outcome.time}" alt="Gantt chart of the plan"></p>' if chart else ""
    if isinstance(outcome, FailedTick):
        body = f'<p class="fault">{escape(outcome.message)}; nothing is done, the next tick tries again.</p>{picture}'
    else:
        lines = "".join(
            f"<p>{escape(line.plain)}</p>" for line in (*observation_lines(outcome.observation), effect_line(outcome))
        )
        body = f"{lines}{picture}{_table(outcome)}{_left_out(outcome)}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta http-equiv="refresh" content="{max(round(every), 1)}">'
        f"<title>Plan at {at}</title><style>{_STYLE}</style></head>"
        f"<body><h1>Plan at {at}</h1>{body}</body></html>\n"
    )


def _table(advice: Advice) -> str:
    """The jobs that start first."""
    if not advice.jobs:
        return "<p>No job waits that can be planned.</p>"
    now = advice.time
    unit = advice.observation.pool.unit
    headings = ("job", "user", "name", "partition", unit, "limit", "waited", "planned", "promised",
                "Slurm's forecast")  # fmt: skip
    rows = []
    for estimate in advice.jobs[:LISTED]:
        job, waiting = estimate.waiting.job, estimate.waiting
        texts = [clean(text).plain for text in (job.user, job.name, job.partition)]
        times = [duration(waiting.walltime), duration(max(now - job.submit_time, 0))]
        moments = [when(moment, now) for moment in (estimate.start, estimate.latest, estimate.forecast)]
        rows.append([waiting.label, *texts, f"{waiting.amount:,}", *times, *moments])
    return html_table(headings, rows, more=max(len(advice.jobs) - LISTED, 0))


def _left_out(advice: Advice) -> str:
    """What is not planned, and what was assumed."""
    remarks = (*advice.observation.left_out, *advice.observation.noted)[:LISTED]
    rows = [
        [remark.kind, clean(remark.what).plain, clean(remark.user).plain, clean(remark.why, 120).plain]
        for remark in remarks
    ]
    return f"<h2>Left out, and noted</h2>{html_table((), rows)}" if rows else ""
