"""Presets: what the columns of modern public logs mean, by name.

A preset is a function of the log as a data frame, columns as read, which returns one with the columns of a table of
jobs (``submit``, ``processors``, ``walltime``, ``runtime`` …; see :data:`FIELDS`). The first sentence of its docstring
says what is odd in the log; ``attrs["capacity"]`` may hold the machine's size. Columns that it does not name stay as
they are, and can be resources. A user's own is ``FILE.py:NAME``.

Nobody here has seen the logs themselves: columns and units are those of the sources that each preset names.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.tables.table import InputTable
from planbatch.planner.failures import text_of
from planbatch.planner.names import did_you_mean
from planbatch.planner.registry.registry import Registry, first_sentence
from planbatch.planner.registry.source import PluginError, user_location

#: The header field that says which preset read a log, and what is odd in it.
PRESET = "Preset"
Preset = Callable[[pd.DataFrame], pd.DataFrame]


def frontier(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns 5 and 8 hold nodes in some lines and processors in others, so nodes are read from column 21.

    Frontier's log of 2024 and 2025 in the Standard Workload Format, of which column 19 has the GPUs, column 20 a soft
    walltime, and column 21 such as ``frontier:excl:2500x112`` the nodes: 2,500 of 112 hardware threads. The machine
    counts 9,408 nodes; where a line has no such column, its size is not known.

    Sources: Maheshwari, Klusáček, Suter and Brewer, "Workload Traces from the Frontier Exascale Supercomputer", JSSPP
    2026; the columns as ExaDigiT's RAPS reads them (``raps/dataloaders/frontier_swf.py``). Not verified: whether other
    descriptors than ``system:mode:NODESxTHREADS`` occur.
    """
    nodes = _column(frame, "column_21").astype(str).str.extract(r"^[^:]+:[^:]+:(\d+)x\d+$")[0]
    jobs = frame.drop(columns=["used_procs", "requested_procs"])
    jobs["processors"] = pd.to_numeric(nodes)
    jobs.attrs["capacity"] = 9408
    return jobs


def pm100(frame: pd.DataFrame) -> pd.DataFrame:
    """Jobs that shared nodes are not in it, so the machine looks emptier than it was; time limits are in minutes.

    PM100, 231,238 jobs of Marconi100 (CINECA) from May to October 2020, ``job_table.parquet``: 980 nodes, of which
    jobs are counted; times are UTC; ``num_gpus_req`` and ``mem_req`` stay as they are, for ``--resource
    gpus=num_gpus_req:3920``.

    Sources: Antici et al., "PM100: A Job Power Consumption Dataset of a Large-scale Production HPC System", SC'23
    workshops (zenodo.org/records/10127767), ``documentation/job_features.md`` and
    ``extract_data.py``, which leaves out jobs that shared nodes, of francescoantici/PM100-data: run times in seconds,
    time limits in minutes or ``INFINITE``; the zone and units also as NatLabRockies/hpc-oda-commons reads them
    (``pm100.yml``). Not verified: the number of nodes, which is the paper's, and the unit of ``mem_req``, which is
    nowhere said.
    """
    limit = pd.to_numeric(_column(frame, "time_limit"), errors="coerce")  # INFINITE is no limit
    jobs = _rename(frame, id="job_id", submit="submit_time", start="start_time", end="end_time",
                     runtime="run_time", processors="num_nodes_req", allocated="num_nodes_alloc", user="user_id",
                     group="group_id", queue="qos", partition="partition")  # fmt: skip
    jobs["walltime"] = 60 * limit.to_numpy()
    jobs.attrs["capacity"] = 980
    return jobs.drop(columns=["time_limit"])


def fdata(frame: pd.DataFrame) -> pd.DataFrame:
    """A month per file, of 158,976 nodes; run times are not always end less start, and a memory of 2^64 is no limit.

    F-DATA, jobs of Fugaku from March 2021 to April 2024: nodes (``nnumr``, else ``nnuma``), ``elpl`` and ``duration``
    in seconds, ``mszl`` bytes per node. Jobs whose ids are no whole numbers are numbered from 1.

    Sources: Antici et al., "F-DATA: A Fugaku Workload Dataset for Job-centric Predictive Modelling in HPC Systems",
    Scientific Data 2025 (zenodo.org/records/11467483); columns and units as NatLabRockies/hpc-oda-commons
    (``fdata_fugaku.yml``), ErenAri/HPC-workload-optimizer (``ingest/fdata.py``) and ExaDigiT's RAPS read them; nodes by
    RIKEN's user guide of Fugaku. HPC-workload-optimizer checked the units on the file of June 2023; RAPS notes that
    ends precede starts in some lines, and that run times are up to 15 minutes off. Not verified: all of it by us.
    """
    jobs = _rename(frame, id="jid", submit="adt", start="sdt", end="edt", runtime="duration", walltime="elpl",
                     processors="nnumr", allocated="nnuma", user="usr")  # fmt: skip
    if "mszl" in jobs:
        memory = pd.to_numeric(jobs["mszl"], errors="coerce").astype(np.float64)
        jobs["mszl"] = memory.where(memory < 2.0**60)
    jobs.attrs["capacity"] = 158_976
    return jobs


def kestrel(frame: pd.DataFrame) -> pd.DataFrame:
    """Nodes of several kinds, some of them shared, are in one log: take one partition, and give its cores as capacity.

    NLR's Kestrel from August 2023 to December 2025, a zipped folder of Parquet files, of which one is read at a time:
    processors are cores (``processors_req``, else ``processors_used``); times have a zone, and those without one are
    UTC−7, as the data set says.

    Sources: "NLR Kestrel Jobs", data.nlr.gov/submissions/302 and data.openei.org/submissions/8643, and its descriptor
    in NatLabRockies/hpc-oda-commons (``nlr_kestrel.yml``), the laboratory's own. Its manual
    (nrel.github.io/HPC/Documentation/Systems/Kestrel/running) gives standard nodes 104 cores and the partition
    ``short`` 2,016 nodes, hence 209,664; partitions overlap and have changed, so no capacity is preset.
    """
    jobs = _rename(frame, id="id", submit="submit_time", start="start_time", end="end_time",
                     walltime="wallclock_req", processors="processors_req", allocated="processors_used",
                     user="user_hash", group="account_hash", queue="qos", partition="partition")  # fmt: skip
    for name in ("submit", "start", "end"):
        moments = pd.to_datetime(jobs[name], errors="coerce", format="ISO8601")
        jobs[name] = moments if moments.dt.tz else moments.dt.tz_localize("Etc/GMT+7")
    return jobs


#: Presets by name.
PRESETS: dict[str, Preset] = {"frontier": frontier, "pm100": pm100, "f-data": fdata, "kestrel": kestrel}


def _accept(target: Callable[..., pd.DataFrame], _name: str, values: tuple[Any, ...]) -> Preset:
    """Return a preset with its parameters."""
    if not values:
        return target

    def preset(frame: pd.DataFrame) -> pd.DataFrame:
        return target(frame, *values)

    preset.__doc__ = target.__doc__
    return preset


PRESET_NAMES = Registry("preset", PRESETS, ("frame",), _accept, "presets")


def with_preset(table: InputTable, name: str) -> InputTable:
    """Return a table as a preset reads it.

    Raises ``ValueError`` if there is no such preset, or the table does not have its columns; says which.
    """
    if not name:
        return table
    preset: Preset = PRESET_NAMES.make(name)
    try:
        jobs = preset(table.frame.copy())
    except _MissingError as error:
        raise ValueError(f"{table.source}: {error}; the preset {name} needs it") from None
    except Exception as error:
        if (place := user_location(error)) is None:
            raise
        raise PluginError(f"{place[0]}, line {place[1]}: {type(error).__name__}: {text_of(error)}") from error
    if not isinstance(jobs, pd.DataFrame) or len(jobs) != len(table.frame):
        raise ValueError(f"preset {name}: it has to return a data frame with a row per job")
    odd = first_sentence(PRESET_NAMES.documented(preset))
    header = table.header.with_field(PRESET, f"{name}: {odd}")
    if "capacity" in jobs.attrs:
        header = header.with_field("MaxProcs", int(jobs.attrs["capacity"]))
    return replace(table, frame=jobs, header=header)


def table_of_swf(log: SwfLog) -> InputTable:
    """Return a log in the Standard Workload Format as a table, with the columns behind the 18th."""
    frame = pd.DataFrame({**log.columns, **log.further})
    return InputTable(log.name, log.source, log.header, frame, np.arange(1, len(log) + 1), log.skipped)


class _MissingError(KeyError):
    """A column is missing."""

    def __str__(self) -> str:
        return str(self.args[0])


def _column(frame: pd.DataFrame, name: str) -> "pd.Series[Any]":
    if name not in frame:
        suggestion = did_you_mean(name, map(str, frame.columns))
        raise _MissingError(f"there is no column {name!r} ({suggestion.rstrip('?')})")
    return frame[name]


def _rename(frame: pd.DataFrame, **columns: str) -> pd.DataFrame:
    """Return a frame with columns renamed; those that are all needed are named if they are missing."""
    for column in columns.values():
        _column(frame, column)
    return frame.rename(columns={column: field for field, column in columns.items()})
