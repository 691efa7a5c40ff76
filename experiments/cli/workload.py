"""``planbatch workload``: describe, transform, generate or fetch workloads."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from planbatch.experiments.cli.flags import json_option, seed_option, workload_options
from planbatch.experiments.cli.shell import print_json, print_table, say
from planbatch.experiments.cli.verb import LOG, MACHINE, ArchiveName, Log, OneOf, VerbGroup, flag
from planbatch.experiments.workloads.archive import ARCHIVE_URL, CATALOGUE, cached_path, find_log
from planbatch.experiments.workloads.options import WorkloadOptions

#: Kinds of jobs in the model of Lublin and Feitelson.
KINDS = ("batch", "interactive", "all")


@click.group(cls=VerbGroup)
def command() -> None:
    """Look into, transform, generate or fetch workloads.

    A LOG is a file in the Standard Workload Format, a table of jobs (CSV, Parquet), or what sacct prints, plain or
    compressed (gzip, xz, zstd); or the name of a log that was fetched.
    """


@command.command()
@click.argument("log", required=False, type=Log())
@workload_options
@json_option
def info(log: str | None, options: WorkloadOptions, as_json: bool) -> None:
    """Describe LOG (without one: the embedded workload).

    Anomalies and the recorded load are those of the whole log; everything else is about the jobs that remain
    after the flags.
    """
    from planbatch.experiments.figures.workload_table import workload_tables
    from planbatch.experiments.workloads.describe import workload_info
    from planbatch.experiments.workloads.load import (
        load_log,
        transform_workload,
        workload_of_log,
    )
    from planbatch.experiments.workloads.lublin import default_workload

    if log is None:
        described = workload_info(transform_workload(default_workload(), options))
    else:
        read = load_log(log, options, say)
        described = workload_info(workload_of_log(read, options), read)
    if as_json:
        print_json(described)
    else:
        for part in workload_tables(described):
            print_table(part, "")


@command.command()
@click.argument("source", metavar="IN", type=Log())
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@workload_options
@json_option
def transform(source: str, target: Path, options: WorkloadOptions, as_json: bool) -> None:
    """Transform the log IN by the flags, and write it to OUT.

    OUT is compressed if it ends in .gz, .xz or .zst. Lines that no replay could use are left out. The header is
    kept, and a note of what was done is added to it.
    """
    from planbatch.experiments.workloads.load import load_log, transform_log
    from planbatch.experiments.workloads.swf.write import write_swf

    log = load_log(source, options, say)
    result = transform_log(log, options)
    write_swf(target, result)
    tell_written(len(result), target, as_json)


def tell_written(jobs: int, target: Path, as_json: bool) -> None:
    """Print what was written where."""
    if as_json:
        print_json({"jobs": jobs, "file": str(target)})
    say(f"{jobs:,} jobs written to {target}")


@command.command()
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@flag("--count", type=click.IntRange(min=1), default=5000, show_default=True, metavar="N", panel=LOG,
      help="How many jobs.")  # fmt: skip
@flag(
    "--offered-load",
    type=float,
    metavar="X",
    panel=LOG,
    help="Offered load to reach by scaling the arrivals.",
)
@flag("--kind", type=OneOf(KINDS), default="batch", show_default=True, panel=LOG, help="Of the jobs.")  # fmt: skip
@flag("--user-estimates/--no-user-estimates", default=True, show_default=True, panel=LOG,
      help="Requested times as users would estimate them, or the run times.")  # fmt: skip
@seed_option(LOG, default=1)
@flag("--capacity", default=256, show_default=True, metavar="N", panel=MACHINE, help="Processors.")
@flag("--scarce-memory", metavar="AMOUNT", panel=MACHINE,
      help="Give the jobs memory, as scarce as processors, of a machine with 256GB or 1GB/processor; replay with "
      "--memory requested --memory-capacity AMOUNT.")  # fmt: skip
@json_option
def generate(
    target: Path,
    count: int,
    offered_load: float | None,
    kind: str,
    user_estimates: bool,
    seed: int,
    capacity: int,
    scarce_memory: str | None,
    as_json: bool,
) -> None:
    """Generate a workload by the model of Lublin and Feitelson, and write it to OUT as a log."""
    from planbatch.experiments.workloads.lublin import synthetic_workload
    from planbatch.experiments.workloads.resources import with_scarce_memory
    from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf

    workload = synthetic_workload(count, capacity, seed, offered_load, kind, user_estimates)
    if scarce_memory is not None:
        workload = with_scarce_memory(workload, scarce_memory, seed)
    write_swf(target, swf_from_workload(workload))
    tell_written(len(workload), target, as_json)


@command.command("fetch")
@click.argument("name", required=False, type=ArchiveName())
@flag("--url", default=ARCHIVE_URL, show_default=True, panel=LOG, help="The archive, or a mirror.")
@flag("--force", is_flag=True, panel=LOG, help="Fetch it again even if it is in the cache.")
@json_option
def fetch_command(name: str | None, url: str, force: bool, as_json: bool) -> None:
    """Fetch the log NAME of the Parallel Workloads Archive (without NAME: list what there is).

    It is kept in the user's cache, and can then be named wherever a log is taken.
    """
    if name is None:
        _list_catalogue(as_json)
        return
    log = find_log(name)
    there = cached_path(log).is_file() and not force
    path = cached_path(log) if there else _fetch_with_bar(log, url, force)
    if there:
        say(f"{log.name} has been fetched before")
    elif log.sha256 is None:
        say(f"{log.name}: fetched, but not verified: its checksum is not known here")
    else:
        say(f"{log.name}: fetched and verified")
    if as_json:
        print_json({"name": log.name, "file": str(path), "verified": log.sha256 is not None})
    else:
        click.echo(path)


def _fetch_with_bar(log: Any, url: str, force: bool) -> Path:
    """Fetch a log, with a bar on standard error if that is a terminal."""
    from planbatch.experiments.workloads.download import fetch

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(log.name, total=None)
        return fetch(
            log,
            url=url,
            force=force,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


def _list_catalogue(as_json: bool) -> None:
    if as_json:
        logs = [
            {"name": log.name, "processors": log.capacity, "fetched": cached_path(log).is_file()}
            for log in CATALOGUE.values()
        ]
        print_json({"logs": logs})
        return
    from planbatch.experiments.common.table import Column, Table

    rows = [
        {
            "name": log.name,
            "processors": log.capacity,
            "checksum": "not verified" if log.sha256 is None else "known",
            "fetched": "yes" if cached_path(log).is_file() else "",
        }
        for log in CATALOGUE.values()
    ]
    columns = [Column("name", "name"), Column("processors", "processors", "{:,}".format)]
    columns += [Column("checksum", "checksum"), Column("fetched", "fetched")]
    print_table(Table("logs", "", columns, rows))
