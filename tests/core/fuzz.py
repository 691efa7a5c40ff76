"""The core on random input, good and bad, for as long as one likes; meant for a core with sanitizers.

``make sanitize`` builds such a core and runs this. What fails names its round; ``--first N --rounds 1`` repeats it.
"""

import argparse
import dataclasses
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

#: What the core, and what calls it, may raise at input that is not sound.
EXPECTED_ERRORS = (ValueError, TypeError, OverflowError, IndexError)
SEED = 20


def preload(folder: Path) -> None:
    """Start this again with the libraries of the sanitizers, if that has not happened."""
    cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    match = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE)
    assert match, "the build names no compiler"
    sanitizer = "tsan" if "PLANBATCH_SANITIZE:STRING=thread" in cache else "asan"
    paths = [
        subprocess.check_output([match[1], f"-print-file-name={name}"], text=True).strip()
        for name in (f"lib{sanitizer}.so", "libstdc++.so")
    ]
    variables = {"LD_PRELOAD": " ".join(paths), "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
    if any(os.environ.get(name) != value for name, value in variables.items()):
        os.execve(sys.executable, sys.orig_argv, os.environ | variables)  # noqa: S606


def load_core(folder: Path) -> None:
    """Have the package use the core in a folder instead of the one that is installed."""
    (path,) = folder.glob("_core.*.so")
    spec = spec_from_file_location("planbatch._core", path)
    assert spec
    assert spec.loader
    sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[spec.name])


class Fuzz:
    """One round of fuzzing after the other; ``core`` is the one under test."""

    def __init__(self) -> None:
        import planbatch as pb
        from planbatch import _core
        from planbatch.planner.model import NEVER

        self.pb, self.core, self.never = pb, _core, NEVER
        #: What rounds and searches may be asked for, and what replays are run with.
        self.objectives = [*pb.OBJECTIVES]
        orders = [*pb.ORDERS]
        self.policies = [name for name in pb.POLICIES if name not in ("rollouts", "wdbf")]
        self.policies += [f"easy:{order}" for order in orders] + ["replanned:sjf", "relaxed:0.3", "slack:1h"]
        self.estimates = ["requested", "actual", "mixed", "predicted:last-two", "predicted:e-loss"]

    def attempt(self, number: int) -> None:
        """Do one round; say which one failed."""
        if os.environ.get("PLANBATCH_FUZZ_PROGRESS"):
            print(f"round {number}", flush=True)
        try:
            self.once(number)
        except BaseException:
            print(f"failed in round {number}", file=sys.stderr, flush=True)
            raise

    def once(self, number: int) -> None:
        """Do all that is done in one round."""
        rng = np.random.default_rng([SEED, number])
        problem = self.problem(rng)
        self.decode(problem, rng)
        self.decide(problem, rng)
        self.search(problem, rng)
        self.mutilate(problem, rng)
        if number % 4 == 0:
            self.bound(rng)
        if number % 8 == 0:
            workload = self.workload(rng)
            self.replay(workload, rng)
            self.mutilate_workload(workload, rng)

    def amounts(self, rng: np.random.Generator, count: int, limits: np.ndarray) -> np.ndarray:
        """Draw demands on all resources: often little, seldom everything."""
        share = rng.choice([0.0, 0.02, 0.2, 0.6, 1.0], (count, len(limits)), p=[0.2, 0.3, 0.3, 0.1, 0.1])
        table = np.ceil(share * rng.random((count, len(limits))) * limits).astype(np.int64)
        table[share == 1.0] = np.broadcast_to(limits, table.shape)[share == 1.0]
        table[:, 0] = np.maximum(table[:, 0], 1)
        return table

    def machine(self, rng: np.random.Generator) -> tuple[np.ndarray, tuple[Any, ...]]:
        """Draw the capacities of 0 to 3 resources besides processors."""
        limits = [int(rng.choice([1, 8, 128, 4096])), 64_000, 7, 10**12][: 1 + int(rng.integers(0, 4))]
        named = zip(("memory", "gpus", "bytes"), limits[1:], strict=False)
        return np.array(limits, dtype=np.int64), tuple(self.pb.Resource(*each) for each in named)

    def problem(self, rng: np.random.Generator) -> Any:
        """Draw a round with running jobs, and perhaps windows, promises, deadlines and an earlier plan."""
        from planbatch.planner.resources import Windows
        from planbatch.planner.round import Round, RunningTable, job_table

        n = int(rng.integers(1, 30) if rng.random() < 0.9 else rng.integers(100, 250))
        limits, resources = self.machine(rng)
        now = int(rng.choice([-5, 0, 1_000_000, 2**40]))
        occupied = self.amounts(rng, int(rng.integers(0, 20)), limits)
        occupied = occupied[(occupied.cumsum(axis=0) <= limits).all(axis=1)]
        running = RunningTable(occupied[:, 0], now + rng.integers(1, 90_000, len(occupied)), occupied[:, 1:])
        amounts = self.amounts(rng, n, limits)
        walltime = rng.choice([1, 60, 600, 3600, 86_400, 4321], n)
        submit = np.sort(now - rng.integers(0, 90_000, n))

        def some(share: float, values: np.ndarray) -> np.ndarray:
            return np.where(rng.random(n) < share, values, self.never)

        deadline = some(0.3, now + walltime + rng.integers(-9000, 300_000, n))
        latest = some(rng.choice([0.0, 0.7]), now + rng.integers(0, 200_000, n))
        user = rng.integers(0, 5, n)
        windows = None
        if count := int(rng.choice([0, 1, 4])):
            start = now + rng.integers(-20_000, 100_000, count)
            end = start + rng.choice([1, 600, 40_000], count)
            windows = Windows(start, end, self.amounts(rng, count, limits))
        return Round(
            now, int(limits[0]), running,
            job_table(submit, amounts[:, 0], walltime, deadline, latest, user, amounts[:, 1:]),
            some(rng.choice([0.0, 0.8]), now + rng.integers(0, 150_000, n)), bool(rng.random() < 0.5),
            policy_state=some(rng.choice([0.0, 0.5]), now + rng.integers(-9000, 150_000, n)),
            occupied=walltime * rng.integers(1, 4, n), resources=resources, windows=windows,
        )  # fmt: skip

    def decode(self, problem: Any, rng: np.random.Generator) -> None:
        """Decode permutations, and what is none; use the profile."""
        core, n = self.core, len(problem)
        for _ in range(3):
            start = core.decode(problem.core, rng.permutation(n))
            assert (start >= problem.now).all()
        core.feasible_promises(problem.core)
        for order in self.bad_orders(n, rng):
            try:
                core.decode(problem.core, order)
            except EXPECTED_ERRORS:
                continue
            assert sorted(np.asarray(order).ravel().tolist()) == list(range(n)), "no permutation"
        profile = core.Profile(problem.core)
        for _ in range(5):
            demand = problem.demands[rng.integers(0, n)] + rng.choice([0, 0, 0, 1, -1, 2**62])
            when, walltime = (int(rng.choice([0, 1, problem.now, problem.now + 500, 2**60, -(2**62)])) for _ in "12")
            for call in (profile.earliest, profile.fits, profile.reserve, profile.release):
                tolerant(call, demand, when, walltime)

    def bad_orders(self, n: int, rng: np.random.Generator) -> list[Any]:
        """Draw orders that are no permutations, most of them."""
        good = rng.permutation(n)
        wild = good.copy()
        wild[rng.integers(0, n)] = rng.choice([-1, n, 2**31, 2**62, -(2**63), 0])
        return [
            wild, good + 1, good[:-1], np.append(good, n), np.zeros(0, dtype=np.int64), good.astype(np.float64),
            good.astype(np.int32), good[::-1], good.reshape(1, -1), None, "abc",
        ]  # fmt: skip

    def decide(self, problem: Any, rng: np.random.Generator) -> None:
        """Have a few policies decide the round."""
        from planbatch.baselines.policy import core_form

        for name in rng.choice(self.policies, 6):
            form = core_form(self.pb.make_policy(str(name)))
            if form is None:
                continue
            try:
                start, *_ = form.core.decide(problem.core, rng)
            except ValueError:  # not for rounds of several resources, or without a history
                continue
            assert len(start) == len(problem)

    def search(self, problem: Any, rng: np.random.Generator) -> None:
        """Search the round with an objective: good and bad orders, annealing, all permutations."""
        from planbatch.planner.optimizers.annealing import Annealing

        n = len(problem)
        objective = self.pb.make_objective(str(rng.choice(self.objectives)))
        try:
            setting = Annealing.hybrid().setting if rng.random() < 0.5 else Annealing().setting
            search = objective.search(problem, setting=setting)
            if not search.try_first_plans(np.array([0, 1, 2])):
                return
        except ValueError:  # what it needs to know of the past is not there
            return
        for _ in range(3):
            order = rng.permutation(n)
            search.evaluate(order)
            search.planned_cost(order, search.trial)
        for order in self.bad_orders(n, rng):
            tolerant(search.evaluate, order)
            tolerant(search.planned_cost, order, search.start[: rng.integers(0, n + 1)])
        search.soonest_cost()
        if n <= 5:
            search.enumerate()
        for _ in range(2):
            if search.cost < np.inf:
                search.advance(int(rng.integers(0, 200)), rng)
                search.end_stage()
        assert sorted(search.order.tolist()) == list(range(n))

    def bound(self, rng: np.random.Generator) -> None:
        """Prove bounds of a round, and search it exhaustively."""
        problem = self.problem(rng)
        name = str(rng.choice(["wait", "squared-wait", "makespan", "tardiness", "area-wait", "stretch"]))
        self.pb.lower_bound(problem, name, iterations=int(rng.choice([30, 1010])))  # the latter with configurations
        problem = (
            dataclasses.replace(problem, **{"planned": None, "policy_state": None}) if rng.random() < 0.5 else problem
        )
        optimizer = self.pb.make_optimizer("exhaustive")
        optimizer.optimize(problem, self.pb.make_objective(name), self.pb.planner.Budget(evaluations=300), rng)
        core = self.core
        sizes, value, count = (self.wild(rng, int(rng.integers(0, 6))) for _ in range(3))
        tolerant(core.most_value, sizes, value, count, int(rng.choice([0, 5, 100, -1, 2**40])))

    def wild(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Draw whole numbers of all magnitudes."""
        return rng.choice(np.array([0, 1, 2, 3, 7, -1, 100, 2**31, 2**59, 2**60, 2**62, 2**63 - 1, -(2**63)]), n)

    def mutilated(self, column: Any, rng: np.random.Generator) -> Any:
        """Return a column that is not what it was: in its entries, length, shape or type."""
        array = np.array(column)
        kind = int(rng.integers(0, 8))
        if kind == 0 or array.size == 0:
            return rng.choice(np.array([0, 1, 2**62]), int(rng.integers(0, 4)))
        if kind <= 3:
            flat = array.reshape(-1)
            flat[rng.integers(0, flat.size)] = self.wild(rng, 1)[0]
            return array
        others = (
            lambda: array[:-1],
            lambda: array.astype(np.float32),
            lambda: array.reshape(-1)[::-1],
            lambda: array.T,
        )
        return others[kind - 4]()

    def mutilate(self, problem: Any, rng: np.random.Generator) -> None:
        """Make rounds with a column that is not sound; use those that are taken."""
        from planbatch.baselines.policy import core_form
        from planbatch.objectives import SQUARED_WAIT
        from planbatch.planner.optimizers.annealing import Annealing

        core, jobs, running, windows, job_history = (
            self.core,
            problem.jobs,
            problem.running,
            problem.windows,
            problem.job_history,
        )
        columns: dict[str, Any] = {
            "now": int(problem.now), "capacities": problem.capacities, "running_end": running.end,
            "running_amounts": problem.in_use, "submit": jobs.submit, "walltime": jobs.walltime,
            "deadline": jobs.deadline, "latest": jobs.latest, "user": jobs.user, "amounts": problem.demands,
            "past": jobs.past, "planned": problem.planned, "occupied": problem.occupied, "policy_state": problem.policy_state,
            "window_start": windows.start, "window_end": windows.end, "window_amounts": windows.amounts,
            "ended_early": bool(problem.ended_early), "history_rows": job_history.rows, "history_past": job_history.past,
            "history_running": job_history.running,
        }  # fmt: skip
        names = [name for name in columns if name not in ("now", "ended_early")]
        for name in rng.choice(names, 6):
            built = tolerant(core.Round, **columns | {str(name): self.mutilated(columns[name], rng)})
            if built is None:
                continue
            tolerant(core.decode, built, rng.permutation(len(built)))
            tolerant(core.feasible_promises, built)
            form = core_form(self.pb.make_policy(str(rng.choice(self.policies))))
            if form is not None:
                tolerant(form.core.decide, built, rng)
            search = tolerant(core.OrderSearch, built, SQUARED_WAIT.core, None, Annealing().setting)
            if search is not None:
                tolerant(search.try_first_plans, np.array([0, 1, 2]))
                tolerant(search.advance, 60, rng)

    def workload(self, rng: np.random.Generator) -> Any:
        """Draw a short workload: more than the machine can do at once, with windows, deadlines and several users."""
        n = int(rng.integers(1, 60))
        limits, resources = self.machine(rng)
        amounts = self.amounts(rng, n, limits)
        walltime = rng.choice([1, 60, 600, 3600, 86_400], n)
        submit = np.sort(rng.integers(0, 50_000, n))
        deadline = np.where(rng.random(n) < 0.3, submit + walltime + rng.integers(1, 300_000, n), self.never)
        windows = []
        for _ in range(int(rng.choice([0, 0, 2]))):
            start = int(rng.integers(0, 60_000))
            window_amounts = {"processors": int(rng.integers(1, limits[0] + 1))}
            announced = None if rng.random() < 0.5 else start - int(rng.integers(0, 9000))
            windows.append(self.pb.Window(start, start + int(rng.integers(1, 9000)), window_amounts, announced))
        return self.pb.Workload(
            "fuzz", int(limits[0]), np.arange(1, n + 1), submit, amounts[:, 0], walltime,
            np.maximum(1, (walltime * rng.random(n)).astype(np.int64)), deadline, rng.integers(1, 6, n),
            resources=resources, demands=amounts[:, 1:], windows=tuple(windows),
        )  # fmt: skip

    def replay(self, workload: Any, rng: np.random.Generator) -> None:
        """Replay a workload under some policies; their schedules are sound."""
        for name in rng.choice([*self.policies, "easy:multifactor", "plan-expected-slowdown", "easy:expected-area"], 3):
            estimates = str(rng.choice(self.estimates))
            try:
                trace = self.pb.replay(workload, str(name), estimates=estimates)
            except ValueError as error:  # what policies and estimates refuse; not a bad schedule
                if isinstance(error, self.pb.ReplayError):
                    raise
                continue
            faults = self.pb.check_trace(trace)
            if estimates not in ("requested", "actual"):  # who is wrong about ends breaks promises and meets windows
                faults = [fault for fault in faults if not re.search("promise|window", fault)]
            assert not faults, (name, estimates, faults)

    def mutilate_workload(self, workload: Any, rng: np.random.Generator) -> None:
        """Begin simulations with a column that is not sound; run those that are taken."""
        from planbatch.experiments.replay.simulation import _columns

        core = self.core
        columns = _columns(workload, "requested", None, np.zeros(len(workload), dtype=np.int64))
        for name in rng.choice([*columns], 6):
            changed = columns | {str(name): self.mutilated(columns[name], rng)}
            built = tolerant(core.Simulation, changed, None, False, 1, 0, 0, False)
            if built is not None:
                tolerant(built.run, core.Easy(core.F1()), rng, 1.0, 500)
                tolerant(built.commit, np.zeros(int(rng.integers(0, 3)), dtype=np.int64), None, 0, 0.0, 0.0)
                tolerant(built.round)
                built.log()


def tolerant(call: Any, *arguments: Any, **named: Any) -> Any:
    """Return what a call returns; None if it refuses what it is given."""
    try:
        return call(*arguments, **named)
    except EXPECTED_ERRORS:
        return None


def main() -> None:
    """Fuzz for so long, or so many rounds."""
    parser = argparse.ArgumentParser(prog="python -m tests.core.fuzz", description=__doc__)
    parser.add_argument("--core", type=Path, help="the folder of a build with sanitizers")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first round")
    parser.add_argument("--rounds", type=int, default=10**9)
    parser.add_argument("--threads", type=int, default=1, help="so many rounds at the same time")
    options = parser.parse_args()
    if options.core:
        preload(options.core)
        load_core(options.core)
    fuzz = Fuzz()
    print(f"fuzzing {fuzz.core.__file__}", flush=True)
    began, number = time.monotonic(), options.first
    with ThreadPoolExecutor(options.threads) as pool:
        while number < options.first + options.rounds and time.monotonic() < began + options.seconds:
            list(pool.map(fuzz.attempt, range(number, number + options.threads)))
            number += options.threads
    print(f"{number - options.first} rounds from {options.first} on: nothing found")


if __name__ == "__main__":
    main()
