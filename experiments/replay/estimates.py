"""What schedulers know of run times (design rule 8)."""

from planbatch.experiments.workloads.options import REQUESTED
from planbatch.planner.display import short_repr
from planbatch.planner.history.history import History
from planbatch.planner.history.predictor import Predictor
from planbatch.planner.history.predictors import PREDICTOR_NAMES
from planbatch.planner.model import IntArray, Workload

#: ``requested``, ``actual``, ``mixed``, or ``predicted:NAME``.
Estimates = str
ESTIMATES = (REQUESTED, "actual", "mixed")
PREDICTED = "predicted:"


def predictor_of(estimates: Estimates) -> Predictor | None:
    """Return the predictor that estimates name, None if they name none; ``ValueError`` if there are no such ones."""
    if not isinstance(estimates, str) or not (estimates in ESTIMATES or estimates.startswith(PREDICTED)):
        raise ValueError(f"estimates: {short_repr(estimates)} is none of {', '.join(ESTIMATES)}, predicted:NAME")
    if estimates in ESTIMATES:
        return None
    predictor: Predictor = PREDICTOR_NAMES.make(estimates.removeprefix(PREDICTED))
    return predictor


def check_estimates(estimates: Estimates) -> Estimates:
    """Return estimates unchanged; ``ValueError`` if there are none of this name."""
    predictor_of(estimates)
    return estimates


def estimated_times(workload: Workload, estimates: Estimates) -> tuple[IntArray, IntArray]:
    """Return the times that schedulers reckon with for each job while it waits and while it runs (s).

    Where they are predicted, these are the requests, and predictions take their places as they are made.
    """
    waiting = workload.runtime if estimates in ("actual", "mixed") else workload.walltime
    return waiting, workload.runtime if estimates == "actual" else workload.walltime


def shared_history(history: History | None, predictor: Predictor | None) -> History | None:
    """Return the one history that an order and a predictor ask for; ``ValueError`` if they ask for different ones."""
    if predictor is None:
        return history
    if history is not None and history != predictor.history:
        raise ValueError(
            "estimates: the policy's order asks for another history than the predictor keeps, and a replay keeps one"
        )
    return predictor.history
