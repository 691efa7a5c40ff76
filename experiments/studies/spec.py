"""The specification of an experiment: workloads, policies and seeds, as frozen data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

from planbatch.baselines.catalogue import check_settings, make_policy, takes
from planbatch.baselines.policy import Policy, policy_name
from planbatch.experiments.replay.estimates import check_estimates
from planbatch.experiments.replay.identity import content_digest
from planbatch.experiments.replay.spans import Spans
from planbatch.experiments.studies.metrics import as_metrics
from planbatch.experiments.studies.policy_settings import POLICY_SETTINGS
from planbatch.experiments.workloads.load import EMBEDDED
from planbatch.experiments.workloads.options import NO_CHANGES, REQUESTED, Deadlines, KnownRunTimes, WorkloadOptions
from planbatch.planner.arguments import as_list, expect, expect_all, whole
from planbatch.planner.budget import DEFAULT_OPTIMIZER, REPLAY_EVALUATIONS
from planbatch.planner.display import brief_repr, counted, short_repr
from planbatch.planner.model import Workload
from planbatch.planner.settings import Setting

#: Sources of a replay's random numbers.
SEEDINGS = ("cell", "plain")


@dataclass(frozen=True)
class WorkloadSpec:
    """One workload of an experiment.

    Attributes
    ----------
    source : str
        A path, the name of a fetched log, or ``embedded``.
    name : str
        Its name in tables; by default, the name of the log.
    options : WorkloadOptions
        How the log is read and transformed.
    deadlines : str
        Which jobs get deadlines; see :func:`with_deadlines`.
    estimates : str
        What schedulers know of run times.
    jobs : Workload, optional
        The workload itself, instead of a source.
    where : str
        The place in a file, named in errors, such as ``grid.toml, line 7``.

    Examples
    --------
    >>> import planbatch as pb
    >>> spec = pb.WorkloadSpec("KTH-SP2-1996-2.1-cln", estimates="predicted:ratio")
    >>> grid = pb.Experiment([spec], ["easy", "plan-wait"])
    >>> grid.workloads[0].estimates
    'predicted:ratio'
    """

    __repr__ = brief_repr

    source: Annotated[str, Setting("A log: a file, the name of a fetched one, or embedded.")] = EMBEDDED
    name: Annotated[str, Setting("What tables call it; by default, the log's name.")] = ""
    options: WorkloadOptions = NO_CHANGES
    deadlines: Deadlines = ""
    estimates: KnownRunTimes = REQUESTED
    jobs: Workload | None = None
    where: str = ""

    def __post_init__(self) -> None:
        check_estimates(self.estimates)

    @property
    def log(self) -> str | None:
        """The log, unless the workload is the embedded one or given as such."""
        return None if self.jobs is not None or self.source == EMBEDDED else self.source


DEFAULTS = {name: one.default for name, one in POLICY_SETTINGS.items()}
#: Parameters that determine random numbers even at their defaults; others do so only if they differ, so that a new
#: parameter changes no seeds.
IDENTIFYING = ("optimizer", "evaluations", "seconds", "promise")


@dataclass(frozen=True, init=False)
class PolicySpec:
    """One policy of an experiment, with its parameters.

    Attributes
    ----------
    name : str
        A name of :data:`POLICIES`; see :func:`make_policy`.
    label : str
        Its name in tables; by default, its name and what distinguishes it from others of the same name.
    policy : Policy, optional
        The policy itself, instead of a name.
    where : str
        The place in a file, named in errors.
    settings : mapping of str to object
        Parameters of the policy, given as keywords; see :func:`make_policy`.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.PolicySpec("plan-wait", evaluations=200).make().budget
    Budget(seconds=None, evaluations=200)
    """

    name: str
    label: str
    policy: Policy | None
    where: str
    settings: Mapping[str, Any]

    def __init__(
        self, name: str = "", label: str = "", policy: Policy | None = None, where: str = "", **settings: Any
    ) -> None:
        check_settings(settings)
        values = {"name": name, "label": label, "policy": policy, "where": where}
        for key, value in (values | {"settings": settings}).items():
            object.__setattr__(self, key, value)  # the class is frozen

    def __getattr__(self, name: str) -> Any:
        """Return a parameter of the policy: as it was given, or its default."""
        if name in DEFAULTS:
            return self.__dict__["settings"].get(name, DEFAULTS[name])
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _all_settings(self) -> dict[str, Any]:
        """Return the parameters that the policy takes, with defaults."""
        return {key: getattr(self, key) for key in takes(self.name)}

    def make(self) -> Policy:
        """Make the policy.

        Raises
        ------
        ValueError
            If there is no such policy, or a parameter is out of its range.
        """
        if self.policy is not None:
            return self.policy
        return make_policy(self.name, **self.settings)

    @cached_property
    def display_name(self) -> str:
        """The name of the policy in tables, without the place of a user's file."""
        return self.name if self.policy is not None else policy_name(self.make())

    def explicit_settings(self) -> dict[str, Any]:
        """Return the parameters as given, for readers of the settings."""
        if self.policy is not None:
            return {}
        return {key: value for key, value in self._all_settings().items() if value is not None}

    def identity(self) -> dict[str, Any]:
        """Return the parameters that decide what the policy does, with defaults and without the label."""
        if self.policy is not None:
            return {"name": self.name, "content": content_digest(self.policy)}
        settings = self._all_settings()
        if "optimizer" in settings:
            settings["optimizer"] = settings["optimizer"] or DEFAULT_OPTIMIZER
            if settings["evaluations"] is None and settings["seconds"] is None:
                settings["evaluations"] = REPLAY_EVALUATIONS
        with_risk = bool(settings.get("scenarios"))
        return {"name": self.display_name} | {
            key: value
            for key, value in settings.items()
            if key in IDENTIFYING or value != DEFAULTS[key] or (key == "risk" and with_risk)
            if value != ""
        }


@dataclass(frozen=True)
class Experiment:
    """A grid: every workload under every policy with every seed.

    Attributes
    ----------
    workloads : sequence of WorkloadSpec or Workload
        The machines and jobs.
    policies : sequence of PolicySpec, str or Policy
        Names, specifications, or policies of one's own.
    seeds : sequence of int
        The seeds; one cell for each.
    title : str
        Its title in the report.
    seeding : {"cell", "plain"}
        Whether a replay draws its random numbers from the cell's identity, the seed included, or from
        the seed alone, as ``planbatch replay --seed`` does.
    spans : Spans or sequence of Spans, optional
        Whether and how logs are split; one cell for each way.
    metrics : sequence of Metric, function or str
        Further columns of the tables; see :func:`make_metric`. They do not affect the cells.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> grid = pb.Experiment([workload], ["easy", "plan-wait"], seeds=[1, 2])
    >>> len(grid.policies), grid.seeds
    (2, (1, 2))
    """

    # fmt: off
    workloads: Annotated[Sequence[Any], Setting("A workload.", in_files=dict)]
    policies: Annotated[Sequence[Any], Setting("A policy.", in_files=dict)]
    seeds: Annotated[Sequence[int], Setting(
        "A list: each gives cells of its own, under policies that draw.", in_files=int)] = (0,)
    title: Annotated[str, Setting("Title of the report; by default, the file's name.")] = "Experiment"
    seeding: Annotated[str, Setting("cell or plain: what random numbers are drawn from.")] = "cell"
    spans: Annotated[Any, Setting("How logs are split.", in_files=dict)] = ()
    metrics: Annotated[Sequence[Any], Setting(
        "Further columns, such as p99-wait or my.py:late.", in_files=str)] = ()
    # fmt: on
    where: str = field(default="", compare=False)

    def __repr__(self) -> str:
        parts = [counted(len(self.workloads), "workload")]
        parts.append("1 policy" if len(self.policies) == 1 else f"{len(self.policies)} policies")
        return f"Experiment({self.title}: {', '.join(parts)}, {counted(len(self.seeds), 'seed')})"

    def __post_init__(self) -> None:
        if isinstance(self.workloads, Workload):  # a sequence of jobs itself
            object.__setattr__(self, "workloads", [self.workloads])
        for name in ("workloads", "policies"):
            object.__setattr__(self, name, as_list(name, getattr(self, name), least=0))
        if isinstance(self.seeds, str) or not isinstance(self.seeds, Iterable):
            raise ValueError(f"seeds: {short_repr(self.seeds)} is not a list of seeds; give range(5) for five")
        object.__setattr__(self, "seeds", tuple(whole("seeds", seed, most=None) for seed in self.seeds))
        for name in ("workloads", "policies", "seeds"):
            if not getattr(self, name):
                raise ValueError(f"{name}: an experiment needs at least one")
        if self.seeding not in SEEDINGS:
            raise ValueError(f"seeding: {self.seeding!r} is none of {', '.join(SEEDINGS)}")
        spans = () if self.spans is None else expect_all("spans", self.spans, Spans)
        object.__setattr__(self, "spans", spans)
        object.__setattr__(self, "metrics", as_metrics(self.metrics))
        object.__setattr__(self, "workloads", tuple(map(as_workload_spec, self.workloads)))
        object.__setattr__(self, "policies", tuple(map(as_policy_spec, self.policies)))


def as_workload_spec(workload: object) -> WorkloadSpec:
    """Return a specification unchanged, or make one of a workload."""
    if isinstance(workload, WorkloadSpec):
        return workload
    if isinstance(workload, str):
        return WorkloadSpec(workload)
    jobs = expect("workloads", workload, Workload)
    return WorkloadSpec(jobs.name, jobs.name, jobs=jobs)


def as_policy_spec(policy: PolicySpec | Policy | str) -> PolicySpec:
    """Return a specification, or make one of a name or a policy."""
    if isinstance(policy, PolicySpec):
        return policy
    if isinstance(policy, str):
        return PolicySpec(policy)
    return PolicySpec(policy_name(policy), policy=policy)
