"""Sorting in kernels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.planner.kernels.sorting import RUN, stable_order


@given(st.lists(st.integers(-5, 5), max_size=5 * RUN), st.sampled_from([np.int64, np.float64]))
def test_equal_entries_keep_their_order(values, kind):
    """As numpy's stable sort, whatever the number of runs."""
    keys = np.array(values, dtype=kind)
    assert stable_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.parametrize("n", [RUN, RUN + 1, 2 * RUN, 4 * RUN + 1, 1000])
def test_runs_of_all_lengths_are_merged(n):
    """Sorted, reversed and random columns."""
    rng = np.random.default_rng(n)
    for keys in (np.arange(n), np.arange(n)[::-1].copy(), rng.permutation(n)):
        assert keys[stable_order(keys)].tolist() == list(range(n))


def test_every_index_is_there_once_even_among_nans():
    """An order of a user that returns NaN gives some order, and no job twice."""
    keys = np.array([3.0, np.nan, 1.0, np.nan] * RUN)
    assert sorted(stable_order(keys).tolist()) == list(range(len(keys)))
