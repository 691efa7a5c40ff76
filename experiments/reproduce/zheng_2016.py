"""Zheng et al., Exploring plan-based scheduling for large-scale computing systems (CLUSTER 2016).

Tables I and II, Figures 3 to 6 and the claims of the summary, for the available logs. The paper
draws its figures without giving their numbers: those that its text states are compared with ours.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
from matplotlib.ticker import FuncFormatter

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.policy import Policy
from planbatch.experiments.figures.style import COLOURS, ratio_text, ratio_ticks, time_ticks
from planbatch.experiments.replay.estimates import Estimates, estimated_times
from planbatch.experiments.replay.metrics import Metrics, metrics
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.report.cases import months
from planbatch.experiments.report.heat_maps import (
    SHORTEST,
    HeatMap,
    draw_panel,
    heat_map,
    ratio_options,
    wait_look,
    wait_ratios,
)
from planbatch.experiments.reproduce.engine import OPTIMIZER, PaperReport, Run, percent_change
from planbatch.experiments.reproduce.pictures import finish, panel_row, panels, plot_lines
from planbatch.experiments.workloads.deadlines import HOUR
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.transform import first_jobs, scale_load
from planbatch.objectives.makespan import MAKESPAN
from planbatch.objectives.wait import SQUARED_WAIT, WAIT
from planbatch.planner.budget import Budget
from planbatch.planner.model import BoolArray, FloatArray, IntArray, Workload
from planbatch.planner.objective import Objective
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.round import Round, RunningTable, job_table

TITLE = "Exploring plan-based scheduling (Zheng et al., CLUSTER 2016)"
ALL = "all"

# The printed values; the curves of Figures 3 to 6 are not in the text.

#: The paper's policies; its FCFS is FCFS with EASY backfilling.
BASE = "FCFS"
PLANS = ("PLAN 1", "PLAN 2", "PLAN 3")

#: Table I: nodes, jobs, and months (Jan/09-Sep/09, Nov/06-Jun/07, May/00-Dec/01).
TABLE_1 = {"ANL": (40960, 68936, 9), "LLNL": (9216, 60332, 8), "SDSC": (1152, 67155, 20)}

#: Table II: system utilisation under FCFS and PLAN 1 to 3.
TABLE_2 = {
    "ANL": (0.631, 0.641, 0.640, 0.642),
    "LLNL": (0.744, 0.750, 0.751, 0.758),
    "SDSC": (0.780, 0.785, 0.782, 0.793),
}

#: Figure 3, Section V-B: (trace, largest number of nodes of the class) → share of the jobs (%).
SIZES = {
    # "In the ANL trace, half of the jobs require 2K nodes."
    ("ANL", 2048): 50.0,
    # "with jobs requiring 1K nodes being the majority as 20%"
    ("LLNL", 1024): 20.0,
    # "In the SDSC trace, more than half of the jobs require 8 nodes only."
    ("SDSC", 8): 50.0,
}

#: Figures 4 and 5, Section VI-A: in how many months a plan is no better than FCFS. "PLAN 2 always
#: lead[s] to better mean job wait time and mean job response time than FCFS. PLAN 1 and PLAN 3, on
#: the other hand, outperform FCFS in all but two months 3 and 4 for LLNL."
WORSE_MONTHS = {(trace, plan): 0 for trace in TABLE_1 for plan in PLANS} | {
    ("LLNL", "PLAN 1"): 2,
    ("LLNL", "PLAN 3"): 2,
}
#: Figure 4, Section VI-A: "For ANL […] the improvements by PLAN 1 and PLAN 2 over FCFS are more
#: consistent across all the months, achieving 40% of reduction on average".
WAIT_CHANGE = {("ANL", "PLAN 1"): -40.0, ("ANL", "PLAN 2"): -40.0}

#: Figure 6, Section VI-B: "only 9% of the jobs in LLNL are in those bins requiring 4K nodes, PLAN 2
#: makes them to wait at most 2 times as long as that of FCFS".
LARGE_NODES, LARGE_SHARE, LARGE_RATIO = 4096, {"LLNL": 9.0}, {"LLNL": 2.0}

#: Section VI-C: "over 40% reduction on average job wait time, 30% reduction on average job response
#: time, and 1% improvement on system utilization, varying depending on the different choices of
#: optimization metrics"; Section I: "each scheduling optimization within one second".
CLAIMED_WAIT, CLAIMED_RESPONSE, CLAIMED_UTILISATION = -40.0, -30.0, 1.0
CLAIMED_SECONDS = 1.0

# The replays

#: The paper's policy → ours, and its objective.
POLICIES = {
    "PLAN 1": ("plan-wait", WAIT),
    "PLAN 2": ("plan-squared-wait", SQUARED_WAIT),
    "PLAN 3": ("plan-makespan", MAKESPAN),
}
#: Evaluations per round of our annealing in the default setting.
FAST_EVALUATIONS = 100
KINDS: tuple[Estimates, ...] = ("mixed", "requested", "actual")
#: The estimates of the paper's simulator; the pictures show them.
PAPER_KIND: Estimates = "mixed"
#: Evaluations of one decision in the paper.
PAPER_EVALUATIONS = 8800
#: How many of the largest rounds are timed.
TIMED_ROUNDS = 3
#: A value of every job of a trace; shape (n,).
JobValues = Callable[[Trace], IntArray]
#: Months with less than this share of an average month's jobs are ignored.
SPARSE = 0.05


@dataclass(frozen=True)
class LoggedMachine:
    """One trace of the paper, or a substitute for it."""

    #: Our name; the paper's name, empty if the paper does not have it.
    name: str
    paper: str
    log: str  #: name of the log
    node: int = 1  #: processors of a node
    #: Size of the machine, if the log does not state it; how many usable jobs to keep.
    capacity: int | None = None
    first: int | None = None
    load: float = 1.0  #: factor on the load
    instead_of: str = ""  # the machine that this one replaces; it is left out if that one is available


ATLAS = "LLNL-Atlas-2006-2.1-cln"
MACHINES = (
    LoggedMachine("ANL", "ANL", "ANL-Intrepid-2009-1", node=4),
    LoggedMachine("Theta", "", "theta_2022", capacity=4360, instead_of="ANL"),
    LoggedMachine("LLNL", "LLNL", ATLAS),
    # With the paper's utilisation under FCFS; and with waits like those on SDSC.
    LoggedMachine("LLNL, load × 1.06", "LLNL", ATLAS, load=1.06),
    LoggedMachine("LLNL, load × 1.15", "LLNL", ATLAS, load=1.15),
    LoggedMachine("SDSC", "SDSC", "SDSC-BLUE-2000-4.2-cln", first=TABLE_1["SDSC"][1]),
)


@dataclass(frozen=True)
class PlanStudy:
    """One machine, replayed."""

    machine: LoggedMachine  #: the machine
    workload: Workload  #: the replayed workload
    month: IntArray  #: shape (n,): number of the month in which every job was submitted
    months: list[str]  #: names of the months
    traces: dict[Estimates, dict[str, Trace]]  #: kind of estimates → policy → replay

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.machine.name

    def metrics(self, kind: Estimates) -> dict[str, Metrics]:
        """Return the metrics of every policy."""
        return {policy: metrics(trace) for policy, trace in self.traces[kind].items()}

    def counted_months(self) -> IntArray:
        """Return the numbers of the months that have enough jobs."""
        jobs = np.bincount(self.month, minlength=len(self.months))
        return np.flatnonzero(jobs >= SPARSE * jobs.mean())

    def by_month(self, values: IntArray) -> FloatArray:
        """Average a value of every job over each month that counts."""
        counted = self.counted_months()
        n = len(self.months)
        sums = np.bincount(self.month, weights=values, minlength=n)[counted]
        return sums / np.bincount(self.month, minlength=n)[counted]

    def large(self, nodes: int) -> BoolArray:
        """Mark the jobs that need at least ``nodes`` nodes."""
        return self.workload.procs >= nodes * self.machine.node


def response_of(trace: Trace) -> IntArray:
    """Return the time from submission to end of every job (s)."""
    return trace.end - trace.workload.submit


def size_shares(procs: IntArray, node: int) -> dict[tuple[int, int], float]:
    """Return the share of the jobs (%) in classes of sizes: (fewest, most) nodes → share.

    Classes end at powers of two; empty ones at both ends are left out.
    """
    nodes = -(-procs // node)
    power = np.ceil(np.log2(nodes)).astype(np.int64)
    counts = np.bincount(power)
    return {
        (2**k // 2 + 1 if k else 1, 2**k): 100 * float(counts[k]) / len(procs)
        for k in range(int(power.min()), len(counts))
    }


def highest_utilisation(workload: Workload) -> float:
    """Return the utilisation that no scheduler can exceed: every job starts at its submission."""
    first, last = workload.submit.min(), (workload.submit + workload.runtime).max()
    work = float((workload.procs.astype(np.float64) * workload.runtime).sum())
    return min(1.0, work / (workload.capacity * float(last - first)))


def waits_by_bin(study: PlanStudy, kind: Estimates, policies: tuple[str, ...]) -> HeatMap:
    """Average waits over 15 × 15 logarithmic bins of size and run time."""
    load, traces = study.workload, study.traces[kind]
    return heat_map({name: (load.procs, load.runtime, traces[name].wait.astype(np.float64)) for name in policies})


def changes(study: PlanStudy, kind: Estimates) -> dict[str, tuple[float, float, float]]:
    """Return by how much plans differ from FCFS: wait (%), response (%), utilisation (points)."""
    measured = study.metrics(kind)
    base = measured[BASE]
    return {
        policy: (
            percent_change(figures.mean_wait, base.mean_wait),
            percent_change(figures.mean_response, base.mean_response),
            100 * (figures.utilisation - base.utilisation),
        )
        for policy, figures in measured.items()
        if policy != BASE
    }


def round_at(trace: Trace, now: int, estimates: Estimates) -> Round:
    """Reconstruct a round of a replay from its starts and ends; the previous plan is lost."""
    load = trace.workload
    waits = (load.submit <= now) & (trace.start >= now)
    runs = (trace.start < now) & (trace.end > now)
    waiting, occupied = estimated_times(load, estimates)
    return Round(
        now,
        load.capacity,
        RunningTable(load.procs[runs], trace.start[runs] + occupied[runs]),
        job_table(load.submit[waits], load.procs[waits], waiting[waits]),
        occupied=occupied[waits],
    )


def longest_decision(trace: Trace, estimates: Estimates, objective: Objective) -> tuple[int, float]:
    """Time the paper's annealing on the rounds of a replay in which most jobs wait.

    Returns how many jobs wait in the round that took longest, 0 if none needed a search, and its processor time (s).
    """
    rounds = trace.rounds
    searched = np.flatnonzero(rounds.evaluations > 0)
    order = searched[np.argsort(-rounds.waiting[searched], kind="stable")]
    search, rng = Annealing.paper(), np.random.default_rng(0)
    longest = (0, 0.0)
    for i, number in enumerate(order[:TIMED_ROUNDS]):
        problem = round_at(trace, int(rounds.time[number]), estimates)
        if i == 0:
            search.optimize(problem, objective, Budget(evaluations=1), rng)
        began = process_time()
        search.optimize(problem, objective, Budget(evaluations=PAPER_EVALUATIONS), rng)
        longest = max(longest, (len(problem), process_time() - began), key=lambda timing: timing[1])
    return longest


def studies(run: Run, report: PaperReport) -> list[PlanStudy]:
    """Replay the machines whose logs are available under FCFS and the plans, with each kind of estimates."""
    available: dict[str, PlanStudy] = {}
    for machine in MACHINES:
        if machine.instead_of not in available:
            for name, log in run.logs({machine.name: machine.log}, report):
                available[name] = prepare_study(run, machine, log)
    # All in one list: no process waits for the last replay of a machine.
    traces = run.replays(
        {
            (study.name, kind, name): ReplayTask(study.workload, policy, kind)
            for study in available.values()
            for kind in KINDS
            for name, policy in make_policies(run.full).items()
        }
    )
    for (machine_name, kind, policy_name), trace in traces.items():
        available[machine_name].traces.setdefault(kind, {})[policy_name] = trace
    return list(available.values())


def prepare_study(run: Run, machine: LoggedMachine, log: SwfLog) -> PlanStudy:
    """Prepare the workload of one machine."""
    workload = run.shorten(log.workload(machine.capacity))
    if machine.first is not None:
        workload = first_jobs(workload, machine.first)
    submit = workload.submit
    month, names = months(submit, workload.epoch, int(submit.min()))
    workload = scale_load(workload, machine.load)
    run.notify(f"{machine.name}: {len(workload):,} jobs")
    return PlanStudy(machine, workload, month, names, {})


def make_policies(full: bool) -> dict[str, Policy]:
    """Make the policies; the full setting has the paper's annealing in addition to the fast one."""
    fast = {
        name: make_policy(ours, optimizer=OPTIMIZER, evaluations=FAST_EVALUATIONS)
        for name, (ours, _) in POLICIES.items()
    }
    policies = {BASE: make_policy("easy"), **fast}
    if full:
        policies |= {
            name: make_policy(ours, optimizer="annealing-paper", evaluations=PAPER_EVALUATIONS)
            for name, (ours, _) in POLICIES.items()
        }
        policies |= {f"{name}, {FAST_EVALUATIONS} evaluations": fast[name] for name in POLICIES}
    return policies


# The report


def reproduce(run: Run) -> PaperReport:
    """Replay the logs, write the pictures, and compare the values with the paper's."""
    report = PaperReport(TITLE)
    machines = studies(run, report)
    if not machines:
        return report
    for part in (table_1, figure_3, table_2, figure_4, figure_5, figure_6, claims, decisions):
        for study in machines:
            part(report, study)
    over_all(report, machines)
    draw_all(report, machines, run.out)
    return report


def add_kinds(
    report: PaperReport,
    item: str,
    study: PlanStudy,
    metric: str,
    value_of: Callable[[Metrics], float],
    paper: Mapping[str, float | None] | None = None,
) -> None:
    """Add a row per kind of estimates, which the metric names in braces, and per policy."""
    for kind in KINDS:
        values = {policy: value_of(measured) for policy, measured in study.metrics(kind).items()}
        report.add_policies(item, study.name, metric.format(kind), values, paper)


def table_1(report: PaperReport, study: PlanStudy) -> None:
    """Count nodes, jobs and months."""
    nodes, jobs, months = TABLE_1.get(study.machine.paper, (None, None, None))
    load = study.workload
    report.add("Table I", study.name, "", "nodes", load.capacity // study.machine.node, nodes)
    report.add("Table I", study.name, "", "jobs", len(load), jobs)
    report.add("Table I", study.name, "", "months", len(study.counted_months()), months)


def figure_3(report: PaperReport, study: PlanStudy) -> None:
    """Report the share of the jobs in classes of sizes."""
    for (fewest, most), share in size_shares(study.workload.procs, study.machine.node).items():
        metric = f"jobs on {fewest} to {most} nodes (%)" if most > 1 else "jobs on 1 node (%)"
        report.add("Figure 3", study.name, "", metric, share, SIZES.get((study.machine.paper, most)))


def table_2(report: PaperReport, study: PlanStudy) -> None:
    """Compare the utilisation with the paper's, and report what no scheduler can exceed."""
    values = TABLE_2.get(study.machine.paper, ())
    printed = {name: 100 * value for name, value in zip((BASE, *PLANS), values, strict=False)}
    metric = "utilisation, {} estimates (%)"
    add_kinds(report, "Table II", study, metric, lambda of: 100 * of.utilisation, printed)
    highest = 100 * highest_utilisation(study.workload)
    report.add("Table II", study.name, "any", "utilisation at most (%)", highest)


def figure_4(report: PaperReport, study: PlanStudy) -> None:
    """Compare mean waits: over the whole log, and by month."""
    metric = "mean wait, {} estimates (min)"
    add_kinds(report, "Figure 4", study, metric, lambda of: of.mean_wait / 60)
    for kind in KINDS:
        ours = {policy: wait for policy, (wait, _, _) in changes(study, kind).items()}
        papers = {policy: WAIT_CHANGE.get((study.machine.paper, policy)) for policy in ours}
        metric = f"change of the mean wait, {kind} estimates (%)"
        report.add_policies("Figure 4", study.name, metric, ours, papers)
    compare_months(report, "Figure 4", "wait", study, lambda trace: trace.wait)


def figure_5(report: PaperReport, study: PlanStudy) -> None:
    """Compare mean response times: over the whole log, and by month."""
    metric = "mean response time, {} estimates (min)"
    add_kinds(report, "Figure 5", study, metric, lambda of: of.mean_response / 60)
    compare_months(report, "Figure 5", "response time", study, response_of)


def compare_months(report: PaperReport, item: str, what: str, study: PlanStudy, value_of: JobValues) -> None:
    """Count the months in which a plan does worse than FCFS, and list them all."""
    traces = study.traces[PAPER_KIND]
    means = {policy: study.by_month(value_of(trace)) for policy, trace in traces.items()}
    for policy in PLANS:
        worse = int((means[policy] > means[BASE]).sum())
        paper = WORSE_MONTHS.get((study.machine.paper, policy))
        report.add(item, study.name, policy, f"months with a longer mean {what}", worse, paper)
    for i, number in enumerate(study.counted_months()):
        for policy in (BASE, *PLANS):
            metric = f"mean {what} in {study.months[number]} (h)"
            value = means[policy][i] / HOUR
            report.add(item, study.name, policy, metric, value, listed=False)


def figure_6(report: PaperReport, study: PlanStudy) -> None:
    """Compare waits by size and run time."""
    policy = "PLAN 2"
    data = waits_by_bin(study, PAPER_KIND, (BASE, policy))
    wait, base = data.wait[policy], data.wait[BASE]
    waited = np.fmax(wait, base) >= SHORTEST
    report.add("Figure 6", study.name, "", "bins in which jobs wait a minute or more", waited.sum())
    report.add(
        "Figure 6", study.name, policy, "of these, bins with a shorter mean wait than under FCFS",
        int((wait[waited] < base[waited]).sum()),
    )  # fmt: skip
    large = study.large(LARGE_NODES)
    if large.any():
        traces = study.traces[PAPER_KIND]
        share = 100 * float(large.mean())
        ratio = traces[policy].wait[large].mean() / max(traces[BASE].wait[large].mean(), 1)
        scope = f"on {LARGE_NODES} nodes or more"
        paper_share, paper_ratio = (LARGE_SHARE.get(study.machine.paper), LARGE_RATIO.get(study.machine.paper))
        report.add("Figure 6", study.name, "", f"jobs {scope} (%)", share, paper_share)
        metric = f"mean wait {scope}, as a multiple of FCFS (at most)"
        report.add("Figure 6", study.name, policy, metric, ratio, paper_ratio)
    metric = "maximum wait, {} estimates (h)"
    add_kinds(report, "Figure 6", study, metric, lambda of: of.max_wait / HOUR)


#: What the summary claims, as metrics of Section VI-C.
CLAIMS = {
    "mean wait against FCFS, {} estimates (%)": CLAIMED_WAIT,
    "mean response time against FCFS, {} estimates (%)": CLAIMED_RESPONSE,
    "utilisation gained over FCFS, {} estimates (%)": CLAIMED_UTILISATION,
}


def claims(report: PaperReport, study: PlanStudy) -> None:
    """Check the claims of the summary, machine by machine."""
    for kind in KINDS:
        for policy, values in changes(study, kind).items():
            for metric, value in zip(CLAIMS, values, strict=True):
                report.add("Section VI-C", study.name, policy, metric.format(kind), value)


def decisions(report: PaperReport, study: PlanStudy) -> None:
    """Report the time of the decisions with most waiting jobs, and the mean over the replay."""
    item, name = "Section VI-C", study.name
    for policy, (_, objective) in POLICIES.items():
        trace = study.traces[PAPER_KIND][policy]
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


def over_all(report: PaperReport, machines: list[PlanStudy]) -> None:
    """Average the changes over the machines, as the summary does; of a log at several loads, only the last counts."""
    each = {study.workload.name: study for study in machines}.values()
    for kind in KINDS:
        by_machine = [changes(study, kind) for study in each]
        for policy in by_machine[0]:
            means = np.mean([of[policy] for of in by_machine], axis=0)
            for (metric, paper), value in zip(CLAIMS.items(), means, strict=True):
                report.add("Section VI-C", ALL, policy, metric.format(kind), float(value), paper)


# The pictures


def draw_all(report: PaperReport, studies: Sequence[PlanStudy], folder: Path) -> None:
    """Draw Figures 3 to 6 as PNG and SVG."""
    draw_sizes(studies, report.picture(folder, "figure-3"))
    for number, what, value_of in ((4, "mean wait", lambda trace: trace.wait), (5, "mean response time", response_of)):
        title = f"Figure {number}: {what} by month of submission"
        draw_months(studies, value_of, title, f"{what} (h)", report.picture(folder, f"figure-{number}"))
    draw_maps(studies, report.picture(folder, "figure-6"))


def draw_sizes(studies: Sequence[PlanStudy], path: Path) -> None:
    """Draw how many jobs need how many nodes; a scaled log has the sizes of the plain one."""
    by_name = {study.workload.name: study for study in reversed(studies)}
    ordered = list(reversed(by_name.values()))
    title = "Figure 3: distribution of job sizes"
    with panel_row([study.name for study in ordered], (3.2, 2.6), title, "jobs", path) as row:
        for panel, study in zip(row, ordered, strict=True):
            shares = size_shares(study.workload.procs, study.machine.node)
            at = np.arange(len(shares))
            panel.bar(at, list(shares.values()), color=COLOURS[0], width=0.75)
            step = -(-len(shares) // 6)
            panel.set_xticks(at[::step], [short_size(most) for _, most in shares][::step])
            panel.yaxis.set_major_formatter("{x:.0f}%")
            panel.grid(axis="x", visible=False)
            panel.set_xlabel("nodes, up to")


def short_size(nodes: int) -> str:
    """Return a power of two in short: 2048 is 2K."""
    return f"{nodes // 1024}K" if nodes >= 1024 else f"{nodes}"


def draw_months(studies: Sequence[PlanStudy], value_of: JobValues, title: str, unit: str, path: Path) -> None:
    """Draw a mean by month: one panel per machine, one line per policy."""
    with panel_row([study.name for study in studies], (3.2, 2.8), title, unit, path) as row:
        for panel, study in zip(row, studies, strict=True):
            counted = study.counted_months()
            at = np.arange(1, len(counted) + 1)
            traces = study.traces[PAPER_KIND]
            lines = {policy: study.by_month(value_of(traces[policy])) / HOUR for policy in (BASE, *PLANS)}
            plot_lines(panel, at, lines, size=3.5)
            panel.set_xticks(at[:: -(-len(counted) // 6)])
            panel.set_ylim(bottom=0)
            panel.locator_params(axis="y", nbins=5)
            panel.set_xlabel(f"month (1: {study.months[counted[0]]})")


def draw_maps(studies: Sequence[PlanStudy], path: Path) -> None:
    """Draw mean waits by size and run time: FCFS, PLAN 2, and their ratio; one row per machine."""
    title = "Figure 6: mean wait by size and run time"
    with panels(len(studies), 3, (3.4, 2.2), title) as (figure, axes):
        for row, study in zip(axes, studies, strict=True):
            data = waits_by_bin(study, PAPER_KIND, (BASE, "PLAN 2"))
            for panel, (policy, wait) in zip(row, data.wait.items(), strict=False):
                image = draw_panel(panel, data, wait, f"{study.name}: {policy}", **wait_look(data))
                panel.grid(visible=False)
            bar = figure.colorbar(image, ax=row[:2], pad=0.02, aspect=18, extend="min")
            time_ticks(bar.ax.yaxis, *image.get_clim())
            ratio = wait_ratios(data.wait["PLAN 2"], data.wait[BASE])
            image = draw_panel(row[2], data, ratio, f"{study.name}: PLAN 2 / {BASE}", **ratio_options())
            row[2].grid(visible=False)
            bar = figure.colorbar(image, ax=row[2], pad=0.04, aspect=18, extend="both")
            ratio_ticks(bar.ax.yaxis, *image.get_clim())
            bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: ratio_text(value)))
            row[0].set_ylabel("processors")
        for panel in axes[-1]:
            panel.set_xlabel("run time")
        finish(figure, axes[0][0], path)
