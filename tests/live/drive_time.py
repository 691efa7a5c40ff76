"""How long the driver's ticks take on a recorded cluster, without Slurm: read, planned, compared, and written down.

    python -m tests.live.drive_time --folder FOLDER [--ticks 5] [--policy plan-wait]
    python -m tests.live.drive_time [--pending 10000] [--nodes 1024]

Slurm's output was recorded (``python -m tests.live.lab.tick_time --keep FOLDER``), or is drawn
(:mod:`tests.live.dialects`), and is read as JSON in every tick; the lines that ``scontrol`` would
get change the next tick's. What Slurm's programs take comes on top: ``python -m tests.live.lab.tick_time`` has that.
"""

import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.live.journal import Journal
from planbatch.experiments.live.slurm.client import LINE, Answer
from planbatch.experiments.live.slurm.drive import Driver, record
from planbatch.experiments.live.slurm.marks import DriveRules
from planbatch.experiments.live.slurm.planner import Memory, Planner
from planbatch.experiments.live.slurm.reading import read_snapshot
from planbatch.experiments.live.slurm.snapshot import Snapshot
from tests.live.dialects import RECORDED, generated
from tests.live.lab.processes import arguments


@dataclass(frozen=True)
class Printed:
    """What Slurm's clients printed at a time (s): jobs and nodes as JSON, partitions as text."""

    time: int
    queue: str
    machine: str
    partitions: str = ""


def drawn(pending: int, nodes: int) -> Printed:
    """Output of a cluster of any size."""
    queue, machine = map(json.dumps, generated(pending, nodes))
    return Printed(RECORDED, queue, machine)


def kept(folder: Path) -> Printed:
    """Output that ``planbatch slurm observe --keep`` or ``tick_time --keep`` saved."""
    names = ("jobs.json", "nodes.json", "partitions.txt")
    return Printed(int((folder / names[0]).stat().st_mtime), *((folder / name).read_text() for name in names))


class RecordedCluster:
    """A client of a cluster that was recorded, or drawn: it prints JSON, and does what ``scontrol`` is told.

    Parameters
    ----------
    printed : Printed
        What it printed; in the first dialect.
    parked : bool
        Whether its jobs arrived with a begin time ahead, as in strict mode.
    """

    def __init__(self, printed: Printed, parked: bool) -> None:
        self.source, self.queue = printed, json.loads(printed.queue)
        self.machine = json.loads(printed.machine)
        self.began = time.time()
        self.rows = {row["job_id"]: row for row in self.queue["jobs"] if row["job_state"] == "PENDING"}
        for row in self.rows.values():
            row["priority"], row["state_reason"], row["comment"] = 100, "Priority", ""
            begin = printed.time + 600
            row["eligible_time"] = begin if parked else row["submit_time"]
            row["admin_comment"] = f"planbatch:asked=0:begin={begin}" if parked else ""
        self.printed = json.dumps(self.queue)

    def clock(self) -> float:
        """The time there (s)."""
        return self.source.time + time.time() - self.began

    def jobs(self) -> Any:
        """Read what was printed."""
        return json.loads(self.printed)

    def nodes(self) -> Any:
        """The nodes."""
        return self.machine

    def partitions(self) -> str:
        """Its partitions; of a drawn one, none: all nodes are one pool."""
        return self.source.partitions

    def reservations(self) -> Any:
        """None."""
        return ""

    def run(self, *command: str) -> str:
        """Nothing is asked in text."""
        raise AssertionError(command)

    def read(self) -> Snapshot:
        """Take a snapshot at the time there."""
        return replace(read_snapshot(self), time=int(self.clock()))

    def script(self, lines: Sequence[str]) -> list[Answer]:
        """Do as told; the queue is printed anew (which the ticks' times leave out, see :func:`measured`)."""
        for line in lines:
            words = LINE.fullmatch(line)
            assert words is not None, line
            number, begin, mark = words.groups()
            row: dict[str, Any] = self.rows[int(number)]
            if begin:
                row["eligible_time"] = int(self.clock()) if begin == "now" else int(begin[3:])
            if mark:
                row["admin_comment"] = mark
        return [Answer(line, True) for line in lines]


def measured(shown: str, printed: Printed, ticks: int, name: str, folder: Path) -> None:
    """Drive for some ticks, and print what each took."""
    mode: Any = "strict" if shown == "strict" else "soft"
    cluster = RecordedCluster(printed, parked=mode == "strict")
    policy, rules = make_policy(name), DriveRules(mode)
    planner = Planner(policy, rules)
    client: Any = cluster
    driver = Driver(client, planner, rules, folder, shown == "dry-run", clock=cluster.clock, read=cluster.read)
    memory: Memory = {}
    rows = []
    with Journal(folder / f"{shown}.jsonl") as journal:
        for _ in range(ticks):
            began, spent = time.perf_counter(), time.process_time()
            tick = driver.tick(memory)
            assert tick.cluster_plan is not None, tick.fault
            record(journal, planner, tick)
            took = time.perf_counter() - began, time.process_time() - spent
            memory = tick.cluster_plan.memory
            cluster.printed = json.dumps(cluster.queue)
            rows.append((*took, len(tick.cluster_plan.starts), len(tick.commands), tick.later))
    nodes = len(cluster.machine["nodes"])
    print(f"{shown}, {len(cluster.rows)} pending on {nodes} nodes, {name}")
    for index, (wall, cpu, planned, told, later) in enumerate(rows, 1):
        print(f"  tick {index}: {wall:.1f} s ({cpu:.1f} s of processor time), {planned} planned, "
              f"{told} told, {later} later", flush=True)  # fmt: skip


def main() -> None:
    """Measure a dry run, soft and strict mode."""
    options = arguments(__doc__, pending=10_000, nodes=1024, ticks=5, policy="plan-wait", folder=Path)
    printed = kept(options.folder) if options.folder else drawn(options.pending, options.nodes)
    for shown in ("dry-run", "soft", "strict"):
        with tempfile.TemporaryDirectory() as folder:
            measured(shown, printed, options.ticks, options.policy, Path(folder))


if __name__ == "__main__":
    main()
