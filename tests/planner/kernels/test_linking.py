"""Kernels as parts and wholes: machine code is made once, of all that a kernel calls."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit, types

from planbatch.planner.kernels.linking import Part, Whole
from planbatch.planner.kernels.native import (
    borrowing_kernel,
    compiled_for,
    kernel,
    shared_two_way_kernel,
)
from tests import needs

ROOT = Path(__file__).resolve().parents[3]

pytestmark = needs.COMPILED_KERNELS


@njit
def tripled(x):
    """A function of a user."""
    return 3 * x


@borrowing_kernel
def doubled(x):
    """A part of all others."""
    return 2 * x


@kernel
def quadrupled(x):
    """A whole with one part."""
    return doubled(doubled(x))


@kernel
def checked(x):
    """A whole that raises, in a part."""
    return positive(x)


@kernel
def positive(x):
    """Raises."""
    if x <= 0:
        raise ValueError("not positive")
    return x


def test_what_only_kernels_call_has_no_machine_code():
    """It is a part of the whole that Python calls."""
    assert quadrupled(3) == 12
    doubled.parts.compile((types.int64,))  # a whole from disk needs none of its parts
    part = doubled.parts.overloads[(types.int64,)]
    whole = quadrupled.overloads[(types.int64,)]
    assert isinstance(part.library, Part)
    assert part.library.get_pointer_to_function(part.fndesc.llvm_func_name) == 0
    assert not doubled.overloads
    assert isinstance(whole.library, Whole)
    assert whole.library.get_pointer_to_function(whole.fndesc.llvm_func_name) > 0


def test_a_part_can_still_be_called_from_python():
    """Then it becomes a whole of its own."""
    assert quadrupled(5) == 20
    assert doubled(5) == 10
    assert doubled(2.5) == 5.0


def test_functions_of_users_call_kernels_and_are_called_by_them():
    """Each keeps its own machine code: a user's function is called from Python, too, and first from a kernel."""

    @kernel
    def outer(x):
        return tripled(x) + 1

    @njit
    def outermost(x):
        return quadrupled(outer(x))

    assert outermost(1) == 16
    assert outer(1) == 4
    assert tripled(1) == 3


@kernel(shared=True)
def summed(column):
    """A shared kernel."""
    total = 0
    for value in column:
        total += doubled(value)
    return total


@kernel
def summed_and_one(column):
    """A whole that calls it."""
    return summed(column) + 1


@kernel(shared=True)
def summed_and_two(column):
    """A shared kernel that calls another, which raises for some values."""
    return summed(column) + positive(column[0]) + 2


@shared_two_way_kernel
def called(function, x):
    """A shared kernel for compiled functions, plain Python for others."""
    return function(x) + 1


def test_shared_kernels_have_machine_code_that_others_call():
    """One copy of it, which Python calls, too."""
    column, column_type = np.arange(1, 4), (types.int64[::1],)
    assert summed_and_one(column) == 13
    assert summed_and_two(column) == 15
    assert summed(column) == 12
    for caller in (summed_and_one, summed_and_two, summed):
        (whole,) = (found.library for found in caller.overloads.values())
        assert [form.name for form in whole.calls] == ([] if caller is summed else ["summed"])
        assert caller.parts.wholes[column_type].library is whole


def test_errors_pass_through_shared_kernels():
    """As through parts."""
    with pytest.raises(ValueError, match="not positive"):
        summed_and_two(np.zeros(2, np.int64))


def test_functions_of_users_hold_shared_kernels():
    """They may be kept by numba, which knows nothing of other machine code."""

    @njit
    def outer(column):
        return summed(column)

    assert outer(np.arange(3)) == 6


def test_a_shared_two_way_kernel_is_one_source_for_both():
    """Interpreted with a function in Python, called by its machine code in compiled kernels."""

    def caller(function, x):
        return called(function, x)

    signature = types.int64(types.int64)
    compiled = compiled_for(types.int64(types.FunctionType(signature), types.int64), kernel(caller))
    assert compiled(doubled, 4) == 9
    assert called(lambda x: 2 * x, 4) == 9
    (whole,) = (found.library for found in compiled.overloads.values())
    assert [form.name for form in whole.calls] == ["called"]


def test_errors_in_parts_reach_python():
    """As those of numba's own functions do."""
    assert checked(1) == 1
    with pytest.raises(ValueError, match="not positive"):
        checked(0)


def test_kernels_can_be_handed_over_as_functions():
    """To a function that takes any kernel of a type, as the replay takes policies."""
    signature = types.int64(types.int64)

    def apply(function, x):
        return function(x)

    applied = compiled_for(types.int64(types.FunctionType(signature), types.int64), kernel(apply))
    assert applied(quadrupled, 2) == 8
    assert applied(doubled, 2) == 4


def test_a_kernel_passed_on_inside_compiled_code_is_linked():
    """A user's function that hands a kernel to one that takes functions: no call of Python is needed."""
    signature = types.FunctionType(types.int64(types.int64))

    @njit(types.int64(signature, types.int64))
    def apply(function, x):
        return function(x)

    @njit
    def caller(x):
        return apply(quadrupled, x)

    assert caller(3) == 12


def test_arrays_made_in_parts_are_freed_once():
    """References are counted across parts."""

    @kernel
    def made(n):
        return np.ones(n)

    @kernel
    def total(n):
        return made(n).sum() + made(2 * n)[n:].sum()

    assert [total(n) for n in range(1, 50)] == [2.0 * n for n in range(1, 50)]


MODULE = """
from planbatch.planner.kernels.compiling import listeners
compiled = []
listeners.append(compiled.append)
import numpy as np
from planbatch.planner.kernels.{module} import {name}
from planbatch.planner.round import Round
arrays = Round.of(4, 0, [(1, 5)], [(0, 4, 10), (0, 2, 5)]).arrays
{call}
print(*sorted(set(compiled)))
"""
DECODE = "decode_once(arrays, np.arange(2), np.empty(2, np.int64))"
KEPT = "kept_plan(arrays, True, np.empty(2, np.int64))"


def compiled_by(folder: Path, module: str, name: str, call: str) -> set[str]:
    """Call a kernel in another process; return the names of the kernels that it compiled."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PLANBATCH_CACHE_DIR": str(folder)}
    script = MODULE.format(module=module, name=name, call=call)
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True
    )
    return set(done.stdout.split())


def test_parts_that_one_process_compiles_another_links(tmp_path):
    """The second kernel calls the first: only what is its own is compiled; a third process compiles nothing."""
    first = compiled_by(tmp_path, "decode", "decode_once", DECODE)
    assert {"decode_amounts_once", "place_earliest"} <= first
    second = compiled_by(tmp_path, "first_plans", "kept_plan", KEPT)
    assert "kept_plan" in second
    assert not {"decode_amounts_once", "place_earliest"} & second
    assert compiled_by(tmp_path, "first_plans", "kept_plan", KEPT) == set()


LOADED_TOGETHER = """
from planbatch.planner.kernels.decode import classify
from planbatch.planner.kernels.promises import with_feasible_promises
from planbatch.planner.round import Round

arrays = Round.of(4, 1, [], [(0, 1 + i % 2, 5 + i) for i in range(6)]).arrays
print([type(kernel(arrays)).__name__ for kernel in (with_feasible_promises, classify)])
"""


def test_wholes_that_share_parts_are_loaded_into_one_process(tmp_path):
    """The first to be loaded may know the environment of the second without what its wrapper needs."""
    environment = {**os.environ, "PLANBATCH_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    for _ in ("compiled", "loaded"):
        found = subprocess.run(
            [sys.executable, "-c", LOADED_TOGETHER], env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        assert found.stdout.strip() == "['RoundArrays', 'JobClasses']", found.stderr


NAMES = """
from numba.core.bytecode import FunctionIdentity
from planbatch.planner.kernels.sorting import copy_column, stable_order

print([FunctionIdentity.from_function(kernel.py_func).unique_name for kernel in (copy_column, stable_order)])
"""


def test_kernels_are_called_the_same_in_every_process():
    """A part that one process compiled calls a part that another one did, by its name."""
    found = [
        subprocess.run(
            [sys.executable, "-c", NAMES], env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=True,
        ).stdout
        for _ in range(2)
    ]  # fmt: skip
    assert found[0] == found[1]
    first, second = (name.partition("$") for name in ast.literal_eval(found[0]))
    assert first[2] != second[2]
