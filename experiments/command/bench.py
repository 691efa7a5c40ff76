"""``planbatch bench``: the speed of the kernels on this machine, relative to references run beside them."""

import json
from pathlib import Path

import click

from planbatch.experiments.command.metric_flags import plain
from planbatch.experiments.command.shell import say

PARTS = ("decoder", "resources", "searches", "scenarios", "replays", "overruns")
#: Measured only if it is asked for: one of the predictors needs an extra.
PREDICTIONS = "predictions"
#: Measured only if it is asked for: it compiles everything anew.
FIRST_USE = "first-use"
#: Measured only if it is asked for: the bounds beside it take a minute.
LONG_ROUNDS = "long-rounds"
#: Measured only if it is asked for: it takes a minute, and has a table of its own.
GROWTH = "growth"


@click.command()
@click.argument("workload", required=False)
@click.option(
    "--part",
    multiple=True,
    type=click.Choice([*PARTS, PREDICTIONS, LONG_ROUNDS, FIRST_USE, GROWTH]),
    help="Only this part; may be repeated. predictions, long-rounds, first-use and growth run only if they are "
    "named: replays with each predictor, searches of up to 100,000 jobs beside bounds, all kernels compiled anew, "
    "and rounds of every policy on ever longer queues.",
)
@click.option("--rounds", default=300, show_default=True, help="Rounds whose overrun is measured.")
@click.option(
    "--policy",
    multiple=True,
    metavar="NAME",
    help="With growth, only this policy; may be repeated.",
)
@click.option("--picture", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="With growth, draw it, too: SVG, PNG or PDF.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(
    workload: str | None,
    part: tuple[str, ...],
    rounds: int,
    policy: tuple[str, ...],
    picture: Path | None,
    as_json: bool,
) -> None:
    """Measure the speed of decoding, searching and replaying, and how well budgets in seconds are kept.

    Replays WORKLOAD (a log, or the name of one that was fetched); by default, 20,000 synthetic jobs.
    """
    import platform

    from rich.console import Console
    from rich.table import Table

    from planbatch.experiments.bench import measure
    from planbatch.experiments.bench.first_use import measure_first_use
    from planbatch.experiments.bench.predictions import measure_predictions
    from planbatch.experiments.bench.scenarios import measure_scenarios
    from planbatch.experiments.workloads.load import load_workload

    parts = part or PARTS
    if GROWTH in parts:
        show_growth(policy, picture, as_json)
        parts = tuple(name for name in parts if name != GROWTH)
        if not parts:
            return
    log = load_workload(workload, note=say) if workload else measure.bench_workload()
    sources = {
        "decoder": measure.measure_decoder,
        "resources": measure.measure_resources,
        "searches": measure.measure_searches,
        "scenarios": measure_scenarios,
        "replays": lambda: measure.measure_replays(log),
        "overruns": lambda: measure.measure_overruns(rounds),
        PREDICTIONS: lambda: measure_predictions(log),
        LONG_ROUNDS: measure.measure_long_rounds,
        FIRST_USE: measure_first_use,
    }
    console = Console(stderr=as_json)
    found = []
    with Console(stderr=True).status("Measuring …") as status:
        for name in parts:
            status.update(f"Measuring: {name} …")
            found += list(sources[name]())
    if as_json:
        click.echo(json.dumps([plain(vars(line)) for line in found]))
        return
    table = Table("measured", "figure", "times as fast as …", box=None)
    for line in found:
        figure = f"{line.value:,.3g}" if line.value < 1000 else f"{line.value:,.0f}"
        ratio = f"{line.ratio:.2f} × {line.reference}" if line.reference else ""
        table.add_row(line.name, f"{figure} {line.unit}", ratio)
    console.print(f"{platform.machine()}, Python {platform.python_version()}")
    console.print(table)


def show_growth(names: tuple[str, ...], picture: Path | None, as_json: bool) -> None:
    """Measure how rounds grow with the queue; print a row per policy, and draw it if a file is given."""
    from rich.console import Console
    from rich.table import Table

    from planbatch.experiments.bench.growth import measure_growth

    with Console(stderr=True).status("Measuring: growth …"):
        found = list(measure_growth(names or None))
    if picture is not None:
        from planbatch.experiments.views.growth_picture import growth_picture

        growth_picture(found, picture)
    if as_json:
        rows = [plain(vars(growth) | {"slope": growth.slope}) for growth in found]
        click.echo(json.dumps(rows))
        return
    table = Table("policy", "slope", "ms a round, 99th percentile (waiting jobs)", box=None)
    for growth in found:
        cells = []
        for waiting, seconds, slow in zip(growth.waiting, growth.seconds, growth.slow, strict=True):
            percentile = "" if slow is None else f", {1000 * slow:,.2g}"
            cells.append(f"{1000 * seconds:,.2g}{percentile} ({waiting:,.0f})")
        table.add_row(growth.policy, f"{growth.slope:.2f}", "; ".join(cells))
    Console().print(table)
