"""Calls of built-in functions, resolved once for each list of argument types.

At every ``+`` or ``[]`` in a kernel numba tries, in Python, all implementations that anybody has registered for it, for
strings, sets and dates too. What it finds depends on the types alone if the implementation is numba's own; an
implementation in Python (``overload``) is compiled for the kernel's options, so those are looked up each time.
"""

from typing import Any

from numba.core.types.abstract import Number
from numba.core.types.containers import BaseTuple
from numba.core.types.functions import BaseFunction
from numba.core.types.misc import NoneType, SliceType
from numba.core.types.npytypes import Array
from numba.core.types.scalars import Boolean

#: Types of arguments that are known in full.
PLAIN = (Number, Boolean, Array, BaseTuple, NoneType, SliceType)
_get_call_type = BaseFunction.get_call_type


def _resolved_once(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the signature of a call, from an earlier one if there was the same."""
    if kws or not all(isinstance(arg, PLAIN) for arg in args):
        return _get_call_type(self, context, args, kws)
    known = self.__dict__.setdefault("_planbatch_resolved", {})
    key = (context, tuple(args))
    found = known.get(key)
    if found is None:
        found = _get_call_type(self, context, args, kws)
        if self.get_impl_key(found) is self.typing_key:
            known[key] = found
    return found


def resolve_once() -> None:
    """Have numba remember what built-in functions resolve to."""
    BaseFunction.get_call_type = _resolved_once  # type: ignore[method-assign]
