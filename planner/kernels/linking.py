"""Linking kernels: machine code is made once for a whole program, not for each function in it.

numba optimises every function with a copy of all that it calls, makes machine code of it, and wraps it for calls
from Python and from C: the deeper the calls, the more often the same code is optimised, and most of the results never
run. Here a function that only other compiled functions call stays a :class:`Part`, code as it was written. What
Python calls, or what is handed over as a function, is a :class:`Whole`: all its parts, optimised together, once.
"""

import hashlib
import importlib
import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple
from uuid import uuid4

import llvmlite.binding as llvm
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult, compile_result
from numba.core.environment import lookup_environment
from numba.core.runtime.nrt import rtsys
from numba.core.targetconfig import ConfigStack

# numba numbers functions to tell those of one name apart. Parts compiled by different processes are linked together,
# so the numbers of each process begin elsewhere; those of kernels follow from their content, since the part that calls
# a kernel and that of the kernel may come from different processes.
FunctionIdentity._unique_ids = itertools.count(uuid4().int >> 80 << 20)
_numbers: dict[Any, int] = {}
_from_function = FunctionIdentity.from_function.__func__


def number_by_content(py_func: Any, content: str) -> None:
    """Have a kernel's function carry the same number in all processes."""
    digest = hashlib.sha256(f"{content} {py_func.__module__}.{py_func.__qualname__}".encode())
    _numbers[py_func] = int(digest.hexdigest()[:14], 16)


def _numbered(cls: Any, py_func: Any) -> Any:
    """Return numba's identity of a function, with the number of a kernel if it is one."""
    found = _from_function(cls, py_func)
    number = _numbers.get(found.func)
    if number is not None:
        found.unique_id, found.unique_name = number, f"{found.func_qualname}${number}"
    return found


FunctionIdentity.from_function = classmethod(_numbered)


class Form(NamedTuple):
    """A kernel for one list of argument types: ``module.name``, which keeps its parts in ``parts``."""

    module: str
    name: str
    arguments: tuple[Any, ...]

    def part(self) -> "Part":
        """Return its code, compiled or loaded from disk."""
        parts = getattr(importlib.import_module(self.module), self.name).parts
        parts.compile(self.arguments)
        found: Part = parts.overloads[self.arguments].library
        return found


class Part(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that only other compiled functions call: neither optimised nor made machine code."""

    #: The kernel that it belongs to; None for functions of numba, and for functions inside functions.
    form: Form | None = None
    _linking_libraries: list[Any]
    _shared_module: Any

    @property
    def codegen(self) -> Any:
        """What takes the environments of functions: there are none without machine code."""
        return _NoMachineCode

    @property
    def module(self) -> Any:
        """The function's own code."""
        self._ensure_finalized()
        return self._final_module

    @property
    def callees(self) -> list[Any]:
        """The libraries of what it calls."""
        self._ensure_finalized()
        return self._linking_libraries

    def finalize(self) -> None:
        """Close the part: nothing can be added any more."""
        self._raise_if_finalized()
        _without_dead_globals().run(self._final_module, self._codegen._pass_builder())
        self._finalize_dynamic_globals()
        for callee in self._linking_libraries:
            self._reload_init.update(callee._reload_init)
            self._dynamic_globals += callee._dynamic_globals
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = llvm.Linkage.linkonce_odr
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code."""
        self._ensure_finalized()
        return 0

    def _optimize_functions(self, ll_module: Any) -> None:
        """Drop what is never used, such as the addresses of the kernels that are called."""
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = _without_dead_code(), self._codegen._pass_builder()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def _get_module_for_linking(self) -> Any:
        """Return the part with all that it calls: what functions that are not kernels link."""
        if self._shared_module is None:
            self._shared_module = _joined(_modules([self]))
        return self._shared_module


class _LoadedPart(Part):
    """A part from disk, with what it calls and is no kernel; read when it is linked."""

    def __init__(self, codegen: Any, name: str, bitcode: bytes, forms: tuple[Form, ...]) -> None:
        super().__init__(codegen, name)
        self._bitcode, self._forms = bitcode, forms
        self._finalized = True

    @property
    def module(self) -> Any:
        if self._bitcode:
            self._final_module, self._bitcode = llvm.parse_bitcode(self._bitcode), b""
        return self._final_module

    @property
    def callees(self) -> list[Any]:
        if not self._linking_libraries:
            self._linking_libraries = [rtsys.library, *(form.part() for form in self._forms)]
        return self._linking_libraries


class Whole(JITCodeLibrary):  # type: ignore[misc]
    """A function with all the parts that it calls, as machine code."""

    _bitcode = b""
    _linking_libraries: list[Any]

    def finalize(self) -> None:
        """Link the parts, optimise them together, and make machine code."""
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        self._linking_libraries = [_Code(module) for module in _modules(self._linking_libraries)]
        super().finalize()
        self._linking_libraries = []
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                self._codegen.set_env(variable.name, environment)

    def _get_module_for_linking(self) -> Any:
        if self._bitcode:
            self._shared_module, self._bitcode = llvm.parse_bitcode(self._bitcode), b""
        return super()._get_module_for_linking()


class _NoMachineCode:
    """Stands in for the owner of machine code."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing: the environment is set in the whole."""


class _Code:
    """A module, as libraries link it."""

    _reload_init: frozenset[Any] = frozenset()

    def __init__(self, module: Any) -> None:
        self._module = module

    def _get_module_for_linking(self) -> Any:
        return self._module


@cache
def _without_dead_code() -> Any:
    """Return the passes over the functions of parts."""
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_dead_code_elimination_pass()
    passes.add_simplify_cfg_pass()
    return passes


@cache
def _without_dead_globals() -> Any:
    """Return the passes over the modules of parts."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    return passes


def _modules(libraries: Iterable[Any]) -> Iterator[Any]:
    """Yield the code of libraries and of all that their parts call, each once."""
    seen: set[Any] = set()
    left = list(libraries)
    while left:
        library = left.pop()
        if library in seen:
            continue
        seen.add(library)
        if isinstance(library, Part):
            yield library.module
            left += library.callees
        else:
            yield library._get_module_for_linking()


def _joined(modules: Iterable[Any]) -> Any:
    """Return one module of several; the first names it."""
    first, *others = modules
    joined = first.clone()
    for module in others:
        joined.link_in(module, preserve=True)
    return joined


def _without_kernels(part: Part) -> tuple[Any, tuple[Form, ...]]:
    """Return the code of a part with what it calls and is no kernel, and the kernels that all of these call."""
    seen: set[Any] = {part, rtsys.library}
    modules, forms = [part.module], dict[Form, None]()
    left = list(part.callees)
    while left:
        library = left.pop()
        if library in seen:
            continue
        seen.add(library)
        if not isinstance(library, Part):
            modules.append(library._get_module_for_linking())
        elif library.form is not None:
            forms[library.form] = None
        else:
            modules.append(library.module)
            left += library.callees
    return _joined(modules), tuple(forms)


@contextmanager
def in_parts(codegen: Any) -> Iterator[None]:
    """Have numba make a :class:`Part` of every function that it compiles without a wrapper for Python."""

    def library(codegen: Any, name: str) -> Any:
        flags = (
            ConfigStack().top_or_none()
        )  # None for the code of numba's own, such as its reference counting
        return (Part if flags and flags.no_cpython_wrapper else before)(codegen, name)

    before = codegen._library_class
    codegen._library_class = library
    try:
        yield
    finally:
        codegen._library_class = before


def packed(result: CompileResult) -> tuple[Any, ...] | None:
    """Return what is to be kept of a compiled form on disk; None if it holds addresses of this process."""
    library = result.library
    if library.has_dynamic_globals:
        return None
    if isinstance(library, Part):
        module, forms = _without_kernels(library)
        code: tuple[Any, ...] = (module.as_bitcode(), forms)
    else:
        module = library._get_module_for_linking()
        names = [function.name for function in module.functions if not function.is_declaration]
        code = (library._get_compiled_object(), module.as_bitcode(), names)
    environments = [lookup_environment(variable.name) for variable in module.global_variables]
    described = result.fndesc
    described.typemap = described.calltypes = None  # large, and not always to be pickled
    return (
        library.name,
        code,
        described,
        result.environment,
        result.signature,
        result.reload_init,
        [found for found in environments if found is not None and found.can_cache()],
        {
            found.env_name: list(found.consts)
            for found in (result.environment, *environments)
            if found is not None
        },
    )


def unpacked(context: Any, data: tuple[Any, ...]) -> CompileResult:
    """Return the compiled form that :func:`packed` described."""
    name, code, described, environment, signature, reload_init, environments, constants = data
    for found in (environment, *environments):
        # An environment that is there already is found again, perhaps without what a whole adds for its wrapper.
        known = constants.get(found.env_name, [])
        if len(known) > len(found.consts):
            found.consts[:] = known
    for function in reload_init:
        function()
    codegen = context.codegen()
    library: Any
    if len(code) == 2:
        library = _LoadedPart(codegen, name, *code)
    else:
        library = Whole(codegen, name)
        library.enable_object_caching()
        machine_code, library._bitcode, names = code
        library._set_compiled_object(machine_code)
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(names)
    entry = context.get_executable(library, described, environment)
    if isinstance(library, Whole):
        for found in environments:
            codegen.set_env(found.env_name, found)
    return compile_result(
        target_context=context,
        typing_context=context.typing_context,
        library=library,
        environment=environment,
        entry_point=entry,
        fndesc=described,
        signature=signature,
        objectmode=False,
        lifted=(),
        reload_init=reload_init,
        referenced_envs=environments,
    )
