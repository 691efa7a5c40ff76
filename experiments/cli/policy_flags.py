"""The flags of commands that replay policies, and the policies that they select."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from planbatch.experiments.cli.shell import warn_without_deadlines

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
    """Which policies to replay, and how.

    Attributes
    ----------
    policy : tuple of str
        Names of policies.
    optimizer : str, optional
        Optimizer of plan-based policies.
    evaluations : int, optional
        Plans that they evaluate per round, after the seeds.
    seconds : float, optional
        Time that they search per round, instead.
    estimates : str
        What schedulers know of run times.
    seed : int
        Seed of the random numbers.
    promises : tuple of str
        The promises of plan-based policies, which are replayed with each; see :meth:`Promise.parse`.
    deadlines : str
        Which jobs get deadlines; see :func:`with_deadlines`.
    calendar : str
        Working time; see :meth:`Calendar.parse`.
    """

    policy: tuple[str, ...]
    optimizer: str | None
    evaluations: int | None
    seconds: float | None
    estimates: "Estimates"
    seed: int
    promises: tuple[str, ...]
    deadlines: str
    calendar: str

    @property
    def promise(self) -> str:
        """The promise, for commands that take one.

        Raises
        ------
        ValueError
            If several are given.
        """
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
        from planbatch.baselines.catalogue import takes

        return [
            self.make(name, promise)
            for name in dict.fromkeys(self.policy or DEFAULT_POLICIES)
            for promise in (dict.fromkeys(self.promises) if "promise" in takes(name) else ("none",))
        ]

    def check(self) -> None:
        """Raise a ``ValueError`` if a number is out of its range."""
        if self.seed < 0:
            raise ValueError(f"seed: {self.seed} is negative; give 0 or more")
        if self.evaluations is not None and self.seconds is not None:
            raise ValueError("budget: give either --evaluations or --seconds")
        if self.estimates != "requested":
            from planbatch.experiments.replay.estimates import check_estimates

            check_estimates(self.estimates)

    def make(self, name: str, promise: str) -> "Policy":
        """Make one policy, with a promise of its own."""
        from planbatch.baselines.catalogue import make_policy

        return make_policy(
            name,
            optimizer=self.optimizer,
            evaluations=self.evaluations,
            seconds=self.seconds,
            promise=promise,
            calendar=self.calendar,
        )

    def with_deadlines(self, workload: "Workload", source: str | None = None) -> "Workload":
        """Return the workload with the requested deadlines; unchanged if none are requested.

        Warns about policies that use deadlines if no job has one. ``source`` is what the user named: the log whose
        columns may hold deadlines.
        """
        due = self._with_deadlines(workload, source) if self.deadlines else workload
        from planbatch.baselines.policy import policy_name, traits_of

        policies = [self.make(name, "none") for name in self.policy]
        names = [policy_name(policy) for policy in policies if traits_of(policy).needs_deadlines]
        if "deadline" in self.promises:
            names.append("promise deadline")
        warn_without_deadlines(due.deadline, names, "; give some with --deadlines")
        return due

    def _with_deadlines(self, workload: "Workload", source: str | None) -> "Workload":
        from planbatch.experiments.workloads.load import load_deadlines

        rule = self.deadlines
        if rule == "working" and self.calendar:
            rule = f"working:{self.calendar}"
        return load_deadlines(workload, rule, self.seed, source)


#: Values of fields for which a command has no flag.
LEFT_OUT: dict[str, Any] = {
    "policy": (),
    "promises": ("none",),
    "seconds": None,
    "estimates": "requested",
    "deadlines": "",
}

_FLAGS = {
    "policy": click.option(
        "--policy",
        multiple=True,
        metavar="NAME",
        help=f"May be repeated. [default: {', '.join(DEFAULT_POLICIES)}] Parameters follow a colon: "
        "easy:smallest-area, plan-wait:optimizer=tabu; your own are FILE.py:NAME. planbatch list policies has all.",
    ),
    "optimizer": click.option(
        "--optimizer",
        metavar="NAME",
        help="Optimizer of plan-based policies, such as annealing:cooling=0.8; planbatch list optimizers has all.",
    ),
    "evaluations": click.option(
        "--evaluations", type=int, metavar="N", help="Plans that they evaluate per round."
    ),
    "seconds": click.option(
        "--seconds", type=float, metavar="S", help="Seconds that they search per round, instead."
    ),
    "estimates": click.option(
        "--estimates",
        default="requested",
        show_default=True,
        metavar="KIND",
        help="What schedulers know: requested times; actual run times; mixed, run times of waiting and requested times "
        "of running jobs; or predicted:NAME, what a predictor makes of the past (planbatch list predictors).",
    ),
    "promises": click.option(
        "--promise",
        "promises",
        default=("none",),
        show_default=True,
        multiple=True,
        metavar="SLACK",
        help="The latest start that plan-based policies promise each job: its first planned start "
        "and a slack such as 0s, 24h, 2x (walltimes); or within:3d of its submission; or deadline.",
    ),
    "deadlines": click.option(
        "--deadlines",
        default="",
        metavar="RULE",
        help="Give jobs deadlines: random:40 (% of the jobs; max. of 24h and 10 walltimes, or "
        "random:40:48h:5), third (every third; 24h and 2, or third:72h:2), working (jobs that would end "
        "outside working time), csv:FILE (columns id and deadline; csv:FILE:due takes the column due), "
        "column:NAME (of the log itself, such as column:think_time; seconds as submit times), none.",
    ),
    "calendar": click.option(
        "--calendar",
        default="",
        metavar="CALENDAR",
        help="Working time: hours, days, time zone (by default, the log's) and holidays, such as "
        "9-18:mon-fri:Europe/Stockholm:2002-12-25,2002-12-26.",
    ),
    "seed": click.option(
        "--seed", default=0, show_default=True, metavar="N", help="Seed of the random numbers."
    ),
}


def policy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags of :class:`PolicyOptions` to a command, as its parameter ``chosen``."""
    return policy_options_without()(command)


def policy_options_without(*left_out: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Like :func:`policy_options`, but some fields keep their values of :data:`LEFT_OUT`."""
    names = [field.name for field in fields(PolicyOptions) if field.name not in left_out]
    fixed = {name: LEFT_OUT[name] for name in left_out}

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_options(*args: Any, **kwargs: Any) -> Any:
            values = {name: kwargs.pop(name) for name in names}
            return command(*args, chosen=PolicyOptions(**values, **fixed), **kwargs)

        for name in reversed(names):
            with_options = _FLAGS[name](with_options)
        return with_options

    return decorate
