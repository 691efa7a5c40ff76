"""The identity of a replay: digests of the workload and of the policy."""

import hashlib
import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from planbatch import _core
from planbatch.planner.model import Workload
from planbatch.planner.registry.compiling import compiler
from planbatch.planner.registry.source import content_digest_of

#: Header fields that policies read.
_HEADER = ("UnixStartTime", "TimeZone", "TimeZoneString")
_COLUMNS = ("id", "submit", "procs", "walltime", "runtime", "deadline", "user")
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
    rest = {name: value for name, value in identity.items() if name != "code"}
    return int(_digest(rest)[:16], 16) >> 11


def content_digest(policy: Any) -> str:
    """Return the digest of everything that decides what a policy does: parameters and sources of its functions.

    Raises
    ------
    ValueError
        If a part has no content that tells it from others.
    """
    return _digest(_described(policy))


def _digest(thing: Any) -> str:
    text = json.dumps(thing, sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _described(thing: Any, depth: int = 0) -> Any:  # noqa: PLR0911 - one per kind of value
    """Describe a policy, or a part of one, in values that JSON can hold."""
    if thing is None or isinstance(thing, str | int | float | bool):
        return thing
    if isinstance(thing, np.ndarray | np.generic):
        return [str(thing.dtype), thing.tolist()]
    kind = f"{type(thing).__module__}.{type(thing).__qualname__}"
    if depth > 16:
        raise ValueError(f"policy: {kind} is nested too deeply to tell it from others")
    deeper = depth + 1
    if isinstance(thing, Mapping):
        return {str(key): _described(value, deeper) for key, value in thing.items()}
    if isinstance(thing, _core.CompiledObjective):
        return [compiler(), _described(thing.__reduce__()[1], deeper)]
    if (
        type(thing).__module__ == _core.__name__
    ):  # known by its arguments; its code by the core's digest
        arguments = thing.name if hasattr(thing, "name") else thing.__reduce__()[1]
        return [type(thing).__name__, _described(arguments, deeper)]
    if isinstance(thing, Iterable):
        return [_described(value, deeper) for value in thing]
    function = getattr(thing, "py_func", thing)
    if inspect.isfunction(function):
        held = [cell.cell_contents for cell in function.__closure__ or ()]
        held += list(function.__defaults__ or ())
        return [function.__qualname__, _source(function), _described(held, deeper)]
    if is_dataclass(thing):
        held_by = {field.name: getattr(thing, field.name) for field in fields(thing)}
    else:
        held_by = dict(getattr(thing, "__dict__", {}))
    return [kind, _source(type(thing)), _described(held_by, deeper)]


def _source(thing: Any) -> str:
    """Return the digest of the user's file that a function or class stands in, its source, or its compiled code."""
    content = content_digest_of(thing)
    if content is not None:
        return content
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):
        code = getattr(thing, "__code__", None)
        return repr((code.co_code, code.co_names, code.co_consts)) if code else ""
