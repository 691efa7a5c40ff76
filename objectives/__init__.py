"""The objectives: what a plan costs."""

from typing import TYPE_CHECKING

from planbatch import lazy

if TYPE_CHECKING:
    from planbatch.objectives.aged import AGED_WAIT as AGED_WAIT, aged_wait as aged_wait
    from planbatch.objectives.catalogue import (
        OBJECTIVES as OBJECTIVES,
        OBJECTIVE_NAMES as OBJECTIVE_NAMES,
        make_objective as make_objective,
    )
    from planbatch.objectives.combine import lexicographic as lexicographic, weighted_sum as weighted_sum
    from planbatch.objectives.deadline import (
        MAXIMUM_TARDINESS as MAXIMUM_TARDINESS,
        MISSED_DEADLINES as MISSED_DEADLINES,
        REGULAR_WAIT as REGULAR_WAIT,
        TARDINESS as TARDINESS,
    )
    from planbatch.objectives.expected import EXPECTED_SLOWDOWN as EXPECTED_SLOWDOWN
    from planbatch.objectives.makespan import MAKESPAN as MAKESPAN
    from planbatch.objectives.response import (
        BOUNDED_SLOWDOWN as BOUNDED_SLOWDOWN,
        RESPONSE as RESPONSE,
        STRETCH as STRETCH,
    )
    from planbatch.objectives.scenarios import over_scenarios as over_scenarios
    from planbatch.objectives.wait import (
        AREA_WAIT as AREA_WAIT,
        FOURTH_WAIT as FOURTH_WAIT,
        SQUARED_WAIT as SQUARED_WAIT,
        USER_WAIT as USER_WAIT,
        WAIT as WAIT,
        powered_wait as powered_wait,
    )
    from planbatch.objectives.weighted import WEIGHTED_WAIT as WEIGHTED_WAIT, weighted_wait as weighted_wait

lazy.offer(__name__)
