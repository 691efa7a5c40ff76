"""Plans of a round as Gantt charts: pictures, and a page whose jobs have tooltips."""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patches import Rectangle

from planbatch.experiments.common.atomic import atomic_write
from planbatch.experiments.common.paths import check_file
from planbatch.experiments.common.text import duration
from planbatch.experiments.figures.comparison import unit_of
from planbatch.experiments.figures.style import (
    COLOURS,
    FAINT,
    INK,
    add_title,
    axes_for,
    drawing,
    panels_for,
    panels_of,
    write_panels,
)
from planbatch.experiments.rounds.results import RoundComparison, Solution, excess
from planbatch.experiments.runs.processor_assignment import assign
from planbatch.planner.arguments import expect, whole
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.plan import Plan, expect_plan
from planbatch.planner.round import Round

#: Most charts side by side.
ACROSS = 3
#: Colour of running jobs.
RUNNING = "#D3D7DB"
#: With no more waiting jobs than this, jobs are numbered.
MOST_NUMBERED = 40

#: From, to (s), lowest processor, number of processors, and the job's index in the round; -1 for a running job.
Block = tuple[int, int, int, int, int]


def lay_out(problem: Round, start: IntArray) -> list[Block]:
    """Assign processors to the running jobs, which come first, and to every job of a plan."""
    running, jobs = problem.running, problem.jobs
    indices = np.flatnonzero(start != NEVER)
    begins = np.concatenate([np.full(len(running.end), problem.now), start[indices]])
    ends = np.concatenate([running.end, (start + jobs.walltime)[indices]])
    procs = np.concatenate([running.procs, jobs.procs[indices]])
    job_of_row = [-1] * len(running.end) + indices.tolist()
    pieces = assign(begins, ends, procs, problem.capacity)
    return [
        (begin, end, low, count, job)
        for begin, end, job, blocks in zip(begins.tolist(), ends.tolist(), job_of_row, pieces, strict=True)
        for low, count in blocks
    ]


def best_of_each(comparison: RoundComparison, name: str, objective: str) -> dict[str, Solution]:
    """Return the best result of every optimizer on a round."""
    best: dict[str, Solution] = {}
    for cell in comparison.cells:
        outcome = cell.outcome
        if (cell.round, cell.objective) == (name, objective) and isinstance(outcome, Solution):
            other = best.get(cell.optimizer)
            if other is None or outcome.cost < other.cost:
                best[cell.optimizer] = outcome
    return best


def plans_size(count: int) -> tuple[float, float]:
    """Return the size of a picture of ``count`` plans (inches)."""
    across = min(count, ACROSS)
    return 1.3 + 4.2 * across, 0.9 + 3.2 * -(-count // across)


def write_plans(comparison: RoundComparison, name: str, objective: str, path: Path) -> Path | None:
    """Write :func:`draw_plans` as PNG and SVG; return None if there is no plan."""
    count = len(best_of_each(comparison, name, objective))
    if not count or not len(comparison.rounds[name]):
        return None
    return write_panels(path, count, ACROSS, plans_size(count), partial(draw_plans, comparison, name, objective))


def draw_plans(
    comparison: RoundComparison, name: str, objective: str, ax: Axes | Sequence[Axes] | None = None
) -> list[Axes]:
    """Draw the best plan of every optimizer on a round side by side, on the same axes.

    Parameters
    ----------
    comparison : RoundComparison
        The searches.
    name, objective : str
        Of the round and of the objective.
    ax : Axes or sequence of Axes, optional
        Where to draw: one per optimizer that has a plan; by default in a new figure.

    Returns
    -------
    list of Axes
        One per optimizer.

    Raises
    ------
    ValueError
        If no optimizer has a plan for the round.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=8, now=0, waiting=[(0, 8, 100), (0, 4, 300), (0, 2, 50)])
    >>> comparison = pb.compare_rounds({"one": problem}, ["annealing", "tabu"], ["wait"], evaluations=100)
    >>> len(pb.draw_plans(comparison, "one", "wait"))
    2
    """
    expect("comparison", comparison, RoundComparison)
    problem = comparison.rounds[name]
    plans = best_of_each(comparison, name, objective)
    if not plans or not len(problem):
        raise ValueError(f"{name}: no optimizer has a plan for {objective}")
    last = max(planned_end(problem, outcome.start) for outcome in plans.values())
    unit, _ = unit_of(last - problem.now)
    best = comparison.best[name, objective].cost
    with panels_for(ax, len(plans), ACROSS, plans_size(len(plans))) as panels:
        for index, (axes, (optimizer, outcome)) in enumerate(zip(panels, plans.items(), strict=True)):
            draw_plan(problem, outcome.start, axes, until=last)
            over = excess(outcome.cost, best)
            quality = "best known" if over == 0 else f"{100 * over:.3g}% over the best known"
            add_title(axes, optimizer, f"{objective} {outcome.cost:,.6g}, {quality}")
            axes.set_xlabel(f"{unit} from now" if index + ACROSS >= len(plans) else "")
            axes.set_ylabel("processors" if index % ACROSS == 0 else "")
        figure = panels[0].get_figure(root=True)
        assert figure is not None
        if ax is None or len(figure.axes) == len(panels):
            colour_bar(problem, panels)
        figure.suptitle(
            f"{name}: {len(problem)} waiting jobs; grey: running", x=0.01, ha="left", fontsize=10, color=FAINT
        )
    return panels


def planned_end(problem: Round, start: IntArray) -> int:
    """Return when the last planned job ends (s): running jobs may run for longer, but nothing is planned there."""
    has_start = start != NEVER
    return int((start + problem.jobs.walltime)[has_start].max(initial=problem.now + 1))


def waits_so_far(problem: Round) -> tuple[Any, Any, str, int]:
    """Return colour map and norm for how long jobs have waited, the unit of the colour bar, and its length (s)."""
    waited = problem.now - problem.jobs.submit
    unit, length = unit_of(int(waited.max(initial=0)))
    longest = max(float(waited.max(initial=0)) / length, 1e-9)
    shades = LinearSegmentedColormap.from_list("waits", colormaps["GnBu"](np.linspace(0.25, 0.95, 64)))
    return shades, Normalize(0.0, longest), unit, length


def colour_bar(problem: Round, panels: Sequence[Axes]) -> None:
    """Draw the colour bar of the waits, with their unit, next to the plans."""
    shades, norm, unit, _ = waits_so_far(problem)
    figure = panels[0].figure
    bar = figure.colorbar(ScalarMappable(norm, shades), ax=list(panels), pad=0.015, aspect=28)
    bar.outline.set_visible(False)  # type: ignore[operator]
    bar.set_label(f"waited so far ({unit})")


def draw_plan(problem: Round, plan: Plan | IntArray, ax: Axes | None = None, *, until: int | None = None) -> Axes:
    """Draw one plan as a Gantt chart; the longer a job has waited, the darker it is. Running jobs are grey.

    Parameters
    ----------
    problem : Round
        The round.
    plan : Plan or int64 array
        The plan, or its starts; jobs without a start are not drawn.
    ax : Axes, optional
        Where to draw; by default in a new figure, with a colour bar.
    until : int, optional
        Where the axis ends (s); by default when the last planned job ends.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=8, now=0, waiting=[(0, 8, 100), (0, 4, 300), (0, 2, 50)])
    >>> pb.draw_plan(problem, pb.solve(problem, "wait").plan).get_ylabel()
    'processors'
    """
    expect("problem", problem, Round)
    if not isinstance(plan, np.ndarray):
        expect_plan(problem, plan)
    start = plan.start if isinstance(plan, Plan) else plan
    last = planned_end(problem, start) if until is None else whole("until", until, None)
    unit, length = unit_of(last - problem.now)
    with axes_for(ax, *plans_size(1)) as axes:
        blocks = lay_out(problem, start)
        add_blocks(axes, problem, blocks, length)
        axes.set_xlim(0, 1.02 * (last - problem.now) / length)
        axes.set_ylim(0, problem.capacity)
        axes.set_xlabel(f"{unit} from now")
        axes.set_ylabel("processors")
        if len(problem) <= MOST_NUMBERED:
            number_blocks(axes, problem, blocks, last, length)
        if ax is None:
            colour_bar(problem, [axes])
    return axes


def add_blocks(axes: Axes, problem: Round, blocks: Sequence[Block], length: int) -> None:
    """Draw the jobs."""
    shades, norm, _, unit = waits_so_far(problem)
    waited = (problem.now - problem.jobs.submit) / unit
    corners, colours = [], []
    for begin, end, low, count, job in blocks:
        left, right = (begin - problem.now) / length, (end - problem.now) / length
        corners.append([(left, low), (right, low), (right, low + count), (left, low + count)])
        colours.append(shades(norm(waited[job])) if job >= 0 else RUNNING)
    wide = 0.5 if len(problem) > 60 else 0.9
    axes.add_collection(PolyCollection(corners, facecolors=colours, edgecolors="white", linewidths=wide))
    axes.margins(0)


def number_blocks(axes: Axes, problem: Round, blocks: Sequence[Block], last: int, length: int) -> None:
    """Write the numbers of the jobs onto blocks that have room for them."""
    waited = problem.now - problem.jobs.submit
    longest = max(int(waited.max(initial=0)), 1)
    horizon = last - problem.now
    numbered: set[int] = set()
    for begin, end, low, count, job in sorted(blocks, key=lambda block: -block[3]):
        text = str(problem.ids[job])
        wide = (end - begin) / horizon > 0.022 * len(text) + 0.01
        if job < 0 or job in numbered or not wide or count / problem.capacity < 0.06:
            continue
        numbered.add(job)
        dark = waited[job] > 0.55 * longest
        axes.text(
            (begin + end - 2 * problem.now) / 2 / length, low + count / 2, text,
            ha="center", va="center", fontsize=7, color="white" if dark else INK, clip_on=True,
        )  # fmt: skip


def mark_job(axes: Axes, problem: Round, start: IntArray, job: int, until: int) -> None:
    """Outline the blocks of one job of a plan that :func:`draw_plan` drew."""
    _, length = unit_of(until - problem.now)
    for begin, end, low, count, drawn_job in lay_out(problem, start):
        if drawn_job == job:
            axes.add_patch(
                Rectangle(
                    ((begin - problem.now) / length, low), (end - begin) / length, count,
                    fill=False, edgecolor=COLOURS[1], linewidth=2, zorder=3,
                )
            )  # fmt: skip


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
    """Raise ``ValueError`` unless a picture can be written there: its suffix is known, and its folder is writable."""
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
            add_title(axes, title, f"{len(problem):,} waiting jobs; grey: running")
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
