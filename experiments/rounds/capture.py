"""Capture real rounds: what a policy had to decide during a replay."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from planbatch.baselines.catalogue import as_policy
from planbatch.baselines.policy import Policy
from planbatch.experiments.replay.observe import Observed
from planbatch.experiments.replay.replay import bound, replay
from planbatch.experiments.replay.trace import Estimates
from planbatch.experiments.rounds.file import write_round
from planbatch.planner.kernels.profile import any_fits
from planbatch.planner.model import Workload
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

#: Share by which the number of waiting jobs may differ from a size.
TOLERANCE = 0.05


@dataclass
class Sample:
    """Rounds of about one size, each as likely to be kept as any other (reservoir sampling).

    Attributes
    ----------
    size : int
        Number of waiting jobs.
    room : int
        How many rounds to keep.
    rng : numpy.random.Generator
        Random numbers for the choice.
    rounds : list of Round
        The rounds kept.
    seen : int
        Number of rounds to choose from.
    """

    size: int
    room: int
    rng: np.random.Generator
    rounds: list[Round] = field(default_factory=list)
    seen: int = 0

    def offer(self, problem: Round) -> None:
        """Offer a round; if it has the size, it is kept with the right probability."""
        if abs(len(problem) - self.size) > TOLERANCE * self.size:
            return
        self.seen += 1
        place = int(self.rng.integers(self.seen))
        if len(self.rounds) < self.room:
            self.rounds.append(problem)
        elif place < self.room:
            self.rounds[place] = problem


def capture(
    workload: Workload,
    policy: Policy | str,
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
        Numbers of waiting jobs, give or take 5 %. Only rounds in which a job fits now count.
    per_size : int
        How many rounds of each size to keep.

    Returns
    -------
    dict of int to list of Round
        For every size, in ascending order, the rounds by time; empty if there was none.
    """
    if not sizes or min(sizes) < 1:
        raise ValueError(f"sizes: {list(sizes)} are not numbers of waiting jobs, 1 or more")
    if per_size < 1:
        raise ValueError(f"per size: {per_size} is not a positive number of rounds")
    samples = [
        Sample(size, per_size, np.random.default_rng([seed, size])) for size in sorted(set(sizes))
    ]

    def offer(problem: Round, plan: Plan) -> None:
        if any_fits(problem.arrays):
            for sample in samples:
                sample.offer(problem)

    observed = Observed(bound(as_policy(policy), workload), offer)
    replay(workload, observed, estimates=estimates, seed=seed, progress=progress)
    return {
        sample.size: sorted(sample.rounds, key=lambda problem: problem.now) for sample in samples
    }


def write_captured(
    rounds: dict[int, list[Round]], folder: Path, workload: str, policy: str, note: str = ""
) -> list[Path]:
    """Write captured rounds as ``WORKLOAD-POLICY-n0100-t12345.json`` (n: the requested size).

    Parameters
    ----------
    rounds : dict of int to list of Round
        What :func:`capture` returned.
    folder : Path
        Created if it does not exist.
    workload, policy : str
        What was replayed; for the names of the files and their ``source``.
    note : str
        A further remark for ``source``.
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
