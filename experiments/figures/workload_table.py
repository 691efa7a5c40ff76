"""The description of a workload, as tables for the terminal."""

from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from planbatch.experiments.common.text import hms


def print_info(info: dict[str, Any], console: Console) -> None:
    """Print what :func:`workload_info` returns."""
    console.print(_summary(info), Text())
    console.print(_distributions(info), Text())
    console.print(Group(_classes("Processors", info["sizes"]), Text()))
    console.print(Group(_classes("Run time", info["run_times"]), Text()))
    if len(info["queues"]) > 1:
        console.print(Group(_queues(info), Text()))
    if len(info.get("partitions", ())) > 1:
        console.print(Group(_partitions(info), Text()))
    if "anomalies" in info:
        console.print(_anomalies(info))
    if "preset" in info:
        console.print(Text(info["preset"]))
    if info.get("assumed"):
        console.print(Text(info["assumed"]))


def _summary(info: dict[str, Any]) -> Table:
    table = Table(title=Text(info["workload"]), show_header=False, title_justify="left")
    table.add_column()
    table.add_column(justify="right")
    table.add_row("processors", f"{info['capacity']:,}")
    if "lines" in info:
        table.add_row("lines", f"{info['lines']:,}")
    table.add_row("usable jobs", f"{info['jobs']:,}")
    for reason, n in info["dropped"].items():
        table.add_row(f"dropped: {reason}", f"{n:,}")
    if info.get("first_submit_date"):
        table.add_row("first submission", info["first_submit_date"])
        table.add_row("last submission", info["last_submit_date"])
    table.add_row("days", f"{info['days']:.1f}")
    table.add_row("offered load", _share(info["offered_load"]))
    if "recorded_load" in info:
        table.add_row("recorded load", _share(info["recorded_load"]))
    for name, resource in info.get("resources", {}).items():
        table.add_row(name, f"{resource['capacity']:,} {resource['unit']}".rstrip())
        table.add_row(f"offered load in {name}", _share(resource["offered_load"]))
    if "windows" in info:
        table.add_row("windows", f"{info['windows']:,}")
    table.add_row("run time / walltime, mean", f"{info['mean_estimate_accuracy']:.2f}")
    if info["users"]:
        table.add_row("users", f"{info['users']:,}")
    return table


def _share(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.3f}"


def _distributions(info: dict[str, Any]) -> Table:
    table = Table(title="Distributions", title_justify="left")
    resources = info.get("resources", {})
    more = [
        f"{name} ({resource['unit']})" if resource["unit"] else name
        for name, resource in resources.items()
    ]
    table.add_column("")
    for name in ("processors", "run time (h:m:s)", "walltime (h:m:s)", *more):
        table.add_column(Text(name), justify="right")  # as markup, :m: would be a picture
    sizes, others = info["sizes"], (info["run_times"], info["walltimes"])
    table.add_row(
        "mean",
        f"{sizes['mean']:,.1f}",
        *(hms(times["mean"]) for times in others),
        *(f"{resource['mean']:,.0f}" for resource in resources.values()),
    )
    for quantile, procs in sizes["quantiles"].items():
        name = {"0": "least", "0.5": "median", "1": "most"}.get(quantile, f"{float(quantile):.0%}")
        texts = (hms(times["quantiles"][quantile]) for times in others)
        amounts = (f"{resource['quantiles'][quantile]:,}" for resource in resources.values())
        table.add_row(name, f"{procs:,}", *texts, *amounts)
    return table


def _classes(name: str, described: dict[str, Any]) -> Table:
    table = Table()
    table.add_column(name)
    table.add_column("jobs", justify="right")
    table.add_column("share", justify="right")
    table.add_column("")
    total = max(1, sum(described["classes"].values()))
    for label, n in described["classes"].items():
        table.add_row(label, f"{n:,}", f"{n / total:.1%}", "█" * round(30 * n / total))
    return table


def _queues(info: dict[str, Any]) -> Table:
    table = Table()
    table.add_column("queue", justify="right")
    table.add_column("name")
    table.add_column("jobs", justify="right")
    for queue in info["queues"]:
        table.add_row(str(queue["queue"]), Text(queue["name"]), f"{queue['jobs']:,}")
    return table


def _partitions(info: dict[str, Any]) -> Table:
    table = Table(title="Partitions of the whole log", title_justify="left")
    table.add_column("partition", justify="right")
    table.add_column("name")
    table.add_column("processors", justify="right")
    table.add_column("lines", justify="right")
    for part in info["partitions"]:
        size = "" if part["processors"] is None else f"{part['processors']:,}"
        table.add_row(str(part["partition"]), Text(part["name"]), size, f"{part['lines']:,}")
    return table


def _anomalies(info: dict[str, Any]) -> Table:
    table = Table(title="Anomalies in the whole log", title_justify="left")
    table.add_column("what")
    table.add_column("lines", justify="right")
    for name, n in info["anomalies"].items():
        table.add_row(name.replace("_", " "), f"{n:,}")
    return table
