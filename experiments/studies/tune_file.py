"""Reading a search of parameters from a TOML file; errors name file, line, table and key."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from planbatch.baselines.catalogue import POLICY_NAMES, make_policy
from planbatch.experiments.common.schema import by_key, declared
from planbatch.experiments.studies.toml_reader import ExperimentFileError, FileReader, listed
from planbatch.experiments.studies.tune_spec import PLACE, Range, Tuning
from planbatch.experiments.workloads.options import parse_span
from planbatch.planner.names import did_you_mean

KEYS = by_key(declared(Tuning))
RANGE_KEYS = ("from", "to", "log")
DEFAULT_GOALS = ["mean-wait", "max-wait"]


def read_tuning(path: str | Path) -> Tuning:
    """Read what ``planbatch tune`` searches, or raise ``ExperimentFileError``; docs/tuning.md lists the keys."""
    reader = FileReader(path)
    top = reader.checked(reader.document, KEYS, "", 0)
    for key in ("policy", "past", "later", "parameters"):
        if key not in top:
            raise ExperimentFileError(f"{path}: there is no {key}; docs/tuning.md has an example")
    for key in ("policy", "default", "past", "trials", "seed", "workload"):
        if isinstance(top.get(key), list):
            raise ExperimentFileError(f"{reader.where('', 0, key)}: {key} is a list; give one")
    for key, least in (("trials", 1), ("seed", 0)):
        if top.get(key, least) < least:
            raise ExperimentFileError(f"{reader.where('', 0, key)}: {key} is {top[key]}, and should be {least} or more")
    return _tuning(reader, top)


def _tuning(reader: FileReader, top: Mapping[str, Any]) -> Tuning:
    """Make the search of checked keys, and the policy once with the first of all values."""
    later = listed(top["later"])
    for key, spans in (("past", [top["past"]]), ("later", later)):
        for span in spans:  # where the log starts, and so whether a span has jobs, is known later
            reader.located(partial(parse_span, span, 0), "", 0, key, span)
    parameters = _parameters(reader, top["policy"], top["parameters"])
    workloads = list(reader.workloads(top.get("workload", {}), 0, {}))
    if len(workloads) > 1 or workloads[0].options.span is not None:
        raise ExperimentFileError(
            f"{reader.where('workload')}: [workload] is one log, and its spans are past and later"
        )
    goals = reader.metrics(top.get("goals", DEFAULT_GOALS), "goals")
    policy = reader.with_paths(top["policy"])
    tuning = Tuning(
        policy, workloads[0], top["past"], tuple(later), parameters, goals,
        **{key: top[key] for key in ("trials", "seed") if key in top},
        default=reader.with_paths(top.get("default", without_parameters(policy))),
        places={span: reader.where("", 0, "past", span) for span in (top["past"],)}
        | {span: reader.where("", 0, "later", span) for span in later},
    )  # fmt: skip
    _check_policies(reader, tuning)
    key = "default" if "default" in top else "policy"
    reader.located(lambda: make_policy(tuning.default), "", 0, key)
    return tuning


def without_parameters(policy: str) -> str:
    """Return the name of a policy without its parameters, with the file of a user's own."""
    reference = POLICY_NAMES.reference(policy)
    return f"{reference.place}:{reference.name}" if reference.place else reference.name


def _check_policies(reader: FileReader, tuning: Tuning) -> None:
    """Make the policy with each choice and both ends of each range; an error names the parameter's line.

    The other parameters have their first values, or else their last ones. If no value of any parameter makes a policy,
    the policy's line is named.
    """
    candidates = {
        name: (values.low, values.high) if isinstance(values, Range) else values
        for name, values in tuning.parameters.items()
    }
    bases = [{name: values[position] for name, values in candidates.items()} for position in (0, -1)]
    base = next((values for values in bases if _refusal(tuning, values) is None), None)
    if base is None:
        each = [(name, bases[0] | {name: v}) for name, values in candidates.items() for v in values[1:]]
        name = next((name for name, values in each if _refusal(tuning, values) is None), None)
        location = ("", 0, "policy") if name is None else ("parameters", 0, name)
        reader.located(partial(tuning.make, bases[0]), *location)
        return
    for name, values in candidates.items():
        for value in values:
            text = value if isinstance(value, str) else None
            make = partial(tuning.make, base | {name: value})
            reader.located(make, "parameters", 0, name, text)


def _refusal(tuning: Tuning, values: Mapping[str, Any]) -> str | None:
    """Return why no policy can be made with these parameters, or None if one can."""
    try:
        tuning.make(values)
    except (ValueError, OSError) as error:
        return str(error)
    return None


def _parameters(reader: FileReader, policy: str, table: Mapping[str, Any]) -> dict[str, Range | tuple[str, ...]]:
    """Read [parameters]: each has a place in the policy, and each place a parameter."""
    places = PLACE.findall(policy)
    if not places:
        where = reader.where("", 0, "policy")
        raise ExperimentFileError(f"{where}: policy has no parameter in braces, such as {{age}}")
    for place in places:
        if place not in table:
            where = reader.where("", 0, "policy")
            raise ExperimentFileError(f"{where}: [parameters] has no {place}; {did_you_mean(place, list(table))}")
    parameters = {}
    for name, value in table.items():
        if name not in places:
            raise ExperimentFileError(
                f"{reader.where('parameters', 0, name)}: [parameters] {name} has no place {{{name}}} in the policy"
            )
        parameters[name] = reader.located(partial(_values, value), "parameters", 0, name)
    return parameters


def _values(value: object) -> Range | tuple[str, ...]:
    """Read one parameter: a list of choices, or a table with from and to."""
    if isinstance(value, list) and value:
        return tuple(str(choice) for choice in value)
    if not isinstance(value, dict) or not {"from", "to"} <= value.keys() <= set(RANGE_KEYS):
        raise ValueError(f"{value!r} is neither a list of choices nor {{ from = …, to = …, log = … }}")
    if any(type(value[key]) not in (int, float) for key in ("from", "to")):
        raise ValueError("from and to are numbers")
    if type(value.get("log", False)) is not bool:
        raise ValueError("log is true or false")
    return Range(value["from"], value["to"], value.get("log", False))
