"""The jobs of a case as text in a page: columns of 32-bit integers, shuffled, deflated, in base64.

The policies of a case share the jobs, so that each cell adds only its waits and its processors. The bytes of a column
are written plane by plane (all lowest bytes, then the next …), which compresses far better; ``gantt_data.js`` joins
them again.
"""

import base64
import zlib
from typing import Any

import numpy as np

from planbatch.experiments.report.cases import Runs
from planbatch.experiments.runs.processor_assignment import assign
from planbatch.planner.model import IntArray

#: Largest number of a column.
LIMIT = 2**31 - 1
LEVEL = 6


def encode(column: IntArray) -> str:
    """Write a column of integers from −2³¹ to 2³¹ − 1 as text; ``ValueError`` for one out of that range."""
    if len(column) and (column.max() > LIMIT or column.min() < -LIMIT - 1):
        raise ValueError("a number is too large for the page's Gantt chart")
    planes = column.astype("<i4").view(np.uint8).reshape(-1, 4).T
    return base64.b64encode(zlib.compress(planes.tobytes(), LEVEL)).decode("ascii")


def decode(text: str) -> IntArray:
    """Read what :func:`encode` wrote."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8).reshape(4, -1)
    return np.ascontiguousarray(planes.T).view("<i4").ravel().astype(np.int64)


def gantt_data(runs: Runs, labels: list[str] | None = None) -> dict[str, Any] | None:
    """Collect the jobs of a case for the page; by default, of all policies. None if there is nothing to draw.

    ``columns`` has the jobs that all policies share: submissions and numbers as differences, from the first on.
    ``cells`` has what each policy adds: waits, the lowest processor of each job, and further pieces of jobs that have
    several (job as differences, lowest processor, number of processors). Cells whose jobs are not those of the first
    are left out. ``ValueError`` if a number is too large for a column, or more processors are in use than there are.
    """
    policies = [label for label in runs.labels if labels is None or label in labels]
    if not policies:
        return None
    jobs = runs.first(policies[0])
    order = np.argsort(jobs.submit, kind="stable")
    origin = int(jobs.submit.min())
    columns = {
        "id": np.diff(jobs.id[order], prepend=0),
        "user": jobs.user[order],
        "submit": np.diff(jobs.submit[order] - origin, prepend=0),
        "procs": jobs.procs[order],
        "walltime": jobs.walltime[order],
        "runtime": jobs.runtime[order],
    }
    cells = []
    for label in policies:
        policy_jobs = runs.first(label)
        if (
            len(policy_jobs) == len(jobs)
            and (policy_jobs.id == jobs.id).all()
            and (policy_jobs.submit == jobs.submit).all()
        ):
            start, end = policy_jobs.start[order], policy_jobs.end[order]
            pieces = assign(start, end, columns["procs"], runs.case.capacity)
            more = [(job, low, count) for job, mine in enumerate(pieces) for low, count in mine[1:]]
            job, low, count = np.array(more, dtype=np.int64).reshape(-1, 3).T
            cells.append(
                {
                    "label": label,
                    "wait": encode((policy_jobs.start - policy_jobs.submit)[order]),
                    "low": encode(np.array([mine[0][0] for mine in pieces])),
                    "more": [encode(column) for column in (np.diff(job, prepend=0), low, count)],
                }
            )
    return {
        "name": runs.case.name,
        "title": runs.case.title,
        "capacity": runs.case.capacity,
        "origin": origin,
        "unix": runs.case.unix_start,
        "columns": {name: encode(column) for name, column in columns.items()},
        "cells": cells,
    }
