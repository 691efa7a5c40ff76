"""``planbatch convert``: the jobs of a replay for other tools, and back."""

from pathlib import Path

import click


@click.command()
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--capacity",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processors of the machine, if IN does not have them (by default, the most in use at once).",
)
def command(source: Path, target: Path, capacity: int | None) -> None:
    """Write the jobs of IN, with their starts, to OUT.

    The names of IN and OUT give their formats: .csv is the jobs CSV of Batsim (which evalys reads), .swf a log
    in the Standard Workload Format with its waits, and jobs.parquet or its folder the cell of an experiment;
    for OUT, .json is a workload of Batsim 4 and .xml a platform of the machine's size; .gz, .xz and .zst compress.
    A log written in this way can be replayed: planbatch replay reads .swf.
    """
    from planbatch.experiments.runs.convert import (
        KINDS,
        WRITTEN,
        kind_of,
        read_schedule,
        write_schedule,
    )

    written = kind_of(target, KINDS | WRITTEN) in WRITTEN
    schedule = read_schedule(source, capacity, starts=not written)
    write_schedule(target, schedule)
    click.echo(f"{len(schedule.jobs):,} jobs written to {target}", err=True)
