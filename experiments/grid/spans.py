"""Splitting a log into independent spans, so that one replay uses many cores; and putting the spans together.

Each span is replayed with some of the log before it (warm-up: the machine is not empty at its beginning) and behind it
(cool-down: its last jobs have competitors), which do not count. The cuts lie where few jobs wait under EASY, since
there little is handed over from one span to the next. The error that remains is measured by replaying the whole, too.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from planbatch.experiments.grid.cells import Cell
from planbatch.experiments.grid.spec import Spans
from planbatch.experiments.replay.parquet import read_jobs, read_rounds
from planbatch.experiments.replay.replay import RoundLog, Trace, replay
from planbatch.experiments.replay.task import Outcome, Task, outcome_of
from planbatch.experiments.results.store import JOBS, ROUNDS, Store
from planbatch.planner.model import IntArray, Workload

#: A cut may lie so far from where it would make spans of equal size, as a share of a span.
LEEWAY = 0.2


@dataclass(frozen=True)
class Span:
    """A part of a log.

    Attributes
    ----------
    index, count : int
        Which of how many.
    replayed : tuple of int
        Places of the jobs that are replayed, from and to before.
    own : tuple of int
        Places of those that count.
    """

    index: int
    count: int
    replayed: tuple[int, int]
    own: tuple[int, int]

    def as_dict(self) -> dict[str, Any]:
        """Give the fields by name."""
        return asdict(self)


def split(workload: Workload, spans: Spans) -> list[Span]:
    """Split a workload.

    Parameters
    ----------
    workload : Workload
        At least as many jobs as spans.
    spans : Spans
        Into how many, and how they overlap.

    Returns
    -------
    list of Span
        Each job counts in exactly one.

    Raises
    ------
    ValueError
        Where there are fewer jobs than spans.
    """
    n = len(workload)
    if n < spans.count:
        raise ValueError(f"spans: {workload.name} has {n} jobs, fewer than {spans.count} spans")
    submit = workload.submit
    edges = [0, *_cuts(_queue_lengths(workload), submit, spans.count), n]
    found = []
    for index, (first, last) in enumerate(pairwise(edges)):
        begin = int(np.searchsorted(submit, submit[first] - spans.warm_up))
        end = n
        if last < n:
            end = max(int(np.searchsorted(submit, submit[last] + spans.cool_down)), last)
        found.append(Span(index, len(edges) - 1, (begin, end), (first, last)))
    return found


def _queue_lengths(workload: Workload) -> IntArray:
    """How many jobs wait under EASY right before each job is submitted; shape (n,)."""
    return _lengths_of(_ByIdentity(workload))


class _ByIdentity:
    """A workload as a key of a cache; a workload itself has no hash."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload

    def __hash__(self) -> int:
        return id(self.workload)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity) and other.workload is self.workload


@lru_cache(maxsize=8)
def _lengths_of(key: _ByIdentity) -> IntArray:
    from planbatch.baselines.catalogue import make_policy

    workload = key.workload
    starts = np.sort(replay(workload, make_policy("easy")).start)
    submitted = np.searchsorted(workload.submit, workload.submit)
    return np.asarray(submitted - np.searchsorted(starts, workload.submit), dtype=np.int64)


def _cuts(waiting: IntArray, submit: IntArray, count: int) -> list[int]:
    """Choose the first job of every span but the first: near equal sizes, where few jobs wait."""
    n = len(waiting)
    leeway = int(LEEWAY * n / count)
    cuts = []
    last = 0
    for index in range(1, count):
        ideal = round(index * n / count)
        low, high = max(ideal - leeway, last + 1), min(ideal + leeway, n - (count - index))
        places = np.arange(low, max(high, low) + 1)
        # Of jobs that are submitted together, none starts a span but the first.
        apart = places[submit[places] != submit[places - 1]]
        places = apart if len(apart) else places
        near = np.lexsort((np.abs(places - ideal), waiting[places]))
        last = int(places[near[0]])
        cuts.append(last)
    return cuts


def part_task(cell: Cell, span: Span, whole: Task, jobs: Workload) -> Task:
    """Give the task of one span, from the task of the whole and the jobs that are replayed."""
    begin, _ = span.replayed
    own = (span.own[0] - begin, span.own[1] - begin)
    return replace(whole, workload=jobs, seed=cell.replay_seed(span.as_dict()), own=own)


def put_together(cell: Cell, parts: Sequence[str], store: Store) -> Outcome:
    """Put the spans of a cell together, as if it had been replayed as a whole.

    Parameters
    ----------
    cell : Cell
        The cell.
    parts : sequence of str
        Keys of its spans, which are stored, in the order of time.
    store : Store
        Where they are.
    """
    described = [store.load(key, part=True) for key in parts]
    folders = [store.place(key, part=True) for key in parts]
    jobs = [read_jobs(folder / JOBS) for folder in folders]
    rounds = [read_rounds(Path(folder) / ROUNDS) for folder in folders]

    def column(name: str) -> IntArray:
        return np.concatenate([table[name] for table in jobs])

    log = RoundLog(
        **{
            name: np.concatenate([getattr(table, name) for table in rounds])
            for name in vars(rounds[0])
        }
    )
    summaries = [part["summary"] for part in described if part is not None]
    trace = Trace(
        cell.workload.jobs,
        summaries[0]["policy"],
        column("start"),
        column("end"),
        log,
        sum(summary["seconds"] for summary in summaries),
        column("promise"),
        column("first_planned"),
    )
    machines = [part["machine"] for part in described if part is not None]
    outcome = outcome_of(trace, seconds=sum(m["task_seconds"] for m in machines))
    outcome.machine["spans"] = [
        {"key": key, "seconds": summary["seconds"], "host": machine["host"]}
        for key, summary, machine in zip(parts, summaries, machines, strict=True)
    ]
    return outcome
