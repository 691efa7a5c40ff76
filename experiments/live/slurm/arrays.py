"""Tasks of job arrays: ``0-3,7,9-15:2%2`` (manual page of sbatch, ``--array``)."""

import re

from planbatch.experiments.live.slurm.snapshot import JobArray

#: Slurm's largest array has about 4 million tasks.
MOST_TASKS = 4_000_001
_PIECE = re.compile(r"^(\d+)(?:-(\d+)(?::(\d+))?)?$", re.ASCII)


def pending_tasks(array: int, written: str, most: int | None = None) -> JobArray:
    """Return the rest of an array that waits.

    Parameters
    ----------
    array : int
        The array's number.
    written : str
        Its tasks, as Slurm writes them; from about 64 letters on Slurm ends them with ``...``.
    most : int, optional
        How many may run at once, if it stands in a field of its own.

    Raises
    ------
    ValueError
        If they cannot be read.

    >>> pending_tasks(59, "0-3%2").tasks, pending_tasks(59, "1,3,5-9:2,1...").tasks
    ((0, 1, 2, 3), (1, 3, 5, 7, 9))
    """
    listed, _, throttle = written.strip("[]").partition("%")
    cut_off = listed.endswith("...") or throttle.endswith("...")
    pieces = listed.split(",")
    if cut_off and not throttle:
        pieces = pieces[:-1]  # its last number may lack digits
    if listed.startswith("0x"):
        tasks = _of_mask(listed)
    else:
        tasks = [task for piece in pieces for task in _range(piece, written)]
    if len(tasks) >= MOST_TASKS:
        raise ValueError(f"array {array}: {written[:60]!r} are more tasks than Slurm allows")
    if throttle.isdigit():
        most = int(throttle)
    return JobArray(array, None, tuple(tasks), max(len(tasks), 1), cut_off, most or None)


def _range(piece: str, written: str) -> range:
    match = _PIECE.match(piece.strip())
    if match is None:
        raise ValueError(f"array: {written[:60]!r} is no list of tasks such as 0-3,7")
    first, last, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
    if last < first or step < 1 or last >= MOST_TASKS:
        raise ValueError(f"array: {piece[:60]!r} is no range of tasks")
    return range(first, last + 1, step)


def _of_mask(written: str) -> list[int]:
    """Read a hexadecimal mask: bit k stands for task k."""
    mask = int(written, 16)
    return [task for task in range(mask.bit_length()) if mask >> task & 1]
