"""Panels that several pictures share: distribution functions, and policies by two costs with their Pareto front."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from planbatch.experiments.figures.style import FAINT, TICKS, grid, time_ticks
from planbatch.planner.model import BoolArray, FloatArray

#: Number of points of a curve.
POINTS = 260
#: Number of largest values with points of their own.
TAIL = 60


def left_edge(waits: Mapping[str, FloatArray]) -> int:
    """Return the last tick (s) below which, under every policy, at most 2 % of the waits lie."""
    edge = 1
    for tick in TICKS:
        shares = [((wait > 0) & (wait < tick)).mean() for wait in waits.values()]
        if tick <= 600 and max(shares) <= 0.02:
            edge = tick
    return edge


def curve(values: FloatArray, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Return points of the empirical distribution function (%), even on a logarithmic axis, from ``low`` to ``high``.

    The largest values have points of their own, since a logarithmic axis of shares shows each of them.
    """
    ordered = np.sort(values)
    tail = ordered[-TAIL:]
    at = np.union1d(np.geomspace(low, high, POINTS), tail[(low < tail) & (tail <= high)])
    reached = np.searchsorted(ordered, at, side="right") / len(values)
    return at, 100 * reached


def draw_curve_panel(
    axes: Axes, values: dict[str, FloatArray], low: float, styles: dict[str, dict[str, Any]], *, longer: bool = False
) -> None:
    """Draw the distribution functions of several policies on one logarithmic axis, which begins at ``low``.

    ``styles`` has the colour and the dash of every policy. With ``longer``, the shares of larger values are drawn
    instead, on a logarithmic axis: then the tail can be read.
    """
    high = max(2 * low, *(float(sample.max()) for sample in values.values()))
    least = 100 / max(len(sample) for sample in values.values())
    for label, sample in values.items():
        at, reached = curve(sample, low, high)
        if longer:
            beyond = 100 - reached
            above = beyond > 0.5 * least
            axes.step(
                np.append(at[above], at[above][-1:] if above.all() else at[~above][:1]),
                np.append(beyond[above], 0.5 * least),
                where="post", linewidth=1.5, label=label, **styles[label],
            )  # fmt: skip
        else:
            axes.plot(at, reached, linewidth=1.7, label=label, **styles[label])
    axes.set_xscale("log")
    axes.set_xlim(low, 1.1 * high if longer else high)
    if longer:
        axes.set_yscale("log")
        axes.set_ylim(0.7 * least, 100)
        ticks = [tick for tick in (100, 10, 1, 0.1, 0.01, 1e-3, 1e-4) if tick > 0.7 * least]
        axes.set_yticks(ticks, [f"{tick:g}%" for tick in ticks])
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        axes.set_ylim(0, 101)
        axes.yaxis.set_major_formatter("{x:.0f}%")
    grid(axes)


#: Markers of policies, in their order.
MARKERS = "osD^vP*X"


def pareto_front(costs: FloatArray) -> BoolArray:
    """Mark the points, shape (n, 2), that no other dominates by being better in one cost and no worse in the other.

    Less is better; of equal points all are marked, or none.

    >>> pareto_front(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 3.0]])).tolist()
    [True, True, False]
    """
    costs = np.asarray(costs, dtype=np.float64).reshape(-1, 2)
    other = costs[:, None]
    dominated = ((other <= costs) & (other != costs).any(axis=2, keepdims=True)).all(axis=2)
    return ~dominated.any(axis=0)


def draw_front(axes: Axes, x: FloatArray, y: FloatArray, *, up: bool = False) -> None:
    """Draw the Pareto front as steps through the points that no other dominates; with ``up``, more of y is better."""
    best = pareto_front(np.column_stack([x, -y if up else y]))
    order = np.argsort(x[best], kind="stable")
    xs, ys = x[best][order], y[best][order]
    axes.step(xs, ys, where="post", color=FAINT, linewidth=1, linestyle=(0, (3, 2)), zorder=1)


def draw_points(axes: Axes, x: FloatArray, y: FloatArray, labels: Sequence[str], colours: Mapping[str, Any]) -> None:
    """Draw one point per policy over its mean wait ``x`` (s), on a logarithmic axis; ``colours`` by policy."""
    for i, label in enumerate(labels):
        axes.plot(
            x[i], y[i], marker=MARKERS[i % len(MARKERS)], markersize=8, linestyle="none",
            color=colours[label], label=label, alpha=0.9, markeredgewidth=0,
        )  # fmt: skip
    axes.set_xscale("log")
    low, high = x.min() / 1.4, x.max() * 1.4
    axes.set_xlim(low, high)
    time_ticks(axes.xaxis, low, high)
    axes.set_xlabel("mean wait")
    grid(axes)


def longest_waits(axes: Axes, longest: FloatArray) -> None:
    """Make the vertical axis one of maximum waits (s), logarithmic."""
    axes.set_yscale("log")
    low, high = max(longest.min(), 1) / 1.6, max(longest.max(), 60) * 1.6
    axes.set_ylim(low, high)
    time_ticks(axes.yaxis, low, high)
    axes.set_ylabel("maximum wait")
