"""``planbatch experiment``: a grid of workloads, policies and seeds from a TOML file, run and resumed."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbatch.experiments.cli.metric_flags import metric_option
from planbatch.experiments.cli.shell import INTERRUPTED, print_table, say

if TYPE_CHECKING:
    from planbatch.experiments.studies.grid import RunReport


@click.group()
def command() -> None:
    """Run experiments: grids of workloads, policies and seeds, from TOML files."""


@command.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the results; by default out/ and the name of FILE. Cells stored there are not run again.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Replays at a time; by default as many as there are cores.",
)
@click.option(
    "--backend",
    default="loky",
    show_default=True,
    metavar="NAME",
    help="What runs them: loky (processes), threading, dask.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="An existing cluster: tcp://HOST:8786 or a scheduler file (with --backend dask).",
)
@metric_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def run(
    file: Path,
    out: Path | None,
    jobs: int | None,
    backend: str,
    scheduler: str | None,
    metrics: tuple[str, ...],
    as_json: bool,
) -> int:
    """Run the experiment of a TOML FILE; finished cells are kept.

    Every cell is stored as soon as it is finished. After an interrupt, a crash or a full disk, the same command
    continues. docs/experiments.md says how to write the file.
    """
    from planbatch.experiments.runs.backends import check_backend
    from planbatch.experiments.studies.toml_file import read_experiment

    check_backend(backend, scheduler)
    experiment = read_experiment(file)
    experiment = replace(experiment, metrics=(*experiment.metrics, *metrics))

    from planbatch.experiments.common.pinned_core import usable_cores
    from planbatch.experiments.studies.grid import run_experiment

    report = run_experiment(
        experiment,
        out if out is not None else Path("out") / file.stem,
        jobs=jobs or len(usable_cores()),
        backend=backend,
        scheduler=scheduler,
        say=say,
        quiet=False,
    )
    if as_json:
        click.echo(json.dumps(described(report), ensure_ascii=False))
    elif not report.interrupted:
        show(report)
    return conclude(report)


def conclude(report: "RunReport") -> int:
    """Report what is missing on standard error; return the exit code: 1 for failures, 130 for an interrupt."""
    for name, error in report.failed.items():
        click.echo(f"planbatch: no result: {name}: {error}", err=True)
    if report.interrupted:
        click.echo(
            f"planbatch: interrupted; {report.cells - report.missing} of {report.cells} cells are "
            f"stored in {report.folder}; the same command goes on from there",
            err=True,
        )
        return INTERRUPTED
    return 1 if report.failed else 0


def show(report: "RunReport") -> None:
    """Print the metrics of all cells, and the error of split replays."""
    from planbatch.experiments.figures.grid_table import cell_table, span_table

    errors = span_table(report.folder)
    tables = [cell_table(report.folder, report.metrics)] if report.found else []
    print_table(*tables, *([] if errors is None else [errors]), width=120)
    click.echo(f"results: {report.folder}")


def described(report: "RunReport") -> dict[str, Any]:
    """Return a run for JSON output."""
    return {
        "out": str(report.folder),
        "cells": report.cells,
        "reused": report.reused,
        "ran": report.cells - report.missing - report.reused,
        "failed": dict(report.failed),
        "missing": report.missing,
        "interrupted": report.interrupted,
    }
