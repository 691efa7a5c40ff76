"""``planbatch reproduce``: reproductions of published results."""

import importlib
from pathlib import Path
from typing import Annotated

import click

from planbatch.experiments.cli.flags import Json, jobs_flag, out_flag
from planbatch.experiments.cli.parameters import LOG, RUN, OneOf, argument, flag
from planbatch.experiments.cli.shell import INTERRUPTED, complain, notify, print_json, print_table
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.common.paths import check_folder
from planbatch.experiments.reproduce import PAPERS


@verb
def command(
    *,
    paper: Annotated[str, argument(type=OneOf(list(PAPERS)), metavar="PAPER")],
    workloads: Annotated[Path | None, flag(
        "Folder with the logs (NAME.swf.gz), before those that were fetched; also taken from PLANBATCH_WORKLOADS.",
        "FOLDER", panel=LOG, envvar="PLANBATCH_WORKLOADS",
        type=click.Path(path_type=Path, file_okay=False, exists=True))] = None,
    quick: Annotated[bool, flag("Only the first three months of every log, for a quick look.", panel=RUN)] = False,
    full: Annotated[bool, flag(
        "Also runs of an hour or more: zheng-2016 with the paper's 8,800 evaluations per round.", panel=RUN)] = False,
    jobs: Annotated[int | None, jobs_flag("Processes.  [default: 1]")] = None,
    out: Annotated[Path | None, out_flag(
        "Folder of comparison.csv, report.md, the pictures and the replays.  [default: out/PAPER]")] = None,
    as_json: Json = False,
) -> int:  # fmt: skip
    """Reproduce the results of PAPER: tables, CSV and pictures, with the paper's figures next to ours.

    A missing log is reported and left out. Finished replays stay in the folder: after an interruption,
    the same command runs only the others.
    """
    from rich.markdown import Markdown

    from planbatch.experiments.reproduce.engine import COLUMNS, Run

    folder = out or Path("out") / paper
    check_folder("out", folder)
    folder.mkdir(parents=True, exist_ok=True)
    module = importlib.import_module(f"planbatch.experiments.reproduce.{PAPERS[paper][0]}")
    try:
        report = module.reproduce(Run(folder, quick, jobs or 1, workloads, notify, full))
    except KeyboardInterrupt:
        complain(f"planbatch: interrupted; finished replays are in {folder}; run the same command again to continue")
        return INTERRUPTED
    if not report.rows:
        raise ValueError(f"{paper}: none of its logs is available; fetch them with planbatch workload fetch")
    report.write(folder)
    notify(f"comparison.csv, report.md and pictures written to {folder}")
    if as_json:
        print_json({"out": str(folder), "rows": [{key: getattr(row, key) for key in COLUMNS} for row in report.rows]})
        return 0
    print_table(Markdown(report.markdown()), width=160)
    return 0
