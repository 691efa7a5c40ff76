"""The flags of verbs that read a cluster."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from planbatch.experiments.cli.flags import default_limit_flag
from planbatch.experiments.cli.parameters import CLUSTER, RUN, Flag, flag, group
from planbatch.experiments.cli.types import OneOf

if TYPE_CHECKING:
    from planbatch.experiments.live.slurm.client import SlurmClient
    from planbatch.experiments.live.slurm.pool import ObserveOptions
    from planbatch.experiments.live.slurm.snapshot import Snapshot

#: Where the driver's lock and heartbeat are.
STATE = Path("/run/planbatch")
#: The heading of the driver's flags.
DRIVER = "Driver"


@dataclass(frozen=True)
class ClusterSource:
    """The cluster to observe, and which part of it is planned."""

    #: A folder of saved output, instead of a cluster.
    folder: Path | None
    #: Slurm's configuration file.
    conf: Path | None
    #: Time limit of Slurm's programs (s).
    timeout: float
    #: Which part is planned, and in which units.
    options: "ObserveOptions"

    @cached_property
    def client(self) -> "SlurmClient":
        """Runs Slurm's programs; one for all ticks, since it remembers Slurm's version."""
        from planbatch.experiments.live.slurm.client import SlurmClient

        return SlurmClient(self.conf, self.timeout)

    def check(self) -> None:
        """Raise the error of saved output that cannot be read: a later tick cannot either."""
        if self.folder is not None:
            self.snapshot()

    def snapshot(self, keep: Path | None = None) -> "Snapshot":
        """Take a snapshot of the cluster, or read the saved one.

        Parameters
        ----------
        keep : Path, optional
            A folder that gets what the cluster's was read from.

        Raises
        ------
        OSError, ValueError
            One sentence on what is wrong.
        """
        from planbatch.experiments.live.slurm import reading

        if self.folder is not None:
            if keep is not None:
                raise ValueError("keep: --from's output is saved already; leave one of them out")
            return reading.saved_snapshot(self.folder)
        return reading.read_snapshot(self.client, keep)


def every_flag(default: str) -> Flag:
    """Return the flag for the time between ticks."""
    return flag("Time between ticks.", "TIME", panel=RUN, default=default)


Conf = Annotated[Path | None, flag(
    "Slurm's configuration.  [default: SLURM_CONF, or where Slurm looks for it]", "FILE", panel=CLUSTER)]  # fmt: skip
Timeout = Annotated[
    float, flag("When a program of Slurm's that does not answer is ended.", "TIME", panel=CLUSTER, default="20s")
]
Partitions = Annotated[tuple[str, ...], flag(
    "Plan this partition only; may be repeated.  [default: all]", "PARTITION", name="--partition",
    panel=CLUSTER)]  # fmt: skip
Ticks = Annotated[int | None, flag("End after so many.  [default: go on]", "N", panel=RUN, type=click.IntRange(min=1))]
JsonLines = Annotated[bool, flag("One JSON object per tick on standard output, on a line each.", name="--json")]
Private = Annotated[bool, flag(
    "Write journal and page for this user and group only (0640), for sites that hide jobs.", panel=RUN)]  # fmt: skip
State = Annotated[Path, flag("Where the driver's lock and its heartbeat are.", "FOLDER", panel=DRIVER)]
NoPlan = Annotated[tuple[str, ...], flag(
    "Who may keep jobs out of the plan by the comment noplan; may be repeated, * for all.", "USER",
    panel=DRIVER)]  # fmt: skip
Horizon = Annotated[float, flag(
    "The latest begin time that is set, from now; after that, jobs start without a driver. Slurm's priority counts no "
    "age while it lies ahead.", "TIME", panel=DRIVER, default="10min")]  # fmt: skip


@contextmanager
def private_files(private: bool) -> Iterator[None]:
    """If ``private``, files written in this context are not readable by other users."""
    before = os.umask(0o027) if private else None
    try:
        yield
    finally:
        if before is not None:
            os.umask(before)


def cluster_source(
    *,
    folder: Annotated[Path | None, flag(
        "Saved output instead of a cluster: squeue.json or jobs.json, sinfo.json or nodes.json; partitions.txt and "
        "reservations.json if they are there; or their texts.", "FOLDER", name="--from", panel=CLUSTER)] = None,
    conf: Conf = None,
    timeout: Timeout,
    partitions: Partitions = (),
    unit: Annotated[Any, flag(
        "What the first resource is.  [default: nodes if all jobs take whole nodes, else cpus]", panel=CLUSTER,
        type=OneOf(["nodes", "cpus"]))] = None,
    slack: Annotated[float, flag(
        "How long a job that is past its end is expected to run on.", "TIME", panel=CLUSTER, default="60s")],
    default_limit: Annotated[float, default_limit_flag(
        "Time limit of jobs that have none, in partitions that have none.")],
    tasks: Annotated[int, flag(
        "How many tasks of one array are planned.", "N", panel=CLUSTER, type=click.IntRange(min=1))] = 1000,
    count_memory: Annotated[bool, flag(
        "Count memory as well as CPUs, over all nodes, where Slurm gives it to jobs (CR_*_Memory).",
        panel=CLUSTER)] = False,
) -> ClusterSource:  # fmt: skip
    """Return the cluster that the flags select."""
    from planbatch.experiments.live.slurm.pool import ObserveOptions

    options = ObserveOptions(partitions, unit, int(slack), int(default_limit), tasks, count_memory)
    return ClusterSource(folder, conf, timeout, options)


Cluster = Annotated[ClusterSource, group(cluster_source)]
