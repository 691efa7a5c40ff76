"""Liu et al., IBB: Improved K-resource aware backfill balanced scheduling for HTCondor (NPC 2016).

Figures 1 and 2 show the average wait, response and slowdown over the load, on LANL-CM5 and on a mixture with a log of
MetaCentrum; Figure 3 shows 54 jobs on four nodes. The paper prints no table: the figures that it claims are gains of
IBB over BB of up to 65 % (wait and response, Figure 1) and up to 60 % (all three, Figure 2).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.reproduce.engine import OPTIMIZER, PaperReport, Run
from planbatch.experiments.reproduce.pictures import DASHES, finish, line_style, name_panel, panels, plot_lines
from planbatch.experiments.workloads.resources import memory_rule
from planbatch.experiments.workloads.selection import read_demand
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.transform import in_span, offered_load, scale_load
from planbatch.planner.model import FloatArray, IntArray, Workload
from planbatch.planner.resources import Resource

TITLE = "IBB, K-resource aware backfilling (Liu et al., NPC 2016)"
LANL = "LANL-CM5-1994-4.1-cln"
#: The simulated cluster: 1,024 nodes (of one processor, as the log counts) with 1 GB each.
NODES, NODE_MEMORY = 1024, "1GB/processor"
#: The cluster of Figure 3: four nodes, which we take to have 8 processors and 8 GB each.
CLUSTER_PROCESSORS = 32
CLUSTER_MEMORY = Resource("memory", 32 * 1024, "MB")
MPI_JOBS = 54
#: Sizes that the NAS Parallel Benchmarks run on: BT and SP on squares, the six others on powers of two.
SQUARES, POWERS = (1, 4, 9, 16, 25), (1, 2, 4, 8, 16, 32)
#: Run times (s) and memory (MB) of the 54 jobs, between which logarithms are uniform.
MPI_SECONDS, MPI_MEMORY = (10, 600), (64, 12 * 1024)


@dataclass(frozen=True)
class Reading:
    """One reading of what the paper leaves open about a log."""

    memory: str = "used"  #: 'used', 'requested': the memory that counts
    capacity: str = NODE_MEMORY  #: memory of the machine
    #: 'run times', 'requested times': what schedulers know of run times; with requested times, jobs are killed at
    #: theirs.
    times: str = "run times"
    #: Unit of the memory column, and what an amount refers to.
    unit: str = "KB"
    per: str = "processor"

    def workload(self, log: SwfLog) -> Workload:
        """Make the workload of a log on the simulated cluster."""
        if self.times == "run times":
            log = log.take(slice(None), requested_time=np.full(len(log), -1.0))
        rule = memory_rule(self.memory, self.capacity, self.per, self.unit)
        memory = read_demand(rule, log, log.processors(), NODES)
        selection = log.select(NODES, further=memory.wrong())
        return memory.add_to(log.build(selection), selection.rows)


#: Label in the report → policy.
POLICIES = {
    "FCFS": "fcfs",
    "best fit": "best-fit",
    "EASY": "easy",
    "CBF": "conservative",
    "BB": "bb",
    "BB, one per round": "bb-one",
    "IBB": "ibb",
    "plan, wait": f"plan-wait:optimizer={OPTIMIZER}",
    "plan, squared wait": f"plan-squared-wait:optimizer={OPTIMIZER}",
}
#: The policies that replay every variant of what the paper leaves open.
FEW = ("FCFS", "EASY", "BB", "BB, one per round", "IBB")
#: Those that IBB is compared with.
REFERENCES = ("BB", "BB, one per round")
LOADS = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1)
#: Logs of MetaCentrum: label → file, how it is read, and the share of its jobs that is mixed in.
METACENTRUM = {
    "MetaCentrum 2009": ("METACENTRUM-2009-2", Reading(), 0.5),
    "wagap 2013": ("wagap-2013", Reading("requested", unit="B", per="job"), 0.1),
}
MIXED_LOADS = (0.6, 0.8, 1.0)
#: How many days of the logs are mixed, in a quick run and in a full one.
MIXED_DAYS = {True: 20, False: 45}
SEEDS = {True: (1,), False: (1, 2, 3)}
AT_LOAD_1 = ", at a relative load of 1"
MPI_SEEDS = tuple(range(1, 11))
METRICS = ("mean wait (h)", "mean response (h)", "mean slowdown")
#: Number of parts of equal length into which LANL-CM5 is cut, to see how the gain varies.
PARTS = 8
#: The paper's claims: gains (%) of IBB over BB, at best.
CLAIMS = {"Figure 1": (65, 65, None), "Figure 2": (60, 60, 60)}
#: What the paper leaves open about LANL-CM5; the first is the one of Figure 1.
READINGS = {
    "used memory, 1 GB a node, run times": Reading(),
    "used memory, 32 MB a node, run times": Reading(capacity="32MB/processor"),
    "requested memory, 1 GB a node, run times": Reading("requested"),
    "requested memory, 32 MB a node, run times": Reading("requested", "32MB/processor"),
    "used memory, 1 GB a node, requested times": Reading(times="requested times"),
    "requested memory, 32 MB a node, requested times": Reading("requested", "32MB/processor", "requested times"),
}
#: Colour, dash and marker of every policy, the same in all pictures.
LOOKS = {
    "FCFS": line_style(7, (0, (1, 1.2)), "v"),
    "best fit": line_style(5, marker="^"),
    "EASY": line_style(2, marker="s"),
    "CBF": line_style(4, marker="D"),
    "BB": line_style(1),
    "BB, one per round": line_style(1, DASHES),
    "IBB": line_style(0),
    "plan, wait": line_style(3, marker="P"),
    "plan, squared wait": line_style(6, marker="X"),
}
#: Load → metric → policy → value.
Curves = dict[float, dict[str, dict[str, float]]]


def reproduce(run: Run) -> PaperReport:
    """Replay the three experiments, and write the pictures."""
    report = PaperReport(TITLE)
    log = run.log(LANL)
    if log is None:
        report.notes.append(f"Figures 1 and 2 are left out: the log {LANL} is missing.")
    else:
        whole = Reading().workload(log)
        workload = run.shorten(whole)
        run.notify(f"LANL-CM5: {len(workload):,} jobs")
        curves = figure_1(report, run, workload)
        mixtures = figure_2(report, run, whole)
        add_claims(report, {"LANL-CM5": curves}, "Figure 1")
        add_claims(report, mixtures, "Figure 2")
        parts(report, run, workload)
        for name, reading in READINGS.items():
            add_reading(report, run, name, run.shorten(reading.workload(log)))
    figure_3(report, run)
    return report


def measure(trace: Trace) -> dict[str, float]:
    """Return the three metrics of a trace."""
    measured = metrics(trace)
    values = (measured.mean_wait / 3600, measured.mean_response / 3600, measured.mean_bounded_slowdown)
    return dict(zip(METRICS, values, strict=True))


def replay_loads(run: Run, workload: Workload, loads: tuple[float, ...]) -> Curves:
    """Replay a workload at several relative loads under all policies."""
    curves: Curves = {}
    for load in loads:
        scaled = scale_load(workload, load)
        tasks = {label: ReplayTask(scaled, make_policy(name)) for label, name in POLICIES.items()}
        traces = run.replays(tasks)
        values = {label: measure(trace) for label, trace in traces.items()}
        curves[load] = {metric: {label: values[label][metric] for label in values} for metric in METRICS}
        run.notify(f"{workload.name}: load {load:g} replayed")
    return curves


def add_curves(report: PaperReport, item: str, name: str, curves: Curves) -> None:
    """Add the values at every load as rows."""
    for load, by_metric in curves.items():
        for metric, by_policy in by_metric.items():
            report.add_policies(item, f"{name}, load {load:g}", metric, by_policy)


def figure_1(report: PaperReport, run: Run, workload: Workload) -> Curves:
    """Replay LANL-CM5 at every load."""
    curves = replay_loads(run, workload, LOADS)
    add_loads(report, "Figure 1", "LANL-CM5", workload, AT_LOAD_1)
    add_curves(report, "Figure 1", "LANL-CM5", curves)
    title = "LANL-CM5 on 1,024 nodes with 1 GB each"
    draw_loads(report.picture(run.out, "figure-1"), title, {"LANL-CM5": curves})
    return curves


def add_loads(report: PaperReport, item: str, name: str, workload: Workload, at: str = "") -> None:
    """Report the offered loads of a workload."""
    report.add(item, name, "", f"offered load in processors{at}", offered_load(workload))
    report.add(item, name, "", f"offered load in memory{at}", offered_load(workload, 1))


def figure_2(report: PaperReport, run: Run, lanl: Workload) -> dict[str, Curves]:
    """Replay several mixtures of LANL-CM5 with each log of MetaCentrum; return the curves of each mixture."""
    curves: dict[str, Curves] = {}
    mixtures: dict[str, Curves] = {}
    for name, (source, reading, share) in METACENTRUM.items():
        log = run.log(source)
        if log is None:
            report.notes.append(f"The mixture with {name} is left out: the log is missing.")
            continue
        other = in_span(reading.workload(log), 0, MIXED_DAYS[run.quick] * 86400)
        mixture = f"LANL-CM5 and {name}"
        each = {}
        for seed in SEEDS[run.quick]:
            workload = mix(lanl, other, share, seed)
            run.notify(f"{mixture}, seed {seed}: {len(workload):,} jobs")
            add_loads(report, "Figure 2", f"{mixture}, seed {seed}", workload, AT_LOAD_1)
            each[seed] = replay_loads(run, workload, MIXED_LOADS)
            mixtures[f"{mixture}, seed {seed}"] = each[seed]
        curves[f"with {name}"] = mean_curves(list(each.values()))
        add_curves(report, "Figure 2", f"{mixture}, mean of {len(each)}", curves[f"with {name}"])
    if curves:
        title = "LANL-CM5 mixed with jobs of MetaCentrum, on 1,024 nodes with 1 GB each"
        draw_loads(report.picture(run.out, "figure-2"), title, curves)
    return mixtures


def mean_curves(each: list[Curves]) -> Curves:
    """Return the means of several curves, entry by entry."""
    return {
        load: {
            metric: {policy: float(np.mean([curves[load][metric][policy] for curves in each])) for policy in by_policy}
            for metric, by_policy in by_metric.items()
        }
        for load, by_metric in each[0].items()
    }


def add_claims(report: PaperReport, workloads: Mapping[str, Curves], item: str) -> None:
    """Compare the gains of IBB over BB with the paper's claims: at best, at worst, and at every load."""
    for other in REFERENCES:
        for metric, paper in zip(METRICS, CLAIMS[item], strict=True):
            name = metric.removesuffix(" (h)")
            gains = {
                f"{workload}, load {load:g}": gain(by_metric[metric], "IBB", other)
                for workload, curves in workloads.items()
                for load, by_metric in curves.items()
            }
            if not gains:
                continue
            item_of_claims, policy = f"Claims on {item}", f"IBB against {other}"
            best, worst = max(gains.values()), min(gains.values())
            metric_name = f"gain in {name} (%)"
            report.add(item_of_claims, "all", policy, f"greatest {metric_name}", best, paper)
            report.add(item_of_claims, "all", policy, f"least {metric_name}", worst)
            for where, value in gains.items():
                report.add(item_of_claims, where, policy, metric_name, value)


def gain(by_policy: Mapping[str, float], policy: str, other: str) -> float:
    """Return by how many per cent a policy's value is below another's; negative if it is above."""
    return 100 * (1 - by_policy[policy] / by_policy[other]) if by_policy[other] else 0.0


def replay_few(run: Run, workload: Workload) -> dict[str, dict[str, float]]:
    """Replay a workload under the queue-based policies; return the metrics of each."""
    tasks = {label: ReplayTask(workload, make_policy(POLICIES[label])) for label in FEW}
    return {label: measure(trace) for label, trace in run.replays(tasks).items()}


def parts(report: PaperReport, run: Run, workload: Workload) -> None:
    """Cut LANL-CM5 into parts of equal length, and report the gain in each."""
    length = int(workload.submit[-1] - workload.submit[0]) // PARTS + 1
    for part in range(PARTS):
        inside = (workload.submit - workload.submit[0]) // length == part
        if not inside.any():
            continue
        values = replay_few(run, workload.take(inside))
        waits = {label: of[METRICS[0]] for label, of in values.items()}
        where = f"part {part + 1} of {PARTS}, load 1"
        for other in REFERENCES:
            value = gain(waits, "IBB", other)
            policy = f"IBB against {other}"
            report.add("Parts of LANL-CM5", where, policy, "gain in mean wait (%)", value)


def add_reading(report: PaperReport, run: Run, name: str, workload: Workload) -> None:
    """Report the metrics of one reading of LANL-CM5, at the log's own load."""
    values = replay_few(run, workload)
    item = "What the paper leaves open"
    add_loads(report, item, name, workload)
    waits = {label: of[METRICS[0]] for label, of in values.items()}
    report.add_policies(item, name, METRICS[0], waits)
    for other in ("EASY", *REFERENCES):
        value = gain(waits, "IBB", other)
        report.add(item, name, f"IBB against {other}", "gain in mean wait (%)", value)


def figure_3(report: PaperReport, run: Run) -> None:
    """Replay 54 jobs on four nodes: draw the jobs of the first seed, report the values of all seeds."""
    labels = ("FCFS", "best fit", "IBB", "plan, squared wait")
    workloads = {seed: mpi_jobs(seed) for seed in MPI_SEEDS}
    tasks = {
        (label, seed): ReplayTask(workload, make_policy(name))
        for label, name in POLICIES.items()
        for seed, workload in workloads.items()
    }
    traces = replace(run, jobs=1).replays(tasks)
    kinds = {"wait": "wait (s)", "response": "response time (s)", "slowdown": "slowdown"}
    for letter, (kind, unit) in zip("abc", kinds.items(), strict=True):
        item, where = f"Figure 3{letter}", "54 jobs, 10 seeds"
        for label in POLICIES:
            of = [job_values(traces[label, seed])[kind] for seed in MPI_SEEDS]
            means = [float(values.mean()) for values in of]
            report.add(item, where, label, f"mean {unit}", float(np.mean(means)))
            report.add(item, where, label, f"mean {unit}, least", min(means))
            report.add(item, where, label, f"mean {unit}, greatest", max(means))
            longest = float(np.mean([values.max() for values in of]))
            report.add(item, where, label, f"greatest {unit} of a job", longest)
        columns = {label: job_values(traces[label, 1])[kind] for label in labels}
        draw_jobs(report.picture(run.out, f"figure-3{letter}"), unit, columns, kind == "slowdown")


def job_values(trace: Trace) -> dict[str, np.ndarray]:
    """Return wait, response (s) and slowdown (response / run time) of every job."""
    wait = trace.wait.astype(np.float64)
    response = wait + trace.workload.runtime
    return {"wait": wait, "response": response, "slowdown": response / trace.workload.runtime}


# The workloads


def mix(first: Workload, second: Workload, share: float, seed: int) -> Workload:
    """Mix two workloads of one machine; both begin at 0, and jobs are renumbered in FCFS order.

    Of the first, a part as long as the second is taken, from a moment drawn by the seed; of the second, each job with
    probability ``share``.
    """
    rng = np.random.default_rng(seed)
    length = int(second.submit[-1] - second.submit[0])
    slack = max(int(first.submit[-1] - first.submit[0]) - length, 0)
    begin = int(rng.integers(slack + 1))
    origins = int(first.submit[0]) + begin, int(second.submit[0])
    sample = second.take(rng.random(len(second)) < share)
    parts = [in_span(first, begin, begin + length + 1), sample]
    names = ("procs", "walltime", "runtime", "user", "queue", "demands")
    columns: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    submit = np.concatenate([part.submit - origin for part, origin in zip(parts, origins, strict=True)])
    order = np.argsort(submit, kind="stable")
    return Workload(
        name=f"{first.name} and {second.name}",
        capacity=first.capacity,
        id=np.arange(1, len(submit) + 1),
        submit=submit[order],
        resources=first.resources,
        **{name: column[order] for name, column in columns.items()},
    )


def mpi_jobs(seed: int) -> Workload:
    """Draw 54 jobs, submitted one second apart, on four nodes; walltimes are run times."""
    rng = np.random.default_rng(seed)
    sizes = [rng.choice(SQUARES if rng.random() < 2 / 8 else POWERS) for _ in range(MPI_JOBS)]
    seconds = log_uniform(rng, *MPI_SECONDS)
    memory = log_uniform(rng, *MPI_MEMORY)
    return Workload(
        name="54 MPI-like jobs",
        capacity=CLUSTER_PROCESSORS,
        id=np.arange(1, MPI_JOBS + 1),
        submit=np.arange(MPI_JOBS),
        procs=np.array(sizes),
        walltime=seconds,
        runtime=seconds,
        resources=(CLUSTER_MEMORY,),
        demands=memory[:, None],
    )


def log_uniform(rng: np.random.Generator, low: int, high: int) -> IntArray:
    """Draw a whole number for each of the 54 jobs, with a uniform logarithm."""
    return np.exp(rng.uniform(np.log(low), np.log(high), MPI_JOBS)).astype(np.int64)


# The pictures


def draw_loads(path: Path, title: str, workloads: Mapping[str, Curves]) -> None:
    """Draw one row of panels per workload, one panel per metric, and one line per policy over the relative load."""
    metrics = list(next(iter(next(iter(workloads.values())).values())))
    with panels(len(workloads), len(metrics), (3.6, 3.0), title) as (figure, axes):
        for row, (name, curves) in zip(axes, workloads.items(), strict=True):
            loads = list(curves)
            for panel, metric in zip(row, metrics, strict=True):
                values = {
                    policy: [curves[load][metric][policy] for load in loads] for policy in curves[loads[0]][metric]
                }
                plot_lines(panel, loads, values, LOOKS)
                scale_axis(panel, min(map(min, values.values())) > 0)
                panel.set_xticks(loads, [f"{load:g}" for load in loads])
                panel.set_xlabel("relative load")
                name_panel(panel, metric if len(workloads) == 1 else f"{name}: {metric}")
        finish(figure, axes[0][0], path, columns=5)


def scale_axis(panel: Axes, logarithmic: bool) -> None:
    """Make the vertical axis logarithmic with round numbers, or let it begin at zero."""
    if not logarithmic:
        panel.set_ylim(bottom=0)
        return
    panel.set_yscale("log")
    panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
    panel.yaxis.set_major_formatter("{x:g}")
    panel.yaxis.set_minor_locator(NullLocator())


def draw_jobs(path: Path, unit: str, values: Mapping[str, FloatArray], logarithmic: bool) -> None:
    """Draw a value of every job, in the order of submission: one line per policy."""
    title = f"54 jobs on four nodes: {unit}"
    with panels(1, 1, (7.2, 3.2), title) as (figure, axes):
        panel = axes[0][0]
        for policy, column in values.items():
            jobs = np.arange(1, len(column) + 1)
            style = {**LOOKS[policy], "linestyle": "-", "linewidth": 1}
            panel.plot(jobs, column, markersize=4, label=policy, **style)
        scale_axis(panel, logarithmic)
        panel.set_xlabel("job, in the order of submission")
        panel.set_ylabel(unit)
        finish(figure, panel, path)
