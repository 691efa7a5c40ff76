"""The objectives by the names that the command uses."""

from typing import Any

from planbatch.objectives.aged import AGED_WAIT, aged_wait_from
from planbatch.objectives.deadline import MAXIMUM_TARDINESS, MISSED_DEADLINES, REGULAR_WAIT, TARDINESS
from planbatch.objectives.expected import EXPECTED_SLOWDOWN
from planbatch.objectives.makespan import MAKESPAN
from planbatch.objectives.response import BOUNDED_SLOWDOWN, RESPONSE, STRETCH
from planbatch.objectives.wait import AREA_WAIT, FOURTH_WAIT, SQUARED_WAIT, USER_WAIT, WAIT
from planbatch.objectives.weighted import WEIGHTED_WAIT, weighted_wait
from planbatch.planner.objective import Objective
from planbatch.planner.registry.objective import objective_of
from planbatch.planner.registry.registry import Registry

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
        WEIGHTED_WAIT,
        RESPONSE,
        BOUNDED_SLOWDOWN,
        EXPECTED_SLOWDOWN,
        STRETCH,
        TARDINESS,
        MAXIMUM_TARDINESS,
        MISSED_DEADLINES,
        REGULAR_WAIT,
    )
}
"""The objectives by the names that the command uses.

Examples
--------
>>> import planbatch as pb
>>> from planbatch.objectives import WAIT
>>> pb.OBJECTIVES["wait"] is WAIT
True
"""


def _documented(target: object) -> Any:
    return target.cost if isinstance(target, Objective) else target


OBJECTIVE_NAMES = Registry(
    "objective",
    {**OBJECTIVES, AGED_WAIT.name: aged_wait_from, WEIGHTED_WAIT.name: weighted_wait},
    ("start", "jobs", "now"),
    objective_of,
    "objectives",
    _documented,
)
"""The objectives by name, packages' and users' own among them.

Examples
--------
>>> from planbatch.objectives import OBJECTIVE_NAMES
>>> "wait" in OBJECTIVE_NAMES.known
True
"""


def make_objective(name: str) -> Objective:
    """Make the objective of a name: ``wait``, ``aged-wait:12h``, or a user's own, ``FILE.py:name`` or ``MODULE:name``.

    Parameters
    ----------
    name : str
        One of :data:`OBJECTIVES`, with parameters after a colon; or a user's own.

    Raises
    ------
    ValueError
        If there is no objective of this name (the message suggests the nearest), or a parameter cannot be read; as
        ``PluginError``, if a user's file or function cannot be used.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.make_objective("aged-wait:12h").name
    'aged-wait:12h'
    >>> pb.make_objective("weighted-wait:power=1.5,area=0").name
    'weighted-wait:power=1.5,area=0,size=0,length=0,age=0'
    """
    return OBJECTIVE_NAMES.make(name)  # type: ignore[no-any-return]
