"""The cells of an experiment: every workload under every policy with every seed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from planbatch.baselines.policy import traits_of
from planbatch.experiments.common.text import Notify, duration, silent
from planbatch.experiments.replay.identity import key_of, replay_seed, workload_hash
from planbatch.experiments.replay.spans import Span, Spans, span_tasks, split
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.studies.spec import DEFAULTS, IDENTIFYING, Experiment, PolicySpec, WorkloadSpec
from planbatch.experiments.workloads.options import NO_CHANGES
from planbatch.planner.model import Workload

T = TypeVar("T")


@dataclass(frozen=True)
class NamedWorkload:
    """A workload of the grid, loaded."""

    name: str  # its name in tables, unique in the grid
    spec: WorkloadSpec  # the specification that it was loaded from
    jobs: Workload  # the jobs and the machine


@dataclass(frozen=True)
class Cell:
    """One result of an experiment."""

    workload: NamedWorkload  # the jobs and the machine
    policy: PolicySpec
    label: str  # the policy's name in tables, unique in the grid
    seed: int  # the seed, as the experiment gives it
    seeding: str = "cell"  # source of the random numbers
    spans: Spans | None = None  # how the log is split; ``None`` for a replay as a whole

    @cached_property
    def _identity(self) -> dict[str, Any]:
        """Return what determines the random numbers: no names or labels, and not the version of the code."""
        return {
            "workload": workload_hash(self.workload.jobs),
            "estimates": self.workload.spec.estimates,
            "policy": self.policy.identity(),
            "seed": self.seed,
            "seeding": self.seeding,
            "spans": self.spans and [self.spans.count, self.spans.warm_up, self.spans.cool_down],
        }

    def replay_seed(self, part: object = None) -> int:
        """Return the seed of the replay: ``planbatch replay --seed`` gives the same result with it."""
        if self.seeding == "plain":
            return self.seed
        return replay_seed(self._identity | ({} if part is None else {"part": part}))

    @cached_property
    def whole(self) -> ReplayTask:
        """Return the replay of the whole log."""
        return ReplayTask(
            self.workload.jobs,
            self.policy.make(),
            self.workload.spec.estimates,
            self.replay_seed(),
            self.label,
            self.name,
            reserve=self.policy.seconds is not None,
            description=self._description(),
        )

    @cached_property
    def tasks(self) -> list[ReplayTask]:
        """Return the replays to run: that of the whole log, or one per span."""
        if self.spans is None:
            return [self.whole]
        spans: list[Span] = split(self.workload.jobs, self.spans)
        return span_tasks(self.whole, spans, [self.replay_seed(span.as_dict()) for span in spans])

    @cached_property
    def key(self) -> str:
        """The key of the cell: a digest of its content without names and labels."""
        if self.spans is None:
            return self.whole.key
        return key_of({"whole": self.whole.key, "spans": self._identity["spans"]})

    @property
    def timed(self) -> bool:
        """Whether a time limit ends the searches, so that the result depends on the machine."""
        return self.whole.timed

    @property
    def name(self) -> str:
        """The name of the cell in messages."""
        return f"{self.workload.name}, {self.label}, seed {self.seed}"

    def settings(self) -> dict[str, Any]:
        """Return everything that decides the result, for ``cell.json``."""
        return self.whole.settings()

    def _description(self) -> dict[str, Any]:
        """Return the rest of the settings: names, sources, and parameters as given."""
        spec = self.workload.spec
        return {
            "workload": {
                "source": spec.source,
                "name": self.workload.name,
                "transformations": spec.options.description(),
                "deadlines": spec.deadlines,
            },
            "policy": self.policy.explicit_settings(),
            "seed": self.seed,
            "seeding": self.seeding,
            "replay_seed": None if self.spans else self.replay_seed(),
            "span": self.spans and {name: getattr(self.spans, name) for name in ("count", "warm_up", "cool_down")},
        }


def expand(experiment: Experiment, notify: Notify = silent) -> list[Cell]:
    """Load the workloads and list the cells: by workload, then policy, then seed.

    ``ValueError`` or ``OSError`` if a workload cannot be loaded, or two cells are the same; names the place in the
    file.
    """
    labels = policy_labels(experiment.policies)
    for spec in experiment.policies:
        _attempt(spec.where, spec.make)
    ways: Sequence[Spans] = experiment.spans
    split = _distinct(
        [f"{way.count} spans" for way in ways],
        [[f"warm-up {duration(w.warm_up)}", f"cool-down {duration(w.cool_down)}"] for w in ways],
    )
    cells = []
    for by_seed in _load_workloads(experiment, notify):
        for spec, label in zip(experiment.policies, labels, strict=True):
            for seed in seeds_for(spec, experiment.seeds, by_seed):
                workload, seeding = by_seed[seed], experiment.seeding
                if not ways or any(way.compare for way in ways):
                    cells.append(Cell(workload, spec, label, seed, seeding))
                cells += [
                    Cell(workload, spec, f"{label}, {how}", seed, seeding, way)
                    for way, how in zip(ways, split, strict=True)
                ]
    _check_distinct(cells, experiment)
    return cells


def seeds_for(spec: PolicySpec, seeds: Sequence[int], by_seed: Mapping[int, NamedWorkload]) -> Sequence[int]:
    """Return the seeds with which a policy is replayed: one that draws no random numbers only once per workload."""
    if traits_of(spec.make()).draws:
        return seeds
    first: dict[int, int] = {}
    for seed, workload in by_seed.items():
        first.setdefault(id(workload.jobs), seed)
    return list(first.values())


def _load_workloads(experiment: Experiment, notify: Notify) -> list[dict[int, NamedWorkload]]:
    """Load every workload for every seed: random deadlines differ between seeds."""
    from planbatch.experiments.workloads.load import load_deadlines, workload_of_source
    from planbatch.experiments.workloads.swf.log import WALLTIMES

    plain = []
    for spec in experiment.workloads:
        if spec.jobs is not None:
            plain.append(spec.jobs)
        else:
            jobs = _attempt(spec.where, partial(workload_of_source, spec.log, spec.options, notify))
            if WALLTIMES in jobs.header:
                notify(f"{jobs.name}: walltimes: {jobs.header[WALLTIMES]}")
            plain.append(jobs)
    names = workload_names(experiment.workloads, [jobs.name for jobs in plain])
    loaded = []
    for name, spec, jobs in zip(names, experiment.workloads, plain, strict=True):
        by_seed: dict[int, NamedWorkload] = {}
        for seed in experiment.seeds:
            if not spec.deadlines:
                by_seed[seed] = next(iter(by_seed.values()), NamedWorkload(name, spec, jobs))
                continue
            load = partial(load_deadlines, jobs, spec.deadlines, seed, spec.log, spec.options)
            by_seed[seed] = NamedWorkload(name, spec, _attempt(spec.where, load))
        loaded.append(by_seed)
    return loaded


def workload_names(specs: Sequence[WorkloadSpec], defaults: Sequence[str]) -> list[str]:
    """Return distinct names of the workloads: equal ones are extended by what was done to the workload."""
    names = [spec.name or name for spec, name in zip(specs, defaults, strict=True)]
    parts = [
        [
            *(replace(NO_CHANGES, **{name: value}).description() for name, value in vars(spec.options).items()),
            f"deadlines {spec.deadlines}" if spec.deadlines else "",
            f"{spec.estimates} estimates",
            f"no. {number}" if spec.jobs is not None else "",
        ]
        for number, spec in enumerate(specs, start=1)
    ]
    return _distinct(names, parts)


#: Parameters that labels name by their keys.
_NAMED_BY_KEY = [key for key in DEFAULTS if key not in (*IDENTIFYING, "calendar")]


def policy_labels(specs: Sequence[PolicySpec]) -> list[str]:
    """Return distinct labels of the policies: equal labels or names are extended by what differs."""
    names = [spec.label or spec.display_name for spec in specs]
    parts = []
    for spec in specs:
        identity = spec.identity()
        evaluations, seconds = identity.get("evaluations"), identity.get("seconds")
        promise = identity.get("promise")
        promised = {None: "", "none": "no promise"}.get(promise, f"promise {promise}")
        parts.append(
            [
                spec.display_name if spec.label else "",
                identity.get("optimizer", ""),
                "" if evaluations is None else f"{evaluations} evaluations",
                "" if seconds is None else f"{seconds} s",
                promised,
                spec.calendar,
                *(f"{key} {identity[key]}" if key in identity else "" for key in _NAMED_BY_KEY),
            ]
        )
    return _distinct(names, parts)


def _distinct(names: list[str], parts: list[list[str]]) -> list[str]:
    """Make names distinct by adding to equal ones what differs, one part after the other."""
    distinct = list(names)
    for column in zip(*parts, strict=True):
        by_name: dict[str, set[str]] = {}
        for name, text in zip(distinct, column, strict=True):
            by_name.setdefault(name, set()).add(text)
        distinct = [
            f"{name}, {text}" if text and len(by_name[name]) > 1 else name
            for name, text in zip(distinct, column, strict=True)
        ]
    return distinct


def _check_distinct(cells: Sequence[Cell], experiment: Experiment) -> None:
    """Raise ``ValueError`` if two cells are the same, or have the same name in tables."""
    by_key: dict[str, Cell] = {}
    by_name: dict[str, Cell] = {}
    for cell in cells:
        for first_cells, name, what in (
            (by_key, cell.key, "are the same"),
            (by_name, cell.name, "have the same name; give one of them another label"),
        ):
            other = first_cells.setdefault(name, cell)
            if other is not cell:
                raise ValueError(
                    f"{_places(other, cell) or experiment.where or 'experiment'}: two cells {what}: "
                    f"{other.name}" + (f" and {cell.name}" if cell.name != other.name else "")
                )


def _places(cell: Cell, other: Cell) -> str:
    """Return the lines of two cells in the file; empty for a grid from Python."""
    if not cell.policy.where or not other.policy.where:
        return ""
    if cell.policy is other.policy and cell.workload.spec.where != other.workload.spec.where:
        first, second = cell.workload.spec.where, other.workload.spec.where
    else:
        first, second = cell.policy.where, other.policy.where
    return first if first == second else f"{first} and line {second.rpartition('line ')[2]}"


def _attempt(where: str, make: Callable[[], T]) -> T:
    """Make something; an error names the place in the file."""
    try:
        return make()
    except (ValueError, OSError) as error:
        if not where:
            raise
        raise ValueError(f"{where}: {error}") from error
