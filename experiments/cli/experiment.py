"""``planbatch experiment``: a grid of workloads, policies and seeds from a TOML file, run and resumed."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from planbatch.experiments.cli.flags import Json, Metrics, jobs_flag, out_flag
from planbatch.experiments.cli.parameters import FILE, RUN, argument, flag
from planbatch.experiments.cli.shell import exit_code, notify, print_json, print_table
from planbatch.experiments.cli.verb import VerbGroup
from planbatch.experiments.common.paths import check_file, check_folder

if TYPE_CHECKING:
    from planbatch.experiments.studies.grid import RunReport
    from planbatch.experiments.studies.spec import Experiment

#: What ``planbatch experiment init`` writes.
TEMPLATE = """\
# planbatch experiment run THIS_FILE: every workload under every policy, with every seed.
title = "EASY against a plan"
seeds = [0, 1, 2, 3, 4]           # policies that draw random numbers are replayed with each
evaluations = 100                 # plans that they evaluate per round
estimates = ["requested"]         # what schedulers know of run times: requested, actual, mixed, predicted:NAME
# metrics = ["p95-wait"]          # further columns; planbatch list metrics has all

[[workload]]
name = "embedded"
source = "embedded"               # or a file, or the name of a log: planbatch workload fetch
# first = 5000                    # only the first jobs
# load = 1.2                      # compress arrivals

[[policy]]
name = ["easy", "conservative"]   # planbatch list policies has all; your own are FILE.py:NAME

[[policy]]
name = "plan"
objective = ["squared-wait"]
promise = ["none", "2x"]          # a latest start for each job
"""


@click.group(cls=VerbGroup)
def command() -> None:
    """Run experiments: grids of workloads, policies and seeds, from TOML files."""


@command.verb
def run(
    *,
    file: Annotated[Path, argument(type=FILE)],
    jobs: Annotated[int | None, jobs_flag("Replays at a time; by default as many as there are cores.")] = None,
    backend: Annotated[str, flag(
        "What runs them: loky (processes), threading, dask.", "NAME", panel=RUN)] = "loky",
    scheduler: Annotated[str | None, flag(
        "An existing cluster: tcp://HOST:8786 or a scheduler file (with --backend dask).",
        "ADDRESS", panel=RUN)] = None,
    part: Annotated[str | None, flag(
        "Run only the K-th of N parts, such as $SLURM_ARRAY_TASK_ID/64; parts may share a folder, or be merged.",
        "K/N", panel=RUN)] = None,
    dry_run: Annotated[bool, flag("List the cells with an estimate of their time; run none.", panel=RUN)] = False,
    out: Annotated[Path | None, out_flag(
        "Folder of the results; by default out/ and the name of FILE. Cells stored there are not run again.")] = None,
    metrics: Metrics = (),
    as_json: Json = False,
) -> int:  # fmt: skip
    """Run the experiment of a TOML FILE; finished cells are not run again.

    Every cell is stored as soon as it is finished. After an interrupt, a crash or a full disk, the same command
    continues. docs/experiments.md says how to write the file.
    """
    from planbatch.experiments.runs.backends import check_backend
    from planbatch.experiments.studies.experiment_file import read_experiment

    check_backend(backend, scheduler)
    out = out or Path("out") / file.stem
    check_folder("out", out)
    experiment = read_experiment(file)
    experiment = replace(experiment, metrics=(*experiment.metrics, *metrics))

    from planbatch.experiments.common.pinned_core import usable_cores
    from planbatch.experiments.studies.grid import run_experiment

    part_numbers = None if part is None else parse_part(part)
    if dry_run:
        list_cells(experiment, out, part_numbers, as_json)
        return 0
    report = run_experiment(
        experiment,
        out,
        jobs=jobs or len(usable_cores()),
        backend=backend,
        scheduler=scheduler,
        part=part_numbers,
        notify=notify,
        quiet=False,
    )
    if as_json:
        print_json(report.to_dict())
    elif not report.interrupted:
        show(report)
    failures = [f"planbatch: no result: {name}: {error}" for name, error in report.failed.items()]
    stored = f"{report.cells - report.missing} of {report.cells} cells are stored in {report.folder}"
    return exit_code(failures, f"{stored}; run the same command again to continue" if report.interrupted else "")


@command.verb
def merge(
    *,
    file: Annotated[Path, argument(type=FILE)],
    folders: Annotated[tuple[Path, ...], argument(nargs=-1)],
    out: Annotated[Path | None, out_flag("Folder of the whole; may be one of FOLDERS.")] = None,
    as_json: Json = False,
) -> int:
    """Put together the parts of the experiment of a TOML FILE that were run in several FOLDERS.

    Missing cells are named, and the exit code is 1.
    """
    if out is None:
        raise ValueError("out: name the folder of the whole with --out FOLDER")
    check_folder("out", out)
    from planbatch.experiments.studies.experiment_file import read_experiment
    from planbatch.experiments.studies.grid import merge_experiment

    report = merge_experiment(read_experiment(file), folders, out, notify=notify)
    if as_json:
        print_json(report.to_dict())
    else:
        show(report)
    return 1 if report.missing else 0


@command.verb
def init(*, file: Annotated[Path, argument(type=FILE)], as_json: Json = False) -> None:
    """Write a commented experiment to FILE, to begin with."""
    if file.exists():
        raise ValueError(f"{file}: the file exists; choose another name")
    check_file("file", file)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(TEMPLATE, encoding="utf-8")
    if as_json:
        print_json({"file": str(file)})
    notify(f"{file} written; run it with: planbatch experiment run {file}")


def parse_part(text: str) -> tuple[int, int]:
    """Read ``K/N``.

    >>> parse_part("3/64")
    (3, 64)
    """
    number, slash, count = text.partition("/")
    if not (slash and number.isdecimal() and count.isdecimal()):
        raise ValueError(f"part: {text!r} is not K/N, such as 3/64")
    return int(number), int(count)


def list_cells(experiment: "Experiment", out: Path, part: tuple[int, int] | None, as_json: bool) -> None:
    """Print the cells of an experiment that are to be run, each with an estimate of its time."""
    from planbatch.experiments.common.text import duration
    from planbatch.experiments.runs.store import Store
    from planbatch.experiments.studies.cells import expand
    from planbatch.experiments.studies.grid import estimated_seconds, part_of

    cells = expand(experiment, notify)
    part_keys = set(part_of([cell.key for cell in cells], part))
    store = Store(out)
    rows = []
    for cell in cells:
        if cell.key in part_keys:
            stored = store.folder_of(cell.key).exists()
            rows.append((cell.name, 0.0 if stored else estimated_seconds(cell), stored))
    total = sum(seconds for _, seconds, _ in rows)
    if as_json:
        listed = [{"cell": name, "seconds": s, "stored": stored} for name, s, stored in rows]
        print_json({"cells": listed, "seconds": total})
        return
    for name, seconds, stored in rows:
        click.echo(f"{name}: {'stored' if stored else 'about ' + duration(seconds)}")
    click.echo(f"{len(rows)} cells, about {duration(total)} of one core; nothing was run")


def show(report: "RunReport") -> None:
    """Print the metrics of all cells, and the error of split replays."""
    from planbatch.experiments.figures.tables import cell_table, span_table

    errors = span_table(report.folder)
    tables = [cell_table(report.folder, report.metrics)] if report.records else []
    print_table(*tables, *([] if errors is None else [errors]))
    click.echo(f"results: {report.folder}")
