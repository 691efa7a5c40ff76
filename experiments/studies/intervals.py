"""Bootstrap intervals of ratios."""

import numpy as np

from planbatch.planner.model import FloatArray

#: Number of bootstrap resamples, and the confidence level.
RESAMPLES, LEVEL = 2000, 0.95
#: Fewer units than this give no interval.
LEAST_UNITS = 3


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
