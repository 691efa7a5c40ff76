"""Slurm's multifactor priority with classic fair-share, as an order."""

from functools import cache

import numpy as np

from planbatch.planner.composed_orders import OrderKeys
from planbatch.planner.durations import seconds_of
from planbatch.planner.history import History
from planbatch.planner.kernels.native import kernel, made_kernel
from planbatch.planner.kernels.signatures import FOLLOW, ORDER_KEYS
from planbatch.planner.model import FloatArray, IntArray, JobTable
from planbatch.planner.plugins.compiling import is_compiled
from planbatch.planner.use import SHARE, SIZE, WIDTH, follow_use


@kernel
def priorities(
    jobs: JobTable, now: int, age: float, fairshare: float, size: float, max_age: float
) -> FloatArray:
    """The negative sum of the weighted factors; without a history, all have the factor 1 of those who used nothing."""
    keys = np.empty(len(jobs.submit))
    known = jobs.past.shape[1] > SIZE
    for i in range(len(keys)):
        waited = min(1.0, float(now - jobs.submit[i]) / max_age)
        keys[i] = -age * waited
        keys[i] -= fairshare * (jobs.past[i, SHARE] if known else 1.0)
        keys[i] -= size * (jobs.past[i, SIZE] if known else 0.0)
    return keys


def multifactor(
    age: float = 1000.0,
    fairshare: float = 10000.0,
    size: float = 0.0,
    max_age: str = "7d",
    half_life: str = "7d",
) -> OrderKeys:
    """Slurm's multifactor priority: the weighted sum of age, fair-share and size, largest first.

    Age is min(1, w / max_age), fair-share 2^(−U / S) with U the part that the user has in the decayed use of all and
    S the same share for every user so far, size n / N. Use accrues while jobs run, by the processors that they hold.
    Slurm reckons use every five minutes, here it is up to date in every round; Slurm's priorities are whole numbers,
    these are not.

    Parameters
    ----------
    age, fairshare, size : float
        PriorityWeightAge, PriorityWeightFairshare, PriorityWeightJobSize.
    max_age, half_life : str
        PriorityMaxAge and PriorityDecayHalfLife, as durations.

    Raises
    ------
    ValueError
        If a weight is negative or a duration is none.
    """
    for name, weight in (("age", age), ("fairshare", fairshare), ("size", size)):
        if not weight >= 0:
            raise ValueError(f"multifactor: {name}: the weight {weight} is negative")
    lengths = []
    for name, text in (("max_age", max_age), ("half_life", half_life)):
        try:
            lengths.append(seconds_of(text))
        except ValueError as error:
            raise ValueError(f"multifactor: {name}: {error}") from None
        if not lengths[-1] > 0:
            raise ValueError(f"multifactor: {name}: {text} is not positive")
    return _multifactor(float(age), float(fairshare), float(size), *map(float, lengths))


@cache
def _multifactor(
    age: float, fairshare: float, size: float, max_age: float, half_life: float
) -> OrderKeys:
    @made_kernel
    def keys(jobs: JobTable, now: int) -> FloatArray:
        return priorities(jobs, now, age, fairshare, size, max_age)

    @made_kernel
    def follow(news: IntArray, memory: FloatArray, jobs: JobTable, now: int) -> None:
        follow_use(news, memory, jobs, now, half_life)

    arguments = (age, fairshare, size, max_age, half_life)
    if is_compiled(keys):
        keys.compile(ORDER_KEYS.signature)
        follow.compile(FOLLOW.signature)
        follow.__dict__["made_by"] = (_follow_of, arguments)
    keys.__dict__["made_by"] = (_multifactor, arguments)
    keys.__dict__["history"] = History(follow, WIDTH, 2)
    return keys  # type: ignore[no-any-return]


def _follow_of(*arguments: float) -> object:
    """Return the history's kernel of an order, for other processes."""
    return _multifactor(*arguments).history.follow  # type: ignore[attr-defined]
