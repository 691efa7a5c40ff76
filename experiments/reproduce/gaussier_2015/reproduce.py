"""Gaussier et al. (SC 2015): backfilling by predicted run times; and the longest waits, which it does not print."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.predictions.correctors import CORRECTORS, Corrector
from planbatch.experiments.predictions.eloss import ELoss
from planbatch.experiments.predictions.predictor import LastTwo, Predictor, Requested, UsersRatio
from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.reproduce.gaussier_2015.protocol import Job, Simulation, jobs_of
from planbatch.experiments.reproduce.panels import finish, panels
from planbatch.experiments.reproduce.paper_report import Report
from planbatch.experiments.reproduce.run import Run
from planbatch.experiments.views.style import COLOURS, FAINT
from planbatch.planner.model import Workload

TITLE = "Improving backfilling by using machine learning to predict running times (Gaussier et al., SC 2015)"
NAME, LOG = "KTH-SP2", "KTH-SP2-1996-2"
QUICK_JOBS = 3000
#: The item of the paper's values, and of those beside it.
PAPER_ITEM, OTHERS, RULES, ACCURACY = "KTH-SP2", "Beside the paper", "Planbatch's rules", "Accuracy"
HOUR = 3600
#: Policies of planbatch on the same jobs.
REPLAYED = ("easy", "easy:fcfs/sjf")


def doubling_beyond_the_request(first: int, prediction: int, times: int, walltime: int) -> int:
    """Return twice the prediction, as published: no request limits it."""
    return 2 * prediction


@dataclass(frozen=True)
class Variant:
    """One scheduler of the paper.

    Attributes
    ----------
    name : str
        What the report calls it.
    predictor : callable
        Makes the predictor.
    corrector : callable
        Corrects predictions that are over.
    shortest : bool
        Whether jobs are backfilled by shortest prediction.
    known : bool
        Whether run times are known: they take the place of the requests.
    paper : float, optional
        The published mean bounded slowdown, recomputed to all its digits.
    """

    name: str
    predictor: Callable[[], Predictor]
    corrector: Corrector
    shortest: bool = True
    known: bool = False
    paper: float | None = None


_REQUEST, _INCREMENTAL = CORRECTORS["request"], CORRECTORS["incremental"]
VARIANTS = (
    Variant("EASY", Requested, _REQUEST, shortest=False, paper=92.57653973362949),
    Variant("EASY, run times known", Requested, _REQUEST, False, True, 71.72238511244),
    Variant("SJBF", Requested, _REQUEST, paper=69.4054005803035),
    Variant("SJBF, run times known", Requested, _REQUEST, known=True, paper=49.8477189313406),
    Variant("EASY++: SJBF, last two, incremental", LastTwo, _INCREMENTAL, paper=63.5006771704),
    Variant("SJBF, last two, request", LastTwo, _REQUEST, paper=62.8568827273),
    Variant("SJBF, last two, doubling", LastTwo, doubling_beyond_the_request, paper=64.5274742219),
    Variant("SJBF, E-Loss, incremental", ELoss, _INCREMENTAL, paper=51.4411305949469),
    Variant("SJBF, last two, doubling up to the request", LastTwo, CORRECTORS["doubling"]),
    Variant("SJBF, user's mean ratio, incremental", UsersRatio, _INCREMENTAL),
    Variant("EASY, E-Loss, incremental", ELoss, _INCREMENTAL, shortest=False),
)


def simulated(jobs: list[Job], capacity: int, variant: Variant) -> list[Job]:
    """Return fresh copies of the jobs, with the starts that a variant gives them."""
    fresh = [
        Job(replace(job.known, walltime=job.runtime) if variant.known else job.known, job.runtime)
        for job in jobs
    ]
    Simulation(capacity, variant.predictor(), variant.corrector, variant.shortest).run(fresh)
    return fresh


def mean_slowdown(jobs: list[Job]) -> float:
    """Return the mean bounded slowdown, summed in the order of the jobs."""
    return sum(job.slowdown for job in jobs) / len(jobs)


def waits(jobs: list[Job]) -> list[int]:
    """Return the wait of each job (s)."""
    return [job.start - job.known.submit for job in jobs]


def reproduce(run: Run) -> Report:
    """Simulate the paper's schedulers, and replay two of them by planbatch's rules."""
    report = Report(TITLE)
    log = run.log(LOG)
    if log is None:
        return report
    jobs, capacity = jobs_of(log)
    jobs = jobs[:QUICK_JOBS] if run.quick else jobs
    rows = []
    for variant in VARIANTS:
        run.tell(f"{NAME}: {variant.name}")
        done = simulated(jobs, capacity, variant)
        add_variant(report, run, variant, done)
        rows.append((variant.name, mean_slowdown(done), max(waits(done)) / HOUR))
    add_replays(report, run, jobs, capacity)
    order = [PAPER_ITEM, OTHERS, RULES, ACCURACY]
    report.rows.sort(key=lambda row: order.index(row.item))
    frame = pd.DataFrame(rows, columns=["scheduler", "slowdown", "longest"])
    draw_trade(frame, run.out / PAPER_ITEM.lower())
    report.pictures.append(PAPER_ITEM.lower())
    report.notes += NOTES
    return report


def add_variant(report: Report, run: Run, variant: Variant, done: list[Job]) -> None:
    """Add slowdown, waits and accuracy of one scheduler."""
    item = OTHERS if variant.paper is None else PAPER_ITEM
    paper = None if run.quick else variant.paper
    report.add(item, NAME, variant.name, "mean bounded slowdown", mean_slowdown(done), paper)
    found = waits(done)
    report.add(item, NAME, variant.name, "mean wait (h)", float(np.mean(found)) / HOUR)
    report.add(item, NAME, variant.name, "longest wait (h)", max(found) / HOUR)
    if not variant.known:
        under = np.mean([job.first < job.runtime for job in done])
        error = np.mean([abs(job.first - job.runtime) / job.runtime for job in done])
        report.add(ACCURACY, NAME, variant.name, "underestimated jobs (%)", 100 * float(under))
        report.add(ACCURACY, NAME, variant.name, "mean relative error", float(error))


def add_replays(report: Report, run: Run, jobs: list[Job], capacity: int) -> None:
    """Replay the same jobs with one round for each instant."""
    fcfs = sorted(jobs, key=lambda job: job.known.submit)
    columns: Any = {
        "submit": [job.known.submit for job in fcfs],
        "procs": [job.known.procs for job in fcfs],
        "walltime": [job.known.walltime for job in fcfs],
        "runtime": [job.runtime for job in fcfs],
    }
    workload = Workload(
        NAME,
        capacity,
        np.array([job.known.job for job in fcfs]),
        **columns,
    )
    tasks = {policy: ReplayTask(workload, make_policy(policy)) for policy in REPLAYED}
    for policy, trace in run.replays(tasks).items():
        found = metrics(trace)
        report.add(RULES, NAME, policy, "mean bounded slowdown", found.mean_bounded_slowdown)
        report.add(RULES, NAME, policy, "longest wait (h)", found.max_wait / HOUR)


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
        taken: list[Bbox] = []
        for name, slowdown, longest in frame.itertuples(index=False):
            label(panel, name, (slowdown, longest), taken)
        finish(figure, panel, path)


def label(panel: Axes, name: str, point: tuple[float, float], taken: list[Bbox]) -> None:
    """Write a name beside a point, where no name stands yet: to the right of it or to the left, above or below."""
    for sideways, aligned in ((6, "left"), (-6, "right")):
        for upwards in (4, -11, 15, -22):
            text = panel.annotate(
                name, point, xytext=(sideways, upwards), textcoords="offset points",
                ha=aligned, fontsize=8, color=FAINT,
            )  # fmt: skip
            box = text.get_window_extent()
            if not any(box.overlaps(other) for other in taken):
                taken.append(box)
                return
            text.remove()


NOTES = [
    "**Protocol.** The raw log, not the cleaned one. There is a pass after each event, none after a correction; at one "
    "instant predictions that are over come first, then submissions, then ends, then starts. What is free is told by "
    "predicted ends, so that a job can start at the instant at which another is expected to end. In EASY a submission "
    "that does not fit triggers no pass. By planbatch's rules, one round for each instant, EASY comes out higher.",
    "**E-Loss** has the features of the published code: the *run time* of one of the user's last jobs is the time "
    "since its submission, unless it would still run had it started at once; the mean of three has the factor 0.33.",
    "**Doubling** goes beyond the request in the published values; limited to it, the slowdown is larger.",
    "**Longest waits.** The paper prints means. Every scheduler with predictions has a longer longest wait than EASY.",
]
