"""The plans of one round side by side, as Gantt charts."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from planbatch.experiments.rounds.results import RoundComparison, excess
from planbatch.experiments.rounds.search import Found
from planbatch.experiments.text import duration
from planbatch.experiments.views.comparison_pictures import unit_of
from planbatch.experiments.views.style import FAINT, INK, drawing, save, titled
from planbatch.planner.model import IntArray
from planbatch.planner.round import Round

#: Most charts side by side.
ACROSS = 3
#: Colour of running jobs.
RUNNING = "#D3D7DB"
#: With no more waiting jobs than this, jobs are numbered.
NUMBERED = 40

#: From, to (s), lowest processor, number of processors, and the job's place in the queue; -1 for a running job.
Block = tuple[int, int, int, int, int]


def lay_out(problem: Round, start: IntArray) -> list[Block]:
    """Assign processors to every job of a plan: the lowest free ones, in as few blocks as possible."""
    jobs, running = problem.jobs, problem.running
    free: list[tuple[int, int]] = [(0, problem.capacity)]
    events: list[tuple[int, int, int]] = [(problem.now, 1, -1 - i) for i in range(len(running.end))]
    events += [(int(start[i]), 1, int(i)) for i in np.argsort(start, kind="stable")]
    held: dict[int, list[tuple[int, int]]] = {}
    ends = [(int(running.end[i]), 0, -1 - i) for i in range(len(running.end))]
    ends += [(int(start[i] + jobs.walltime[i]), 0, i) for i in range(len(start))]
    blocks: list[Block] = []
    # Jobs that end at an instant make room for those that start at it; running jobs come first.
    for when, begins, job in sorted(events + ends):
        if not begins:
            free = joined(free + held.pop(job))
            continue
        place = job if job >= 0 else -1
        end = start[job] + jobs.walltime[job] if job >= 0 else running.end[-1 - job]
        procs = jobs.procs[job] if job >= 0 else running.procs[-1 - job]
        held[job], free = taken(free, int(procs))
        blocks += [(when, int(end), low, count, place) for low, count in held[job]]
    return blocks


def taken(
    free: list[tuple[int, int]], procs: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Take processors out of free blocks: the first block that has them all, else the lowest ones."""
    for place, (low, count) in enumerate(free):
        if count >= procs:
            rest = [(low + procs, count - procs)] if count > procs else []
            return [(low, procs)], free[:place] + rest + free[place + 1 :]
    mine, left = [], []
    for low, count in free:
        take = min(count, procs)
        procs -= take
        if take:
            mine.append((low, take))
        if count > take:
            left.append((low + take, count - take))
    return mine, left


def joined(free: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join blocks that touch."""
    result: list[tuple[int, int]] = []
    for low, count in sorted(free):
        if result and sum(result[-1]) == low:
            result[-1] = (result[-1][0], result[-1][1] + count)
        else:
            result.append((low, count))
    return result


def best_of_each(comparison: RoundComparison, name: str, objective: str) -> dict[str, Found]:
    """Return the best result of every optimizer on a round."""
    best: dict[str, Found] = {}
    for cell in comparison.cells:
        found = cell.outcome
        if (cell.round, cell.objective) == (name, objective) and isinstance(found, Found):
            other = best.get(cell.optimizer)
            if other is None or found.cost < other.cost:
                best[cell.optimizer] = found
    return best


def draw_plans(comparison: RoundComparison, name: str, objective: str, path: Path) -> Path | None:
    """Draw the best plan of every optimizer on a round side by side, on the same axes."""
    problem = comparison.rounds[name]
    plans = best_of_each(comparison, name, objective)
    if not plans or not len(problem):
        return None
    last = max(int((f.start + problem.jobs.walltime).max()) for f in plans.values())
    last = max(last, int(problem.running.end.max(initial=0))) - problem.now
    unit, length = unit_of(last)
    across = min(len(plans), ACROSS)
    down = -(-len(plans) // across)
    best = comparison.best[name, objective].cost
    with drawing(1.0 + 4.2 * across, 0.9 + 3.2 * down) as (figure, empty):
        empty.remove()
        panels = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
        for axes, (optimizer, found) in zip(panels.flat, plans.items(), strict=False):
            draw_plan(axes, problem, found.start, length)
            over = excess(found.cost, best)
            quality = "best known" if over == 0 else f"{100 * over:.3g}% over the best known"
            titled(axes, optimizer, f"{objective} {found.cost:,.6g}, {quality}")
            axes.set_xlim(0, 1.04 * last / length)
            axes.set_ylim(0, problem.capacity)
        for axes in panels.flat[len(plans) :]:
            axes.set_visible(False)
        for place, axes in enumerate(panels.flat[: len(plans)]):
            if place + across >= len(plans):
                axes.tick_params(labelbottom=True)
                axes.set_xlabel(f"{unit} from now")
        for axes in panels[:, 0]:
            axes.set_ylabel("processors")
        waited = duration(int(problem.now - problem.jobs.submit.min()))
        figure.suptitle(
            f"{name}: {len(problem)} waiting jobs, the darker the longer (up to {waited}); grey: running",
            x=0.01, ha="left", fontsize=10, color=FAINT,
        )  # fmt: skip
        save(figure, path)
    return path.with_suffix(".png")


def draw_plan(axes: Axes, problem: Round, start: IntArray, length: int) -> None:
    """Draw one plan; the longer a job has waited, the darker it is."""
    blocks = lay_out(problem, start)
    n = len(problem)
    shades: Any = colormaps["GnBu"](0.95 - 0.75 * np.arange(n) / max(n - 1, 1))
    corners, colours = [], []
    for begin, end, low, count, job in blocks:
        left, right = (begin - problem.now) / length, (end - problem.now) / length
        corners.append([(left, low), (right, low), (right, low + count), (left, low + count)])
        colours.append(shades[job] if job >= 0 else RUNNING)
    axes.add_collection(
        PolyCollection(
            corners, facecolors=colours, edgecolors="white", linewidths=0.5 if n > 60 else 0.9
        )
    )
    axes.margins(0)
    if n > NUMBERED:
        return
    horizon = max(end for _, end, *_ in blocks) - problem.now
    numbered: set[int] = set()
    for begin, end, low, count, job in sorted(blocks, key=lambda block: -block[3]):
        text = str(problem.ids[job])
        wide = (end - begin) / horizon > 0.022 * len(text) + 0.01
        if job < 0 or job in numbered or not wide or count / problem.capacity < 0.06:
            continue
        numbered.add(job)
        axes.text(
            (begin + end - 2 * problem.now) / 2 / length, low + count / 2, text,
            ha="center", va="center", fontsize=7, color="white" if job < 0.4 * n else INK,
        )  # fmt: skip
