"""Zhang et al., RLScheduler (SC 2020): Table V by its own simulator, and the same sequences under EASY and plans.

"RLScheduler: An Automated HPC Batch Job Scheduler Using Reinforcement Learning".
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from planbatch.baselines.catalogue import make_policy, settings_for
from planbatch.experiments.figures.style import COLOURS, FAINT
from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.reproduce.engine import OPTIMIZER, PaperReport, Run
from planbatch.experiments.reproduce.pictures import finish, make_logarithmic, name_panel, panels
from planbatch.experiments.reproduce.zhang_2020_simulator import (
    CORRECTED,
    PUBLISHED,
    STARTS,
    SequenceMachine,
    machine_of,
    mean_slowdowns,
)
from planbatch.planner.model import FloatArray

TITLE = "RLScheduler: batch scheduling by reinforcement learning (Zhang et al., SC 2020)"
#: The paper's names of the logs → ours.
LOGS = {
    "Lublin-1": "lublin_256",
    "SDSC-SP2": "SDSC-SP2-1998-4.2-cln",
    "HPC2N": "HPC2N-2002-2.2-cln",
    "Lublin-2": "lublin_256_new2",
}
#: The orders of Table V.
POLICIES = ("FCFS", "WFP3", "UNICEP", "SJF", "F1")
#: Table V, mean bounded slowdown: log → the values of ``POLICIES``, and of the policy that was learned.
WITHOUT_BACKFILLING = {
    "Lublin-1": (7273.77, 19753.53, 22274.74, 277.35, 258.37, 254.67),
    "SDSC-SP2": (1727.54, 3000.88, 1848.45, 2680.55, 1232.06, 466.44),
    "HPC2N": (297.18, 426.99, 609.77, 157.71, 118.01, 117.01),
    "Lublin-2": (7842.47, 9523.18, 11265.31, 787.89, 698.34, 724.51),
}
WITH_BACKFILLING = {
    "Lublin-1": (235.82, 133.87, 307.23, 73.31, 75.07, 58.64),
    "SDSC-SP2": (1595.12, 1083.12, 548.01, 2167.84, 1098.22, 397.82),
    "HPC2N": (127.38, 97.39, 175.12, 122.04, 71.95, 86.14),
    "Lublin-2": (247.61, 318.35, 379.59, 91.99, 148.25, 118.79),
}
TABLES = {
    "Table V without backfilling": (False, WITHOUT_BACKFILLING),
    "Table V with backfilling": (True, WITH_BACKFILLING),
}
#: EASY, by orders.
EASY = tuple(
    f"easy{order}"
    for order in (
        "", ":fcfs/sjf", ":sjf", ":saf", ":lxf", ":wfp3", ":unicef", ":f1",
        ":expected-area", ":expected-slowdown",
    )
)  # fmt: skip
#: Starts judged in simulated futures.
ROLLOUTS = "rollouts:expected-slowdown,objective=expected-slowdown,coming=12h,confidence=3"
#: Plans, by policy and estimates.
PLANS = {
    **{
        name: (name, "requested")
        for name in (
            "plan-bounded-slowdown",
            "plan-squared-wait",
            "plan-wait",
            "plan-aged-wait:12h",
            "plan-expected-slowdown",
        )
    },
    **{f"{name}, predicted": (name, "predicted:ratio") for name in ("plan-squared-wait", "plan-expected-slowdown")},
    "rollouts": (ROLLOUTS, "requested"),
}
#: Of policies that take them.
SETTINGS = {"evaluations": 100, "optimizer": OPTIMIZER}
METRIC = "mean bounded slowdown"
#: Sequences, and seeds of policies that draw random numbers, that ``--quick`` keeps.
QUICK = 2
SEEDS = range(5)
#: How far the dots of a column are apart, in columns.
SPREAD = 0.5
#: The columns of the values by sequence.
COLUMNS = ["item", "workload", "policy", "sequence", "seed", "slowdown", "max_wait"]
Values = list[tuple[str, str, str, int, int, float, float]]


def reproduce(run: Run) -> PaperReport:
    """Simulate and replay the ten sequences of every log, and write the values of each sequence."""
    report = PaperReport(TITLE)
    values: Values = []
    for name, log in run.logs(LOGS, report):
        machine = machine_of(log)
        values += table_5(run, name, machine)
        values += replays(run, name, machine)
    if not values:
        return report
    frame = pd.DataFrame(values, columns=COLUMNS)
    frame.to_csv(run.out / "sequences.csv", index=False, lineterminator="\n")
    add_means(run, report, frame)
    report.pictures += draw_all(frame, run.out)
    return report


def table_5(run: Run, name: str, machine: SequenceMachine) -> Values:
    """Simulate the published and the corrected scores by the simulator's rules."""
    values: Values = []
    for item, (backfilling, _) in TABLES.items():
        scores = PUBLISHED | {f"{policy}, corrected": CORRECTED[policy] for policy in CORRECTED}
        for policy, score in scores.items():
            run.notify(f"{name}: {policy}, {item.removeprefix('Table V ')}")
            means = mean_slowdowns(machine, score, backfilling, sequences(run))
            values += [(item, name, policy, k, 0, mean, np.nan) for k, mean in enumerate(means)]
    return values


def sequences(run: Run) -> range:
    """Return the numbers of the sequences."""
    return range(QUICK if run.quick else len(STARTS))


def replays(run: Run, name: str, machine: SequenceMachine) -> Values:
    """Replay the sequences by planbatch's rules: under EASY, and with several seeds under plans."""
    workloads = {number: machine.workload(number) for number in sequences(run)}
    tasks = {}
    for policy in (*EASY, *PLANS):
        policy_name, estimates = PLANS.get(policy, (policy, "requested"))
        replayed_policy = make_policy(policy_name, **settings_for(policy_name, SETTINGS))
        for number, workload in workloads.items():
            for seed in seeds(run, policy):
                task = ReplayTask(workload, replayed_policy, estimates, seed=seed)
                tasks[name, policy, number, seed] = task
    values: Values = []
    for (_, policy, number, seed), trace in run.replays(tasks).items():
        measured = metrics(trace)
        item = "EASY" if policy in EASY else "Plans"
        slowdown, longest = measured.mean_bounded_slowdown, float(measured.max_wait)
        values.append((item, name, policy, number, seed, slowdown, longest))
    return values


def seeds(run: Run, policy: str) -> range:
    """Return the seeds under a policy: one if it draws no random numbers."""
    if policy in EASY:
        return range(1)
    return range(QUICK) if run.quick else SEEDS


def add_means(run: Run, report: PaperReport, frame: pd.DataFrame) -> None:
    """Add means over sequences and seeds with the paper's, the range over seeds, and the longest wait."""
    printed = {
        (item, log, policy): value
        for item, (_, table) in TABLES.items()
        for log, row in table.items()
        for policy, value in zip(POLICIES, row, strict=False)
    }
    for item in (*TABLES, "EASY", "Plans"):
        listed = frame[frame["item"] == item]
        for log, policy in dict.fromkeys(zip(listed["workload"], listed["policy"], strict=True)):
            part = listed[(listed["workload"] == log) & (listed["policy"] == policy)]
            paper = None if run.quick else printed.get((item, log, policy))
            means = part.groupby("seed")["slowdown"].mean()
            report.add_seeds(item, log, policy, METRIC, means.tolist(), paper)
            if part["max_wait"].notna().all():
                longest = float(part["max_wait"].max()) / 3600
                report.add(item, log, policy, "longest wait (h)", longest)


def draw_all(frame: pd.DataFrame, folder: Path) -> list[str]:
    """Draw the values of each sequence, one panel per log; return the names of the pictures."""
    names = []
    for item, part in _items(frame):
        name = item.lower().replace(" ", "-")
        learned = {log: row[-1] for log, row in TABLES[item][1].items()} if item in TABLES else {}
        by_log: dict[str, dict[str, FloatArray]] = {}
        for (log, policy), rows in part.groupby(["workload", "policy"], sort=False):  # type: ignore[misc]
            means = rows.groupby("sequence")["slowdown"].mean()
            by_log.setdefault(str(log), {})[str(policy)] = means.to_numpy()
        draw_sequences(folder / name, f"{item}: {METRIC} of each sequence", by_log, learned)
        names.append(name)
    return names


def _items(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the items; those of the plans include EASY."""
    for item in (*TABLES, "EASY", "Plans"):
        selected = frame["item"] == item
        if item == "Plans":
            selected |= frame["policy"].isin(["easy", "easy:saf", "easy:wfp3"])
        yield item, frame[selected]


def draw_sequences(
    path: Path, title: str, values: Mapping[str, Mapping[str, FloatArray]], learned: Mapping[str, float]
) -> None:
    """Draw log → policy → one value per sequence; a bar marks the mean, a dashed line the learned policy's mean."""
    columns = 2
    rows = -(-len(values) // columns)
    with panels(rows, columns, (6.2, 3.6), title) as (figure, axes):
        flat = [panel for row in axes for panel in row]
        for panel in flat[len(values) :]:
            panel.set_visible(False)
        for panel, (log, policies) in zip(flat, values.items(), strict=False):
            name_panel(panel, log)
            panel.set_yscale("log")
            panel.set_ylabel("slowdown")
            for i, means in enumerate(policies.values()):
                steps = [i + SPREAD * (k / max(len(means) - 1, 1) - 0.5) for k in range(len(means))]
                dots, mean = ("one sequence", "mean") if i == 0 else ("_nolegend_", "_nolegend_")
                panel.plot(steps, means, "o", ms=3.5, color=COLOURS[0], alpha=0.7, label=dots)
                panel.hlines(means.mean(), i - 0.35, i + 0.35, color=COLOURS[1], lw=2, label=mean)
            if log in learned:
                panel.axhline(learned[log], color=FAINT, lw=1, ls=(0, (4, 3)), label="learned, as printed")
            panel.set_xticks(range(len(policies)), list(policies), rotation=30, ha="right")
            make_logarithmic(panel, "{x:,g}")
        finish(figure, flat[0], path)
