"""Reading an experiment, or a search of parameters, from a TOML file; errors name the line."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any, TypeVar

from planbatch.baselines.catalogue import POLICIES, make_policy, takes
from planbatch.experiments.common.paths import as_path
from planbatch.experiments.common.schema import SettingSpec, by_key, setting_specs
from planbatch.experiments.common.toml_lines import line_of
from planbatch.experiments.replay.estimates import REQUESTED, check_estimates
from planbatch.experiments.replay.spans import Spans
from planbatch.experiments.studies.metrics import Metric, as_metrics
from planbatch.experiments.studies.policy_settings import POLICY_SETTINGS
from planbatch.experiments.studies.spec import Experiment, PolicySpec, WorkloadSpec
from planbatch.experiments.workloads.load import EMBEDDED, resolve_source
from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.objectives.catalogue import OBJECTIVES
from planbatch.planner.durations import seconds_of
from planbatch.planner.names import did_you_mean
from planbatch.planner.settings import Setting


@dataclass
class PolicyTable:
    """The keys of a policy that are not its parameters."""

    name: Annotated[str, Setting("As --policy; or plan, with objectives.")]
    label: Annotated[str, Setting("What tables call it; by default, the name.")]
    objective: Annotated[str, Setting("Of plan: wait, squared-wait, …")]


OPTIONS = tuple(setting_specs(WorkloadOptions).values())
_OF_WORKLOADS = setting_specs(WorkloadSpec)
WORKLOAD_KEYS = by_key(_OF_WORKLOADS, setting_specs(WorkloadOptions))
POLICY_KEYS = by_key(setting_specs(PolicyTable), POLICY_SETTINGS)
SPANS_KEYS = by_key(setting_specs(Spans))
_OF_EXPERIMENTS = setting_specs(Experiment)
#: The keys of the file itself; others of it are defaults of all workloads and policies.
TOP_KEYS = by_key(
    {
        "workload": replace(_OF_EXPERIMENTS.pop("workloads"), name="workload"),
        "policy": replace(_OF_EXPERIMENTS.pop("policies"), name="policy"),
    },
    _OF_EXPERIMENTS,
    {name: _OF_WORKLOADS[name] for name in ("estimates", "deadlines")},
    POLICY_SETTINGS,
)


T = TypeVar("T")
#: The path of a user's file in a name.
_OWN_FILE = re.compile(r"[^:=,()\[\]]+\.py(?=:)")


class ExperimentFileError(ValueError):
    """An experiment's file is wrong; the message names file and line."""


class FileReader:
    """Reads the parts of one file as specifications."""

    def __init__(self, path: str | Path) -> None:
        """Read the file into ``document``; ``ExperimentFileError`` if it is not TOML."""
        self.path = as_path("file", path)
        try:
            self.text = self.path.read_text(encoding="utf-8")
            self.document = tomllib.loads(self.text)
        except FileNotFoundError:
            raise FileNotFoundError(f"{path}: there is no such file") from None
        except IsADirectoryError:
            raise IsADirectoryError(f"{path} is a folder; give the TOML file itself") from None
        except tomllib.TOMLDecodeError as error:
            raise ExperimentFileError(f"{path}: this is not TOML: {error}") from error
        except UnicodeDecodeError as error:
            raise ExperimentFileError(f"{path}: this is not UTF-8 text") from error

    def where(self, table: str = "", index: int = 0, key: str | None = None, value: object = None) -> str:
        """Return the name of a place in the file."""
        text = value if isinstance(value, str) else None
        return f"{self.path}, line {line_of(self.text, table, index, key, text)}"

    def read_table(self, entry: object, keys: Mapping[str, SettingSpec], table: str, index: int) -> dict[str, Any]:
        """Check names and kinds of the keys of a table; underscores become hyphens."""
        what = f"[[{table}]]" if table in ("workload", "policy") else f"[{table}]" if table else "file"
        if not isinstance(entry, dict):
            raise ExperimentFileError(f"{self.where('', 0, table)}: {what} is a table of keys")
        settings = {}
        for spelling, value in entry.items():
            key = spelling.replace("_", "-")
            where = self.where(table, index, spelling)
            if key not in keys:
                if value and isinstance(value, dict | list) and not table:
                    where = self.where(spelling)
                raise ExperimentFileError(f"{where}: {what} has no key {spelling!r}; {did_you_mean(key, keys)}")
            for item in to_list(value):
                if not keys[key].accepts(item):
                    raise ExperimentFileError(f"{where}: {key} is {item!r}, and should be {keys[key].expected}")
            if isinstance(value, list) and not value:
                raise ExperimentFileError(f"{where}: {key} is an empty list")
            settings[key] = value
        return settings

    def workloads(self, entry: object, index: int, top: Mapping[str, Any]) -> Iterator[WorkloadSpec]:
        """Expand one [[workload]]: lists of values give one workload each."""
        keys = self.read_table(entry, WORKLOAD_KEYS, "workload", index)
        inherited = [key for key in ("estimates", "deadlines") if key in top.keys() - keys]
        keys |= {key: top[key] for key in inherited}
        table = ("", 0) if "estimates" in inherited else ("workload", index)
        for value in to_list(keys.get("estimates", [])):
            self.attempt(partial(check_estimates, value), *table, "estimates", value)
        whole = {
            setting.name: tuple(map(str, to_list(keys.pop(setting.key, []))))
            for setting in OPTIONS
            if setting.several and setting.in_files is not dict
        }
        columns = keys.pop("columns", {})
        whole["columns"] = tuple(f"{field}={name}" for field, name in columns.items())
        keys.setdefault("source", EMBEDDED)
        for values in _combinations(keys):
            options = whole | {
                option.name: option.type(values[option.key]) for option in OPTIONS if option.key in values
            }
            where = self.where("workload", index, "source", values["source"])
            yield self.attempt(
                partial(self.workload, values, WorkloadOptions(**options), where),
                "workload", index, "source", values["source"],
            )  # fmt: skip

    def workload(self, values: Mapping[str, Any], options: WorkloadOptions, where: str) -> WorkloadSpec:
        """Make one workload of its values."""
        return WorkloadSpec(
            source=self.source(values["source"]),
            name=values.get("name", ""),
            options=options,
            deadlines=values.get("deadlines", ""),
            estimates=values.get("estimates", REQUESTED),
            where=where,
        )

    def source(self, name: str) -> str:
        """Find the source of a name: paths are relative to the file's folder, or else to the current one."""
        if name == EMBEDDED:
            return name
        path = self.path.parent / name
        if path.exists():
            return str(path)
        return str(resolve_source(name))

    def with_paths(self, name: str) -> str:
        """Resolve the user's files in a name: paths are relative to the file's folder, or else to the current one."""

        def resolved(match: re.Match[str]) -> str:
            path = self.path.parent / match[0]
            return str(path) if path.is_file() else match[0]

        return _OWN_FILE.sub(resolved, name)

    def policies(self, entry: object, index: int, top: Mapping[str, Any]) -> Iterator[PolicySpec]:
        """Expand one [[policy]]: lists of values give one policy each, as far as it takes them."""
        own = self.read_table(entry, POLICY_KEYS, "policy", index)
        if "name" not in own:
            raise ExperimentFileError(f"{self.where('policy', index)}: this [[policy]] has no name")
        concerned: set[str] = set()
        for name, objective in self.names(own, index):
            keys = _keys_of(name)
            concerned.update(key for key in own if key in keys)
            settings = {key: own[key] for key in keys if key in own}
            if {"evaluations", "seconds"} <= settings.keys():
                where = self.where("policy", index, "seconds")
                raise ExperimentFileError(f"{where}: give either evaluations or seconds")
            for key in (key for key in keys if key in top and key not in settings):
                if key not in ("evaluations", "seconds") or not ({"evaluations", "seconds"} & settings.keys()):
                    settings[key] = top[key]
            if "optimizer" in settings:
                settings["optimizer"] = [self.with_paths(own) for own in to_list(settings["optimizer"])]
            for values in _combinations(settings):
                where = self.where("policy", index, "name", name)
                spec = PolicySpec(name=name, label=own.get("label", ""), where=where, **values)
                self.attempt(spec.make, "policy", index, *_wrong_key(name, objective, values, own))
                yield spec
        for key in own.keys() - concerned - {"name", "label", "objective"}:
            raise ExperimentFileError(f"{self.where('policy', index, key)}: {own['name']} takes no {key}")

    def names(self, own: Mapping[str, Any], index: int) -> Iterator[tuple[str, str | None]]:
        """Yield the names of one [[policy]]; ``plan`` becomes a name per objective, which follows it."""
        names = to_list(own["name"])
        if "objective" in own and "plan" not in names:
            raise ExperimentFileError(f'{self.where("policy", index, "objective")}: objective goes with name = "plan"')
        for name in names:
            if name != "plan":
                yield self.with_paths(name), None
            elif "objective" not in own:
                raise ExperimentFileError(
                    f"{self.where('policy', index, 'name', name)}: plan needs an objective: " + ", ".join(OBJECTIVES)
                )
            else:
                for objective in to_list(own["objective"]):
                    by_name = objective.partition(":")[0] in OBJECTIVES
                    yield f"plan-{objective}" if by_name else f"plan:{self.with_paths(objective)}", objective

    def spans(self, entry: object) -> list[Spans]:
        """Return the ways in which [spans] splits logs."""
        own = self.read_table(entry, SPANS_KEYS, "spans", 0)
        if "count" not in own:
            raise ExperimentFileError(f"{self.where('spans')}: [spans] has no count")
        ways = []
        for values in _combinations(own):
            for key in ("warm-up", "cool-down"):
                if key in values:
                    make = partial(_duration, key, values[key])
                    values[key] = self.attempt(make, "spans", 0, key)
            settings = {key.replace("-", "_"): value for key, value in values.items()}
            ways.append(self.attempt(partial(Spans, **settings), "spans", 0, "count"))
        return ways

    def metrics(self, names: object, key: str) -> tuple[Metric, ...]:
        """Make the metrics that a key of the file names."""
        return self.attempt(lambda: as_metrics([self.with_paths(name) for name in to_list(names)]), "", 0, key)

    def attempt(self, make: Callable[[], T], *place: Any) -> T:
        """Make something; an error names the place in the file."""
        try:
            return make()
        except (ValueError, OSError) as error:
            raise ExperimentFileError(f"{self.where(*place)}: {error}") from error


def to_list(value: object) -> list[Any]:
    """Return a list; a single value becomes a list of one."""
    return value if isinstance(value, list) else [value]


def _combinations(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every combination of the values of a table's keys."""
    for values in product(*(to_list(value) for value in entry.values())):
        yield dict(zip(entry, values, strict=True))


def _keys_of(name: str) -> tuple[str, ...]:
    """Return the parameters that a policy takes; none for an unknown policy, which fails when it is made."""
    try:
        return takes(name)
    except ValueError:
        return ()


def _wrong_key(
    name: str, objective: str | None, values: Mapping[str, Any], own: Mapping[str, Any]
) -> tuple[str, str | None]:
    """Guess which key of a policy is wrong by making another policy with each."""
    for key, value in values.items():
        if key in own:
            try:
                other = next(other for other in POLICIES if key in takes(other))
                make_policy(other, **{key: value})
            except ValueError:
                return key, value if isinstance(value, str) else None
    return ("name", name) if objective is None else ("objective", objective)


def _duration(key: str, value: str | int) -> int:
    """Read a number of seconds, or a text such as 7d or 12h."""
    try:
        return seconds_of(str(value), plain=True)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def read_experiment(path: str | Path) -> Experiment:
    """Read an experiment from a TOML file; docs/experiments.md lists the keys.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    OSError
        If the file cannot be read.
    ExperimentFileError
        If a key, a policy, a log or a value is not known; the message has its line and the nearest name.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> import planbatch as pb
    >>> text = '''
    ... [[workload]]
    ... source = "embedded"
    ... [[policy]]
    ... name = "easy"
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "grid.toml")
    ...     _ = file.write_text(text)
    ...     grid = pb.read_experiment(file)
    >>> grid.policies[0].name
    'easy'
    """
    reader = FileReader(path)
    if isinstance(reader.document.get("seeds"), str):
        raise ExperimentFileError(
            f"{reader.where('', 0, 'seeds')}: seeds is {reader.document['seeds']!r}; "
            "give a list of whole numbers, such as [0, 1, 2]"
        )
    top = reader.read_table(reader.document, TOP_KEYS, "", 0)
    for table in ("workload", "policy"):
        if table not in top:
            raise ExperimentFileError(f"{reader.path}: there is no [[{table}]]; give at least one")
    if {"evaluations", "seconds"} <= top.keys():
        where = reader.where("", 0, "seconds")
        raise ExperimentFileError(f"{where}: give either evaluations or seconds")
    workloads = [
        spec for index, entry in enumerate(to_list(top["workload"])) for spec in reader.workloads(entry, index, top)
    ]
    policies = [
        spec for index, entry in enumerate(to_list(top["policy"])) for spec in reader.policies(entry, index, top)
    ]
    seeds = top.get("seeds", [0])
    if not isinstance(seeds, list):
        several = ", ".join(map(str, range(max(seeds, 1))))
        raise ExperimentFileError(
            f"{reader.where('', 0, 'seeds')}: seeds is a list: [{seeds}] for the seed {seeds}, "
            f"[{several}] for {max(seeds, 1)} of them"
        )
    spans = reader.spans(top["spans"]) if "spans" in top else ()
    metrics = reader.metrics(top.get("metrics", []), "metrics")

    def make() -> Experiment:
        title, seeding = top.get("title", reader.path.stem), top.get("seeding", "cell")
        return Experiment(workloads, policies, seeds, title, seeding, spans, metrics, where=str(reader.path))

    return reader.attempt(make, "", 0, "seeding" if "seeding" in top else "seeds")
