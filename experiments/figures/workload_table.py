"""The description of a workload, as tables."""

from collections.abc import Iterator
from typing import Any

from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.common.text import hms


def workload_tables(info: dict[str, Any]) -> Iterator[Table | str]:
    """Yield what :func:`workload_info` returns as tables, and as sentences."""
    yield _summary(info)
    yield _distributions(info)
    yield _classes("Processors", info["sizes"])
    yield _classes("Run time", info["run_times"])
    if len(info["queues"]) > 1:
        columns = [Column("queue", "queue", str), Column("name", "name"), _COUNT]
        yield Table("queues", "", columns, info["queues"])
    if len(info.get("partitions", ())) > 1:
        columns = [
            Column("partition", "partition", str),
            Column("name", "name"),
            Column("processors", "processors", "{:,}".format),
            Column("lines", "lines", "{:,}".format),
        ]
        yield Table("partitions", "Partitions of the whole log", columns, info["partitions"])
    if "anomalies" in info:
        rows = [{"what": name.replace("_", " "), "lines": n} for name, n in info["anomalies"].items()]
        columns = [Column("what", "what"), Column("lines", "lines", "{:,}".format)]
        yield Table("anomalies", "Anomalies in the whole log", columns, rows)
    yield from (info[name] for name in ("preset", "assumed") if info.get(name))


_COUNT = Column("jobs", "jobs", "{:,}".format)


def _summary(info: dict[str, Any]) -> Table:
    figures = {"processors": f"{info['capacity']:,}"}
    if "lines" in info:
        figures["lines"] = f"{info['lines']:,}"
    figures["usable jobs"] = f"{info['jobs']:,}"
    figures |= {f"dropped: {reason}": f"{n:,}" for reason, n in info["dropped"].items()}
    if info.get("first_submit_date"):
        figures["first submission"] = info["first_submit_date"]
        figures["last submission"] = info["last_submit_date"]
    figures["days"] = f"{info['days']:.1f}"
    figures["offered load"] = _load(info["offered_load"])
    if "recorded_load" in info:
        figures["recorded load"] = _load(info["recorded_load"])
    for name, resource in info.get("resources", {}).items():
        figures[name] = f"{resource['capacity']:,} {resource['unit']}".rstrip()
        figures[f"offered load in {name}"] = _load(resource["offered_load"])
    if "windows" in info:
        figures["windows"] = f"{info['windows']:,}"
    figures["run time / walltime, mean"] = f"{info['mean_estimate_accuracy']:.2f}"
    if info["users"]:
        figures["users"] = f"{info['users']:,}"
    rows = [{"what": name, "figure": text} for name, text in figures.items()]
    return Table("workload", info["workload"], [Column("what"), Column("figure", "", str)], rows)


def _load(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.3f}"


def _distributions(info: dict[str, Any]) -> Table:
    resources = info.get("resources", {})
    columns = [
        Column("of", " "),
        Column("sizes", "processors", "{:,}".format),
        Column("run_times", "run time (h:m:s)", hms),
        Column("walltimes", "walltime (h:m:s)", hms),
    ]
    for name, resource in resources.items():
        unit = f" ({resource['unit']})" if resource["unit"] else ""
        columns.append(Column(name, f"{name}{unit}", "{:,}".format))
    described = {name: info[name] for name in ("sizes", "run_times", "walltimes")} | resources
    means: dict[str, Any] = {name: quantity["mean"] for name, quantity in described.items()}
    means |= {"sizes": round(means["sizes"], 1)} | {name: round(means[name]) for name in resources}
    rows = [{"of": "mean", **means}]
    for quantile in info["sizes"]["quantiles"]:
        name = {"0": "least", "0.5": "median", "1": "most"}.get(quantile, f"{float(quantile):.0%}")
        rows.append({"of": name, **{key: quantity["quantiles"][quantile] for key, quantity in described.items()}})
    return Table("distributions", "Distributions", columns, rows)


def _classes(name: str, described: dict[str, Any]) -> Table:
    total = max(1, sum(described["classes"].values()))
    rows = [
        {"class": label, "jobs": n, "share": n / total, "bar": "█" * round(30 * n / total)}
        for label, n in described["classes"].items()
    ]
    columns = [Column("class", name), _COUNT, Column("share", "share", "{:.1%}".format), Column("bar")]
    return Table("classes", "", columns, rows)
