"""Several comparisons that differ only in their seed: means, ranges, bootstrap intervals of changes."""

from collections.abc import Sequence

import numpy as np
from pandas import DataFrame

from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.common.text import durations
from planbatch.experiments.studies.compare import Comparison
from planbatch.planner.model import FloatArray

#: Number of bootstrap resamples, and the confidence level.
RESAMPLES, LEVEL = 2000, 0.95
#: Fewer units than this give no interval.
LEAST_UNITS = 3
#: Seconds of the units of which intervals are drawn.
MONTH = 30 * 86400


def spread_over_seeds(comparisons: Sequence[Comparison], reference: str) -> DataFrame:
    """Summarise comparisons of the same policies on the same workload with different seeds.

    Parameters
    ----------
    comparisons : sequence of Comparison
        One per seed; policies that did not finish with all of them are left out.
    reference : str
        The policy against which the others change.

    Returns
    -------
    DataFrame
        A row per policy: mean_wait, max_wait, mean_bounded_slowdown (means over the seeds), each with ``_low`` and
        ``_high``, the least and the most of any seed (s); change (of the mean wait against the reference) with the ends
        of its 95 % bootstrap interval over months, jobs paired by month and seed (as in the report); differs, whether
        that interval leaves out zero (False without an interval).

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.experiments.studies.seeds import spread_over_seeds
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> both = [pb.compare(workload, ["easy", "plan-wait:evaluations=5"], seed=seed) for seed in (1, 2)]
    >>> spread_over_seeds(both, "easy")["policy"].tolist()
    ['easy', 'plan-wait:evaluations=5']
    """
    names = [
        name for name in comparisons[0].finished if all(name in one.finished for one in comparisons)
    ]
    rows = []
    for name in names:
        row: dict[str, object] = {"policy": name}
        for figure in ("mean_wait", "max_wait", "mean_bounded_slowdown"):
            values = [float(getattr(one.metrics[name], figure)) for one in comparisons]
            row |= {
                figure: float(np.mean(values)),
                f"{figure}_low": min(values),
                f"{figure}_high": max(values),
            }
        if reference in names and name != reference:
            mine, theirs = (_monthly(comparisons, policy) for policy in (name, reference))
            low, high = bootstrap(mine, theirs)
            row |= {
                "change": mine.sum() / theirs.sum() - 1 if theirs.sum() else float("nan"),
                "change_low": low - 1,
                "change_high": high - 1,
                "differs": bool(low > 1 or high < 1),
            }
        rows.append(row)
    return DataFrame(rows)


def spread_table(spread: DataFrame, reference: str, title: str) -> Table:
    """Lay out what :func:`spread_over_seeds` returns: means, the least and the most of a seed, and changes."""
    rows = []
    for row in spread.to_dict("records"):
        cells = {}
        for figure in ("mean_wait", "max_wait"):
            unit, texts = durations([row[figure + end] for end in ("", "_low", "_high")])
            cells[figure] = f"{texts[0]} ({texts[1]} … {texts[2]}) {unit}"
        change = ""
        if row["policy"] != reference:
            low, high, change = row["change_low"], row["change_high"], f"{row['change']:+.1%}"
            if low == low:
                change += f" ({low:+.1%} … {high:+.1%}), "
                change += "a difference" if row["differs"] else "no difference shown"
        rows.append({"policy": row["policy"], **cells, "change": change})
    columns = [
        Column("policy", "policy"),
        Column("mean_wait", "mean wait"),
        Column("max_wait", "longest wait"),
        Column("change", f"change against {reference}"),
    ]
    return Table("seeds", title, columns, rows)


def bootstrap(above: FloatArray, below: FloatArray, seed: int = 0) -> tuple[float, float]:
    """Resample units, such as months, and return the interval of the ratio of their sums.

    Parameters
    ----------
    above, below : float64 arrays, shape (units,)
        What each unit adds to the numerator and to the denominator: pairs stay together.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    tuple of float
        The percentiles of ``RESAMPLES`` resamples; NaN for fewer than ``LEAST_UNITS`` units.
    """
    n = len(above)
    if n < LEAST_UNITS or below.sum() <= 0:
        return float("nan"), float("nan")
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    total = drawn @ below
    ratios = (drawn @ above)[total > 0] / total[total > 0]
    low, high = np.quantile(ratios, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _monthly(comparisons: Sequence[Comparison], policy: str) -> FloatArray:
    """Return the waits of each month's jobs, added up over the seeds (s)."""
    total: FloatArray = np.zeros(0)
    for one in comparisons:
        trace = one.traces[policy]
        submit = one.workload.submit
        month = (submit - submit[0]) // MONTH
        total = total if len(total) else np.zeros(int(month.max()) + 1)
        total = total + np.bincount(month, weights=trace.start - submit, minlength=len(total))
    return total
