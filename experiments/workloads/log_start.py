"""The Unix time at which a log begins."""

import re

from planbatch.planner.model import Workload

#: First submissions before this (Unix time, s) are not those of a real log.
EARLIEST = 365 * 86400


def unix_start_time(workload: Workload) -> int | None:
    """Return the Unix time that submit times count from, if the header has one.

    Synthetic workloads start at 0, which is not a date: if the first job would have been submitted in 1970, there is
    none.
    """
    found = re.match(r"-?\d+", workload.header.get("UnixStartTime", "").strip())
    if found is None or not len(workload):
        return None
    start = int(found[0])
    return start if start + int(workload.submit[0]) >= EARLIEST else None
