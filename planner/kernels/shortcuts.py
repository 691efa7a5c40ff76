"""Shortcuts through numba: what it does in vain when it compiles kernels.

None changes what is compiled.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import errors
from numba.core.lowering import BaseLower
from numba.core.runtime.context import NRTContext

from planbatch.planner.kernels.linking import Part

_create_cfunc_wrapper = BaseLower.create_cfunc_wrapper


def take_shortcuts() -> None:
    """Have numba take the shortcuts."""
    NRTContext.get_meminfos = _only_where_references_are
    BaseLower.create_cfunc_wrapper = _none_for_parts
    vars(errors)["_termcolor_inst"] = _Plain()


@contextmanager
def without_collections() -> Iterator[None]:
    """Have Python look for no garbage: what numba makes mostly stays until a kernel is compiled.

    A sixth of the time of compiling went into looking at it.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Plain:
    """Errors as plain text: most are of attempts that numba drops."""

    def _as_it_is(self, message: str) -> str:
        return message

    code = errmsg = filename = indicate = highlight = reset = _as_it_is


def _only_where_references_are(self: Any, builder: Any, kind: Any, value: Any) -> list[Any]:
    """Return the counted references in a value; numba reads the shape of every array on its way to them."""
    models = self._context.data_model_manager
    model = models[kind]
    found = []
    if model.has_nrt_meminfo():
        found.append((kind, model.get_nrt_meminfo(builder, value)))
    for member, read in model.traverse(builder):
        if models[member].contains_nrt_meminfo():
            found += self.get_meminfos(builder, member, read(value))
    return found


def _none_for_parts(self: Any) -> None:
    """Wrap a function for calls from C, unless only other compiled functions call it."""
    if not isinstance(self.library, Part):
        _create_cfunc_wrapper(self)
