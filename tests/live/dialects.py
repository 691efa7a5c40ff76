"""Output of Slurm's clients for tests: recorded, in the other dialect, and of clusters of any size."""

import json
from pathlib import Path
from typing import Any

import numpy as np

SAMPLES = Path(__file__).resolve().parent / "samples"
#: The recorded queue as ``scontrol`` prints it.
JOB_LINES = (SAMPLES / "sample_scontrol_show_job.txt").read_text(encoding="utf-8")
#: The time of the recorded output: a second after it was recorded (2026-11-21, 16:52:53 UTC).
RECORDING_TIME = 1795279973
#: Fields of jobs that are wrapped from 23.02 on, all of which are numbers or null before.
WRAPPED_FIELDS = (
    "accrue_time", "array_job_id", "array_max_tasks", "array_task_id", "cpus", "cpus_per_task", "deadline",
    "eligible_time", "end_time", "het_job_id", "max_nodes", "node_count", "priority", "start_time", "submit_time",
    "tasks", "time_limit",
)  # fmt: skip


def recorded(name: str) -> Any:
    """The JSON object of ``squeue`` or ``sinfo``, as recorded."""
    return json.loads((SAMPLES / f"sample_{name}_v0.0.38.json").read_text(encoding="utf-8"))


class RecordedClient:
    """A cluster that answers with recorded output; ``text`` is what ``scontrol`` prints of jobs, without JSON."""

    def __init__(self, queue: Any = None, machine: Any = None, text: str = "") -> None:
        self.queue, self.machine = text if queue is None else queue, machine or recorded("sinfo")

    def jobs(self) -> Any:
        return self.queue

    def nodes(self) -> Any:
        return self.machine

    def partitions(self) -> str:
        """One partition."""
        return "PartitionName=main MaxTime=1-00:00:00 DefaultTime=NONE Nodes=n[1-4] State=UP Default=YES\n"

    def reservations(self) -> str:
        return "No reservations in the system\n"

    def run(self, *command: str) -> str:
        """The numbers of the jobs."""
        assert command[0] == "squeue"
        return "\n".join(str(number) for number in range(341, 352))


def second_dialect(data: dict[str, Any]) -> dict[str, Any]:
    """The same in the dialect from 23.02 on: wrapped numbers, lists of states and flags."""
    version = {"major": "24", "micro": "3", "minor": "05"}
    slurm = {"version": version, "release": "24.05.3", "cluster": "lab"}
    result: dict[str, Any] = {"meta": {"plugin": {"data_parser": "data_parser/v0.0.41"}, "slurm": slurm}}
    result |= {"errors": [], "warnings": [], "last_update": wrapped(RECORDING_TIME)}
    if "jobs" in data:
        result["jobs"] = [_job(row) for row in data["jobs"]]
    if "nodes" in data:
        result["nodes"] = [_node(row) for row in data["nodes"]]
    return result


def wrapped(value: int | None, infinite: bool = False) -> dict[str, Any]:
    """A number as newer versions write it."""
    return {"set": value is not None, "infinite": infinite, "number": value or 0}


def _job(row: dict[str, Any]) -> dict[str, Any]:
    new = {**row, **{name: wrapped(row[name], name == "time_limit" and row[name] is None) for name in WRAPPED_FIELDS}}
    new["job_state"] = [row["job_state"]]
    new["shared"] = [] if row["shared"] is None else [row["shared"]]
    new["hold"] = row["job_state"] == "PENDING" and row["priority"] == 0
    return new


def _node(row: dict[str, Any]) -> dict[str, Any]:
    new = {name: value for name, value in row.items() if name != "state_flags"}
    return {**new, "state": [row["state"].upper(), *row["state_flags"]]}


def generated(pending: int, nodes: int, seed: int = 0, cpus: int = 64) -> tuple[dict[str, Any], dict[str, Any]]:
    """A busy cluster of whole-node jobs: what ``squeue --json`` and ``sinfo --json`` print of it, in the first dialect.

    All nodes but a few run jobs; sizes and time limits are drawn like those of real logs, many small and few large.
    """
    rng = np.random.default_rng(seed)
    queue, machine = recorded("squeue"), recorded("sinfo")
    running, waiting = queue["jobs"][0], queue["jobs"][1]
    jobs, first = [], 0
    while first < nodes - nodes // 16:
        size = int(min(2 ** rng.integers(0, 4), nodes - first))
        names = [f"n{k + 1}" for k in range(first, first + size)]
        start, length = RECORDING_TIME - int(rng.integers(0, 3600)), 60 * int(rng.integers(61, 1440))
        jobs.append({
            **running, "job_id": 1000 + len(jobs), "nodes": ",".join(names), "node_count": size, "cpus": size * cpus,
            "shared": "none", "submit_time": start - 100, "eligible_time": start - 100, "start_time": start,
            "end_time": start + length, "time_limit": length // 60, "tres_alloc_str": f"cpu={size * cpus},node={size}",
            "job_resources": {"nodes": ",".join(names), "allocated_hosts": size},
        })  # fmt: skip
        first += size
    for k in range(pending):
        size = int(min(2 ** rng.integers(0, 5), nodes))
        submit = RECORDING_TIME - int(rng.integers(1, 86400))
        limit = int(rng.choice([5, 10, 30, 60, 120, 240, 720, 1440]))
        jobs.append({
            **waiting, "job_id": 100_000 + k, "name": f"job {k}", "user_name": f"user{k % 40}",
            "user_id": 2000 + k % 40, "node_count": size, "max_nodes": size, "cpus": size, "tasks": size,
            "submit_time": submit, "eligible_time": submit, "time_limit": limit, "shared": "none",
            "start_time": RECORDING_TIME + int(rng.integers(0, 86400)) if k < 100 else 0,
        })  # fmt: skip
    node = machine["nodes"][0]
    rows = [{**node, "name": f"n{k + 1}", "cpus": cpus, "state": "allocated" if k < first else "idle"}
            for k in range(nodes)]  # fmt: skip
    return {**queue, "jobs": jobs}, {**machine, "nodes": rows}


def write_generated(folder: Path, pending: int, nodes: int) -> None:
    """Write what ``squeue`` and ``sinfo`` print of a drawn cluster."""
    for name, data in zip(("squeue", "sinfo"), generated(pending, nodes), strict=True):
        (folder / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
