"""Tables that kernels are lent by their address."""

import sys
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import typeof
from numba.core.types.abstract import Type
from numba.core.types.containers import NamedTuple as Owned

from planbatch.planner.kernels.lending import Lent, entry_type, lent, owned
from planbatch.planner.kernels.native import kernel
from planbatch.planner.model import IntArray
from planbatch.planner.resources import Windows, no_windows

THREE = np.array([3, 1, 2])


class Inner(NamedTuple):
    """A table inside another."""

    values: IntArray
    weight: float


class Outer(NamedTuple):
    """A table with another inside."""

    inner: Inner
    values: IntArray
    count: int


for made in (Inner, Outer):  # as if they were the project's: only its tables are lent
    made.__module__ = "planbatch.tests.planner.kernels.test_lending"


def kernels() -> SimpleNamespace:
    """Make the kernels, inside a function so that none is kept on disk: their tables are of this process alone."""

    @kernel
    def total(table: Outer) -> float:
        """Read a table, and the one inside it."""
        return table.inner.weight * table.inner.values.sum() + table.values.sum() + table.count

    @kernel
    def total_of_inner(inner: Inner) -> float:
        """Read the inner table, handed on by address."""
        return inner.weight * inner.values.sum()

    @kernel
    def hand_on(table: Outer) -> float:
        """Hand an inner table on."""
        return total_of_inner(table.inner)

    @kernel
    def made_anew(table: Outer, values: IntArray) -> Outer:
        """Put a lent table into a new one, and return it."""
        return Outer(table.inner, values.copy(), table.count + 1)

    @kernel
    def lend_what_it_made(values: IntArray, times: int) -> float:
        """Make a table in a loop, lend it, and keep the last."""
        last = Outer(Inner(values, 0.0), values, 0)
        found = 0.0
        for i in range(times):
            now = Outer(Inner(values + i, 1.0), values, i)
            found += total(now) - total(last)
            last = now
        return found + total(last)

    @kernel
    def either(table: Outer, values: IntArray, anew: bool) -> Outer:
        """Return a lent table or a new one."""
        return made_anew(table, values) if anew else Outer(table.inner, table.values, table.count)

    @kernel
    def write(table: Outer) -> None:
        """Write into arrays of a table."""
        table.values[0] = 7
        table.inner.values[1] = 8

    return SimpleNamespace(**locals())


KERNELS = kernels()


def outer() -> Outer:
    """Make a table in Python."""
    return Outer(Inner(THREE.copy(), 2.0), THREE + 10, 5)


def test_types_from_python_are_lent_all_the_way_down():
    """A plain tuple is not; what owns its entries is another type, with the same entries."""
    kind = typeof(outer())
    assert isinstance(kind, Lent)
    assert isinstance(entry_type(kind, "inner"), Lent)
    assert isinstance(owned(kind), Owned)
    assert isinstance(entry_type(owned(kind), "inner"), Lent)
    assert lent(owned(kind)) == kind
    assert str(kind) != str(owned(kind))  # compiled forms are found on disk by these
    assert not isinstance(typeof((1, 2.0)), Lent)


def test_a_table_of_the_project_is_lent():
    """With its number of columns in the type."""
    kind: Type = typeof(no_windows(1))
    assert isinstance(kind, Lent)
    assert kind.made is Windows


def test_reading():
    """2 · 6 + 36 + 5 = 53; the inner table alone, 2 · 6."""
    assert KERNELS.total(outer()) == 53.0
    assert KERNELS.hand_on(outer()) == 12.0


def test_writing():
    """Arrays are the caller's."""
    table = outer()
    KERNELS.write(table)
    assert table.values.tolist() == [7, 11, 12]
    assert table.inner.values.tolist() == [3, 8, 2]


def test_what_is_returned_is_owned():
    """A new table holds the entries of the lent one, and what the kernel has made."""
    table = outer()
    found = KERNELS.made_anew(table, THREE)
    assert isinstance(found, Outer)
    assert found.inner.values is not None
    del table
    assert (found.inner.values.tolist(), found.inner.weight) == ([3, 1, 2], 2.0)
    assert (found.values.tolist(), found.count) == ([3, 1, 2], 6)
    assert KERNELS.either(outer(), THREE, True).count == 6
    assert KERNELS.either(outer(), THREE, False).count == 5


@pytest.mark.parametrize("times", [0, 1, 2, 5])
def test_a_table_made_in_a_loop_is_not_the_one_before(times):
    """The place of what is lent is the same in each turn; what was kept of the turn before is not touched."""
    assert KERNELS.lend_what_it_made(THREE, times) == KERNELS.lend_what_it_made.py_func(
        THREE, times
    )


def test_references_are_counted_as_before():
    """Thousands of calls with arrays that the kernel makes neither leak nor free what is in use."""
    table = outer()
    before = sys.getrefcount(table.values)
    for _ in range(2000):
        made: Any = KERNELS.made_anew(table, table.values)
        KERNELS.lend_what_it_made(table.values, 3)
    assert made.values.tolist() == [13, 11, 12]
    assert sys.getrefcount(table.values) <= before + 1
