"""The flags of every command that takes a workload."""

import functools
from collections.abc import Callable
from typing import Any

from planbatch.experiments.cli.setting_flags import option
from planbatch.experiments.common.schema import declared
from planbatch.experiments.workloads.options import WorkloadOptions


def workload_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags of :class:`WorkloadOptions` to a command, as its parameter ``options``."""
    settings = declared(WorkloadOptions)

    @functools.wraps(command)
    def with_options(*args: Any, **kwargs: Any) -> Any:
        chosen = {name: kwargs.pop(name) for name in settings}
        return command(*args, options=WorkloadOptions(**chosen), **kwargs)

    for setting in reversed(settings.values()):
        with_options = option(setting)(with_options)
    return with_options
