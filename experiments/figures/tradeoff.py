"""Two costs of every policy against each other, and the Pareto front."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from planbatch.experiments.figures.style import FAINT, axes_for, grid, legend_beside, line_styles, time_ticks, titled
from planbatch.experiments.studies.compare import Comparison
from planbatch.planner.arguments import expect
from planbatch.planner.columns import BoolArray, FloatArray

#: Markers of policies, in their order.
MARKERS = "osD^vP*X"
#: Size of the picture (inches).
SIZE = (8.4, 4.6)


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


def draw_trade_off(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the maximum wait of every policy over its mean wait, and the Pareto front; both axes are logarithmic.

    Parameters
    ----------
    comparison : Comparison
        The replays: of policies, or of one with several promises.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> policies = ["easy", "plan-wait", pb.make_policy("plan-wait", promise="2x")]
    >>> pb.draw_trade_off(pb.compare(workload, policies)).get_ylabel()
    'maximum wait'
    """
    expect("comparison", comparison, Comparison)
    names = list(comparison.finished)
    measured = comparison.metrics
    mean = np.array([max(measured[name].mean_wait, 1.0) for name in names])
    longest = np.array([max(float(measured[name].max_wait), 1.0) for name in names])
    styles = line_styles(names, comparison.searching)
    colours = {name: style["color"] for name, style in styles.items()}
    with axes_for(ax, *SIZE) as axes:
        draw_front(axes, mean, longest)
        draw_points(axes, mean, longest, names, colours)
        longest_waits(axes, longest)
        titled(axes, "Mean against maximum wait", comparison.title)
        legend_beside(axes, "policy")
    return axes
