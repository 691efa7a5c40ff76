"""The flags of verbs that search for a plan of one round."""

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planbatch.experiments.cli.flags import seed_option
from planbatch.experiments.cli.shell import warn_without_deadlines
from planbatch.experiments.cli.verb import SEARCH, Name, flag
from planbatch.planner.budget import DEFAULT_EVALUATIONS

if TYPE_CHECKING:
    from planbatch.planner.budget import Budget
    from planbatch.planner.objective import Objective
    from planbatch.planner.optimizer import Optimizer, Result
    from planbatch.planner.progress import Callback
    from planbatch.planner.progress import Progress as Seen
    from planbatch.planner.round import Round


def check_one_budget(evaluations: int | None, seconds: float | None) -> None:
    """Raise ``ValueError`` if a search is limited twice."""
    if None not in (evaluations, seconds):
        raise ValueError("budget: give either --evaluations or --seconds")


@dataclass(frozen=True)
class SearchOptions:
    """How to search for a plan."""

    #: Their names.
    optimizer: str
    objective: str
    evaluations: int | None  # plans to evaluate
    seconds: float | None  # seconds to search, instead
    seed: int  # seed of the random numbers

    def make(self, problem: "Round") -> "tuple[Objective, Optimizer, Budget]":
        """Return what is named, checked; warn if it looks at deadlines that the round does not have."""
        from planbatch.objectives.catalogue import DEADLINE_OBJECTIVES, make_objective
        from planbatch.planner.budget import ROUND_EVALUATIONS, Budget
        from planbatch.planner.optimizers import check_supported, make_optimizer

        if self.seed < 0:
            raise ValueError(f"seed: {self.seed} is negative; give 0 or more")
        check_one_budget(self.evaluations, self.seconds)
        optimizer, objective = make_optimizer(self.optimizer), make_objective(self.objective)
        check_supported(optimizer, objective)
        if objective.name in DEADLINE_OBJECTIVES:
            warn_without_deadlines(problem.jobs.deadline, [objective.name])
        evaluations = self.evaluations
        if evaluations is None and self.seconds is None:
            evaluations = ROUND_EVALUATIONS
        return objective, optimizer, Budget(seconds=self.seconds, evaluations=evaluations)

    def search(self, problem: "Round", *, bound: bool = True) -> "Result":
        """Search for a plan, and prove a bound unless that is not wanted."""
        import numpy as np

        from planbatch.planner.solve import solve
        from planbatch.planner.soundness import searched

        objective, optimizer, budget = self.make(problem)
        if bound:
            with search_bar(budget) as on_progress:
                return solve(
                    problem,
                    objective,
                    optimizer,
                    evaluations=budget.evaluations,
                    seconds=budget.seconds,
                    seed=self.seed,
                    on_progress=on_progress,
                )
        rng = np.random.default_rng(self.seed)
        return searched(optimizer, problem, objective.drawn(problem, rng), budget, rng)


@contextmanager
def search_bar(budget: "Budget") -> "Iterator[Callback | None]":
    """Show how far a search is, its cost and bound, on standard error if that is a terminal; yields its callback."""
    if not sys.stderr.isatty():
        yield None
        return
    from time import perf_counter

    from rich.console import Console
    from rich.progress import Progress

    began = perf_counter()
    with Progress(console=Console(stderr=True), transient=True) as bar:
        shown = bar.add_task("searching", total=1.0)

        def on_progress(seen: "Seen") -> None:
            done = [0.0]
            if budget.seconds:
                done.append((perf_counter() - began) / budget.seconds)
            if budget.evaluations:
                done.append(seen.evaluations / budget.evaluations)
            bound = "" if seen.bound != seen.bound else f", bound {seen.bound:,.6g}"
            bar.update(shown, completed=max(done), description=f"cost {seen.cost:,.6g}{bound}")

        yield on_progress


def objective_option(about: str) -> Any:
    """Return the flag of the objective."""
    return flag(
        "--objective", default="wait", show_default=True, type=Name("objectives"), metavar="NAME", panel=SEARCH,
        help=f"{about} planbatch list objectives has all, your own are FILE.py:NAME.",
    )  # fmt: skip


def budget_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags of a budget to a command, as its parameters ``evaluations`` and ``seconds``."""
    seconds = flag(
        "--seconds", type=float, metavar="S", panel=SEARCH, help="Seconds to search, instead."
    )
    evaluations = flag(
        "--evaluations",
        type=int,
        metavar="N",
        panel=SEARCH,
        help=f"Plans to evaluate.  {DEFAULT_EVALUATIONS}",
    )
    return evaluations(seconds(command))  # type: ignore[no-any-return]


_FLAGS = (
    flag("--optimizer", default="hybrid", show_default=True, type=Name("optimizers"), metavar="NAME", panel=SEARCH,
         help="Optimizer, such as tabu:tenure=0.5; planbatch list optimizers has all."),
    objective_option("What plans cost."),
    budget_options,
    seed_option(),
)  # fmt: skip


def search_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags of :class:`SearchOptions` to a command, as its parameter ``chosen``."""

    @functools.wraps(command)
    def with_options(*args: Any, **kwargs: Any) -> Any:
        values = {name: kwargs.pop(name) for name in SearchOptions.__dataclass_fields__}
        return command(*args, chosen=SearchOptions(**values), **kwargs)

    for add in reversed(_FLAGS):
        with_options = add(with_options)
    return with_options
