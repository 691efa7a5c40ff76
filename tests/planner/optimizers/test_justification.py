"""Double justification (Valls, Ballestín, Quintanilla 2005): jobs move as late as they can, then as early."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planbatch.objectives import MAKESPAN
from planbatch.planner.optimizers import make_optimizer
from planbatch.planner.plan import Plan, check_plan
from planbatch.planner.round import Round
from tests.builders import rounds_with_resources
from tests.examples import examples


def search_of(problem, order):
    """A search of which one order was tried."""
    search = MAKESPAN.search(problem, setting=make_optimizer("hybrid").setting)
    search.evaluate(np.array(order))
    return search


def test_a_plan_is_justified_by_hand():
    """Two processors: the long job C is moved to the end with A behind B, and is the first to start afterwards.

    ::

        ACC    .CC    CC
        B      .BA    BA
    """
    search = search_of(Round.of(2, 0, [], [(0, 1, 1), (0, 1, 1), (0, 1, 2)]), [0, 1, 2])
    assert search.start.tolist() == [0, 0, 1]
    assert search.justify()
    assert search.start.tolist() == [1, 0, 0]


@settings(max_examples=examples(200))
@given(problem=rounds_with_resources(most_jobs=8), data=st.data())
def test_a_justified_plan_is_feasible_and_never_ends_later(problem, data):
    """With running jobs, windows and further resources; the last plan that was tried is a plan as well."""
    assume(len(problem) > 0)
    search = search_of(problem, data.draw(st.permutations(range(len(problem)))))
    before = search.cost
    assert search.justify()
    assert search.cost <= before
    for start in (search.start, search.trial):
        assert check_plan(problem, Plan(start), complete=True) == []
        assert (start + problem.jobs.walltime).max() - problem.now == search.cost
