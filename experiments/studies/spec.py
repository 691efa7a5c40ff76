"""The specification of an experiment: workloads, policies and seeds, as frozen data."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from planbatch.baselines.catalogue import DEFAULT_EVALUATIONS, make_policy, takes
from planbatch.baselines.policy import Policy, policy_name
from planbatch.experiments.replay.estimates import Estimates, check_estimates
from planbatch.experiments.replay.identity import content_digest
from planbatch.experiments.replay.spans import Spans
from planbatch.experiments.studies.metrics import as_metrics
from planbatch.experiments.workloads.options import NO_CHANGES, WorkloadOptions
from planbatch.planner.model import Workload

#: The name of the workload that comes with planbatch.
EMBEDDED = "embedded"
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

    source: str = EMBEDDED
    name: str = ""
    options: WorkloadOptions = NO_CHANGES
    deadlines: str = ""
    estimates: Estimates = "requested"
    jobs: Workload | None = None
    where: str = ""

    def __post_init__(self) -> None:
        check_estimates(self.estimates)


@dataclass(frozen=True)
class PolicySpec:
    """One policy of an experiment, with its parameters.

    Attributes
    ----------
    name : str
        A name of :data:`POLICIES`; see :func:`make_policy`.
    label : str
        Its name in tables; by default, its name and what distinguishes it from others of the same name.
    optimizer : str, optional
        Optimizer of a plan-based policy.
    evaluations : int, optional
        Plans that it evaluates per round, after the seeds.
    seconds : float, optional
        Time that it searches per round, instead.
    promise : str
        The promise that it makes; see :meth:`Promise.parse`.
    scenarios : int
        In how many sampled sets of run times it judges plans; 0 for requested times alone.
    risk : float
        The share of them, the cheapest, that does not count.
    calendar : str
        The working time of ``wdbf``.
    policy : Policy, optional
        The policy itself, instead of a name.
    where : str
        The place in a file, named in errors.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.PolicySpec("plan-wait", evaluations=200).make().budget
    Budget(seconds=None, evaluations=200)
    """

    name: str = ""
    label: str = ""
    optimizer: str | None = None
    evaluations: int | None = None
    seconds: float | None = None
    promise: str = "none"
    scenarios: int = 0
    risk: float = 0.0
    calendar: str = ""
    policy: Policy | None = None
    where: str = ""

    def make(self) -> Policy:
        """Make the policy.

        Raises
        ------
        ValueError
            If there is no such policy, or a parameter is out of its range.
        """
        if self.policy is not None:
            return self.policy
        return make_policy(self.name, **{key: getattr(self, key) for key in takes(self.name)})

    @cached_property
    def shown(self) -> str:
        """The name of the policy in tables, without the place of a user's file."""
        return self.name if self.policy is not None else policy_name(self.make())

    def given(self) -> dict[str, Any]:
        """Return the parameters as given, for readers of the settings."""
        if self.policy is not None:
            return {}
        given = {key: getattr(self, key) for key in takes(self.name)}
        return {key: value for key, value in given.items() if value is not None}

    def identity(self) -> dict[str, Any]:
        """Return the parameters that decide what the policy does, with defaults and without the label."""
        if self.policy is not None:
            return {"name": self.name, "content": content_digest(self.policy)}
        own = {key: getattr(self, key) for key in takes(self.name)}
        if "optimizer" in own:
            own["optimizer"] = self.optimizer or "annealing"
            if self.evaluations is None and self.seconds is None:
                own["evaluations"] = DEFAULT_EVALUATIONS
        if not self.scenarios:
            own.pop("scenarios", None)
            own.pop("risk", None)
        return {"name": self.shown} | {key: value for key, value in own.items() if value != ""}


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

    workloads: Sequence[Any]
    policies: Sequence[Any]
    seeds: Sequence[int] = (0,)
    title: str = "Experiment"
    seeding: str = "cell"
    spans: Any = ()
    metrics: Sequence[Any] = ()
    where: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name in ("workloads", "policies", "seeds"):
            if not getattr(self, name):
                raise ValueError(f"{name}: an experiment needs at least one")
        if self.seeding not in SEEDINGS:
            raise ValueError(f"seeding: {self.seeding!r} is none of {', '.join(SEEDINGS)}")
        for seed in self.seeds:
            if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
                raise ValueError(f"seeds: {seed!r} is not a whole number, 0 or more")
        spans = (self.spans,) if isinstance(self.spans, Spans) else tuple(self.spans or ())
        object.__setattr__(self, "spans", spans)
        object.__setattr__(self, "seeds", tuple(self.seeds))
        object.__setattr__(self, "metrics", as_metrics(self.metrics))
        object.__setattr__(self, "workloads", tuple(map(as_workload_spec, self.workloads)))
        object.__setattr__(self, "policies", tuple(map(as_policy_spec, self.policies)))


def as_workload_spec(thing: Any) -> WorkloadSpec:
    """Return a specification unchanged, or make one of a workload."""
    if isinstance(thing, WorkloadSpec):
        return thing
    if isinstance(thing, str):
        return WorkloadSpec(thing)
    return WorkloadSpec(thing.name, thing.name, jobs=thing)


def as_policy_spec(thing: Any) -> PolicySpec:
    """Return a specification, or make one of a name or a policy; with the defaults filled in.

    Raises
    ------
    ValueError
        If there is no such policy, or it does not take one of the parameters.
    """
    if isinstance(thing, PolicySpec):
        return thing
    if isinstance(thing, str):
        return PolicySpec(thing)
    return PolicySpec(policy_name(thing), policy=thing)
