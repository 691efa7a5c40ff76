"""The same workload on the lab's cluster under Slurm's own backfill and under planbatch.

    python -m benchmarks.live.compare_with_slurm LOG --out FOLDER [--seeds 1,2,3,4,5] [--sides slurm,strict,soft]

300 consecutive jobs of a log, drawn by seed, whose times are compressed so that the machine of 128 processors has work
for about ``--seconds``: run times and arrivals by one factor. Slurm counts time limits in minutes, so limits are
compressed less: one minute for each hour that was requested. All sides have the same jobs, limits and submissions, and
planbatch its default settings. Runs whose table is in the folder already are not repeated.
"""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from planbatch.experiments.workloads.load import workload_of_source
from planbatch.planner.model import IntArray, Workload
from tests.live.lab.lab import Lab
from tests.live.lab.processes import arguments

NODES, CPUS = 16, 8


@dataclass(frozen=True)
class LabJob:
    """One job of the lab; times in seconds."""

    submit: float
    procs: int
    minutes: int
    seconds: float


def lab_jobs(source: Workload, count: int, seconds: float, seed: int) -> list[LabJob]:
    """Take consecutive jobs of a log, and compress them."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(source.procs, NODES * CPUS)
    first = int(rng.integers(0, len(source) - count))
    span = slice(first, first + count)
    procs, runs = sizes[span], source.runtime[span].astype(float)
    submit = (source.submit[span] - source.submit[first]).astype(float)
    factor = seconds * NODES * CPUS / float((procs * runs).sum())
    short = np.maximum(runs * factor, 1.0)
    arrivals = submit * seconds * 0.9 / max(submit[-1], 1.0)
    minutes = np.maximum(np.ceil(source.walltime[span] / 3600), np.ceil(short / 60))
    rows = zip(arrivals, procs, minutes, short, strict=True)
    return [LabJob(float(a), int(p), int(m), round(float(s), 2)) for a, p, m, s in rows]


def run_lab(jobs: Sequence[LabJob], side: str) -> pd.DataFrame:
    """Run the jobs on a cluster of its own; one row per job, with actual and, if driven, planned times (s)."""
    with Lab(nodes=NODES, cpus=CPUS, strict=side == "strict", silent=30) as lab:
        driver = nullcontext() if side == "slurm" else lab.drive(side, name=side)
        with driver as drive:
            began, numbers = time.time(), []
            for job in jobs:
                time.sleep(max(began + job.submit - time.time(), 0.0))
                numbers.append(lab.submit(f"-n{job.procs}", f"-t{job.minutes}", seconds=job.seconds))
            lab.wait_for_state("COMPLETED", *numbers, patience=1800)
            jobs_by_number = lab.jobs()
        planned = {} if drive is None else {one: starts[-1][1] for one, starts in drive.planned_starts().items()}
    rows = [jobs_by_number[one] for one in numbers]
    return pd.DataFrame({
        "id": numbers, "submit": [row.submit_time for row in rows], "procs": [job.procs for job in jobs],
        "walltime": [job.minutes * 60 for job in jobs], "start": [row.start_time for row in rows],
        "end": [row.end_time for row in rows], "planned": [planned.get(one) for one in numbers],
    })  # fmt: skip


def figures(frame: pd.DataFrame) -> dict[str, float]:
    """Compute the figures of a run: waits, utilisation, and starts within 2 s of the plan."""
    waits = frame["start"] - frame["submit"]
    makespan = frame["end"].max() - frame["submit"].min()
    used = (frame["procs"] * (frame["end"] - frame["start"])).sum()
    late = (frame["start"] - frame["planned"]).dropna().abs()
    return {
        "mean": waits.mean(), "longest": waits.max(), "utilisation": used / (NODES * CPUS * makespan),
        "planned": len(late), "as planned": int((late <= 2).sum()),
    }  # fmt: skip


def ratios(waits: Sequence[IntArray], base: Sequence[IntArray]) -> tuple[list[float], list[float]]:
    """Return the changes of the mean wait and the ratios of the longest, workload by workload."""
    pairs = list(zip(waits, base, strict=True))
    means = [float(mine.mean() / other.mean()) - 1 for mine, other in pairs]
    return means, [float(mine.max() / other.max()) for mine, other in pairs]


def summary(out: Path) -> pd.DataFrame:
    """Read what was run so far: a row per seed and side, with mean and longest wait against Slurm's."""
    rows = []
    for path in sorted(out.glob("seed-*-*.csv")):
        _, seed, side = path.stem.split("-")
        rows.append({"seed": int(seed), "side": side, **figures(pd.read_csv(path))})
    table = pd.DataFrame(rows).set_index(["seed", "side"])
    seeds = table.index.get_level_values("seed")
    slurm = table[table.index.get_level_values("side") == "slurm"].droplevel("side").reindex(seeds)
    for name in ("mean", "longest"):
        table[f"{name} / Slurm's"] = table[name].to_numpy() / slurm[name].to_numpy()
    return table


def main() -> None:
    """Run what is missing, and print the summary."""
    options = arguments(__doc__, "log", out=Path, jobs=300, seconds=270.0, seeds="1,2,3,4,5", sides="slurm,strict,soft")
    options.out.mkdir(parents=True, exist_ok=True)
    log = workload_of_source(options.log)
    for seed in map(int, options.seeds.split(",")):
        for side in options.sides.split(","):
            path = options.out / f"seed-{seed}-{side}.csv"
            if not path.exists():
                run_lab(lab_jobs(log, options.jobs, options.seconds, seed), side).to_csv(path, index=False)
            print(f"seed {seed}, {side}:", {k: round(float(v), 3) for k, v in figures(pd.read_csv(path)).items()},
                  flush=True)  # fmt: skip
    table = summary(options.out)
    print(table.round(3).to_string())
    print(table.groupby("side")[["mean / Slurm's", "longest / Slurm's"]].agg(["mean", "max"]).round(3))


if __name__ == "__main__":
    main()
