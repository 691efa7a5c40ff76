"""``planbatch convert``: the jobs of a replay for other tools, and back."""

from pathlib import Path
from typing import Annotated

from planbatch.experiments.cli.flags import Json
from planbatch.experiments.cli.parameters import FILE, MACHINE, argument, flag
from planbatch.experiments.cli.shell import notify, print_json
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.common.paths import check_file


@verb
def command(
    *,
    source: Annotated[Path, argument(metavar="IN")],
    target: Annotated[Path, argument(metavar="OUT", type=FILE)],
    capacity: Annotated[int | None, flag(
        "Processors of the machine, if IN does not have them (by default, the most in use at once).",
        "N", panel=MACHINE)] = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Write the jobs of IN, with their starts, to OUT.

    The names of IN and OUT give their formats: .csv is the jobs CSV of Batsim (which evalys reads), .swf a log
    in the Standard Workload Format with its waits, and jobs.parquet or its folder the cell of an experiment;
    for OUT, .json is a workload of Batsim 4 and .xml a platform of the machine's size; .gz, .xz and .zst compress.
    A log written in this way can be replayed: planbatch replay reads .swf.
    """
    from planbatch.experiments.runs.convert import KINDS, WRITE_ONLY, kind_of, read_schedule, write_schedule

    if capacity is not None and capacity < 1:
        raise ValueError(f"capacity: {capacity} is not a positive number of processors")
    check_file("out", target)
    export = kind_of(target, KINDS | WRITE_ONLY) in WRITE_ONLY
    schedule = read_schedule(source, capacity, starts=not export)
    write_schedule(target, schedule)
    if as_json:
        print_json({"jobs": len(schedule.jobs), "file": str(target)})
    notify(f"{len(schedule.jobs):,} jobs written to {target}")
