"""Rounds of a real cluster: those that a journal's ticks saw."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from planbatch.experiments.live.journal import read_ticks
from planbatch.experiments.live.slurm.advise import observed_again
from planbatch.experiments.rounds.capture import Sample
from planbatch.planner.round import Round


def rounds_of_journal(
    path: Path, sizes: Sequence[int], *, per_size: int = 1, seed: int = 0
) -> dict[int, list[Round]]:
    """Keep some of the rounds that a journal's ticks saw.

    Parameters
    ----------
    path : Path
        The journal.
    sizes : sequence of int
        Numbers of waiting jobs, give or take 5 %. Only rounds in which a job fits count.
    per_size : int
        How many rounds of each size to keep.
    seed : int
        Chooses them.

    Returns
    -------
    dict of int to list of Round
        For every size, in ascending order, the rounds by time; empty if there was none.

    Raises
    ------
    OSError
        If there is no journal.
    ValueError
        If a line cannot be read; names file and line.
    """
    ordered = sorted(set(sizes))
    samples: list[Sample[Round]] = [
        Sample(size, per_size, np.random.default_rng([seed, size])) for size in ordered
    ]
    for tick in read_ticks(path):
        if tick.snapshot is None or not tick.plan:
            continue
        problem = observed_again(tick).problem
        if len(problem) and problem.any_fits:
            for sample in samples:
                sample.offer(len(problem), problem)
    return {one.size: sorted(one.rounds, key=lambda problem: problem.now) for one in samples}
