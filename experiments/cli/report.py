"""``planbatch report``: one page about a folder of results."""

from pathlib import Path

import click

from planbatch.experiments.cli.metric_flags import check_metrics, metric_option
from planbatch.experiments.cli.shell import say


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The page.  [default: DIR/report.html]",
)
@click.option(
    "--export",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Also write every picture as SVG and PNG, and every table as CSV and LaTeX.",
)
@click.option(
    "--reference",
    default="easy",
    show_default=True,
    metavar="LABEL",
    help="The policy that others are compared with.",
)
@click.option(
    "--gantt",
    multiple=True,
    metavar="LABEL",
    help="Policies whose jobs the page carries for its Gantt chart; may be repeated; none for no chart. "
    "By default all of them, as long as the page stays small.",
)
@metric_option
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="J",
    help="Processes. By default as many as there are cores.",
)
def command(
    folder: Path,
    out: Path | None,
    export: Path | None,
    reference: str,
    gantt: tuple[str, ...],
    metrics: tuple[str, ...],
    jobs: int | None,
) -> int:
    """Make one self-contained HTML page of the results in DIR.

    DIR is the folder that planbatch experiment run wrote to. Cells that are missing or cannot be read are named, in
    the page and here, and the others are reported.
    """
    import joblib

    from planbatch.experiments.report.page import make_report, write_page, write_tables
    from planbatch.experiments.runs.read import read_results

    check_metrics(metrics)
    results = read_results(folder)
    labels = {cell.label for cell in results.cells}
    chosen = None if not gantt else [label for label in gantt if label != "none"]
    unknown = [label for label in chosen or [] if label not in labels]
    if unknown:
        raise ValueError(
            f"gantt: there is no policy {unknown[0]!r}; there are {', '.join(sorted(labels))}"
        )
    if reference != "easy" and reference not in labels:
        raise ValueError(
            f"reference: there is no policy {reference!r}; there are {', '.join(sorted(labels))}"
        )
    pictures = export / "pictures" if export else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    report = make_report(
        results,
        reference=reference,
        gantt=chosen,
        folder=pictures,
        jobs=jobs or int(joblib.cpu_count()),
        metrics=metrics,
        say=say,
    )
    page = out or folder / "report.html"
    write_page(report, page)
    if export is not None:
        write_tables(report.tables, export / "tables")
    if report.missing:
        click.echo(f"not run: {', '.join(report.missing)}", err=True)
    for _, why in report.broken:
        click.echo(f"left out: {why}", err=True)
    click.echo(f"{page}: {page.stat().st_size / 1e6:.1f} MB", err=True)
    if export is not None:
        click.echo(f"pictures and tables written to {export}", err=True)
    click.echo(page)
    return 0
