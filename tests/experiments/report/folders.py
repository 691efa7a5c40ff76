"""Folders of results as ``planbatch experiment run`` writes them, out of real replays."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.metrics import summary
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.replay.trace import Trace
from planbatch.planner.model import Workload


def cell_settings(trace: Trace, label: str, seed: int) -> dict[str, Any]:
    workload = trace.workload
    return {
        "workload": {
            "source": workload.name, "name": workload.name, "hash": f"{workload.name}-hash",
            "capacity": workload.capacity, "jobs": len(workload), "dropped": dict(workload.dropped),
            "estimates": "requested", "transformations": {},
        },
        "policy": {
            "name": trace.policy, "label": label, "objective": None, "optimizer": None,
            "evaluations": 100, "seconds": None, "promise": "none", "searches": trace.traits.searches,
        },
        "seed": seed,
        "span": None,
    }  # fmt: skip


def write_cell(folder: Path, key: str, trace: Trace, label: str = "", seed: int = 0, **workload_settings: Any) -> None:
    """Write one cell; further settings of its workload may be given."""
    own = folder / "cells" / key
    own.mkdir(parents=True)
    workload = trace.workload
    columns = ("id", "user", "submit", "procs", "walltime", "runtime", "deadline")
    jobs = {name: getattr(workload, name) for name in columns}
    jobs |= {
        name: getattr(trace, name) for name in ("start", "end", "promise", "first_planned", "last_planned", "predicted")
    }
    pd.DataFrame(jobs).to_parquet(own / "jobs.parquet", index=False)
    pd.DataFrame(vars(trace.rounds)).to_parquet(own / "rounds.parquet", index=False)
    settings = cell_settings(trace, label or trace.policy, seed)
    settings["workload"] |= workload_settings
    described = {
        "format": 1,
        "key": key,
        "settings": settings,
        "versions": {"planbatch": "0.1.0", "python": "3", "numpy": "2", "numba": "0", "code": "c"},
        "summary": summary(trace),
        "machine": "test",
    }
    (own / "cell.json").write_text(json.dumps(described))


def write_experiment(folder: Path, keys: Sequence[str], title: str = "A test", **more: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    described = {"format": 1, "planbatch": "0.1.0", "title": title, "cells": list(keys), **more}
    (folder / "experiment.json").write_text(json.dumps(described))


def run_grid(
    folder: Path, workloads: Iterable[Workload], policies: Sequence[str], seeds: Sequence[int] = (0,)
) -> list[str]:
    """Replay every workload under every policy with every seed, and write the results."""
    keys = []
    for workload in workloads:
        for name in policies:
            for seed in seeds:
                key = f"{workload.name}-{name}-{seed}".replace(":", "-")
                trace = replay(workload, make_policy(name), seed=seed)
                write_cell(folder, key, trace, name, seed)
                keys.append(key)
    write_experiment(folder, keys)
    return keys
