"""Run times as users would estimate them.

After Tsafrir, Etsion and Feitelson, "Modeling User Runtime Estimates", JSSPP 2005: users pick round
values, some 20 different ones account for about 90 % of all jobs, the longest allowed time is one of them, and
estimates bound run times from above, mostly by a wide margin. This is not their model, but a simpler one with these
properties: the popular values below and their shares are near the means of six real logs (KTH-SP2, SDSC-SP2,
SDSC-BLUE, SDSC-DS, HPC2N, Theta 2022), and estimates are drawn independently.
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from planbatch.planner.model import IntArray

MINUTE = 60
HOUR = 3600
#: Longest time that may be requested (s); above the longest run time of the Lublin–Feitelson model.
LONGEST = 48 * HOUR
#: The share of all jobs that choose a popular value.
POPULAR_SHARE = 0.9
#: Popular estimate (minutes) → how many of 90 jobs choose it; the longest one is added to these.
POPULAR = {
    5: 7.0, 10: 7.0, 15: 6.0, 20: 3.0, 30: 11.0, 45: 1.0, 60: 11.0, 90: 1.0, 120: 11.0, 180: 7.0, 240: 6.0,
    300: 2.0, 360: 5.0, 480: 2.0, 600: 1.0, 720: 3.0, 900: 0.5, 1440: 2.0, 2160: 0.5,
}  # fmt: skip
LONGEST_WEIGHT = 3.0
#: All other estimates are multiples of this (s).
GRAIN = 5 * MINUTE


def popular_estimates(longest: int = LONGEST) -> tuple[IntArray, NDArray[np.float64]]:
    """List the popular estimates (s), increasing up to the longest, int64, and their shares of the popular choices.

    Both of shape (k,); the shares sum to 1.
    """
    weights = {minutes * MINUTE: w for minutes, w in POPULAR.items() if minutes * MINUTE < longest}
    values = np.array([*weights, longest], dtype=np.int64)
    shares = np.array([*weights.values(), LONGEST_WEIGHT])
    return values, shares / shares.sum()


def user_estimates(runtime: IntArray, rng: Generator, longest: int = LONGEST) -> IntArray:
    """Draw an estimate (s) for every run time (s, at least 1); int64, shape (n,), none below it or above the longest.

    With probability ``POPULAR_SHARE`` a job gets a popular value, in proportion to the shares of those that are not
    below its run time; otherwise some multiple of five minutes, log-uniform between its run time and the longest time.
    Three random numbers are used per job. Raises ``ValueError`` if a run time is above ``longest``.
    """
    if len(runtime) and runtime.max() > longest:
        raise ValueError(f"longest: a job runs for {runtime.max()} s, longer than {longest} s")
    is_popular, which, where = rng.random((3, len(runtime)))
    values, shares = popular_estimates(longest)
    before = np.concatenate([[0.0], np.cumsum(shares)])
    least = before[np.searchsorted(values, runtime)]
    indices = np.searchsorted(before, least + which * (before[-1] - least), side="right") - 1
    popular = values[np.clip(indices, np.searchsorted(values, runtime), len(values) - 1)]
    low = np.log(np.maximum(runtime, GRAIN))
    other = np.exp(low + where * (np.log(max(longest, GRAIN)) - low))
    other = np.minimum(np.ceil(other / GRAIN) * GRAIN, longest).astype(np.int64)
    return np.where(is_popular < POPULAR_SHARE, popular, np.maximum(other, runtime))
