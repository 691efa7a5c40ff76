"""Flags that several verbs have: each is declared once, with one name and one meaning."""

from typing import Annotated

import click

from planbatch.experiments.cli.parameters import LOG, MACHINE, POLICIES, RUN, SEARCH, Flag, Name, flag, group, option
from planbatch.experiments.common.schema import SettingSpec, setting_specs
from planbatch.experiments.workloads.options import WorkloadOptions

Json = Annotated[bool, flag("One JSON object on standard output.", name="--json")]
Metrics = Annotated[
    tuple[str, ...],
    flag(
        "A further column, such as p99-wait, size-wait:64- or your own, FILE.py:NAME; may be repeated. "
        "planbatch list metrics has all.",
        "NAME",
        name="--metric",
        type=Name("metrics"),
    ),
]


def seed_flag(panel: str = SEARCH) -> Flag:
    """Return the flag of the seed."""
    return flag("Seed of the random numbers.", "N", panel=panel, show_default=True)


def seeds_flag(about: str) -> Flag:
    """Return the flag of the number of seeds."""
    return flag(about, "K", panel=SEARCH, type=click.IntRange(min=1))


def jobs_flag(about: str = "Processes; by default as many as there are cores.") -> Flag:
    """Return the flag of the number of processes."""
    return flag(about, "N", name="-j --jobs", panel=RUN, type=click.IntRange(min=1))


def out_flag(about: str, unit: str = "FOLDER") -> Flag:
    """Return the flag of the folder or FILE that is written."""
    return flag(about, unit, name="-o --out")


def policy_flag(about: str) -> Flag:
    """Return the flag of the one policy of a verb."""
    about = f"{about}; planbatch list policies has all, your own are FILE.py:NAME."
    return flag(about, "NAME", name="--policy", panel=POLICIES, type=Name("policies"))


#: The settings of workloads that say what the machine has; the others say how the log is read.
_OF_THE_MACHINE = ("capacity", "partition", "round_sizes", "memory", "resource", "windows")


def _workload_option(setting: SettingSpec) -> click.Parameter:
    """Return the flag of one of :class:`WorkloadOptions`."""
    panel = MACHINE if setting.name.startswith(_OF_THE_MACHINE) else LOG
    completed = {"type": Name("presets")} if setting.name == "preset" else {}
    return option(setting, panel, **completed)


WorkloadFlags = Annotated[
    WorkloadOptions, group(WorkloadOptions, list(map(_workload_option, setting_specs(WorkloadOptions).values())))
]
