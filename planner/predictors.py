"""Predictors of run times by name: what replays with the estimates ``predicted:NAME`` plan with."""

from typing import Any

from planbatch.planner.plugins.registry import Registry
from planbatch.planner.predictions.boosted import boosted
from planbatch.planner.predictions.eloss import e_loss
from planbatch.planner.predictions.predictor import Corrector, Predictor, corrector_of
from planbatch.planner.predictions.simple import last_two, ratio

__all__ = [
    "PREDICTORS",
    "PREDICTOR_NAMES",
    "Corrector",
    "Predictor",
    "corrector_of",
]

PREDICTORS: dict[str, Any] = {
    "ratio": ratio,
    "last-two": last_two,
    "e-loss": e_loss,
    "boosted": boosted,
}
"""Name → maker of the predictor.

Examples
--------
>>> import planbatch as pb
>>> sorted(pb.PREDICTORS)
['boosted', 'e-loss', 'last-two', 'ratio']
"""


def _accept(predictor: Any, name: str, values: tuple[Any, ...]) -> Predictor:  # noqa: ARG001
    if not isinstance(predictor, Predictor):
        raise ValueError(f"predictor {name}: {predictor!r} is not a Predictor")
    return predictor


#: The predictors, packages' and users' own among them.
PREDICTOR_NAMES = Registry("predictor", PREDICTORS, (), _accept, "predictors")
