"""Conversion to a workload. pandas is loaded only if a log has to be read."""

from pathlib import Path
from typing import Any

from planbatch.planner.arguments import shown
from planbatch.planner.model import Workload


def as_workload(given: Any) -> Workload:
    """Return a workload as it is, or make one of a log's path or name, or of a data frame that knows its capacity.

    Raises ``ValueError`` if it is none of these.
    """
    if isinstance(given, Workload):
        return given
    if isinstance(given, str | Path):
        from planbatch.experiments.workloads.keywords import load_workload

        return load_workload(given)
    if type(given).__name__ == "DataFrame" and hasattr(given, "attrs"):
        if "capacity" in given.attrs:
            return Workload.from_frame(given)
        raise ValueError(
            "workload: a data frame does not say how large the machine is; give Workload.from_frame(frame, capacity=N)"
        )
    raise ValueError(f"workload: {shown(given)} is neither a Workload nor a log nor a data frame")
