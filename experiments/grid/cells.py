"""The cells of an experiment: every workload under every policy with every seed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from planbatch.experiments.grid.spec import EMBEDDED, Experiment, PolicySpec, WorkloadSpec
from planbatch.experiments.replay.identity import key_of, replay_seed, workload_hash
from planbatch.experiments.replay.spans import Span, Spans, span_tasks, split
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.text import duration
from planbatch.experiments.workloads.options import NO_CHANGES
from planbatch.planner.model import Workload


@dataclass(frozen=True)
class NamedWorkload:
    """A workload of the grid, loaded.

    Attributes
    ----------
    name : str
        What tables call it; no other workload of the grid is called so.
    spec : WorkloadSpec
        Where it comes from.
    jobs : Workload
        The jobs and the machine.
    """

    name: str
    spec: WorkloadSpec
    jobs: Workload


@dataclass(frozen=True)
class Cell:
    """One result of an experiment.

    Attributes
    ----------
    workload : NamedWorkload
        The jobs and the machine.
    policy : PolicySpec
        What decides the rounds.
    label : str
        What tables call the policy; no other policy of the grid is called so.
    seed : int
        As the experiment gives it.
    seeding : {"cell", "plain"}
        Where the random numbers come from.
    spans : Spans, optional
        How the log is split; ``None`` for a replay as a whole.
    """

    workload: NamedWorkload
    policy: PolicySpec
    label: str
    seed: int
    seeding: str = "cell"
    spans: Spans | None = None

    @cached_property
    def _identity(self) -> dict[str, Any]:
        """What the random numbers come from: no names or labels, and not the version of the code."""
        return {
            "workload": workload_hash(self.workload.jobs),
            "estimates": self.workload.spec.estimates,
            "policy": self.policy.identity(),
            "seed": self.seed,
            "seeding": self.seeding,
            "spans": self.spans and [self.spans.count, self.spans.warm_up, self.spans.cool_down],
        }

    def replay_seed(self, part: Any = None) -> int:
        """The seed of the replay: with it, ``planbatch replay --seed`` gives the same."""
        if self.seeding == "plain":
            return self.seed
        return replay_seed(self._identity | ({} if part is None else {"part": part}))

    @cached_property
    def whole(self) -> ReplayTask:
        """The replay of the whole log."""
        return ReplayTask(
            self.workload.jobs,
            self.policy.make(),
            self.workload.spec.estimates,
            self.replay_seed(),
            self.label,
            self.name,
            reserve=self.policy.seconds is not None,
            described=self._described(),
        )

    @cached_property
    def tasks(self) -> list[ReplayTask]:
        """What has to be replayed: the whole, or every span."""
        if self.spans is None:
            return [self.whole]
        spans: list[Span] = split(self.workload.jobs, self.spans)
        return span_tasks(self.whole, spans, [self.replay_seed(span.as_dict()) for span in spans])

    @cached_property
    def key(self) -> str:
        """What the cell is known by: a digest of its content; no names or labels."""
        if self.spans is None:
            return self.whole.key
        return key_of({"whole": self.whole.key, "spans": self._identity["spans"]})

    @property
    def timed(self) -> bool:
        """Whether time ends the searches, so that the result depends on the machine."""
        return self.whole.timed

    @property
    def name(self) -> str:
        """What people call the cell."""
        return f"{self.workload.name}, {self.label}, seed {self.seed}"

    def settings(self) -> dict[str, Any]:
        """Return everything that decides the result, for ``cell.json``."""
        return self.whole.settings()

    def _described(self) -> dict[str, Any]:
        """What the settings say besides: names, sources, and parameters as the user gave them."""
        spec = self.workload.spec
        return {
            "workload": {
                "source": spec.source,
                "name": self.workload.name,
                "transformations": spec.options.described(),
                "deadlines": spec.deadlines,
            },
            "policy": self.policy.given(),
            "seed": self.seed,
            "seeding": self.seeding,
            "replay_seed": None if self.spans else self.replay_seed(),
            "span": None if self.spans is None else {
                "count": self.spans.count,
                "warm_up": self.spans.warm_up,
                "cool_down": self.spans.cool_down,
            },
        }  # fmt: skip


def expand(experiment: Experiment, say: Callable[[str], None] = lambda line: None) -> list[Cell]:
    """Load the workloads and list the cells: by workload, then policy, then seed.

    Raises
    ------
    ValueError, OSError
        Where a workload cannot be loaded, or two cells are the same; names the place in the file.
    """
    labels = policy_labels(experiment.policies)
    for spec in experiment.policies:
        _told(spec.where, spec.make)
    ways: Sequence[Spans] = experiment.spans
    split = _told_apart(
        [f"{way.count} spans" for way in ways],
        [[f"warm-up {duration(w.warm_up)}", f"cool-down {duration(w.cool_down)}"] for w in ways],
    )
    cells = []
    for by_seed in _loaded(experiment, say):
        for spec, label in zip(experiment.policies, labels, strict=True):
            for seed in experiment.seeds:
                workload, seeding = by_seed[seed], experiment.seeding
                if not ways or any(way.compare for way in ways):
                    cells.append(Cell(workload, spec, label, seed, seeding))
                cells += [
                    Cell(workload, spec, f"{label}, {how}", seed, seeding, way)
                    for way, how in zip(ways, split, strict=True)
                ]
    _check_distinct(cells, experiment)
    return cells


def _loaded(experiment: Experiment, say: Callable[[str], None]) -> list[dict[int, NamedWorkload]]:
    """Load every workload, for every seed: random deadlines differ between seeds."""
    from planbatch.experiments.workloads.load import load_deadlines, load_workload
    from planbatch.experiments.workloads.swf.log import WALLTIMES

    plain = []
    for spec in experiment.workloads:
        if spec.jobs is not None:
            plain.append(spec.jobs)
        else:
            source = None if spec.source == EMBEDDED else spec.source
            jobs = _told(spec.where, partial(load_workload, source, spec.options, say))
            if WALLTIMES in jobs.header:
                say(f"{jobs.name}: walltimes: {jobs.header[WALLTIMES]}")
            plain.append(jobs)
    names = workload_names(experiment.workloads, [jobs.name for jobs in plain])
    loaded = []
    for name, spec, jobs in zip(names, experiment.workloads, plain, strict=True):
        by_seed: dict[int, NamedWorkload] = {}
        for seed in experiment.seeds:
            if not spec.deadlines:
                by_seed[seed] = next(iter(by_seed.values()), NamedWorkload(name, spec, jobs))
                continue
            log = None if spec.jobs is not None or spec.source == EMBEDDED else spec.source
            due = _told(spec.where, partial(load_deadlines, jobs, spec.deadlines, seed, log))
            by_seed[seed] = NamedWorkload(name, spec, due)
        loaded.append(by_seed)
    return loaded


def workload_names(specs: Sequence[WorkloadSpec], found: Sequence[str]) -> list[str]:
    """Name the workloads: by their names, and where these are equal, also by what was done to them."""
    names = [spec.name or name for spec, name in zip(specs, found, strict=True)]
    parts = [
        [
            *(
                replace(NO_CHANGES, **{name: value}).described()
                for name, value in vars(spec.options).items()
            ),
            f"deadlines {spec.deadlines}" if spec.deadlines else "",
            f"{spec.estimates} estimates",
            f"no. {number}" if spec.jobs is not None else "",
        ]
        for number, spec in enumerate(specs, start=1)
    ]
    return _told_apart(names, parts)


def policy_labels(specs: Sequence[PolicySpec]) -> list[str]:
    """Name the policies: by label or name, and where these are equal, also by what differs."""
    names = [spec.label or spec.name for spec in specs]
    parts = []
    for spec in specs:
        own = spec.identity()
        evaluations, seconds = own.get("evaluations"), own.get("seconds")
        promise = own.get("promise")
        parts.append(
            [
                spec.name if spec.label else "",
                own.get("optimizer", ""),
                "" if evaluations is None else f"{evaluations} evaluations",
                "" if seconds is None else f"{seconds} s",
                ""
                if promise is None
                else "no promise"
                if promise == "none"
                else f"promise {promise}",
                spec.calendar,
            ]
        )
    return _told_apart(names, parts)


def _told_apart(names: list[str], parts: list[list[str]]) -> list[str]:
    """Add to names that occur more than once what tells them apart, one part after the other."""
    told = list(names)
    for column in zip(*parts, strict=True):
        by_name: dict[str, set[str]] = {}
        for name, text in zip(told, column, strict=True):
            by_name.setdefault(name, set()).add(text)
        told = [
            f"{name}, {text}" if text and len(by_name[name]) > 1 else name
            for name, text in zip(told, column, strict=True)
        ]
    return told


def _check_distinct(cells: Sequence[Cell], experiment: Experiment) -> None:
    """Raise where two cells are the same, or could not be told apart in a table."""
    by_key: dict[str, Cell] = {}
    by_name: dict[str, Cell] = {}
    for cell in cells:
        for known, name, what in (
            (by_key, cell.key, "are the same"),
            (by_name, cell.name, "have the same name; give one of them another label"),
        ):
            other = known.setdefault(name, cell)
            if other is not cell:
                raise ValueError(
                    f"{_places(other, cell) or experiment.where or 'experiment'}: two cells {what}: "
                    f"{other.name}" + (f" and {cell.name}" if cell.name != other.name else "")
                )


def _places(one: Cell, other: Cell) -> str:
    """Name the places of two cells in the file; empty for a grid from Python."""
    if not one.policy.where or not other.policy.where:
        return ""
    if one.policy is other.policy and one.workload.spec.where != other.workload.spec.where:
        first, second = one.workload.spec.where, other.workload.spec.where
    else:
        first, second = one.policy.where, other.policy.where
    return first if first == second else f"{first} and line {second.rpartition('line ')[2]}"


def _told(where: str, make: Callable[[], Any]) -> Any:
    """Make something, and tell where the fault lies if it cannot be made."""
    try:
        return make()
    except (ValueError, OSError) as error:
        if not where:
            raise
        raise ValueError(f"{where}: {error}") from error
