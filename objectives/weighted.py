"""Waits to a power, weighted by area, size, length, age, expected run and fair-share to powers: a family to tune."""

from functools import cache, partial

from planbatch import _core
from planbatch.planner.model import JobTable
from planbatch.planner.objective import Objective
from planbatch.planner.terms import Terms, mean_terms

#: The largest power of the wait, and the largest exponents of weights, up or down: beyond, costs leave float64.
LARGEST_POWER, LARGEST_EXPONENT = 8.0, 4.0


def weighted_terms(jobs: JobTable, now: int, cost: _core.MeanWeightedWait, power: int) -> Terms:
    """Return the terms of :func:`weighted_wait`."""
    return mean_terms(cost.weights(jobs, now), jobs.submit, power)


_DEFAULT = _core.MeanWeightedWait()
WEIGHTED_WAIT = Objective("weighted-wait", _DEFAULT, terms=partial(weighted_terms, cost=_DEFAULT, power=2))
""":func:`weighted_wait` with its defaults: (1/n) Σ waitᵢ² / areaᵢ.

Examples
--------
>>> from planbatch import Round, objectives, solve
>>> solve(Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), objectives.WEIGHTED_WAIT).cost
3.125
"""


@cache
def weighted_wait(
    power: float = 2.0,
    area: float = -1.0,
    size: float = 0.0,
    length: float = 0.0,
    age: float = 0.0,
    run: float = 0.0,
    share: float = 0.0,
) -> Objective:
    """Waits to a power, times area, size, length, age … to powers: (1/n) Σ weightᵢ · (startᵢ − submitᵢ)^power.

    weightᵢ = areaᵢ^area · procsᵢ^size · walltimeᵢ^length · ageᵢ^age · E[runᵢ]^run · Fᵢ^share, with areaᵢ = procsᵢ ·
    walltimeᵢ (processor-seconds), ageᵢ = now − submitᵢ (s) and E[runᵢ] the run time that is expected of the user's past
    (s); each counts as at least 1. Fᵢ is the fair-share factor of the job's user, from 1 for one without decayed use
    down to 0, as in Slurm (a half-life of a week); a positive ``share`` favours those who used little. With a power of
    1 or 2 the objective has :class:`Terms`, and so lower bounds; with any other it has none.

    Parameters
    ----------
    power : float
        Exponent of the wait, above 0 and at most 8.
    area, size, length, age, run, share : float
        Exponents of the weight, from −4 to 4. ``run`` and ``share`` ask for histories; a replay has one, so that one
        of them is 0.

    Raises
    ------
    ValueError
        If an exponent is out of its range, or neither ``run`` nor ``share`` is 0; names it.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.objectives import weighted_wait
    >>> problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50)])
    >>> pb.solve(problem, weighted_wait(power=1, area=-1)).plan.start.tolist()
    [50, 0]
    """
    if not 0 < power <= LARGEST_POWER:
        raise ValueError(f"weighted-wait: power: {power:g} is not above 0 and at most 8")
    parameters = {"area": area, "size": size, "length": length, "age": age, "run": run, "share": share}
    for name, value in parameters.items():
        if not abs(value) <= LARGEST_EXPONENT:
            raise ValueError(f"weighted-wait: {name}: {value:g} is not from -4 to 4")
    if run != 0.0 and share != 0.0:
        raise ValueError(
            "weighted-wait: run, share: these ask for two histories, and a replay has one; leave one of them 0"
        )
    cost = _core.MeanWeightedWait(*map(float, (power, area, size, length, age, run, share)))
    if cost == _DEFAULT:
        return WEIGHTED_WAIT
    named = {"power": power, "area": area, "size": size, "length": length, "age": age}
    named |= {"run": run} if run else {"share": share} if share else {}
    text = ",".join(f"{name}={float(value):g}" for name, value in named.items())
    terms = partial(weighted_terms, cost=cost, power=int(power)) if power in (1.0, 2.0) else None
    return Objective(f"weighted-wait:{text}", cost, terms=terms)
