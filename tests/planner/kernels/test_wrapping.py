"""Wrappers by which Python calls kernels: one for all kernels with the same types."""

import os
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from planbatch.planner.kernels import wrapping
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from tests import needs

ROOT = Path(__file__).resolve().parents[3]

pytestmark = needs.COMPILED_KERNELS


@pytest.fixture
def made(monkeypatch):
    """The calls for which a wrapper is made or loaded; none is known at first."""
    found = []
    make = wrapping._wrapper
    monkeypatch.setattr(wrapping, "_wrappers", {})
    monkeypatch.setattr(
        wrapping, "_wrapper", lambda context, call: found.append(call) or make(context, call)
    )
    return found


def test_kernels_with_the_same_types_share_a_wrapper(made):
    """Each is called by its own address."""

    @kernel
    def total(column, factor):
        return factor * column.sum()

    @kernel
    def greatest(column, factor):
        return factor * column.max()

    column = np.arange(4)
    assert (total(column, 2), greatest(column, 2), total(column, 3)) == (12, 6, 18)
    assert len(made) == 1


def test_wrappers_differ_by_types_and_by_whether_references_are_counted(made):
    """What they do differs, too."""

    @kernel
    def twice(x):
        return 2 * x

    @borrowing_kernel
    def thrice(x):
        return 3 * x

    assert (twice(2), twice(0.5), thrice(2)) == (4, 1.0, 6)
    assert len(set(made)) == 3


def test_arrays_are_returned_with_their_types(made):
    """A wrapper makes them with the type of their entries, which all its kernels find."""

    @kernel
    def ones(n):
        return np.ones(n)

    @kernel
    def zeros(n):
        return np.zeros(n)

    assert (ones(2).tolist(), zeros(3).tolist()) == ([1.0, 1.0], [0.0, 0.0, 0.0])
    assert len(made) == 1


def test_errors_reach_python(made):
    """Those of the kernel, and those of its arguments."""

    @kernel
    def root(x):
        if x < 0:
            raise ValueError("negative")
        return x**0.5

    @kernel
    def same(x):
        return x * 1.0

    assert (root(4), same(4)) == (2.0, 4.0)
    with pytest.raises(ValueError, match="negative"):
        root(-1)
    with pytest.raises(OverflowError):
        same(2**70)
    assert len(made) == 1


def pair_of(first, second):
    """A kernel that returns a named tuple of a class of its own."""
    pair = namedtuple("Pair", ("first", "second"))

    @kernel
    def made(x):
        return pair(first * x, second * x)

    return pair, made


def test_named_tuples_of_users_keep_their_classes(made, tmp_path, monkeypatch):
    """Classes of one name are told apart, and their wrappers, which hold them, are not kept on disk."""
    monkeypatch.setenv("PLANBATCH_CACHE_DIR", str(tmp_path))
    (one, as_one), (other, as_other) = pair_of(1, 2), pair_of(3, 4)
    assert (as_one(2), as_other(2)) == ((2, 4), (6, 8))
    assert (type(as_one(2)), type(as_other(2))) == (one, other)
    assert len(made) == 2
    assert not list(tmp_path.rglob("python_function-*"))


CALL = """
from planbatch.planner.kernels import wrapping
from planbatch.planner.kernels.sorting import stable_order
import numpy as np
made = []
make = wrapping._made
wrapping._made = lambda *given: made.append(given) or make(*given)
print(stable_order(np.array([3.0, 1.0, 2.0])), len(made))
"""


def test_wrappers_are_loaded_from_disk(tmp_path):
    """The second process makes none."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PLANBATCH_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", CALL]
    run = {"env": environment, "check": True, "capture_output": True, "text": True}
    assert [subprocess.run(command, **run).stdout for _ in range(2)] == [
        "[1 2 0] 1\n",
        "[1 2 0] 0\n",
    ]
    assert len(list(tmp_path.rglob("python_function-*"))) == 1
