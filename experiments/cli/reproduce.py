"""``planbatch reproduce``: reproductions of published results."""

import importlib
import os
from pathlib import Path

import click

from planbatch.experiments.cli.shell import say
from planbatch.experiments.reproduce import PAPERS

INTERRUPTED = 130


@click.command()
@click.argument("paper", type=click.Choice(list(PAPERS)), metavar="PAPER")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of comparison.csv, report.md, the pictures and the replays.  [default: out/PAPER]",
)
@click.option("--quick", is_flag=True, help="Only the first three months of every log, for a look.")
@click.option(
    "--full",
    is_flag=True,
    help="Also runs of an hour or more: zheng-2016 with the paper's 8,800 evaluations per round.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="J",
    help="Processes.",
)
@click.option(
    "--workloads",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    envvar="PLANBATCH_WORKLOADS",
    metavar="DIR",
    help="Folder with the logs (NAME.swf.gz), before those that were fetched; also taken from "
    "PLANBATCH_WORKLOADS.",
)
def command(
    paper: str, out: Path | None, quick: bool, full: bool, jobs: int, workloads: Path | None
) -> int:
    """Reproduce the results of PAPER: tables, CSV and pictures, each beside the paper's figures.

    A missing log is reported and left out. Finished replays are kept in the
    folder: after an interruption, the same command runs only the others.
    """
    from rich.console import Console
    from rich.markdown import Markdown

    from planbatch.experiments.reproduce.engine import Run

    folder = out or Path("out") / paper
    folder.mkdir(parents=True, exist_ok=True)
    module = importlib.import_module(f"planbatch.experiments.reproduce.{PAPERS[paper][0]}")
    try:
        report = module.reproduce(Run(folder, quick, jobs, workloads, say, full))
    except KeyboardInterrupt:
        say(
            f"planbatch: interrupted; finished replays are kept in {folder}; the same command goes on from there"
        )
        return INTERRUPTED
    if not report.rows:
        raise ValueError(
            f"{paper}: none of its logs is there; fetch them with planbatch workload fetch"
        )
    report.write(folder)
    console = Console()
    if not console.is_terminal:
        console = Console(width=160)
    console.print(Markdown(report.markdown()))
    click.echo(f"comparison.csv, report.md and pictures written to {os.fspath(folder)}", err=True)
    return 0
