"""Compiled objectives with a parameter: two of them are never mixed up, whichever run compiled them."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

#: Costs of waits of 2 s by first-class functions, as searches call them.
SCRIPT = """
import sys
import numpy as np
from numba import njit, types
from planbatch.objectives import MAKESPAN, WAIT
from planbatch.objectives.combine import lexicographic, weighted_sum
from planbatch.objectives.wait import powered_wait
from planbatch.planner.round import Round
from planbatch.planner.kernels.signatures import COST, INT64_ARRAY, JOB_TABLE

@njit(types.float64(COST, INT64_ARRAY, JOB_TABLE, types.int64))
def call(cost, start, jobs, now):
    return cost(start, jobs, now)

arrays = Round.of(1, 0, [], [(0, 1, 1)]).arrays
for word in sys.argv[1:]:
    x = float(word)
    for objective in (powered_wait(x), weighted_sum((x, WAIT), (x, MAKESPAN)), lexicographic(WAIT, WAIT, x)):
        objective.cost.compile(COST.signature.args)
    print(*(call(objective.cost, np.array([2]), arrays.jobs, 0) for objective in (
        powered_wait(x), weighted_sum((x, WAIT), (x, MAKESPAN)), lexicographic(WAIT, WAIT, x)
    )))
"""


def test_objectives_of_other_runs_are_not_mixed_up(tmp_path):
    """One run compiles one of each kind, another run another, a third uses both, in turn."""

    def run(*words: str) -> list[str]:
        paths = {"PYTHONPATH": str(ROOT), "PLANBATCH_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", SCRIPT, *words]
        told = subprocess.run(
            command, env=os.environ | paths, check=True, capture_output=True, text=True
        )
        return told.stdout.splitlines()

    one, other = run("1"), run("2")
    assert [line.split()[:2] for line in one + other] == [["2.0", "5.0"], ["4.0", "10.0"]]
    assert run("1", "2", "1", "2") == (one + other) * 2
