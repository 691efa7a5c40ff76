"""Results of a comparison of optimizers on rounds: its searches, and tables of them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pandas as pd

from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.common.text import counted
from planbatch.experiments.rounds.best_known import BestKnown, same_cost
from planbatch.experiments.runs.task import Failure
from planbatch.planner.budget import Budget
from planbatch.planner.model import IntArray
from planbatch.planner.round import Round

FAILED = "failed"
#: The columns of a search that has a result.
_FIGURES = (
    "cost", "seed_cost", "best", "excess", "lower_bound", "gap", "evaluations", "seconds", "evaluations_per_second",
)  # fmt: skip
_TABLE_COLUMNS = (
    Column("median_excess", "median\nexcess", "{:.2%}".format, best="min"),
    Column("worst_excess", "worst\nexcess", "{:.2%}".format, best="min"),
    Column("median_gap", "proven\ngap", "{:.2%}".format, best="min"),
    Column("evaluations_per_second", "evaluations\na second", "{:,.0f}".format, best="max"),
    Column("wins", "wins", "{:,.0f}".format, best="max"),
    Column("searches", "searches", str, style="dim"),
)


@dataclass(frozen=True)
class Solution:
    """The plan that one search returned."""

    #: Cost of the plan; cost of the best first plan.
    cost: float
    seed_cost: float
    evaluations: int  # plans evaluated, without the first ones
    seconds: float  # wall-clock time (s)
    status: str  # how the search ended
    lower_bound: float  # the bound that the search itself proved; NaN if none
    start: IntArray  # the plan; shape (n,)


@dataclass(frozen=True)
class RoundCell:
    """One search of a comparison, and its outcome."""

    #: Names.
    round: str
    objective: str
    optimizer: str
    seed: int  # seed of the search
    budget: Budget  # budget of the search
    outcome: Solution | Failure | None  # none if an interrupt came before


@dataclass(frozen=True)
class RoundComparison:
    """The results of a comparison.

    Attributes
    ----------
    rounds : mapping of str to Round
        By name.
    optimizers, objectives : tuple of str
        Names.
    budget : Budget
        Of every search.
    cells : tuple of RoundCell
        Every search, in the order of rounds, objectives, optimizers and seeds.
    curve_cells : tuple of RoundCell
        The searches with smaller budgets behind the curves; those in ``cells`` are not repeated.
    best : mapping of (round, objective) to BestKnown
        The best known plans, from this comparison or from before.
    bounds : mapping of (round, objective) to float
        Proven lower bounds: no plan costs less; NaN if there is none.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(
    ...     capacity=8, now=100, running=[(4, 200)], waiting=[(10, 8, 100), (20, 4, 300), (30, 2, 50)]
    ... )
    >>> comparison = pb.compare_rounds({"one": problem}, ["annealing"], ["wait"], evaluations=100, seeds=2)
    >>> len(comparison.cells), comparison.bounds
    (2, {('one', 'wait'): 180.0})
    """

    rounds: Mapping[str, Round]
    optimizers: tuple[str, ...]
    objectives: tuple[str, ...]
    budget: Budget
    cells: tuple[RoundCell, ...]
    curve_cells: tuple[RoundCell, ...]
    best: Mapping[tuple[str, str], BestKnown]
    bounds: Mapping[tuple[str, str], float]

    @property
    def unfinished(self) -> int:
        """Number of searches that an interrupt left without a result."""
        return sum(cell.outcome is None for cell in self.cells)

    def __repr__(self) -> str:
        return (
            f"RoundComparison({counted(len(self.rounds), 'round')}, {', '.join(self.optimizers)}; "
            f"{', '.join(self.objectives)}; {len(self.cells):,} searches)"
        )

    def _repr_html_(self) -> str:
        """Return what notebooks show: the summary, as the command prints it."""
        return replace(round_table(self), caption=repr(self))._repr_html_()

    def failures(self) -> list[str]:
        """Return a line for every search that failed; those behind the curves fail in the same way."""
        lines: dict[str, None] = {}
        for cell in (*self.cells, *self.curve_cells):
            if isinstance(cell.outcome, Failure):
                where = f"{cell.optimizer} on {cell.round}, {cell.objective}, seed {cell.seed}"
                lines[f"failed: {where}: {cell.outcome.error}"] = None
        return list(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        return {
            "evaluations": self.budget.evaluations,
            "seconds": self.budget.seconds,
            "rows": self.to_frame().to_dict("records"),
            "summary": self.summary().to_dict("records"),
            "unfinished": self.unfinished,
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per search that is over.

        Columns: round, jobs, objective, optimizer, seed; cost, seed_cost (of the best first plan), best (known), excess
        (cost / best − 1), lower_bound, gap ((cost − bound) / cost), evaluations, seconds, evaluations_per_second,
        status, error. If a search failed, its status is ``failed``, error says why, and its figures are NaN.
        """
        rows = [row(self, cell) for cell in self.cells if cell.outcome is not None]
        return pd.DataFrame(
            rows, columns=["round", "jobs", "objective", "optimizer", "seed", *_FIGURES, "status", "error"]
        )

    def summary(self) -> pd.DataFrame:
        """Return a data frame with one row per objective and optimizer.

        Columns: searches, failed, median_excess and worst_excess (over the best known), median_gap (proven),
        evaluations_per_second (all searches together), wins (searches that no other optimizer beat on the same round
        and seed). Figures are over searches that did not fail.
        """
        data = self.to_frame()
        if data.empty:
            return pd.DataFrame()
        keys = ["objective", "optimizer"]
        groups = data.assign(failed=data["status"] == FAILED).groupby(keys, sort=False)
        summary = groups.agg(
            searches=("cost", "size"),
            failed=("failed", "sum"),
            median_excess=("excess", "median"),
            worst_excess=("excess", "max"),
            median_gap=("gap", "median"),
        )
        total = groups[["evaluations", "seconds"]].sum()
        seconds = total["seconds"].where(total["seconds"] > 0)
        summary["evaluations_per_second"] = total["evaluations"] / seconds
        summary["wins"] = data.assign(win=is_win(data)).groupby(keys, sort=False)["win"].sum()
        pairs = [pair for pair in product(self.objectives, self.optimizers) if pair in summary.index]
        return summary.loc[pairs].reset_index()

    def curves(self) -> pd.DataFrame:
        """Return a data frame with the cost over time, on the rounds that were followed.

        Columns: round, objective, optimizer, seed, evaluations, seconds, cost (the best so far). A search with a small
        budget is the beginning of one with a larger budget, so each row is the end of a search of its own.
        """
        followed = {cell.round for cell in self.curve_cells}
        ends = [cell for cell in self.cells if cell.round in followed]
        rows = []
        for cell in (*self.curve_cells, *ends):
            if isinstance(cell.outcome, Solution):
                rows.append(
                    {
                        "round": cell.round,
                        "objective": cell.objective,
                        "optimizer": cell.optimizer,
                        "seed": cell.seed,
                        "evaluations": cell.outcome.evaluations,
                        "seconds": cell.outcome.seconds,
                        "cost": cell.outcome.cost,
                    }
                )
        names = ["round", "objective", "optimizer", "seed"]
        data = pd.DataFrame(rows, columns=[*names, "evaluations", "seconds", "cost"])
        # The rows of a search come in the order of their budgets; the clock of a short one may have been slower.
        data[["evaluations", "seconds", "cost"]] = data[["evaluations", "seconds", "cost"]].astype(float)
        data["evaluations"] = data["evaluations"].astype("int64")
        groups = data.groupby(names, sort=False)
        for figure in ("evaluations", "seconds"):
            data[figure] = groups[figure].cummax()
        data["cost"] = groups["cost"].cummin()
        return data


def excess(cost: float, best: float) -> float:
    """Return the share by which a cost is above the best known; 0 up to rounding."""
    if same_cost(cost, best):
        return 0.0
    return (cost - best) / abs(best) if best else math.inf


def gap(cost: float, bound: float) -> float:
    """Return the largest possible share of a cost that is above the optimum; NaN without a bound."""
    if same_cost(cost, bound):
        return 0.0
    return (cost - bound) / abs(cost) if cost else math.nan


def row(comparison: RoundComparison, cell: RoundCell) -> dict[str, Any]:
    """Return the row of a search that is over."""
    pair, outcome = (cell.round, cell.objective), cell.outcome
    bound = comparison.bounds.get(pair, math.nan)
    best = comparison.best[pair].cost if pair in comparison.best else math.nan
    ours: dict[str, Any] = {"status": FAILED, "error": outcome.error if isinstance(outcome, Failure) else ""}
    if isinstance(outcome, Solution):
        ours = {
            "cost": outcome.cost,
            "seed_cost": outcome.seed_cost,
            "excess": excess(outcome.cost, best),
            "gap": gap(outcome.cost, bound),
            "evaluations": outcome.evaluations,
            "seconds": outcome.seconds,
            "evaluations_per_second": outcome.evaluations / outcome.seconds if outcome.seconds else math.nan,
            "status": outcome.status,
            "error": "",
        }
    named = {
        "round": cell.round,
        "jobs": len(comparison.rounds[cell.round]),
        "objective": cell.objective,
        "optimizer": cell.optimizer,
        "seed": cell.seed,
    }
    figures = dict.fromkeys(_FIGURES, math.nan) | {"best": best, "lower_bound": bound}
    return named | figures | ours


def is_win(data: pd.DataFrame) -> list[bool]:
    """Return of every search whether no other optimizer found a lower cost on the same round and seed."""
    least = data.groupby(["objective", "round", "seed"])["cost"].transform("min")
    return [same_cost(cost, low) for cost, low in zip(data["cost"], least, strict=True)]


def round_table(comparison: RoundComparison) -> Table:
    """Lay out the summary: the best figure of every column is marked for each objective."""
    rows = comparison.summary().to_dict("records")
    columns = [Column("objective", "objective"), Column("optimizer", "optimizer"), *_TABLE_COLUMNS]
    if any(row["failed"] for row in rows):
        columns.append(Column("failed", "failed", str, style="bold red"))
    title = f"{counted(len(comparison.rounds), 'round')}, {budget_text(comparison.budget)}"
    note = (
        "excess: over the best known cost; gap: median, to what is proven; wins: searches that no other optimizer beat"
    )
    return Table("rounds", title, columns, rows, note, group="objective", tight=True)


def budget_text(budget: Budget) -> str:
    """Return a budget in words."""
    sizes = []
    if budget.evaluations is not None:
        sizes.append(f"{budget.evaluations:,} evaluations")
    if budget.seconds is not None:
        sizes.append(f"{budget.seconds:g} s")
    return " or ".join(sizes)
