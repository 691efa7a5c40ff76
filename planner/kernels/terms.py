"""One term of an objective; see :mod:`terms`."""

from planbatch.planner.kernels.native import kernel


@kernel
def one_term(weight: float, origin: float, power: int, start: float) -> float:
    """Return the term of one job."""
    late = start - origin
    if late <= 0.0:
        return 0.0
    if power == 2:
        return weight * late * late
    return weight * late
