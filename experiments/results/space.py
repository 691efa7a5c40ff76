"""Whether there is room for the results, as far as that can be said beforehand."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

#: About how much is stored of one job, and of one cell besides (bytes); rounds, at most about two a job, included.
BYTES_PER_JOB = 100
BYTES_PER_CELL = 20_000


def warn_of_little_space(folder: Path, jobs: Sequence[int], say: Callable[[str], None]) -> None:
    """Warn if the disk may be too small for the cells that are missing.

    Parameters
    ----------
    folder : Path
        Where results are written.
    jobs : sequence of int
        How many jobs each missing cell has.
    say : callable
        Called with the sentence.
    """
    needed = sum(BYTES_PER_CELL + BYTES_PER_JOB * n for n in jobs)
    free = shutil.disk_usage(folder).free
    if free < needed:
        say(
            f"{folder}: the disk has {free / 1e6:,.1f} MB left, the results may need "
            f"{needed / 1e6:,.1f} MB; should it run full, the cells that are finished are safe"
        )
