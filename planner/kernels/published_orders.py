"""Sort keys of orders that studies compare with: ``keys(jobs, now) -> float64 array``; see :mod:`orders`.

In the formulas, r is the walltime (s), n the processors, s the submit time (s, from the log's own zero) and
w = now − s the wait so far (s).
"""

import math
from math import log10

import numpy as np

from planbatch.planner.kernels.native import borrowing_kernel, kernel
from planbatch.planner.model import FloatArray, JobTable

#: What log2(n) counts as at least, so that serial jobs come first in :func:`unicef`.
LEAST_LOG = 1e-9


@kernel
def largest_expansion_first(jobs: JobTable, now: int) -> FloatArray:
    """Largest expansion factor first (LXF): key −(w + r) / r.

    Chiang, Arpaci-Dusseau, Vernon: "The Impact of More Accurate Requested Runtimes on Production Job Scheduling
    Performance" (JSSPP 2002).
    """
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        walltime = float(jobs.walltime[i])
        keys[i] = -(float(now - jobs.submit[i]) + walltime) / walltime
    return keys


@kernel
def wfp1(jobs: JobTable, now: int) -> FloatArray:
    """Largest w / r · n first: :func:`wfp3` without the cube."""
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        keys[i] = -(float(now - jobs.submit[i]) / float(jobs.walltime[i])) * float(jobs.procs[i])
    return keys


@kernel
def wfp3(jobs: JobTable, now: int) -> FloatArray:
    """Largest (w / r)³ · n first (WFP3): waits in multiples of the walltime, large jobs favoured.

    Tang, Lan, Desai, Buettner: "Fault-aware, utility-based job scheduling on Blue Gene/P systems" (Cluster 2009); the
    production policy of the Argonne Leadership Computing Facility.
    """
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        ratio = float(now - jobs.submit[i]) / float(jobs.walltime[i])
        keys[i] = -(ratio * ratio * ratio) * float(jobs.procs[i])
    return keys


@kernel
def unicef(jobs: JobTable, now: int) -> FloatArray:
    """Largest w / (log2(n) · r) first (UNICEF): small, short jobs are served fast, serial ones before all others.

    Tang, Lan, Desai, Buettner (Cluster 2009). log2(n) counts as 1e-9 at least.
    """
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        size = max(math.log2(float(jobs.procs[i])), LEAST_LOG)
        keys[i] = -float(now - jobs.submit[i]) / (size * float(jobs.walltime[i]))
    return keys


@kernel
def fat(jobs: JobTable, now: int) -> FloatArray:
    """Largest w / r · n³ first (FAT): wide jobs before all others.

    Published with (n / N)³ for N processors of the machine, which makes no difference to the order.
    """
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        size = float(jobs.procs[i])
        ratio = float(now - jobs.submit[i]) / float(jobs.walltime[i])
        keys[i] = -ratio * (size * size * size)
    return keys


@kernel
def smallest_ratio_first(jobs: JobTable, now: int) -> FloatArray:
    """Smallest ratio of walltime to processors first (SRF): key r / n.

    Carastan-Santos, de Camargo, Trystram, Zrigui: "One Can Only Gain by Replacing EASY Backfilling" (CCGrid 2019).
    """
    return jobs.walltime.astype(np.float64) / jobs.procs.astype(np.float64)


@borrowing_kernel
def log10_of(time: int) -> float:
    """log10 of a time (s); that of 0.1 if it is not positive."""
    return log10(float(time)) if time > 0 else -1.0


@kernel
def f1(jobs: JobTable, now: int) -> FloatArray:
    """Smallest log10(r) · n + 870 · log10(s) first (F1).

    F1 to F4 were fitted to simulated schedules: Carastan-Santos, de Camargo: "Obtaining Dynamic Scheduling Policies
    with Simulation and Machine Learning" (SC 2017, Table 3).
    """
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        size = log10_of(jobs.walltime[i]) * float(jobs.procs[i])
        keys[i] = size + 870.0 * log10_of(jobs.submit[i])
    return keys


@kernel
def f2(jobs: JobTable, now: int) -> FloatArray:
    """Smallest √r · n + 25,600 · log10(s) first (F2); see :func:`f1`."""
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        size = math.sqrt(float(jobs.walltime[i])) * float(jobs.procs[i])
        keys[i] = size + 25600.0 * log10_of(jobs.submit[i])
    return keys


@kernel
def f3(jobs: JobTable, now: int) -> FloatArray:
    """Smallest r · n + 6,860,000 · log10(s) first (F3); see :func:`f1`."""
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        size = float(jobs.walltime[i]) * float(jobs.procs[i])
        keys[i] = size + 6860000.0 * log10_of(jobs.submit[i])
    return keys


@kernel
def f4(jobs: JobTable, now: int) -> FloatArray:
    """Smallest r · √n + 530,000 · log10(s) first (F4); see :func:`f1`."""
    keys = np.empty(len(jobs.submit))
    for i in range(len(keys)):
        size = float(jobs.walltime[i]) * math.sqrt(float(jobs.procs[i]))
        keys[i] = size + 530000.0 * log10_of(jobs.submit[i])
    return keys
