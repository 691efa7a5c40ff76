"""The driver's configuration file: TOML, read only if nobody but its owner could have written it."""

import os
import re
import shutil
import stat
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from planbatch.experiments.common.toml_lines import line_of
from planbatch.experiments.live.slurm.tick import AHEAD, NAME
from planbatch.planner.names import did_you_mean

TEXT, NUMBER, TEXTS, SWITCH = (str,), (int, float), (list,), (bool,)
#: The keys, and the types of their values; each is the name of a flag of ``planbatch slurm drive``.
KEYS: Mapping[str, tuple[type, ...]] = {
    "mode": TEXT, "as": TEXT, "policy": TEXT, "optimizer": TEXT, "evaluations": (int,), "seconds": NUMBER,
    "promise": TEXT, "calendar": TEXT, "seed": (int,), "every": TEXT, "look": TEXT, "grace": TEXT, "horizon": TEXT,
    "on-exit": TEXT, "adopt": SWITCH,
    "share": NUMBER, "noplan": TEXTS, "guard": TEXT, "idle-ticks": (int,),
    "state": TEXT, "journal": TEXT, "private": SWITCH, "metrics": (int,), "conf": TEXT,
    "timeout": TEXT, "partition": TEXTS, "unit": TEXT, "slack": TEXT, "default-limit": TEXT, "tasks": (int,),
    "count-memory": SWITCH,
}  # fmt: skip
_WORDS: Mapping[tuple[type, ...], str] = {
    TEXT: "a text",
    NUMBER: "a number",
    (int,): "a whole number",
    TEXTS: "a list of texts",
    SWITCH: "true or false",
}


@dataclass(frozen=True)
class Owner:
    """Whose file it is, and who may write it.

    Attributes
    ----------
    user : int
        Number of the user.
    mode : int
        The permissions.
    """

    user: int
    mode: int


def read_settings(path: Path) -> dict[str, Any]:
    """Read a configuration file.

    Parameters
    ----------
    path : Path
        The file. Whoever can write it decides what the driver does to the cluster, so it belongs to root or to the
        user who runs the driver, and neither its group nor others may write it, nor replace it in its folder.

    Returns
    -------
    dict of str to object
        Values by the names of flags.

    Raises
    ------
    ValueError
        If others could have written it, it is no TOML, or a key is unknown or of the wrong type; names file and line.
    OSError
        If it cannot be read.
    """
    try:
        check_trusted(path)
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: there is no such configuration file") from None
    try:
        text = data.decode("utf-8")
        given = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{path}: it is no TOML file ({error})") from None
    for key, value in given.items():
        _check_value(path, text, key, value)
    return given


def check_trusted(path: Path) -> None:
    """Raise a ``ValueError`` if somebody but root and whoever runs this could have written or replaced a file.

    Neither the file nor a folder above it may be others', nor be writable by others; in folders such as /tmp, only
    owners replace their files.
    """
    for place in (path.absolute(), path.resolve()):
        for part in (place, *place.parents):
            status = part.stat()
            if part == place or not status.st_mode & stat.S_ISVTX:
                check_owner(part, Owner(status.st_uid, status.st_mode), os.geteuid())


def check_owner(path: Path, owner: Owner, me: int) -> None:
    """Raise a ``ValueError`` if somebody but root and ``me`` could have written a file or folder."""
    if owner.user not in (0, me):
        raise ValueError(
            f"{path}: it belongs to user {owner.user}, who could have the cluster do anything; "
            "give it to root or to the driver's user"
        )
    if owner.mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ValueError(f"{path}: others than its owner may write it; run: chmod go-w {path}")


def _check_value(path: Path, text: str, key: str, value: Any) -> None:
    where = f"{path}, line {line_of(text, key=key)}: {key}"
    if key not in KEYS:
        raise ValueError(f"{where}: there is no such key; {did_you_mean(key, list(KEYS))}")
    wanted = KEYS[key]
    wrong = not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not SWITCH)
    if wrong or (wanted is TEXTS and not all(isinstance(one, str) for one in value)):
        raise ValueError(f"{where}: {value!r} is not {_WORDS[wanted]}")


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
_PARTITION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", re.ASCII)


def site_file(
    name: str,
    state: Path,
    silent: int,
    partitions: tuple[str, ...] = (),
    *,
    horizon: int = 600,
    noplan: tuple[str, ...] = ("root",),
) -> str:
    """Return the text of a file that a site installs.

    Parameters
    ----------
    name : str
        One of :data:`SITE_FILES`.
    state : Path
        The driver's folder, with its heartbeat.
    silent : int
        After how many seconds of silence the driver counts as dead.
    partitions : tuple of str
        The partitions that are planned; none for all.
    horizon : int
        After how many seconds a job that arrives may start without a driver.
    noplan : tuple of str
        The users who may keep jobs out of the plan; ``*`` for all.

    Raises
    ------
    ValueError
        If the folder, a partition, a user or this installation's path has a character that the files could not hold.
    """
    if not _PATH.fullmatch(str(state)):
        raise ValueError(f"state: {str(state)!r} is no absolute path of letters, digits and _./-")
    for partition in partitions:
        if not _PARTITION.fullmatch(partition):
            raise ValueError(f"partition: {partition!r} is no name of a partition")
    for user in noplan:
        if not (_PARTITION.fullmatch(user) or user == "*"):
            raise ValueError(f"noplan: {user!r} is no name of a user, nor *")
    for what, seconds in (("silent", silent), ("horizon", horizon)):
        if seconds < 1:
            raise ValueError(f"{what}: {seconds} is not a positive number of seconds")
    program = Path(sys.prefix) / "bin" / "planbatch"
    if not program.is_file():
        program = Path(shutil.which("planbatch") or "/usr/bin/planbatch")
    if not _PATH.fullmatch(str(program)):
        raise ValueError(
            f"{program}: systemd's units cannot name this file; install planbatch elsewhere"
        )
    at_home = program.is_relative_to("/home") or program.is_relative_to("/root")
    text = (files("planbatch.experiments.live.slurm") / "assets" / name).read_text(encoding="utf-8")
    values = {
        "@HEARTBEAT@": str(state / NAME),
        "@STATE@": str(state),
        "@PLANBATCH@": str(program),
        "@PROTECT_HOME@": "read-only" if at_home else "yes",
        "@SILENT@": str(silent),
        "@HORIZON@": str(horizon),
        "@AHEAD@": str(AHEAD),
        "@NOPLAN@": ", ".join(f'["{user}"] = true' for user in noplan),
        "@NOPLAN_LIST@": ", ".join(f'"{user}"' for user in noplan),
        "@PARTITIONS@": ", ".join(f'["{name}"] = true' for name in partitions),
        "@PARTITION_LIST@": ", ".join(f'"{name}"' for name in partitions),
    }
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text
