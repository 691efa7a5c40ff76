"""Backfilling with reservations for some jobs: the first K, or those whose expansion factor has grown enough."""

from typing import Any

import numpy as np

from planbatch.baselines.conservative import take_over
from planbatch.baselines.head_of_queue import both_keys
from planbatch.baselines.policy import CompiledPolicy, Traits
from planbatch.baselines.timeline import fill, fits_now, new_timeline, reserve, take_now
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.profile import (
    any_fits,
    demands_of,
    earliest_index,
    fits_at,
    new_amounts,
    place,
    room_for,
)
from planbatch.planner.kernels.sorting import fill_column, stable_order
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.orders import OrderKeys, as_order, as_orders
from planbatch.planner.round import RoundArrays


@kernel
def decide_first_reserved(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Give the first ``params[0]`` blocked jobs reservations, made anew in every round; backfill around them.

    With one it is EASY, with as many as there are jobs ``replanned``. The depth of reservations is a parameter of the
    schedulers Maui and Moab (Jackson, Snell, Clement: "Core Algorithms of the Maui Scheduler", JSSPP 2001).

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (see above),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("first-reserved")
    >>> policy.compiled_form().decide is pb.decide_first_reserved
    True
    """
    fill_column(start, NEVER)
    if not any_fits(arrays):
        return
    keys, behind = both_keys(order(arrays.jobs, arrays.now), len(start))
    demands, walltime = demands_of(arrays), arrays.jobs.walltime
    line = new_timeline(arrays)
    fill(arrays, line)
    seen = np.zeros(len(start), np.bool_)
    reserved = 0
    for i in stable_order(keys):
        if reserved >= params[0]:
            break
        seen[i] = True
        if fits_now(line, demands[i], walltime[i]):
            start[i] = arrays.now
            take_now(line, demands[i], walltime[i] if reserved else arrays.occupied[i])
        else:
            reserve(line, demands[i], walltime[i])
            reserved += 1
    for i in stable_order(behind):
        if not seen[i] and fits_now(line, demands[i], walltime[i]):
            start[i] = arrays.now
            take_now(line, demands[i], walltime[i])


@kernel
def decide_selective(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Reserve for a job once its expansion factor (wait + walltime) / walltime exceeds ``params[0]``.

    Reservations are kept, and improved after early ends, as in conservative backfilling. New ones take the earliest
    start, in the order of the queue; then jobs without one start if they fit now. Srinivasan, Kettimuthu, Subramani,
    Sadayappan: "Selective Reservation Strategies for Backfill Job Scheduling" (JSSPP 2002).

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (see above),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("selective")
    >>> policy.compiled_form().decide is pb.decide_selective
    True
    """
    n = len(start)
    demands, walltime = demands_of(arrays), arrays.jobs.walltime
    room = room_for(arrays, n + 3)
    times, free = np.empty(room, np.int64), new_amounts(arrays, room)
    ranked = stable_order(order(arrays.jobs, arrays.now))
    size = take_over(arrays, demands, ranked, start, times, free)
    for i in ranked:
        waited = float(arrays.now - arrays.jobs.submit[i])
        if start[i] == NEVER and (waited + walltime[i]) / walltime[i] > params[0]:
            j = earliest_index(times, free, size, demands[i], walltime[i], 0)
            start[i] = times[j]
            size = place(times, free, size, j, demands[i], walltime[i])
    for i in ranked:
        end = arrays.now + walltime[i]
        if start[i] == NEVER and fits_at(times, free, size, demands[i], arrays.now, end):
            start[i] = arrays.now
            size = place(times, free, size, 0, demands[i], walltime[i])


def first_reserved(
    jobs: int = 2, order: str | OrderKeys = "submit", name: str = "first-reserved"
) -> CompiledPolicy:
    """Backfilling around reservations for the first blocked jobs; with one EASY, with very many ``replanned``.

    Parameters
    ----------
    jobs : int
        How many jobs get a reservation.
    order : str or callable
        The order of the queue, or a pair; see :func:`as_orders`.
    name : str
        What tables call it.

    Raises
    ------
    ValueError
        If it is no positive number, or there is no order of a name.
    """
    if not jobs >= 1:
        raise ValueError(f"first-reserved: {jobs} is no positive number of jobs")
    made = as_orders(order)
    return CompiledPolicy(
        name, decide_first_reserved, order=made, params=(float(jobs),), traits=Traits(draws=False)
    )


def selective(
    factor: float = 2.0, order: str | OrderKeys = "submit", name: str = "selective"
) -> CompiledPolicy:
    """Selective reservation (Srinivasan et al. 2002): jobs whose expansion factor exceeds a threshold get one.

    Parameters
    ----------
    factor : float
        The threshold of (wait + walltime) / walltime: with 0, conservative backfilling; the larger, the fewer
        reservations.
    order : str or callable
        The order of the queue.
    name : str
        What tables call it.
    """
    return CompiledPolicy(
        name,
        decide_selective,
        order=as_order(order),
        params=(float(factor),),
        traits=Traits(keeps_reservations=True, draws=False),
    )
