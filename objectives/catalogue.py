"""The objectives by the names that the command uses."""

from collections.abc import Callable

from planbatch.objectives.aged import AGED_WAIT, parse_aged_wait
from planbatch.objectives.deadline import (
    MAXIMUM_TARDINESS,
    MISSED_DEADLINES,
    REGULAR_WAIT,
    TARDINESS,
)
from planbatch.objectives.makespan import MAKESPAN
from planbatch.objectives.response import BOUNDED_SLOWDOWN, RESPONSE, STRETCH
from planbatch.objectives.wait import AREA_WAIT, FOURTH_WAIT, SQUARED_WAIT, USER_WAIT, WAIT
from planbatch.planner.names import did_you_mean
from planbatch.planner.objective import Objective

#: The objectives by the names that the command uses.
OBJECTIVES: dict[str, Objective] = {
    objective.name: objective
    for objective in (
        WAIT,
        SQUARED_WAIT,
        MAKESPAN,
        AGED_WAIT,
        FOURTH_WAIT,
        AREA_WAIT,
        USER_WAIT,
        RESPONSE,
        BOUNDED_SLOWDOWN,
        STRETCH,
        TARDINESS,
        MAXIMUM_TARDINESS,
        MISSED_DEADLINES,
        REGULAR_WAIT,
    )
}


#: Objectives that are 0 for every plan if no job has a deadline.
DEADLINE_OBJECTIVES = frozenset(
    objective.name for objective in (TARDINESS, MAXIMUM_TARDINESS, MISSED_DEADLINES)
)

#: Objectives that take a parameter after a colon, such as ``aged-wait:12h``, and the functions that read it.
PARAMETRIC: dict[str, Callable[[str], Objective]] = {AGED_WAIT.name: parse_aged_wait}


def make_objective(name: str) -> Objective:
    """The objective of a name, with its parameter if it takes one: ``aged-wait:12h``.

    Raises
    ------
    ValueError
        If there is no objective of this name (the message suggests the nearest), or the parameter cannot be read.
    """
    base, colon, parameter = name.partition(":")
    if colon and base in PARAMETRIC:
        return PARAMETRIC[base](parameter)
    if name not in OBJECTIVES:
        raise ValueError(f"objective: there is no {name!r}; {did_you_mean(name, OBJECTIVES)}")
    return OBJECTIVES[name]
