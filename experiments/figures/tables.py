"""Tables of experiments, plans and workloads."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from planbatch.experiments.common.table import Column, Table, time_column
from planbatch.experiments.common.text import change, duration, durations, hms, number, share, signed_duration
from planbatch.experiments.studies.metrics import REFERENCE, Metric
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round
from planbatch.planner.what_if import WhatIf

#: Tables of more rows than this are cut short; summary.csv has all cells.
MOST_ROWS = 60
#: What the cells of one row have in common, and the figures that are averaged over their seeds.
_SAME = ("workload", "policy", "estimates", "spans", "capacity", "budget_seconds")
_FIGURES = ("mean_wait", "max_wait", "mean_bounded_slowdown", "utilisation")


def cell_table(folder: str | Path, metrics: Sequence[Metric] = ()) -> Table:
    """Lay out ``summary.csv`` in a folder: one row per workload and policy, with means and ranges over the seeds.

    If EASY ran, the table has the change of the mean wait against it. Columns of further metrics follow.
    """
    rows = mean_rows(_rows(Path(folder, "summary.csv")), [metric.name for metric in metrics])
    for row, text in zip(rows, change_texts(rows), strict=True):
        row["change"] = text
        row["shown"] = row["policy"] + (" *" if row["budget_seconds"] else "")
    seeds = any(row["seeds"] > 1 for row in rows)
    changes = any(row["change"] for row in rows)
    columns = [Column("workload", "workload")]
    if len({row["estimates"] for row in rows}) > 1:
        columns.append(Column("estimates", "estimates"))
    columns += [Column("shown", "policy"), Column("mean_wait", "mean\nwait", together=range_texts)]
    if changes:
        columns.append(Column("change", "change", str))
    columns.append(Column("max_wait", "max.\nwait", together=range_texts))
    columns.append(Column("mean_bounded_slowdown", "slowdown", number))
    if not seeds:
        columns.append(Column("utilisation", "used", share))
    columns += [metric.column() for metric in metrics]
    if seeds:
        columns.append(Column("seeds", "seeds", str))
    notes = ["means over the seeds (least–most)"] if seeds else []
    if changes:
        notes.append("change: of the mean wait against EASY")
        if seeds:
            notes.append("planbatch report tells which changes are differences")
    if len(rows) > MOST_ROWS:
        notes.append(f"{len(rows) - MOST_ROWS} more rows: see summary.csv")
    if any(row["budget_seconds"] for row in rows):
        notes.append("* budget in seconds: the figures depend on the machine")
    return Table("cells", "", columns, rows[:MOST_ROWS], "; ".join(notes), tight=True)


def range_texts(values: Sequence[tuple[float, float, float]]) -> tuple[str, list[str]]:
    """Write the means of a duration in one unit; below those of several seeds, the least and the most."""
    unit, texts = durations([number for value in values for number in value])
    cells = zip(texts[::3], texts[1::3], texts[2::3], strict=True)
    return unit, [f"{mean}\n{low}–{high}" if low != high else mean for mean, low, high in cells]


def mean_rows(rows: list[dict[str, str]], metrics: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Average the figures of the cells that differ in their seeds only, in the order of the first of each.

    Mean and longest waits come with the least and the most of a seed.
    """
    groups: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in _SAME), []).append(row)
    averaged = []
    for rows_of_group in groups.values():
        values = {name: [float(row[name] or "nan") for row in rows_of_group] for name in (*_FIGURES, *metrics)}
        means: dict[str, Any] = {name: mean(numbers) for name, numbers in values.items()}
        means |= {name: (means[name], min(values[name]), max(values[name])) for name in ("mean_wait", "max_wait")}
        averaged.append({**rows_of_group[0], **means, "seeds": len(rows_of_group)})
    return averaged


def change_texts(rows: list[dict[str, Any]]) -> list[str]:
    """Write the change of the mean wait of every row against EASY on the same workload; empty for EASY itself."""
    others = [name for name in _SAME if name not in ("policy", "budget_seconds")]
    # Labels say more than names, such as the number of spans.
    reference = {tuple(row[name] for name in others): row["mean_wait"][0] for row in rows if row["name"] == REFERENCE}
    texts = []
    for row in rows:
        base = reference.get(tuple(row[name] for name in others))
        other = base is not None and row["name"] != REFERENCE
        texts.append(change(row["mean_wait"][0], float(base or 0)) if other else "")
    return texts


def span_table(folder: str | Path) -> Table | None:
    """Lay out ``spans.csv`` in a folder: the errors of the mean waits of split replays; None without that file."""
    path = Path(folder, "spans.csv")
    if not path.exists():
        return None
    rows: list[dict[str, Any]] = [row for row in _rows(path) if row["metric"] == "mean_wait"]
    unit, texts = durations([float(row[name]) for name in ("whole", "split") for row in rows])
    for row, whole, split in zip(rows, texts[: len(rows)], texts[len(rows) :], strict=True):
        row |= {"whole": whole, "split": split, "warm_up": float(row["warm_up"])}
        row["error"] = float(row["error"]) if row["error"] else None
    columns = [Column("workload", "workload"), Column("policy", "policy"), Column("spans", "spans", str)]
    columns.append(time_column("warm_up", "warm-up"))
    columns += [Column(name, f"{name}\n({unit})", str) for name in ("whole", "split")]
    columns.append(Column("error", "error", "{:+.2%}".format))
    return Table("spans", "error of split replays: mean wait", columns, rows, tight=True)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


#: Most jobs that a table lists.
MOST_JOBS = 20
_JOB = (Column("job", "job"), Column("procs", "processors", "{:,}".format))


def plan_table(problem: Round, plan: Plan) -> Table:
    """Lay out the jobs that start first."""
    rows = [
        {
            "job": str(problem.ids[i]),
            "procs": int(problem.jobs.procs[i]),
            "walltime": int(problem.jobs.walltime[i]),
            "waited": int(problem.now - problem.jobs.submit[i]),
            "starts": int(plan.start[i] - problem.now),
        }
        for i in plan.order()[:MOST_JOBS]
    ]
    more = len(problem) - len(rows)
    return Table(
        "plan",
        "",
        [
            *_JOB,
            Column("walltime", "walltime", duration),
            Column("waited", "waited", duration),
            Column("starts", "starts in", duration),
        ],
        rows,
        f"… and {more:,} more jobs (--json has all)" if more else "",
    )


def change_table(problem: Round, what_if: WhatIf) -> Table:
    """Lay out what a change of one job costs the others, those first that pay most."""
    delays = what_if.delays * (problem.ids != what_if.job)
    rows = [
        {
            "job": str(problem.ids[i]),
            "procs": int(problem.jobs.procs[i]),
            "before": int(what_if.before.start[i] - problem.now),
            "after": int(what_if.after.start[i] - problem.now),
            "delay": int(delays[i]),
        }
        for i in abs(delays).argsort(kind="stable")[::-1][:MOST_JOBS]
        if delays[i]
    ]
    columns = [
        *_JOB,
        Column("before", "start before", duration),
        Column("after", "start after", duration),
        Column("delay", "delay", signed_duration),
    ]
    return Table("change", "", columns, rows)


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
    quantities = {name: info[name] for name in ("sizes", "run_times", "walltimes")} | resources
    means: dict[str, Any] = {name: quantity["mean"] for name, quantity in quantities.items()}
    means |= {"sizes": round(means["sizes"], 1)} | {name: round(means[name]) for name in resources}
    rows = [{"of": "mean", **means}]
    for quantile in info["sizes"]["quantiles"]:
        name = {"0": "least", "0.5": "median", "1": "most"}.get(quantile, f"{float(quantile):.0%}")
        rows.append({"of": name, **{key: quantity["quantiles"][quantile] for key, quantity in quantities.items()}})
    return Table("distributions", "Distributions", columns, rows)


def _classes(name: str, quantity: dict[str, Any]) -> Table:
    total = max(1, sum(quantity["classes"].values()))
    rows = [
        {"class": label, "jobs": n, "share": n / total, "bar": "█" * round(30 * n / total)}
        for label, n in quantity["classes"].items()
    ]
    columns = [Column("class", name), _COUNT, Column("share", "share", "{:.1%}".format), Column("bar")]
    return Table("classes", "", columns, rows)
