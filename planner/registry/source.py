"""A user's own files and modules: imported, known by their content, and sent to other processes as text."""

import ast
import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import linecache
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from planbatch.planner.failures import USER_ERRORS, text_of

#: How the modules of files are called: by the file's name and its content.
PREFIX = "planbatch_plugin_"
_LIBRARIES = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib"))
_PLANBATCH = Path(__file__).resolve().parents[2]


#: What a file has to pass before it is run, if anything; raises a ``ValueError``. A driver of a cluster sets it.
check_file: Callable[[Path], None] | None = None


class PluginError(ValueError):
    """A user's own file or module cannot be used; the message says which, where and why."""


def find(place: str, name: str) -> Any:
    """Return what a file (``path/to/file.py``) or a module (dotted, also in the current folder) calls ``name``.

    Raises :class:`PluginError` if there is no such file or module, it cannot be imported, or does not define the name.
    """
    module = _from_file(Path(place)) if place.endswith(".py") else _from_module(place)
    try:
        return getattr(module, name)
    except AttributeError:
        defined = sorted(key for key, value in vars(module).items() if _is_own(value, key, module))
        has = f"it defines {', '.join(defined)}" if defined else "it defines nothing"
        raise PluginError(f"{place}: there is no {name!r}; {has}") from None


def _is_own(value: object, name: str, module: ModuleType) -> bool:
    """Tell whether a module defines something that could be meant, rather than importing it."""
    if not callable(value) and not hasattr(value, "__dataclass_fields__"):
        return False
    origin = getattr(getattr(value, "py_func", value), "__module__", module.__name__)
    return not name.startswith("_") and not isinstance(value, ModuleType) and origin == module.__name__


def _from_file(path: Path) -> ModuleType:
    try:
        if check_file is not None:
            check_file(path)
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        own = path.with_name(path.name.removeprefix("plan-"))
        suggestion = f"; did you mean plan:{own}:NAME?" if own != path and own.exists() else ""
        raise PluginError(f"{path}: it cannot be read ({error.strerror}){suggestion}") from None
    except UnicodeDecodeError:
        raise PluginError(f"{path}: not UTF-8 text") from None
    return module_of(str(path.resolve()), text)


def _from_module(name: str) -> ModuleType:
    with _on_path(str(Path.cwd())):
        try:
            spec = importlib.util.find_spec(name) if check_file is not None else None
            if check_file is not None and spec is not None and spec.origin is not None:
                check_file(Path(spec.origin))
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name and (name == error.name or name.startswith(f"{error.name}.")):
                raise PluginError(f"{name}: there is no such module") from None
            raise PluginError(f"{name}: {_error_text(error)}") from error
        except USER_ERRORS as error:
            raise PluginError(f"{name}: {_error_text(error)}") from error


@cache
def module_of(path: str, text: str) -> ModuleType:
    """Run the text of a file as a module, once for each content; ``PluginError`` with the line if it raises."""
    folder = Path(path).parent
    digest = hashlib.sha256(path.encode() + content_of(text, (folder,)).encode())
    name = f"{PREFIX}{Path(path).stem}_{digest.hexdigest()[:16]}"
    module = ModuleType(name)
    module.__file__ = path
    module.__dict__["__plugin__"] = (path, text)
    # Where the file does not exist, such as on another host, tracebacks and sources are read from here.
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    sys.modules[name] = module
    try:
        with _on_path(str(folder)):
            exec(compile(text, path, "exec"), module.__dict__)  # noqa: S102 - the user's own file
    except USER_ERRORS as error:
        del sys.modules[name]
        raise PluginError(f"{path}: {_error_text(error, path)}") from error
    return module


@contextlib.contextmanager
def _on_path(folder: str) -> Iterator[None]:
    """Have imports find the modules of a folder."""
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)


def _error_text(error: BaseException, path: str = "") -> str:
    """Return an error in one sentence, with the line of the user's file that raised it."""
    what = f"{type(error).__name__}: {text_of(error)}"
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {type(error).__name__}: {error.msg}"
    place = user_location(error)
    if place is None:
        return what
    where, line = place
    return f"line {line}: {what}" if where == path else f"{where}, line {line}: {what}"


def user_location(error: BaseException) -> tuple[str, int] | None:
    """Return the file and the line of a user's code that raised an error, or None if none of it did."""
    cause: BaseException | None = error
    while cause is not None:
        for frame in reversed(traceback.extract_tb(cause.__traceback__)):
            if frame.lineno is not None and is_users(frame.filename):
                return frame.filename, frame.lineno
        cause = cause.__cause__
    return None


def is_users(file: str) -> bool:
    """Tell whether a source file is a user's own, neither installed nor of planbatch."""
    if not file or file.startswith("<"):
        return False
    path = Path(file).resolve()
    inside = (
        *_LIBRARIES,
        *(_PLANBATCH / part for part in ("planner", "objectives", "baselines", "experiments", "planbatch")),
    )
    return not any(path.is_relative_to(folder) for folder in inside)


def content_of(text: str, folders: tuple[Path, ...]) -> str:
    """Return the digest of a source and of the files beside it that it imports, directly or not."""
    digest = hashlib.sha256()
    sources, paths = [text], set()
    while sources:
        source = sources.pop()
        digest.update(source.encode())
        for name in sorted(_imports(source)):
            if name.partition(".")[0] == "planbatch":  # known by the digest of the code
                continue
            for path in (p for folder in folders for p in _candidates(folder, name)):
                if path not in paths and path.is_file():
                    paths.add(path)
                    with contextlib.suppress(OSError, UnicodeDecodeError):
                        sources.append(path.read_text(encoding="utf-8"))
    return digest.hexdigest()[:20]


def _imports(source: str) -> set[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            names.update(filter(None, [base, *(f"{base}.{alias.name}".strip(".") for alias in node.names)]))
    return names


def _candidates(folder: Path, name: str) -> tuple[Path, Path]:
    path = folder.joinpath(*name.split("."))
    return path.with_suffix(".py"), path / "__init__.py"


def content_digest_of(value: object) -> str | None:
    """Return the digest of the user's file that a function or class stands in; None for library code.

    For a function of a script or a notebook it is that of the function, and of the functions and plain values of the
    session that it uses: an edit elsewhere changes nothing.
    """
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    if module is None:
        return None
    if module.__name__ == "__main__":
        return _session_content(value) if inspect.isfunction(value) else None
    file, name = getattr(module, "__file__", None) or "", module.__name__
    if name.startswith(PREFIX):
        path, text = module.__dict__["__plugin__"]
        return content_of(text, (Path(path).parent,))
    if name.partition(".")[0] in ("planbatch", "tests") or not is_users(file):
        return None
    with contextlib.suppress(OSError, UnicodeDecodeError):
        path = Path(file)
        top = path.parents[name.count(".")] if name.count(".") < len(path.parents) else path.parent
        return content_of(path.read_text(encoding="utf-8"), (path.parent, top))
    return None


def _session_content(function: FunctionType) -> str:
    """Return the digest of a function of the session with what it uses of the session, directly or not."""
    digest, functions, names = hashlib.sha256(), [function], {function.__name__}
    while functions:
        current = functions.pop()
        code = current.__code__
        digest.update(repr((code.co_code, code.co_names, _plain(code.co_consts))).encode())
        digest.update(repr((current.__defaults__, current.__kwdefaults__)).encode())
        for name in sorted(set(code.co_names) - names):
            names.add(name)
            value = current.__globals__.get(name)
            plain = getattr(value, "py_func", value)
            if inspect.isfunction(plain) and plain.__module__ == "__main__":
                functions.append(plain)
            elif isinstance(value, int | float | str | bytes | tuple):
                digest.update(f"{name}={value!r}".encode())
    return digest.hexdigest()[:20]


def _plain(constants: tuple[Any, ...]) -> list[Any]:
    """Return constants of a function; of functions inside it, their code."""
    return [(one.co_code, _plain(one.co_consts)) if inspect.iscode(one) else one for one in constants]


def pickle_recipe(value: object) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """Return how another process makes a function, class or kernel of a user's file; None for anything else."""
    function = getattr(value, "py_func", value)
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    name = getattr(function, "__qualname__", "")
    if module is None or not module.__name__.startswith(PREFIX) or vars(module).get(name) is not value:
        return None
    return rebuild, (*module.__dict__["__plugin__"], name)


def rebuild(path: str, text: str, name: str) -> Any:
    """Make the object of a :func:`pickle_recipe`."""
    return getattr(module_of(path, text), name)
