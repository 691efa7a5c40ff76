"""The bounded slowdown of jobs (design rule 9)."""

import numpy as np

from planbatch.planner.model import FloatArray

#: Run times below this many seconds count as this long in the bounded slowdown.
SLOWDOWN_BOUND = 10


def bounded_slowdown(wait: FloatArray, run: FloatArray) -> FloatArray:
    """Return max(1, (waitᵢ + runᵢ) / max(runᵢ, 10 s)) of every job."""
    slowdown: FloatArray = np.maximum(1.0, (wait + run) / np.maximum(run, SLOWDOWN_BOUND))
    return slowdown
