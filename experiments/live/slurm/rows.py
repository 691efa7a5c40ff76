"""Rows of a snapshot as plain values for the journal, and back: fields that have their defaults are left out."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from planbatch.experiments.live.slurm.reservations import LiveReservation
from planbatch.experiments.live.slurm.snapshot import (
    JobArray,
    JobKey,
    LiveJob,
    LiveNode,
    LivePartition,
)

Row = dict[str, Any]
Thing = LiveJob | LiveNode | LivePartition | LiveReservation | JobArray


def _defaults(kind: type[Thing]) -> dict[str, Any]:
    """The fields of a class with their defaults."""
    return {
        field.name: field.default_factory()
        if field.default_factory is not MISSING
        else field.default
        for field in fields(kind)
    }


_DEFAULTS = {
    kind: _defaults(kind) for kind in (LiveJob, LiveNode, LivePartition, LiveReservation, JobArray)
}


def row_of(thing: Thing) -> Row:
    """Return what is not by default, as JSON has it."""
    row: Row = {}
    for name, default in _DEFAULTS[type(thing)].items():
        value = getattr(thing, name)
        if value == default:
            continue
        if isinstance(value, frozenset):
            value = sorted(value)
        elif isinstance(value, JobArray):
            value = row_of(value)
        elif isinstance(value, tuple):
            value = list(value)
        row[name] = value
    return row


def _plain(kind: type[Thing], row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are known here, lists as tuples; a newer version may have written others."""
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in row.items()
        if name in _DEFAULTS[kind]
    }


def job_of(row: Mapping[str, Any]) -> LiveJob:
    """Return the job of a row."""
    values = _plain(LiveJob, row)
    values["key"] = JobKey(*row["key"])
    if "flags" in row:
        values["flags"] = frozenset(row["flags"])
    if "array" in row:
        values["array"] = JobArray(**_plain(JobArray, row["array"]))
    return LiveJob(**values)


def node_of(row: Mapping[str, Any]) -> LiveNode:
    """Return the node of a row."""
    return LiveNode(**{**_plain(LiveNode, row), "flags": frozenset(row.get("flags", ()))})


def partition_of(row: Mapping[str, Any]) -> LivePartition:
    """Return the partition of a row."""
    return LivePartition(**_plain(LivePartition, row))


def reservation_of(row: Mapping[str, Any]) -> LiveReservation:
    """Return the reservation of a row."""
    return LiveReservation(**_plain(LiveReservation, row))
