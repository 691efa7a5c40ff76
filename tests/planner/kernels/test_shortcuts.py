"""Shortcuts through numba change nothing but its speed."""

import operator
import pickle
import subprocess
import sys

import numpy as np
import pytest
from llvmlite.binding import ffi
from numba import njit, objmode, types
from numba.core import ir
from numba.core.compiler import Flags
from numba.core.registry import cpu_target
from numba.extending import overload_attribute

from planbatch.planner.kernels import shortcuts
from planbatch.planner.kernels.native import kernel
from tests import needs

pytestmark = needs.COMPILED_KERNELS

HERE = ir.Loc("file.py", 1)


def variable(name):
    """A variable of numba's."""
    return ir.Var(None, name, HERE)


@pytest.mark.parametrize(
    ("entry", "names"),
    [
        (variable("a"), ["a"]),
        ("a", []),
        (None, []),
        ([variable("a"), (variable("b"), 3, "c"), HERE], ["a", "b"]),
        ({"first": variable("a"), "second": {"third": [variable("b")]}}, ["a", "b"]),
        (ir.Expr.binop(operator.add, variable("a"), variable("b"), HERE), ["a", "b"]),
        ([ir.Expr.getattr(variable("a"), "real", HERE)], ["a"]),
    ],
)
def test_variables_are_found_wherever_they_are(entry, names):
    """In lists, tuples, dictionaries and instructions."""
    found = ir.Inst._rec_list_vars(ir.Expr.null(HERE), entry)
    assert [each.name for each in found] == names


def test_generators_know_what_lives():
    """They are prepared as numba does it."""

    @njit
    def numbers(n):
        before = 0
        for i in range(n):
            if i % 2:
                before += i
                yield before

    @njit
    def total(n):
        result = 0
        for number in numbers(n):
            result += number
        return result

    assert total(6) == 1 + 4 + 9


def test_python_in_compiled_functions_knows_what_lives():
    """It asks for the variables at the entries of blocks, which are computed only then."""

    @njit
    def doubled_length(n):
        with objmode(length="int64"):
            text = ""
            for i in range(n):
                text += "a" if i % 2 else "bb"
            length = len(text)
        return 2 * length

    assert doubled_length(5) == 16


def test_options_are_those_that_were_set():
    """Two lists of options are equal if all values are."""
    one, other = Flags(), Flags()
    assert one == other
    assert hash(one) == hash(other)
    one.nrt = True
    assert one != other
    assert one.values()["nrt"] is True
    assert list(one.values()) == list(Flags.options)
    other.nrt = True
    assert one == other


def test_hashes_of_types_stay_in_their_process():
    """Those of strings, and so of types, differ in others."""
    kind = types.Array(types.int64, 1, "C")
    hash(kind)
    text = pickle.dumps(kind)
    code = f"import pickle; kind = pickle.loads({text!r}); import numba; print(hash(kind) == hash(numba.int64[::1]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_a_function_that_is_registered_for_another_is_found():
    """By its name in a module, too."""

    @kernel
    def larger(a, b):
        return max(a, np.maximum(a, b)) + abs(-1)

    assert larger(2, 3) == 4


def test_what_is_registered_later_is_found(monkeypatch):
    """The lists of what is registered are read again only after something was."""
    context, refreshed = cpu_target.target_context, []
    refresh = shortcuts._refresh
    monkeypatch.setattr(
        shortcuts, "_refresh", lambda context: refreshed.append(context) or refresh(context)
    )
    for _ in range(3):  # each may register something more
        context.refresh()
    refreshed.clear()
    context.refresh()
    assert refreshed == []

    @overload_attribute(types.Integer, "halved")
    def _halved(value):
        return lambda value: value // 2

    context.refresh()
    assert refreshed
    assert njit(lambda x: x.halved)(5) == 2


def test_llvm_tells_nobody_of_its_calls():
    """Numba adds up the time of each."""
    assert ffi.lib._lock._cblist == []


LINKED_LIST = """
import planbatch as pb
from numba import deferred_type, int64, njit, optional
from numba.experimental import jitclass

def sum_of_ten():
    kind = deferred_type()

    @jitclass([("value", int64), ("behind", optional(kind))])
    class Link:
        def __init__(self, value, behind):
            self.value, self.behind = value, behind

    kind.define(Link.class_type.instance_type)

    @njit
    def total(n):
        head = Link(0, None)
        for i in range(1, n):
            head = Link(i, head)
        found = 0
        for _ in range(n):
            found += head.value
            if head.behind is None:
                break
            head = head.behind
        return found

    return total(10)

before = sum_of_ten()
pb.decode(pb.Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)]), [1, 0])
print(before, sum_of_ten())
"""


def test_a_users_linked_list_keeps_its_references():
    """Compiled before and after a kernel is, it sums up to 45: references through deferred types are counted."""
    done = subprocess.run(
        [sys.executable, "-c", LINKED_LIST], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["45", "45"]
