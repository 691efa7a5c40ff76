"""The flags of verbs that replay policies or search, and the policies that they select."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import click
from click.core import ParameterSource

from planbatch.experiments.cli.flags import seed_flag
from planbatch.experiments.cli.parameters import POLICIES, SEARCH, Flag, Group, Name, flag, group, option
from planbatch.experiments.cli.shell import warn_without_deadlines
from planbatch.experiments.common.schema import setting_specs
from planbatch.experiments.studies.policy_settings import POLICY_SETTINGS
from planbatch.experiments.workloads.options import NO_CHANGES, REQUESTED, Deadlines, KnownRunTimes, WorkloadOptions
from planbatch.planner.budget import DEFAULT_EVALUATIONS
from planbatch.planner.settings import Setting

if TYPE_CHECKING:
    from planbatch.baselines.policy import Policy
    from planbatch.planner.model import Workload

#: The policies that are compared if none is named.
DEFAULT_POLICIES = (
    "fcfs",
    "easy",
    "easy-sjf",
    "conservative",
    "replanned",
    "plan-wait",
    "plan-squared-wait",
    "plan-makespan",
)


def check_one_budget(evaluations: int | None, seconds: float | None) -> None:
    """Raise ``ValueError`` if a search is limited twice."""
    if None not in (evaluations, seconds):
        raise ValueError("budget: give either --evaluations or --seconds")


def objective_flag(about: str) -> Flag:
    """Return the flag of the objective."""
    about = f"{about} planbatch list objectives has all, your own are FILE.py:NAME."
    return flag(about, "NAME", panel=SEARCH, type=Name("objectives"))


Evaluations = Annotated[int | None, flag(f"Plans to evaluate.  {DEFAULT_EVALUATIONS}", "N", panel=SEARCH)]
Seconds = Annotated[float | None, flag("Seconds to search, instead.", "S", panel=SEARCH)]


@dataclass(frozen=True)
class PolicyOptions:
    """Which policies to replay, and how."""

    policy: Annotated[
        tuple[str, ...],
        Setting(
            "May be repeated. [default: {}] Parameters follow a colon: easy:smallest-area, "
            "plan-wait:optimizer=tabu; your own are FILE.py:NAME. planbatch list policies has all.",
            "NAME",
        ),
    ] = ()
    #: The promises of plan-based policies, which are replayed with each; see :meth:`Promise.parse`.
    promises: Annotated[tuple[str, ...], replace(POLICY_SETTINGS["promise"].setting, flag="--promise")] = ("none",)
    estimates: KnownRunTimes = REQUESTED
    deadlines: Deadlines = ""
    seed: Annotated[int, seed_flag()] = 0
    #: Parameters of all policies that take them; see :func:`make_policy`.
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def promise(self) -> str:
        """The promise, for commands that take one; ``ValueError`` if several are given."""
        if len(self.promises) > 1:
            raise ValueError("promise: give one; compare and replay take several")
        return self.promises[0]

    def policies(self) -> "list[Policy]":
        """Make the named policies, by default :data:`DEFAULT_POLICIES`; ``ValueError`` if one is wrong."""
        self.check()
        from planbatch.baselines.catalogue import first_unused, takes

        names = dict.fromkeys(self.policy or DEFAULT_POLICIES)
        settings = {"promise": self.promises[0], **self.settings}
        if self.deadlines == "working":
            settings["calendar"] = None  # the rule takes it
        if key := first_unused(settings, *names):
            raise ValueError(f"{key}: none of the policies takes one: {', '.join(names)}")
        return [
            self.make(name, promise)
            for name in names
            for promise in (dict.fromkeys(self.promises) if "promise" in takes(name) else ("none",))
        ]

    def check(self) -> None:
        """Raise a ``ValueError`` if a number is out of its range."""
        if self.seed < 0:
            raise ValueError(f"seed: {self.seed} is negative; give 0 or more")
        limits = {name: self.settings[name] for name in ("evaluations", "seconds")}
        check_one_budget(**limits)
        for name, value in limits.items():
            if value is not None and not value >= 0:
                kind = "a whole number" if name == "evaluations" else "a number of seconds"
                raise ValueError(f"{name}: {value} is not {kind}, 0 or more")
        if self.estimates != REQUESTED:
            from planbatch.experiments.replay.estimates import check_estimates

            check_estimates(self.estimates)

    def single_policy(self, name: str) -> "Policy":
        """Make the policy of a command that takes only one; it must accept every given parameter."""
        from planbatch.baselines.catalogue import make_policy, takes

        self.check()
        source = click.get_current_context().get_parameter_source("promises")
        default = source is ParameterSource.DEFAULT_MAP and "promise" not in takes(name)
        return make_policy(name, promise="none" if default else self.promise, **self.settings)

    def make(self, name: str, promise: str) -> "Policy":
        """Make one policy, with a promise of its own."""
        from planbatch.baselines.catalogue import make_policy, settings_for

        return make_policy(name, **settings_for(name, {"promise": promise, **self.settings}))

    def with_deadlines(
        self, workload: "Workload", source: str | None = None, options: WorkloadOptions = NO_CHANGES
    ) -> "Workload":
        """Return the workload with the requested deadlines; unchanged if none are requested.

        Warns about policies that use deadlines if no job has one. ``source`` is what the user named: the log whose
        columns may hold deadlines, read by the options.
        """
        from planbatch.baselines.policy import policy_name, traits_of
        from planbatch.experiments.workloads.load import load_deadlines

        rule = self.deadlines
        if rule == "working" and self.settings["calendar"]:
            rule = f"working:{self.settings['calendar']}"
        if rule:
            workload = load_deadlines(workload, rule, self.seed, source, options)
        policies = [self.make(name, "none") for name in self.policy]
        names = [policy_name(policy) for policy in policies if traits_of(policy).needs_deadlines]
        if "deadline" in self.promises:
            names.append("promise deadline")
        warn_without_deadlines(workload.deadline, names, "; give some with --deadlines")
        return workload


def policy_flags(*without: str, default: tuple[str, ...] = DEFAULT_POLICIES) -> Group:
    """Return the annotation of a parameter of :class:`PolicyOptions`, ``without`` the flags of some fields.

    ``default`` are the policies of the verb if none is named, for its help.
    """
    own, of_policies = setting_specs(PolicyOptions), dict(POLICY_SETTINGS)
    del of_policies["promise"]  # the one of PolicyOptions takes several
    seed, calendar = own.pop("seed"), of_policies.pop("calendar")
    headings = {POLICIES: [*own.values(), calendar], SEARCH: [*of_policies.values(), seed]}
    about = own["policy"].setting.about.format(", ".join(default))
    arguments: dict[str, dict[str, Any]] = {
        "policy": {"type": Name("policies"), "help": about},
        "optimizer": {"type": Name("optimizers")},
        "seed": {"show_default": True},
    }
    options = [
        option(setting, heading, **arguments.get(setting.name, {}))
        for heading, settings in headings.items()
        for setting in settings
        if setting.name not in without
    ]
    return group(_policy_options, options)


def _policy_options(**values: Any) -> PolicyOptions:
    """Return the options of the values of flags."""
    own = {name: values.pop(name) for name in setting_specs(PolicyOptions) if name in values}
    return PolicyOptions(**own, settings=values)
