"""Plan-based batch scheduling: give every waiting job a start time, and search for the best such plan."""

from typing import TYPE_CHECKING, Any

from planbatch.lazy import offer
from planbatch.planner.names import provide

if TYPE_CHECKING:
    from planbatch.baselines import *
    from planbatch.experiments import *
    from planbatch.objectives import *
    from planbatch.planner import *

offer(__name__)


def _objective(name: str) -> Any:
    from planbatch.objectives.catalogue import make_objective

    return make_objective(name)


# The planner takes names of objectives, but its layer may not import them.
provide("objective", _objective)
