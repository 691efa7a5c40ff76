"""``planbatch slurm files``: what a site installs."""

from pathlib import Path

import click

from planbatch.experiments.command.shell import check_folder, say
from planbatch.experiments.command.slurm.drive import STATE
from planbatch.experiments.command.slurm.flags import Duration


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("out/site"),
    show_default=True,
    metavar="FOLDER",
    help="Where the files are written.",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    default=STATE,
    show_default=True,
    metavar="FOLDER",
    help="Where the driver's lock and its heartbeat will be.",
)
@click.option(
    "--silent",
    type=Duration(),
    default="60s",
    show_default=True,
    metavar="TIME",
    help="After how long a driver that is silent counts as dead.",
)
@click.option(
    "--partition",
    "partitions",
    multiple=True,
    metavar="NAME",
    help="Plan this partition only; may be repeated.  [default: all]",
)
def command(out: Path, state: Path, silent: float, partitions: tuple[str, ...]) -> None:  # fmt: skip
    """Write the files that a site installs: job_submit.lua, a configuration, systemd units."""
    from planbatch.experiments.live.slurm.files import SITE_FILES, site_file

    check_folder(out)
    texts = {name: site_file(name, state, int(silent), partitions) for name in SITE_FILES}
    out.mkdir(parents=True, exist_ok=True)
    for name, what in SITE_FILES.items():
        (out / name).write_text(texts[name], encoding="utf-8")
        say(f"{out / name}: {what}")
