"""``planbatch round``: search for a plan of one round."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbatch.experiments.cli.shell import warn_without_deadlines

if TYPE_CHECKING:
    from planbatch.planner.optimizer import Result
    from planbatch.planner.round import Round


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--optimizer", "optimizer_name", default="annealing", show_default=True, metavar="NAME",
              help="Optimizer, such as tabu:tenure=0.5; planbatch list optimizers has all.")  # fmt: skip
@click.option("--objective", "objective_name", default="wait", show_default=True, metavar="NAME",
              help="What plans cost; planbatch list objectives has all, your own are FILE.py:NAME.")  # fmt: skip
@click.option("--evaluations", type=int, metavar="N", help="Plans to evaluate [default: 8800].")
@click.option("--seconds", type=float, metavar="S", help="Seconds to search, instead.")
@click.option(
    "--seed", default=0, show_default=True, metavar="N", help="Seed of the random numbers."
)
@click.option("--bound/--no-bound", default=True, help="Whether to prove a lower bound.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(
    file: Path,
    optimizer_name: str,
    objective_name: str,
    evaluations: int | None,
    seconds: float | None,
    seed: int,
    bound: bool,
    as_json: bool,
) -> None:
    """Search for a plan of the round in FILE, and prove how far from optimal it can be."""
    import numpy as np

    from planbatch.experiments.rounds.file import read_round
    from planbatch.objectives.catalogue import DEADLINE_OBJECTIVES, make_objective
    from planbatch.planner.budget import Budget
    from planbatch.planner.optimizers import check_supported, make_optimizer
    from planbatch.planner.solve import EVALUATIONS, solve
    from planbatch.planner.soundness import searched

    if seed < 0:
        raise ValueError(f"seed: {seed} is negative; give 0 or more")
    problem = read_round(file)
    optimizer, objective = make_optimizer(optimizer_name), make_objective(objective_name)
    check_supported(optimizer, objective)
    if objective.name in DEADLINE_OBJECTIVES:
        warn_without_deadlines(problem.jobs.deadline, [objective.name])
    if evaluations is None and seconds is None:
        evaluations = EVALUATIONS
    budget = Budget(seconds=seconds, evaluations=evaluations)
    rng = np.random.default_rng(seed)
    if bound:
        result = solve(problem, objective, optimizer, budget, rng)
    else:
        result = searched(optimizer, problem, objective.drawn(problem, rng), budget, rng)
    if as_json:
        click.echo(json.dumps(described(problem, result)))
    else:
        show(problem, result, f"{optimizer_name} on {objective_name}")


def described(problem: "Round", result: "Result") -> dict[str, Any]:
    """Return the result for JSON output."""
    import math

    known = math.isfinite(result.lower_bound)
    return {
        "cost": result.cost,
        "seed_cost": result.seed_cost,
        "lower_bound": result.lower_bound if known else None,
        "gap": result.gap if known else None,
        "evaluations": result.evaluations,
        "seconds": result.seconds,
        "status": str(result.status),
        "starts": dict(
            zip(map(str, problem.ids.tolist()), result.plan.start.tolist(), strict=True)
        ),
    }


def show(problem: "Round", result: "Result", title: str) -> None:
    """Print the outcome and the first of the planned starts for people."""
    from rich.console import Console
    from rich.table import Table

    from planbatch.experiments.common.text import duration

    console = Console()
    console.print(f"[bold]{title}[/]: cost {result.cost:,.6g}, best seed {result.seed_cost:,.6g}")
    if result.lower_bound == result.lower_bound:
        console.print(f"no plan costs less than {result.lower_bound:,.6g}: gap {result.gap:.1%}")
    console.print(f"{result.evaluations:,} evaluations in {result.seconds:.3f} s, {result.status}")
    table = Table("job", "processors", "walltime", "waited", "starts in", box=None)
    shown = result.plan.order()[:20]
    for i in shown:
        table.add_row(
            str(problem.ids[i]),
            f"{problem.jobs.procs[i]:,}",
            duration(int(problem.jobs.walltime[i])),
            duration(int(problem.now - problem.jobs.submit[i])),
            duration(int(result.plan.start[i] - problem.now)),
        )
    console.print(table)
    if len(problem) > len(shown):
        console.print(f"… and {len(problem) - len(shown):,} more jobs (--json has all)")
