"""Zheng et al., Exploring plan-based scheduling for large-scale computing systems (CLUSTER 2016).

Tables I and II, Figures 3 to 6 and the claims of the summary, for the available logs. The paper
draws its figures without giving their numbers: those that its text states are compared with ours.
"""

import numpy as np

from planbatch.experiments.report.heat_maps import SHORTEST
from planbatch.experiments.reproduce.paper_report import Report, percent_change
from planbatch.experiments.reproduce.run import Run
from planbatch.experiments.reproduce.zheng_2016 import pictures
from planbatch.experiments.reproduce.zheng_2016.machines import OURS, studies
from planbatch.experiments.reproduce.zheng_2016.measures import (
    KINDS,
    PAPER_EVALUATIONS,
    PAPER_KIND,
    Study,
    changes,
    highest_utilisation,
    longest_decision,
    response_of,
    size_shares,
    wait_of,
    waits_by_bin,
)
from planbatch.experiments.reproduce.zheng_2016.notes import FAST_NOTE, FULL_NOTE, NOTES, findings
from planbatch.experiments.reproduce.zheng_2016.paper import (
    BASE,
    CLAIMED_RESPONSE,
    CLAIMED_SECONDS,
    CLAIMED_UTILISATION,
    CLAIMED_WAIT,
    LARGE_NODES,
    LARGE_RATIO,
    LARGE_SHARE,
    PLANS,
    SIZES,
    TABLE_1,
    TABLE_2,
    WAIT_CHANGE,
    WORSE_MONTHS,
)

TITLE = "Exploring plan-based scheduling (Zheng et al., CLUSTER 2016)"
ALL = "all"


def reproduce(run: Run) -> Report:
    """Replay the logs, write the pictures, and compare the values with the paper's."""
    report = Report(TITLE)
    found, left_out = studies(run)
    report.notes += left_out
    if not found:
        return report
    for part in (table_1, figure_3, table_2, figure_4, figure_5, figure_6, claims, decisions):
        for one in found:
            part(report, one)
    over_all(report, found)
    report.pictures += pictures.draw_all(found, run.out)
    report.notes += [*findings(found, report), FULL_NOTE if run.full else FAST_NOTE, *NOTES]
    return report


def table_1(report: Report, one: Study) -> None:
    """Count nodes, jobs and months."""
    nodes, jobs, months = TABLE_1.get(one.paper, (None, None, None))
    load = one.workload
    report.add("Table I", one.name, "", "nodes", load.capacity // one.node, nodes)
    report.add("Table I", one.name, "", "jobs", len(load), jobs)
    report.add("Table I", one.name, "", "months", len(one.counted_months()), months)


def figure_3(report: Report, one: Study) -> None:
    """Report the share of the jobs in classes of sizes."""
    for (fewest, most), share in size_shares(one.workload.procs, one.node).items():
        metric = f"jobs on {fewest} to {most} nodes (%)" if most > 1 else "jobs on 1 node (%)"
        report.add("Figure 3", one.name, "", metric, share, SIZES.get((one.paper, most)))


def table_2(report: Report, one: Study) -> None:
    """Compare the utilisation with the paper's, and report what no scheduler can exceed."""
    printed = dict(zip((BASE, *PLANS), TABLE_2.get(one.paper, ()), strict=False))
    for kind in KINDS:
        metric = f"utilisation, {kind} estimates (%)"
        for policy, measured in one.metrics(kind).items():
            paper = 100 * printed[policy] if policy in printed else None
            report.add("Table II", one.name, policy, metric, 100 * measured.utilisation, paper)
    highest = 100 * highest_utilisation(one.workload)
    report.add("Table II", one.name, "any", "utilisation at most (%)", highest)


def figure_4(report: Report, one: Study) -> None:
    """Compare mean waits: over the whole log, and by month."""
    for kind in KINDS:
        measured = one.metrics(kind)
        base = measured[BASE].mean_wait
        for policy, figures in measured.items():
            metric = f"mean wait, {kind} estimates (min)"
            report.add("Figure 4", one.name, policy, metric, figures.mean_wait / 60)
            if policy != BASE:
                metric = f"change of the mean wait, {kind} estimates (%)"
                paper = WAIT_CHANGE.get((one.paper, policy))
                ours = percent_change(figures.mean_wait, base)
                report.add("Figure 4", one.name, policy, metric, ours, paper)
    waits = {name: wait_of(trace) for name, trace in one.traces[PAPER_KIND].items()}
    months(report, "Figure 4", "wait", one, waits)


def figure_5(report: Report, one: Study) -> None:
    """Compare mean response times: over the whole log, and by month."""
    for kind in KINDS:
        for policy, figures in one.metrics(kind).items():
            metric = f"mean response time, {kind} estimates (min)"
            report.add("Figure 5", one.name, policy, metric, figures.mean_response / 60)
    responses = {name: response_of(trace) for name, trace in one.traces[PAPER_KIND].items()}
    months(report, "Figure 5", "response time", one, responses)


def months(report: Report, item: str, what: str, one: Study, values: dict[str, np.ndarray]) -> None:
    """Count the months in which a plan does worse than FCFS, and list them all."""
    means = {policy: one.by_month(value) for policy, value in values.items()}
    for policy in PLANS:
        worse = int((means[policy] > means[BASE]).sum())
        paper = WORSE_MONTHS.get((one.paper, policy))
        report.add(item, one.name, policy, f"months with a longer mean {what}", worse, paper)
    for place, number in enumerate(one.counted_months()):
        for policy in (BASE, *PLANS):
            metric = f"mean {what} in {one.months[number]} (h)"
            value = means[policy][place] / 3600
            report.add(item, one.name, policy, metric, value, listed=False)


def figure_6(report: Report, one: Study) -> None:
    """Compare waits by size and run time."""
    policy = "PLAN 2"
    data = waits_by_bin(one, PAPER_KIND, (BASE, policy))
    wait, base = data.wait[policy], data.wait[BASE]
    waited = np.fmax(wait, base) >= SHORTEST
    report.add("Figure 6", one.name, "", "bins in which jobs wait a minute or more", waited.sum())
    report.add(
        "Figure 6", one.name, policy, "of these, bins with a shorter mean wait than under FCFS",
        int((wait[waited] < base[waited]).sum()),
    )  # fmt: skip
    large = one.large(LARGE_NODES)
    if large.any():
        traces = one.traces[PAPER_KIND]
        share = 100 * float(large.mean())
        ratio = wait_of(traces[policy])[large].mean() / max(wait_of(traces[BASE])[large].mean(), 1)
        named = f"on {LARGE_NODES} nodes or more"
        paper_share, paper_ratio = LARGE_SHARE.get(one.paper), LARGE_RATIO.get(one.paper)
        report.add("Figure 6", one.name, "", f"jobs {named} (%)", share, paper_share)
        metric = f"mean wait {named}, as a multiple of FCFS (at most)"
        report.add("Figure 6", one.name, policy, metric, ratio, paper_ratio)
    for kind in KINDS:
        for name, measured in one.metrics(kind).items():
            metric = f"maximum wait, {kind} estimates (h)"
            report.add("Figure 6", one.name, name, metric, measured.max_wait / 3600)


#: What the summary claims, as metrics of Section VI-C.
CLAIMS = {
    "mean wait against FCFS, {} estimates (%)": CLAIMED_WAIT,
    "mean response time against FCFS, {} estimates (%)": CLAIMED_RESPONSE,
    "utilisation gained over FCFS, {} estimates (%)": CLAIMED_UTILISATION,
}


def claims(report: Report, one: Study) -> None:
    """Check the claims of the summary, machine by machine."""
    for kind in KINDS:
        for policy, values in changes(one, kind).items():
            for metric, value in zip(CLAIMS, values, strict=True):
                report.add("Section VI-C", one.name, policy, metric.format(kind), value)


def decisions(report: Report, one: Study) -> None:
    """Report the time of the decisions with most waiting jobs, and the mean over the replay."""
    item, name = "Section VI-C", one.name
    for policy, (_, objective) in OURS.items():
        trace = one.traces[PAPER_KIND][policy]
        waiting, seconds = longest_decision(trace, PAPER_KIND, objective)
        if waiting:
            report.add(item, name, policy, "jobs waiting in the longest decision", waiting)
            metric = f"longest decision with {PAPER_EVALUATIONS:,} evaluations (s)"
            report.add(item, name, policy, metric, seconds, CLAIMED_SECONDS)
        searched = int((trace.rounds.evaluations > 0).sum())
        if searched:
            most = trace.rounds.evaluations.max()
            metric = f"mean decision of the replay, at most {most:,} evaluations (s)"
            report.add(item, name, policy, metric, trace.seconds / searched, CLAIMED_SECONDS)


def over_all(report: Report, found: list[Study]) -> None:
    """Average the changes over the machines, as the summary does; of a log at several loads, only the last counts."""
    each = {one.workload.name: one for one in found}.values()
    for kind in KINDS:
        by_machine = [changes(one, kind) for one in each]
        for policy in by_machine[0]:
            means = np.mean([of[policy] for of in by_machine], axis=0)
            for (metric, paper), value in zip(CLAIMS.items(), means, strict=True):
                report.add("Section VI-C", ALL, policy, metric.format(kind), float(value), paper)
