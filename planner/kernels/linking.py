"""Linking kernels: machine code is made once for a whole program, not for each function in it.

numba optimises every function with a copy of all that it calls, makes machine code of it, and wraps it for calls
from Python and from C: the deeper the calls, the more often the same code is optimised, and most of the results never
run. Here a function that only other compiled functions call stays a :class:`Part`, code as it was written. What
Python calls, or what is handed over as a function, is a :class:`Whole`: all its parts, optimised together, once. How
Python calls it is in :mod:`wrapping`.

A large function that many wholes call, and that takes much longer than a call, is a shared kernel: the others call its
machine code instead of holding a copy of it.
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
    """A kernel for one list of argument types: ``module.name``; see :mod:`native`."""

    module: str
    name: str
    arguments: tuple[Any, ...]

    @property
    def kernel(self) -> Any:
        """The kernel itself; a two-way kernel is a function that keeps it."""
        found = getattr(importlib.import_module(self.module), self.name)
        return getattr(found, "kernel", found)

    def part(self) -> "Part":
        """Return its code, compiled or loaded from disk."""
        parts = self.kernel.parts
        parts.compile(self.arguments)
        found: Part = parts.overloads[self.arguments].library
        return found

    def make_callable(self) -> None:
        """Have machine code of a shared kernel at hand, compiled or loaded from disk, for those that call it."""
        self.kernel.machine_code(self.arguments)


class Part(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that only other compiled functions call: neither optimised nor made machine code."""

    #: The kernel that it belongs to; None for functions of numba, and for functions inside functions.
    form: Form | None = None
    #: Whether wholes call machine code of it instead of holding it.
    shared = False
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
        clean_module(self._codegen, self._final_module)
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
        clean_functions(self._codegen, ll_module)

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
    """A function with all the parts that it calls, as machine code.

    Parameters
    ----------
    codegen : Codegen
        numba's.
    name : str
        Of the library.
    entry : str
        The name of the function.
    part : Part, optional
        Its code; without it, :meth:`load` takes machine code from disk.
    """

    #: The shared kernels that it calls.
    calls: tuple[Form, ...] = ()
    _bitcode = b""
    _linking_libraries: list[Any]

    def __init__(self, codegen: Any, name: str, entry: str, part: Part | None = None) -> None:
        super().__init__(codegen, name)
        self.enable_object_caching()
        self.entry, self._part = entry, part

    @property
    def address(self) -> int:
        """Where the machine code of the function is."""
        return int(self.get_pointer_to_function(self.entry))

    def finalize(self) -> None:
        """Link the parts, optimise them together, and make machine code."""
        calls: dict[Form, None] = {}
        part, *others = _modules([self._part], calls, self._part)
        code = [_Code(module) for module in (_with_entry(part, self.entry), *others)]
        self._reload_init.update(self._part._reload_init)  # type: ignore[union-attr]
        self._linking_libraries = code
        self._use(calls)
        super().finalize()
        self._offer()
        self._linking_libraries, self._part = [], None
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                self._codegen.set_env(variable.name, environment)

    def packed(self) -> tuple[Any, ...]:
        """Return what :meth:`load` takes."""
        module = self._get_module_for_linking()  # linked by what the function is handed to
        names = [function.name for function in module.functions if not function.is_declaration]
        return self._get_compiled_object(), module.as_bitcode(), names, self.calls

    def load(
        self, machine_code: bytes, bitcode: bytes, names: list[str], calls: tuple[Form, ...]
    ) -> None:
        """Take machine code from disk."""
        self._use(calls)
        self._bitcode = bitcode
        self._set_compiled_object(machine_code)
        self._finalize_final_module()
        self._codegen._engine._defined_symbols.update(names)
        self._offer()

    def _use(self, calls: Iterable[Form]) -> None:
        """Have the shared kernels that it calls at hand, before its machine code looks for them."""
        self.calls = tuple(calls)
        for form in self.calls:
            form.make_callable()

    def _offer(self) -> None:
        """Tell those that call a shared kernel where its machine code is."""
        llvm.add_symbol(self.entry, self.address)

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


def clean_functions(codegen: Any, module: Any) -> None:
    """Drop what is never used in the functions of a module."""
    module.data_layout = codegen._data_layout
    passes, builder = _without_dead_code(), codegen._pass_builder()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def clean_module(codegen: Any, module: Any) -> None:
    """Drop the functions and variables of a module that are never used."""
    _without_dead_globals().run(module, codegen._pass_builder())


@cache
def _without_dead_code() -> Any:
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_dead_code_elimination_pass()
    passes.add_simplify_cfg_pass()
    return passes


@cache
def _without_dead_globals() -> Any:
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    return passes


def _modules(
    libraries: Iterable[Any], calls: dict[Form, None] | None = None, root: Any = None
) -> Iterator[Any]:
    """Yield the code of libraries and of all that their parts call, each once.

    With ``calls``, that of shared kernels other than the root stays out; their forms are put there.
    """
    seen: set[Any] = set()
    left = list(libraries)
    while left:
        library = left.pop()
        if library in seen:
            continue
        seen.add(library)
        if calls is not None and library is not root and getattr(library, "shared", False):
            calls[library.form] = None
        elif isinstance(library, Part):
            yield library.module
            left += library.callees
        else:
            yield library._get_module_for_linking()


def _with_entry(module: Any, name: str) -> Any:
    """Return the code of a part in which its function stays, though nothing there calls it."""
    found = module.clone()
    found.get_function(name).linkage = llvm.Linkage.external
    return found


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
        module, code = library._final_module, library.packed()
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
    )


def unpacked(context: Any, data: tuple[Any, ...]) -> CompileResult:
    """Return the compiled form that :func:`packed` described."""
    name, code, described, environment, signature, reload_init, environments = data
    for function in reload_init:
        function()
    codegen = context.codegen()
    library: Any
    if len(code) == 2:
        library = _LoadedPart(codegen, name, *code)
        entry = context.get_executable(library, described, environment)
    else:
        entry = None  # how Python calls it is added later
        library = Whole(codegen, name, described.llvm_func_name)
        library.load(*code)
        for found in (environment, *environments):
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
