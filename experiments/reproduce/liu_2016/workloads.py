"""The workloads of Liu et al. (2016): LANL-CM5, its mixture with MetaCentrum's, and 54 jobs like MPI benchmarks."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch.experiments.workloads.demands import read_demand
from planbatch.experiments.workloads.memory import memory_rule
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.transform import in_span
from planbatch.planner.model import IntArray, Workload
from planbatch.planner.resources import Resource

#: The simulated cluster: 1,024 nodes (of one processor, as the log counts) with 1 GB each.
NODES, NODE_MEMORY = 1024, "1GB/processor"
#: The cluster of Figure 3: four nodes, which we take to have 8 processors and 8 GB each.
CLUSTER_PROCESSORS = 32
CLUSTER_MEMORY = Resource("memory", 32 * 1024, "MB")
MPI_JOBS = 54
#: Sizes that the NAS Parallel Benchmarks run on: BT and SP on squares, the six others on powers of two.
SQUARES, POWERS = (1, 4, 9, 16, 25), (1, 2, 4, 8, 16, 32)
#: Run times (s) and memory (MB) of the 54 jobs, between which logarithms are uniform.
MPI_SECONDS, MPI_MEMORY = (10, 600), (64, 12 * 1024)


@dataclass(frozen=True)
class Reading:
    """One reading of what the paper leaves open about a log.

    Attributes
    ----------
    memory : {"used", "requested"}
        The memory that counts.
    capacity : str
        Memory of the machine.
    times : {"run times", "requested times"}
        What schedulers know of run times; with requested times, jobs are killed at theirs.
    unit, per : str
        Unit of the memory column, and what an amount refers to.
    """

    memory: str = "used"
    capacity: str = NODE_MEMORY
    times: str = "run times"
    unit: str = "KB"
    per: str = "processor"

    def workload(self, log: SwfLog) -> Workload:
        """Make the workload of a log on the simulated cluster."""
        if self.times == "run times":
            log = log.take(slice(None), requested_time=np.full(len(log), -1.0))
        rule = memory_rule(self.memory, self.capacity, self.per, self.unit)
        memory = read_demand(rule, log, log.processors(), NODES)
        selection = log.select(NODES, further=memory.wrong())
        return memory.given_to(log.build(selection), selection.rows)


def mixed(first: Workload, second: Workload, share: float, seed: int) -> Workload:
    """Mix two workloads of one machine.

    Parameters
    ----------
    first : Workload
        A part as long as the second is taken, from a moment drawn by the seed.
    second : Workload
        Each of its jobs is taken with probability ``share``.

    Returns
    -------
    Workload
        Both parts begin at 0; jobs are renumbered in FCFS order.
    """
    rng = np.random.default_rng(seed)
    length = int(second.submit[-1] - second.submit[0])
    slack = max(int(first.submit[-1] - first.submit[0]) - length, 0)
    begin = int(rng.integers(slack + 1))
    origins = int(first.submit[0]) + begin, int(second.submit[0])
    drawn = second.take(rng.random(len(second)) < share)
    parts = [in_span(first, begin, begin + length + 1), drawn]
    names = ("procs", "walltime", "runtime", "user", "queue", "demands")
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in names
    }
    submit = np.concatenate(
        [part.submit - origin for part, origin in zip(parts, origins, strict=True)]
    )
    order = np.argsort(submit, kind="stable")
    return Workload(
        name=f"{first.name} and {second.name}",
        capacity=first.capacity,
        id=np.arange(1, len(submit) + 1),
        submit=submit[order],
        resources=first.resources,
        **{name: column[order] for name, column in columns.items()},
    )


def mpi_jobs(seed: int) -> Workload:
    """Draw 54 jobs, submitted one second apart, on four nodes; walltimes are run times."""
    rng = np.random.default_rng(seed)
    sizes = [rng.choice(SQUARES if rng.random() < 2 / 8 else POWERS) for _ in range(MPI_JOBS)]
    seconds = log_uniform(rng, *MPI_SECONDS)
    memory = log_uniform(rng, *MPI_MEMORY)
    return Workload(
        name="54 MPI-like jobs",
        capacity=CLUSTER_PROCESSORS,
        id=np.arange(1, MPI_JOBS + 1),
        submit=np.arange(MPI_JOBS),
        procs=np.array(sizes),
        walltime=seconds,
        runtime=seconds,
        resources=(CLUSTER_MEMORY,),
        demands=memory[:, None],
    )


def log_uniform(rng: np.random.Generator, low: int, high: int) -> IntArray:
    """Draw a whole number for each of the 54 jobs, with a uniform logarithm."""
    drawn: IntArray = np.exp(rng.uniform(np.log(low), np.log(high), MPI_JOBS)).astype(np.int64)
    return drawn


def memory_load(workload: Workload) -> float:
    """Return the offered load in memory: Σ memory × run time / (memory of the machine × time of the submissions)."""
    taken = (workload.demands[:, 0].astype(np.float64) * workload.runtime).sum()
    span = float(workload.submit[-1] - workload.submit[0])
    return float(taken / (workload.resources[0].capacity * span))
