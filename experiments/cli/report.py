"""``planbatch report``: one page about a folder of results."""

from pathlib import Path
from typing import Annotated

import click

from planbatch.experiments.cli.flags import Json, Metrics, jobs_flag, out_flag
from planbatch.experiments.cli.parameters import Name, argument, flag
from planbatch.experiments.cli.shell import complain, notify, print_json
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.common.paths import check_file, check_folder


@verb
def command(
    *,
    folder: Annotated[Path, argument()],
    against: Annotated[str, flag(
        "The policy that others are compared with.", "NAME", type=Name("policies"))] = "easy",
    gantt: Annotated[tuple[str, ...], flag(
        "Policies whose jobs the page carries for its Gantt chart; may be repeated; none for no chart. By default all "
        "of them, as long as the page stays small.", "LABEL")] = (),
    metrics: Metrics = (),
    out: Annotated[Path | None, out_flag("The page.  [default: report.html in FOLDER]", "FILE")] = None,
    export: Annotated[Path | None, flag(
        "Also write every picture as SVG and PNG, and every table as CSV and LaTeX.", "FOLDER")] = None,
    jobs: Annotated[int | None, jobs_flag()] = None,
    as_json: Json = False,
) -> int:  # fmt: skip
    """Make one self-contained HTML page of the results in FOLDER.

    FOLDER is what planbatch experiment run or compare wrote to. Cells that are missing or cannot be read are named, in
    the page and here, and the others are reported.
    """
    import joblib

    from planbatch.experiments.report.page import make_report, write_page, write_tables
    from planbatch.experiments.runs.read import read_results

    if folder.is_file():
        raise ValueError(f"{folder}: this is a file; give the folder that planbatch experiment run wrote to")
    page = out or folder / "report.html"
    check_file("out", page)
    if export is not None:
        check_folder("export", export)
    results = read_results(folder)
    labels = {cell.label for cell in results.cells}
    gantt_labels = None if not gantt else [label for label in gantt if label != "none"]
    unknown = [label for label in gantt_labels or [] if label not in labels]
    if unknown:
        raise ValueError(f"gantt: there is no policy {unknown[0]!r}; there are {', '.join(sorted(labels))}")
    if against != "easy" and against not in labels:
        raise ValueError(f"against: there is no policy {against!r}; there are {', '.join(sorted(labels))}")
    pictures = export / "pictures" if export else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    report = make_report(
        results,
        reference=against,
        gantt=gantt_labels,
        folder=pictures,
        jobs=jobs or int(joblib.cpu_count()),
        metrics=metrics,
        notify=notify,
    )
    write_page(report, page)
    if export is not None:
        write_tables(report.tables, export / "tables")
    left_out = [why for _, why in report.broken]
    if report.missing:
        complain(f"not run: {', '.join(report.missing)}")
    for why in left_out:
        complain(f"left out: {why}")
    notify(f"{page}: {page.stat().st_size / 1e6:.1f} MB")
    if export is not None:
        notify(f"pictures and tables written to {export}")
    if as_json:
        print_json({"page": str(page), "export": None if export is None else str(export),
                    "missing": list(report.missing), "left_out": left_out})  # fmt: skip
    else:
        click.echo(page)
    return 0
