"""Two drivers of one cluster: the younger one notices the older one by the marks that it writes, and goes.

Marks say which driver set them, by when it began. What an older driver wrote before may be all that is left of it; what
it writes while the younger one looks on says that it lives. No clock and no file of two machines is compared.
"""

import time

from planbatch.experiments.live.slurm.marks import mark_of
from planbatch.experiments.live.slurm.snapshot import Snapshot


class Rivals:
    """Looks for older drivers, snapshot by snapshot.

    Parameters
    ----------
    driver : int
        Which driver looks: when it began (ms).
    """

    def __init__(self, driver: int) -> None:
        self.driver = driver
        self._before: set[tuple[int, str]] | None = None

    def check(self, snapshot: Snapshot) -> None:
        """Raise a ``BlockingIOError`` if an older driver wrote a mark since the first snapshot."""
        found = {}
        for job in snapshot.jobs:
            mark = mark_of(job.admin_comment)
            if mark is not None and 0 < mark.by < self.driver:
                # Tasks that are split off their array have its mark, requeued jobs the one that they had.
                found[job.array.job_id if job.array else job.job_id, str(mark)] = mark.by
        if self._before is None:
            self._before = set(found)
        for who in found.keys() - self._before:
            began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(found[who] / 1000))
            raise BlockingIOError(
                f"another driver is running, since {began}: it drives this cluster, too; stop one of them"
            )
