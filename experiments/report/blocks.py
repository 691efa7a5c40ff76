"""The parts of a page, and those of one case."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from planbatch.experiments.common.table import Table
from planbatch.experiments.figures.gains import groups_table, losers_table
from planbatch.experiments.report import (
    accuracy,
    distributions,
    fairness,
    gains,
    heat_maps,
    overview,
    rounds,
    series,
    summary,
)
from planbatch.experiments.report.cases import Case, Runs, load
from planbatch.experiments.report.drawing import Picture
from planbatch.experiments.report.gantt_data import gantt_data


@dataclass(frozen=True)
class Block:
    """Pictures and tables under one heading."""

    heading: str  # may be empty
    anchor: str  # what links point to
    pictures: list[Picture] = field(default_factory=list)  # in their order
    #: Tables that are shown, and tables that are available as files only.
    tables: list[Table] = field(default_factory=list)
    data: list[Table] = field(default_factory=list)


@dataclass(frozen=True)
class Section:
    """A section of the page."""

    #: As for a block.
    heading: str
    anchor: str
    blocks: list[Block]  # what it shows
    lines: list[str] = field(default_factory=list)  # paragraphs before the blocks
    per_workload: bool = False  # whether the section is about one workload


@dataclass(frozen=True)
class CaseParts:
    """The part of a page about one case."""

    case: Case
    lines: list[summary.Line]  # its summary; empty if none of its cells can be read
    summary: Table | None  # the same as a table
    pareto: Picture | None  # the trade-offs
    blocks: list[Block]  # the parts of its own section
    gantt: dict[str, Any] | None  # the jobs for the chart
    broken: list[tuple[str, str]]  # cells that cannot be read, and why
    notes: list[str]  # further remarks for readers


def case_parts(case: Case, gantt: Sequence[str] | None) -> CaseParts:
    """Read and draw a case; the Gantt chart has the policies of these labels (by default, all)."""
    runs = load(case)
    if not runs.labels:
        return CaseParts(case, [], None, None, [], None, runs.broken, [])
    lines = summary.summarise(runs)
    rounds_part, broken_rounds = rounds_block(case)
    blocks = [
        waits_block(runs),
        months_block(runs),
        maps_block(runs),
        load_block(runs),
        users_block(runs),
        predictions_block(runs),
        starts_block(runs),
        gains_block(runs, lines),
        rounds_part,
    ]
    notes = []
    data = None
    try:
        data = gantt_data(runs, None if gantt is None else list(gantt))
        if data is not None:
            data |= shown_first(runs, lines)
    except ValueError as error:
        notes.append(f"{case.title}: no Gantt chart, since {error}.")
    notes += input_notes(case)
    broken = runs.broken + [entry for entry in broken_rounds if entry[0] not in dict(runs.broken)]
    return CaseParts(
        case, lines, summary.summary_table(case, lines), overview.draw_pareto(case, lines),
        [block for block in blocks if block is not None], data, broken, notes + pairing_notes(runs),
    )  # fmt: skip


def input_notes(case: Case) -> list[str]:
    """Report jobs left out of the log, and unknown walltimes: then all policies know run times."""
    workload = case.cells[0].workload
    dropped = ", ".join(f"{n:,} {why}" for why, n in (workload.get("dropped") or {}).items() if n)
    notes = [f"{case.title}: left out: {dropped}."] if dropped else []
    if workload.get("walltimes"):
        notes.append(f"{case.title}: walltimes: {workload['walltimes']}.")
    return notes


def shown_first(runs: Runs, lines: list[summary.Line]) -> dict[str, str]:
    """Choose what the Gantt chart shows first: the reference, and the other policy with the least mean wait."""
    above = runs.reference or runs.labels[0]
    others = [line for line in lines if line.label != above]
    best = min(others, key=lambda line: line.figures["mean_wait"], default=None)
    return {"above": above, "below": best.label if best else ""}


def pairing_notes(runs: Runs) -> list[str]:
    """List the policies that cannot be compared with the reference, since they ran other jobs."""
    if runs.reference is None:
        return [f"{runs.case.title}: no reference policy was run, so no changes are given."]
    labels = [
        label for label in runs.labels if any(runs.reference_jobs(label, seed) is None for seed in runs.jobs[label])
    ]
    if not labels:
        return []
    return [
        f"{runs.case.title}: {', '.join(labels)} ran other jobs than {runs.reference} in some cells; "
        "those are left out of the changes."
    ]


def waits_block(runs: Runs) -> Block:
    """Distributions."""
    picture = distributions.draw_distributions(runs)
    table = distributions.percentile_table(runs)
    return Block(picture.title, f"{runs.case.name}-waits", [picture], [table])


def months_block(runs: Runs) -> Block | None:
    """Month by month, if there are several."""
    months = series.monthly(runs)
    if len(months.names) < 2:
        return None
    picture = series.draw_monthly(runs, months)
    table = series.monthly_table(runs, months)
    return Block(picture.title, f"{runs.case.name}-by-month", [picture], data=[table])


def maps_block(runs: Runs) -> Block:
    """Heat maps."""
    jobs = {label: runs.first(label) for label in runs.labels}
    data = heat_maps.heat_map({label: (own.procs, own.runtime, own.wait) for label, own in jobs.items()})
    pictures = heat_maps.draw_heat_maps(runs, data)
    table = heat_maps.heat_map_table(runs, data)
    return Block("Size × run time", f"{runs.case.name}-maps", pictures, data=[table])


def load_block(runs: Runs) -> Block:
    """Utilisation and queue over time."""
    load = series.load_over_time(runs)
    picture = series.draw_load(runs, load)
    table = series.over_time_table(runs, load)
    return Block(picture.title, f"{runs.case.name}-over-time", [picture], data=[table])


def users_block(runs: Runs) -> Block | None:
    """Fairness, if users are known."""
    users = fairness.users_of(runs)
    if users is None:
        return None
    picture = fairness.draw_users(runs, users)
    table = fairness.fairness_table(runs, users)
    return Block(picture.title, f"{runs.case.name}-by-user", [picture], [table])


def predictions_block(runs: Runs) -> Block | None:
    """How well run times were predicted, if they were."""
    labels = accuracy.predicted_labels(runs)
    if not labels:
        return None
    by_policy, by_user = accuracy.accuracy_tables(runs, labels)
    anchor = f"{runs.case.name}-predictions-part"
    return Block("Predicted run times", anchor, tables=[by_policy], data=[by_user])


def starts_block(runs: Runs) -> Block | None:
    """Planned against actual starts, if any policy plans ahead."""
    labels = accuracy.planning_labels(runs)
    if not labels:
        return None
    table = accuracy.starts_table(runs, labels)
    return Block("Planned and actual starts", f"{runs.case.name}-starts-part", tables=[table])


def gains_block(runs: Runs, lines: list[summary.Line]) -> Block | None:
    """Who gains and who loses against the reference."""
    gains_by_label = gains.gains_of(runs)
    if not gains_by_label:
        return None
    prefix = f"{runs.case.name}-"
    mean_wait = {line.label: line.figures["mean_wait"] for line in lines}
    tables = [gains.overview_table(runs, gains_by_label)]
    pictures = []
    for label in gains.chosen_for_detail(gains_by_label, mean_wait):
        own_gains = gains_by_label[label]
        tables += [groups_table(own_gains, prefix=prefix), losers_table(own_gains, prefix=prefix)]
        pictures.append(gains.draw_gains(runs, own_gains))
    groups = [groups_table(each, whole=True, prefix=prefix) for each in gains_by_label.values()]
    return Block("Who gains, who loses", f"{prefix}gains-part", pictures, tables, groups)


def rounds_block(case: Case) -> tuple[Block | None, list[tuple[str, str]]]:
    """What rounds cost, and the cells whose rounds cannot be read."""
    costs, broken = rounds.case_rounds(case)
    if not costs:
        return None, broken
    picture, table = rounds.draw_rounds(case, costs), rounds.round_table(case, costs)
    return Block("Rounds", f"{case.name}-rounds-part", [picture], [table]), broken
