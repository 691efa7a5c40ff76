"""Workloads and plans as data frames, and back; users call ``Workload.from_frame`` and ``to_frame``."""

import warnings
from collections import Counter
from dataclasses import replace
from typing import Any

import pandas as pd

from planbatch.experiments.workloads.describe import dropped_text
from planbatch.experiments.workloads.keywords import in_python, options_of
from planbatch.experiments.workloads.load import workload_of_log
from planbatch.experiments.workloads.presets import with_preset
from planbatch.experiments.workloads.resources import ResourceRule
from planbatch.experiments.workloads.selection import statement_key
from planbatch.experiments.workloads.tables.log import log_of_table
from planbatch.experiments.workloads.tables.table import table_of_frame
from planbatch.planner.arguments import short_repr
from planbatch.planner.model import NEVER, Workload
from planbatch.planner.plan import Plan
from planbatch.planner.resources import Resource, Window

_COLUMNS = ("id", "submit", "procs", "walltime", "runtime", "wait", "deadline", "user", "queue")
#: Columns that may have no value, and the number for it in a workload.
_NONE = {"wait": -1, "deadline": NEVER}


def frame_of_workload(workload: Workload) -> pd.DataFrame:
    """Return the jobs of a workload as a data frame, one row per job.

    The columns are those of :class:`Workload`, and one for each resource; ``wait`` and ``deadline`` are NA if there is
    none. ``attrs`` has the rest: name, capacity, resources, windows, header and dropped jobs. ``ValueError`` if a
    resource is called like a column.
    """
    frame = pd.DataFrame({name: getattr(workload, name) for name in _COLUMNS})
    for name, none in _NONE.items():
        frame[name] = frame[name].astype("Int64").mask(frame[name] == none)
    for k, resource in enumerate(workload.resources):
        if resource.name in frame:
            raise ValueError(f"resource {resource.name}: the data frame has another column of this name")
        frame[resource.name] = workload.demands[:, k]
    frame.attrs = {
        "name": workload.name,
        "capacity": workload.capacity,
        "resources": {r.name: {"capacity": r.capacity, "unit": r.unit} for r in workload.resources},
        "windows": [
            {"start": w.start, "end": w.end, "amounts": dict(w.amounts), "known": w.known} for w in workload.windows
        ],
        "header": dict(workload.header),
        "dropped": dict(workload.dropped),
    }
    return frame


def frame_of_plan(plan: Plan) -> pd.DataFrame:
    """Return the jobs of a plan as a data frame; see :meth:`Plan.to_frame`."""
    start = pd.Series(plan.start, dtype="Int64").mask(plan.start == NEVER)
    frame = pd.DataFrame({"start": start})
    if plan.problem is None:
        return frame
    jobs = plan.problem.jobs
    frame["submit"], frame["wait"] = jobs.submit, start - jobs.submit
    frame["end"] = start + jobs.walltime
    frame["procs"], frame["walltime"] = jobs.procs, jobs.walltime
    if plan.epoch is not None:
        frame["clock"] = pd.to_datetime(start + plan.epoch, unit="s", utc=True)
    return frame.set_index(pd.Index(plan.problem.ids, name="job"))


def workload_of_frame(
    frame: pd.DataFrame, capacity: int | None = None, *, name: str | None = None, **options: Any
) -> Workload:
    """Make a workload of a data frame with one row per job.

    Rows that no replay can use are left out and counted, as those of a log, with a warning.

    Parameters
    ----------
    frame : DataFrame
        The jobs. Columns are found by their names (``submit``, ``processors``, ``runtime``, ``walltime``, ``user`` …);
        times are numbers of seconds, timestamps or timedeltas. What :meth:`Workload.to_frame` put into ``attrs``
        counts.
    capacity : int, optional
        Processors of the machine; by default, ``attrs["capacity"]``.
    name : str, optional
        Name of the workload; by default, ``attrs["name"]``.
    **options
        As for :func:`load_workload`, such as ``columns={"submit": "time"}`` or
        ``resources={"gpus": {"column": "ngpus", "capacity": 64}}``.

    Raises
    ------
    ValueError
        If a needed column is missing, a value cannot be read, or the capacity is not known.
    """
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"frame: {short_repr(frame)} is not a data frame; load_workload reads files")
    attributes = frame.attrs
    resources = {key: Resource(key, **entry) for key, entry in attributes.get("resources", {}).items()}
    rules = [ResourceRule(key, (key,), str(resource.capacity)) for key, resource in resources.items()]
    options_of(options)  # a misspelt keyword is named first
    capacity = attributes.get("capacity") if capacity is None else capacity
    if capacity is None:
        raise ValueError("capacity: a data frame does not say how large the machine is; give capacity=N")
    settings = options_of({"capacity": capacity, **options})
    name = name or str(attributes.get("name", "frame"))
    with in_python():
        log = log_of_table(
            with_preset(table_of_frame(frame, name, f"data frame {name}"), settings.preset),
            settings.columns,
            settings.timezone,
            skip_bad_lines=settings.skip_bad_lines,
        )
        workload = workload_of_log(log, replace(settings, resource=(*rules, *settings.resource)))
    if lost := dropped_text(workload):
        warnings.warn(f"data frame {name}: left out: {lost}", stacklevel=3)
    header = {key: text for key, text in workload.header.items() if key not in map(statement_key, resources)}
    return workload.take(
        slice(None),
        resources=tuple(resources.get(resource.name, resource) for resource in workload.resources),
        windows=(*(Window(**window) for window in attributes.get("windows", ())), *workload.windows),
        header={**header, **attributes.get("header", {})},
        dropped=dict(Counter(attributes.get("dropped", {})) + Counter(workload.dropped)),
    )
