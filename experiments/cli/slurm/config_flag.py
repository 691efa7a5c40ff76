"""The flag ``--config``: values of other flags from a file; those on the command line go before."""

from pathlib import Path
from typing import Any

import click

from planbatch.experiments.cli.slurm.flags import DRIVER
from planbatch.experiments.cli.verb import flag


def _taken_over(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    """Make the file's values the defaults of the flags of the same names."""
    if path is None:
        return
    from planbatch.experiments.live.slurm.site import read_settings

    given = read_settings(path)
    names = {
        option.removeprefix("--"): param.name
        for param in ctx.command.params
        for option in param.opts
    }
    known = {names[key]: value for key, value in given.items() if key in names}
    ctx.default_map = {
        **(ctx.default_map or {}),
        **{str(name): value for name, value in known.items()},
    }


def config_option(command: Any) -> Any:
    """Add the flag to a command."""
    return flag(
        "--config", type=click.Path(path_type=Path, dir_okay=False), is_eager=True, expose_value=False,
        callback=_taken_over, metavar="FILE", panel=DRIVER,
        help="A TOML file with values of these flags, which nobody but its owner may write.",
    )(command)  # fmt: skip
