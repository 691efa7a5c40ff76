"""``planbatch round``: search for a plan of one round."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import click

from planbatch.experiments.cli.flags import Json, seed_flag
from planbatch.experiments.cli.parameters import SEARCH, Name, argument, flag, group
from planbatch.experiments.cli.policy_flags import Evaluations, Seconds, check_one_budget, objective_flag
from planbatch.experiments.cli.shell import notify, print_result, warn_without_deadlines
from planbatch.experiments.cli.verb import verb
from planbatch.planner.budget import DEFAULT_OPTIMIZER
from planbatch.planner.display import counted

if TYPE_CHECKING:
    from planbatch.planner.budget import Budget
    from planbatch.planner.model import IntArray
    from planbatch.planner.objective import Objective
    from planbatch.planner.optimizer import Optimizer, Result
    from planbatch.planner.progress import Callback
    from planbatch.planner.progress import Progress as SearchProgress
    from planbatch.planner.round import Round
    from planbatch.planner.what_if import WhatIf


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
    ] = DEFAULT_OPTIMIZER
    objective: Annotated[str, objective_flag("What plans cost.")] = "wait"
    evaluations: Evaluations = None
    seconds: Seconds = None
    seed: Annotated[int, seed_flag()] = 0

    def make(self, problem: "Round") -> "tuple[Objective, Optimizer, Budget]":
        """Make objective, optimizer and budget; warn if the objective uses deadlines and the round has none."""
        from planbatch.objectives.catalogue import make_objective
        from planbatch.planner.budget import ROUND_EVALUATIONS, budget_of
        from planbatch.planner.optimizers import check_supported, make_optimizer

        if self.seed < 0:
            raise ValueError(f"seed: {self.seed} is negative; give 0 or more")
        check_one_budget(self.evaluations, self.seconds)
        optimizer, objective = make_optimizer(self.optimizer), make_objective(self.objective)
        check_supported(optimizer, objective)
        if objective.needs_deadlines:
            warn_without_deadlines(problem.jobs.deadline, [objective.name])
        return objective, optimizer, budget_of(self.evaluations, self.seconds, ROUND_EVALUATIONS)

    def search(self, problem: "Round", *, bound: bool = True) -> "Result":
        """Search for a plan, and prove a bound on request."""
        import numpy as np

        from planbatch.planner.solve import solve
        from planbatch.planner.soundness import checked_search

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
        return checked_search(optimizer, problem, objective.for_round(problem, rng), budget, rng)


@contextmanager
def search_bar(budget: "Budget") -> "Iterator[Callback | None]":
    """Show the progress, cost and bound of a search on standard error if that is a terminal; yield its callback."""
    if not sys.stderr.isatty():
        yield None
        return
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


@verb
def command(
    *,
    file: Annotated[Path, argument(type=click.Path(path_type=Path, allow_dash=True))],
    search_options: Annotated[SearchOptions, group(SearchOptions)],
    bound: Annotated[bool, flag("Whether to prove a lower bound.", name="--bound/--no-bound", panel=SEARCH)] = True,
    change: Annotated[str | None, flag(
        "Plan again with a job at that time (s), or without it, and print which jobs are delayed, and by how much.",
        "JOB@TIME|JOB@now|-JOB", name="--if")] = None,
    picture: Annotated[Path | None, flag(
        "Draw the plan and the best first plan, with --if the two plans: .png, .svg or .html.", "FILE")] = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Search for a plan of the round in FILE, and prove how far from optimal it can be.

    FILE is a round as JSON; - is standard input.
    """
    from planbatch.experiments.rounds.file import read_round

    if picture is not None:
        from planbatch.experiments.figures.round_gantt import check_picture

        check_picture(picture)
    problem = read_round(file)
    if change is not None:
        change_one_job(problem, search_options, change, picture, as_json)
        return
    result = search_options.search(problem, bound=bound)
    title = f"{search_options.optimizer} on {search_options.objective}"
    print_result(as_json, to_dict(problem, result), *lines_of(problem, result, title))
    if picture is not None:
        from planbatch.objectives.catalogue import make_objective
        from planbatch.planner.optimizers.first_plan import first_plan

        first = first_plan(problem, make_objective(search_options.objective)).start
        draw(problem, {"plan": result.plan.start, "best first plan": first}, picture)


def change_one_job(
    problem: "Round", search_options: SearchOptions, change: str, picture: Path | None, as_json: bool
) -> None:
    """Plan with and without a change, and print which jobs are delayed."""
    from planbatch.planner.solve import what_if

    job, start = parse_change(change, problem.now)
    objective, optimizer, budget = search_options.make(problem)
    outcome = what_if(
        problem,
        job,
        start,
        objective,
        optimizer,
        evaluations=budget.evaluations,
        seconds=budget.seconds,
        seed=search_options.seed,
    )
    delays = dict(zip(map(str, problem.ids.tolist()), outcome.delays.tolist(), strict=True))
    costs = {"cost_before": outcome.cost_before, "cost_after": outcome.cost_after}
    result = {"job": job, "start": start, **costs, "delays": delays}
    print_result(as_json, result, *lines_of_change(problem, outcome, search_options.objective))
    if picture is not None:
        after = f"without job {job}" if start is None else f"job {job} at {start}"
        plans = {"plan": outcome.before.start, after: outcome.after.start}
        draw(problem, plans, picture, problem.ids.tolist().index(job))


def parse_change(text: str, now: int) -> tuple[int, int | None]:
    """Read ``JOB@TIME``, ``JOB@now`` or ``-JOB``.

    >>> parse_change("7@now", 100), parse_change("7@250", 100), parse_change("-7", 100)
    ((7, 100), (7, 250), (7, None))
    """
    job, at, time = text.removeprefix("-").partition("@")
    if text.startswith("-") == bool(at) or not job.isdecimal():
        raise ValueError(f"if: {text!r} is none of JOB@TIME, JOB@now and -JOB")
    if not at:
        return int(job), None
    if time != "now" and not time.isdecimal():
        raise ValueError(f"if: in {text!r}, {time!r} is neither now nor a time in whole seconds")
    return int(job), now if time == "now" else int(time)


def draw(problem: "Round", plans: "dict[str, IntArray]", path: Path, mark: int | None = None) -> None:
    """Write a picture of plans, and say where."""
    from planbatch.experiments.figures.round_gantt import write_plans_picture

    write_plans_picture(path, problem, plans, mark)
    notify(f"picture written to {path}")


def lines_of_change(problem: "Round", outcome: "WhatIf", objective: str) -> list[Any]:
    """Return what a change of one job costs the others, in words and as a table."""
    from planbatch.experiments.figures.tables import change_table

    effect = "goes" if outcome.start is None else f"starts at {outcome.start}"
    others = outcome.delays[problem.ids != outcome.job]
    later, earlier = int((others > 0).sum()), int((others < 0).sum())
    return [
        f"[bold]If job {outcome.job} {effect}[/]: {counted(later, 'job')} start later, {earlier:,} earlier",
        f"{objective} of the other jobs: {outcome.cost_before:,.6g} before, {outcome.cost_after:,.6g} after",
        change_table(problem, outcome),
    ]


def to_dict(problem: "Round", result: "Result") -> dict[str, Any]:
    """Return the result for JSON output."""
    return {
        "cost": result.cost,
        "seed_cost": result.seed_cost,
        "lower_bound": result.lower_bound,
        "gap": result.gap,
        "evaluations": result.evaluations,
        "seconds": result.seconds,
        "status": str(result.status),
        "starts": dict(zip(map(str, problem.ids.tolist()), result.plan.start.tolist(), strict=True)),
    }


def lines_of(problem: "Round", result: "Result", title: str) -> list[Any]:
    """Return the result in words, and the first planned starts as a table."""
    from planbatch.experiments.figures.tables import plan_table

    lines = [f"[bold]{title}[/]: cost {result.cost:,.6g}, best seed {result.seed_cost:,.6g}"]
    if result.lower_bound == result.lower_bound:
        lines.append(f"no plan costs less than {result.lower_bound:,.6g}: gap {result.gap:.1%}")
    lines.append(f"{counted(result.evaluations, 'evaluation')} in {result.seconds:.3f} s, {result.status}")
    return [*lines, plan_table(problem, result.plan)]
