"""The flags of verbs that look at a cluster."""

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbatch.experiments.cli.flags import Duration, default_limit_option
from planbatch.experiments.cli.verb import CLUSTER, RUN, OneOf, flag

if TYPE_CHECKING:
    from planbatch.experiments.live.slurm.pool import ObserveOptions
    from planbatch.experiments.live.slurm.snapshot import Snapshot

#: Where the driver's lock and heartbeat are.
STATE = Path("/run/planbatch")
#: The heading of the driver's flags.
DRIVER = "Driver"


@dataclass(frozen=True)
class ClusterSource:
    """Which cluster is looked at, and what of it is planned."""

    #: A folder of saved output, instead of a cluster.
    saved: Path | None
    #: Slurm's configuration file.
    conf: Path | None
    #: After how many seconds Slurm's programs are ended.
    timeout: float
    #: What is planned, and how it is counted.
    options: "ObserveOptions"

    def check(self) -> None:
        """Raise the error of saved output that cannot be read: waiting does not mend it."""
        if self.saved is not None:
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
        from planbatch.experiments.live.slurm.client import SlurmClient

        if self.saved is not None:
            if keep is not None:
                raise ValueError("keep: --from's output is saved already; leave one of them out")
            return reading.saved_snapshot(self.saved)
        client = SlurmClient(self.conf, self.timeout)
        return (
            reading.read_snapshot(client) if keep is None else reading.keep_snapshot(client, keep)
        )


def time_option(name: str, default: str, about: str, panel: str = DRIVER) -> Callable[..., Any]:
    """Return the flag of a length of time."""
    shown = {"default": default, "show_default": True, "metavar": "TIME"}
    return flag(name, type=Duration(), panel=panel, help=about, **shown)


def file_option(name: str, *parameter: str, about: str, **more: Any) -> Callable[..., Any]:
    """Return the flag of a file."""
    kind = click.Path(path_type=Path, dir_okay=False)
    return flag(name, *parameter, type=kind, metavar="FILE", help=about, **more)


def folder_option(name: str, *parameter: str, about: str, **more: Any) -> Callable[..., Any]:
    """Return the flag of a folder."""
    kind = click.Path(path_type=Path, file_okay=False)
    return flag(name, *parameter, type=kind, metavar="FOLDER", help=about, **more)


def every_option(default: str) -> Callable[..., Any]:
    """Return the flag for the time between ticks."""
    return time_option("--every", default, "Time between ticks.", RUN)


def state_option(about: str) -> Callable[..., Any]:
    """Return the flag for the folder of the driver's lock and heartbeat."""
    return folder_option("--state", default=STATE, show_default=True, panel=DRIVER, about=about)


conf_option = file_option(
    "--conf", panel=CLUSTER,
    about="Slurm's configuration.  [default: SLURM_CONF, or where Slurm looks for it]",
)  # fmt: skip
timeout_option = time_option(
    "--timeout", "20s", "When a program of Slurm's that does not answer is ended.", CLUSTER
)
partition_option = flag(
    "--partition", "partitions", multiple=True, metavar="PARTITION", panel=CLUSTER,
    help="Plan this partition only; may be repeated.  [default: all]",
)  # fmt: skip
ticks_option = flag(
    "--ticks", type=click.IntRange(min=1), metavar="N", panel=RUN, help="End after so many.  [default: go on]",
)  # fmt: skip
lines_option = flag(
    "--json", "as_json", is_flag=True, help="One JSON object per tick on standard output, on a line each.",
)  # fmt: skip
private_option = flag(
    "--private", is_flag=True, panel=RUN,
    help="Write journal and page for this user and group only (0640), for sites that hide jobs.",
)  # fmt: skip
noplan_option = flag(
    "--noplan", multiple=True, default=("root",), show_default=True, metavar="USER", panel=DRIVER,
    help="Who may keep jobs out of the plan by the comment noplan; may be repeated, * for all.",
)  # fmt: skip
horizon_option = time_option(
    "--horizon", "10min",
    "The latest begin time that is set, from now; after that, jobs start without a driver. Slurm's priority "
    "counts no age while it lies ahead.",
)  # fmt: skip


@contextmanager
def private_files(wanted: bool) -> Iterator[None]:
    """While it is entered, other users may not read what is written, if that is wanted."""
    before = os.umask(0o027) if wanted else None
    try:
        yield
    finally:
        if before is not None:
            os.umask(before)


_FLAGS = (
    folder_option("--from", "saved", panel=CLUSTER,
                  about="Saved output instead of a cluster: squeue.json or jobs.json, sinfo.json or nodes.json; "
                        "partitions.txt and reservations.json if they are there; or their texts."),
    conf_option,
    timeout_option,
    partition_option,
    flag("--unit", type=OneOf(["nodes", "cpus"]), panel=CLUSTER,
         help="What the first resource is.  [default: nodes if all jobs take whole nodes, else cpus]"),
    time_option("--slack", "60s", "How long a job that is past its end is expected to run on.", CLUSTER),
    default_limit_option("Time limit of jobs that have none, in partitions that have none."),
    flag("--tasks", type=click.IntRange(min=1), default=1000, show_default=True, metavar="N", panel=CLUSTER,
         help="How many tasks of one array are planned."),
    flag("--count-memory", is_flag=True, panel=CLUSTER,
         help="Count memory beside CPUs, over all nodes, where Slurm gives it to jobs (CR_*_Memory)."),
)  # fmt: skip


def watch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags of :class:`ClusterSource` to a command, as its parameter ``cluster``."""

    @functools.wraps(command)
    def with_options(*args: Any, **kwargs: Any) -> Any:
        from planbatch.experiments.live.slurm.pool import ObserveOptions

        options = ObserveOptions(
            kwargs.pop("partitions"),
            kwargs.pop("unit"),
            int(kwargs.pop("slack")),
            int(kwargs.pop("default_limit")),
            kwargs.pop("tasks"),
            kwargs.pop("count_memory"),
        )
        cluster = ClusterSource(
            kwargs.pop("saved"), kwargs.pop("conf"), kwargs.pop("timeout"), options
        )
        return command(*args, cluster=cluster, **kwargs)

    for add in reversed(_FLAGS):
        with_options = add(with_options)
    return with_options
