"""Measure this code base against another commit of it: ``python -m benchmarks.against_commit COMMIT``.

Both run the same snippets through the public API, in turns, each in processes of its own; the first pass warms up what
is compiled on the way. The least processor time counts. Decoding is measured by calls of ``planbatch.decode``, with all
the checks that a user pays for; what a search evaluates without them shows under annealing.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOGS = ("KTH-SP2-1996-2.1-cln", "SDSC-BLUE-2000-4.2-cln")
POLICIES = ("easy", "plan-squared-wait", "conservative", "replanned")
DRAWN = """
rng = np.random.default_rng(1)
sizes, walltimes = 2 ** rng.integers(0, 8, {n}), rng.choice([600, 3600, 14400, 86400], {n})
jobs = list(zip([0] * {n}, sizes.tolist(), walltimes.tolist()))
further = tuple(pb.Resource(f"r{{k}}", 1000) for k in range({further}))
demands = rng.integers(0, 400, ({n}, {further})).tolist()
problem = pb.Round.of(1152, 0, [(500, 3000)], jobs, resources=further, demands=demands, in_use=[[0] * {further}])
"""
FIRST = """
w = pb.synthetic_workload(jobs=200, capacity=64)
pb.replay(w, "easy"), pb.replay(w, "plan-squared-wait")
"""
TIMED = """
import json, sys, time
snippet = json.loads(sys.argv[1])
import numpy as np, planbatch as pb
known = {"np": np, "pb": pb}
exec(snippet["setup"], known)
code, best = compile(snippet["run"], "snippet", "exec"), float("inf")
for repeat in range(snippet["repeats"]):
    began = 0.0 if snippet["whole"] else time.process_time()
    exec(code, known)
    best = min(best, time.process_time() - began)
print(best)
"""


class Case(NamedTuple):
    """A measurement: what is set up, what is timed, or the whole process, with all imports."""

    name: str
    setup: str
    run: str
    whole: bool = False


def cases(quick: bool) -> list[Case]:
    """Return all measurements; quick ones are of fewer jobs."""
    found = [Case("import, EASY and plan, first use", "", FIRST, whole=True)]
    folder = Path(os.environ.get("PLANBATCH_WORKLOADS", ROOT.parent / "shared" / "workloads"))
    for log in LOGS:
        path = folder / f"{log}.swf.gz"
        if not path.is_file():
            print(f"skipped: there is no {path.name} in PLANBATCH_WORKLOADS", file=sys.stderr)
            continue
        load = f"w = pb.load_workload({str(path)!r})\n"
        load += "w = w.take(np.arange(len(w)) < 2000)\n" if quick else ""
        short = log.rsplit("-", 3)[0]
        found += [Case(f"{short}, {name}", load, f"pb.replay(w, {name!r})") for name in POLICIES]
        due = f'{load}w = pb.with_deadlines(w, "random:40:24h:2")'
        found.append(Case(f"{short}, dbf", due, 'pb.replay(w, "dbf")'))
    for n, further in [(20, 0), (50, 0), (300, 0), (1000, 0), (10_000, 0), (300, 1), (300, 2)]:
        setup = (
            DRAWN.format(n=n, further=further)
            + f"orders = [rng.permutation({n}) for _ in range(max(2, 20_000 // {n}))]"
        )
        run = "for order in orders: pb.decode(problem, order)"
        found.append(Case(f"decode {n:,} jobs, {1 + further} resources", setup, run))
    for n, evaluations in [(50, 20_000), (300, 5000)]:
        search = (
            'pb.make_optimizer("annealing").optimize(problem, pb.make_objective("squared-wait"), '
        )
        search += f"pb.Budget(evaluations={evaluations // (4 if quick else 1)}), np.random.default_rng(0))"
        found.append(Case(f"annealing, {n} jobs", DRAWN.format(n=n, further=0), search))
    for jobs, capacity, load in [(60_000, 8192, 1.1), (1_300_000, 158_976, 0.8)]:
        count = jobs // 30 if quick else jobs
        setup = f"w = pb.synthetic_workload(jobs={count}, capacity={capacity}, seed=1, load={load})"
        found.append(
            Case(f"{count:,} jobs, {capacity:,} processors, EASY", setup, 'pb.replay(w, "easy")')
        )
    return found


def seconds(python: Path, case: Case, repeats: int) -> float:
    """Return the least processor time of a case under an interpreter."""
    snippet = json.dumps(case._asdict() | {"repeats": 1 if case.whole else repeats})
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            [str(python), "-P", "-c", TIMED, snippet],
            cwd=empty, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        print(f"{case.name}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return float("nan")
    return float(done.stdout.split()[-1])


def checkout(commit: str) -> Path:
    """Return the interpreter of a checkout of a commit with its own requirements; it is made once."""
    name = subprocess.check_output(
        ["git", "rev-parse", f"{commit}^{{commit}}"], cwd=ROOT, text=True
    ).strip()
    folder = ROOT / "build" / "reference" / name
    python = folder / ".venv" / "bin" / "python"
    if not (folder / ".ready").exists():
        folder.mkdir(parents=True, exist_ok=True)
        tree = subprocess.check_output(["git", "archive", name], cwd=ROOT)
        subprocess.run(["tar", "-x", "-C", str(folder)], input=tree, check=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder / ".venv")], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(
            [*pip, "--require-hashes", "-r", "requirements.lock"], cwd=folder, check=True
        )
        subprocess.run(
            [*pip, "--no-deps", "--no-build-isolation", "-e", "."],
            cwd=folder,
            check=True,
            env=os.environ | {"PATH": path},
        )
        (folder / ".ready").touch()
    return python


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.against_commit", description=__doc__
    )
    parser.add_argument("commit", nargs="?", help="what to measure against")
    parser.add_argument(
        "--python", type=Path, help="an interpreter of the commit that is there already"
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer jobs and passes: about two minutes"
    )
    given = parser.parse_args()
    if not (given.python or given.commit):
        parser.error("a commit, or --python")
    reference = given.python or checkout(given.commit)
    print("| | then (s) | now (s) | times as fast |\n|---|---:|---:|---:|", flush=True)
    for case in cases(given.quick):
        best = {}
        for turn in range(2 if given.quick else 4):
            for python in (reference, Path(sys.executable)):
                taken = seconds(python, case, 2)
                if turn or not case.whole:  # the first pass of whole processes fills caches
                    best[python] = min(best.get(python, taken), taken)
        then, now = best[reference], best[Path(sys.executable)]
        print(f"| {case.name} | {then:.4f} | {now:.4f} | {then / now:.2f} |", flush=True)


if __name__ == "__main__":
    main()
