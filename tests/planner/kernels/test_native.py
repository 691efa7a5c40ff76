"""How kernels are decorated."""

import ast
import gc
from contextlib import suppress
from pathlib import Path

import pytest

from planbatch.planner.kernels import native
from planbatch.planner.kernels.shortcuts import without_collections

PACKAGES = ("planner", "objectives", "baselines", "experiments")
ROOT = Path(native.__file__).resolve().parents[2]


def test_every_kernel_is_decorated_by_the_same_decorator():
    """In the packages, nobody calls njit without keeping the compiled code."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            assert "@njit" not in path.read_text(), path


#: What numba compiles without reference counting, too: searches, and functions of single numbers.
WITHOUT_COUNTING = (
    "np.searchsorted", "np.isfinite", "np.isnan", "np.log", "np.floor", "np.sqrt", "np.uint64", "rng.random",
    "math.cos", "math.sin", "math.sqrt", "math.log",
)  # fmt: skip


def borrowing_kernels():
    """Yield the kernels that count no references, as syntax trees."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef) and any(
                    "borrowing_" in ast.unparse(line) for line in node.decorator_list
                ):
                    yield path, node


def test_kernels_that_count_no_references_call_no_method_of_an_array():
    """``min`` would be compiled without reference counting as well, which fails.

    That shows only where no other kernel of the process had it compiled before, so that what is
    tested first decides whether a test would notice.
    """
    found = list(borrowing_kernels())
    assert len(found) > 20
    calls = [
        f"{path.name}, {kernel.name}: {ast.unparse(call)}"
        for path, kernel in found
        for call in ast.walk(kernel)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func) not in WITHOUT_COUNTING
    ]
    assert calls == []


@pytest.mark.parametrize("before", [True, False])
def test_no_garbage_is_looked_for_while_a_kernel_is_compiled(before):
    """Inside, nested or not, Python's collector is off; afterwards, also after an error, it is as it was."""
    was = gc.isenabled()
    try:
        (gc.enable if before else gc.disable)()
        with suppress(ValueError), without_collections():
            with without_collections():
                assert not gc.isenabled()
            assert not gc.isenabled()
            raise ValueError
        assert gc.isenabled() == before
    finally:
        (gc.enable if was else gc.disable)()
