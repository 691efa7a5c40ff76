"""``planbatch slurm files``: what a site installs."""

from pathlib import Path

from planbatch.experiments.cli.flags import json_option, out_folder
from planbatch.experiments.cli.shell import check_folder, print_json, say
from planbatch.experiments.cli.slurm.flags import (
    horizon_option,
    noplan_option,
    partition_option,
    state_option,
    time_option,
)
from planbatch.experiments.cli.verb import verb


@verb
@out_folder("Where the files are written.", "out/site")
@state_option("Where the driver's lock and its heartbeat will be.")
@time_option(
    "--silent-for", "3min",
    "After how long a driver that is silent counts as dead; should exceed eight times --timeout, since a tick may take "
    "as long while Slurm is slow.",
)  # fmt: skip
@horizon_option
@noplan_option
@partition_option
@json_option
def command(
    out: Path,
    state: Path,
    silent_for: float,
    horizon: float,
    noplan: tuple[str, ...],
    partitions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write the files that a site installs: job_submit.lua, a configuration, systemd units."""
    from planbatch.experiments.live.slurm.site import SITE_FILES, site_file

    check_folder(out)
    texts = {
        name: site_file(
            name, state, int(silent_for), partitions, horizon=int(horizon), noplan=noplan
        )
        for name in SITE_FILES
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
        say(f"{out / name}: {SITE_FILES[name]}")
    if as_json:
        print_json({"files": [str(out / name) for name in SITE_FILES]})
