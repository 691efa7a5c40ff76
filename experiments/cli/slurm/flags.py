"""The flags of verbs that read a cluster."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from planbatch.experiments.cli.parameters import CLUSTER, RUN, Group, flag, group, option
from planbatch.experiments.common.schema import setting_specs
from planbatch.experiments.live.slurm import reading
from planbatch.experiments.live.slurm.client import SlurmClient
from planbatch.experiments.live.slurm.marks import DriveRules
from planbatch.experiments.live.slurm.pool import ObserveOptions
from planbatch.experiments.live.slurm.snapshot import Snapshot

#: Where the driver's lock and heartbeat are.
STATE = Path("/run/planbatch")
#: The heading of the driver's flags.
DRIVER = "Driver"
Client = Annotated[SlurmClient, group(SlurmClient, panel=CLUSTER)]


@dataclass(frozen=True)
class ClusterSource:
    """The cluster to observe, and which part of it is planned."""

    folder: Annotated[Path | None, flag(
        "Saved output instead of a cluster: squeue.json or jobs.json, sinfo.json or nodes.json; partitions.txt and "
        "reservations.json if they are there; or their texts.", "FOLDER", name="--from", panel=CLUSTER)]  # fmt: skip
    client: Client  # runs Slurm's programs; one for all ticks, since it remembers Slurm's version
    #: Which part is planned, and in which units.
    options: Annotated[ObserveOptions, group(ObserveOptions, panel=CLUSTER)]

    def check(self) -> None:
        """Raise the error of saved output that cannot be read: a later tick cannot either."""
        if self.folder is not None:
            self.snapshot()

    def snapshot(self, keep: Path | None = None) -> Snapshot:
        """Take a snapshot of the cluster, or read the saved one; the folder ``keep`` gets what it was read from."""
        if self.folder is not None:
            if keep is not None:
                raise ValueError("keep: --from's output is saved already; leave one of them out")
            return reading.saved_snapshot(self.folder)
        return reading.read_snapshot(self.client, keep)


def rules_flags(*names: str) -> Group:
    """Return the annotation of the driver's rules; ``names`` are those that have flags, by default all."""
    panels = {"every": RUN, "poll": RUN}
    return group(DriveRules, [option(_RULES[name], panels.get(name, DRIVER)) for name in names or _RULES])


_RULES = setting_specs(DriveRules)
Cluster = Annotated[ClusterSource, group(ClusterSource)]
#: Of the options, only the partitions.
Partitions = Annotated[
    ObserveOptions, group(ObserveOptions, [option(setting_specs(ObserveOptions)["partitions"], CLUSTER)])
]
Every = Annotated[float, flag(_RULES["every"].setting.about, "TIME", panel=RUN)]
Ticks = Annotated[
    int | None,
    flag("Stop after N ticks.  [default: run until interrupted]", "N", panel=RUN, type=click.IntRange(min=1)),
]
JsonLines = Annotated[bool, flag("One JSON object per tick on standard output, on a line each.", name="--json")]
Private = Annotated[bool, flag(
    "Write journal and page for this user and group only (0640), for sites that hide jobs.", panel=RUN)]  # fmt: skip
State = Annotated[Path, flag("Where the driver's lock and its heartbeat are.", "FOLDER", panel=DRIVER)]


@contextmanager
def private_files(private: bool) -> Iterator[None]:
    """If ``private``, files written in this context are not readable by other users."""
    before = os.umask(0o027) if private else None
    try:
        yield
    finally:
        if before is not None:
            os.umask(before)
