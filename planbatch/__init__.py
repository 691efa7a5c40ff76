"""Plan-based batch scheduling: give every waiting job a start time, and search for the best such plan."""

from typing import TYPE_CHECKING, Any

from planbatch.lazy import offer
from planbatch.planner.names import register_factory

if TYPE_CHECKING:
    from planbatch.baselines import *
    from planbatch.experiments import *
    from planbatch.objectives import *
    from planbatch.planner import *

offer(__name__)


def _objective(name: str) -> Any:
    from planbatch.objectives.catalogue import make_objective

    return make_objective(name)


def _of_frames(name: str) -> Any:
    from planbatch.experiments.workloads import frames

    return getattr(frames, name)


# The planner takes names of objectives and data frames, but its layer may not import what they need.
register_factory("objective", _objective)
register_factory("frame", _of_frames)
