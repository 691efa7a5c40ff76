"""``planbatch trade``: mean waits against maximum waits, and the Pareto front."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbatch.experiments.cli.metric_flags import check_metrics, metric_option, plain
from planbatch.experiments.cli.policy_flags import PolicyOptions, policy_options_without
from planbatch.experiments.cli.shell import (
    INTERRUPTED,
    check_folder,
    default_jobs,
    print_table,
    say,
)
from planbatch.experiments.cli.workload_flags import workload_options
from planbatch.experiments.workloads.options import WorkloadOptions

if TYPE_CHECKING:
    from planbatch.experiments.studies.trade import Point, Trade
    from planbatch.planner.model import Workload

DEFAULT_POLICIES = (
    "easy",
    "easy-sjf",
    "conservative",
    "plan-wait",
    "plan-squared-wait",
    "plan-fourth-wait",
)
DEFAULT_PROMISES = ("none", "4x", "2x", "1x")


@click.command()
@click.argument("workloads", metavar="[WORKLOAD[@N]]…", nargs=-1)
@policy_options_without("promise", "seconds")
@click.option("--promise", "promises", multiple=True, metavar="SLACK",
              help="What plan-based policies promise, as for compare; each gives a point. May be repeated.  "
              f"[default: {', '.join(DEFAULT_PROMISES)}]")  # fmt: skip
@workload_options
@metric_option
@click.option("--jobs", type=click.IntRange(min=1), metavar="J",
              help="Processes. By default as many as there are cores.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("out/trade"),
              show_default=True,
              help="Folder of trade.png, trade.svg, trade.csv and the replays; those are not run again.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(
    workloads: tuple[str, ...],
    chosen: PolicyOptions,
    promises: tuple[str, ...],
    options: WorkloadOptions,
    metrics: tuple[str, ...],
    jobs: int | None,
    out: Path,
    as_json: bool,
) -> int:
    """Replay WORKLOADs under every policy and promise, and plot mean against maximum waits.

    Each policy and slack is a point, relative to EASY; the Pareto front joins those that no other
    beats in both. WORKLOAD is a log (SWF, a table, or what sacct prints) or the name of one that was
    fetched, @N the processors of its machine instead of the header's; without any, the embedded
    workload is replayed. An interrupt (Ctrl-C) keeps the points that are finished.
    """
    from planbatch.experiments.studies.trade import choices, trade

    check_folder(out)
    check_metrics(metrics)
    names = chosen.policy or DEFAULT_POLICIES
    chosen.check()
    listed = choices(names, promises or DEFAULT_PROMISES, chosen.make)

    from planbatch.experiments.workloads.describe import left_out
    from planbatch.experiments.workloads.swf.log import WALLTIMES

    loaded = [load(word, options, chosen) for word in workloads or (None,)]
    for workload in loaded:
        if WALLTIMES in workload.header:
            say(f"{workload.name}: walltimes: {workload.header[WALLTIMES]}")
        if dropped := left_out(workload):
            say(f"{workload.name}: left out: {dropped}")
    result = trade(
        loaded,
        listed,
        estimates=chosen.estimates,
        seed=chosen.seed,
        jobs=jobs or default_jobs(),
        out=out,
        metrics=metrics,
        say=say,
    )
    if as_json:
        click.echo(json.dumps(described(result, chosen), ensure_ascii=False))
    else:
        show(result)
    if result.points:
        from planbatch.experiments.figures.trade import write_trade

        result.to_frame().to_csv(out / "trade.csv", index=False)
        write_trade(result, out / "trade")
        say(f"trade.png, trade.svg, trade.csv and the replays written to {out}")
    if result.unfinished:
        say(
            f"planbatch: interrupted; {result.unfinished} replays not finished; the same command goes on"
        )
        return INTERRUPTED
    return 0


def load(word: str | None, options: WorkloadOptions, chosen: PolicyOptions) -> "Workload":
    """Load a workload; ``@N`` after its name is the machine's capacity."""
    from planbatch.experiments.workloads.load import load_workload

    name, at, number = (word or "").rpartition("@")
    if word and at and number.isdigit() and not Path(word).exists():
        if options.capacity is not None:
            raise ValueError(f"capacity: give either --capacity or {word}, not both")
        word, options = name, replace(options, capacity=int(number))
    return chosen.with_deadlines(load_workload(word, options, say), word)


def described(result: "Trade", chosen: PolicyOptions) -> dict[str, Any]:
    """Return the points for JSON output."""
    return {
        "estimates": chosen.estimates,
        "seed": chosen.seed,
        "points": [described_point(point) for point in result.points],
        "unfinished": result.unfinished,
    }


def described_point(point: "Point") -> dict[str, Any]:
    """Return a point with its further metrics beside its fields."""
    fields = dict(vars(point))
    return fields | plain(fields.pop("values"))


def show(result: "Trade") -> None:
    """Print the points, the Pareto front marked."""
    from planbatch.experiments.figures.trade import trade_table

    for name, points in result.by_workload().items():
        print_table(trade_table(name, points, result.asked))
