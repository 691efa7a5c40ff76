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


def _policy(name: str) -> Any:
    from planbatch.baselines.catalogue import make_policy

    return make_policy(name)


def _of_frames(name: str) -> Any:
    from planbatch.experiments.workloads import frames

    return getattr(frames, name)


# Names of objectives and policies, and data frames, are taken where their catalogues are not imported.
register_factory("objective", _objective)
register_factory("policy", _policy)
register_factory("frame", _of_frames)
