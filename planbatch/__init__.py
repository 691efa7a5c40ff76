"""Plan-based batch scheduling: give every waiting job a start time, and search for the best such plan."""

from typing import TYPE_CHECKING

from planbatch.lazy import offer

if TYPE_CHECKING:
    from planbatch.baselines import *
    from planbatch.experiments import *
    from planbatch.objectives import *
    from planbatch.planner import *

offer(__name__)
