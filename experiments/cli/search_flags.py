"""The flags of verbs that search for a plan of one round."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from planbatch.experiments.cli.flags import seed_flag
from planbatch.experiments.cli.parameters import SEARCH, Flag, Name, flag, group
from planbatch.experiments.cli.shell import warn_without_deadlines
from planbatch.planner.budget import DEFAULT_EVALUATIONS

if TYPE_CHECKING:
    from planbatch.planner.budget import Budget
    from planbatch.planner.objective import Objective
    from planbatch.planner.optimizer import Optimizer, Result
    from planbatch.planner.progress import Callback
    from planbatch.planner.progress import Progress as SearchProgress
    from planbatch.planner.round import Round


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
class SearchOptions:
    """How to search for a plan, as the flags declare it."""

    optimizer: Annotated[
        str,
        flag(
            "Optimizer, such as tabu:tenure=0.5; planbatch list optimizers has all.",
            "NAME",
            panel=SEARCH,
            type=Name("optimizers"),
        ),
    ] = "hybrid"
    objective: Annotated[str, objective_flag("What plans cost.")] = "wait"
    evaluations: Evaluations = None
    seconds: Seconds = None
    seed: Annotated[int, seed_flag()] = 0

    def make(self, problem: "Round") -> "tuple[Objective, Optimizer, Budget]":
        """Make objective, optimizer and budget; warn if the objective uses deadlines and the round has none."""
        from planbatch.objectives.catalogue import DEADLINE_OBJECTIVES, make_objective
        from planbatch.planner.budget import ROUND_EVALUATIONS, budget_of
        from planbatch.planner.optimizers import check_supported, make_optimizer

        if self.seed < 0:
            raise ValueError(f"seed: {self.seed} is negative; give 0 or more")
        check_one_budget(self.evaluations, self.seconds)
        optimizer, objective = make_optimizer(self.optimizer), make_objective(self.objective)
        check_supported(optimizer, objective)
        if objective.name in DEADLINE_OBJECTIVES:
            warn_without_deadlines(problem.jobs.deadline, [objective.name])
        return objective, optimizer, budget_of(self.evaluations, self.seconds, ROUND_EVALUATIONS)

    def search(self, problem: "Round", *, bound: bool = True) -> "Result":
        """Search for a plan, and prove a bound on request."""
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
    """Show the progress, cost and bound of a search on standard error if that is a terminal; yield its callback."""
    if not sys.stderr.isatty():
        yield None
        return
    from time import perf_counter

    from rich.console import Console
    from rich.progress import Progress

    began = perf_counter()
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("searching", total=1.0)

        def on_progress(progress: "SearchProgress") -> None:
            shares = [0.0]
            if budget.seconds:
                shares.append((perf_counter() - began) / budget.seconds)
            if budget.evaluations:
                shares.append(progress.evaluations / budget.evaluations)
            bound = "" if progress.bound != progress.bound else f", bound {progress.bound:,.6g}"
            bar.update(task, completed=max(shares), description=f"cost {progress.cost:,.6g}{bound}")

        yield on_progress


SearchFlags = Annotated[SearchOptions, group(SearchOptions)]
