"""One replay as a task that any process on any machine can run, and what it hands back."""

import os
import platform
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from planbatch.baselines.policy import Policy
from planbatch.experiments.comparison.compare import result
from planbatch.experiments.replay.parquet import jobs_bytes, rounds_bytes
from planbatch.experiments.replay.replay import Estimates, RoundLog, Trace, replay
from planbatch.experiments.results.identity import code_digest, versions
from planbatch.experiments.tasks.cores import own_core
from planbatch.planner.model import NEVER, Workload


@dataclass(frozen=True)
class Outcome:
    """What a task hands back: everything that is stored of it.

    Attributes
    ----------
    jobs, rounds : bytes
        The two tables, as Parquet.
    summary : dict
        The figures, as ``planbatch replay --json`` gives them.
    versions, machine : dict
        What made them, and where.
    """

    jobs: bytes
    rounds: bytes
    summary: dict[str, Any]
    versions: dict[str, str]
    machine: dict[str, Any]


@dataclass(frozen=True)
class Task:
    """A replay to be run.

    Attributes
    ----------
    workload : Workload
        What is replayed.
    policy : Policy
        What decides the rounds.
    estimates : {"requested", "actual", "mixed"}
        What schedulers know of run times.
    seed : int
        Of the replay.
    own : tuple of int, optional
        Which of the jobs count, from and to before; the others are there to warm up and to cool down.
    reserve : bool
        Whether the task needs a core for itself, since time ends its searches.
    code : str
        The version of the code that has to run it.
    """

    workload: Workload
    policy: Policy
    estimates: Estimates
    seed: int
    own: tuple[int, int] | None
    reserve: bool
    code: str

    def __call__(self, progress: Callable[[int], None] | None = None) -> Outcome:
        """Replay, and turn the trace into tables.

        Raises
        ------
        ValueError
            Where this process runs another version of the code.
        """
        if self.code != code_digest():
            raise ValueError(
                f"{platform.node()} runs another version of the code ({code_digest()}, not {self.code})"
            )
        began = perf_counter()
        with own_core() if self.reserve else nullcontext() as core:
            trace = replay(
                self.workload,
                self.policy,
                estimates=self.estimates,
                seed=self.seed,
                progress=progress,
            )
        if self.own is not None:
            trace = counted(trace, *self.own)
        return outcome_of(trace, core, perf_counter() - began)


def outcome_of(trace: Trace, core: int | None = None, seconds: float | None = None) -> Outcome:
    """Turn a trace into what is stored of it."""
    summary = result(trace) | promises(trace)
    machine = {
        "host": platform.node(),
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "reserved_core": core,
        "task_seconds": seconds,
    }
    return Outcome(jobs_bytes(trace), rounds_bytes(trace), summary, versions(), machine)


def promises(trace: Trace) -> dict[str, int]:
    """Return the promises made and broken, and the worst lateness (s); nothing without promises."""
    made = trace.promise != NEVER
    if not made.any():
        return {}
    late = np.maximum(trace.start - trace.promise, 0)[made]
    return {
        "promises": int(made.sum()),
        "promises_broken": int((late > 0).sum()),
        "worst_lateness": int(late.max()),
    }


def counted(trace: Trace, first: int, last: int) -> Trace:
    """Keep of a trace the jobs from ``first`` to before ``last``, and the rounds of their time.

    That is the rounds before the first submission of a later job; without later jobs, up to the end.
    """
    submit = trace.workload.submit
    time = trace.rounds.time
    inside = np.ones(len(time), dtype=bool)
    if first > 0:
        inside &= time >= submit[first]
    if last < len(submit):
        inside &= time < submit[last]
    log = RoundLog(**{name: column[inside] for name, column in vars(trace.rounds).items()})
    own = slice(first, last)
    return replace(
        trace,
        workload=trace.workload.take(own),
        start=trace.start[own],
        end=trace.end[own],
        promise=trace.promise[own],
        first_planned=trace.first_planned[own],
        rounds=log,
    )
