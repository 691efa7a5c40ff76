"""What a cell is known by: digests of the workload, of the policy's parameters, and of the code."""

import hashlib
import importlib.metadata
import inspect
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from planbatch.baselines.policy import Policy
from planbatch.experiments.grid.spec import PolicySpec
from planbatch.planner.model import Workload

ROOT = Path(__file__).resolve().parents[2]
#: The sources that decide what a replay comes to; what only loads, shows or stores is not among them.
CODE = (
    "planner",
    "objectives",
    "baselines",
    "experiments/replay",
    "experiments/grid/spans.py",
)
#: Header fields that policies look at.
_HEADER = ("UnixStartTime", "TimeZone", "TimeZoneString")
_COLUMNS = ("id", "submit", "procs", "walltime", "runtime", "deadline", "user")
#: How much of a digest a key shows: enough for billions of cells.
KEY_DIGITS = 20


@cache
def code_digest() -> str:
    """Give the digest of the sources in :data:`CODE`: of what they say, not of when they were written."""
    digest = hashlib.sha256()
    for part in CODE:
        top = ROOT / part
        for path in sorted(top.rglob("*.py")) if top.is_dir() else [top]:
            digest.update(f"{path.relative_to(ROOT).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def versions() -> dict[str, str]:
    """Give the versions of whatever takes part in a replay."""
    import numba

    return {
        "planbatch": planbatch_version(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "code": code_digest(),
    }


@cache
def planbatch_version() -> str:
    """Give the version that is installed, or ``0`` where the sources run without an installation."""
    try:
        return importlib.metadata.version("planbatch")
    except importlib.metadata.PackageNotFoundError:
        return "0"


def workload_hash(workload: Workload) -> str:
    """Give the digest of everything about a workload that a replay can see."""
    digest = hashlib.sha256(f"{workload.capacity}\n".encode())
    for name in _COLUMNS:
        digest.update(getattr(workload, name).astype("<i8").tobytes())
    header = {key: workload.header[key] for key in _HEADER if key in workload.header}
    digest.update(json.dumps(header, sort_keys=True).encode())
    if workload.resources or workload.windows:
        digest.update(workload.demands.astype("<i8").tobytes())
        digest.update(repr((workload.resources, workload.windows)).encode())
    return digest.hexdigest()[:KEY_DIGITS]


def policy_identity(spec: PolicySpec) -> dict[str, Any]:
    """Give the parameters that decide what a policy does, defaults filled in; no label."""
    if spec.policy is not None:
        return {"name": spec.name, "content": content_digest(spec.policy)}
    if spec.plan_based:
        evaluations = spec.evaluations
        if evaluations is None and spec.seconds is None:
            from planbatch.baselines.catalogue import DEFAULT_EVALUATIONS

            evaluations = DEFAULT_EVALUATIONS
        return {
            "name": spec.name,
            "optimizer": spec.optimizer or "annealing",
            "evaluations": evaluations,
            "seconds": spec.seconds,
            "promise": spec.promise,
        }
    return {"name": spec.name, "calendar": spec.calendar} if spec.calendar else {"name": spec.name}


def key_of(identity: Mapping[str, Any]) -> str:
    """Give the key of a cell."""
    return _digest(identity)[:KEY_DIGITS]


def replay_seed(identity: Mapping[str, Any]) -> int:
    """Draw a replay's seed from a cell's identity, the code's version left out; below 2**53."""
    rest = {name: value for name, value in identity.items() if name != "code"}
    return int(_digest(rest)[:16], 16) >> 11


def content_digest(policy: Policy) -> str:
    """Give the digest of everything that decides what a policy does: parameters, and sources of its functions.

    Raises
    ------
    ValueError
        Where a part has no content that could be told from another's.
    """
    return _digest(_described(policy))


def _digest(thing: Any) -> str:
    text = json.dumps(thing, sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _described(thing: Any, depth: int = 0) -> Any:
    """Describe a policy, or a part of one, as JSON can hold it."""
    if thing is None or isinstance(thing, str | int | float | bool):
        return thing
    if isinstance(thing, np.ndarray | np.generic):
        return [str(thing.dtype), thing.tolist()]
    kind = f"{type(thing).__module__}.{type(thing).__qualname__}"
    if depth > 8:
        raise ValueError(f"policy: {kind} is nested too deeply to be told from others")
    deeper = depth + 1
    if isinstance(thing, Mapping):
        return {str(key): _described(value, deeper) for key, value in thing.items()}
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
    """Give the source of a function or class, or what it was compiled to."""
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):
        code = getattr(thing, "__code__", None)
        return repr((code.co_code, code.co_names, code.co_consts)) if code else ""
