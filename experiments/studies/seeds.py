"""Several comparisons that differ only in their seed: means, ranges, bootstrap intervals of changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pandas import DataFrame

from planbatch.baselines.policy import Policy
from planbatch.experiments.common.paths import as_path
from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.common.text import durations
from planbatch.experiments.studies.compare import Comparison, compare
from planbatch.experiments.studies.metrics import REFERENCE
from planbatch.experiments.workloads.as_workload import as_workload
from planbatch.planner.arguments import whole
from planbatch.planner.model import FloatArray, Workload

#: Number of bootstrap resamples, and the confidence level.
RESAMPLES, LEVEL = 2000, 0.95
#: Fewer units than this give no interval.
LEAST_UNITS = 3
#: Seconds of the units of which intervals are drawn.
MONTH = 30 * 86400


@dataclass(frozen=True)
class SeedComparison:
    """Comparisons of the same policies on the same workload that differ in their seed.

    Attributes
    ----------
    comparisons : tuple of Comparison
        One per seed.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> seeds = pb.compare_seeds(workload, ["easy", "plan-wait:evaluations=5"], seeds=2)
    >>> seeds.to_frame().index.tolist()
    ['easy', 'plan-wait:evaluations=5']
    """

    comparisons: tuple[Comparison, ...]

    @property
    def policies(self) -> list[str]:
        """The policies that finished with every seed."""
        first, *others = self.comparisons
        return [name for name in first.finished if all(name in comparison.finished for comparison in others)]

    @property
    def reference(self) -> str:
        """The policy against which the others change: EASY, or else the first."""
        return REFERENCE if REFERENCE in self.policies else next(iter(self.policies), "")

    @property
    def title(self) -> str:
        """What was compared, in one line."""
        return f"{self.comparisons[0].title}; {len(self.comparisons)} seeds: mean (least … most)"

    def __repr__(self) -> str:
        return f"SeedComparison({self.comparisons[0].title}; {len(self.comparisons)} seeds; {', '.join(self.policies)})"

    def _repr_html_(self) -> str:
        """Return what notebooks show: the table that the command prints."""
        return self.table()._repr_html_()

    def to_frame(self) -> DataFrame:
        """Return a data frame with a row per policy.

        Returns
        -------
        DataFrame
            mean_wait, max_wait, mean_bounded_slowdown (means over the seeds), each with ``_low`` and ``_high``, the
            least and the most of any seed (s); change (of the mean wait against the reference) with the ends of its
            95 % bootstrap interval over months, jobs paired by month and seed (as in the report); differs, whether that
            interval leaves out zero (False without an interval).
        """
        return DataFrame([self._row(name) for name in self.policies]).set_index("policy")

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        spread = self.to_frame().reset_index().to_dict("records")
        return {"spread": spread, "seeds": [comparison.to_dict() for comparison in self.comparisons]}

    def table(self) -> Table:
        """Lay out means, the least and the most of any seed, and changes."""
        rows = []
        for policy, row in self.to_frame().to_dict("index").items():
            cells = {}
            for figure in ("mean_wait", "max_wait"):
                unit, texts = durations([row[figure + end] for end in ("", "_low", "_high")])
                cells[figure] = f"{texts[0]} ({texts[1]} … {texts[2]}) {unit}"
            change = ""
            if policy != self.reference:
                low, high, change = row["change_low"], row["change_high"], f"{row['change']:+.1%}"
                if low == low:
                    change += f" ({low:+.1%} … {high:+.1%}), "
                    change += "a difference" if row["differs"] else "no difference shown"
            rows.append({"policy": policy, **cells, "change": change})
        columns = [
            Column("policy", "policy"),
            Column("mean_wait", "mean wait"),
            Column("max_wait", "longest wait"),
            Column("change", f"change against {self.reference}"),
        ]
        return Table("seeds", self.title, columns, rows)

    def _row(self, policy: str) -> dict[str, object]:
        row: dict[str, object] = {"policy": policy}
        for figure in ("mean_wait", "max_wait", "mean_bounded_slowdown"):
            values = [float(getattr(comparison.metrics[policy], figure)) for comparison in self.comparisons]
            row |= {figure: float(np.mean(values)), f"{figure}_low": min(values), f"{figure}_high": max(values)}
        if policy != self.reference:
            own, reference = self._monthly_waits(policy), self._monthly_waits(self.reference)
            low, high = bootstrap(own, reference)
            row |= {
                "change": own.sum() / reference.sum() - 1 if reference.sum() else float("nan"),
                "change_low": low - 1,
                "change_high": high - 1,
                "differs": bool(low > 1 or high < 1),
            }
        return row

    def _monthly_waits(self, policy: str) -> FloatArray:
        """Return the waits of each month's jobs, added up over the seeds (s)."""
        total: FloatArray = np.zeros(0)
        for comparison in self.comparisons:
            trace = comparison.traces[policy]
            submit = comparison.workload.submit
            month = (submit - submit[0]) // MONTH
            total = total if len(total) else np.zeros(int(month.max()) + 1)
            total = total + np.bincount(month, weights=trace.start - submit, minlength=len(total))
        return total


def compare_seeds(
    workload: "Workload | str | Path | DataFrame",
    policies: Sequence[Policy | str] | Policy | str,
    *,
    seeds: int = 5,
    seed: int = 0,
    out: str | Path | None = None,
    **options: Any,
) -> SeedComparison:
    """Compare policies with several seeds.

    Parameters
    ----------
    workload, policies
        As for :func:`compare`.
    seeds : int
        How many.
    seed : int
        The first of them.
    out : path, optional
        Folder in which the replays of each seed have a folder of their own.
    **options
        Further arguments of :func:`compare`.

    Returns
    -------
    SeedComparison
        After an interrupt (Ctrl-C), of the seeds until then.

    Raises
    ------
    ValueError
        If ``seeds`` is not positive; and what :func:`compare` raises.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> pb.compare_seeds(workload, ["easy", "plan-wait:evaluations=5"], seeds=2).reference
    'easy'
    """
    seeds, seed, workload = whole("seeds", seeds, 1), whole("seed", seed, most=None), as_workload(workload)
    comparisons = []
    for each in range(seed, seed + seeds):
        folder = None if out is None else seed_folder(as_path("out", out), each)
        comparisons.append(compare(workload, policies, seed=each, out=folder, **options))
        if comparisons[-1].unfinished:
            break
    return SeedComparison(tuple(comparisons))


def seed_folder(out: Path, seed: int) -> Path:
    """Return the folder of the replays of one seed."""
    return out / f"seed-{seed}"


def bootstrap(above: FloatArray, below: FloatArray, seed: int = 0) -> tuple[float, float]:
    """Resample units, such as months, and return the interval of the ratio of the sums of ``above`` and ``below``.

    Both have shape (units,), and what a unit adds to numerator and denominator stays together. The ends are percentiles
    of ``RESAMPLES`` resamples; NaN for fewer than ``LEAST_UNITS`` units.
    """
    n = len(above)
    if n < LEAST_UNITS or below.sum() <= 0:
        return float("nan"), float("nan")
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    total = counts @ below
    ratios = (counts @ above)[total > 0] / total[total > 0]
    low, high = np.quantile(ratios, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
