"""The cost of a permutation."""

from typing import Any

import numpy as np

from planbatch.planner.columns import Permutation
from planbatch.planner.kernels.decode import JobClasses, decode_into, keeps_promises
from planbatch.planner.kernels.native import borrowing_two_way_kernel
from planbatch.planner.model import IntArray
from planbatch.planner.round import RoundArrays


@borrowing_two_way_kernel
def decoded_cost(
    arrays: RoundArrays, classes: JobClasses, cost: Any, order: Permutation, start: IntArray
) -> float:
    """Decode an order into ``start`` and return its cost; infinite if it breaks a promise, NaN if no finite number."""
    decode_into(arrays, classes, order, start)
    if not keeps_promises(start, arrays.jobs.latest):
        return np.inf
    value = cost(start, arrays.jobs, arrays.now)
    return value if np.isfinite(value) else np.nan
