"""``planbatch slurm files``: what a site installs."""

from pathlib import Path

from planbatch.experiments.cli.flags import Duration, json_option, out_folder
from planbatch.experiments.cli.shell import check_folder, print_json, say
from planbatch.experiments.cli.slurm.flags import (
    DRIVER,
    horizon_option,
    noplan_option,
    partition_option,
    state_option,
)
from planbatch.experiments.cli.verb import flag, verb


@verb
@out_folder("Where the files are written.", "out/site")
@state_option("Where the driver's lock and its heartbeat will be.")
@flag(
    "--silent-for",
    "silent",
    panel=DRIVER,
    type=Duration(),
    default="3min",
    show_default=True,
    metavar="TIME",
    help="After how long a driver that is silent counts as dead.",
)
@horizon_option
@noplan_option
@partition_option
@json_option
def command(
    out: Path,
    state: Path,
    silent: float,
    horizon: float,
    noplan: tuple[str, ...],
    partitions: tuple[str, ...],
    as_json: bool,
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
    if as_json:
        print_json({"files": [str(out / name) for name in SITE_FILES]})
