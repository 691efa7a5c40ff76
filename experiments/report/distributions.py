"""The distributions of waits and slowdowns over the jobs."""

from typing import Any

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from planbatch.experiments.common.table import Column, Table, time_column
from planbatch.experiments.common.text import number
from planbatch.experiments.figures.panels import draw_curve_panel, left_edge
from planbatch.experiments.figures.style import add_heading, drawing, legend_right, number_text, time_ticks
from planbatch.experiments.report.cases import Runs
from planbatch.experiments.report.drawing import Picture

PERCENTILES = (25, 50, 75, 90, 95, 99, 99.9, 100)
SLOWDOWNS = (50, 95, 99)


def draw_distributions(runs: Runs) -> Picture:
    """Draw the distribution functions of waits and of bounded slowdowns, and below those of the tails."""
    styles = runs.case.styles
    waits = {label: runs.first(label).wait for label in runs.labels}
    slowdowns = {label: runs.first(label).slowdown for label in runs.labels}
    edge = float(left_edge(waits))
    with drawing(10.4, 6.6) as figure:
        panels = figure.subplots(2, 2, sharey="row")
        for row, longer in zip(panels, (False, True), strict=True):
            left, right = row
            draw_curve_panel(left, waits, edge, styles, longer=longer)
            time_ticks(left.xaxis, *left.get_xlim())
            draw_curve_panel(right, slowdowns, 1.0, styles, longer=longer)
            right.xaxis.set_major_locator(LogLocator(base=10))
            right.xaxis.set_major_formatter(FuncFormatter(number_text))
            right.xaxis.set_minor_locator(NullLocator())
            left.set_ylabel("jobs with more" if longer else "jobs with at most so much")
            left.set_xlabel("wait")
            right.set_xlabel("bounded slowdown")
        legend_right(figure, panels[0, 0])
        add_heading(figure, f"{runs.case.title}: waits and slowdowns")
        caption = (
            "Above: the higher a curve, the more jobs fared at least so well; curves begin at the share of jobs that "
            "waited hardly at all. Below: the jobs that fared worse, down to the single worst one; the lower, the "
            "better. Axes of waits and slowdowns are logarithmic, and so are those of the shares below."
        )
        return runs.case.picture(figure, "distributions", "Waits and slowdowns", caption + runs.which_seed)


def percentile_table(runs: Runs) -> Table:
    """List the percentiles of the waits."""
    columns = [
        Column("policy", "policy"),
        *(time_column(f"wait_p{p:g}", "max. wait" if p == 100 else f"{p:g}% wait", "min") for p in PERCENTILES),
        Column("slowdown_p50", "slowdown 50%", number, best="min"),
        Column("slowdown_p95", "95%", number, best="min"),
        Column("slowdown_p99", "99%", number, best="min"),
    ]
    rows = []
    for label in runs.labels:
        row: dict[str, Any] = {"policy": label}
        each = list(runs.jobs[label].values())
        waits = np.mean([np.percentile(jobs.wait, PERCENTILES) for jobs in each], axis=0)
        slowdowns = np.mean([np.percentile(jobs.slowdown, SLOWDOWNS) for jobs in each], axis=0)
        row |= {f"wait_p{p:g}": float(v) for p, v in zip(PERCENTILES, waits, strict=True)}
        row |= {f"slowdown_p{p}": float(v) for p, v in zip(SLOWDOWNS, slowdowns, strict=True)}
        rows.append(row)
    over = ", means over seeds" if any(len(by_seed) > 1 for by_seed in runs.jobs.values()) else ""
    caption = f"{runs.case.title}: percentiles of the wait, and of the bounded slowdown{over}"
    return Table(f"{runs.case.name}-percentiles", caption, columns, rows)
