"""Plans of one round as a picture: PNG, SVG, or a page whose jobs say what they are under the pointer."""

from collections.abc import Mapping
from html import escape
from pathlib import Path

import numpy as np

from planbatch.experiments.common.atomic import atomic_write
from planbatch.experiments.common.paths import check_file
from planbatch.experiments.common.text import duration
from planbatch.experiments.figures.round_gantt import (
    RUNNING,
    colour_bar,
    draw_plan,
    lay_out,
    mark_job,
    planned_end,
    plans_size,
)
from planbatch.experiments.figures.style import drawing, panels_of, titled
from planbatch.planner.model import IntArray
from planbatch.planner.round import Round

SUFFIXES = (".png", ".svg", ".html")
#: Size of a chart of the page (SVG units).
WIDTH, HEIGHT = 1000, 320
_STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 75rem; margin: 1.5rem auto; padding: 0 1rem; }
svg { width: 100%; background: #fff; border-left: 1px solid #888; border-bottom: 1px solid #888; }
rect { stroke: #fff; stroke-width: .5; } rect:hover { stroke: #d55e00; stroke-width: 3; }
.marked { stroke: #d55e00; stroke-width: 3; } p { color: #888; margin-top: 0; }
"""


def check_picture(path: Path) -> None:
    """Raise ``ValueError`` unless a picture can be written there: its suffix, and its place."""
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"picture: {path} ends in none of {', '.join(SUFFIXES)}")
    check_file("picture", path)


def write_plans_picture(path: Path, problem: Round, plans: Mapping[str, IntArray], mark: int | None = None) -> None:
    """Write Gantt charts of plans of a round, by title, on one axis of time, as ``.png``, ``.svg`` or ``.html``.

    ``mark`` is the index of a job to point out. ``ValueError`` for another suffix.
    """
    check_picture(path)
    if path.suffix.lower() == ".html":
        with atomic_write(path) as file:
            file.write(_page(problem, plans, mark).encode())
        return
    until = max(planned_end(problem, start) for start in plans.values())
    with drawing(*plans_size(len(plans))) as figure:
        panels = panels_of(figure, len(plans), len(plans))
        for axes, (title, start) in zip(panels, plans.items(), strict=True):
            draw_plan(problem, start, axes, until=until)
            titled(axes, title, f"{len(problem):,} waiting jobs; grey: running")
            if mark is not None:
                mark_job(axes, problem, start, mark, until)
        colour_bar(problem, panels)
        kind = path.suffix.lower().removeprefix(".")
        with atomic_write(path) as file:
            figure.savefig(file, dpi=160, format=kind, metadata={"Date": None} if kind == "svg" else None)


def _page(problem: Round, plans: Mapping[str, IntArray], mark: int | None) -> str:
    """Return the page."""
    until = max(planned_end(problem, start) for start in plans.values())
    parts = [
        "<!doctype html>",
        '<html lang="en"><meta charset="utf-8"><title>Plans of a round</title>',
        f"<style>{_STYLE}</style>",
    ]
    for title, start in plans.items():
        parts.append(f"<h2>{escape(title)}</h2>")
        parts.append(
            f"<p>{problem.capacity:,} processors from now until {duration(until - problem.now)} from now; "
            "grey: running; the darker, the longer it has waited</p>"
        )
        parts.append(f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img">')
        parts += _rectangles(problem, start, until, mark)
        parts.append("</svg>")
    return "\n".join([*parts, "</html>", ""])


def _rectangles(problem: Round, start: IntArray, until: int, mark: int | None) -> list[str]:
    """Return one rectangle per block of processors of each job."""
    waited = problem.now - problem.jobs.submit
    longest = max(int(waited.max(initial=0)), 1)
    across, down = WIDTH / (until - problem.now), HEIGHT / problem.capacity
    parts = []
    for begin, end, low, count, job in lay_out(problem, start):
        if job < 0:
            text, colour = f"running, {count:,} processors", RUNNING
        else:
            light = np.interp(waited[job] / longest, (0, 1), (80, 35))
            colour = f"hsl(203 60% {light:.0f}%)"
            text = (
                f"job {problem.ids[job]}: {problem.jobs.procs[job]:,} processors for "
                f"{duration(int(problem.jobs.walltime[job]))}, waited {duration(int(waited[job]))}, "
                f"starts {'now' if begin == problem.now else 'in ' + duration(begin - problem.now)}"
            )
        marked = ' class="marked"' if mark is not None and job == mark else ""
        parts.append(
            f'<rect{marked} x="{(begin - problem.now) * across:.2f}" y="{HEIGHT - (low + count) * down:.2f}" '
            f'width="{(min(end, until) - begin) * across:.2f}" height="{count * down:.2f}" fill="{colour}">'
            f"<title>{escape(text)}</title></rect>"
        )
    return parts
