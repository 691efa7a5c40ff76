"""Small workloads: written by hand, or drawn by hypothesis."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from experiments.replay import Trace
from planner.model import Workload

ESTIMATES = ("requested", "actual", "mixed")


def workload_of(capacity: int, jobs: Sequence[tuple[int, ...]]) -> Workload:
    """Make a workload of (submit, procs, walltime[, run time]); ids count from 1."""
    full = [(*job, job[2])[:4] for job in jobs]
    submit, procs, walltime, runtime = np.array(full, dtype=np.int64).reshape(-1, 4).T
    ids = np.arange(1, len(full) + 1)
    return Workload("by hand", capacity, ids, submit, procs, walltime, runtime)


def assert_same(one: Trace, other: Trace) -> None:
    """Assert that two traces agree in everything but the clock."""
    np.testing.assert_array_equal(one.start, other.start)
    np.testing.assert_array_equal(one.end, other.end)
    for name in ("time", "waiting", "running", "started", "evaluations", "seed_cost", "cost"):
        np.testing.assert_array_equal(
            getattr(one.rounds, name), getattr(other.rounds, name), err_msg=name
        )


@st.composite
def small_workloads(draw: st.DrawFn, most: int = 8) -> Workload:
    """Draw a crowded workload: short gaps, few processors, jobs that often end early."""
    capacity = draw(st.integers(1, 5))
    jobs = []
    submit = draw(st.integers(-2, 2))
    for _ in range(draw(st.integers(1, most))):
        submit += draw(st.integers(0, 3))
        walltime = draw(st.integers(1, 9))
        runtime = draw(st.one_of(st.just(walltime), st.integers(1, walltime)))
        jobs.append((submit, draw(st.integers(1, capacity)), walltime, runtime))
    return workload_of(capacity, jobs)
