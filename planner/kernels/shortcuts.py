"""Shortcuts through numba: what it does in vain when it compiles kernels.

None changes what is compiled.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from types import BuiltinFunctionType, FunctionType
from typing import Any

from llvmlite.binding import ffi
from numba.core import analysis, base, errors, ir
from numba.core.lowering import BaseLower
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import TargetConfig
from numba.core.transforms import canonicalize_cfg
from numba.core.types.abstract import Type
from numba.core.types.containers import BaseTuple
from numba.core.types.npytypes import Array
from numba.core.typing.context import BaseContext

from planbatch.planner.kernels.lending import Lent
from planbatch.planner.kernels.linking import Part

_create_cfunc_wrapper = BaseLower.create_cfunc_wrapper
_process = PostProcessor.run
_resolve_value_type = BaseContext.resolve_value_type
_hash, _reduce = Type.__hash__, Type.__reduce__
_refresh = base.BaseContext.refresh


def take_shortcuts() -> None:
    """Have numba take the shortcuts."""
    BaseLower.create_cfunc_wrapper = _none_for_parts
    vars(errors)["_termcolor_inst"] = _Plain()
    ir.Inst._rec_list_vars = _variables_in
    PostProcessor.run = _lifetimes_on_demand
    TargetConfig.values = _options  # type: ignore[method-assign]
    TargetConfig.__hash__ = _hash_of_options  # type: ignore[method-assign]
    for kind in (Array, BaseTuple, Lent):
        kind.__hash__ = _hashed_once  # type: ignore[method-assign]
    Type.__reduce__ = _without_hash  # type: ignore[method-assign]
    BaseContext.resolve_value_type = _type_of_value
    base.BaseContext.refresh = _refresh_if_registered
    vars(base)["_has_loc"] = lru_cache(4096)(base._has_loc)
    for told in tuple(ffi.lib._lock._cblist):  # numba is told of each call of LLVM, to add up times
        ffi.unregister_lock_callback(*told)


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


def _none_for_parts(self: Any) -> None:
    """Wrap a function for calls from C, unless only other compiled functions call it."""
    if not isinstance(self.library, Part):
        _create_cfunc_wrapper(self)


def _variables_in(self: Any, value: Any) -> list[Any]:
    """Return the variables in an entry of an instruction; most entries are plain values, which numba asks last."""
    kind = type(value)
    if kind is ir.Var:
        return [value]
    if kind in (list, tuple, dict):
        found: list[Any] = []
        for entry in value.values() if kind is dict else value:
            of_entry = type(entry)
            if of_entry is ir.Var:
                found.append(entry)
            elif of_entry not in _PLAIN:
                found += self._rec_list_vars(entry)
        return found
    return value.list_vars() if isinstance(value, ir.Inst) else []


#: The most frequent entries of instructions that are no variables and hold none.
_PLAIN = frozenset((str, int, bool, type(None), ir.Loc))


class _AtEntry(dict[Any, Any]):
    """The variables that live at the entries of blocks, computed when Python in compiled code asks for them."""

    def __init__(self, blocks: Any, lifetime: VariableLifetime) -> None:
        super().__init__()
        self._blocks, self._lifetime = blocks, lifetime

    def __missing__(self, block: Any) -> Any:
        known = self._lifetime
        found = analysis.compute_live_variables(
            known.cfg, self._blocks, known.usedefs.defmap, known.deadmaps.combined
        )
        at_entry = {self._blocks[offset]: live for offset, live in found.items()}
        self.update(at_entry)
        return at_entry[block]


def _lifetimes_on_demand(
    self: Any, emit_dels: bool = False, extend_lifetimes: bool = False
) -> None:
    """Prepare a function for the next pass; numba computes the lifetimes of variables for most in vain."""
    function = self.func_ir
    if function.is_generator:
        _process(self, emit_dels, extend_lifetimes)
        return
    function.blocks = canonicalize_cfg(function.blocks)
    function.variable_lifetime = VariableLifetime(function.blocks)
    function.block_entry_vars = _AtEntry(function.blocks, function.variable_lifetime)
    function.generator_info = None
    if emit_dels:
        self._insert_var_dels(extend_lifetimes=extend_lifetimes)


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    return {name: option.default for name, option in kind.options.items()}


def _options(self: Any) -> dict[str, Any]:
    """Return the options of a compilation, without a call for each."""
    kind: Any = type(self)
    return _defaults(kind) | self._values


@cache
def _hash_of_kind(kind: Any) -> int:
    return hash(tuple(sorted(_defaults(kind))))


def _hash_of_options(self: Any) -> int:
    """Return what numba does: a hash of the names of the options."""
    kind: Any = type(self)
    return _hash_of_kind(kind)


def _hashed_once(self: Any) -> int:
    """Return the hash of a type; those of tables are the hashes of many others."""
    known = self.__dict__
    found: int | None = known.get("_planbatch_hash")
    if found is None:
        found = known["_planbatch_hash"] = _hash(self)
    return found


def _without_hash(self: Any) -> Any:
    """Reduce a type to what other processes can read: hashes differ there."""
    reduced: Any = _reduce(self)
    rebuild, (reconstructor, args, state) = reduced
    if isinstance(state, dict):
        state = {name: value for name, value in state.items() if name != "_planbatch_hash"}
    return rebuild, (reconstructor, args, state)


def _refresh_if_registered(self: Any) -> None:
    """Take over what was registered since; numba looks for that at every attribute that it does not know at once."""
    registered = _registered(self)
    if vars(self).get("_planbatch_registered") != registered:
        _refresh(self)
        self._planbatch_registered = registered  # what that registers itself is for the next time


def _registered(context: Any) -> list[int]:
    """How much is registered of each kind."""
    return [
        len(getattr(registry, name))
        for known in (context, context.typing_context)
        for registry, loader in known._registries.items()
        for name in loader.registry_items
    ]


def _type_of_value(self: Any, value: Any) -> Any:
    """Return the type of a global value; functions have none but what was registered, which numba looks up last."""
    known = self._get_global_type(value) if isinstance(value, _FUNCTIONS) else None
    return _resolve_value_type(self, value) if known is None else known


_FUNCTIONS = (FunctionType, BuiltinFunctionType)
