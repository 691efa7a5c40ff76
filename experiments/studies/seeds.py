"""Several comparisons that differ only in their seed: means, ranges, and which differences are any."""

from collections.abc import Sequence

import numpy as np
from pandas import DataFrame

from planbatch.experiments.report.summary import bootstrap
from planbatch.experiments.studies.compare import Comparison
from planbatch.planner.model import FloatArray

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
