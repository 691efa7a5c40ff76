"""Metrics as functions of jobs: waits, responses, planned and actual starts, fairness, predicted run times.

Each is a function of a data frame with one row per job, see :meth:`Trace.to_frame`; times are in seconds.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from planbatch.planner.model import FloatArray

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame, Series


def wait_percentile(jobs: "DataFrame", q: float = 95.0) -> float:
    """The wait that q % of the jobs do not exceed (linear interpolation), in seconds."""
    if not 0 <= q <= 100:
        raise ValueError(f"q: {q:g} is not a percentage")
    return float(np.percentile(jobs["wait"], q))


def no_wait(jobs: "DataFrame") -> float:
    """The share of the jobs that start when they are submitted."""
    return float((jobs["wait"] == 0).mean())


def size_wait(jobs: "DataFrame", procs: str = "1-1") -> float:
    """The mean wait of the jobs of some sizes, such as procs=1-8 or procs=64- (processors), in seconds."""
    least, dash, most = procs.partition("-")
    if not least.isdigit() or (most and not most.isdigit()) or (most and int(most) < int(least)):
        raise ValueError(f"procs: {procs!r} is not a range of processors, such as 8, 1-8 or 64-")
    top = int(most) if most else (np.inf if dash else int(least))
    waits = jobs.loc[jobs["procs"].between(int(least), top), "wait"]
    return float(waits.mean())


def area_weighted_response(jobs: "DataFrame") -> float:
    """Σ procsᵢ · runᵢ · (waitᵢ + runᵢ) / Σ procsᵢ · runᵢ: the response of a processor-second of work, in seconds."""
    work = jobs["procs"] * jobs["runtime"]
    return float((work * (jobs["wait"] + jobs["runtime"])).sum() / work.sum())


def p2sf(jobs: "DataFrame") -> float:
    """Σ procsᵢ (Fᵢ⁴ − Wᵢ⁴) / Σ procsᵢ (Fᵢ³ − Wᵢ³), F response, W wait, in seconds (Goponenko et al., DEBS 2024)."""
    wait = jobs["wait"].to_numpy(dtype=np.float64)
    response = wait + jobs["runtime"].to_numpy(dtype=np.float64)
    procs = jobs["procs"].to_numpy(dtype=np.float64)
    fourth = (procs * (response**4 - wait**4)).sum()
    return float(fourth / (procs * (response**3 - wait**3)).sum())


def first_plan_delay(jobs: "DataFrame") -> float:
    """The mean of actual start − first planned start, in seconds: how far first plans slide; negative if forward."""
    return float(moved_since(jobs, "first").mean())


def first_plan_error(jobs: "DataFrame") -> float:
    """The mean of |actual start − first planned start|, in seconds."""
    return float(moved_since(jobs, "first").abs().mean())


def moved_since(jobs: "DataFrame", plan: str) -> "Series[float]":
    """Return actual − planned start of every job (s); ``plan`` is ``first``, or ``last``, the one before the start."""
    return jobs["start"] - jobs[f"{plan}_planned"]


def share_of_starts(plan: str, where: str) -> Callable[..., float]:
    """Return the metric of the jobs that start ``within`` some minutes of a plan, ``late`` or ``early``."""

    def metric(jobs: "DataFrame", minutes: float = 1.0) -> float:
        delay, limit = moved_since(jobs, plan), 60 * minutes
        if where == "late":
            return float((delay > limit).mean())
        if where == "early":
            return float((delay < -limit).mean())
        if not minutes >= 0:
            raise ValueError(f"minutes: {minutes:g} is negative or no number")
        return float((delay.abs() <= limit).mean())

    how = {"within": "at most so many minutes from", "late": "more than so many minutes after",
           "early": "more than so many minutes before"}[where]  # fmt: skip
    which = {"first": "their first planned start", "last": "their start in the last plan before"}[plan]
    metric.__doc__ = f"The share of the jobs that start {how} {which}."
    return metric


def user_fairness(jobs: "DataFrame") -> float:
    """Σᵤ (1 + mean NUWT − NUWTᵤ)², NUWTᵤ = total wait / total processor time of user u; less is fairer (Alea)."""
    work = jobs["procs"] * jobs["runtime"]
    by_user = jobs.assign(work=work).groupby("user")[["wait", "work"]].sum()
    normalised = by_user["wait"] / by_user["work"]
    return float(((1 + normalised.mean() - normalised) ** 2).sum())


def relative_errors(predicted: "NDArray[Any]", runtime: "NDArray[Any]") -> FloatArray:
    """Return |p − r| / max(p, r) of predictions p and run times r (s): 0 if exact, below 1; shape (n,).

    It is 1 less the accuracy of Tsafrir, Etsion, Feitelson (TPDS 2007), who divide the smaller by the larger.
    """
    return np.abs(predicted - runtime) / np.maximum(predicted, runtime)


def prediction_error(jobs: "DataFrame") -> float:
    """The mean of |p − run| / max(p, run), p what a job was believed to take when it started: 0 if exact, below 1."""
    return float(relative_errors(_predicted(jobs), jobs["runtime"].to_numpy(np.float64)).mean())


def underestimated(jobs: "DataFrame") -> float:
    """The share of the jobs that ran for longer than they were believed to when they started."""
    return float((jobs["runtime"].to_numpy(np.float64) > _predicted(jobs)).mean())


def _predicted(jobs: "DataFrame") -> FloatArray:
    """Return what was believed of each job: the prediction, or the request where there is none."""
    return jobs["predicted"].fillna(jobs["walltime"]).to_numpy(dtype=np.float64)
