"""What a predictor of run times is, and what becomes of a prediction that a job outlives.

Kill time and prediction differ (Tsafrir, Etsion, Feitelson, TPDS 2007): jobs are killed at their request, and
planned with the prediction. A predictor is a :class:`~planbatch.planner.history.history.History`, one of whose columns
is the predicted run time; so it is shown a run time when the job has ended, and no other way. A job that outlives its
prediction is given another by a *corrector*, in the next round that there is.

By default only waiting jobs are planned by predictions, and running ones hold what they have until their requests end:
where these count by predictions, too, what is reserved for the largest jobs is put off again and again.
"""

from dataclasses import dataclass
from enum import IntEnum

from planbatch.planner.history.history import History


class Corrector(IntEnum):
    """The new prediction of a job that has outlived its own; at most its request, except ``DOUBLING_BEYOND``."""

    INCREMENTAL = 0  #: the prediction and 1, 5, 15, 30 min, 1, 2, 5, 10, 20, 50, 100 h, the first that is enough
    DOUBLING = 1  #: the prediction, doubled until it is enough
    REQUEST = 2  #: the request
    AT_START = 3  #: the request, as soon as it runs: only waiting jobs are planned by predictions
    DOUBLING_BEYOND = 4  #: as doubling, beyond the request if need be: what Gaussier et al. (SC 2015) printed


@dataclass(frozen=True)
class Predictor:
    """Predicts the run times of waiting jobs. Experimental: it may change in any release.

    Attributes
    ----------
    history : History
        Its state and its columns.
    column : int
        The column of ``jobs.past`` with the predicted run time (s), rounded down, and clipped to one second and the
        request. NaN is the request.
    corrector : Corrector
        Replaces a prediction that a job outlives.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> predictor = pb.PREDICTORS["last-two"](correction="doubling")
    >>> predictor.corrector.name
    'DOUBLING'
    >>> pb.metrics(pb.replay(workload, "easy", estimates="predicted:last-two")).jobs
    100
    """

    history: History
    column: int
    corrector: Corrector = Corrector.AT_START


def corrector_of(name: str) -> Corrector:
    """Return a corrector by its name; ``ValueError`` if there is none of this name."""
    names = [corrector.name.lower().replace("_", "-") for corrector in Corrector]
    if name not in names:
        raise ValueError(f"correction: {name!r} is none of {', '.join(names)}")
    return Corrector(names.index(name))
