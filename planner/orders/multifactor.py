"""Slurm's multifactor priority."""

from planbatch import _core
from planbatch.planner.durations import seconds_of
from planbatch.planner.orders.order import OrderKeys


def multifactor(
    age: float = 1000.0, fairshare: float = 10000.0, size: float = 0.0, max_age: str = "7d", half_life: str = "7d"
) -> OrderKeys:
    """Slurm's multifactor priority: the weighted sum of age, fair-share and size, largest first.

    Age is min(1, w / max_age), fair-share 2^(−U / S) with U the part that the user has in the decayed use of all and
    S the same share for every user so far, size n / N. Use accrues while jobs run, by the processors that they hold.
    Slurm computes use every five minutes, here it is up to date in every round; Slurm's priorities are whole numbers,
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
    return _core.Multifactor(float(age), float(fairshare), float(size), *map(float, lengths))
