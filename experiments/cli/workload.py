"""``planbatch workload``: describe, transform, generate or fetch workloads."""

from pathlib import Path
from typing import Annotated, Literal

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from planbatch.experiments.cli.flags import Json, WorkloadFlags, seed_flag
from planbatch.experiments.cli.parameters import LOG, MACHINE, ArchiveName, Log, argument, flag
from planbatch.experiments.cli.shell import notify, print_json, print_result
from planbatch.experiments.cli.verb import VerbGroup
from planbatch.experiments.common.paths import check_file
from planbatch.experiments.workloads.archive import ARCHIVE_URL, CATALOGUE, ArchiveLog, cached_path, find_log


@click.group(cls=VerbGroup)
def command() -> None:
    """Describe, transform, generate or fetch workloads.

    A LOG is a file in the Standard Workload Format, a table of jobs (CSV, Parquet), or what sacct prints, plain or
    compressed (gzip, xz, zstd); or the name of a log that was fetched.
    """


@command.verb
def info(
    *, log: Annotated[str | None, argument(type=Log())] = None, options: WorkloadFlags, as_json: Json = False
) -> None:
    """Describe LOG (without one: the embedded workload).

    Anomalies and the recorded load are those of the whole log; everything else is about the jobs that remain
    after the flags.
    """
    from planbatch.experiments.figures.tables import workload_tables
    from planbatch.experiments.workloads.describe import workload_info
    from planbatch.experiments.workloads.load import EMBEDDED, load_log, transform_workload, workload_of_log
    from planbatch.experiments.workloads.lublin import default_workload

    if log in (None, EMBEDDED):
        described = workload_info(transform_workload(default_workload(), options))
    else:
        swf_log = load_log(log, options, notify)
        described = workload_info(workload_of_log(swf_log, options), swf_log)
    parts = [line for part in workload_tables(described) for line in (part, "")]
    print_result(as_json, described, *parts)


@command.verb
def transform(
    *,
    source: Annotated[str, argument(metavar="IN", type=Log())],
    target: Annotated[Path, argument(metavar="OUT")],
    options: WorkloadFlags,
    as_json: Json = False,
) -> None:
    """Transform the log IN by the flags, and write it to OUT.

    OUT is compressed if it ends in .gz, .xz or .zst. Lines that no replay could use are left out. The header
    stays, with a note of what was done.
    """
    from planbatch.experiments.workloads.load import load_log, transform_log
    from planbatch.experiments.workloads.swf.write import write_swf

    check_file("out", target)
    check_swf_name(target)
    log = load_log(source, options, notify)
    result = transform_log(log, options)
    write_swf(target, result)
    print_summary(len(result), target, as_json)


def check_swf_name(target: Path) -> None:
    """Raise ``ValueError`` if a name promises a format other than SWF."""
    if {suffix.lower() for suffix in target.suffixes} & {".csv", ".json", ".parquet", ".xml", ".zip"}:
        raise ValueError(f"out: {target}: what is written is SWF; give a name such as out.swf or out.swf.gz")


def print_summary(jobs: int, target: Path, as_json: bool) -> None:
    """Print what was written where."""
    if as_json:
        print_json({"jobs": jobs, "file": str(target)})
    notify(f"{jobs:,} jobs written to {target}")


@command.verb
def generate(
    *,
    target: Annotated[Path, argument(metavar="OUT")],
    count: Annotated[int, flag("How many jobs.", "N", panel=LOG, type=click.IntRange(min=1))] = 5000,
    offered_load: Annotated[float | None, flag(
        "Offered load to reach by scaling the arrivals.", "X", panel=LOG)] = None,
    kind: Annotated[Literal["batch", "interactive", "all"], flag("Of the jobs.", panel=LOG)] = "batch",
    user_estimates: Annotated[bool, flag(
        "Requested times as users would estimate them, or the run times.", panel=LOG,
        name="--user-estimates/--no-user-estimates", show_default=True)] = True,
    seed: Annotated[int, seed_flag(LOG)] = 1,
    capacity: Annotated[int, flag("Processors.", "N", panel=MACHINE)] = 256,
    scarce_memory: Annotated[str | None, flag(
        "Give the jobs memory, as scarce as processors, of a machine with 256GB or 1GB/processor; replay with "
        "--memory requested --memory-capacity AMOUNT.", "AMOUNT", panel=MACHINE)] = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Generate a workload by the model of Lublin and Feitelson, and write it to OUT as a log."""
    from planbatch.experiments.workloads.lublin import synthetic_workload
    from planbatch.experiments.workloads.resources import with_scarce_memory
    from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf

    check_file("out", target)
    check_swf_name(target)
    workload = synthetic_workload(count, capacity, seed, offered_load, kind, user_estimates)
    if scarce_memory is not None:
        workload = with_scarce_memory(workload, scarce_memory, seed)
    write_swf(target, swf_from_workload(workload))
    print_summary(len(workload), target, as_json)


@command.verb
def fetch_command(
    *,
    name: Annotated[str | None, argument(type=ArchiveName())] = None,
    url: Annotated[str, flag("The archive, or a mirror.", panel=LOG)] = ARCHIVE_URL,
    force: Annotated[bool, flag("Fetch it again even if it is in the cache.", panel=LOG)] = False,
    as_json: Json = False,
) -> None:
    """Fetch the log NAME of the Parallel Workloads Archive (without NAME: list what there is).

    It goes into the user's cache; wherever a log is expected, its name is enough then.
    """
    if name is None:
        _list_catalogue(as_json)
        return
    log = find_log(name)
    cached = cached_path(log).is_file() and not force
    path = cached_path(log) if cached else _fetch_with_bar(log, url, force)
    if cached:
        notify(f"{log.name} has been fetched before")
    elif log.sha256 is None:
        notify(f"{log.name}: fetched, but not verified: its checksum is not known here")
    else:
        notify(f"{log.name}: fetched and verified")
    if as_json:
        print_json({"name": log.name, "file": str(path), "verified": log.sha256 is not None})
    else:
        click.echo(path)


def _fetch_with_bar(log: ArchiveLog, url: str, force: bool) -> Path:
    """Fetch a log, with a bar on standard error if that is a terminal."""
    from planbatch.experiments.workloads.download import fetch

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(log.name, total=None)
        return fetch(
            log, url=url, force=force, progress=lambda done, total: bar.update(task, completed=done, total=total)
        )


def _list_catalogue(as_json: bool) -> None:
    from planbatch.experiments.common.table import Column, Table

    logs = [
        {"name": log.name, "processors": log.capacity, "fetched": cached_path(log).is_file()}
        for log in CATALOGUE.values()
    ]
    rows = [
        {**row, "checksum": "known" if log.sha256 else "not verified", "fetched": "yes" if row["fetched"] else ""}
        for row, log in zip(logs, CATALOGUE.values(), strict=True)
    ]
    columns = [Column("name", "name"), Column("processors", "processors", "{:,}".format)]
    columns += [Column("checksum", "checksum"), Column("fetched", "fetched")]
    print_result(as_json, {"logs": logs}, Table("logs", "", columns, rows))
