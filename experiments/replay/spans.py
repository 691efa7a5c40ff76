"""Splitting a log into spans that are replayed independently, so that one replay uses many cores.

Each span is replayed with some of the log before it (warm-up: the machine is not empty at its beginning) and behind it
(cool-down: its last jobs have competitors), which do not count. The cuts are made where few jobs wait under EASY, since
little is handed over there from one span to the next. To measure the remaining error, the whole is replayed, too.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from planbatch import _core
from planbatch.baselines.policy import CorePolicy
from planbatch.experiments.replay.identity import ByIdentity
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.replay.task import ReplayTask
from planbatch.planner.model import NEVER, IntArray, Workload
from planbatch.planner.settings import Setting

#: How far a cut may lie from where it would make spans of equal size, as a share of a span.
LEEWAY = 0.2
#: What queues are measured under.
EASY = CorePolicy("easy", _core.Easy(_core.SubmitOrder()))


@dataclass(frozen=True)
class Spans:
    """How to split long logs, so that one replay uses many cores; each field says what it is in its annotation (s).

    Examples
    --------
    >>> from planbatch.experiments import Spans
    >>> Spans(4, warm_up=86400)
    Spans(count=4, warm_up=86400, cool_down=86400, compare=False)
    """

    count: Annotated[int, Setting("Spans that a log is split into.")]
    warm_up: Annotated[int, Setting(
        "Replayed before each span, not counted: 7d, 12h, or seconds.", in_files=str | int)] = 7 * 86400  # fmt: skip
    cool_down: Annotated[int, Setting("Replayed after each span, not counted.", in_files=str | int)] = 86400
    compare: Annotated[bool, Setting("Also replay every log as a whole, to measure the error.")] = False

    def __post_init__(self) -> None:
        if self.count < 2:
            raise ValueError(f"spans: count is {self.count}; a log is split into 2 or more")
        for name in ("warm_up", "cool_down"):
            if not 0 <= getattr(self, name) < NEVER:
                raise ValueError(f"spans: {name} is {getattr(self, name)} s, outside 0 … {NEVER}")


@dataclass(frozen=True)
class Span:
    """A part of a log."""

    #: Which span, of how many.
    index: int
    count: int
    replayed: tuple[int, int]  #: places of the replayed jobs: the first, and one behind the last
    own: tuple[int, int]  #: places of the jobs that count, likewise

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def split(workload: Workload, spans: Spans) -> list[Span]:
    """Split a workload, so that each job counts in one span; ``ValueError`` if there are fewer jobs than spans."""
    n = len(workload)
    if n < spans.count:
        raise ValueError(f"spans: {workload.name} has {n} jobs, fewer than {spans.count} spans")
    submit = workload.submit
    edges = [0, *_cuts(_queue_lengths(workload), submit, spans.count), n]
    spans_of_log = []
    for index, (first, last) in enumerate(pairwise(edges)):
        begin = int(np.searchsorted(submit, submit[first] - spans.warm_up))
        end = n
        if last < n:
            end = max(int(np.searchsorted(submit, submit[last] + spans.cool_down)), last)
        spans_of_log.append(Span(index, len(edges) - 1, (begin, end), (first, last)))
    return spans_of_log


def _queue_lengths(workload: Workload) -> IntArray:
    """Return how many jobs wait under EASY right before each job is submitted; shape (n,)."""
    return _lengths_of(ByIdentity(workload))


@lru_cache(maxsize=8)
def _lengths_of(key: ByIdentity) -> IntArray:
    workload = key.workload
    starts = np.sort(replay(workload, EASY).start)
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
        candidates = np.arange(low, max(high, low) + 1)
        # Of jobs that are submitted together, none starts a span but the first.
        distinct = candidates[submit[candidates] != submit[candidates - 1]]
        candidates = distinct if len(distinct) else candidates
        near = np.lexsort((np.abs(candidates - ideal), waiting[candidates]))
        last = int(candidates[near[0]])
        cuts.append(last)
    return cuts


def span_tasks(whole: ReplayTask, spans: Sequence[Span], seeds: Sequence[int]) -> list[ReplayTask]:
    """Make one task per span of a replay, each with its seed.

    Tasks of the same span share one copy of its jobs.
    """
    return [
        replace(
            whole,
            workload=_cut(ByIdentity(whole.workload), span.replayed),
            seed=seed,
            title=f"{whole.name}, span {span.index + 1}",
            own=(span.own[0] - span.replayed[0], span.own[1] - span.replayed[0]),
            description=dict(whole.description)
            | {"replay_seed": seed, "span": span.as_dict() | (whole.description.get("span") or {})},
        )
        for span, seed in zip(spans, seeds, strict=True)
    ]


@lru_cache(maxsize=64)
def _cut(key: ByIdentity, replayed: tuple[int, int]) -> Workload:
    return key.workload.take(slice(*replayed))
