"""What is in a log: anomalies, load, and how sizes and times are distributed."""

import math
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planbatch.experiments.workloads.partitions import partition_capacity
from planbatch.experiments.workloads.presets import PRESET
from planbatch.experiments.workloads.selection import statements
from planbatch.experiments.workloads.swf.log import REASONS, SwfLog
from planbatch.experiments.workloads.transform import offered_load
from planbatch.planner.arguments import expect
from planbatch.planner.model import EARLIEST, NEVER, Workload

#: Quantiles reported for every distribution.
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
#: Upper ends of the classes of run times (s), and what they are called.
TIME_CLASSES = {
    "under 1 min": 60,
    "1 to 10 min": 600,
    "10 min to 1 h": 3600,
    "1 to 4 h": 4 * 3600,
    "4 to 12 h": 12 * 3600,
    "12 to 24 h": 24 * 3600,
    "over 24 h": math.inf,
}


def dropped_text(workload: Workload) -> str:
    """Say how many jobs of the log were left out, and why; empty if none was."""
    return ", ".join(f"{n:,} {reason}" for reason, n in workload.dropped.items() if n)


def anomalies(log: SwfLog) -> dict[str, int]:
    """Count the lines of a log by anomaly.

    The last five are those of N'takpé and Suter (JSSPP 2017), Table 1. Their first column, headed
    "Runtime < 0", counts run times of zero as well (``runtime_not_positive``), and their second,
    headed "CPU < 0", jobs without used processors. A comparison counts only jobs whose compared value is known, that
    is, above 0.
    """
    c = log.columns
    runtime, requested_time = c["runtime"], c["requested_time"]
    used, requested = c["used_procs"], c["requested_procs"]
    timed, sized = requested_time > 0, requested > 0
    marked = {
        "no_wait_time": c["wait"] < 0,
        "no_requested_time": ~timed,
        "no_requested_processors": ~sized,
        "no_processors": ~sized & (used <= 0),
        "runtime_negative": runtime < 0,
        "runtime_zero": runtime == 0,
        "runtime_not_positive": runtime <= 0,
        "used_processors_not_positive": used <= 0,
        "used_processors_above_requested": sized & (used > requested),
        "runtime_above_requested_time": timed & (runtime > requested_time),
        "runtime_above_requested_time_by_a_minute": timed & (runtime > requested_time + 60),
    }
    return {name: int(np.count_nonzero(mask)) for name, mask in marked.items()}


def recorded_load(log: SwfLog, capacity: int) -> float | None:
    """Compare the work in a log with what the machine could have done until the last job ended.

    Σ run time × processors (used, else requested) / (capacity × time from first submission to last
    end), with starts as recorded, or the submit times if no waits are known. ``None`` if no time passes.
    """
    c = log.columns
    procs = np.where(c["used_procs"] > 0, c["used_procs"], np.maximum(c["requested_procs"], 0))
    runtime = np.maximum(c["runtime"], 0)
    ends = c["submit"] + np.maximum(c["wait"], 0) + runtime
    span = float(ends.max() - c["submit"].min())
    return float((procs * runtime).sum()) / (capacity * span) if span > 0 else None


def distribution(values: NDArray[Any]) -> dict[str, Any]:
    """Return the mean and some quantiles of numbers, shape (n,), n at least 1."""
    quantiles = np.quantile(values, QUANTILES, method="lower")
    return {
        "mean": float(values.mean()),
        "quantiles": {f"{q:g}": int(x) for q, x in zip(QUANTILES, quantiles, strict=True)},
    }


def _sizes(workload: Workload) -> dict[str, Any]:
    procs = workload.procs
    edges = 2 ** np.arange(int(workload.capacity).bit_length() + 1)
    classes = np.searchsorted(edges, procs, side="right") - 1
    counts = np.bincount(classes, minlength=len(edges))
    return {
        **distribution(procs),
        "serial_share": float((procs == 1).mean()),
        "power_of_two_share": float(((procs & (procs - 1)) == 0).mean()),
        "largest_share_of_machine": float(procs.max() / workload.capacity),
        "classes": {
            _range(int(edges[i]), min(int(edges[i + 1]) - 1, workload.capacity)): int(counts[i])
            for i in range(len(edges) - 1)
            if edges[i] <= workload.capacity
        },
    }


def _range(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def _times(values: NDArray[np.int64]) -> dict[str, Any]:
    upper = np.array([end for end in TIME_CLASSES.values() if math.isfinite(end)])
    counts = np.bincount(np.searchsorted(upper, values, side="right"), minlength=len(TIME_CLASSES))
    classes = {name: int(n) for name, n in zip(TIME_CLASSES, counts, strict=True)}
    return {**distribution(values), "classes": classes}


def _queues(workload: Workload, names: dict[int, str]) -> list[dict[str, Any]]:
    numbers, counts = np.unique(workload.queue, return_counts=True)
    return [
        {"queue": int(q), "name": names.get(int(q), ""), "jobs": int(n)} for q, n in zip(numbers, counts, strict=True)
    ]


def _partitions(log: SwfLog) -> list[dict[str, Any]]:
    """Describe the partitions of a whole log, by its header and its lines."""
    names = log.header.partitions
    numbers, counts = np.unique(log.columns["partition"], return_counts=True)
    lines = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
    return [
        {
            "partition": number,
            "name": names.get(number, ""),
            "processors": partition_capacity(log.header, number),
            "lines": lines.get(number, 0),
        }
        for number in sorted({*names, *(number for number in lines if number >= 0)})
    ]


def workload_info(workload: Workload, log: SwfLog | None = None) -> dict[str, Any]:
    """Describe a workload, and the log that it was made from.

    Parameters
    ----------
    workload : Workload
        The jobs as they would be replayed; at least one.
    log : SwfLog, optional
        The log that they come from: adds anomalies, recorded load, skipped lines, partitions and names of queues.

    Returns
    -------
    dict
        Numbers, strings, lists and dicts only, as in JSON; times in seconds. Anomalies and
        recorded load are those of the whole log, everything else refers to the workload.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> pb.workload_info(workload)["jobs"]
    100
    """
    expect("workload", workload, Workload)
    if log is not None:
        expect("log", log, SwfLog)
    submit = workload.submit
    info: dict[str, Any] = {
        "workload": workload.name,
        "capacity": workload.capacity,
        "jobs": len(workload),
        "dropped": dict.fromkeys(REASONS, 0) | dict(workload.dropped),
        "first_submit": int(submit[0]),
        "last_submit": int(submit[-1]),
        "days": float(submit[-1] - submit[0]) / 86400,
        "offered_load": _load(workload),
        "sizes": _sizes(workload),
        "run_times": _times(workload.runtime),
        "walltimes": _times(workload.walltime),
        "mean_estimate_accuracy": float((workload.runtime / workload.walltime).mean()),
        "users": int(np.unique(workload.user[workload.user >= 0]).size),
        "queues": _queues(workload, log.header.queues if log else {}),
        "deadlines": int(np.count_nonzero(workload.deadline < NEVER)),
    }
    if PRESET in workload.header:
        info["preset"] = workload.header[PRESET]
    if workload.resources:
        info["resources"] = {resource.name: _resource(workload, k) for k, resource in enumerate(workload.resources)}
        info["assumed"] = "\n".join(statements(workload).values())
    if workload.windows:
        info["windows"] = len(workload.windows)
    if log is not None:
        info["source"] = log.source
        info["lines"] = len(log) + len(log.skipped)
        info["skipped_lines"] = [vars(bad) for bad in log.skipped]
        info["partitions"] = _partitions(log)
        info["anomalies"] = anomalies(log)
        info["recorded_load"] = recorded_load(log, workload.capacity)
        info["header"] = dict(log.header.fields)
        info["first_submit_date"] = _date(log, int(submit[0]))
        info["last_submit_date"] = _date(log, int(submit[-1]))
    return info


def _resource(workload: Workload, k: int) -> dict[str, Any]:
    """Describe what the jobs take of a resource besides processors, in its unit."""
    resource = workload.resources[k]
    return {
        "capacity": resource.capacity,
        "unit": resource.unit,
        "offered_load": _load(workload, 1 + k),
        **distribution(workload.demands[:, k]),
    }


def _load(workload: Workload, resource: int = 0) -> float | None:
    """Return the offered load of a resource; ``None`` if all jobs are submitted at once."""
    load = offered_load(workload, resource)
    return load if math.isfinite(load) else None


def _date(log: SwfLog, submit: int) -> str | None:
    """Return a submit time as a date and time (UTC), or ``None`` if the log has no calendar."""
    start = log.header.unix_start_time
    if start is None or (start == 0 and submit < EARLIEST):
        return None  # of a generated log, which begins at 0
    try:
        return datetime.fromtimestamp(start + submit, UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return None  # a nonsensical UnixStartTime is no reason to refuse the log
