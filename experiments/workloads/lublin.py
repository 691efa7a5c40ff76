"""A synthetic workload: the model of Lublin and Feitelson, with estimates of run times.

Lublin and Feitelson, "The workload on parallel supercomputers: modeling the characteristics of
rigid jobs", Journal of Parallel and Distributed Computing 63(11), 2003. Sizes, run times and
arrivals follow the authors' program m_lublin99 of the Parallel Workloads Archive, whose parameters
are given here; the program gives no requested times, so estimates are added (see :mod:`estimates`).
"""

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from planbatch.experiments.workloads.transform import offered_load, scale_load
from planbatch.planner.arguments import number, whole
from planbatch.planner.display import short_repr
from planbatch.planner.model import IntArray, Workload

BUCKETS = 48
BUCKET_SECONDS = 1800
#: The daily cycle is fitted to days that start with this bucket.
CYCLE_START = 11
#: Logarithms (base e) of the longest run time (45 h) and the longest time between two arrivals (5
#: days).
LOG_LONGEST_RUN = 12.0
LOG_LONGEST_GAP = 13.0


@dataclass(frozen=True)
class LublinParameters:
    """The parameters of the model, under the names of the authors' program."""

    #: Share of jobs of one processor; share of those whose size is made a power of two.
    serial_prob: float
    pow2_prob: float
    #: Two-stage uniform distribution of log2(size): with probability ``uprob`` within ulow … umed, otherwise within
    #: umed … uhi, which is log2 of the machine's size.
    ulow: float
    umed: float
    uhi: float
    uprob: float
    #: Shapes and scales of the two gamma distributions of the logarithm (base e) of the run time.
    a1: float
    b1: float
    a2: float
    b2: float
    #: The first of the two is used with probability pa × size + pb.
    pa: float
    pb: float
    #: Shape and scale of the gamma distribution of the logarithm of the time between arrivals in the rush hours;
    #: ``arar`` is the factor on the shape that extends it to the whole day.
    aarr: float
    barr: float
    arar: float
    #: Shape and scale of the gamma distribution of arrivals over the half-hours of a day.
    anum: float
    bnum: float
    queue: int = 1  # queue number of the jobs: 0 interactive, 1 batch

    def for_machine(self, capacity: int) -> "LublinParameters":
        """Fit the sizes to a machine: ``uhi`` is log2 of its size, ``umed`` as far from it."""
        uhi = math.log2(capacity)
        umed = max(uhi - (self.uhi - self.umed), min(self.ulow, uhi))
        return replace(self, umed=umed, uhi=uhi, ulow=min(self.ulow, uhi))


#: Parameter → its value for batch jobs (fitted to machines of 128 processors), interactive jobs, and all jobs.
_FITTED = {
    "serial_prob": (0.2927, 0.1541, 0.244),
    "pow2_prob": (0.6686, 0.625, 0.576),
    "ulow": (1.2, 1, 0.8),
    "umed": (5, 3, 4.5),
    "uhi": (7, 5.5, 7),
    "uprob": (0.875, 0.705, 0.86),
    "a1": (6.57, 3.8351, 4.2),
    "b1": (0.823, 0.6605, 0.94),
    "a2": (639.1, 7.073, 312),
    "b2": (0.0156, 0.6856, 0.03),
    "pa": (-0.003, -0.0118, -0.0054),
    "pb": (0.6986, 0.9156, 0.78),
    "aarr": (6.0415, 6.5510, 10.2303),
    "barr": (0.8531, 0.6621, 0.4871),
    "arar": (1.0519, 0.9797, 1.0225),
    "anum": (6.1271, 8.9186, 8.1737),
    "bnum": (5.2740, 3.6680, 3.9631),
    "queue": (1, 0, 1),
}
BATCH, INTERACTIVE, ALL = (
    LublinParameters(**dict(zip(_FITTED, values, strict=True)))  # type: ignore[arg-type]
    for values in zip(*_FITTED.values(), strict=True)
)
KINDS = {"batch": BATCH, "interactive": INTERACTIVE, "all": ALL}


def sizes(n: int, capacity: int, parameters: LublinParameters, rng: Generator) -> IntArray:
    """Draw the sizes of ``n`` jobs: int64 array, shape (n,), 1 … capacity processors."""
    p = parameters.for_machine(capacity)
    kind, stage, position = rng.random((3, n))
    low = np.where(stage <= p.uprob, p.ulow, p.umed)
    high = np.where(stage <= p.uprob, p.umed, p.uhi)
    log_size = low + position * (high - low)
    power_of_two = kind <= p.serial_prob + p.pow2_prob
    # A machine's size may lie between two powers of two: no job is rounded up beyond it.
    rounded = np.minimum(np.floor(log_size + 0.5), math.floor(math.log2(capacity)))
    size = np.floor(2.0 ** np.where(power_of_two, rounded, log_size) + 0.5).astype(np.int64)
    return np.where(kind <= p.serial_prob, 1, np.clip(size, 1, capacity))


def run_times(size: IntArray, parameters: LublinParameters, rng: Generator) -> IntArray:
    """Draw run times for jobs of the given sizes: int64 array, shape (n,), seconds, at least 1."""
    p = parameters
    share = np.clip(p.pa * size + p.pb, 0.0, 1.0)
    logs = np.full(len(size), np.inf)
    while (again := np.flatnonzero(logs > LOG_LONGEST_RUN)).size:
        first = rng.random(again.size) <= share[again]
        shape, scale = np.where(first, p.a1, p.a2), np.where(first, p.b1, p.b2)
        logs[again] = rng.gamma(shape, scale)
    return np.maximum(np.exp(logs), 1.0).astype(np.int64)


def gamma_distribution(shape: float, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return P(X ≤ x) of gamma-distributed X of scale 1, for 0 < x < 100 (Abramowitz and Stegun 1964, 6.5.29).

    Importing scipy for it would take a tenth of the time until the first row of a comparison.
    """
    terms = np.cumprod(x[:, np.newaxis] / (shape + 1 + np.arange(300)), axis=1)
    first = np.exp(shape * np.log(x) - x - math.lgamma(shape + 1))
    return np.asarray(first * (1 + terms.sum(axis=1)))


def daily_cycle(parameters: LublinParameters) -> NDArray[np.float64]:
    """Weigh the half-hours of a day from midnight on: shape (48,), mean 1."""
    edges = np.arange(CYCLE_START - 0.5, BUCKETS + CYCLE_START)
    weights = np.diff(gamma_distribution(parameters.anum, edges / parameters.bnum))
    # The program counts buckets from 1: bucket 11 is the half-hour with index 10.
    weights = np.roll(weights, CYCLE_START - 1)
    return weights / weights.mean()


def arrivals(n: int, parameters: LublinParameters, rng: Generator) -> IntArray:
    """Draw the submit times of ``n`` jobs: int64 array, shape (n,), seconds from midnight.

    Times between arrivals are drawn as if all half-hours were alike, and then stretched over the day: a half-hour of
    weight w gets w times as much of that time.
    """
    shape = parameters.aarr * parameters.arar
    logs = np.full(n, np.inf)
    while (again := np.flatnonzero(logs > LOG_LONGEST_GAP)).size:
        logs[again] = rng.gamma(shape, parameters.barr, again.size)
    points = np.cumsum(np.exp(logs) / BUCKET_SECONDS)
    edges = np.concatenate([[0.0], np.cumsum(daily_cycle(parameters))])
    days = np.floor(points / edges[-1])
    bucket = np.interp(points - days * edges[-1], edges, np.arange(BUCKETS + 1))
    return np.floor((days * BUCKETS + bucket) * BUCKET_SECONDS).astype(np.int64)


def synthetic_workload(
    jobs: int = 5000,
    capacity: int = 256,
    seed: int = 1,
    load: float | None = None,
    kind: str = "batch",
    estimates: bool = True,
) -> Workload:
    """Generate a workload.

    Parameters
    ----------
    jobs : int
        How many.
    capacity : int
        Processors of the machine.
    seed : int
        Seed of the random numbers: equal parameters and seeds give equal workloads.
    load : float, optional
        Offered load to reach by compressing or stretching the arrivals; by default they stay as drawn.
    kind : str
        Parameters of the model: ``batch``, ``interactive`` or ``all``.
    estimates : bool
        Whether walltimes are user estimates; otherwise they are the run times.

    Raises
    ------
    ValueError
        If a parameter is out of its range; the message names it.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.synthetic_workload(jobs=1000, capacity=128, load=0.8)
    Workload(lublin-batch-128: 1,000 jobs, 128 processors, submitted in 19.7 d)
    """
    whole("jobs", jobs, 1, "jobs")
    whole("capacity", capacity, 1, "processors")
    seed = whole("seed", seed, most=None)
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind: there is no {short_repr(kind)}; choose one of {', '.join(KINDS)}")
    if load is not None:
        number("load", load, "a positive load; 0.9 means 90 % of the machine")
    parameters = KINDS[kind]
    # One stream for each of the four, so that more draws from one do not change the others.
    streams = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(4)]
    size = sizes(jobs, capacity, parameters, streams[0])
    runtime = run_times(size, parameters, streams[1])
    workload = Workload(
        name=f"lublin-{kind}-{capacity}",
        capacity=capacity,
        id=np.arange(1, jobs + 1),
        submit=arrivals(jobs, parameters, streams[2]),
        procs=size,
        walltime=user_estimates(runtime, streams[3]) if estimates else runtime,
        runtime=runtime,
        queue=np.full(jobs, parameters.queue),
        header=_header(jobs, capacity, seed, load, kind, estimates),
    )
    if load is not None and math.isfinite(offered_load(workload)):
        workload = scale_load(workload, load / offered_load(workload))
    return workload


def _header(jobs: int, capacity: int, seed: int, load: float | None, kind: str, estimates: bool) -> dict[str, str]:
    """Describe a synthetic workload in header fields."""
    how = f"planbatch: {kind} jobs, seed {seed}"
    how += f", arrivals scaled to an offered load of {load:g}" if load is not None else ""
    how += ", requested times estimated" if estimates else ", requested times are run times"
    return {
        "Version": "2.2",
        "Computer": "Synthetic, model of Lublin and Feitelson (2003)",
        "MaxJobs": str(jobs),
        "MaxRecords": str(jobs),
        "UnixStartTime": "0",
        "MaxNodes": str(capacity),
        "MaxProcs": str(capacity),
        "Queue": "0 interactive\n1 batch",
        "Note": how,
    }


@cache
def default_workload() -> Workload:
    """Return the embedded workload, which commands use if none is named.

    5,000 batch jobs on 256 processors at an offered load of 0.7, which is typical of real logs: under EASY, 27 jobs
    wait on average and at most 137, and the work is done as fast as it arrives.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.default_workload()
    Workload(lublin-batch-256: 5,000 jobs, 256 processors, submitted in 113 d)
    """
    return synthetic_workload(jobs=5000, capacity=256, seed=1, load=0.7)


MINUTE = 60
HOUR = 3600
#: Longest time that may be requested (s); above the longest run time of the Lublin–Feitelson model.
LONGEST = 48 * HOUR
#: The share of all jobs that choose a popular value.
POPULAR_SHARE = 0.9
#: Popular estimate (minutes, the last is ``LONGEST``) → how many of 90 jobs choose it.
POPULAR = {
    5: 7.0, 10: 7.0, 15: 6.0, 20: 3.0, 30: 11.0, 45: 1.0, 60: 11.0, 90: 1.0, 120: 11.0, 180: 7.0, 240: 6.0,
    300: 2.0, 360: 5.0, 480: 2.0, 600: 1.0, 720: 3.0, 900: 0.5, 1440: 2.0, 2160: 0.5, 2880: 3.0,
}  # fmt: skip
#: All other estimates are multiples of this (s).
GRAIN = 5 * MINUTE


def popular_estimates() -> tuple[IntArray, NDArray[np.float64]]:
    """List the popular estimates (s), increasing, int64, and their shares, which sum to 1; both of shape (k,)."""
    values = np.array([minutes * MINUTE for minutes in POPULAR])
    shares = np.array([*POPULAR.values()])
    return values, shares / shares.sum()


def user_estimates(runtime: IntArray, rng: Generator) -> IntArray:
    """Draw an estimate (s) for every run time (s, 1 … ``LONGEST``); int64, shape (n,), none below it or above that.

    With probability ``POPULAR_SHARE`` a job gets a popular value, in proportion to the shares of those that are not
    below its run time; otherwise some multiple of five minutes, log-uniform between its run time and the longest time.
    Three random numbers are used per job.
    """
    is_popular, which, where = rng.random((3, len(runtime)))
    values, shares = popular_estimates()
    before = np.concatenate([[0.0], np.cumsum(shares)])
    least = before[np.searchsorted(values, runtime)]
    indices = np.searchsorted(before, least + which * (before[-1] - least), side="right") - 1
    popular = values[np.clip(indices, np.searchsorted(values, runtime), len(values) - 1)]
    low = np.log(np.maximum(runtime, GRAIN))
    other = np.exp(low + where * (np.log(LONGEST) - low))
    other = np.minimum(np.ceil(other / GRAIN) * GRAIN, LONGEST).astype(np.int64)
    return np.where(is_popular < POPULAR_SHARE, popular, np.maximum(other, runtime))
