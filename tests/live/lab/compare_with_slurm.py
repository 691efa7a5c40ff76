"""The same workload on the lab's cluster under Slurm's own backfill and under planbatch, and as replays.

    python -m tests.live.lab.compare_with_slurm LOG --out FOLDER [--jobs 300] [--seconds 270] [--runs 2]

300 consecutive jobs of a log, whose times are compressed so that the machine of 128 processors has work for about
``--seconds``: run times and arrivals by one factor. Slurm counts time limits in minutes, so limits are compressed less:
one minute for each hour that was requested. Both sides have the same jobs, limits and submissions; the replays have
what the cluster measured.
"""

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from planbatch.experiments.figures.style import COLOURS, DASHES, drawing
from planbatch.experiments.live.journal import read_ticks
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.load import load_workload
from planbatch.planner.model import Workload
from tests.live.lab.lab import Lab

NODES, CPUS = 16, 8
POLICY = "plan-wait"


@dataclass(frozen=True)
class LabJob:
    """One job of the lab; times in seconds."""

    submit: float
    procs: int
    minutes: int
    seconds: float


@dataclass(frozen=True)
class Figures:
    """What a run came to; waits in seconds."""

    who: str
    mean: float
    longest: float
    median: float
    utilisation: float
    makespan: float


def lab_jobs(source: Workload, count: int, seconds: float, seed: int) -> list[LabJob]:
    """Take consecutive jobs of a log, and compress them."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(source.procs, NODES * CPUS)
    first = int(rng.integers(0, len(source) - count))
    here = slice(first, first + count)
    procs, runs = sizes[here], source.runtime[here].astype(float)
    submit = (source.submit[here] - source.submit[first]).astype(float)
    factor = seconds * NODES * CPUS / float((procs * runs).sum())
    short = np.maximum(runs * factor, 1.0)
    arrivals = submit * seconds * 0.9 / max(submit[-1], 1.0)
    minutes = np.maximum(np.ceil(source.walltime[here] / 3600), np.ceil(short / 60))
    rows = zip(arrivals, procs, minutes, short, strict=True)
    return [LabJob(float(a), int(p), int(m), round(float(s), 2)) for a, p, m, s in rows]


def run_lab(jobs: Sequence[LabJob], driven: bool, out: Path, name: str) -> pd.DataFrame:
    """Run the jobs on a cluster of its own; one row per job, with real and, if driven, planned times."""
    with Lab(nodes=NODES, cpus=CPUS, strict=driven, silent=30) as lab:
        drive = (
            lab.drive("strict", "--policy", POLICY, "--promise", "2x", name=name)
            if driven
            else None
        )
        if drive is not None:
            drive.__enter__()
        began = time.time()
        numbers = []
        for job in jobs:
            time.sleep(max(began + job.submit - time.time(), 0.0))
            numbers.append(lab.submit(f"-n{job.procs}", f"-t{job.minutes}", seconds=job.seconds))
        lab.wait_for("all jobs complete",
                     lambda found: all(found[one].state == "COMPLETED" for one in numbers), 1800)  # fmt: skip
        found = lab.jobs()
        if drive is not None:
            drive.__exit__()
            (out / f"{name}.jsonl").write_bytes(drive.journal.read_bytes())
    rows = [found[one] for one in numbers]
    frame = pd.DataFrame({
        "id": numbers, "submit": [row.submit_time for row in rows], "procs": [job.procs for job in jobs],
        "walltime": [job.minutes * 60 for job in jobs], "start": [row.start_time for row in rows],
        "end": [row.end_time for row in rows],
    })  # fmt: skip
    frame["runtime"] = (frame["end"] - frame["start"]).clip(lower=1)
    if driven:
        frame["planned"] = [planned_starts(out / f"{name}.jsonl").get(one) for one in numbers]
    frame.to_csv(out / f"{name}.csv", index=False)
    return frame


def planned_starts(journal: Path) -> dict[int, int]:
    """Each job's start in the last plan that had it (s)."""
    found: dict[int, int] = {}
    for tick in read_ticks(journal):
        found |= {
            number: int(times[0]) for number, times in tick.starts.items() if times[0] is not None
        }
    return found


def figures(
    who: str, submit: "pd.Series[int]", start: "pd.Series[int]", frame: pd.DataFrame
) -> Figures:
    """Compute the figures of a run."""
    waits = (start - submit).clip(lower=0)
    makespan = float((start + frame["runtime"]).max() - submit.min())
    used = float((frame["procs"] * frame["runtime"]).sum())
    return Figures(who, round(float(waits.mean()), 1), float(waits.max()), float(waits.median()),
                   round(used / (NODES * CPUS * makespan), 3), makespan)  # fmt: skip


def replayed(frame: pd.DataFrame, policy: str) -> "pd.Series[int]":
    """Replay what a run measured; the starts in the order of the frame's rows (s)."""
    columns = frame[["id", "submit", "procs", "walltime", "runtime"]].copy()
    columns["walltime"] = columns[["walltime", "runtime"]].max(axis=1)
    workload = Workload.from_frame(columns, NODES * CPUS)
    trace = replay(workload, policy)
    starts = pd.Series(trace.start, index=trace.workload.id)
    return starts.loc[frame["id"]].reset_index(drop=True) + (
        frame["submit"].min() - int(workload.submit.min())
    )


def picture(path: Path, curves: dict[str, tuple[list[float], str, object]]) -> None:
    """Draw the share of jobs that waited no longer than so many seconds."""
    with drawing(7.5, 4.2) as (figure, axes):
        for name, (waits, colour, dash) in curves.items():
            shares = np.arange(1, len(waits) + 1) / len(waits)
            axes.step(
                sorted(waits), 100 * shares, where="post", label=name, color=colour, linestyle=dash
            )
        axes.set_xlabel("wait (s)")
        axes.set_ylabel("jobs that waited no longer (%)")
        axes.set_ylim(0, 100)
        axes.set_xlim(left=0)
        axes.legend(frameon=False, loc="lower right")
        figure.savefig(path, dpi=150)


def main() -> None:
    """Run, replay, tell."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("log")
    parse.add_argument("--out", type=Path, required=True)
    parse.add_argument("--jobs", type=int, default=300)
    parse.add_argument("--seconds", type=float, default=270)
    parse.add_argument("--runs", type=int, default=2)
    parse.add_argument("--seed", type=int, default=1)
    given = parse.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    jobs = lab_jobs(load_workload(given.log), given.jobs, given.seconds, given.seed)
    told: list[Figures] = []
    curves: dict[str, tuple[list[float], str, object]] = {}
    for run in range(1, given.runs + 1):
        for side, policy, colour in (
            ("Slurm's backfill", "easy", COLOURS[0]),
            ("planbatch", POLICY, COLOURS[1]),
        ):
            name = f"{side.split()[0].lower().replace(chr(39), '')}-{run}"
            frame = run_lab(jobs, side == "planbatch", given.out, name)
            real = figures(f"{side}, run {run}", frame["submit"], frame["start"], frame)
            again = replayed(frame, policy)
            told += [real, figures(f"  replayed ({policy})", frame["submit"], again, frame)]
            difference = (frame["start"] - again).abs()
            print(f"{real.who}: |start - replay's start| median {difference.median():.0f} s, "
                  f"mean {difference.mean():.1f} s", flush=True)  # fmt: skip
            if "planned" in frame:
                late = (frame["start"] - frame["planned"]).dropna()
                counts = {int(k): int(v) for k, v in late.value_counts().sort_index().items()}
                print(f"{real.who}: start - planned start (s): jobs {counts}", flush=True)
            if run == 1:
                curves[side] = ((frame["start"] - frame["submit"]).tolist(), colour, DASHES[0])
                curves[f"{side}, replayed"] = (
                    (again - frame["submit"]).clip(lower=0).tolist(),
                    colour,
                    DASHES[1],
                )
    print(f"{'':28}{'mean':>8}{'median':>8}{'longest':>9}{'util.':>8}{'makespan':>10}")
    for row in told:
        print(
            f"{row.who:28}{row.mean:8.1f}{row.median:8.0f}{row.longest:9.0f}{row.utilisation:8.1%}{row.makespan:10.0f}"
        )
    slurm = statistics.mean(row.mean for row in told if row.who.startswith("Slurm"))
    ours = statistics.mean(row.mean for row in told if row.who.startswith("planbatch"))
    print(f"mean wait under planbatch: {ours / slurm - 1:+.0%}")
    (given.out / "figures.json").write_text(json.dumps([asdict(row) for row in told], indent=1))
    picture(given.out / "waits.png", curves)


if __name__ == "__main__":
    main()
