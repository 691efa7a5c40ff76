"""``planbatch reproduce``: reproductions of published results."""

import importlib
from pathlib import Path

import click

from planbatch.experiments.cli.flags import jobs_option, json_option, out_folder
from planbatch.experiments.cli.shell import INTERRUPTED, complain, print_json, print_table, say
from planbatch.experiments.cli.verb import LOG, RUN, OneOf, flag, verb
from planbatch.experiments.reproduce import PAPERS


@verb
@click.argument("paper", type=OneOf(list(PAPERS)), metavar="PAPER")
@flag("--workloads", type=click.Path(path_type=Path, file_okay=False, exists=True), envvar="PLANBATCH_WORKLOADS",
      metavar="FOLDER", panel=LOG,
      help="Folder with the logs (NAME.swf.gz), before those that were fetched; also taken from "
      "PLANBATCH_WORKLOADS.")  # fmt: skip
@flag("--quick", is_flag=True, panel=RUN, help="Only the first three months of every log, for a look.")  # fmt: skip
@flag("--full", is_flag=True, panel=RUN,
      help="Also runs of an hour or more: zheng-2016 with the paper's 8,800 evaluations per round.")  # fmt: skip
@jobs_option("Processes.  [default: 1]")
@out_folder(
    "Folder of comparison.csv, report.md, the pictures and the replays.  [default: out/PAPER]"
)
@json_option
def command(
    paper: str,
    workloads: Path | None,
    quick: bool,
    full: bool,
    jobs: int | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Reproduce the results of PAPER: tables, CSV and pictures, each beside the paper's figures.

    A missing log is reported and left out. Finished replays are kept in the
    folder: after an interruption, the same command runs only the others.
    """
    from rich.markdown import Markdown

    from planbatch.experiments.reproduce.engine import COLUMNS, Run

    folder = out or Path("out") / paper
    folder.mkdir(parents=True, exist_ok=True)
    module = importlib.import_module(f"planbatch.experiments.reproduce.{PAPERS[paper][0]}")
    try:
        report = module.reproduce(Run(folder, quick, jobs or 1, workloads, say, full))
    except KeyboardInterrupt:
        complain(
            f"planbatch: interrupted; finished replays are kept in {folder}; the same command goes on from there"
        )
        return INTERRUPTED
    if not report.rows:
        raise ValueError(
            f"{paper}: none of its logs is there; fetch them with planbatch workload fetch"
        )
    report.write(folder)
    say(f"comparison.csv, report.md and pictures written to {folder}")
    if as_json:
        print_json(
            {
                "out": str(folder),
                "rows": [{key: getattr(row, key) for key in COLUMNS} for row in report.rows],
            }
        )
        return 0
    print_table(Markdown(report.markdown()), width=160)
    return 0
