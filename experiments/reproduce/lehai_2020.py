"""Le Hai et al., A working time deadline-based backfilling scheduling solution (ACOMP 2020).

Only the abstract is public. It names what is measured (the mean and the maximum wait, the stretch,
and how many jobs are submitted and finished in working time) and compared (WDBF, DBF, EDF, EASY
and conservative backfilling, on four logs), but neither the logs nor a number.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.working_time import Calendar, in_working_time
from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.reproduce.engine import PaperReport, Run
from planbatch.experiments.reproduce.pictures import LOOKS, finish, name_panel, panels
from planbatch.experiments.workloads.deadlines import HOUR, with_deadlines
from planbatch.planner.model import Workload

TITLE = "Working time deadline-based backfilling (Le Hai et al., ACOMP 2020)"
#: Logs with requested times, waits, a start time and a time zone.
LOGS = {
    "SDSC-SP2": "SDSC-SP2-1998-4.2-cln",
    "SDSC-BLUE": "SDSC-BLUE-2000-4.2-cln",
    "SDSC-DS": "SDSC-DS-2004-2.1-cln",
    "HPC2N": "HPC2N-2002-2.2-cln",
}
#: Share of random deadlines (%), those of 2017; as many as end outside working time are about half.
RANDOM = "random:40"
#: Label in the report → policy, deadlines.
POLICIES = {
    "WDBF": ("wdbf", "none"),
    "DBF": ("dbf", RANDOM),
    "DBF, working-time deadlines": ("dbf", "working"),
    "EDF": ("edf", "working"),
    "EASY": ("easy", "none"),
    "CBF": ("conservative", "none"),
}
#: Metric → its heading in the picture.
METRICS = {
    "mean wait (h)": "mean wait (h)",
    "maximum wait (h)": "maximum wait (h)",
    "mean stretch": "mean stretch",
    "submitted and finished in working time": "jobs in working time",
}


def reproduce(run: Run) -> PaperReport:
    """Replay four logs under five policies, and compare the metrics."""
    report = PaperReport(TITLE)
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for name, log in run.logs(LOGS, report):
        workload = run.shorten(log.workload())
        run.notify(f"{name}: {len(workload):,} jobs")
        tasks = {
            label: ReplayTask(with_deadlines(workload, deadlines), make_policy(policy))
            for label, (policy, deadlines) in POLICIES.items()
        }
        measured = {label: measure(trace) for label, trace in run.replays(tasks).items()}
        for label, values in measured.items():
            for metric, value in values.items():
                report.add("Comparison", name, label, metric, value)
        figures[name] = measured
    if figures:
        draw(figures, report.picture(run.out, "comparison"))
        report.notes += claims(figures)
    return report


def measure(trace: Trace) -> dict[str, float]:
    """Return the four metrics of a trace."""
    measured = metrics(trace)
    return {
        "mean wait (h)": measured.mean_wait / HOUR,
        "maximum wait (h)": measured.max_wait / HOUR,
        "mean stretch": measured.mean_stretch,
        "submitted and finished in working time": in_working_hours(trace, trace.workload),
    }


def in_working_hours(trace: Trace, workload: Workload) -> float:
    """Count the jobs that are submitted in a working period and finished in one."""
    periods = Calendar().periods(workload)
    in_hours = in_working_time(workload.submit, periods) & in_working_time(trace.end, periods)
    return float(np.count_nonzero(in_hours))


def claims(figures: dict[str, dict[str, dict[str, float]]]) -> list[str]:
    """Check the claims of the abstract, log by log."""
    mean, largest, _, counted = METRICS
    lines = []
    for name, of in figures.items():
        wdbf = of["WDBF"]
        shorter = [other for other in of if other != "WDBF" and wdbf[mean] < of[other][mean]]
        more = [other for other in of if other != "WDBF" and wdbf[counted] > of[other][counted]]
        steady = wdbf[largest] <= min(of["EASY"][largest], of["CBF"][largest])
        better = wdbf[largest] < min(of["DBF"][largest], of["EDF"][largest])
        lines.append(
            f"**{name}.** WDBF's mean wait is below that of {count_text(shorter, of)}; its jobs submitted "
            f"and finished in working time are more than those of {count_text(more, of)}; its maximum wait is "
            f"{'no longer' if steady else 'longer'} than that of EASY and CBF, and "
            f"{'shorter' if better else 'not shorter'} than that of DBF and EDF."
        )
    return lines


def count_text(names: Sequence[str], of: Collection[str]) -> str:
    """Return how many of the other policies these are, and which."""
    share = f"{len(names)} of {len(of) - 1} others"
    return f"{share} ({'; '.join(names)})" if names else share


def draw(figures: dict[str, dict[str, dict[str, float]]], path: Path) -> None:
    """Draw the four metrics: one row per log, one column per metric, bars for the policies."""
    names = list(POLICIES)
    with panels(len(figures), len(METRICS), (3.0, 1.7), TITLE) as (figure, axes):
        for row, (name, measured) in zip(axes, figures.items(), strict=True):
            for panel, metric in zip(row, METRICS, strict=True):
                values = [measured[label][metric] for label in names]
                colours = [LOOKS[label.split(",")[0]]["color"] for label in names]
                panel.barh(range(len(names)), values, color=colours, height=0.7)
                panel.set_yticks(range(len(names)), names, fontsize=8)
                panel.invert_yaxis()
                panel.grid(axis="y", visible=False)
                panel.tick_params(axis="x", labelsize=8)
                panel.locator_params(axis="x", nbins=4)
                if panel is not row[0]:
                    panel.set_yticklabels([])
                if row is axes[0]:
                    name_panel(panel, METRICS[metric])
            row[0].set_ylabel(name)
        finish(figure, axes[0][0], path)
