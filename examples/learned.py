"""A policy that is learned: a linear rule for the next job, trained by evolution in about a minute.

    python examples/learned.py [LOG]

trains on the first half of the log, writes the weights to learned.json, and compares the rule with EASY and with plans
on the second half, which it has not seen. Afterwards it is a policy by name, with the weights in the working directory:

    planbatch compare LOG --policy easy --policy examples/learned.py:Learned
"""

import json
import sys
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

import numpy as np

import planbatch as pb
from planbatch.baselines import StepwisePolicy

SHOWN = 16


def features(jobs):
    """What the rule sees of each job: size, walltime, wait, time to its start, and products; all about 0 … 1."""
    size, walltime, wait, delay = jobs[:, 1], jobs[:, 3], jobs[:, 4], jobs[:, 5]
    now = (delay == 0).astype(np.float64)
    place = np.linspace(0.0, 1.0, len(jobs))
    return np.column_stack(
        [place, size, walltime, wait, delay, now, size * walltime, now * walltime]
    )


@dataclass(frozen=True)
class Rule:
    """The job with the largest weighted sum of features is placed next."""

    weights: tuple[float, ...]

    def __call__(self, decision, rng):  # noqa: ARG002, D102
        score = features(decision.jobs) @ np.array(self.weights)
        return int(np.where(decision.mask[:-1] > 0, score, -np.inf).argmax())


class Learned(StepwisePolicy):
    """The trained rule, as a policy by name: examples/learned.py:Learned, or :Learned:weights=FILE."""

    def __init__(self, weights="learned.json"):
        given = (
            json.loads(Path(weights).read_text(encoding="utf-8"))
            if isinstance(weights, str)
            else weights
        )
        super().__init__(Rule(tuple(map(float, given))), SHOWN, name="learned")


def cost(task):
    """Mean wait of the rule on some jobs, plus a hundredth of the longest, in hours."""
    weights, workload = task
    trace = pb.replay(workload, Learned(weights))
    wait = (trace.start - workload.submit) / 3600
    return float(wait.mean() + wait.max() / 100)


def train(workload, generations=12, children=16, episode=600, seed=0, processes=2):
    """Evolve the weights: children are drawn around a mean, and the better half of them makes the next one."""
    rng = np.random.default_rng(seed)
    mean, spread = np.zeros(8), np.full(8, 1.0)
    mean[0] = -1.0  # FCFS to begin with
    with Pool(processes) as pool:
        for generation in range(generations):
            first = int(rng.integers(max(len(workload) - episode, 1)))
            part = workload.take(slice(first, first + episode))
            drawn = mean + spread * rng.standard_normal((children, len(mean)))
            costs = pool.map(cost, [(weights, part) for weights in [mean, *drawn]])
            better = drawn[np.argsort(costs[1:])[: children // 2]]
            mean, spread = better.mean(axis=0), 0.5 * spread + 0.5 * better.std(axis=0)
            print(f"generation {generation + 1}: {costs[0]:.2f} → {min(costs):.2f}", flush=True)
    return mean


def main(source=None, jobs=None, **options):
    """Train on the first half, and compare on the second."""
    workload = pb.load_workload(source) if source else pb.default_workload()
    workload = workload.take(slice(0, jobs))
    half = len(workload) // 2
    weights = train(workload.take(slice(0, half)), **options)
    Path("learned.json").write_text(json.dumps(weights.tolist()), encoding="utf-8")
    unseen = workload.take(slice(half, None))
    policies = ["easy", "easy-sjf", "plan-wait", "plan-squared-wait", Learned(weights)]
    found = pb.compare(unseen, policies).to_frame()
    print(found[["mean_wait", "max_wait", "mean_bounded_slowdown"]].round(1).to_string())
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
