"""Estimating before a run whether the disk has room for the results."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

#: Approximate bytes stored per job, including its rounds (at most about two per job), and per cell in addition.
BYTES_PER_JOB = 100
BYTES_PER_CELL = 20_000


def warn_of_little_space(folder: Path, jobs: Sequence[int], say: Callable[[str], None]) -> None:
    """Warn if the disk may be too small for the cells that are missing.

    Parameters
    ----------
    folder : Path
        The folder of the results.
    jobs : sequence of int
        Number of jobs of each missing cell.
    say : callable
        Called with the warning.
    """
    needed = sum(BYTES_PER_CELL + BYTES_PER_JOB * n for n in jobs)
    free = shutil.disk_usage(folder).free
    if free < needed:
        say(
            f"{folder}: the disk has {free / 1e6:,.1f} MB left, the results may need "
            f"{needed / 1e6:,.1f} MB; should it run full, the cells that are finished are safe"
        )
