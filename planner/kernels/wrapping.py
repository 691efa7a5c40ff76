"""Calls of kernels by Python: kernels with the same types share the code that takes Python's arguments apart.

For every function, numba writes code that reads each argument, makes an object of the result, and undoes both if
something is wrong. For a table of dozens of arrays, that is ten times as much code as there is in many a policy. Here
one wrapper serves all kernels that are called with the same types: it finds the address of the kernel in the function
object that Python calls.
"""

import inspect
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import uuid4

from numba import _dynfunc
from numba.core import cgutils
from numba.core.callwrapper import PyCallWrapper
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.cpu import ClosureBody
from numba.core.environment import Environment
from numba.core.runtime.nrt import rtsys
from numba.core.types.containers import BaseTuple

from planbatch.planner.kernels.cache import ContentCache
from planbatch.planner.kernels.lending import NAMED, is_ours
from planbatch.planner.kernels.linking import clean_functions, clean_module


class _Call(NamedTuple):
    """What the kernels have in common that share a wrapper."""

    arguments: tuple[Any, ...]
    returned: Any
    #: Whether others may run Python meanwhile.
    release_gil: bool
    #: Whether references are counted.
    counts_references: bool

    @property
    def tables(self) -> list[Any]:
        """The classes of the named tuples among the types, but for lent ones, which are read by position."""
        return [made for kind in (*self.arguments, self.returned) for made in _tables(kind)]


def python_function(context: Any, kernel: CompileResult, release_gil: bool) -> Any:
    """Return the function object by which Python calls a kernel.

    Parameters
    ----------
    context : CPUContext
        numba's, with the kernel's options.
    kernel : CompileResult
        Its library is a :class:`~planbatch.planner.kernels.linking.Whole`.
    release_gil : bool
        Whether others may run Python meanwhile.
    """
    described, library = kernel.fndesc, kernel.library
    call = _Call(described.argtypes, described.restype, release_gil, context.enable_nrt)
    if call not in _wrappers:
        _wrappers[call] = _wrapper(context, call)
    wrapper, constants = _wrappers[call]
    environment = Environment(described.lookup_globals())
    environment.env_name = described.env_name
    environment.consts.extend([library.address, *constants])
    return _dynfunc.make_function(
        described.lookup_module(),
        described.qualname.split(".")[-1],
        f"compiled wrapper for {described.qualname!r}",
        wrapper.get_pointer_to_function(wrapper.name),
        environment,
        (library, wrapper),
    )


def _tables(kind: Any) -> Iterator[Any]:
    if isinstance(kind, BaseTuple):
        if isinstance(kind, NAMED):
            yield kind.instance_class
        for entry in kind:
            yield from _tables(entry)


#: The libraries of wrappers, each of which has the name of its function, and what they need besides the address.
_wrappers: dict[_Call, tuple[Any, list[Any]]] = {}


def _wrapper(context: Any, call: _Call) -> tuple[Any, list[Any]]:
    """Make a wrapper, or load it from disk."""
    codegen = context.codegen()
    if not all(map(_is_lasting, call.tables)):
        return _made(context, call)
    key = str((*call, [made.__module__ for made in call.tables]))
    kept = _kept.load(key, codegen, lambda data: (codegen.unserialize_library(data[0]), data[1]))
    if kept is not None:
        return kept  # type: ignore[no-any-return]
    library, constants = _made(context, call)
    _kept.save(key, codegen, lambda: (library.serialize_using_object_code(), constants))
    return library, constants


def _is_lasting(made: Any) -> bool:
    """Return whether a class is one of this project, which another process finds by its name."""
    there = getattr(inspect.getmodule(made), made.__qualname__, None)
    return is_ours(made) and there is made


def _made(context: Any, call: _Call) -> tuple[Any, list[Any]]:
    name = f"planbatch.wrapper.{uuid4().hex}"
    library = _Library(context.codegen(), name)
    library.enable_object_caching()
    if context.enable_nrt:
        library.add_linking_library(rtsys.library)
    environment = Environment({})
    environment.consts.append(0)  # the place of the address
    module = context.create_module("wrapper")
    described = SimpleNamespace(
        qualname="kernel",
        llvm_cpython_wrapper_name=name,
        argtypes=call.arguments,
        restype=call.returned,
    )
    _Wrapper(context, module, None, described, environment, None, call.release_gil).build()
    library.add_ir_module(module)
    library.finalize()
    return library, environment.consts[1:]


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """The code of a wrapper, hardly optimised: nothing in it is done more than once."""

    def _optimize_functions(self, module: Any) -> None:
        clean_functions(self._codegen, module)

    def _optimize_final_module(self) -> None:
        clean_module(self._codegen, self._final_module)


class _Wrapper(PyCallWrapper):  # type: ignore[misc]
    """Writes the code of a wrapper."""

    def build_wrapper(self, api: Any, builder: Any, closure: Any, args: Any, kws: Any) -> None:
        """Write it; ``closure`` is what the function object holds."""
        self.closure = closure
        super().build_wrapper(api, builder, closure, args, kws)

    def get_env(self, api: Any, builder: Any) -> Any:
        """Find the environment in the function object, and in that the address of the kernel."""
        context = self.context
        place = _dynfunc._impl_info["offsetof_closure_body"]
        held = cgutils.pointer_add(builder, self.closure, place)
        environment = ClosureBody(context, builder, ref=held, cast_ref=True).env
        body = context.get_env_body(builder, environment)
        manager = api.get_env_manager(self.env, body, environment)
        kernel = context.call_conv.get_function_type(self.fndesc.restype, self.fndesc.argtypes)
        address = api.long_as_voidptr(manager.read_const(0))
        self.func = builder.bitcast(address, kernel.as_pointer())
        return manager


_kept = ContentCache(python_function, "wrapper")
