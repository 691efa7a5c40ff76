"""Mean against maximum wait: the front, several promises in one comparison, the picture and its ticks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.figures.comparison import draw_trade_off
from planbatch.experiments.figures.panels import pareto_front
from planbatch.experiments.studies.compare import compare
from planbatch.experiments.workloads.lublin import synthetic_workload

COSTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14)


@given(COSTS)
def test_front_against_brute_force(costs):
    """A point is on the front if no other is better in one cost and no worse in the other; ties are many here."""
    expected = [not any(a <= c and b <= d and (a, b) != (c, d) for a, b in costs) for c, d in costs]
    assert pareto_front(np.array(costs, dtype=float)).tolist() == expected


def test_front_by_hand():
    """Stairs of three points; one above them, one equal to a stair.

    ::

        3 | x              1: (1, 3)  2: (2, 2)  3: (2, 2)  4: (3, 2)  5: (4, 0)
        2 |    xx  .
        0 |           x
    """
    costs = np.array([(1.0, 3.0), (2.0, 2.0), (2.0, 2.0), (3.0, 2.0), (4.0, 0.0)])
    assert pareto_front(costs).tolist() == [True, True, True, False, True]


def test_one_policy_with_several_promises():
    """Each has a name and a point; a promise changes no other policy's replay."""
    workload = synthetic_workload(jobs=150, capacity=64, load=0.9)
    promised = make_policy("plan-wait", promise="2x")
    comparison = compare(workload, ["easy", "plan-wait", promised])
    names = ["easy", "plan-wait, no promise", "plan-wait, promise 2x"]
    assert list(comparison.finished) == [row["policy"] for row in comparison.summaries] == names
    alone = compare(workload, [promised])
    assert alone.metrics["plan-wait"] == comparison.metrics[names[2]]
    axes = draw_trade_off(comparison)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == names
