"""Pictures of the explanations, drawn by planbatch's own functions: ``python -m manual.figures docs/plan.svg``."""

import sys
from pathlib import Path

from planbatch import Plan, Round, decode, draw_plan, solve
from planbatch.experiments.figures.style import add_title, drawing, panels_of

#: The round of the explanation: (processors, expected end) of what runs, (submit, processors, walltime) of what waits.
RUNNING = [(4, 200)]
WAITING = [(10, 8, 300), (20, 4, 100), (30, 4, 150), (40, 2, 250)]


def example() -> Round:
    """Return the round: eight processors, one running job, four that wait."""
    return Round.of(capacity=8, now=100, running=RUNNING, waiting=WAITING)


def plans(problem: Round) -> dict[str, Plan]:
    """Return the plan in the order of submission, and the one with the least mean wait."""
    return {
        "in the order of submission": decode(problem, [0, 1, 2, 3]),
        "the least mean wait": solve(problem, "wait").plan,
    }


def write_plan(path: Path) -> None:
    """Write the two plans of the round side by side, as SVG."""
    problem = example()
    plan_by_name = plans(problem)
    last = max(int((plan.start + problem.jobs.walltime).max()) for plan in plan_by_name.values())
    with drawing(8.4, 3.4) as figure:
        for axes, (title, plan) in zip(panels_of(figure, 2, 2), plan_by_name.items(), strict=True):
            draw_plan(problem, plan, axes, until=last)
            waits = plan.start - problem.jobs.submit
            add_title(axes, title, f"mean wait {waits.mean():.1f} s; grey: running")
        figure.savefig(path, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    write_plan(Path(sys.argv[1]))
