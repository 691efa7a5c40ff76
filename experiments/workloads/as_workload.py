"""Conversion to a workload. pandas is loaded only if a log has to be read."""

from pathlib import Path

from planbatch.planner.arguments import short_repr
from planbatch.planner.model import Workload


def as_workload(source: object) -> Workload:
    """Return a workload as it is, or make one of a log's path or name, or of a data frame that knows its capacity.

    Raises ``ValueError`` if it is none of these.
    """
    if isinstance(source, Workload):
        return source
    if isinstance(source, str | Path):
        from planbatch.experiments.workloads.keywords import load_workload

        return load_workload(source)
    if type(source).__name__ == "DataFrame" and hasattr(source, "attrs"):
        if "capacity" in source.attrs:
            return Workload.from_frame(source)
        raise ValueError(
            "workload: a data frame does not say how large the machine is; give Workload.from_frame(frame, capacity=N)"
        )
    raise ValueError(f"workload: {short_repr(source)} is neither a Workload nor a log nor a data frame")
