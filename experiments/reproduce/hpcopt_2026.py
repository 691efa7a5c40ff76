"""HPCOpt's leaderboard of policies (2026), and the FCFS of Batsim 5.0 that its authors ran on the same logs.

ErenAri/HPC-workload-optimizer: ``docs/leaderboard.md`` and ``docs/validation/batsim-agreement.md``.
"""

import numpy as np

from planbatch.baselines.catalogue import make_policy, settings_for, takes
from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.reproduce.engine import OPTIMIZER, PaperReport, Run

TITLE = "HPCOpt's leaderboard and the FCFS of Batsim 5 (HPC-workload-optimizer, 2026)"
LOGS = {"SDSC-SP2": "SDSC-SP2-1998-4.2-cln", "HPC2N": "HPC2N-2002-2.2-cln"}
BATSIM, LEADERBOARD = "Batsim 5.0.0-rc1 FCFS", "Leaderboard"
SLOWDOWN, MEAN, P95 = "p95 bounded slowdown, 60 s", "mean wait (s)", "p95 wait (s)"
MAKESPAN, LONGEST = "makespan (s)", "longest wait (d)"
#: What Batsim printed.
PRINTED_FIGURES = {
    "SDSC-SP2": {MEAN: 1_536_585, P95: 5_077_954, MAKESPAN: 68_412_581, SLOWDOWN: 56_397.61},
    "HPC2N": {MEAN: 15_843, P95: 66_120, MAKESPAN: 109_256_855, SLOWDOWN: 277.06},
}
#: Policy → what the leaderboard prints for it: p95 bounded slowdown and mean wait (s), per log. No longest waits.
POLICIES: dict[str, dict[str, tuple[float, float]]] = {
    "fcfs": {"SDSC-SP2": (56_784.93, 1_552_128), "HPC2N": (286.98, 16_189)},
    "easy": {"SDSC-SP2": (585.27, 34_010), "HPC2N": (113.40, 12_369)},
    "conservative": {"SDSC-SP2": (550.82, 28_708)},
    "easy:sjf": {"SDSC-SP2": (144.14, 61_673), "HPC2N": (20.46, 7_148)},
    "plan-squared-wait": {},
    "plan-aged-wait:1d": {},
    "plan-bounded-slowdown": {},
}
#: Seeds of policies that search.
SEEDS = range(5)


def reproduce(run: Run) -> PaperReport:
    """Replay both logs under FCFS, backfilling and plans."""
    report = PaperReport(TITLE)
    tasks = {}
    for name, log in run.logs(LOGS, report):
        workload = run.shorten(log.workload())
        for policy in POLICIES:
            for seed in SEEDS if "evaluations" in takes(policy) else range(1):
                replayed = make_policy(policy, **settings_for(policy, {"optimizer": OPTIMIZER}))
                tasks[name, policy, seed] = ReplayTask(workload, replayed, seed=seed)
    traces = run.replays(tasks)
    figures: dict[tuple[str, str], list[dict[str, float]]] = {}
    for (name, policy, _), trace in traces.items():
        figures.setdefault((name, policy), []).append(measure(trace))
    for (name, policy), values in figures.items():
        for metric, printed in PRINTED_FIGURES[name].items() if policy == "fcfs" else ():
            paper = None if run.quick else printed
            report.add(BATSIM, name, policy, metric, values[0][metric], paper)
    for (name, policy), values in figures.items():
        printed_for = () if run.quick else POLICIES[policy].get(name, ())
        papers = dict(zip((SLOWDOWN, MEAN), printed_for, strict=False))
        for metric in (SLOWDOWN, MEAN, LONGEST):
            seeds = [value[metric] for value in values]
            report.add_seeds(LEADERBOARD, name, policy, metric, seeds, papers.get(metric))
    return report


def measure(trace: Trace) -> dict[str, float]:
    """Return the figures of a replay; slowdown is (wait + run) / max(run, 60 s)."""
    wait, run = trace.wait, trace.workload.runtime
    slowdown = (wait + run) / np.maximum(run, 60)
    all_jobs = metrics(trace)
    return {
        SLOWDOWN: float(np.percentile(slowdown, 95)),
        MEAN: all_jobs.mean_wait,
        P95: all_jobs.p95_wait,
        MAKESPAN: all_jobs.makespan,
        LONGEST: all_jobs.max_wait / 86400,
    }
