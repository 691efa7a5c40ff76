"""``planbatch slurm files``: what a site installs."""

import re
import shutil
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from planbatch.experiments.cli.flags import Json, out_flag
from planbatch.experiments.cli.parameters import flag
from planbatch.experiments.cli.shell import notify, print_json
from planbatch.experiments.cli.slurm.flags import DRIVER, STATE, Partitions, State, rules_flags
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.common.paths import check_folder
from planbatch.experiments.live.slurm.heartbeat import AHEAD, HEARTBEAT
from planbatch.experiments.live.slurm.marks import DriveRules

#: The files that a site installs, each with where it goes.
SITE_FILES = {
    "job_submit.lua": "beside slurm.conf, with JobSubmitPlugins=lua: jobs wait for the driver (strict mode)",
    "planbatch.toml": "/etc/planbatch/planbatch.toml: what the driver goes by",
    "planbatch-alerts.yml": "rule_files of Prometheus: what operators should be woken for",
    "planbatch-drive.service": "/etc/systemd/system: the driver",
    "planbatch-watchdog.service": "/etc/systemd/system: releases everything if the driver is silent",
    "planbatch-watchdog.timer": "/etc/systemd/system: asks for that every minute",
}
_PATH = re.compile(r"/[A-Za-z0-9_./-]+", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", re.ASCII)


@verb
def command(
    *,
    out: Annotated[Path, out_flag("Where the files are written.")] = Path("out/site"),
    state: State = STATE,
    silent_for: Annotated[int, flag(
        "After how long a driver that is silent counts as dead; should exceed eight times --timeout, since a tick may "
        "take as long while Slurm is slow.", "TIME", panel=DRIVER)] = 180,
    rules: Annotated[DriveRules, rules_flags("horizon", "noplan")],
    cluster: Partitions,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Write the files that a site installs: job_submit.lua, a configuration, systemd units."""
    check_folder("out", out)
    rules = replace(rules, partitions=cluster.partitions)
    texts = {name: site_file(name, state, silent_for, rules) for name in SITE_FILES}
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
        notify(f"{out / name}: {SITE_FILES[name]}")
    if as_json:
        print_json({"files": [str(out / name) for name in SITE_FILES]})


def site_file(name: str, state: Path, silent: int, rules: DriveRules) -> str:
    """Return the text of a file that a site installs, one of :data:`SITE_FILES`.

    ``state`` is the driver's folder, with its heartbeat; after ``silent`` seconds without one it counts as dead. Of the
    ``rules``, those count that say which partitions are planned, when a job that arrives may start without a driver,
    and who may keep jobs out. ``ValueError`` if a name or path has a character that the files could not hold.
    """
    if not _PATH.fullmatch(str(state)):
        raise ValueError(f"state: {str(state)!r} is no absolute path of letters, digits and _./-")
    for partition in rules.partitions:
        if not _NAME.fullmatch(partition):
            raise ValueError(f"partition: {partition!r} is no name of a partition")
    for user in rules.noplan:
        if not (_NAME.fullmatch(user) or user == "*"):
            raise ValueError(f"noplan: {user!r} is no name of a user, nor *")
    if silent < 1:
        raise ValueError(f"silent: {silent} is not a positive number of seconds")
    program = Path(sys.prefix) / "bin" / "planbatch"
    if not program.is_file():
        program = Path(shutil.which("planbatch") or "/usr/bin/planbatch")
    if not _PATH.fullmatch(str(program)):
        raise ValueError(f"{program}: systemd's units cannot name this file; install planbatch elsewhere")
    at_home = program.is_relative_to("/home") or program.is_relative_to("/root")
    text = (files("planbatch.experiments.live.slurm") / "assets" / name).read_text(encoding="utf-8")
    values = {
        "HEARTBEAT": str(state / HEARTBEAT),
        "STATE": str(state),
        "PLANBATCH": str(program),
        "PROTECT_HOME": "read-only" if at_home else "yes",
        "SILENT": str(silent),
        "HORIZON": str(rules.horizon),
        "AHEAD": str(AHEAD),
    }
    for kind, names in (("NOPLAN", rules.noplan), ("PARTITION", rules.partitions)):
        values[f"{kind}_SET"] = ", ".join(f'["{one}"] = true' for one in names)
        values[f"{kind}_LIST"] = ", ".join(f'"{one}"' for one in names)
    return re.sub(r"@([A-Z_]+)@", lambda match: values[match[1]], text)
