"""``planbatch slurm observe``: a cluster at this moment, as a round file."""

import json
from pathlib import Path

import click

from planbatch.experiments.cli.shell import print_table, say
from planbatch.experiments.cli.slurm.flags import Watched, watch_options


@click.command()
@watch_options
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), default=Path("out/round.json"),
              show_default=True, metavar="FILE", help="The round file; - for standard output.")  # fmt: skip
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Save Slurm's own output there as well, for --from.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="List every job that is left out, not only the first ones.",
)
def command(watched: Watched, out: Path, keep: Path | None, everything: bool) -> None:
    """Write what runs and waits now as a round file, for planbatch round.

    What is not in it is listed: jobs that are held, wait for others or for their time, are not ours to plan, or never
    start; nodes that are not usable; and what was assumed. Nothing is ever written to the cluster.
    """
    from planbatch.experiments.figures.live_table import observation_lines, remark_table
    from planbatch.experiments.live.slurm.observe import observe
    from planbatch.experiments.rounds.file import round_to, write_round

    seen = observe(watched.snapshot(keep), watched.options)
    if str(out) == "-":
        click.echo(json.dumps(round_to(seen.problem, seen.source)))
        return
    print_table(*observation_lines(seen))
    for title, remarks in (("left out", seen.left_out), ("noted", seen.noted)):
        if remarks:
            print_table(remark_table(title, remarks, None if everything else 3))
    out.parent.mkdir(parents=True, exist_ok=True)
    write_round(out, seen.problem, seen.source)
    say(f"the round is in {out}; plan it with: planbatch round {out}")
