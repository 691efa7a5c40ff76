"""The specification of a parameter search, and its TOML file; errors name file, line, table and key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from planbatch.baselines.catalogue import POLICY_NAMES, make_policy
from planbatch.baselines.policy import Policy
from planbatch.experiments.common.schema import by_key, setting_specs
from planbatch.experiments.studies.experiment_file import ExperimentFileError, FileReader, to_list
from planbatch.experiments.studies.metrics import Metric
from planbatch.experiments.studies.spec import WorkloadSpec
from planbatch.experiments.workloads.options import parse_span
from planbatch.planner.names import did_you_mean
from planbatch.planner.settings import Setting

#: A parameter in the text of a policy.
PLACEHOLDER = re.compile(r"\{([\w-]+)\}")


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to ``high``, both included: whole ones if both are, and by their logarithm if ``log``."""

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"from is {self.low:g}, and to, {self.high:g}, is not above it")
        if self.log and not self.low > 0:
            raise ValueError(f"log: from is {self.low:g}, and should be above 0")

    @property
    def whole(self) -> bool:
        """Whether both ends are whole numbers as written."""
        return isinstance(self.low, int) and isinstance(self.high, int)


@dataclass(frozen=True)
class Tuning:
    """A search of a policy's parameters; the settings are the keys of its file, which docs/tuning.md explains."""

    policy: Annotated[str, Setting("A policy with parameters in braces.")]
    workload: Annotated[WorkloadSpec, Setting("The log.", in_files=dict)]
    past: Annotated[str, Setting("The span that is tuned on.")]
    later: Annotated[tuple[str, ...], Setting("The spans that are held out.")]
    parameters: Annotated[Mapping[str, Range | tuple[str, ...]], Setting("Ranges and choices.", in_files=dict)]
    goals: Annotated[tuple[Metric, ...], Setting("Metrics; less is better, unless one says otherwise.", in_files=str)]
    trials: Annotated[int, Setting("How many settings are tried.")] = 50
    seed: Annotated[int, Setting("Seed of the search and the replays.")] = 0
    default: Annotated[str, Setting("What it is compared with; by default, without parameters.")] = ""
    #: Where the spans are in a file, named in errors, such as ``tune.toml, line 7``.
    places: Mapping[str, str] = field(default_factory=dict, compare=False)

    def text(self, values: Mapping[str, object]) -> str:
        """Return the name of the policy with these parameters."""
        return PLACEHOLDER.sub(lambda place: short_text(values[place[1]]), self.policy)

    def make(self, values: Mapping[str, object]) -> Policy:
        """Make the policy with these parameters; ``ValueError`` if one is out of its range."""
        return make_policy(self.text(values))


def short_text(value: object) -> str:
    """Write a parameter with at most three digits, so that names stay short; whole numbers and words as they are."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


KEYS = by_key(setting_specs(Tuning))
RANGE_KEYS = ("from", "to", "log")
DEFAULT_GOALS = ["mean-wait", "max-wait"]


def read_tuning(path: str | Path) -> Tuning:
    """Read what ``planbatch tune`` searches, or raise ``ExperimentFileError``; docs/tuning.md lists the keys."""
    reader = FileReader(path)
    top = reader.read_table(reader.document, KEYS, "", 0)
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
    later = to_list(top["later"])
    for key, spans in (("past", [top["past"]]), ("later", later)):
        for span in spans:  # where the log starts, and so whether a span has jobs, is known later
            reader.attempt(partial(parse_span, span, 0), "", 0, key, span)
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
    reader.attempt(lambda: make_policy(tuning.default), "", 0, key)
    return tuning


def without_parameters(policy: str) -> str:
    """Return the name of a policy without its parameters, with the file of a user's own."""
    reference = POLICY_NAMES.reference(policy)
    return f"{reference.source}:{reference.name}" if reference.source else reference.name


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
        reader.attempt(partial(tuning.make, bases[0]), *location)
        return
    for name, values in candidates.items():
        for value in values:
            text = value if isinstance(value, str) else None
            make = partial(tuning.make, base | {name: value})
            reader.attempt(make, "parameters", 0, name, text)


def _refusal(tuning: Tuning, values: Mapping[str, Any]) -> str | None:
    """Return why no policy can be made with these parameters, or None if one can."""
    try:
        tuning.make(values)
    except (ValueError, OSError) as error:
        return str(error)
    return None


def _parameters(reader: FileReader, policy: str, table: Mapping[str, Any]) -> dict[str, Range | tuple[str, ...]]:
    """Read [parameters]: each has a place in the policy, and each place a parameter."""
    places = PLACEHOLDER.findall(policy)
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
        parameters[name] = reader.attempt(partial(_values, value), "parameters", 0, name)
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
