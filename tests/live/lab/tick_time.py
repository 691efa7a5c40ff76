"""How long a tick takes with many pending jobs: observed, planned and carried out.

python -m tests.live.lab.tick_time [--pending 1000] [--nodes 64] [--ticks 10] [--policy plan-wait]
python -m tests.live.lab.tick_time --pending 10000 --mode strict --keep FOLDER

With ``--keep``, what Slurm prints before the first tick is kept for ``tests.live.drive_time --folder FOLDER``.
"""

import random
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.live.slurm.drive import Driver
from planbatch.experiments.live.slurm.marks import DriveRules, Mode
from planbatch.experiments.live.slurm.planner import Memory, Planner
from planbatch.experiments.live.slurm.reading import read_snapshot
from planbatch.experiments.live.slurm.tick import beat
from tests.live.lab.lab import Lab
from tests.live.lab.processes import arguments


def measured(mode: Mode, pending: int, nodes: int, ticks: int, name: str, keep: Path | None = None) -> None:
    """Fill a cluster, and drive it for some ticks."""
    rng = random.Random(1)
    with Lab(nodes=nodes, strict=mode == "strict", silent=3600) as lab:
        if mode == "strict":
            lab.state.mkdir()
            beat(lab.state / "heartbeat", time.time())
        held = [] if mode == "strict" else ["--begin=now+3600"]
        drawn = [
            (min(rng.choice([1, 1, 2, 4, 8, 16]), nodes), rng.randint(1, 60), rng.randint(1, 20))
            for _ in range(pending)
        ]
        with ThreadPoolExecutor(4) as pool:
            for submission in [pool.submit(lab.submit, f"-N{size}", "--exclusive", f"-t{limit}", *held, seconds=seconds)
                         for size, limit, seconds in drawn]:  # fmt: skip
                submission.result()
        if keep is not None:
            read_snapshot(lab.client, keep)
        begin = time.time()
        if mode == "soft":  # so that they all wait, and none starts before the first tick
            numbers = [str(one) for one in lab.jobs()]
            lab.run("scontrol", "update", f"JobId={','.join(numbers)}", "StartTime=now+5")
            begin = time.time() + 5
        policy = make_policy(name)
        rules = DriveRules(mode)
        driver = Driver(lab.client, Planner(policy, rules), rules, lab.state)
        memory: Memory = {}
        rows = []
        time.sleep(max(0.0, begin - time.time()))
        for _ in range(ticks):
            began = time.perf_counter()
            read_snapshot(lab.client)
            observed = time.perf_counter() - began
            tick = driver.tick(memory)
            assert not tick.fault, tick.fault
            assert tick.cluster_plan is not None
            memory = tick.cluster_plan.memory
            rows.append(
                (
                    tick.seconds,
                    observed,
                    tick.cluster_plan.plan.seconds,
                    len(tick.cluster_plan.starts),
                    len(tick.commands),
                )
            )
            time.sleep(1)
        seconds = [row[0] for row in rows]
        print(f"{mode}, {pending} pending on {nodes} nodes, {name}: tick median {statistics.median(seconds):.2f} s, "
              f"longest {max(seconds):.2f} s; of which reading {statistics.median(row[1] for row in rows):.2f} s, "
              f"planning {statistics.median(row[2] for row in rows):.2f} s; "
              f"planned and commanded per tick: {[row[3:] for row in rows]}", flush=True)  # fmt: skip


def main() -> None:
    """Measure both modes."""
    options = arguments(__doc__, pending=1000, nodes=64, ticks=10, policy="plan-wait", mode=str, keep=Path)
    modes: tuple[Mode, ...] = (options.mode,) if options.mode else ("strict", "soft")
    for mode in modes:
        keep = options.keep if mode == "strict" else None  # its jobs are held: they wait as long as one likes
        measured(mode, options.pending, options.nodes, options.ticks, options.policy, keep)


if __name__ == "__main__":
    main()
