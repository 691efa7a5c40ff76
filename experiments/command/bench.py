"""``planbatch bench``: the speed of the kernels on this machine, relative to references run beside them."""

import json

import click

from planbatch.experiments.command.shell import say

PARTS = ("decoder", "resources", "searches", "replays", "overruns")
#: Measured only if it is asked for: it compiles everything anew.
FIRST_USE = "first-use"


@click.command()
@click.argument("workload", required=False)
@click.option(
    "--part",
    multiple=True,
    type=click.Choice([*PARTS, FIRST_USE]),
    help="Only this part; may be repeated. first-use runs only if it is named: it compiles all kernels anew.",
)
@click.option("--rounds", default=300, show_default=True, help="Rounds whose overrun is measured.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(workload: str | None, part: tuple[str, ...], rounds: int, as_json: bool) -> None:
    """Measure the speed of decoding, searching and replaying, and how well budgets in seconds are kept.

    Replays WORKLOAD (a log, or the name of one that was fetched); by default, 20,000 synthetic jobs.
    """
    import platform

    from rich.console import Console
    from rich.table import Table

    from planbatch.experiments.bench import measure
    from planbatch.experiments.bench.first_use import measure_first_use
    from planbatch.experiments.workloads.load import load_workload

    parts = part or PARTS
    log = load_workload(workload, note=say) if workload else measure.bench_workload()
    sources = {
        "decoder": measure.measure_decoder,
        "resources": measure.measure_resources,
        "searches": measure.measure_searches,
        "replays": lambda: measure.measure_replays(log),
        "overruns": lambda: measure.measure_overruns(rounds),
        FIRST_USE: measure_first_use,
    }
    console = Console(stderr=as_json)
    found = []
    with Console(stderr=True).status("Measuring …") as status:
        for name in parts:
            status.update(f"Measuring: {name} …")
            found += list(sources[name]())
    if as_json:
        click.echo(json.dumps([vars(line) for line in found]))
        return
    table = Table("measured", "figure", "times as fast as …", box=None)
    for line in found:
        figure = f"{line.value:,.3g}" if line.value < 1000 else f"{line.value:,.0f}"
        ratio = f"{line.ratio:.2f} × {line.reference}" if line.reference else ""
        table.add_row(line.name, f"{figure} {line.unit}", ratio)
    console.print(f"{platform.machine()}, Python {platform.python_version()}")
    console.print(table)
