"""The trade-off between mean and maximum wait: policies × promises, relative to EASY."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from planbatch.baselines.catalogue import make_policy, takes
from planbatch.baselines.policy import Policy, policy_name, traits_of
from planbatch.experiments.common.text import counted
from planbatch.experiments.replay.estimates import Estimates
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.runs.run import Workers, run_all
from planbatch.experiments.runs.task import Failure, Progress
from planbatch.experiments.studies.columns import REFERENCE
from planbatch.experiments.studies.metrics import Metric, as_metrics, measure
from planbatch.planner.display import html_table
from planbatch.planner.model import BoolArray, FloatArray, Workload

if TYPE_CHECKING:
    from pandas import DataFrame

#: The promise of policies that make none.
NO_PROMISE = "none"


class Choice(NamedTuple):
    """One policy under one promise.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.choices(["plan-wait"], ["none", "2x"])[1].name
    'plan-wait'
    """

    name: str
    promise: str
    policy: Policy

    @property
    def searches(self) -> bool:
        """Whether the policy searches for plans, so that it can promise."""
        return traits_of(self.policy).searches


@dataclass(frozen=True)
class Point:
    """One point of the picture: a replay.

    Attributes
    ----------
    workload, policy, promise : str
        The names of what was replayed; the promise is ``none`` for policies that make none.
    mean_wait, max_wait : float
        Mean and maximum wait (s).
    mean_ratio, max_ratio : float
        The same, divided by EASY's.
    on_front : bool
        Whether no other policy on this workload is better in one and no worse in the other.
    searches : bool
        Whether the policy searches for plans.
    values : mapping of str to float
        Further metrics.
    """

    workload: str
    policy: str
    promise: str
    mean_wait: float
    max_wait: float
    mean_ratio: float
    max_ratio: float
    on_front: bool = False
    searches: bool = False
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Trade:
    """The points of all workloads, grouped by workload, in the order of the choices.

    Attributes
    ----------
    points : tuple of Point
        One per finished replay, EASY's among them.
    unfinished : int
        Replays that an interrupt left without a result.
    asked : tuple of Metric
        Further metrics.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> found = pb.trade([workload], pb.choices(["plan-wait"], ["none", "2x"]))
    >>> found.to_frame().shape[0]
    3
    """

    points: tuple[Point, ...]
    unfinished: int = 0
    asked: tuple[Metric, ...] = ()

    def by_workload(self) -> dict[str, list[Point]]:
        """Return the points of each workload."""
        groups: dict[str, list[Point]] = {}
        for point in self.points:
            groups.setdefault(point.workload, []).append(point)
        return groups

    def __repr__(self) -> str:
        return f"Trade({counted(len(self.points), 'point')}, {counted(len(self.by_workload()), 'workload')})"

    def _repr_html_(self) -> str:
        """Return what notebooks show: the points of every workload, by mean wait."""
        headings = ("policy", "promise", "mean wait / EASY's", "max. wait / EASY's", "front")
        tables = []
        for workload, points in self.by_workload().items():
            rows = [
                [
                    point.policy,
                    point.promise,
                    f"{point.mean_ratio:.2f}",
                    f"{point.max_ratio:.2f}",
                    "●" if point.on_front else "",
                ]
                for point in sorted(points, key=lambda point: point.mean_ratio)
            ]
            tables.append(html_table(headings, rows, workload))
        return "".join(tables)

    def to_frame(self) -> "DataFrame":
        """Return a data frame: one row per point, the fields of :class:`Point` and the metrics as columns."""
        import pandas as pd

        names = [name for name in Point.__dataclass_fields__ if name != "values"]
        names += [metric.name for metric in self.asked]
        rows = [{**vars(point), **point.values} for point in self.points]
        return pd.DataFrame(rows, columns=names)


def pareto_front(costs: FloatArray) -> BoolArray:
    """Mark the points that no other point dominates by being better in one cost and no worse in the other.

    Of equal points all are marked, or none.

    Parameters
    ----------
    costs : float array, shape (n, 2)
        Two costs of every point; less is better.

    Returns
    -------
    bool array, shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> import planbatch as pb
    >>> pb.pareto_front(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 3.0]])).tolist()
    [True, True, False]
    """
    costs = np.asarray(costs, dtype=np.float64).reshape(-1, 2)
    front = np.zeros(len(costs), dtype=bool)
    least = np.inf
    # Ascending in the first cost, then in the second: a point is dominated by one that comes earlier, or by none.
    order = np.lexsort((costs[:, 1], costs[:, 0]))
    previous = None
    for i in order:
        same = previous is not None and bool((costs[i] == costs[previous]).all())
        front[i] = bool(front[previous]) if same else bool(costs[i, 1] < least)
        least = min(least, float(costs[i, 1]))
        previous = i
    return front


def choices(
    names: Sequence[str],
    promises: Sequence[str],
    make: Callable[[str, str], Policy] = lambda name, promise: make_policy(name, promise=promise),
) -> list[Choice]:
    """Return every plan-based policy under every promise and every other policy once; EASY first.

    Parameters
    ----------
    names : sequence of str
        Names of policies.
    promises : sequence of str
        Slacks; see :meth:`Promise.parse`.
    make : callable
        ``make(name, promise)`` returns a policy.

    Raises
    ------
    ValueError
        If a policy or a promise is not known.

    Examples
    --------
    >>> import planbatch as pb
    >>> [(choice.name, choice.promise) for choice in pb.choices(["plan-wait"], ["none", "2x"])]
    [('easy', 'none'), ('plan-wait', 'none'), ('plan-wait', '2x')]
    """
    listed = []
    for name in dict.fromkeys((REFERENCE, *names)):
        own = dict.fromkeys(promises) if "promise" in takes(name) else (NO_PROMISE,)
        made = [(promise, make(name, promise)) for promise in own]
        listed += [Choice(policy_name(policy), promise, policy) for promise, policy in made]
    return listed


def trade(
    workloads: Sequence[Workload],
    chosen: Sequence[Choice],
    *,
    estimates: Estimates = "requested",
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    out: str | Path | None = None,
    metrics: Sequence[Metric | Callable[["DataFrame"], float] | str] = (),
    say: Callable[[str], None] = lambda line: None,
) -> Trade:
    """Replay workloads under policies and promises, and compare their waits with EASY's.

    The results depend neither on the number of processes nor on what else is replayed.

    Parameters
    ----------
    workloads : sequence of Workload
        The workloads, with distinct names.
    chosen : sequence of Choice
        The choices, EASY without an order among them; see :func:`choices`.
    estimates, seed, jobs, progress, out, metrics, say
        As in :func:`compare`.

    Returns
    -------
    Trade
        After an interrupt (Ctrl-C), the replays that finished, of workloads on which EASY finished.

    Raises
    ------
    ValueError
        If two workloads have the same name, EASY is not chosen, or no job of a workload waits under EASY.
    ReplayError
        If a policy breaks the rules.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> found = pb.trade([workload], pb.choices(["plan-wait"], ["none", "2x"]))
    >>> len(found.points)
    3
    """
    names = [workload.name for workload in workloads]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"workloads: {twice[0]} is given more than once")
    if REFERENCE not in [choice.name for choice in chosen]:
        raise ValueError(f"policies: the reference {REFERENCE} is not among them")
    cells = [(w, c) for w in range(len(workloads)) for c in range(len(chosen))]
    tasks = [
        ReplayTask(workloads[w], chosen[c].policy, estimates, seed, label=label(chosen[c]))
        for w, c in cells
    ]
    found = run_all(tasks, Workers(jobs), out, "Mean against longest wait", progress, say)
    asked = as_metrics(metrics)
    waits: dict[tuple[int, int], tuple[float, float]] = {}
    values: dict[tuple[int, int], Mapping[str, float]] = {}
    for place, outcome in found.items():
        if isinstance(outcome, Failure):
            outcome.reraise(tasks[place].name)
        else:
            summary = outcome.summary
            waits[cells[place]] = summary["mean_wait"], float(summary["max_wait"])
            if asked:
                values[cells[place]] = measure(outcome.trace().to_frame(), asked, say)
    points: list[Point] = []
    for w, workload in enumerate(workloads):
        own = {c: waits[w, c] for c in range(len(chosen)) if (w, c) in waits}
        more = {c: values.get((w, c), {}) for c in own}
        points += _points(workload.name, chosen, own, more)
    return Trade(tuple(points), len(cells) - len(waits), asked)


def label(choice: Choice) -> str:
    """Return the name of a choice: its policy and its promise."""
    return (
        choice.name if choice.promise == NO_PROMISE else f"{choice.name}, promise {choice.promise}"
    )


def _points(
    workload: str,
    chosen: Sequence[Choice],
    waits: dict[int, tuple[float, float]],
    values: dict[int, Mapping[str, float]],
) -> list[Point]:
    """Return the points of one workload, from waits (mean and maximum, s) and further metrics of the choices."""
    reference = next((waits[c] for c in waits if chosen[c].name == REFERENCE), None)
    if reference is None:
        return []
    mean, longest = reference
    if mean <= 0:
        raise ValueError(f"{workload}: no job waits under EASY, so there is nothing to trade")
    front = pareto_front(np.array(list(waits.values())))
    return [
        Point(
            workload, chosen[c].name, chosen[c].promise, *waits[c],
            waits[c][0] / mean, waits[c][1] / longest, bool(marked), chosen[c].searches, values[c],
        )
        for c, marked in zip(waits, front, strict=True)
    ]  # fmt: skip
