"""Measure this code base against another commit of it: ``python -m benchmarks.against_commit COMMIT``.

Both run the same snippets through the public API, in turns, each in processes of its own. The least processor time
counts. Decoding is measured in the kernels, as a search does it, and by calls of ``planbatch.decode``, with the checks
that a user pays for. Whole processes begin without the caches of the one before.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOGS = ("KTH-SP2-1996-2.1-cln", "SDSC-BLUE-2000-4.2-cln")
PLAN = "plan-squared-wait:optimizer=annealing"  # the search that both have
RANDOM_DEMANDS = """
rng = np.random.default_rng(1)
used = 2 ** rng.integers(0, 6, 40)
used = used[np.cumsum(used) <= 1152]
running = list(zip(used.tolist(), (1 + rng.integers(0, 86_400, len(used))).tolist()))
walltimes = rng.choice([600, 1800, 3600, 7200, 14_400, 43_200, 86_400], {n})
sizes, submit = 2 ** rng.integers(0, 9, {n}), np.sort(-rng.integers(0, 86_400, {n}))
jobs = list(zip(submit.tolist(), sizes.tolist(), walltimes.tolist()))
further = tuple(pb.Resource(f"r{{k}}", 1000) for k in range({further}))
demands = rng.integers(0, 400, ({n}, {further})).tolist()
in_use = np.zeros((len(running), {further}), dtype=np.int64).tolist()
problem = pb.Round.of(1152, 0, running, jobs, resources=further, demands=demands, in_use=in_use)
orders = np.array([rng.permutation({n}) for _ in range(16)])
"""
# The kernels of both: compiled by numba until 5ca6acf, in the core since. Both decode the orders in turns: a processor
# learns the jumps of an order that is decoded again and again.
DECODE = """
try:
    from planbatch.planner.kernels.decode import classify, decode_into
    from planbatch.planner.kernels.native import kernel
    arrays, classes, start = problem.arrays, classify(problem.arrays), np.empty({n}, np.int64)
    @kernel
    def decode_in_turns(arrays, classes, orders, start, times):
        for t in range(times):
            decode_into(arrays, classes, orders[t % len(orders)], start)
    def decode(times):
        decode_in_turns(arrays, classes, orders, start, times)
except ImportError:
    from planbatch import _core
    def decode(times):
        _core.decode_repeatedly(problem.core, orders, times)
decode(16)
"""
# Every job demands of each further resource about as large a share as of the processors.
RESOURCES = """
import dataclasses
rng = np.random.default_rng(1)
share = np.minimum(w.procs[:, None] / w.capacity * rng.uniform(0.2, 1.6, (len(w), {further})), 1.0)
further = tuple(pb.Resource(f"r{{k}}", 1000) for k in range({further}))
w = dataclasses.replace(w, resources=further, demands=(1000 * share).astype(np.int64))
"""
OWN_POLICY = """
def policy(problem, rng):
    return pb.decode(problem, np.arange(len(problem)))
"""
SEARCH = """
from planbatch.planner.budget import Budget
pb.make_optimizer("annealing").optimize(
    problem, pb.make_objective("squared-wait"), Budget(evaluations={evaluations}), np.random.default_rng(0)
)
"""
FIRST = """
n = 200
rng = np.random.default_rng(1)
submit, walltime = np.sort(rng.integers(0, 86_400, n)), rng.integers(600, 86_400, n)
w = pb.Workload("drawn", 64, np.arange(n), submit, rng.integers(1, 33, n), walltime, walltime // 2)
pb.replay(w, "easy"), pb.replay(w, "plan-squared-wait")
"""
TIMER = """
import json, sys, time
snippet = json.loads(sys.argv[1])
import numpy as np, pandas
began = time.process_time()
import planbatch as pb
known = {"__name__": __name__, "np": np, "pb": pb}
exec(snippet["setup"], known)
code, best = compile(snippet["run"], "snippet", "exec"), float("inf")
for repeat in range(snippet["repeats"]):
    began = began if snippet["whole"] else time.process_time()
    exec(code, known)
    best = min(best, time.process_time() - began)
    if best > (2.0 if repeat else 60.0):  # the first may load kernels, or compile them
        break
print(best)
"""


class Case(NamedTuple):
    """A measurement: what is set up, what is timed, or the whole process with its import, pandas' apart."""

    name: str
    setup: str
    run: str
    whole: bool = False
    required: str = ""  # as often as fast, or within so many seconds; and the stretch


def cases(quick: bool) -> list[Case]:
    """Return all measurements; quick ones are of fewer jobs."""
    cases = [Case("import, EASY and plan, first use", "", FIRST, True, "0.5 s, 0.3 s")]
    policies = {"easy": "4, 7", PLAN: "2.4, 4", "conservative": "1.8, 5", "replanned": "1.8, 5", "dbf": "1.8, 5"}
    folder = Path(os.environ.get("PLANBATCH_WORKLOADS", ROOT.parent / "shared" / "workloads"))
    for log in LOGS:
        path = folder / f"{log}.swf.gz"
        if not path.is_file():
            print(f"skipped: there is no {path.name} in PLANBATCH_WORKLOADS", file=sys.stderr)
            continue
        short = log.rsplit("-", 3)[0]
        load = f"w = pb.load_workload({str(path)!r})\n"
        load += "w = w.take(np.arange(len(w)) < 2000)\n" if quick else ""
        for policy, required in policies.items():
            due = 'w = pb.with_deadlines(w, "random:40:24h:2")\n' if policy == "dbf" else ""
            cases.append(Case(f"{short}, {policy}", load + due, f"pb.replay(w, {policy!r})", False, required))
        if log == LOGS[0]:
            cases.append(Case(f"{short}, a policy in Python", load + OWN_POLICY, "pb.replay(w, policy)"))
            for further in (1, 2):
                demanding = load + RESOURCES.format(further=further)
                for policy, required in {"easy": "4, 8", PLAN: "2, 4", "conservative": "1.3, 3"}.items():
                    cases.append(
                        Case(
                            f"{short}, {1 + further} resources, {policy}",
                            demanding,
                            f"pb.replay(w, {policy!r})",
                            False,
                            required,
                        )
                    )
    decoded = {
        (20, 0): "3, 4",
        (50, 0): "2.5, 4",
        (300, 0): "1.1, 2",
        (1000, 0): "1.2, 2",
        (10_000, 0): "1.2, 2",
        (300, 1): "1, 2",
        (300, 2): "1, 2",
    }
    for (n, further), required in decoded.items():
        setup = RANDOM_DEMANDS.format(n=n, further=further) + DECODE.format(n=n)
        name = f"decode {n:,} jobs, {1 + further} resources"
        run = f"decode({max(400_000 // n // 16, 1) * 16})"
        cases.append(Case(name, setup, run, False, required))
        if n == 20:
            run = "for order in orders: pb.decode(problem, order)"
            cases.append(Case(f"{name}, by Python", setup, run, False, ""))
    for n, evaluations, required in [(50, 20_000, "3.3, 6"), (300, 5000, "2.9, 5")]:
        search = SEARCH.format(evaluations=evaluations // (4 if quick else 1))
        cases.append(Case(f"annealing, {n} jobs", RANDOM_DEMANDS.format(n=n, further=0), search, False, required))
    # Long queues: with load 12 thousands of jobs wait, and only what keeps its reservations ends within minutes.
    for jobs, capacity, load, required in [
        (60_000, 8192, 1.1, {"easy": "", "conservative": "1.8, 5", "replanned": "1.8, 5", "dbf": "1.8, 5"}),
        (60_000, 8192, 12.0, {"easy": "", "conservative": "1.8, 5"}),
        (1_300_000, 158_976, 0.8, {"easy": "0.6 s, 0.4 s"}),
        (1_300_000, 158_976, 1.0, {"easy": "8 s, 4 s"}),
    ]:
        count = jobs // 30 if quick else jobs
        setup = f"w = pb.synthetic_workload(jobs={count}, capacity={capacity}, seed=1, load={load})\n"
        for policy, requirement in required.items():
            due = 'w = pb.with_deadlines(w, "random:40:24h:2")' if policy == "dbf" else ""
            cases.append(
                Case(
                    f"{count:,} jobs, load {load}, {policy}",
                    setup + due,
                    f"pb.replay(w, {policy!r})",
                    False,
                    requirement,
                )
            )
    return cases


def seconds(python: Path, case: Case) -> float:
    """Return the least processor time of a case under an interpreter."""
    snippet = json.dumps(case._asdict() | {"repeats": 1 if case.whole else 3})
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as empty:
        if case.whole:
            environment["PLANBATCH_CACHE_DIR"] = empty
        done = subprocess.run(
            [str(python), "-P", "-c", TIMER, snippet],
            check=False, cwd=empty, env=environment, capture_output=True, text=True,
        )  # fmt: skip
    if done.returncode:
        print(f"{case.name}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return float("nan")
    return float(done.stdout.split()[-1])


def checkout(commit: str) -> Path:
    """Return the interpreter of a checkout of a commit with its own requirements; it is made once."""
    name = subprocess.check_output(["git", "rev-parse", f"{commit}^{{commit}}"], cwd=ROOT, text=True).strip()
    folder = ROOT / "build" / "reference" / name
    python = folder / ".venv" / "bin" / "python"
    if not (folder / ".ready").exists():
        folder.mkdir(parents=True, exist_ok=True)
        tree = subprocess.check_output(["git", "archive", name], cwd=ROOT)
        subprocess.run(["tar", "-x", "-C", str(folder)], input=tree, check=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder / ".venv")], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
        subprocess.run([*pip, "--require-hashes", "-r", "requirements.lock"], cwd=folder, check=True)
        subprocess.run(
            [*pip, "--no-deps", "--no-build-isolation", "-e", "."],
            cwd=folder,
            check=True,
            env=os.environ | {"PATH": path},
        )
        (folder / ".ready").touch()
    return python


def two_threads() -> float:
    """Return how many times as fast two threads make eight equal replays as one does, by the clock."""
    import planbatch as pb

    workload = pb.synthetic_workload(jobs=3000, capacity=256)
    best = dict.fromkeys((1, 2), float("inf"))
    for _ in range(5):
        for threads in best:
            began = time.monotonic()
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(lambda _: pb.replay(workload, "plan-squared-wait"), range(8)))
            best[threads] = min(best[threads], time.monotonic() - began)
    return best[1] / best[2]


def wall_clock() -> None:
    """Print what the clock says: of the replays of ``make run``, of two threads, and of building the core."""
    programs = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        command = [str(programs / "planbatch"), "compare", "--out", f"{folder}/out"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            assert process.stdout
            rows = [time.monotonic() - began for line in process.stdout if " of 8: " in line]
        print(f"make run: first {rows[0]:.1f} s, last {rows[-1]:.1f} s (1 / 5 s, 0.5 / 3 s)")
        print(f"two threads: {two_threads():.2f} times as fast as one (1.8)")
        core = f"-DPython_EXECUTABLE={sys.executable}"
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        began = time.monotonic()
        for step in (
            ["cmake", "-S", str(ROOT / "core"), "-B", folder, "-G", "Ninja", core],
            ["cmake", "--build", folder],
        ):
            subprocess.run(step, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"PATH": path})
        print(f"building the core: {time.monotonic() - began:.0f} s (120 s, 60 s)")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against_commit", description=__doc__)
    parser.add_argument("commit", nargs="?", help="what to measure against")
    parser.add_argument("--python", type=Path, help="an interpreter of the commit that is there already")
    parser.add_argument("--quick", action="store_true", help="fewer jobs and passes")
    parser.add_argument("--only", default="*", help="cases whose name matches, such as '*conservative'")
    parser.add_argument("--clock", action="store_true", help="make run, threads and the build instead")
    options = parser.parse_args()
    if options.clock:
        return wall_clock()
    if not (options.python or options.commit):
        parser.error("a commit, or --python")
    reference = options.python or checkout(options.commit)
    print("| | then (s) | now (s) | times as fast | required, stretch |\n|---|---:|---:|---:|---|", flush=True)
    for case in cases(options.quick):
        if not fnmatch(case.name, options.only):
            continue
        best: dict[Path, float] = {}
        for turn in range(3):
            if turn and max(best.values()) > (10 if turn == 1 else 2):
                break
            for python in (reference, Path(sys.executable)):
                elapsed = seconds(python, case)
                best[python] = min(best.get(python, elapsed), elapsed)
        then, now = best[reference], best[Path(sys.executable)]
        print(f"| {case.name} | {then:.4f} | {now:.4f} | {then / now:.2f} | {case.required} |", flush=True)
    return None


if __name__ == "__main__":
    main()
