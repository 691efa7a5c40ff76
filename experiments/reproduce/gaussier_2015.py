"""Gaussier et al. (SC 2015): backfilling by predicted run times; and the longest waits, which it does not print.

"Improving Backfilling by using Machine Learning to predict Running Times".
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.figures.style import COLOURS, FAINT
from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.replay.trace import RoundLog, Trace
from planbatch.experiments.reproduce.engine import PaperReport, Run
from planbatch.experiments.reproduce.gaussier_2015_simulator import (
    CORRECTORS,
    Actual,
    ELoss,
    EventSimulator,
    LastTwo,
    RequestedTime,
    SimulatedJob,
    SubmittedJob,
)
from planbatch.experiments.reproduce.pictures import finish, panels
from planbatch.experiments.runs.backends import run_tasks
from planbatch.experiments.runs.task import Failure, without_progress
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.transform import first_jobs
from planbatch.planner.model import NEVER, Workload

TITLE = "Improving backfilling by using machine learning to predict running times (Gaussier et al., SC 2015)"
NAME, LOG = "KTH-SP2", "KTH-SP2-1996-2"
QUICK_JOBS = 3000
#: Items of the report: the paper's values, and ours.
PAPER_ITEM, OTHERS, RULES, ACCURACY = "KTH-SP2", "Beside the paper", "Planbatch's rules", "Accuracy"
HOUR = 3600
#: Policies of planbatch on the same jobs.
POLICIES = ("easy", "easy:fcfs/sjf")


@dataclass(frozen=True)
class Variant:
    """One scheduler of the paper."""

    name: str  #: what the report calls it
    shortest: bool  #: whether EASY backfills by shortest prediction (SJBF), else in FCFS order
    predictor: str = "requested"  # 'requested', 'actual', 'last-two', 'e-loss': what predicts run times
    correction: str = "request"  # what corrects predictions that are outlived; one of ``CORRECTORS``
    paper: float | None = None  #: the published mean bounded slowdown, recomputed to all its digits


VARIANTS = (
    Variant("EASY", False, paper=92.57653973362949),
    Variant("EASY, run times known", False, "actual", paper=71.72238511244),
    Variant("SJBF", True, paper=69.4054005803035),
    Variant("SJBF, run times known", True, "actual", paper=49.8477189313406),
    Variant("EASY++: SJBF, last two, incremental", True, "last-two", "incremental", 63.5006771704),
    Variant("SJBF, last two, request", True, "last-two", "request", 62.8568827273),
    Variant("SJBF, last two, doubling", True, "last-two", "doubling-beyond", 64.5274742219),
    Variant("SJBF, E-Loss, incremental", True, "e-loss", "incremental", 51.4411305949469),
    Variant("SJBF, last two, doubling up to the request", True, "last-two", "doubling"),
    Variant("EASY, E-Loss, incremental", False, "e-loss", "incremental"),
)


def workload_of(log: SwfLog, name: str) -> Workload:
    """Read the jobs as the paper does, in FCFS order.

    Left out are jobs that are larger than the machine by either column, or whose processors, run time, request or
    submission are not known. Processors are the requested ones, or else the allocated; runs are cut at the request.

    Raises ``ValueError`` if the header does not say how large the machine is.
    """
    capacity = log.header.capacity
    if capacity is None:
        raise ValueError(f"{log.source}: the header has neither MaxProcs nor MaxNodes")
    c = {column: values.astype(np.int64) for column, values in log.columns.items()}
    allocated, requested = c["used_procs"], c["requested_procs"]
    procs = np.where(requested > 0, requested, allocated)
    run, request, submit = c["runtime"], c["requested_time"], c["submit"]
    complete = (procs > 0) & (run > 0) & (request > 0) & (submit >= 0)
    usable = np.flatnonzero(complete & (np.maximum(allocated, requested) <= capacity))
    usable = usable[np.argsort(submit[usable], kind="stable")]
    return Workload(
        name,
        capacity,
        c["job"][usable],
        submit=submit[usable],
        procs=procs[usable],
        walltime=request[usable],
        runtime=np.minimum(run, request)[usable],
        user=c["user"][usable],
    )


def simulate(workload: Workload, variant: Variant) -> Trace:
    """Return the trace of a workload under one scheduler of the paper, by the rules of its simulator."""
    runtimes = dict(enumerate(workload.runtime.tolist()))
    predictors: dict[str, Callable[[], Any]] = {
        "requested": RequestedTime,
        "actual": partial(Actual, runtimes),
        "last-two": LastTwo,
        "e-loss": ELoss,
    }
    columns = (workload.user, workload.submit, workload.procs, workload.walltime)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    jobs = [SimulatedJob(SubmittedJob(i, *row), runtimes[i]) for i, row in enumerate(rows)]
    predictor = predictors[variant.predictor]()
    EventSimulator(workload.capacity, predictor, CORRECTORS[variant.correction], variant.shortest).run(jobs)
    start = np.array([job.start for job in jobs], dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    return Trace(
        workload,
        variant.name,
        start,
        start + workload.runtime,
        RoundLog(none, none, none, none, none, np.zeros(0), np.zeros(0)),
        0.0,
        np.full(len(jobs), NEVER),
        predicted=np.array([job.first for job in jobs], dtype=np.int64),
    )


def reproduce(run: Run) -> PaperReport:
    """Replay the paper's schedulers by its event rules, and two of them by planbatch's."""
    report = PaperReport(TITLE)
    log = run.log(LOG)
    if log is None:
        return report
    workload = workload_of(log, NAME)
    workload = first_jobs(workload, QUICK_JOBS) if run.quick else workload
    tasks = [without_progress(simulate, workload, variant) for variant in VARIANTS]
    traces = run.replays({policy: ReplayTask(workload, make_policy(policy)) for policy in POLICIES})
    for i, outcome in run_tasks(tasks, run.jobs):
        if isinstance(outcome, Failure):
            raise outcome.cause(VARIANTS[i].name)
        traces[VARIANTS[i].name] = outcome
    rows = []
    for variant in VARIANTS:
        trace = traces[variant.name]
        add_variant(report, run, variant, trace)
        measured = metrics(trace)
        rows.append((variant.name, measured.mean_bounded_slowdown, measured.max_wait / HOUR))
    for policy in POLICIES:
        measured = metrics(traces[policy])
        report.add(RULES, NAME, policy, "mean bounded slowdown", measured.mean_bounded_slowdown)
        report.add(RULES, NAME, policy, "longest wait (h)", measured.max_wait / HOUR)
    order = [PAPER_ITEM, OTHERS, RULES, ACCURACY]
    report.rows.sort(key=lambda row: order.index(row.item))
    frame = pd.DataFrame(rows, columns=["scheduler", "slowdown", "longest"])
    draw_trade(frame, report.picture(run.out, PAPER_ITEM.lower()))
    return report


def add_variant(report: PaperReport, run: Run, variant: Variant, trace: Trace) -> None:
    """Add slowdown, waits and accuracy of one scheduler."""
    item = OTHERS if variant.paper is None else PAPER_ITEM
    paper = None if run.quick else variant.paper
    measured = metrics(trace)
    slowdown = measured.mean_bounded_slowdown
    report.add(item, NAME, variant.name, "mean bounded slowdown", slowdown, paper)
    report.add(item, NAME, variant.name, "mean wait (h)", measured.mean_wait / HOUR)
    report.add(item, NAME, variant.name, "longest wait (h)", measured.max_wait / HOUR)
    if variant.predictor != "actual":
        runtime, request = trace.workload.runtime, trace.workload.walltime
        predicted = np.where(trace.predicted == NEVER, request, trace.predicted)
        under = np.mean(predicted < runtime)
        error = np.mean(np.abs(predicted - runtime) / runtime)
        report.add(ACCURACY, NAME, variant.name, "underestimated jobs (%)", 100 * float(under))
        report.add(ACCURACY, NAME, variant.name, "mean relative error", float(error))


def draw_trade(frame: pd.DataFrame, path: Path) -> None:
    """Draw the mean slowdown of each scheduler against its longest wait."""
    with panels(1, 1, (8.4, 5.0), "Mean slowdown against the longest wait") as (figure, axes):
        panel = axes[0][0]
        panel.plot(frame["slowdown"], frame["longest"], "o", ms=6, color=COLOURS[0])
        panel.set_xlabel("mean bounded slowdown")
        panel.set_ylabel("longest wait (h)")
        panel.margins(x=0.3)
        panel.set_ylim(0, 1.1 * frame["longest"].max())
        panel.yaxis.set_major_formatter("{x:,.0f}")
        figure.draw_without_rendering()
        boxes: list[Bbox] = []
        for name, slowdown, longest in frame.itertuples(index=False):
            place_label(panel, name, (slowdown, longest), boxes)
        finish(figure, panel, path)


def place_label(panel: Axes, name: str, point: tuple[float, float], boxes: list[Bbox]) -> None:
    """Label a point where no label is yet: right or left of it, above or below."""
    for sideways, aligned in ((6, "left"), (-6, "right")):
        for upwards in (4, -11, 15, -22):
            text = panel.annotate(
                name, point, xytext=(sideways, upwards), textcoords="offset points", ha=aligned, fontsize=8, color=FAINT
            )
            box = text.get_window_extent()
            if not any(box.overlaps(other) for other in boxes):
                boxes.append(box)
                return
            text.remove()
