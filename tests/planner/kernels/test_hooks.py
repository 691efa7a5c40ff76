"""What we use of numba's insides: each hook still does what it is used for."""

import operator
import subprocess
import sys

import numpy as np
import pytest
from numba import njit, types
from numba.core.registry import cpu_target
from numba.extending import overload

from planbatch.objectives.wait import mean_wait
from planbatch.planner.kernels.amounts import take
from planbatch.planner.kernels.cache import ContentCache
from planbatch.planner.kernels.native import borrowing_kernel, kernel, two_way_kernel
from planbatch.planner.kernels.sorting import stable_order
from tests import needs

pytestmark = needs.COMPILED_KERNELS


def flag_of(dispatcher) -> bool:
    """Whether a dispatcher asks for reference counting."""
    return dispatcher.targetoptions["_nrt"]


def test_kernels_count_references_and_borrowing_kernels_do_not():
    """``_nrt``: code that only reads a lent array has no call that counts references to it."""

    def passed_on(table):
        column = table[0]
        return column[0]

    table = (np.ones(2), np.ones(3))
    made = {}
    for counted in (True, False):
        made[counted] = njit(_nrt=counted)(passed_on)
        assert made[counted](table) == 1.0
    assert not any("NRT_incref" in code for code in made[False].inspect_llvm().values())
    with pytest.raises(Exception, match="NRT required but not enabled"):
        njit(_nrt=False)(lambda n: np.empty(n))(3)
    assert flag_of(stable_order) is True
    assert flag_of(borrowing_kernel(lambda x: x)) is False


def test_one_compiled_form_serves_constants_and_variables():
    """``get_call_template``: a kernel called with ``True``, ``False`` and a variable is compiled once."""

    @kernel
    def inner(flag, number):
        return number if flag else -number

    @njit
    def outer(flag):
        return inner(True, 1) + inner(False, 2) + inner(flag, 3)

    assert outer(True) == 2
    assert inner.parts.signatures == [(types.boolean, types.int64)]


def test_kernels_are_kept_by_our_cache():
    """``_cache``: it takes the place of numba's, which knows a kernel by its file alone."""
    assert isinstance(stable_order._cache, ContentCache)
    assert isinstance(mean_wait._cache, ContentCache)


def test_two_way_kernels_are_plain_python_in_python_and_compiled_in_kernels():
    """``register_jitable``: one source for costs in plain Python and for compiled ones."""

    @two_way_kernel
    def doubled(cost, x):
        return 2 * cost(x)

    @njit
    def plus_one(x):
        return x + 1

    @njit
    def compiled(x):
        return doubled(plus_one, x)

    assert doubled(lambda x: x + 1, 3) == compiled(3) == 8


def test_amounts_of_one_resource_are_compiled_without_rows():
    """``overload``: the same operation on numbers and on rows of numbers."""

    @njit
    def taken(free, demand):
        take(free, 0, demand)
        return free

    assert taken(np.array([5, 5]), 2).tolist() == [3, 5]
    assert taken(np.array([[5, 5]]), np.array([1, 2])).tolist() == [[4, 3]]


def test_the_bound_on_numba_holds_the_installed_version():
    """Hooks are private: another version is to be looked at before it is allowed."""
    script = "import numba; print(*numba.__version__.split('.')[:2])"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert tuple(map(int, found.stdout.split())) < (0, 69)


def test_calls_of_built_in_functions_are_resolved_once():
    """``get_call_type``: what depends on the types alone is remembered; what is compiled for a kernel is not."""

    def twice(x):
        return 2 * x

    overload(twice)(lambda x: lambda x: 2 * x)
    assert njit(lambda x: twice(x) + x)(3) == 9
    context = cpu_target.typing_context
    for function, remembered in ((operator.add, True), (twice, False)):
        resolved = context.resolve_value_type(function)
        arguments = (types.int64,) * (2 if remembered else 1)
        found = resolved.get_call_type(context, arguments, {})
        assert found.return_type == types.int64
        known = resolved.__dict__.get("_planbatch_resolved", {})
        assert ((context, arguments) in known) is remembered
        assert (resolved.get_call_type(context, arguments, {}) is found) >= remembered
