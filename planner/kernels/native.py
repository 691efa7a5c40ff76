"""The compiled core's ground rules: how kernels are compiled.

Every kernel of a module is decorated with :data:`kernel`. Compiled code is kept on disk (see :mod:`cache`), so that
only the first use of a kernel after an installation compiles it.
"""

import inspect
import warnings
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from numba import njit
from numba.core import config
from numba.core.compiler import Compiler, Flags, _make_subtarget
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.types.functions import Dispatcher
from numba.core.types.misc import unliteral
from numba.core.typing.templates import infer_global
from numba.extending import register_jitable

from planbatch.planner.kernels.cache import ContentCache, module_digest
from planbatch.planner.kernels.lending import lent
from planbatch.planner.kernels.linking import Form, Whole, in_parts, number_by_content
from planbatch.planner.kernels.resolving import resolve_once
from planbatch.planner.kernels.shortcuts import take_shortcuts, without_collections
from planbatch.planner.kernels.wrapping import python_function

# First-class functions are what lets one compiled loop take any objective; that they are "experimental" helps nobody.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)
resolve_once()
take_shortcuts()


class _Parts(CPUDispatcher):  # type: ignore[misc]
    """A kernel as other kernels call it; see :mod:`linking`."""

    #: Whether other kernels call machine code of it, instead of holding a copy.
    shared = False

    def compile(self, sig: Any) -> Any:
        """Compile the kernel for argument types, or load it from disk."""
        arguments, _ = normalize_signature(sig)
        if tuple(arguments) not in self.overloads:
            with global_compiler_lock, in_parts(self.targetctx.codegen()):
                super().compile(sig)
            library = self.overloads[tuple(arguments)].library
            library.form = self._form(tuple(arguments))
            library.shared = self.shared and library.form is not None
        return self.overloads[tuple(arguments)].entry_point

    def _form(self, arguments: tuple[Any, ...]) -> Form | None:
        """Return the name by which other processes find this; None if they cannot."""
        module, name = self.py_func.__module__, self.py_func.__qualname__
        there = getattr(inspect.getmodule(self.py_func), name, None)
        there = getattr(there, "kernel", there)
        return Form(module, name, arguments) if getattr(there, "parts", None) is self else None

    @cached_property
    def wholes(self) -> dict[Any, Any]:
        """What was made of them, by argument types."""
        return {}


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A kernel: what Python calls and hands over has machine code of its own, what kernels call is in ``parts``.

    One form of a kernel serves all constants with which other kernels call it: numba would compile it, and all that
    it calls, anew for ``True``, for ``False`` and for a variable.
    """

    def __init__(
        self,
        py_func: Callable[..., Any],
        locals: Any = None,
        targetoptions: Any = None,
        pipeline_class: Any = Compiler,
        shared: bool = False,
    ) -> None:
        super().__init__(py_func, locals, targetoptions, pipeline_class)
        bare = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        self.parts = _Parts(py_func, locals, {**self.targetoptions, **bare}, pipeline_class)
        self.parts.shared = shared
        if "<locals>" not in py_func.__qualname__:
            number_by_content(py_func, module_digest(py_func.__module__.removeprefix("planbatch.")))
            self._cache = ContentCache(py_func, "whole")
            self.parts._cache = ContentCache(py_func, "part")

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Resolve a call by another kernel."""
        return self.parts.get_call_template(
            [lent(unliteral(arg)) for arg in args],
            {name: lent(unliteral(arg)) for name, arg in kws.items()},
        )

    def get_overload(self, sig: Any) -> Any:
        """Return what another kernel calls."""
        return self.parts.get_overload(sig)

    @property
    def is_compiling(self) -> Any:
        """Whether a form that calls itself is being compiled."""
        return self.parts.is_compiling

    def compile(self, sig: Any) -> Any:
        """Have Python call the kernel for argument types."""
        arguments, _ = normalize_signature(sig)
        with global_compiler_lock:
            if tuple(arguments) not in self.overloads:
                if not self._can_compile:
                    raise RuntimeError("compilation disabled")
                found = self.machine_code(sig)
                entry = python_function(self._context, found, self._flags.release_gil)
                self.add_overload(found._replace(entry_point=entry))
            return self.overloads[tuple(arguments)].entry_point

    def is_ready(self, sig: Any) -> bool:
        """Return whether machine code for argument types is in this process or on disk."""
        arguments, _ = normalize_signature(sig)
        if tuple(arguments) in self.overloads:
            return True
        holds = getattr(self._cache, "holds", None)
        return holds is not None and holds(sig, self.targetctx)

    def machine_code(self, sig: Any) -> Any:
        """Link the kernel for argument types, or load its machine code from disk; neither is done twice."""
        arguments, returned = normalize_signature(sig)
        wholes = self.parts.wholes
        with global_compiler_lock:
            if tuple(arguments) not in wholes:
                found = self._cache.load_overload(sig, self.targetctx)
                if found is not None:
                    self._cache_hits[sig] += 1
                else:
                    self._cache_misses[sig] += 1
                    with without_collections():
                        found = self._linked(arguments, returned)
                    self._cache.save_overload(sig, found)
                wholes[tuple(arguments)] = found
            return wholes[tuple(arguments)]

    @cached_property
    def _flags(self) -> Any:
        flags = Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        return flags

    @property
    def _context(self) -> Any:
        return _make_subtarget(self.targetctx, self._flags)

    def _linked(self, arguments: Any, returned: Any) -> Any:
        """Make machine code of the parts for argument types, to be called and to be handed over."""
        if returned is None:
            self.parts.compile(tuple(arguments))
            part = self.parts.overloads[tuple(arguments)]
        else:
            part = self.parts.get_compile_result(returned(*arguments))
        described = part.fndesc
        library = Whole(
            self.targetctx.codegen(), described.qualname, described.llvm_func_name, part.library
        )
        self._context.create_cfunc_wrapper(library, described, part.environment, None)
        library.finalize()
        return part._replace(library=library)

    def _alone(self) -> "Kernel":
        """Return the same kernel without its compiled forms."""
        other = Kernel(self.py_func, self.locals, self.targetoptions)
        other.parts = self.parts
        return other


def kernel(function: Callable[..., Any] | None = None, shared: bool = False, **options: Any) -> Any:
    """Decorate a kernel: compiled on first use, kept on disk, and free of the interpreter's lock.

    Parameters
    ----------
    function : callable
        The kernel.
    shared : bool
        Whether other kernels call its machine code, instead of each holding a copy: for large ones that take much
        longer than a call.
    **options
        numba's.
    """
    if function is None:
        return partial(kernel, shared=shared, **options)
    # Reference counting is said, since numba has a kernel inherit it from the one for which it is first compiled.
    options = {"nogil": True, "error_model": "numpy", "_nrt": True} | options
    if config.DISABLE_JIT:
        return function
    targetoptions = {"nopython": True, "boundscheck": None, **options}
    return Kernel(function, targetoptions=targetoptions, shared=shared)


#: The decorator of kernels that allocate no array and return none. They count no references to the arrays that they
#: are lent: for each of the dozens of arrays in a table of tables, that costs as much as a look at several jobs.
borrowing_kernel: Callable[..., Any] = partial(kernel, _nrt=False)
#: Those that other kernels call by their machine code; see :func:`kernel`.
shared_kernel: Callable[..., Any] = partial(kernel, shared=True)
shared_borrowing_kernel: Callable[..., Any] = partial(kernel, shared=True, _nrt=False)


#: The decorator of kernels that call a cost function handed to them: compiled with whatever kernel calls them, plain
#: Python where Python does. So one source serves compiled costs and those in plain Python, which kernels cannot take.
two_way_kernel: Callable[..., Any] = register_jitable(error_model="numpy", _nrt=True)
#: The same for those that allocate no array and return none (see ``borrowing_kernel``).
borrowing_two_way_kernel: Callable[..., Any] = register_jitable(error_model="numpy", _nrt=False)


def shared_two_way_kernel(
    function: Callable[..., Any] | None = None, **options: Any
) -> Callable[..., Any]:
    """Decorate a two-way kernel whose machine code other kernels call; see :func:`kernel`."""
    if function is None:
        return partial(shared_two_way_kernel, **options)
    if not config.DISABLE_JIT:
        made = kernel(function, shared=True, **options)
        vars(function)["kernel"] = made
        infer_global(function, Dispatcher(made))
    return function


def compiled_for(
    signature: Any, function: Callable[..., Any], **options: Any
) -> Callable[..., Any]:
    """Compile a function of a module for one signature, or load it from disk: what is handed to kernels.

    Parameters
    ----------
    signature : numba signature
        Of the one form; see :mod:`signatures`.
    function : callable
        A plain function at the top of a module, or a kernel.
    **options
        numba's.
    """
    if config.DISABLE_JIT:
        return function
    known = getattr(function, "kernel", function)
    made = known._alone() if isinstance(known, Kernel) else kernel(function, **options)
    made.compile(signature)
    made.disable_compile()
    return made  # type: ignore[no-any-return]


def is_ready_for(signature: Any, function: Callable[..., Any]) -> bool:
    """Return whether :func:`compiled_for` would compile nothing."""
    return config.DISABLE_JIT or kernel(function).is_ready(signature)


#: The decorator of kernels that are made inside a function, such as objectives with a parameter. They must not be
#: kept on disk: two kernels made in different runs can have the same name, and a process that loads both would get the
#: same code for both.
made_kernel: Callable[..., Any] = partial(njit, nogil=True, error_model="numpy")
