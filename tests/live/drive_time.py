"""How long the driver's ticks take on a recorded cluster, without Slurm: read, planned, compared, and written down.

    python -m tests.live.drive_time --folder FOLDER [--ticks 5] [--policy plan-wait]
    python -m tests.live.drive_time [--pending 10000] [--nodes 1024]

Slurm's output was recorded (``python -m tests.live.lab.tick_time --keep FOLDER``), or is drawn
(:mod:`tests.live.dialects`), and is read in every tick; the lines that ``scontrol`` would get change a model of the
cluster. What Slurm's programs take comes on top: ``python -m tests.live.lab.tick_time`` has that.
"""

import tempfile
import time
from pathlib import Path

from planbatch.experiments.live.journal import Journal
from planbatch.experiments.live.slurm.drive import record
from planbatch.experiments.live.slurm.marks import DriveRules
from planbatch.experiments.live.slurm.planner import Memory
from planbatch.experiments.live.slurm.reading import saved_snapshot
from planbatch.experiments.live.slurm.snapshot import Snapshot
from tests.live.builders import Cluster, driver
from tests.live.dialects import write_generated
from tests.live.lab.processes import arguments


class RecordedCluster(Cluster):
    """The model of a cluster whose output was saved in a folder, where it is read in each tick.

    ``parked``: its jobs arrived with a begin time ahead, as in strict mode.
    """

    def __init__(self, folder: Path, parked: bool) -> None:
        super().__init__()
        self.folder, self.queue = folder, saved_snapshot(folder)
        self.now = self.queue.time
        begin = self.now + 600
        mark = f"planbatch:asked=0:begin={begin}"
        self.change(reason="Priority", comment="", begin_time=begin * parked, admin_comment=mark * parked)

    def read(self) -> Snapshot:
        """Read the output, as a driver does; the snapshot is the model's."""
        saved_snapshot(self.folder)
        return super().read()


def measured(mode: str, recorded: Path, ticks: int, policy: str, state: Path) -> None:
    """Drive for some ticks, and print what each took."""
    cluster = RecordedCluster(recorded, parked=mode == "strict")
    one = driver(
        cluster, state, DriveRules("strict" if mode == "strict" else "soft"), policy, dry_run=mode == "dry-run"
    )
    memory: Memory = {}
    print(f"{mode}, {len(cluster.queue.jobs)} jobs on {len(cluster.queue.nodes)} nodes, {policy}")
    with Journal(state / "journal.jsonl") as journal:
        for index in range(ticks):
            began, spent = time.perf_counter(), time.process_time()
            tick = one.tick(memory)
            assert tick.cluster_plan is not None, tick.fault
            record(journal, one.planning, tick)
            wall, cpu = time.perf_counter() - began, time.process_time() - spent
            memory = tick.cluster_plan.memory
            cluster.now += 1
            counts = f"{len(memory)} planned, {len(tick.commands)} changed, {tick.later} later"
            print(f"  tick {index + 1}: {wall:.1f} s ({cpu:.1f} s of processor time), {counts}", flush=True)


def main() -> None:
    """Measure a dry run, soft and strict mode."""
    options = arguments(__doc__, pending=10_000, nodes=1024, ticks=5, policy="plan-wait", folder=Path)
    with tempfile.TemporaryDirectory() as folder:
        if not options.folder:
            write_generated(Path(folder), options.pending, options.nodes)
        for mode in ("dry-run", "soft", "strict"):
            with tempfile.TemporaryDirectory() as state:
                measured(mode, options.folder or Path(folder), options.ticks, options.policy, Path(state))


if __name__ == "__main__":
    main()
