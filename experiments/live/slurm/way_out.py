"""The way out: every job is given back to Slurm, by the driver at its end, by the watchdog, or by hand."""

import time
from collections.abc import Callable
from dataclasses import replace

from planbatch.experiments.live.slurm.client import SlurmClient
from planbatch.experiments.live.slurm.commands import (
    Command,
    give_back,
    held_by_others,
    lines_of,
)
from planbatch.experiments.live.slurm.reading import read_snapshot
from planbatch.experiments.live.slurm.said import CLUSTER_FAULTS, SlurmError
from planbatch.experiments.live.slurm.snapshot import Snapshot
from planbatch.experiments.live.slurm.tick import Tick

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
