"""Memory for synthetic workloads: a second resource that is as scarce as processors."""

import numpy as np

from planbatch.experiments.workloads.amounts import amount
from planbatch.planner.model import Workload
from planbatch.planner.resources import Resource

#: How often amounts are scaled again, since no job can take more than the machine has.
ROUNDS = 50


def with_scarce_memory(workload: Workload, memory: str, seed: int = 1) -> Workload:
    """Give jobs memory demands, so that memory is as scarce as processors.

    Each job takes the same share of the memory as another job, drawn at random, takes of the processors: both have the
    same distribution, and they are independent. Then all amounts are scaled so that Σ memory × run time is the same
    share of the machine as Σ processors × run time.

    Parameters
    ----------
    workload : Workload
        The jobs; at least one.
    memory : str
        Memory of the machine: ``256GB``, or ``1GB/processor``.
    seed : int
        Seed of the random numbers.

    Raises
    ------
    ValueError
        If the amount cannot be read.
    """
    size, each = amount(memory, "memory capacity")
    if each == "node":
        raise ValueError(f"memory capacity: {memory} needs nodes; give an amount, or 1GB/processor")
    count = workload.capacity if each else 1
    resource = Resource("memory", max(int(size * count), 1), "KB")
    share = np.random.default_rng([seed, 2]).permutation(workload.procs) / workload.capacity
    run = workload.runtime.astype(np.float64)
    wanted = (workload.procs * run).sum() / workload.capacity
    for _ in range(ROUNDS):
        share = np.minimum(share * wanted / (share * run).sum(), 1.0)
    taken = np.ceil(share * resource.capacity).astype(np.int64)
    return workload.take(
        slice(None),
        resources=(*workload.resources, resource),
        demands=np.column_stack([workload.demands, taken]),
    )
