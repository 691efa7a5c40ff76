"""Workloads in Python: what flags say on the command line, as keywords."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from planbatch.experiments.common.paths import as_path
from planbatch.experiments.common.schema import setting_specs
from planbatch.experiments.common.text import Notify, silent
from planbatch.experiments.workloads.load import workload_of_source
from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.experiments.workloads.resources import ResourceRule, parse_rule
from planbatch.planner.arguments import as_list, check_keywords, short_repr, whole
from planbatch.planner.model import Workload

#: A flag in a message, and its value if there is one.
_FLAG = re.compile(r"--([a-z][a-z-]*)(?: ((?:[a-zA-Z_]+=)?[A-Z]+\b|\d\w*))?")
#: Flag → keyword, where they differ.
_KEYWORDS = {"column": "columns", "resource": "resources"}
_RULE = ("column", "capacity", "per", "unit", "unknown")


def load_workload(source: str | Path | None = None, *, notify: Notify = silent, **options: Any) -> Workload:
    """Load a workload from a log.

    Parameters
    ----------
    source : str or Path, optional
        A path or the name of a fetched log; ``None`` means the embedded workload.
    notify : callable
        Called with sentences on what was skipped or assumed, such as ``print``.
    **options
        Fields of :class:`WorkloadOptions`, such as ``first=1000``, ``span="0d:30d"`` or ``capacity=128``. Columns and
        resources are mappings: ``columns={"submit": "time"}``, ``resources={"gpus": {"column": "gres/gpu", "capacity":
        64}}``, with the fields of :class:`ResourceRule`.

    Raises
    ------
    OSError, ValueError
        The message says in one sentence what is wrong and what to do.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.load_workload(first=100)
    Workload(lublin-batch-256: 100 jobs, 256 processors, submitted in 30.3 h)
    """
    if source is not None and not isinstance(source, str | Path):
        cure = "a data frame is a workload by Workload.from_frame(frame, capacity=N)"
        raise ValueError(f"source: {short_repr(source)} is not a path or the name of a log; {cure}")
    with in_python():
        return workload_of_source(source, options_of(options), notify)  # type: ignore[arg-type]


def options_of(keywords: Mapping[str, Any]) -> WorkloadOptions:
    """Return the options that keywords give; ``ValueError`` if one is unknown, or a value is of the wrong type."""
    settings = setting_specs(WorkloadOptions)
    check_keywords(keywords, [*(name for name in settings if name != "resource"), "resources"])
    options: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in keywords.items()
    }
    mappings = {name: options.pop(name, {}) for name in _EXAMPLES}
    for name, value in mappings.items():
        if not isinstance(value, Mapping):
            raise ValueError(f"{name}: {short_repr(value)} is not a mapping; {_EXAMPLES[name]}")
    for name, value in options.items():
        if value is None:
            continue
        setting = settings[name]
        if setting.type is int:
            options[name] = whole(name, value, 1)
        elif name == "drop_queue":
            options[name] = tuple(map(str, as_list(name, value, least=0)))
        elif name == "partition":
            options[name] = str(value)
        elif name == "windows":
            options[name] = str(as_path(name, value))
        elif isinstance(value, bool) != (setting.type is bool) or not setting.accepts(value):
            form = setting.setting.unit and f", {setting.setting.unit}"
            raise ValueError(f"{name}: {short_repr(value)} is not {setting.expected}{form}")
    return WorkloadOptions(
        **options,
        columns=tuple(f"{field}={column}" for field, column in mappings["columns"].items()),
        resource=tuple(rule_of(name, entry) for name, entry in mappings["resources"].items()),
    )


#: How mappings look, for messages.
_EXAMPLES = {
    "columns": 'give columns={"submit": "time"}',
    "resources": 'give resources={"gpus": {"column": "gres/gpu", "capacity": 64}}',
}


def rule_of(name: str, entry: object) -> ResourceRule:
    """Return the rule of one entry of ``resources``: a mapping, with the defaults that texts on the command line have.

    Raises ``ValueError`` if a field is missing or not known.
    """
    if isinstance(entry, ResourceRule):
        return entry
    if not isinstance(entry, Mapping):
        raise ValueError(f"resources, {name}: {short_repr(entry)} is not a mapping; {_EXAMPLES['resources']}")
    check_keywords(entry, _RULE)
    for field in _RULE[:2]:
        if field not in entry:
            raise ValueError(f"resources, {name}: the {field} is missing; {_EXAMPLES['resources']}")
    more = "".join(f",{key}={value}" for key, value in entry.items() if key not in _RULE[:2])
    return parse_rule(f"{name}={entry['column']}:{entry['capacity']}{more}")


@contextmanager
def in_python() -> Iterator[None]:
    """Have errors speak of keywords where they speak of flags."""
    try:
        yield
    except (ValueError, OSError) as error:
        text = str(error)
        if "--" not in text:
            raise
        raise type(error)(_FLAG.sub(_keyword, text)) from None


def _keyword(match: re.Match[str]) -> str:
    flag, value = match.groups()
    name = _KEYWORDS.get(flag, flag.replace("-", "_"))
    if name == "columns":
        field, _, column = (value or "FIELD=NAME").partition("=")
        return f'columns={{"{field}": "{column}"}}'
    if name in ("skip_bad_lines", "known_waits"):
        return f"{name}=True"
    if value is None:
        return f"{name}=…"
    return f"{name}={value}" if value.isdigit() else f'{name}="{value}"'
