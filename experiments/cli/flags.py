"""Flags that several verbs have: each is declared once, with one name and one meaning."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from planbatch.experiments.cli.verb import CLUSTER, LOG, MACHINE, POLICIES, RUN, SEARCH, Name, flag
from planbatch.experiments.common.schema import Declared, declared
from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.planner.durations import length_of


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


json_option = flag("--json", "as_json", is_flag=True, help="One JSON object on standard output.")


def seed_option(panel: str = SEARCH, default: int = 0) -> Any:
    """Return the flag of the seed."""
    return flag(
        "--seed", default=default, show_default=True, metavar="N", panel=panel, help="Seed of the random numbers."
    )  # fmt: skip


def seeds_option(about: str) -> Any:
    """Return the flag of the number of seeds."""
    return flag("--seeds", type=click.IntRange(min=1), default=1, show_default=True, metavar="K", panel=SEARCH,
                help=about)  # fmt: skip


def jobs_option(about: str = "Processes; by default as many as there are cores.") -> Any:
    """Return the flag of the number of processes."""
    return flag("-j", "--jobs", type=click.IntRange(min=1), metavar="N", panel=RUN, help=about)


def out_folder(about: str, default: str | None = None) -> Any:
    """Return the flag of the folder that is written."""
    return flag(
        "-o", "--out", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
        default=None if default is None else Path(default), show_default=default is not None, help=about,
    )  # fmt: skip


def out_file(about: str, default: str | None = None) -> Any:
    """Return the flag of the file that is written."""
    return flag(
        "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
        default=None if default is None else Path(default), show_default=default is not None, help=about,
    )  # fmt: skip


def picture_option(about: str) -> Any:
    """Return the flag of a picture."""
    return flag("--picture", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help=about)  # fmt: skip


def policy_option(about: str) -> Any:
    """Return the flag of the one policy of a verb."""
    return flag(
        "--policy", "name", default="plan-wait", show_default=True, type=Name("policies"), metavar="NAME",
        panel=POLICIES, help=f"{about}; planbatch list policies has all, your own are FILE.py:NAME.",
    )  # fmt: skip


def default_limit_option(about: str) -> Any:
    """Return the flag of the time limit of jobs that have none."""
    return flag("--default-limit", type=Duration(), default="7d", show_default=True, metavar="TIME", panel=CLUSTER,
                help=about)  # fmt: skip


metric_option: Callable[[Callable[..., Any]], Callable[..., Any]] = flag(
    "--metric", "metrics", multiple=True, type=Name("metrics"), metavar="NAME",
    help="A further column, such as p99-wait, size-wait:64- or your own, FILE.py:NAME; may be repeated. "
    "planbatch list metrics has all.",
)  # fmt: skip


def check_metrics(names: tuple[str, ...]) -> None:
    """Raise a ``ValueError``, before anything runs, if a metric cannot be made."""
    from planbatch.experiments.studies.metrics import as_metrics

    as_metrics(names)


def option(setting: Declared, panel: str, **changes: Any) -> Any:
    """Return the flag of a declared setting, under a heading; ``changes`` are further arguments of ``click.option``."""
    arguments: dict[str, Any] = {"help": setting.setting.about, "default": setting.default}
    if setting.type is bool:
        arguments["is_flag"] = True
    else:
        arguments["metavar"] = setting.setting.unit or None
        arguments["multiple"] = setting.several
        arguments["type"] = setting.type if setting.type in (int, float) else str
        arguments["show_default"] = not setting.several and bool(setting.default)
    return flag(setting.flag, setting.name, panel=panel, **arguments | changes)


#: The settings of workloads that say what the machine has; the others say how the log is read.
_OF_THE_MACHINE = ("capacity", "partition", "round_sizes", "memory", "resource", "windows")


def workload_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags of :class:`WorkloadOptions` to a command, as its parameter ``options``."""
    settings = declared(WorkloadOptions)

    @functools.wraps(command)
    def with_options(*args: Any, **kwargs: Any) -> Any:
        chosen = {name: kwargs.pop(name) for name in settings}
        return command(*args, options=WorkloadOptions(**chosen), **kwargs)

    for name, setting in reversed(settings.items()):
        panel = MACHINE if name.startswith(_OF_THE_MACHINE) else LOG
        more = {"type": Name("presets")} if name == "preset" else {}
        with_options = option(setting, panel, **more)(with_options)
    return with_options
