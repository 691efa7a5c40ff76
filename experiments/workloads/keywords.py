"""Workloads in Python: what flags say on the command line, as keywords."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from planbatch.experiments.workloads.load import workload_of_source
from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.experiments.workloads.resources import ResourceRule, parse_rule
from planbatch.planner.arguments import known_keywords, shown, whole
from planbatch.planner.model import Workload

#: A flag in a message, and its value if there is one.
_FLAG = re.compile(r"--([a-z][a-z-]*)(?: ((?:[a-zA-Z_]+=)?[A-Z]+\b|\d\w*))?")
#: Flag → keyword, where they differ.
_KEYWORDS = {"column": "columns", "resource": "resources"}
_NUMBERS = ("capacity", "first", "round_sizes")
_RULE = ("column", "capacity", "per", "unit", "unknown")


def load_workload(
    source: str | Path | None = None,
    *,
    note: Callable[[str], object] = lambda _line: None,
    **options: Any,
) -> Workload:
    """Load a workload from a log.

    Parameters
    ----------
    source : str or Path, optional
        A path or the name of a fetched log; ``None`` means the embedded workload.
    note : callable
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
        raise ValueError(f"source: {shown(source)} is not a path or the name of a log; {cure}")
    with in_python():
        return workload_of_source(source, options_of(options), note)  # type: ignore[arg-type]


def options_of(given: Mapping[str, Any]) -> WorkloadOptions:
    """Return the options that keywords say.

    Raises
    ------
    ValueError
        If there is no such keyword, or its value is of the wrong type.
    """
    names = [field.name for field in fields(WorkloadOptions) if field.name != "resource"]
    known_keywords(given, [*names, "resources"])
    options: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in given.items()
    }
    for name in _NUMBERS:
        if options.get(name) is not None:
            options[name] = whole(name, options[name], 1)
    for name in ("columns", "resources"):
        if not isinstance(options.get(name, {}), Mapping):
            raise ValueError(f"{name}: {shown(options[name])} is not a mapping; {_EXAMPLES[name]}")
    columns, resources = options.pop("columns", {}), options.pop("resources", {})
    if isinstance(options.get("drop_queue"), str | int):
        options["drop_queue"] = (options["drop_queue"],)
    if options.get("drop_queue"):
        options["drop_queue"] = tuple(map(str, options["drop_queue"]))
    for name in ("partition", "windows"):
        if options.get(name) is not None:
            options[name] = str(options[name])
    load = options.get("load")
    if load is not None and (isinstance(load, bool) or not isinstance(load, int | float)):
        raise ValueError(f"load: {shown(load)} is not a factor, such as 1.2")
    for name in (
        "preset",
        "span",
        "timezone",
        *(key for key in options if key.startswith("memory")),
    ):
        if not isinstance(options.get(name), str | None):
            raise ValueError(
                f"{name}: {shown(options[name])} is not a text, such as {_TEXTS[name]!r}"
            )
    return WorkloadOptions(
        **options,
        columns=tuple(f"{field}={column}" for field, column in columns.items()),
        resource=tuple(rule_of(name, entry) for name, entry in resources.items()),
    )


#: How mappings and texts look, for messages.
_EXAMPLES = {
    "columns": 'give columns={"submit": "time"}',
    "resources": 'give resources={"gpus": {"column": "ngpus", "capacity": 64}}',
}
_TEXTS = {
    "preset": "frontier",
    "span": "0d:30d",
    "timezone": "Europe/Berlin",
    "memory": "requested",
    "memory_capacity": "1TB",
    "memory_per": "job",
    "memory_unit": "MB",
    "memory_unknown": "median",
}


def rule_of(name: str, entry: Any) -> ResourceRule:
    """Return the rule of one entry of ``resources``: a mapping, with the defaults that texts on the command line have.

    Raises
    ------
    ValueError
        If a field is missing or not known.
    """
    if isinstance(entry, ResourceRule):
        return entry
    if not isinstance(entry, Mapping):
        raise ValueError(
            f"resources, {name}: {shown(entry)} is not a mapping; {_EXAMPLES['resources']}"
        )
    known_keywords(entry, _RULE)
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
