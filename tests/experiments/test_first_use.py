"""The measurement of the first use."""

import math

import pytest

from planbatch.experiments.bench import first_use


def test_a_command_is_timed_in_a_folder_of_its_own(tmp_path):
    """It has an empty cache, so that it compiles, and prints its rows as they are ready."""
    arguments = ("compare", "--policy", "fcfs", "--first", "50", "--no-out")
    first, seconds, processor = first_use.timed(arguments, tmp_path)
    assert 0 < first <= seconds
    assert processor > 0
    assert any((tmp_path / "kernels").rglob("decide_fcfs-*"))


def test_a_command_without_rows_has_no_first_row(tmp_path):
    """``warm-up`` prints none."""
    first, seconds, _ = first_use.timed(("--version",), tmp_path)
    assert math.isnan(first)
    assert seconds > 0


def test_a_command_that_fails_is_named_with_what_it_said(tmp_path):
    """A policy that does not exist."""
    with pytest.raises(RuntimeError, match="no-such"):
        first_use.timed(("compare", "--policy", "no-such"), tmp_path)
