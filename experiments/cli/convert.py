"""``planbatch convert``: the jobs of a replay for other tools, and back."""

from pathlib import Path

import click

from planbatch.experiments.cli.flags import json_option
from planbatch.experiments.cli.shell import print_json, say
from planbatch.experiments.cli.verb import MACHINE, flag, verb


@verb
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path, dir_okay=False))
@flag("--capacity", type=int, metavar="N", panel=MACHINE,
      help="Processors of the machine, if IN does not have them (by default, the most in use at once).")  # fmt: skip
@json_option
def command(source: Path, target: Path, capacity: int | None, as_json: bool) -> None:
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

    if capacity is not None and capacity < 1:
        raise ValueError(f"capacity: {capacity} is not a positive number of processors")
    written = kind_of(target, KINDS | WRITTEN) in WRITTEN
    schedule = read_schedule(source, capacity, starts=not written)
    write_schedule(target, schedule)
    if as_json:
        print_json({"jobs": len(schedule.jobs), "file": str(target)})
    say(f"{len(schedule.jobs):,} jobs written to {target}")
