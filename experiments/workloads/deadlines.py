"""Deadlines for workloads that have none.

A deadline is the latest end of a job, in the seconds of the log. The rules are those of three
papers (N'takpé and Suter 2016 and 2017, Le Hai et al. 2020), or deadlines are read from a file.
"""

import csv
import math
import re
from pathlib import Path

import numpy as np

from planbatch.baselines.working_time import Calendar, in_working_time, next_opening
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.planner.arguments import expect, short_repr
from planbatch.planner.durations import seconds_of
from planbatch.planner.model import MAX_VALUE, NEVER, IntArray, Workload
from planbatch.planner.names import did_you_mean

HOUR = 3600
FORMS = "random:40[:24h[:10]], third[:24h[:2]], working[:9-18[:mon-fri…]], csv:FILE[:COLUMN], column:NAME or none"


def with_deadlines(workload: Workload, spec: str, seed: int = 0, log: SwfLog | None = None) -> Workload:
    """Give jobs deadlines by a rule.

    Parameters
    ----------
    workload : Workload
        The workload; deadlines that it has are replaced.
    spec : str
        ``random:SHARE[:LEAST[:FACTOR]]``: a share of the jobs (%), chosen at random; each deadline is at least LEAST
        (24h) and FACTOR (10) times the walltime after the submission. ``third[:LEAST[:FACTOR]]``: every third job, 24h
        and 2 by default. ``working[:CALENDAR]``: see :func:`working_deadlines`. ``csv:FILE[:COLUMN]``: see
        :func:`read_deadlines`. ``column:NAME``: see :func:`logged_deadlines`. ``none``.
    seed : int
        Seed of ``random``.
    log : SwfLog, optional
        The log that the workload was made from, for ``column``.

    Raises
    ------
    ValueError
        If the text cannot be read, a value is out of its range, or a deadline is before submission + walltime.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.with_deadlines(pb.synthetic_workload(jobs=99, capacity=16), "third")
    >>> int((workload.deadline < pb.NEVER).sum())
    33
    """
    expect("workload", workload, Workload)
    if not isinstance(spec, str):
        raise ValueError(f"deadlines: {short_repr(spec)} is not a rule, such as random:40 or third")
    rule, _, rest = spec.strip().partition(":")
    parts = rest.split(":") if rest else []
    if rule == "none" and not parts:
        deadline = np.full(len(workload), NEVER)
    elif rule == "random" and 1 <= len(parts) <= 3:
        chosen = random_jobs(len(workload), _number("share", parts[0]), seed)
        deadline = slack_deadlines(workload, chosen, *_slack(parts[1:], 10))
    elif rule == "third" and len(parts) <= 2:
        deadline = slack_deadlines(workload, every_third(len(workload)), *_slack(parts, 2))
    elif rule == "working":
        deadline = working_deadlines(workload, Calendar.parse(rest))
    elif rule == "csv" and rest:
        deadline = read_deadlines(workload, *_file_and_column(rest))
    elif rule == "column" and rest:
        if log is None:
            raise ValueError(f"deadlines: {workload.name} comes from no log, so has no columns")
        deadline = logged_deadlines(workload, log, rest)
    else:
        raise ValueError(f"deadlines: cannot read {spec!r}; give {FORMS}")
    return workload.take(slice(None), deadline=deadline)


def random_jobs(n: int, share: float, seed: int) -> IntArray:
    """Choose ``share`` per cent of ``n`` jobs, rounded down, each with the same probability."""
    if not 0 <= share <= 100:
        raise ValueError(f"deadlines: a share of {share:g} % is outside 0 … 100 %")
    count = math.floor(n * share / 100 + 1e-9)
    return np.sort(np.random.default_rng(seed).choice(n, count, replace=False))


def every_third(n: int, first: int = 2) -> IntArray:
    """Choose every third of ``n`` jobs, from index ``first`` on; their indices."""
    return np.arange(first, n, 3)


def slack_deadlines(workload: Workload, chosen: IntArray, least: int, factor: float) -> IntArray:
    """Give some jobs, by their indices, the deadline submission + max(``least`` s, ``factor`` × walltime); shape (n,).

    The factor is at least 1, so that every deadline could be met on an idle machine.
    """
    if not factor >= 1:
        raise ValueError(
            f"deadlines: a factor of {factor:g} puts deadlines before submission + walltime; give at least 1"
        )
    deadline = np.full(len(workload), NEVER, dtype=np.int64)
    slack = np.maximum(least, np.floor(factor * workload.walltime[chosen]).astype(np.int64))
    deadline[chosen] = np.minimum(workload.submit[chosen] + slack, MAX_VALUE)
    return deadline


def working_deadlines(workload: Workload, calendar: Calendar) -> IntArray:
    """Give a deadline to the jobs that would end outside working time if they started at once.

    It is the beginning of the next working period after submission + walltime; jobs that would end
    within working time get none.
    """
    periods = calendar.periods(workload)
    end = workload.submit + workload.walltime
    return np.where(in_working_time(end, periods), NEVER, next_opening(end, periods))


def read_deadlines(workload: Workload, path: Path, column: str = "deadline") -> IntArray:
    """Read deadlines from a CSV file with a column ``id`` and one of deadlines (s; empty for none).

    Raises ``ValueError`` if a column is missing, a job is not in the workload or listed twice, two jobs have the same
    number, or a deadline is not a whole number or lies before submission + walltime.
    """
    index = {int(job): i for i, job in enumerate(workload.id)}
    if len(index) < len(workload):
        raise ValueError(f"deadlines: two jobs of {workload.name} have the same number")
    deadline = np.full(len(workload), NEVER, dtype=np.int64)
    ids = set()
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file)
        missing = {"id", column} - set(rows.fieldnames or ())
        if missing:
            raise ValueError(f"deadlines: {path} has no column {', '.join(sorted(missing))}")
        for row in rows:
            where = f"deadlines: {path}, line {rows.line_num}"
            job = _whole(where, row["id"])
            if job not in index:
                raise ValueError(f"{where}: there is no job {job} in {workload.name}")
            if job in ids:
                raise ValueError(f"{where}: job {job} comes twice")
            ids.add(job)
            if (row[column] or "").strip():
                i = index[job]
                deadline[i] = _whole(where, row[column])
                _check_possible(where, workload, i, int(deadline[i]))
    return deadline


def logged_deadlines(workload: Workload, log: SwfLog, column: str) -> IntArray:
    """Take deadlines from a column of the log itself: seconds, like submit times; below 0 for none.

    Raises ``ValueError`` if there is no such column, two jobs of the log have the same number, or a deadline is not a
    whole number or lies before submission + walltime.
    """
    if column not in log.columns:
        raise ValueError(f"deadlines: a log has no column {column!r}; {did_you_mean(column, log.columns)}")
    ids = log.columns["job"]
    if len(np.unique(ids)) < len(ids):
        raise ValueError(f"deadlines: two jobs of {log.source} have the same number")
    ascending = np.argsort(ids)
    logged = log.columns[column][ascending[np.searchsorted(ids, workload.id, sorter=ascending)]]
    deadline = np.full(len(workload), NEVER, dtype=np.int64)
    for i in np.flatnonzero(logged >= 0):
        where = f"deadlines: {log.source}, job {workload.id[i]}"
        if logged[i] != math.floor(logged[i]):
            raise ValueError(f"{where}: {logged[i]} is not a whole number")
        deadline[i] = int(logged[i])
        _check_possible(where, workload, int(i), int(deadline[i]))
    return deadline


def _file_and_column(text: str) -> tuple[Path, str]:
    """Split ``FILE[:COLUMN]``; the name of a file may itself have a colon."""
    name, colon, column = text.rpartition(":")
    if colon and column and "/" not in column and not Path(text).exists():
        return Path(name), column
    return Path(text), "deadline"


def _check_possible(where: str, workload: Workload, i: int, deadline: int) -> None:
    earliest = int(workload.submit[i] + workload.walltime[i])
    if deadline < earliest:
        raise ValueError(
            f"{where}: job {workload.id[i]} has the deadline {deadline}, before submission + walltime ({earliest})"
        )


def _whole(where: str, text: str | None) -> int:
    if not re.fullmatch(r"\s*-?\d{1,15}\s*", text or ""):
        raise ValueError(f"{where}: {short_repr(text)} is not a whole number")
    return int(text)  # type: ignore[arg-type]


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ValueError(f"deadlines: {name} {text!r} is not a number") from error


def _slack(parts: list[str], factor: float) -> tuple[int, float]:
    """Read the least delay (s) and the factor on the walltime."""
    try:
        least = seconds_of(parts[0], plain=True) if parts else 24 * HOUR
    except ValueError as error:
        raise ValueError(f"deadlines: {error}") from None
    return least, _number("factor", parts[1]) if len(parts) > 1 else factor
