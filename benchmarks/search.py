"""Optimizers judged by optima from outside, and by plans of ten times the budget.

``python -m benchmarks.search strips [FOLDER]`` measures the excess over the optimal makespan on perfectly packed
rounds: generated ones, or the instances in FOLDER (``NAME.json``: ``capacity``, ``optimum``, ``jobs`` as [processors,
seconds]; the class of an instance is its name up to the first digit behind it). ``rounds FILE…`` measures the excess
over the best plan that any of the optimizers found, or the first of them in ten times the longest of ``--seconds``.
``bounds [FILE…]`` measures the proven gaps of the best known plans of the benchmark's rounds of up to 100 jobs, packed
strips apart, or of the first optimizer's plans of rounds in files: with prices of the rows of capacity alone, with
those of configurations, and with branch and bound.
``benchmark`` is ``planbatch rounds compare --benchmark --quick``, in processor time; with ``--release DIR``, all of the
benchmark, which DIR stores, so that it goes on where it was interrupted. ``plain-cp-sat`` is what anybody
would write in twenty lines. Jobs are shuffled by the seed, since some instances list them in the order of the optimum.
"""

import argparse
import json
import re
import threading
import time
from itertools import product
from pathlib import Path

import numpy as np

from planbatch.experiments.cli.rounds import command
from planbatch.experiments.rounds.benchmark import BEST_KNOWN, benchmark_rounds, packed_round, read_benchmark_costs
from planbatch.experiments.rounds.file import read_round
from planbatch.objectives import make_objective
from planbatch.planner import budget
from planbatch.planner.bounds import ITERATIONS, RELAXATIONS, lower_bound
from planbatch.planner.bounds.separable import ROW_ITERATIONS
from planbatch.planner.budget import Budget
from planbatch.planner.optimizers import make_optimizer
from planbatch.planner.round import Round


def plain_cp_sat(problem: Round, objective: str, seconds: float, seed: int) -> float:
    """Return the cost that CP-SAT finds with one cumulative constraint and one worker; NaN without a plan.

    ``objective`` is makespan, wait or squared-wait. The seconds are those of the clock that budgets have.
    """
    from ortools.sat.python import cp_model

    model, jobs, running = cp_model.CpModel(), problem.jobs, problem.running
    horizon = int(jobs.walltime.sum() + (running.end - problem.now).max(initial=0))
    fixed = (running.end - problem.now).tolist()
    spans = [model.new_fixed_size_interval_var(0, left, "") for left in fixed]
    starts = [model.new_int_var(0, horizon, "") for _ in range(len(problem))]
    for start, walltime in zip(starts, jobs.walltime.tolist(), strict=True):
        spans.append(model.new_fixed_size_interval_var(start, walltime, ""))
    model.add_cumulative(spans, [*running.procs.tolist(), *jobs.procs.tolist()], problem.capacity)
    past = (problem.now - jobs.submit).tolist()
    if objective == "makespan":
        end = model.new_int_var(0, horizon, "")
        for start, walltime in zip(starts, jobs.walltime.tolist(), strict=True):
            model.add(start + walltime <= end)
        model.minimize(end)
    elif objective == "wait":
        model.minimize(sum(starts))
    elif objective == "squared-wait":
        squares = []
        for start, age in zip(starts, past, strict=True):
            wait = model.new_int_var(age, horizon + age, "")
            model.add(wait == start + age)
            squares.append(model.new_int_var(0, (horizon + age) ** 2, ""))
            model.add_multiplication_equality(squares[-1], [wait, wait])
        model.minimize(sum(squares))
    else:
        raise ValueError(f"objective: plain-cp-sat does not know {objective}")
    solver, clock = cp_model.CpSolver(), Budget(seconds=seconds).start()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    done = threading.Event()

    def end_in_time() -> None:
        while not done.wait(0.005):
            if clock.remaining <= 0:
                solver.stop_search()

    watch = threading.Thread(target=end_in_time)
    watch.start()
    status = solver.solve(model)
    done.set()
    watch.join()
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return float("nan")
    start = np.array([solver.value(variable) for variable in starts]) + problem.now
    return float(make_objective(objective).cost(start, jobs, problem.now))


def cost(name: str, problem: Round, objective: str, seconds: float, seed: int) -> float:
    """Return the cost that an optimizer finds."""
    if name == "plain-cp-sat":
        return plain_cp_sat(problem, objective, seconds, seed)
    rng = np.random.default_rng(seed)
    goal = make_objective(objective).for_round(problem, rng)
    return make_optimizer(name).optimize(problem, goal, Budget(seconds=seconds), rng).cost


def strips(folder: Path | None, seed: int) -> dict[str, tuple[str, Round, int]]:
    """Return rounds and their optimal makespans by name, each with its class."""
    instances: dict[str, tuple[str, Round, int]] = {}
    if folder is None:
        for jobs in (20, 50, 100, 200, 500):
            for guillotine in (True, False):
                kind = f"{'guillotine' if guillotine else 'pinwheel'} {jobs}"
                for k in range(3):
                    problem = packed_round(jobs, 1000 * seed + k, height=1000, guillotine=guillotine)
                    instances[f"{kind} {k}"] = kind, problem, 1000
        return instances
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text())
        jobs = [(0, *job) for job in data["jobs"]]
        order = np.random.default_rng(seed).permutation(len(jobs))
        problem = Round.of(capacity=data["capacity"], now=0, waiting=[jobs[i] for i in order])
        named = re.match(r"[^-]*-(?:[a-z]\d|[A-Z]+)", path.stem)
        instances[path.stem] = named[0] if named else path.stem, problem, data["optimum"]
    return instances


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


def measure_bounds(rounds: dict[str, Round], objective: str, costs: dict[str, float]) -> None:
    """Print the proven gaps (%) of known plans, whose costs have the names of their rounds."""
    for iterations in (ROW_ITERATIONS, RELAXATIONS, ITERATIONS):
        gaps, began = [], time.process_time()
        for key, problem in rounds.items():
            bound = lower_bound(problem, objective, costs[key], iterations)
            gaps.append(100 * (1 - bound / costs[key] if costs[key] else 0.0))
        spent = (time.process_time() - began) / len(rounds)
        print(
            f"{objective}, {iterations} iterations: median {np.median(gaps):.2f} %, mean {np.mean(gaps):.2f} %, "
            f"largest {max(gaps):.2f} %, {sum(gap <= 0 for gap in gaps)} of {len(gaps)} proven; {spent:.2f} s each",
            flush=True,
        )


def bounds(name: str, objectives: list[str], seconds: float, paths: list[Path]) -> None:
    """Print the proven gaps of the benchmark's rounds of up to 100 jobs, all and the larger ones, or of files."""
    if paths:
        rounds = {path.name: read_round(path) for path in paths}
        for objective in objectives:
            found = {key: cost(name, problem, objective, seconds, 1) for key, problem in rounds.items()}
            measure_bounds(rounds, objective, found)
        return
    known = read_benchmark_costs()
    searched = {key: each for key, each in benchmark_rounds().items() if len(each) <= 100 and "strip" not in key}
    for objective, least in product(objectives, (1, 16)):
        rounds = {key: each for key, each in searched.items() if len(each) >= least}
        print(f"{least} jobs or more:", end=" ")
        measure_bounds(rounds, objective, {key: known[f"{key}|{objective}"]["cost"] for key in rounds})


def main() -> None:
    """Measure, and print a line per optimizer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("strips", "rounds", "bounds", "benchmark"))
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--optimizer", action="append")
    parser.add_argument("--objective", action="append")
    parser.add_argument("--seconds", type=float, nargs="+", default=[2.0])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="Take every N-th round.")
    parser.add_argument("--release", type=Path, metavar="DIR")
    parser.add_argument("--shared", action="store_true", help="Others use the cores: count processor time.")
    chosen = parser.parse_args()
    if chosen.shared:
        budget.perf_counter = time.process_time  # type: ignore[attr-defined]
    names = chosen.optimizer or ["hybrid", "annealing"]
    if chosen.what == "benchmark":
        arguments = ["--jobs", "1", "--best-known", str(BEST_KNOWN)]
        arguments += [word for name in names for word in ("--optimizer", name)]
        arguments += ["--out", str(chosen.release)] if chosen.release else ["--quick", "--seeds", str(chosen.seeds)]
        command(["compare", "--benchmark", *arguments], standalone_mode=False)
        return
    if chosen.what == "bounds":
        bounds(names[0], chosen.objective or ["wait", "squared-wait", "makespan"], chosen.seconds[0], chosen.paths)
        return
    excess: dict[str, list[float]]
    if chosen.what == "strips":
        for name, seconds in product(names, chosen.seconds):
            excess = {}
            for seed in range(1, chosen.seeds + 1):
                problems = list(strips(chosen.paths[0] if chosen.paths else None, seed).values())
                for kind, problem, optimum in problems[:: chosen.every]:
                    value = cost(name, problem, "makespan", seconds, seed)
                    excess.setdefault(kind, []).append(100 * (value / optimum - 1))
            tell(name, seconds, excess)
        return
    for objective in chosen.objective or ["wait", "squared-wait"]:
        costs: dict[tuple[str, float], dict[Path, list[float]]] = {}
        best: dict[Path, float] = {}
        for path in chosen.paths[:: chosen.every]:
            problem = read_round(path)
            best[path] = cost(names[0], problem, objective, 10 * max(chosen.seconds), 99)
            for run in product(names, chosen.seconds):
                values = [cost(run[0], problem, objective, run[1], s) for s in range(chosen.seeds)]
                costs.setdefault(run, {})[path] = values
                best[path] = float(np.nanmin([best[path], *values]))
        for (name, seconds), by_path in costs.items():
            excess = {}
            for path, values in by_path.items():
                size = re.search(r"n\d+", path.stem + "-n0")
                above = [100 * (value / best[path] - 1 if best[path] else 0.0) for value in values]
                excess.setdefault(f"{size[0] if size else ''} jobs", []).extend(above)
            print(objective, end=" ")
            tell(name, seconds, excess)


if __name__ == "__main__":
    main()
