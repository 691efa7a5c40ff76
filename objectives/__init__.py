"""The objectives: what a plan costs."""

from objectives.makespan import MAKESPAN
from objectives.wait import SQUARED_WAIT, WAIT
from planner.objective import Objective

#: The objectives by the names that the command uses.
OBJECTIVES: dict[str, Objective] = {
    objective.name: objective for objective in (WAIT, SQUARED_WAIT, MAKESPAN)
}

__all__ = ["MAKESPAN", "OBJECTIVES", "SQUARED_WAIT", "WAIT"]
