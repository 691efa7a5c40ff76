"""Real rounds out of a replay: what a policy was asked while a workload ran."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from planbatch.baselines.policy import Policy
from planbatch.experiments.replay.replay import Estimates, policy_name, replay
from planbatch.experiments.rounds.file import write_round
from planbatch.planner.kernels.profile import any_fits
from planbatch.planner.model import Workload
from planbatch.planner.optimizer import Result
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

#: By what share of a size the number of waiting jobs may differ from it.
TOLERANCE = 0.05


@dataclass
class Sample:
    """Rounds of about one size, each as likely to be kept as any other (reservoir sampling).

    Attributes
    ----------
    size : int
        Waiting jobs that are wanted.
    room : int
        How many rounds to keep.
    rng : numpy.random.Generator
        What chooses.
    rounds : list of Round
        The rounds kept.
    seen : int
        How many there were to choose from.
    """

    size: int
    room: int
    rng: np.random.Generator
    rounds: list[Round] = field(default_factory=list)
    seen: int = 0

    def offer(self, problem: Round) -> None:
        """Keep a round, perhaps, if it is of the size."""
        if abs(len(problem) - self.size) > TOLERANCE * self.size:
            return
        self.seen += 1
        place = int(self.rng.integers(self.seen))
        if len(self.rounds) < self.room:
            self.rounds.append(problem)
        elif place < self.room:
            self.rounds[place] = problem


class Watched:
    """A policy that decides as another does, and shows every round to samples.

    Parameters
    ----------
    policy : Policy
        What decides.
    samples : sequence of Sample
        Shown every round in which a job fits now.
    """

    def __init__(self, policy: Policy, samples: Sequence[Sample]) -> None:
        self.policy, self.samples = policy, samples
        self.name = policy_name(policy)
        self.promise = getattr(policy, "promise", None)

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan | Result:
        """Show the round, and decide it."""
        if any_fits(problem.arrays):
            for sample in self.samples:
                sample.offer(problem)
        return self.policy(problem, rng)


def capture(
    workload: Workload,
    policy: Policy,
    sizes: Sequence[int],
    *,
    per_size: int = 1,
    estimates: Estimates = "requested",
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> dict[int, list[Round]]:
    """Replay a workload, and keep some of its rounds.

    Parameters
    ----------
    workload, policy, estimates, seed, progress
        As in :func:`replay`. The seed also chooses the rounds.
    sizes : sequence of int
        How many jobs wait in the rounds that are wanted, give or take 5 %. Only rounds in which a job fits now count.
    per_size : int
        How many rounds of each size to keep.

    Returns
    -------
    dict of int to list of Round
        For every size, in ascending order, the rounds by time; empty where there was none.
    """
    if not sizes or min(sizes) < 1:
        raise ValueError(f"sizes: {list(sizes)} are not numbers of waiting jobs, 1 or more")
    if per_size < 1:
        raise ValueError(f"per size: {per_size} is not a positive number of rounds")
    samples = [
        Sample(size, per_size, np.random.default_rng([seed, size])) for size in sorted(set(sizes))
    ]
    replay(workload, Watched(policy, samples), estimates=estimates, seed=seed, progress=progress)
    return {
        sample.size: sorted(sample.rounds, key=lambda problem: problem.now) for sample in samples
    }


def write_captured(
    rounds: dict[int, list[Round]], folder: Path, workload: str, policy: str, note: str = ""
) -> list[Path]:
    """Write captured rounds as ``WORKLOAD-POLICY-n0100-t12345.json`` (n: the size that was wanted).

    Parameters
    ----------
    rounds : dict of int to list of Round
        What :func:`capture` returned.
    folder : Path
        Made if it is not there.
    workload, policy : str
        What was replayed, for the names of the files and what they say of their source.
    note : str
        What else the files say of it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{workload}-{policy}".replace(":", "-").replace("/", "-").replace(" ", "-")
    paths = []
    for size, captured in rounds.items():
        for problem in captured:
            path = folder / f"{stem}-n{size:04d}-t{problem.now}.json"
            source = f"{workload} under {policy} at {problem.now} s, {len(problem)} jobs waiting"
            write_round(path, problem, source + (f"; {note}" if note else ""))
            paths.append(path)
    return paths
