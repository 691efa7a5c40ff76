"""``planbatch slurm files``: what a site installs."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from planbatch.experiments.cli.flags import Json, out_flag
from planbatch.experiments.cli.parameters import flag
from planbatch.experiments.cli.shell import notify, print_json
from planbatch.experiments.cli.slurm.flags import DRIVER, STATE, Partitions, State, rules_flags
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.common.paths import check_folder
from planbatch.experiments.live.slurm.marks import DriveRules


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
    from planbatch.experiments.live.slurm.site import SITE_FILES, site_file

    check_folder("out", out)
    rules = replace(rules, partitions=cluster.partitions)
    texts = {name: site_file(name, state, silent_for, rules) for name in SITE_FILES}
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
        notify(f"{out / name}: {SITE_FILES[name]}")
    if as_json:
        print_json({"files": [str(out / name) for name in SITE_FILES]})
