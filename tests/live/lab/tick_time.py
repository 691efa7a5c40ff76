"""How long a tick takes with many pending jobs: observed, planned and carried out.

python -m tests.live.lab.tick_time [--pending 1000] [--nodes 64] [--ticks 10] [--policy plan-wait]
"""

import argparse
import random
import statistics
import time

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.command.slurm.advise import warm_up
from planbatch.experiments.live.slurm.drive import Driver
from planbatch.experiments.live.slurm.heartbeat import beat
from planbatch.experiments.live.slurm.planner import Memory, Planner
from planbatch.experiments.live.slurm.reading import read_snapshot
from planbatch.experiments.live.slurm.rules import DriveRules, Mode
from tests.live.lab.lab import Lab


def measured(mode: Mode, pending: int, nodes: int, ticks: int, name: str) -> None:
    """Fill a cluster, and drive it for some ticks."""
    rng = random.Random(1)
    with Lab(nodes=nodes, strict=mode == "strict", silent=3600) as lab:
        if mode == "strict":
            lab.state.mkdir()
            beat(lab.state / "heartbeat", time.time())
        held = [] if mode == "strict" else ["--begin=now+3600"]
        for _ in range(pending):
            size, limit = rng.choice([1, 1, 2, 4, 8, 16]), rng.randint(1, 60)
            lab.submit(
                f"-N{min(size, nodes)}",
                "--exclusive",
                f"-t{limit}",
                *held,
                seconds=rng.randint(1, 20),
            )
        if mode == "soft":  # so that they all wait, and none starts before the first tick
            numbers = [str(one) for one in lab.jobs()]
            lab.run("scontrol", "update", f"JobId={','.join(numbers)}", "StartTime=now+5")
        policy = make_policy(name)
        warm_up(policy)
        rules = DriveRules(mode)
        driver = Driver(lab.client, Planner(policy, rules), rules, lab.state)
        memory: Memory = {}
        rows = []
        for _ in range(ticks):
            began = time.perf_counter()
            read_snapshot(lab.client)
            observed = time.perf_counter() - began
            tick = driver.tick(memory)
            assert not tick.fault, tick.fault
            assert tick.planned is not None
            memory = tick.planned.memory
            rows.append(
                (
                    tick.seconds,
                    observed,
                    tick.planned.plan.seconds,
                    len(tick.planned.starts),
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
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("--pending", type=int, default=1000)
    parse.add_argument("--nodes", type=int, default=64)
    parse.add_argument("--ticks", type=int, default=10)
    parse.add_argument("--policy", default="plan-wait")
    given = parse.parse_args()
    for mode in ("strict", "soft"):
        measured(mode, given.pending, given.nodes, given.ticks, given.policy)


if __name__ == "__main__":
    main()
