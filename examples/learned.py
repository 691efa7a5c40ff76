"""A policy that is learned: a linear rule for the next job, trained by evolution in about a minute.

    python examples/learned.py [LOG] [--seeds K]

trains on the first half of the log, writes the weights to learned.json, and compares the rule with EASY and with plans
on the second half, which it has not seen; with --seeds K, trained K times, as means and ranges (the weights are the
first seed's). Afterwards it is a policy by name, with the weights in the working directory:

    planbatch compare LOG --policy easy --policy examples/learned.py:Learned
"""

import argparse
import json
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import pandas as pd

import planbatch as pb
from planbatch.baselines import StepwisePolicy

VISIBLE = 16


def features(jobs):
    """What the rule sees of each job: size, walltime, wait, time to its start, and products; all about 0 … 1."""
    size, walltime, wait, delay = jobs[:, 1], jobs[:, 3], jobs[:, 4], jobs[:, 5]
    now = (delay == 0).astype(np.float64)
    place = np.linspace(0.0, 1.0, len(jobs))
    return np.column_stack([place, size, walltime, wait, delay, now, size * walltime, now * walltime])


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
        numbers = json.loads(Path(weights).read_text(encoding="utf-8")) if isinstance(weights, str) else weights
        super().__init__(Rule(tuple(map(float, numbers))), VISIBLE, name="learned")


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


def main(source=None, jobs=None, seeds=1, **options):
    """Train on the first half with each seed, and compare on the second."""
    workload = pb.load_workload(source) if source else pb.default_workload()
    workload = workload.take(slice(0, jobs))
    half = len(workload) // 2
    unseen = workload.take(slice(half, None))
    frames = []
    for seed in range(seeds):
        weights = train(workload.take(slice(0, half)), seed=seed, **options)
        if seed == 0:
            Path("learned.json").write_text(json.dumps(weights.tolist()), encoding="utf-8")
        policies = ["easy", "easy-sjf", "plan-wait", "plan-squared-wait", Learned(weights)]
        frame = pb.compare(unseen, policies, seed=seed).to_frame()
        frames.append(frame[["mean_wait", "max_wait", "mean_bounded_slowdown"]])
    grouped = pd.concat(frames).groupby("policy", sort=False)
    ranges = ["mean"] if seeds == 1 else ["mean", "min", "max"]
    print(grouped.agg(ranges).round(1).T.to_string())
    return frames


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("log", nargs="?")
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    main(arguments.log, seeds=arguments.seeds)
