"""Relaxed backfilling: the head of the queue may be delayed by a part of its expected wait."""

from typing import Any

import numpy as np

from planbatch.baselines.head_of_queue import (
    both_keys,
    candidates,
    in_order,
    start_head,
    whole_timeline,
)
from planbatch.baselines.policy import CompiledPolicy, Traits
from planbatch.baselines.timeline import copy_timeline, fits_now, new_timeline, take_now
from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.kernels.profile import demands_of, earliest_index
from planbatch.planner.kernels.sorting import fill_column
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.orders import OrderKeys, as_orders
from planbatch.planner.round import RoundArrays


@borrowing_kernel
def latest_start(start: int, submit: int, omega: float) -> int:
    """A start, later by a part of the wait until then."""
    return start + int(omega * (start - submit))


@kernel
def decide_relaxed(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """EASY in which a job may be backfilled if the head of the queue still starts soon enough.

    That is by s + ω · (s − submit) for the start s that the head could have without the job, and for the one it could
    have in the first round in which it was blocked, so that delays of many rounds do not add up; ω is ``params[0]``.
    With 0 it is EASY. Ward, Mahood, West: "Scheduling Jobs on Parallel Systems Using a Relaxed Backfill Strategy"
    (JSSPP 2002).

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (see above),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("relaxed")
    >>> policy.compiled_form().decide is pb.decide_relaxed
    True
    """
    fill_column(start, NEVER)
    keys, behind = both_keys(order(arrays.jobs, arrays.now), len(start))
    demands, walltime = demands_of(arrays), arrays.jobs.walltime
    line = new_timeline(arrays)
    taken = np.zeros(len(start), np.bool_)
    head = start_head(arrays, demands, keys, in_order(keys), line, taken, start)
    if head < 0:
        return
    taken[head] = True
    whole_timeline(arrays, demands, line, start)
    demand, submit = demands[head], arrays.jobs.submit[head]
    at = earliest_index(line.times, line.free, line.size[0], demand, walltime[head], 0)
    soon = latest_start(line.times[at], submit, params[0])
    if arrays.notes[head] == NEVER:
        arrays.notes[head] = soon
    limit = max(line.times[at], min(soon, arrays.notes[head]))
    trial = new_timeline(arrays)
    for i in candidates(demands, behind, line, taken):
        if not fits_now(line, demands[i], walltime[i]):
            continue
        copy_timeline(trial, line)
        take_now(trial, demands[i], walltime[i])
        at = earliest_index(trial.times, trial.free, trial.size[0], demand, walltime[head], 0)
        if trial.times[at] <= limit:
            start[i] = arrays.now
            copy_timeline(line, trial)


def relaxed(
    omega: float = 0.2, order: str | OrderKeys = "submit", name: str = "relaxed"
) -> CompiledPolicy:
    """Relaxed backfilling (Ward et al. 2002): EASY that may delay the head by a part of its expected wait.

    Parameters
    ----------
    omega : float
        The part; with 0 it is EASY.
    order : str or callable
        The order of the queue, or a pair; see :func:`as_orders`.
    name : str
        What tables call it.

    Raises
    ------
    ValueError
        If the part is negative, or there is no order of a name.
    """
    if not omega >= 0:
        raise ValueError(f"relaxed: omega: {omega} is negative")
    return CompiledPolicy(
        name,
        decide_relaxed,
        order=as_orders(order),
        params=(float(omega),),
        traits=Traits(draws=False),
    )
