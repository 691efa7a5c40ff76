"""Comparing policies on a workload: replays in parallel, and no result lost to an interrupt."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from baselines.catalogue import DEADLINE_POLICIES
from baselines.policy import Policy
from experiments.metrics import (
    DeadlineMetrics,
    Metrics,
    deadline_metrics,
    metrics,
    utilisation_by_resource,
)
from experiments.portable import packed, unpacked
from experiments.replay import Estimates, Trace, bound, compiled_form, policy_name, replay, warm_up
from planner.model import NEVER, IntArray, Workload

if TYPE_CHECKING:
    from pandas import DataFrame

#: Told the place of a policy in the comparison, and how many jobs its replay has started.
Progress = Callable[[int, int], None]
#: How often the progress of other processes is looked at (s).
POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Comparison:
    """The results of a comparison.

    Attributes
    ----------
    workload : Workload
        What was replayed.
    estimates : {"requested", "actual", "mixed"}
        What schedulers knew of run times.
    seed : int
        Seed of every replay.
    traces : mapping of str to Trace
        The replay of every policy that finished, in the order in which the policies were given.
    unfinished : tuple of str
        Policies that an interrupt left without a result.
    """

    workload: Workload
    estimates: Estimates
    seed: int
    traces: Mapping[str, Trace]
    unfinished: tuple[str, ...] = ()

    @property
    def metrics(self) -> dict[str, Metrics]:
        """The figures of every policy that finished."""
        return {name: metrics(trace) for name, trace in self.traces.items()}

    @property
    def deadline_metrics(self) -> dict[str, DeadlineMetrics]:
        """The figures on deadlines of every policy that finished; none where no job has one."""
        if (self.workload.deadline == NEVER).all():
            return {}
        return {name: deadline_metrics(trace) for name, trace in self.traces.items()}

    def frame(self) -> "DataFrame":
        """Return a data frame: a row a policy; columns of :class:`Metrics`, rounds and seconds."""
        import pandas as pd

        rows = []
        for trace in self.traces.values():
            row = result(trace)
            for name, share in row.pop("utilisation_by_resource", {}).items():
                row[f"utilisation_{name}"] = share
            rows.append(row)
        return pd.DataFrame(rows, columns=None if rows else ["policy"]).set_index("policy")


def described_resources(workload: Workload) -> dict[str, Any]:
    """Return the resources besides processors, and what was assumed of memory, for programs; else nothing."""
    if not workload.resources:
        return {}
    found: dict[str, Any] = {
        "resources": {
            resource.name: {"capacity": resource.capacity, "unit": resource.unit}
            for resource in workload.resources
        }
    }
    return found | {
        key.lower(): workload.header[key] for key in ("Memory",) if key in workload.header
    }


def result(trace: Trace) -> dict[str, Any]:
    """Return what is reported of one replay: policy, figures, rounds and seconds.

    With figures on deadlines where the workload has any or the policy knows of them, and the utilisation of every
    resource where there are several.
    """
    figures: dict[str, Any] = dict(metrics(trace).as_dict())
    if trace.policy in DEADLINE_POLICIES or (trace.workload.deadline != NEVER).any():
        figures |= deadline_metrics(trace).as_dict()
    if trace.workload.resources:
        figures["utilisation_by_resource"] = utilisation_by_resource(trace)
    return {
        "policy": trace.policy,
        **figures,
        "rounds": len(trace.rounds),
        "seconds": trace.seconds,
    }


def compare(
    workload: Workload,
    policies: Sequence[Policy],
    *,
    estimates: Estimates = "requested",
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Replay a workload under several policies.

    Every replay draws its random numbers from the seed alone, so that results depend neither on the
    number of processes nor on the other policies (as long as no policy is limited by time).

    Parameters
    ----------
    workload : Workload
        The jobs and the machine.
    policies : sequence of Policy
        What to compare; with names that differ.
    estimates : {"requested", "actual", "mixed"}
        What schedulers know of run times.
    seed : int
        Seed of every replay.
    jobs : int
        Processes; with 1, the replays run in this one.
    progress : callable, optional
        ``progress(place, started)``; possibly called from another thread.

    Returns
    -------
    Comparison
        An interrupt (Ctrl-C) ends the comparison at once, and the policies that finished are
        returned.

    Raises
    ------
    ValueError
        Where two policies have the same name, or ``jobs`` is not positive.
    ReplayError
        Where a policy breaks the rules.
    """
    names = [policy_name(policy) for policy in policies]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"policies: {twice[0]} is named more than once")
    if jobs < 1:
        raise ValueError(f"jobs: {jobs} is not a positive number of processes")
    policies = [bound(policy, workload) for policy in policies]
    finished: dict[int, Trace] = {}
    run = _in_processes if min(jobs, len(policies)) > 1 else _in_this_process
    try:
        for policy in policies:
            warm_up(policy)
        for place, trace in run(workload, policies, estimates, seed, jobs, progress):
            finished[place] = trace
    except KeyboardInterrupt:
        pass
    traces = {names[place]: finished[place] for place in sorted(finished)}
    unfinished = tuple(name for name in names if name not in traces)
    return Comparison(workload, estimates, seed, traces, unfinished)


def _in_this_process(
    workload: Workload,
    policies: Sequence[Policy],
    estimates: Estimates,
    seed: int,
    jobs: int,
    progress: Progress | None,
) -> Iterator[tuple[int, Trace]]:
    """Replay one policy after the other."""
    for place, policy in enumerate(policies):
        over = Event()

        def tell(started: int, place: int = place, over: Event = over) -> None:
            if over.is_set():
                raise _AbandonedError
            if progress is not None:
                progress(place, started)

        task = partial(replay, workload, policy, estimates=estimates, seed=seed, progress=tell)
        try:
            yield place, task() if compiled_form(policy) is None else _beside(task)
        finally:
            over.set()


class _AbandonedError(Exception):
    """Nobody waits for a replay any more."""


def _beside(task: Callable[[], Trace]) -> Trace:
    """Run a compiled replay in a thread, so that an interrupt need not wait for a long round."""
    traces: list[Trace] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            traces.append(task())
        except _AbandonedError:
            pass
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(POLL_SECONDS)
    if errors:
        raise errors[0]
    return traces[0]


def _in_processes(
    workload: Workload,
    policies: Sequence[Policy],
    estimates: Estimates,
    seed: int,
    jobs: int,
    progress: Progress | None,
) -> Iterator[tuple[int, Trace]]:
    """Replay policies in parallel, in their order: an interrupt finds the quick ones finished."""
    from joblib import Parallel, delayed

    with tempfile.TemporaryDirectory(prefix="planbatch-") as folder:
        board = Path(folder) / "started"
        np.zeros(len(policies), dtype=np.int64).tofile(board)
        tasks = [
            delayed(_replay_one)(place, workload, packed(policies[place]), estimates, seed, board)
            for place in range(len(policies))
        ]
        pool = Parallel(
            n_jobs=min(jobs, len(policies)), return_as="generator_unordered", batch_size=1
        )
        with _watched(board, progress):
            results = pool(tasks)
            try:
                yield from results
            finally:
                # Where the consumer was interrupted, this ends the other processes.
                results.close()


def _replay_one(
    place: int, workload: Workload, policy: bytes, estimates: Estimates, seed: int, board: Path
) -> tuple[int, Trace]:
    """Replay one policy in another process, and write its progress down where all can see it."""
    import signal

    # Ctrl-C reaches all processes of a terminal. The first one decides what becomes of the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    started = np.memmap(board, dtype=np.int64, mode="r+")

    def tell(count: int) -> None:
        started[place] = count

    trace = replay(workload, unpacked(policy), estimates=estimates, seed=seed, progress=tell)
    return place, trace


@contextmanager
def _watched(board: Path, progress: Progress | None) -> Iterator[None]:
    """Pass on what the other processes write down, as long as the context lasts."""
    if progress is None:
        yield
        return
    over = Event()

    def look() -> None:
        seen: IntArray = np.zeros(0, dtype=np.int64)
        while True:
            last = over.wait(POLL_SECONDS)
            counts = np.fromfile(board, dtype=np.int64)
            for place in np.flatnonzero(counts != seen if len(seen) else counts):
                progress(int(place), int(counts[place]))
            seen = counts
            if last:
                return

    watcher = Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
