"""The flags of commands that replay policies, and the policies that they select."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from planbatch.experiments.cli.flags import option, seed_option
from planbatch.experiments.cli.search_flags import check_one_budget
from planbatch.experiments.cli.shell import warn_without_deadlines
from planbatch.experiments.cli.verb import POLICIES, SEARCH, Name, flag
from planbatch.experiments.common.schema import declared
from planbatch.experiments.studies.policy_settings import POLICY_SETTINGS
from planbatch.experiments.workloads.options import (
    NO_CHANGES,
    Deadlines,
    KnownRunTimes,
    WorkloadOptions,
)

if TYPE_CHECKING:
    from planbatch.baselines.policy import Policy
    from planbatch.experiments.replay.estimates import Estimates
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


@dataclass(frozen=True)
class PolicyOptions:
    """Which policies to replay, and how."""

    policy: tuple[str, ...]  # names of policies
    estimates: "Estimates"  # what schedulers know of run times
    seed: int  # seed of the random numbers
    #: The promises of plan-based policies, which are replayed with each; see :meth:`Promise.parse`.
    promises: tuple[str, ...]
    deadlines: str  # which jobs get deadlines; see :func:`with_deadlines`
    #: Parameters of all policies that take them; see :func:`make_policy`.
    settings: Mapping[str, Any]

    @property
    def promise(self) -> str:
        """The promise, for commands that take one; ``ValueError`` if several are given."""
        if len(self.promises) > 1:
            raise ValueError("promise: give one; compare and replay take several")
        return self.promises[0]

    def policies(self) -> "list[Policy]":
        """Make the named policies (by default, those of :data:`DEFAULT_POLICIES`).

        Raises
        ------
        ValueError
            If there is no such policy, or a parameter is out of its range; the message is one sentence.
        """
        self.check()
        from planbatch.baselines.catalogue import takes, untaken

        names = dict.fromkeys(self.policy or DEFAULT_POLICIES)
        if key := untaken({"promise": self.promises[0], **self.settings}, *names):
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
        if self.estimates != "requested":
            from planbatch.experiments.replay.estimates import check_estimates

            check_estimates(self.estimates)

    def single_policy(self, name: str) -> "Policy":
        """Make the policy of a command that has one; it has to take all that is given."""
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
        due = self._with_deadlines(workload, source, options) if self.deadlines else workload
        from planbatch.baselines.policy import policy_name, traits_of

        policies = [self.make(name, "none") for name in self.policy]
        names = [policy_name(policy) for policy in policies if traits_of(policy).needs_deadlines]
        if "deadline" in self.promises:
            names.append("promise deadline")
        warn_without_deadlines(due.deadline, names, "; give some with --deadlines")
        return due

    def _with_deadlines(
        self, workload: "Workload", source: str | None, options: WorkloadOptions
    ) -> "Workload":
        from planbatch.experiments.workloads.load import load_deadlines

        rule = self.deadlines
        if rule == "working" and self.settings["calendar"]:
            rule = f"working:{self.settings['calendar']}"
        return load_deadlines(workload, rule, self.seed, source, options)


@dataclass
class _OfJobs:
    """What flags say of the jobs."""

    deadlines: Deadlines = ""
    estimates: KnownRunTimes = "requested"


#: Values of what a command has no flag for.
LEFT_OUT: dict[str, Any] = {
    "policy": (),
    "promises": ("none",),
    "seconds": None,
    "estimates": "requested",
    "deadlines": "",
}
#: The fields that are flags of their own.
_FIELDS = ("policy", "estimates", "seed", "promises", "deadlines")


def _flags(default: tuple[str, ...] = DEFAULT_POLICIES) -> dict[str, Any]:
    """Return the flags by the names of their parameters, in the order of help texts."""
    of_jobs, of_policies = declared(_OfJobs), dict(POLICY_SETTINGS)
    promise, calendar = of_policies.pop("promise"), of_policies.pop("calendar")
    return {
        "policy": flag(
            "--policy",
            multiple=True,
            type=Name("policies"),
            metavar="NAME",
            panel=POLICIES,
            help=f"May be repeated. [default: {', '.join(default)}] Parameters follow a colon: "
            "easy:smallest-area, plan-wait:optimizer=tabu; your own are FILE.py:NAME. "
            "planbatch list policies has all.",
        ),
        "promises": flag(
            promise.flag, "promises", default=(promise.default,), show_default=True, multiple=True,
            metavar=promise.setting.unit, panel=POLICIES, help=promise.setting.about,
        ),
        "estimates": option(of_jobs["estimates"], POLICIES),
        "deadlines": option(of_jobs["deadlines"], POLICIES),
        "calendar": option(calendar, POLICIES),
        **{
            name: option(setting, SEARCH, **({"type": Name("optimizers")} if name == "optimizer" else {}))
            for name, setting in of_policies.items()
        },
        "seed": seed_option(),
    }  # fmt: skip


def policy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags of :class:`PolicyOptions` to a command, as its parameter ``chosen``."""
    return _added(_flags(), {})(command)


def policy_options_for(default: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Like :func:`policy_options`, for a command with another default policy, which it fills in itself."""
    return _added(_flags((default,)), {})


def policy_options_without(*left_out: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Like :func:`policy_options`, but some fields keep their values of :data:`LEFT_OUT`."""
    flags = {name: flag for name, flag in _flags().items() if name not in left_out}
    return _added(flags, {name: LEFT_OUT[name] for name in left_out})


def _added(
    flags: Mapping[str, Any], fixed: Mapping[str, Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds flags, and makes ``chosen`` of them and of fixed values."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_options(*args: Any, **kwargs: Any) -> Any:
            values = dict(fixed) | {name: kwargs.pop(name) for name in flags}
            own = {name: values.pop(name) for name in _FIELDS}
            return command(*args, chosen=PolicyOptions(**own, settings=values), **kwargs)

        for one in reversed(list(flags.values())):
            with_options = one(with_options)
        return with_options

    return decorate
