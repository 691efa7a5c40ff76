"""Optimizers judged by optima from outside, and by plans of a hundred times the budget.

``python -m benchmarks.search strips [FOLDER]`` measures the excess over the optimal makespan on perfectly packed
rounds: generated ones, or the instances in FOLDER (``NAME.json``: ``capacity``, ``optimum``, ``jobs`` as [processors,
seconds]; the class of an instance is its name up to the first digit behind it). ``rounds FILE…`` measures the excess
over the best plan that any of the optimizers found in a hundred times the seconds. ``plain-cp-sat`` is what anybody
would write in twenty lines. Jobs are shuffled by the seed, since some instances list them in the order of the optimum.
"""

import argparse
import json
import re
import time
from pathlib import Path

import numpy as np

from planbatch.experiments.rounds.file import read_round
from planbatch.experiments.rounds.packed import packed_round
from planbatch.objectives import make_objective
from planbatch.planner import budget
from planbatch.planner.budget import Budget
from planbatch.planner.optimizers import make_optimizer
from planbatch.planner.round import Round


def plain_cp_sat(problem: Round, seconds: float, seed: int) -> float:
    """Return the makespan that CP-SAT finds with one cumulative constraint and one worker; NaN without a plan."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    last = int(problem.jobs.walltime.sum())
    end = model.new_int_var(0, last, "end")
    spans = []
    for walltime in problem.jobs.walltime.tolist():
        start = model.new_int_var(0, last, "")
        spans.append(model.new_fixed_size_interval_var(start, walltime, ""))
        model.add(start + walltime <= end)
    model.add_cumulative(spans, problem.jobs.procs.tolist(), problem.capacity)
    model.minimize(end)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    found = solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return solver.objective_value if found else float("nan")


def cost(name: str, problem: Round, objective: str, seconds: float, seed: int) -> float:
    """Return the cost that an optimizer finds."""
    if name == "plain-cp-sat":
        return plain_cp_sat(problem, seconds, seed)
    rng = np.random.default_rng(seed)
    goal = make_objective(objective).drawn(problem, rng)
    return make_optimizer(name).optimize(problem, goal, Budget(seconds=seconds), rng).cost


def strips(folder: Path | None, seed: int) -> dict[str, tuple[str, Round, int]]:
    """Return rounds and their optimal makespans by name, each with its class."""
    found: dict[str, tuple[str, Round, int]] = {}
    if folder is None:
        for jobs in (20, 50, 100, 200, 500):
            for guillotine in (True, False):
                kind = f"{'guillotine' if guillotine else 'pinwheel'} {jobs}"
                for k in range(3):
                    problem = packed_round(
                        jobs, 1000 * seed + k, height=1000, guillotine=guillotine
                    )
                    found[f"{kind} {k}"] = kind, problem, 1000
        return found
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text())
        jobs = [(0, *job) for job in data["jobs"]]
        order = np.random.default_rng(seed).permutation(len(jobs))
        problem = Round.of(capacity=data["capacity"], now=0, waiting=[jobs[i] for i in order])
        named = re.match(r"[^-]*-(?:[a-z]\d|[A-Z]+)", path.stem)
        found[path.stem] = named[0] if named else path.stem, problem, data["optimum"]
    return found


def tell(name: str, seconds: float, excess: dict[str, list[float]]) -> None:
    """Print mean and worst excess (%), all and by class."""
    values = np.array([value for each in excess.values() for value in each])
    classes = ", ".join(f"{kind} {np.mean(each):.2f}" for kind, each in sorted(excess.items()))
    print(
        f"{name}, {seconds:g} s: mean {np.nanmean(values):.3f} %, worst {np.nanmax(values):.2f} %, "
        f"{int((values <= 1e-9).sum())} of {len(values)} at the least, "
        f"{int(np.isnan(values).sum())} without a plan; {classes}",
        flush=True,
    )


def main() -> None:
    """Measure, and print a line per optimizer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("strips", "rounds"))
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--optimizer", action="append")
    parser.add_argument("--objective", action="append")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="Take every N-th round.")
    parser.add_argument(
        "--shared", action="store_true", help="Others use the cores: count processor time."
    )
    chosen = parser.parse_args()
    if chosen.shared:
        budget.perf_counter = time.process_time  # type: ignore[attr-defined]
    names = chosen.optimizer or ["hybrid", "annealing"]
    if chosen.what == "strips":
        for name in names:
            excess: dict[str, list[float]] = {}
            for seed in range(1, chosen.seeds + 1):
                made = list(strips(chosen.paths[0] if chosen.paths else None, seed).values())
                for kind, problem, optimum in made[:: chosen.every]:
                    value = cost(name, problem, "makespan", chosen.seconds, seed)
                    excess.setdefault(kind, []).append(100 * (value / optimum - 1))
            tell(name, chosen.seconds, excess)
        return
    for objective in chosen.objective or ["wait", "squared-wait"]:
        costs: dict[str, dict[Path, list[float]]] = {name: {} for name in names}
        best: dict[Path, float] = {}
        for path in chosen.paths[:: chosen.every]:
            problem = read_round(path)
            for name in names:
                found = [
                    cost(name, problem, objective, chosen.seconds, s) for s in range(chosen.seeds)
                ]
                costs[name][path] = found
            longer = [cost(name, problem, objective, 100 * chosen.seconds, 99) for name in names]
            best[path] = min(*longer, *(value for each in costs.values() for value in each[path]))
        for name in names:
            excess = {
                f"{size} jobs": [
                    100 * (value / best[path] - 1 if best[path] else 0.0)
                    for path, found in costs[name].items()
                    if size in path.stem
                    for value in found
                ]
                for size in sorted(
                    {re.search(r"n\d+", path.stem + "-n")[0] for path in costs[name]}
                )  # type: ignore[index]
            }
            print(objective, end=" ")
            tell(name, chosen.seconds, excess)


if __name__ == "__main__":
    main()
