"""``planbatch workload``: describe, transform, generate or fetch workloads."""

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from planbatch.experiments.cli.shell import say
from planbatch.experiments.cli.workload_flags import workload_options
from planbatch.experiments.figures.workload_table import print_info
from planbatch.experiments.workloads.archive import ARCHIVE_URL, CATALOGUE, cached_path, find_log
from planbatch.experiments.workloads.describe import workload_info
from planbatch.experiments.workloads.download import fetch
from planbatch.experiments.workloads.load import (
    load_log,
    transform_log,
    transform_workload,
    workload_of_log,
)
from planbatch.experiments.workloads.lublin import KINDS, default_workload, synthetic_workload
from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.experiments.workloads.resources import with_scarce_memory
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf


@click.group()
def command() -> None:
    """Look into, transform, generate or fetch workloads.

    A LOG is a file in the Standard Workload Format, a table of jobs (CSV, Parquet), or what sacct prints, plain or
    compressed (gzip, xz, zstd); or the name of a log that was fetched.
    """


@command.command()
@click.argument("log", required=False)
@workload_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def info(log: str | None, options: WorkloadOptions, as_json: bool) -> None:
    """Describe LOG (without one: the embedded workload).

    Anomalies and the recorded load are those of the whole log; everything else is about the jobs that remain
    after the flags.
    """
    if log is None:
        described = workload_info(transform_workload(default_workload(), options))
    else:
        read = load_log(log, options, say)
        described = workload_info(workload_of_log(read, options), read)
    if as_json:
        click.echo(json.dumps(described, ensure_ascii=False))
    else:
        print_info(described, Console())


@command.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@workload_options
def transform(source: str, target: Path, options: WorkloadOptions) -> None:
    """Transform the log IN by the flags, and write it to OUT.

    OUT is compressed if it ends in .gz, .xz or .zst. Lines that no replay could use are left out. The header is
    kept, and a note of what was done is added to it.
    """
    log = load_log(source, options, say)
    result = transform_log(log, options)
    write_swf(target, result)
    say(f"{len(result):,} jobs written to {target}")


@command.command()
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--jobs", default=5000, show_default=True, metavar="N", help="How many jobs.")
@click.option("--procs", default=256, show_default=True, metavar="P", help="Processors.")
@click.option(
    "--seed", default=1, show_default=True, metavar="S", help="Seed of the random numbers."
)
@click.option(
    "--load", type=float, metavar="X", help="Offered load to reach by scaling the arrivals."
)
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    default="batch",
    show_default=True,
    help="Of the jobs.",
)
@click.option(
    "--estimates/--no-estimates",
    default=True,
    show_default=True,
    help="Requested times as users would estimate them, or the run times.",
)
@click.option(
    "--memory",
    metavar="AMOUNT",
    help="Give the jobs memory, as scarce as processors, of a machine with 256GB or 1GB/processor; replay with "
    "--memory requested --memory-capacity AMOUNT.",
)
def generate(
    target: Path,
    jobs: int,
    procs: int,
    seed: int,
    load: float | None,
    kind: str,
    estimates: bool,
    memory: str | None,
) -> None:
    """Generate a workload by the model of Lublin and Feitelson, and write it to OUT as a log."""
    workload = synthetic_workload(jobs, procs, seed, load, kind, estimates)
    if memory is not None:
        workload = with_scarce_memory(workload, memory, seed)
    write_swf(target, swf_from_workload(workload))
    say(f"{len(workload):,} jobs written to {target}")


@command.command("fetch")
@click.argument("name", required=False)
@click.option("--url", default=ARCHIVE_URL, show_default=True, help="The archive, or a mirror.")
@click.option("--force", is_flag=True, help="Fetch it again even if it is in the cache.")
def fetch_command(name: str | None, url: str, force: bool) -> None:
    """Fetch the log NAME of the Parallel Workloads Archive (without NAME: list what there is).

    It is kept in the user's cache, and can then be named wherever a log is taken.
    """
    if name is None:
        _list_catalogue(Console())
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
    click.echo(path)


def _fetch_with_bar(log: Any, url: str, force: bool) -> Path:
    """Fetch a log, with a bar on standard error if that is a terminal."""
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


def _list_catalogue(console: Console) -> None:
    table = Table()
    table.add_column("name", no_wrap=True)
    table.add_column("processors", justify="right")
    table.add_column("checksum")
    table.add_column("fetched")
    for log in CATALOGUE.values():
        known = "not verified" if log.sha256 is None else "known"
        table.add_row(
            log.name, f"{log.capacity:,}", known, "yes" if cached_path(log).is_file() else ""
        )
    console.print(table)
