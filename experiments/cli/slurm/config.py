"""The flag ``--config``: values of other flags, from a TOML file that only its owner can write."""

import os
import stat
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from planbatch.experiments.cli.parameters import FILE, Flag, flag
from planbatch.experiments.cli.slurm.flags import DRIVER
from planbatch.experiments.common.toml_lines import line_of
from planbatch.planner.names import did_you_mean

#: Flags that are for the command line alone.
_NO_KEYS = frozenset(("config", "from", "ticks", "json", "quiet", "verbose"))


def config_flag(keys_of: click.Command | None = None) -> Flag:
    """Return the flag; ``keys_of`` is the command whose flags are the keys of the file, by default its own.

    Its value is passed to no verb: the values in the file are the defaults of the verb's other flags.
    """
    return flag(
        "A TOML file with values of these flags, writable by its owner only.",
        "FILE", panel=DRIVER, type=FILE, is_eager=True, expose_value=False, callback=partial(_take_over, keys_of),
    )  # fmt: skip


def _take_over(keys_of: click.Command | None, ctx: click.Context, _param: click.Parameter, path: Path | None) -> None:
    """Make the file's values the defaults of the flags of the same names."""
    if path is None:
        return
    flags = flags_of(ctx.command)
    values = read_settings(path, flags_of(keys_of or ctx.command))
    defaults = {flags[key].name: value for key, value in values.items() if key in flags}
    ctx.default_map = {**(ctx.default_map or {}), **{str(k): v for k, v in defaults.items()}}


def flags_of(command: click.Command) -> dict[str, click.Option]:
    """Return the flags of a command that the file may set, by key."""
    options = [param for param in command.params if isinstance(param, click.Option)]
    flags = {name.removeprefix("--"): option for option in options for name in option.opts if name.startswith("--")}
    return {name: option for name, option in flags.items() if name not in _NO_KEYS}


def read_settings(path: Path, flags: Mapping[str, click.Option]) -> dict[str, Any]:
    """Read a configuration file: values by the keys of ``flags``.

    Whoever can write it decides what the driver does to the cluster: it belongs to root or to the user who runs the
    driver, and neither its group nor others may write it, nor replace it in its folder. ``ValueError`` if they may, if
    it is not TOML, or if a key is unknown or of the wrong type; names file and line.
    """
    try:
        check_trusted(path)
        text = path.read_bytes().decode("utf-8")
        settings = tomllib.loads(text)
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: there is no such configuration file") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{path}: it is not a TOML file ({error})") from None
    for key, value in settings.items():
        where = f"{path}, line {line_of(text, key=key)}: {key}"
        if key not in flags:
            raise ValueError(f"{where}: there is no such key; {did_you_mean(key, list(flags))}")
        types, words = _kind(flags[key])
        values = value if flags[key].multiple and isinstance(value, list) else [value]
        if not all(type(value) in types for value in values):
            raise ValueError(f"{where}: {value!r} is not {words}")
        settings[key] = values if flags[key].multiple else value
    return settings


def _kind(param: click.Option) -> tuple[tuple[type, ...], str]:
    """Return the types of a flag's values in the file, and a description of them."""
    if param.is_flag:
        return (bool,), "true or false"
    if isinstance(param.type, click.types.IntParamType):
        return (int,), "a whole number"
    if isinstance(param.type, click.types.FloatParamType):
        return (int, float), "a number"
    return (str,), "a list of texts" if param.multiple else "a text"


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
