"""The identity of a replay: digests of the workload, the policy, and the sources that decide its outcome."""

import ast
import hashlib
import importlib.metadata
import inspect
import json
import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from planbatch import _core
from planbatch.planner.model import Workload
from planbatch.planner.registry.compiling import compiler
from planbatch.planner.registry.source import content_digest_of

#: Header fields that policies read.
_HEADER = ("UnixStartTime", "TimeZone", "TimeZoneString")
_COLUMNS = ("id", "submit", "procs", "walltime", "runtime", "deadline", "user")
#: The folder that holds ``planner``, ``objectives``, …: the package once installed, else the repository.
SOURCES = Path(__file__).resolve().parents[2]
#: The folders that decide the outcome of a replay; what only loads, shows or stores is not among them.
CODE = ("planner", "objectives", "baselines", "experiments/replay")
#: How much of a digest a key shows: enough for billions of cells.
KEY_DIGITS = 20


class ByIdentity:
    """A workload as the key of a cache; a workload itself has no hash."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload

    def __hash__(self) -> int:
        return id(self.workload)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and other.workload is self.workload


def workload_hash(workload: Workload) -> str:
    """Return the digest of everything about a workload that a replay can see."""
    return _hash_of(ByIdentity(workload))


@lru_cache(maxsize=64)
def _hash_of(key: ByIdentity) -> str:
    workload = key.workload
    digest = hashlib.sha256(f"{workload.capacity}\n".encode())
    for name in _COLUMNS:
        digest.update(getattr(workload, name).astype("<i8").tobytes())
    header = {key: workload.header[key] for key in _HEADER if key in workload.header}
    digest.update(json.dumps(header, sort_keys=True).encode())
    if workload.resources or workload.windows:
        digest.update(workload.demands.astype("<i8").tobytes())
        digest.update(repr((workload.resources, workload.windows)).encode())
    return digest.hexdigest()[:KEY_DIGITS]


def key_of(identity: Mapping[str, Any]) -> str:
    """Return the key of a cell."""
    return _digest(identity)[:KEY_DIGITS]


def replay_seed(identity: Mapping[str, Any]) -> int:
    """Derive a replay's seed, below 2**53, from a cell's identity without the version of the code."""
    contents = {name: value for name, value in identity.items() if name != "code"}
    return int(_digest(contents)[:16], 16) >> 11


def content_digest(policy: object) -> str:
    """Return the digest of everything that decides what a policy does: parameters and sources of its functions.

    Raises ``ValueError`` if a part has no content that tells it from others.
    """
    return _digest(_as_data(policy))


def _digest(part: object) -> str:
    text = json.dumps(part, sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _as_data(part: object, depth: int = 0) -> Any:  # noqa: PLR0911 - one per kind of value
    """Describe a policy, or a part of one, in values that JSON can hold."""
    if part is None or isinstance(part, str | int | float | bool):
        return part
    if isinstance(part, np.ndarray | np.generic):
        return [str(part.dtype), part.tolist()]
    kind = f"{type(part).__module__}.{type(part).__qualname__}"
    if depth > 16:
        raise ValueError(f"policy: {kind} is nested too deeply to tell it from others")
    deeper = depth + 1
    if isinstance(part, Mapping):
        return {str(key): _as_data(value, deeper) for key, value in part.items()}
    if isinstance(part, _core.CompiledObjective):
        return [compiler(), _as_data(part.__reduce__()[1], deeper)]
    if type(part).__module__ == _core.__name__:  # known by its arguments; its code by the core's digest
        arguments = part.name if hasattr(part, "name") else part.__reduce__()[1]
        return [type(part).__name__, _as_data(arguments, deeper)]
    if isinstance(part, Iterable):
        return [_as_data(value, deeper) for value in part]
    function = getattr(part, "py_func", part)
    if inspect.isfunction(function):
        contents = [cell.cell_contents for cell in function.__closure__ or ()]
        contents += list(function.__defaults__ or ())
        return [function.__qualname__, _source(function), _as_data(contents, deeper)]
    if is_dataclass(part):
        held_by = {field.name: getattr(part, field.name) for field in fields(part)}
    else:
        held_by = dict(getattr(part, "__dict__", {}))
    return [kind, _source(type(part)), _as_data(held_by, deeper)]


def _source(part: Callable[..., object]) -> str:
    """Return the digest of the user's file that a function or class stands in; without one, its source or code."""
    content = content_digest_of(part)
    return _loaded_source(part) if content is None else content


@cache
def _loaded_source(part: Callable[..., object]) -> str:
    try:
        return inspect.getsource(part)
    except (OSError, TypeError):
        code = getattr(part, "__code__", None)
        return repr((code.co_code, code.co_names, code.co_consts)) if code else ""


@cache
def code_digest() -> str:
    """Return the digest of all code that decides the outcome of a replay: the core, and the sources in :data:`CODE`.

    Docstrings and comments do not count.
    """
    digest = hashlib.sha256(_core.DIGEST.encode())
    for part in CODE:
        for path in sorted((SOURCES / part).rglob("*.py")):
            digest.update(f"{path.relative_to(SOURCES).as_posix()}\n".encode())
            digest.update(_without_docstrings(path.read_text(encoding="utf-8")).encode())
    return digest.hexdigest()[:16]


def _without_docstrings(source: str) -> str:
    """Return a source as its statements alone."""
    tree = ast.parse(source)
    blocks: list[Any] = [tree]
    while blocks:
        block = blocks.pop()
        block.body = [line for line in block.body if not _is_text(line)]
        blocks += [line for line in block.body if hasattr(line, "body")]
    return ast.dump(tree)


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)


def versions() -> dict[str, str]:
    """Return the versions of all software that takes part in a replay."""
    return {
        "planbatch": planbatch_version(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "code": code_digest(),
    }


@cache
def planbatch_version() -> str:
    """Return the installed version, or ``0`` if the sources run without an installation."""
    try:
        return importlib.metadata.version("planbatch")
    except importlib.metadata.PackageNotFoundError:
        return "0"
