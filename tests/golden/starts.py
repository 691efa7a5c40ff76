"""Digests of small cases: what replays, searches, bounds and decodings come to, to the second and to the last bit.

A case is a text, such as ``replay easy:fcfs/sjf busy-1``; ``starts.json`` has what each of them came to. With
``python -m tests.golden.starts`` all are run and the file is written again, with ``python -m tests.golden.starts
'solve tabu*'`` those that match a pattern; ``--show`` only prints. Whoever writes it again says why results may change.
"""

import argparse
import json
import math
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay
from planbatch.objectives.catalogue import make_objective
from planbatch.planner.bounds import lower_bound
from planbatch.planner.decoder import decode
from planbatch.planner.optimizer import Result
from planbatch.planner.optimizers.first_plan import first_plan
from planbatch.planner.profile import Profile
from planbatch.planner.solve import solve
from tests.golden.cases import CASES
from tests.golden.made import made_round, made_workload

FILE = Path(__file__).with_name("starts.json")
#: What a case came to, by name: digests, counts, and numbers as hexadecimal floats.
Outcome = dict[str, str | int]

workload_of = cache(made_workload)
round_of = cache(made_round)


def digest(*columns: Any) -> str:
    """Return the SHA-256 of columns of whole numbers, as int64, the least byte first."""
    result = sha256()
    for column in columns:
        result.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
    return result.hexdigest()


def replayed(policy: str, workload: str, estimates: str = "requested", seed: str = "1") -> Outcome:
    """Replay a workload; ``log`` has the rounds, the promises, and what was planned and predicted for each job."""
    trace = replay(workload_of(workload), make_policy(policy), estimates=estimates, seed=int(seed))
    log = trace.rounds
    counts = log.time, log.waiting, log.running, log.started, log.evaluations
    costs = np.concatenate([log.seed_cost, log.cost])
    return {
        "starts": digest(trace.start),
        "log": digest(*counts, trace.promise, trace.first_planned, trace.predicted),
        "rounds": len(log),
        "waiting": int(log.waiting.max()),
        "evaluations": int(log.evaluations.sum()),
        "cost": math.fsum(costs[~np.isnan(costs)]).hex(),
    }


def decided(policy: str, problem: str, seed: str = "1") -> Outcome:
    result = make_policy(policy)(round_of(problem), np.random.default_rng(int(seed)))
    if isinstance(result, Result):
        return {"starts": digest(result.plan.start), "evaluations": result.evaluations, "cost": result.cost.hex()}
    return {"starts": digest(result.start)}


def solved(optimizer: str, objective: str, evaluations: str, problem: str, seed: str = "1") -> Outcome:
    """Search for a plan of a round, and bound it."""
    goal = make_objective(objective)
    result = solve(round_of(problem), goal, optimizer, evaluations=int(evaluations), seed=int(seed), iterations=20)
    return {
        "starts": digest(result.plan.start),
        "order": digest(result.permutation),
        "evaluations": result.evaluations,
        "cost": result.cost.hex(),
        "first": result.seed_cost.hex(),
        "bound": result.lower_bound.hex(),
        "status": str(result.status),
    }


def proven(optimizer: str, objective: str, evaluations: str, problem: str) -> Outcome:
    """Solve a round to the optimum, which many plans may have: what the best one costs."""
    result = solve(round_of(problem), objective, optimizer, evaluations=int(evaluations))
    return {"cost": result.cost.hex(), "bound": result.lower_bound.hex(), "status": str(result.status)}


def bounded(objective: str, iterations: str, problem: str) -> Outcome:
    return {"bound": lower_bound(round_of(problem), objective, iterations=int(iterations)).hex()}


def decoded(count: str, problem: str) -> Outcome:
    rng = np.random.default_rng(int(count))
    result = round_of(problem)
    plans = [decode(result, rng.permutation(len(result))).start for _ in range(int(count))]
    return {"starts": digest(*plans)}


def planned_first(objective: str, problem: str) -> Outcome:
    """Take the best of the first plans."""
    result = first_plan(round_of(problem), make_objective(objective))
    return {"starts": digest(result.start), "order": digest(result.order), "cost": float(result.cost).hex()}


def reserved(count: str, problem: str) -> Outcome:
    """Reserve and release in the profile of a round, as drawn, so many times."""
    rng = np.random.default_rng(int(count))
    result = round_of(problem)
    profile, starts, reservations = Profile(result), [], []
    for _ in range(int(count)):
        demand = result.demands[rng.integers(len(result))]
        walltime, after = int(rng.integers(1, 20_000)), result.now + int(rng.integers(0, 50_000))
        start = profile.earliest(demand, walltime, after if rng.random() < 0.5 else None)
        profile.reserve(demand, start, walltime)
        starts.append(start)
        reservations.append((demand, start, walltime))
        if rng.random() < 0.4:
            profile.release(*reservations.pop(int(rng.integers(len(reservations)))))
    return {"starts": digest(starts), "profile": digest(profile.times, profile.free)}


KINDS: dict[str, Callable[..., Outcome]] = {
    "replay": replayed,
    "decide": decided,
    "solve": solved,
    "prove": proven,
    "bound": bounded,
    "decode": decoded,
    "first-plan": planned_first,
    "profile": reserved,
}
"""The first word of a case → what is done with the others."""


def outcome(case: str) -> Outcome:
    kind, *words = case.split()
    return KINDS[kind](*words)


def stored_outcomes() -> dict[str, Outcome]:
    """Return what each case came to, by the file."""
    result: dict[str, Outcome] = json.loads(FILE.read_text())
    return result


def write(outcomes: dict[str, Outcome]) -> None:
    """Write the file, in the order of the cases and a line for each."""
    lines = [f"{json.dumps(c)}: {json.dumps(outcomes[c])}" for c in CASES if c in outcomes]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main(words: Sequence[str] | None = None) -> None:
    """Run cases, and write or show what they come to."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.starts", description=__doc__)
    parser.add_argument("patterns", nargs="*", default=["*"], help="of the cases to run; all by default")
    parser.add_argument("--show", action="store_true", help="print what they come to, and write nothing")
    options = parser.parse_args(words)
    outcomes = stored_outcomes() if FILE.exists() else {}
    for case in CASES:
        if any(fnmatchcase(case, pattern) for pattern in options.patterns):
            result = outcome(case)
            if options.show or outcomes.get(case) != result:
                print(f"{case}: {result}", flush=True)
            outcomes[case] = result
            if not options.show:
                write(outcomes)


if __name__ == "__main__":
    main()
