"""The way out: every job is given back to Slurm, by the driver at its end, by the watchdog, or by hand."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from planbatch.experiments.common.atomic import unfinished_name
from planbatch.experiments.live.slurm.client import SlurmClient
from planbatch.experiments.live.slurm.commands import Command, give_back, held_by_others, lines_of
from planbatch.experiments.live.slurm.errors import CLUSTER_FAULTS, SlurmError
from planbatch.experiments.live.slurm.reading import read_snapshot
from planbatch.experiments.live.slurm.snapshot import Snapshot
from planbatch.experiments.live.slurm.tick import Tick

#: Its name in the driver's folder, and that of the lock.
NAME, LOCK = "heartbeat", "lock"
#: A heartbeat that is further ahead than that is none: a clock was wrong (s).
AHEAD = 5


def beat(path: Path, now: float) -> None:
    """Write the time (whole seconds since 1970), readable by all, whole or not at all."""
    unfinished = unfinished_name(path)
    try:
        unfinished.write_text(f"{int(now)}\n", encoding="ascii")
        unfinished.chmod(0o644)
        unfinished.replace(path)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise


def last_beat(path: Path) -> int | None:
    """Read the time of the last beat; None if there is none, or it cannot be read."""
    try:
        return int(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        return None


def silent_for(path: Path, now: float) -> float:
    """Say for how long the driver has been silent (s); infinitely long if it never beat, or beats in the future.

    Raises
    ------
    PermissionError
        If the file may not be read: then nobody knows, and nothing is to be released.
    """
    try:
        path.stat()
        readable = os.access(path, os.R_OK)
    except FileNotFoundError:
        readable = True
    except PermissionError:
        readable = False
    if not readable:
        raise PermissionError(
            f"{path}: the driver's heartbeat may not be read here; run as the driver's user"
        )
    last = last_beat(path)
    if last is None or last > now + AHEAD:
        return float("inf")
    return max(now - last, 0.0)


def stop_beating(path: Path) -> None:
    """Remove the heartbeat: from now on, jobs arrive as if there were no driver."""
    with suppress(FileNotFoundError):
        path.unlink()


#: How often it is tried: each time, what is not given back yet is.
ATTEMPTS = 5


def release_all(
    client: SlurmClient,
    tell: Callable[[Tick], None],
    *,
    dry_run: bool = False,
    clock: Callable[[], float] = time.time,
    read: Callable[[], Snapshot] | None = None,
) -> bool:
    """Give every job back to Slurm, as its user asked for it: the way out.

    Parameters
    ----------
    client : SlurmClient
        What talks to Slurm.
    tell : callable
        Is told of every attempt.
    dry_run : bool
        Whether commands are only shown.
    clock : callable
        Gives the time (s).
    read : callable, optional
        Takes the snapshots; by default those of the client.

    Returns
    -------
    bool
        Whether nothing is left that is the driver's, by what Slurm says afterwards. Of jobs that are held all the
        same, the last tick names each, and by whom.
    """
    for attempt in range(ATTEMPTS):
        began, start = clock(), time.perf_counter()
        snapshot: Snapshot | None = None
        commands: tuple[Command, ...] = ()
        try:
            snapshot = read() if read is not None else read_snapshot(client)
            commands = tuple(give_back(snapshot, int(clock())))
            answers = () if dry_run else tuple(client.script(lines_of(commands)))
        except (OSError, ValueError) as error:
            kind = error.fault if isinstance(error, SlurmError) else "plan"
            seconds = time.perf_counter() - start
            tell(Tick(began, seconds, snapshot, None, commands, fault=str(error), kind=kind))
            if isinstance(error, SlurmError) and error.fault in CLUSTER_FAULTS:
                continue
            return False
        tick = Tick(began, time.perf_counter() - start, snapshot, None, commands, answers)
        if dry_run or not commands:
            tell(replace(tick, notes=tuple(held_by_others(snapshot))))
            return True
        if attempt == ATTEMPTS - 1:
            names = ", ".join(command.label for command in commands[:20])
            fault = f"{len(commands)} jobs are still planbatch's: {names}; {tick.refusal}"
            tick = replace(tick, fault=fault[:400], kind="left")
        tell(tick)
    return False
