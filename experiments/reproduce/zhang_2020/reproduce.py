"""Zhang et al., RLScheduler (SC 2020): Table V by its own simulator, and the same sequences under EASY and plans."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.reproduce.paper_report import Report
from planbatch.experiments.reproduce.run import Run
from planbatch.experiments.reproduce.zhang_2020.paper import LOGS, POLICIES, TABLES
from planbatch.experiments.reproduce.zhang_2020.pictures import draw_sequences
from planbatch.experiments.reproduce.zhang_2020.protocol import (
    CORRECTED,
    PUBLISHED,
    STARTS,
    Machine,
    machine_of,
    mean_slowdowns,
)
from planbatch.planner.model import FloatArray

TITLE = "RLScheduler: batch scheduling by reinforcement learning (Zhang et al., SC 2020)"
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
            "plan-bounded-slowdown", "plan-squared-wait", "plan-wait", "plan-aged-wait:12h",
            "plan-expected-slowdown",
        )
    },
    **{
        f"{name}, predicted": (name, "predicted:ratio")
        for name in ("plan-squared-wait", "plan-expected-slowdown")
    },
    "rollouts": (ROLLOUTS, "requested"),
}  # fmt: skip
EVALUATIONS = 100
METRIC = "mean bounded slowdown"
#: Sequences, and seeds of policies that draw random numbers, that ``--quick`` keeps.
QUICK = 2
SEEDS = range(5)
#: The columns of the values by sequence.
COLUMNS = ["item", "workload", "policy", "sequence", "seed", "slowdown", "max_wait"]
Values = list[tuple[str, str, str, int, int, float, float]]


def reproduce(run: Run) -> Report:
    """Simulate and replay the ten sequences of every log, and write the values of each sequence."""
    report = Report(TITLE)
    values: Values = []
    for name, log_name in LOGS.items():
        log = run.log(log_name)
        if log is None:
            report.notes.append(f"{name} is left out: the log {log_name} is not there.")
            continue
        machine = machine_of(log)
        values += table_5(run, name, machine)
        values += replays(run, name, machine)
    if not values:
        return report
    frame = pd.DataFrame(values, columns=COLUMNS)
    frame.to_csv(run.out / "sequences.csv", index=False, lineterminator="\n")
    add_means(run, report, frame)
    report.pictures += pictures(frame, run.out)
    report.notes += NOTES
    return report


def table_5(run: Run, name: str, machine: Machine) -> Values:
    """Simulate the published and the corrected scores by the simulator's rules."""
    values: Values = []
    for item, (backfilling, _) in TABLES.items():
        scores = PUBLISHED | {f"{policy}, corrected": CORRECTED[policy] for policy in CORRECTED}
        for policy, score in scores.items():
            run.tell(f"{name}: {policy}, {item.removeprefix('Table V ')}")
            found = mean_slowdowns(machine, score, backfilling, sequences(run))
            values += [(item, name, policy, k, 0, mean, np.nan) for k, mean in enumerate(found)]
    return values


def sequences(run: Run) -> range:
    """Return the numbers of the sequences."""
    return range(QUICK if run.quick else len(STARTS))


def replays(run: Run, name: str, machine: Machine) -> Values:
    """Replay the sequences by planbatch's rules: under EASY, and with several seeds under plans."""
    workloads = {number: machine.workload(number) for number in sequences(run)}
    tasks = {}
    for policy in (*EASY, *PLANS):
        chosen, estimates = PLANS.get(policy, (policy, "requested"))
        made = make_policy(chosen, evaluations=EVALUATIONS)
        for number, workload in workloads.items():
            for seed in seeds(run, policy):
                task = ReplayTask(workload, made, estimates, seed=seed)
                tasks[name, policy, number, seed] = task
    values: Values = []
    for (_, policy, number, seed), trace in run.replays(tasks).items():
        found = metrics(trace)
        item = "EASY" if policy in EASY else "Plans"
        slowdown = found.mean_bounded_slowdown
        values.append((item, name, policy, number, seed, slowdown, float(found.max_wait)))
    return values


def seeds(run: Run, policy: str) -> range:
    """Return the seeds under a policy: one if it draws no random numbers."""
    if policy in EASY:
        return range(1)
    return range(QUICK) if run.quick else SEEDS


def add_means(run: Run, report: Report, frame: pd.DataFrame) -> None:
    """Add the means over sequences and seeds, beside the paper's, how far seeds differ, and the longest wait of all."""
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
            report.add(item, log, policy, METRIC, float(part["slowdown"].mean()), paper)
            means = part.groupby("seed")["slowdown"].mean()
            if len(means) > 1:
                report.add(item, log, policy, f"{METRIC}, least of {len(means)} seeds", means.min())
                report.add(item, log, policy, f"{METRIC}, largest", means.max())
            if part["max_wait"].notna().all():
                longest = float(part["max_wait"].max()) / 3600
                report.add(item, log, policy, "longest wait (h)", longest)


def pictures(frame: pd.DataFrame, folder: Path) -> list[str]:
    """Draw the values of each sequence, one panel per log; return the names of the pictures."""
    drawn = []
    for item, part in _shown(frame):
        name = item.lower().replace(" ", "-")
        learned = {log: row[-1] for log, row in TABLES[item][1].items()} if item in TABLES else {}
        by_log: dict[str, dict[str, FloatArray]] = {}
        for (log, policy), rows in part.groupby(["workload", "policy"], sort=False):  # type: ignore[misc]
            means = rows.groupby("sequence")["slowdown"].mean()
            by_log.setdefault(str(log), {})[str(policy)] = means.to_numpy()
        draw_sequences(folder / name, f"{item}: {METRIC} of each sequence", by_log, learned)
        drawn.append(name)
    return drawn


def _shown(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the items; the plans have EASY beside them."""
    for item in (*TABLES, "EASY", "Plans"):
        wanted = frame["item"] == item
        if item == "Plans":
            wanted |= frame["policy"].isin(["easy", "easy:saf", "easy:wfp3"])
        yield item, frame[wanted]


NOTES = [
    "**Protocol.** Ten sequences of 1,024 jobs, each on an empty machine. The queue is put into order, and its first "
    "job is waited for until it starts, whoever comes meanwhile; then the queue is looked at again. With backfilling, "
    "the start that the first job is expected to have, by requested times and never reckoned again, is the moment by "
    "which jobs in FCFS order must end strictly before; there are no extra processors. So this is not EASY.",
    "**WFP3 and UNICEP as published** reckon with the wait -1 - s, since the simulator's start time is -1 while a job "
    "waits: large and short jobs that came late go first. The corrected ones take the wait as it is.",
    "**EASY and plans** are replayed by planbatch's own rules on the same sequences, with runs cut at the request; "
    "plans with several seeds, whose mean, least and largest mean slowdowns are given.",
    f"**Rollouts** are `{ROLLOUTS}`: EASY by expected slowdown, unless sampled futures say that another start "
    "is better.",
    "**Learned.** The pictures have a dashed line at the mean that the paper prints for its learned policy; its ten "
    "values by sequence are not printed.",
]
