"""The flags of every command that takes a workload."""

import functools
from collections.abc import Callable
from typing import Any

from planbatch.experiments.cli.setting_flags import option
from planbatch.experiments.cli.verb import LOG, MACHINE, Name
from planbatch.experiments.common.schema import declared
from planbatch.experiments.workloads.options import WorkloadOptions

#: The settings that say what the machine has; the others say how the log is read.
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
