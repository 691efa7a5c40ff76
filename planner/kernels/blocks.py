"""Looking for the few jobs that matter in columns of many: several entries at once."""

from planbatch.planner.kernels.native import borrowing_kernel
from planbatch.planner.model import NEVER, IntArray

#: How many entries are looked at together, without a way out between them: compiled to a handful of instructions.
BLOCK = 64


@borrowing_kernel
def next_planned(start: IntArray, first: int) -> int:
    """Return the first job from ``first`` on that has a start, or the number of jobs."""
    n = len(start)
    if first < n and start[first] != NEVER:
        return first
    while first + BLOCK <= n:
        block = start[first : first + BLOCK]
        found = 0
        for i in range(BLOCK):
            found |= block[i] ^ NEVER
        if found != 0:
            break
        first += BLOCK
    while first < n and start[first] == NEVER:
        first += 1
    return first


@borrowing_kernel
def any_at_most(column: IntArray, limit: int) -> bool:
    """Return whether any entry of a column is no larger than the limit."""
    n = len(column)
    first = 0
    while first + BLOCK <= n:
        block = column[first : first + BLOCK]
        found = 0
        for i in range(BLOCK):
            found += block[i] <= limit
        if found:
            return True
        first += BLOCK
    for value in column[first:]:  # noqa: SIM110 (compiled)
        if value <= limit:
            return True
    return False
