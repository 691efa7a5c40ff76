"""Slurm's accounting: what ``sacct --parsable2`` prints, as a table of jobs.

Field names and formats are those of the manual page of sacct; TRES are Slurm's trackable resources, such as
``cpu=4,mem=16G,gres/gpu=2,license/matlab=1``.
"""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from planbatch.experiments.workloads.journal_lines import CANCELLED_STATES, RUNNING_STATES, WAITING_STATES
from planbatch.experiments.workloads.tables.log import NOT_STARTED
from planbatch.experiments.workloads.tables.table import InputTable
from planbatch.experiments.workloads.tables.values import durations, numbers, texts
from planbatch.planner.model import BoolArray

STILL_RUNNING = "still running"
#: What prints a file that has every field that is read.
COMMAND = (
    "TZ=UTC sacct --allusers --allocations --parsable2 --starttime 2024-01-01 --endtime 2024-07-01 --format "
    "JobIDRaw,JobID,User,Account,Partition,QOS,State,Submit,Start,End,TimelimitRaw,ElapsedRaw,ReqCPUS,AllocCPUS,"
    "NNodes,ReqMem,ReqTRES,AllocTRES"
)
#: Groups of fields, of each of which one has to be there.
REQUIRED_FIELDS = (
    ("JobIDRaw", "JobID"),
    ("State",),
    ("Submit",),
    ("ElapsedRaw", "Elapsed", "End"),
    ("ReqCPUS", "NCPUS", "AllocCPUS", "ReqTRES", "AllocTRES"),
)

_UNITS = {"": 1024.0, "K": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3, "P": 1024.0**4}
_MEMORY = re.compile(r"^(\d+(?:\.\d*)?)([KMGTP]?)([cn]?)$", re.IGNORECASE)


def is_sacct(first_line: str) -> bool:
    """Whether a text begins like the output of sacct: with the names of its fields."""
    names = set(re.split(r"[|,;\t]", first_line.strip()))
    return bool(names & {"JobID", "JobIDRaw"}) and ("|" in first_line or "State" in names)


def jobs_of_sacct(table: InputTable) -> tuple[InputTable, dict[str, BoolArray]]:
    """Return the jobs that sacct lists, and which of them never started or have not ended.

    Steps (``12.batch``, ``12.0``) are left out. There are further columns: ``walltime`` and, for every TRES, its
    amount by its name, memory in KB.

    Raises ``ValueError`` if a field is missing; says which, and the command that prints it.
    """
    fields = table.frame.columns
    for group in REQUIRED_FIELDS:
        if not set(group) & set(fields):
            raise ValueError(
                f"{table.source}: there is no field {' or '.join(group)}; the fields are {', '.join(fields)}; "
                f"make the file with: {COMMAND}"
            )
    steps = table.frame["JobID" if "JobID" in fields else "JobIDRaw"].astype(str).str.contains(".", regex=False)
    jobs = table.only(~steps.to_numpy(dtype=bool))
    frame = jobs.frame.copy()
    if "TimelimitRaw" in fields or "Timelimit" in fields:
        frame["walltime"] = _walltimes(frame)
    for name, amounts in _tres(frame).items():
        frame[name] = amounts
    if not {"ReqCPUS", "NCPUS"} & set(fields) and "cpu" in frame:
        frame["processors"] = frame["cpu"]
    if "mem" in frame:
        processors = frame.get("ReqCPUS", frame.get("NCPUS", frame.get("processors")))
        if processors is not None:  # as in the Standard Workload Format: KB for each processor
            frame["requested_memory"] = frame["mem"] / np.maximum(numbers(processors).values, 1)
    return replace(jobs, frame=frame), _unusable(frame)


def _walltimes(frame: pd.DataFrame) -> "pd.Series[float]":
    """Time limits in seconds; NaN for UNLIMITED and Partition_Limit."""
    raw = "TimelimitRaw" in frame
    limit_texts = texts(frame["TimelimitRaw" if raw else "Timelimit"])
    none = limit_texts.str.lower().isin(("unlimited", "partition_limit"))
    limits = durations(limit_texts.mask(none, ""))
    column = pd.Series(limits.values * (60 if raw else 1), index=frame.index, dtype=object)
    column[limits.wrong] = limit_texts[limits.wrong]  # to be reported with its line
    return column


def _unusable(frame: pd.DataFrame) -> dict[str, BoolArray]:
    """Mark the jobs that never started, and those that have not ended; of a state, the first word counts."""
    state = frame["State"].astype(str).str.split().str[0].fillna("").str.rstrip("+")
    waiting = state.isin(WAITING_STATES).to_numpy(dtype=bool)
    if "Start" in frame:
        waiting = waiting | (texts(frame["Start"]) == "").to_numpy(dtype=bool)
    elapsed = next((frame[name] for name in ("ElapsedRaw", "Elapsed") if name in frame), None)
    if elapsed is not None:
        # Some versions record a job that was cancelled before its start as a start without a run.
        cancelled = state.isin(CANCELLED_STATES).to_numpy(dtype=bool)
        waiting = waiting | (cancelled & ~(durations(elapsed).values > 0))
    running = state.isin(RUNNING_STATES).to_numpy(dtype=bool) & ~waiting
    return {NOT_STARTED: waiting, STILL_RUNNING: running}


def _tres(frame: pd.DataFrame) -> dict[str, "pd.Series[float]"]:
    """Amounts of every TRES: requested ones, of jobs that list none the allocated ones."""
    listed = [texts(frame[name]) for name in ("ReqTRES", "AllocTRES") if name in frame]
    result = {}
    if listed:
        requests = listed[0].mask(listed[0] == "", listed[-1])
        lists = {text: _amounts(text) for text in requests.unique()}
        names = dict.fromkeys(name for amounts in lists.values() for name in amounts)
        result = {
            name: requests.map({text: amounts.get(name, np.nan) for text, amounts in lists.items()})
            for name in names
            if name not in frame
        }
    if "ReqMem" in frame:
        requested = _requested_memory(frame)
        result["mem"] = result["mem"].fillna(requested) if "mem" in result else requested
    return {name: column.astype(np.float64) for name, column in result.items()}


def _amounts(text: str) -> dict[str, float]:
    """Read a list of TRES, such as ``cpu=4,mem=16G``; memory in KB."""
    result = {}
    for pair in filter(None, text.split(",")):
        name, _, amount = pair.rpartition("=")
        result[name] = _memory(amount) if name == "mem" else _number(amount)
    return result


def _requested_memory(frame: pd.DataFrame) -> "pd.Series[float]":
    """The field ReqMem in KB for the whole job: older versions mark amounts per CPU (c) and per node (n)."""
    memory_texts = texts(frame["ReqMem"])
    sizes = {text: _memory(text) for text in memory_texts.unique()}
    amounts = memory_texts.map(sizes).to_numpy(dtype=np.float64)
    for mark, names in (("c", ("ReqCPUS", "NCPUS")), ("n", ("NNodes",))):
        count = next((numbers(frame[name]).values for name in names if name in frame), None)
        marked = memory_texts.str.lower().str.endswith(mark).to_numpy(dtype=bool)
        amounts = np.where(marked, amounts * (np.nan if count is None else count), amounts)
    return pd.Series(amounts, index=frame.index)


def _memory(text: str) -> float:
    """An amount of memory in KB; MB without a suffix, NaN if it cannot be read."""
    match = _MEMORY.match(text)
    return float(match[1]) * _UNITS[match[2].upper()] if match else np.nan


def _number(text: str) -> float:
    """A number, NaN if it cannot be read."""
    try:
        return float(text)
    except ValueError:
        return np.nan
