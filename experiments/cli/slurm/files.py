"""``planbatch slurm files``: what a site installs."""

from pathlib import Path

import click

from planbatch.experiments.cli.shell import check_folder, say
from planbatch.experiments.cli.slurm.flags import (
    Duration,
    horizon_option,
    noplan_option,
    out_option,
    partition_option,
    state_option,
)


@click.command()
@out_option("out/site", "Where the files are written.")
@state_option("Where the driver's lock and its heartbeat will be.")
@click.option(
    "--silent",
    type=Duration(),
    default="3min",
    show_default=True,
    metavar="TIME",
    help="After how long a driver that is silent counts as dead.",
)
@horizon_option
@noplan_option
@partition_option
def command(
    out: Path,
    state: Path,
    silent: float,
    horizon: float,
    noplan: tuple[str, ...],
    partitions: tuple[str, ...],
) -> None:  # fmt: skip
    """Write the files that a site installs: job_submit.lua, a configuration, systemd units."""
    from planbatch.experiments.live.slurm.site import SITE_FILES, site_file

    check_folder(out)
    texts = {
        name: site_file(name, state, int(silent), partitions, horizon=int(horizon), noplan=noplan)
        for name in SITE_FILES
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, what in SITE_FILES.items():
        (out / name).write_text(texts[name], encoding="utf-8")
        say(f"{out / name}: {what}")
