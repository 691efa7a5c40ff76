"""Re-planned backfilling: the decoder on one fixed order, from scratch in every round."""

from typing import Any

from planbatch.planner.kernels.decode import decode_once
from planbatch.planner.kernels.native import kernel
from planbatch.planner.kernels.sorting import stable_order
from planbatch.planner.model import FloatArray, IntArray
from planbatch.planner.round import RoundArrays


@kernel
def decide_replanned(
    arrays: RoundArrays,
    order: Any,
    cost: Any,
    params: FloatArray,
    rng: Any,
    start: IntArray,
    report: FloatArray,
) -> None:
    """Decode the queue's order; earlier reservations are not kept: the first plan of Zheng et al. 2016.

    Parameters
    ----------
    arrays, order, cost, params, rng, start, report
        What every :class:`CompiledPolicy` gets: the round, the queue's order, the cost of plans, numbers (none),
        random numbers; the planned starts, int64, shape (n,), in seconds, and the report of a search are written.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("replanned")
    >>> policy.compiled_form().decide is pb.decide_replanned
    True
    """
    keys = order(arrays.jobs, arrays.now)
    decode_once(arrays, stable_order(keys), start)
