"""The files that a site installs, and whose files a driver trusts."""

import os
import re
import shutil
import stat
import sys
from importlib.resources import files
from pathlib import Path

from planbatch.experiments.live.slurm.heartbeat import AHEAD, HEARTBEAT
from planbatch.experiments.live.slurm.marks import DriveRules

#: Each with what it is for.
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


def check_trusted(path: Path) -> None:
    """Raise a ``ValueError`` if somebody but root and whoever runs this could have written or replaced a file.

    Neither the file nor a folder above it may be others', nor be writable by others; in folders such as /tmp, only
    owners replace their files.
    """
    for location in (path.absolute(), path.resolve()):
        for part in (location, *location.parents):
            status = part.stat()
            if part == location or not status.st_mode & stat.S_ISVTX:
                check_owner(part, status.st_uid, status.st_mode, os.geteuid())


def check_owner(path: Path, owner: int, mode: int, me: int) -> None:
    """Raise a ``ValueError`` if somebody but root and ``me`` could have written a file or folder."""
    if owner not in (0, me):
        raise ValueError(
            f"{path}: it belongs to user {owner}, who could have the cluster do anything; "
            "give it to root or to the driver's user"
        )
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ValueError(f"{path}: others than its owner may write it; run: chmod go-w {path}")


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
