"""The measures of the replays of one log."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from planbatch.baselines.working_time import Calendar
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.workloads.deadlines import HOUR
from planbatch.planner.model import NEVER, BoolArray, FloatArray, IntArray, Workload

#: The paper's names of the policies that it compares with DBF.
COMPARED = ("CBF", "EASY")


@dataclass(frozen=True)
class Study:
    """One log, replayed.

    Attributes
    ----------
    name : str
        The paper's name of the log.
    arrivals : float64 array, shape (24,)
        Mean number of jobs submitted in each hour of the day.
    others : mapping of str to Trace
        CBF, EASY and CBF re-planned, which do not look at deadlines.
    dbf : mapping of int to Trace
        DBF at each share (%).
    """

    name: str
    arrivals: FloatArray
    others: dict[str, Trace]
    dbf: dict[int, Trace]

    def regular(self, share: int) -> BoolArray:
        """Mark the regular jobs."""
        marked: BoolArray = self.dbf[share].workload.deadline == NEVER
        return marked

    def traces(self, share: int) -> dict[str, Trace]:
        """Return the trace of every policy."""
        return {"DBF": self.dbf[share], **self.others}

    def waits(self, share: int) -> dict[str, IntArray]:
        """Return the waits (s) of the regular jobs that the paper considers.

        Left out are those that DBF, CBF and EASY all start at once (Section 6.3).
        """
        traces = self.traces(share)
        waits = {name: trace.start - trace.workload.submit for name, trace in traces.items()}
        waited = np.logical_or.reduce([waits[name] > 0 for name in ("DBF", *COMPARED)])
        shown = self.regular(share) & waited
        return {name: wait[shown] for name, wait in waits.items()}


def arrivals_by_hour(workload: Workload) -> FloatArray:
    """Return the mean number of submissions in each hour of the day, by the clocks of the site."""
    origin = int(workload.header.get("UnixStartTime", "0"))
    when = pd.to_datetime(workload.submit + origin, unit="s", utc=True)
    hours = when.tz_convert(Calendar().zone(workload)).hour
    days = max((int(workload.submit[-1]) - int(workload.submit[0])) / (24 * HOUR), 1.0)
    return np.bincount(hours, minlength=24) / days


def peak(arrivals: FloatArray) -> tuple[int, int]:
    """Return the first hour and the end of the above-average span around the maximum."""
    quiet = np.flatnonzero(arrivals <= arrivals.mean())
    top = int(np.argmax(arrivals))
    return int(max(quiet[quiet < top], default=-1)) + 1, int(min(quiet[quiet > top], default=24))


def stretch(trace: Trace) -> FloatArray:
    """Return every job's (wait + walltime) / walltime (equation 2)."""
    walltime = trace.workload.walltime
    stretched: FloatArray = (trace.start - trace.workload.submit + walltime) / walltime
    return stretched


def violations(trace: Trace) -> tuple[int, int]:
    """Count the missed deadlines of 24 h, and those of ten walltimes."""
    workload = trace.workload
    late = trace.end > workload.deadline
    short = workload.deadline - workload.submit <= 24 * HOUR
    return int((late & short).sum()), int((late & ~short).sum())


def use_of_deadlines(trace: Trace) -> FloatArray:
    """Return the use of the deadlines (equation 3, %) of the jobs that did not start at once."""
    workload = trace.workload
    shown = (workload.deadline != NEVER) & (trace.start > workload.submit)
    submit, deadline, end = workload.submit[shown], workload.deadline[shown], trace.end[shown]
    used: FloatArray = 100.0 * (end - submit) / (deadline - submit)
    return used
