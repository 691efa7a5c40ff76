"""Looking through long columns, compared with a look at every entry."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.planner.kernels.blocks import BLOCK, any_at_most, next_planned
from planbatch.planner.model import NEVER

LENGTHS = st.integers(0, 3 * BLOCK + 2)


@given(LENGTHS, st.lists(st.integers(0, 3 * BLOCK), max_size=4), st.integers(0, 3 * BLOCK))
def test_the_next_start_is_found(length, places, first):
    """From any job on, in plans in which few jobs have one."""
    start = np.full(length, NEVER)
    for place in places:
        start[place:][:1] = place
    planned = [i for i in range(first, length) if start[i] != NEVER]
    assert next_planned(start, first) == (planned[0] if planned else max(length, first))


@given(LENGTHS, st.integers(0, 3 * BLOCK), st.integers(-2, 2))
def test_a_small_entry_is_found(length, place, value):
    """In any block, or behind the last one."""
    column = np.full(length, 5)
    column[place:][:1] = value
    assert any_at_most(column, 0) == (column <= 0).any()


@pytest.mark.parametrize("length", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK])
def test_nothing_is_found_where_nothing_is(length):
    """At the ends of blocks, too."""
    assert next_planned(np.full(length, NEVER), 0) == length
    assert not any_at_most(np.full(length, 1), 0)
