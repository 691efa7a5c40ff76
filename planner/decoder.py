"""The decoder: permutation → plan, each job in turn at its earliest feasible start.

The decoder is the only owner of feasibility. Whatever an optimizer works on, it hands over an order, and decoding
the jobs of any feasible plan in the order of their starts never starts a job later than before. (Zheng et al. 2016,
Section IV-C.)
"""

import numpy as np
from numpy.typing import NDArray

from planner.model import IntArray
from planner.native import kernel
from planner.plan import Plan
from planner.profile import earliest_index, fill_profile
from planner.round import Round, RoundArrays

#: An order of a round's waiting jobs: their indices, each once.
Permutation = NDArray[np.int64]


@kernel
def place(
    times: IntArray, free: IntArray, size: int, i: int, procs: int, walltime: int
) -> int:
    """Take ``procs`` processors from breakpoint ``i`` on for ``walltime`` seconds; return the new size."""
    end = times[i] + walltime
    j = i
    while j < size and times[j] < end:
        free[j] -= procs
        j += 1
    if j == size or times[j] > end:
        for k in range(size, j, -1):
            times[k] = times[k - 1]
            free[k] = free[k - 1]
        times[j] = end
        free[j] = free[j - 1] + procs
        size += 1
    return size


@kernel
def decode_linear(arrays: RoundArrays, order: Permutation, start: IntArray) -> None:
    """Write into ``start`` the plan of ``order``; a straightforward scan over the profile for each job."""
    jobs = arrays.jobs
    room = len(arrays.running.procs) + len(order) + 2
    times = np.empty(room, np.int64)
    free = np.empty(room, np.int64)
    size = fill_profile(arrays.now, arrays.capacity, arrays.running, times, free)
    for job in order:
        procs = jobs.procs[job]
        walltime = jobs.walltime[job]
        i = earliest_index(times, free, size, procs, walltime, 0)
        start[job] = times[i]
        size = place(times, free, size, i, procs, walltime)


def decode(problem: Round, order: Permutation) -> Plan:
    """The plan of a permutation.

    Parameters
    ----------
    problem : Round
        The round.
    order : int array, shape (n,)
        Indices of the waiting jobs, each once.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        Where ``order`` is not a permutation of the round's jobs.
    """
    indices = np.asarray(order)
    if sorted(indices.tolist()) != list(range(len(problem))):
        raise ValueError(f"order: not a permutation of the {len(problem)} waiting jobs")
    start = np.empty(len(problem), dtype=np.int64)
    decode_linear(problem.arrays, indices.astype(np.int64), start)
    return Plan(start)
