"""The flags of verbs that look at a cluster."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbatch.planner.durations import length_of

if TYPE_CHECKING:
    from planbatch.experiments.live.slurm.pool import ObserveOptions
    from planbatch.experiments.live.slurm.snapshot import Snapshot

#: Where the driver's lock and heartbeat are.
STATE = Path("/run/planbatch")


class Duration(click.ParamType):  # type: ignore[type-arg]
    """A length of time, such as ``30s``, ``2h`` or ``7d``."""

    name = "time"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Read it; the result is in seconds."""
        if isinstance(value, int | float):
            return float(value)
        name = getattr(param, "name", None) or "time"
        try:
            found = length_of(str(value).strip())
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if found <= 0:
            raise ValueError(f"{name}: {str(value)!r} is not above zero")
        return found


@dataclass(frozen=True)
class Watched:
    """Which cluster is looked at, and what of it is planned.

    Attributes
    ----------
    saved : Path, optional
        A folder of saved output, instead of a cluster.
    conf : Path, optional
        Slurm's configuration file.
    timeout : float
        After how many seconds Slurm's programs are ended.
    options : ObserveOptions
        What is planned, and how it is counted.
    """

    saved: Path | None
    conf: Path | None
    timeout: float
    options: "ObserveOptions"

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
        from planbatch.experiments.live.slurm.client import SlurmClient
        from planbatch.experiments.live.slurm.reading import (
            keep_snapshot,
            read_snapshot,
            saved_snapshot,
        )

        if self.saved is not None:
            if keep is not None:
                raise ValueError("keep: --from's output is saved already; leave one of them out")
            return saved_snapshot(self.saved)
        client = SlurmClient(self.conf, self.timeout)
        return read_snapshot(client) if keep is None else keep_snapshot(client, keep)


conf_option = click.option(
    "--conf", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Slurm's configuration.  [default: SLURM_CONF, or where Slurm looks for it]",
)  # fmt: skip
timeout_option = click.option(
    "--timeout", type=Duration(), default="20s", show_default=True, metavar="TIME",
    help="When a program of Slurm's that does not answer is ended.",
)  # fmt: skip
partition_option = click.option(
    "--partition", "partitions", multiple=True, metavar="NAME",
    help="Plan this partition only; may be repeated.  [default: all]",
)  # fmt: skip
policy_option = click.option(
    "--policy", "name", default="plan-wait", show_default=True, metavar="NAME",
    help="What plans; planbatch list policies has all, your own are FILE.py:NAME.",
)  # fmt: skip
ticks_option = click.option(
    "--ticks", type=click.IntRange(min=1), metavar="N", help="End after so many.  [default: go on]"
)


noplan_option = click.option(
    "--noplan", multiple=True, default=("root",), show_default=True, metavar="USER",
    help="Who may keep jobs out of the plan by the comment noplan; may be repeated, * for all.",
)  # fmt: skip


horizon_option = click.option(
    "--horizon", type=Duration(), default="10min", show_default=True, metavar="TIME",
    help="The latest begin time that is set, from now; after that, jobs start without a driver.",
)  # fmt: skip


def out_option(default: str, said: str) -> Callable[..., Any]:
    """Return the flag for the folder that is written."""
    return click.option(
        "--out", type=click.Path(path_type=Path, file_okay=False), default=Path(default),
        show_default=True, metavar="FOLDER", help=said,
    )  # fmt: skip


def every_option(default: str) -> Callable[..., Any]:
    """Return the flag for the time between ticks."""
    return click.option(
        "--every", type=Duration(), default=default, show_default=True, metavar="TIME",
        help="Time between ticks.",
    )  # fmt: skip


def state_option(said: str) -> Callable[..., Any]:
    """Return the flag for the folder of the driver's lock and heartbeat."""
    return click.option(
        "--state", type=click.Path(path_type=Path, file_okay=False), default=STATE,
        show_default=True, metavar="FOLDER", help=said,
    )  # fmt: skip


_FLAGS = (
    click.option("--from", "saved", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
                 help="Saved output instead of a cluster: squeue.json, and sinfo.json or nodes.json."),
    conf_option,
    timeout_option,
    partition_option,
    click.option("--unit", type=click.Choice(["nodes", "cpus"]),
                 help="What the first resource is.  [default: nodes if all jobs take whole nodes, else cpus]"),
    click.option("--slack", type=Duration(), default="60s", show_default=True, metavar="TIME",
                 help="How long a job that is past its end is expected to run on."),
    click.option("--default-limit", type=Duration(), default="7d", show_default=True, metavar="TIME",
                 help="Time limit of jobs that have none, in partitions that have none."),
    click.option("--tasks", type=click.IntRange(min=1), default=1000, show_default=True, metavar="N",
                 help="How many tasks of one array are planned."),
)  # fmt: skip


def watch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags of :class:`Watched` to a command, as its parameter ``watched``."""

    @functools.wraps(command)
    def with_options(*args: Any, **kwargs: Any) -> Any:
        from planbatch.experiments.live.slurm.pool import ObserveOptions

        options = ObserveOptions(
            kwargs.pop("partitions"),
            kwargs.pop("unit"),
            int(kwargs.pop("slack")),
            int(kwargs.pop("default_limit")),
            kwargs.pop("tasks"),
        )
        watched = Watched(kwargs.pop("saved"), kwargs.pop("conf"), kwargs.pop("timeout"), options)
        return command(*args, watched=watched, **kwargs)

    for flag in reversed(_FLAGS):
        with_options = flag(with_options)
    return with_options
