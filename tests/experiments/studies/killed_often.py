"""Runs an experiment in child processes that are killed at random moments; started by test_kill.py as a program.

Its arguments are the experiment's file, the folder of the results, a seed, and how many kills are to be survived. One
child after the other goes on where the last one stopped; when the experiment is finished, it is begun anew.
"""

import os
import shutil
import signal
import sys
import time
from pathlib import Path

import numpy as np

from planbatch.experiments import read_experiment, run_experiment
from planbatch.experiments.runs.store import Store


def child(file: Path, out: Path) -> int:
    """Run the experiment in a child of this process; return its number."""
    number = os.fork()
    if number == 0:
        report = run_experiment(read_experiment(file), out)
        os._exit(int(report.missing > 0))
    return number


def whole_cells(out: Path) -> set[str]:
    """Load whatever stands at the place of a cell or of a span: each must be whole."""
    keys = set()
    for part, folder in ((False, "cells"), (True, "spans")):
        for path in out.glob(f"{folder}/[!.]*"):
            assert Store(out).load(path.name, part=part) is not None
            keys.add(path.name)
    return keys


def main() -> None:
    """Kill until it was often enough; print how often, and how many runs came to their end."""
    file, out, seed, kills = Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])
    rng = np.random.default_rng(seed)
    began = time.monotonic()
    os.waitpid(child(file, out), 0)
    longest = time.monotonic() - began
    shutil.rmtree(out)
    killed = completed = 0
    finished = False
    before: set[str] = set()
    while killed < kills or not finished:
        number = child(file, out)
        if killed < kills:
            time.sleep(rng.uniform(0, 0.7 * longest))
            os.kill(number, signal.SIGKILL)
        _, status = os.waitpid(number, 0)
        now = whole_cells(out)
        assert before <= now, "finished cells were lost"
        before = now
        finished = not os.WIFSIGNALED(status)
        if not finished:
            killed += 1
            continue
        assert os.WEXITSTATUS(status) == 0
        completed += 1
        if killed < kills:
            shutil.rmtree(out)
            before = set()
    print(killed, completed)


if __name__ == "__main__":
    main()
