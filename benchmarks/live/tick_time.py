"""How long a tick takes with many pending jobs: read, planned, carried out and written down.

    python -m benchmarks.live.tick_time [--pending 1000] [--nodes 64] [--ticks 10] [--mode strict,soft] [--keep FOLDER]
    python -m benchmarks.live.tick_time --source drawn [--pending 10000] [--nodes 1024] [--mode dry-run,strict,soft]
    python -m benchmarks.live.tick_time --source FOLDER

On a cluster of the lab; or without Slurm, on the model of a cluster whose output is drawn (:mod:`tests.live.dialects`),
or was saved in a folder (``--keep``, in strict mode).
"""

import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.live.journal import Journal
from planbatch.experiments.live.slurm.drive import Driver, record
from planbatch.experiments.live.slurm.heartbeat import HEARTBEAT, beat
from planbatch.experiments.live.slurm.marks import DriveRules
from planbatch.experiments.live.slurm.planner import Memory, Planner
from planbatch.experiments.live.slurm.reading import read_snapshot, saved_snapshot
from planbatch.experiments.live.slurm.snapshot import Snapshot
from tests.live.builders import Cluster, driver
from tests.live.dialects import write_generated
from tests.live.lab.lab import Lab
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
        self.now += 1
        saved_snapshot(self.folder)
        return super().read()


def measure(one: Driver, ticks: int, pause: float = 0.0) -> None:
    """Drive for some ticks, and print what they took."""
    memory: Memory = {}
    rows = []
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.jsonl") as journal:
        for _ in range(ticks):
            began, spent = time.perf_counter(), time.process_time()
            tick = one.tick(memory)
            assert tick.cluster_plan is not None, tick.fault
            record(journal, one.planning, tick)
            memory = tick.cluster_plan.memory
            rows.append((time.perf_counter() - began, time.process_time() - spent, tick.cluster_plan.plan.seconds))
            counts = f"{len(tick.cluster_plan.starts)} planned, {len(tick.commands)} changed, {tick.later} later"
            print(f"  {rows[-1][0]:.2f} s: {counts}", flush=True)
            time.sleep(pause)
    wall, processor, planning = zip(*rows, strict=True)
    print(f"  median {median(wall):.2f} s, longest {max(wall):.2f} s; processor time {median(processor):.2f} s, "
          f"planning {median(planning):.2f} s", flush=True)  # fmt: skip


def fill(lab: Lab, pending: int, held: bool) -> None:
    """Submit jobs that wait, four at a time; ``held``: until an hour from now."""
    rng = random.Random(1)
    wish = ["--begin=now+3600"] if held else []
    drawn = [
        (min(rng.choice([1, 1, 2, 4, 8, 16]), lab.nodes), rng.randint(1, 60), rng.randint(1, 20))
        for _ in range(pending)
    ]
    with ThreadPoolExecutor(4) as pool:
        for submission in [
            pool.submit(lab.submit, f"-N{size}", "--exclusive", f"-t{limit}", *wish, seconds=seconds)
            for size, limit, seconds in drawn
        ]:
            submission.result()


def measured_in_lab(mode: str, pending: int, nodes: int, ticks: int, policy: str, keep: Path | None) -> None:
    """Fill a cluster of the lab, and drive it for some ticks."""
    rules = DriveRules("strict" if mode == "strict" else "soft")
    with Lab(nodes=nodes, strict=mode == "strict", silent=3600) as lab:
        if mode == "strict":
            lab.state.mkdir()
            beat(lab.state / HEARTBEAT, time.time())
        fill(lab, pending, held=mode != "strict")
        if keep is not None:
            read_snapshot(lab.client, keep)
        if mode != "strict":  # they all wait, and none starts before the first tick
            numbers = ",".join(map(str, lab.jobs()))
            lab.run("scontrol", "update", f"JobId={numbers}", "StartTime=now+5")
            time.sleep(5)
        planner = Planner(make_policy(policy), rules)
        measure(Driver(lab.client, planner, rules, lab.state, dry_run=mode == "dry-run"), ticks, pause=1.0)


def main() -> None:
    """Measure the modes."""
    options = arguments(__doc__, pending=1000, nodes=64, ticks=10, policy="plan-wait", mode="strict,soft",
                        keep=Path, source="lab")  # fmt: skip
    for mode in options.mode.split(","):
        print(f"{mode}, {options.policy}")
        if options.source == "lab":
            keep = options.keep if mode == "strict" else None  # its jobs wait as long as one likes
            measured_in_lab(mode, options.pending, options.nodes, options.ticks, options.policy, keep)
            continue
        with tempfile.TemporaryDirectory() as folder:
            if options.source == "drawn":
                write_generated(Path(folder), options.pending, options.nodes)
            source = Path(folder if options.source == "drawn" else options.source)
            rules = DriveRules("strict" if mode == "strict" else "soft")
            cluster = RecordedCluster(source, parked=mode == "strict")
            measure(driver(cluster, Path(folder), rules, options.policy, dry_run=mode == "dry-run"), options.ticks)


if __name__ == "__main__":
    main()
