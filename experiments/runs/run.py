"""Running lists of replays, stored on disk or not; equal ones are stored, and run, once."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from planbatch.baselines.policy import policy_name
from planbatch.experiments.common.paths import as_path
from planbatch.experiments.common.text import Notify, silent
from planbatch.experiments.replay.identity import code_digest, versions
from planbatch.experiments.replay.task import Outcome, ReplayTask
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.runs.backends import make_backend
from planbatch.experiments.runs.progress import TaskProgress
from planbatch.experiments.runs.read import read_trace
from planbatch.experiments.runs.store import Store, warn_of_little_space
from planbatch.experiments.runs.task import Failure, Progress
from planbatch.planner.display import html_table


def error_of(outcome: Outcome | Failure) -> str:
    """Return why a replay failed; nothing if it did not."""
    return outcome.error if isinstance(outcome, Failure) else ""


@dataclass(frozen=True)
class Workers:
    """The workers that run replays."""

    jobs: int = 1  # how many replays run at a time
    backend: str = "loky"  # see :func:`make_backend`
    scheduler: str | None = None  # address of a Dask cluster
    quiet: bool | None = None  # whether to show no progress; by default, if standard error is no terminal
    #: The text that progress shows for a finished replay; by default, the error if it failed.
    row: Callable[[Outcome | Failure], str] = error_of


LOCAL = Workers()
#: The share of the work that is begun with, in short replays.
QUICK = 0.1


@dataclass(frozen=True)
class FinishedReplay:
    """A replay finished by this run or an earlier one."""

    task: ReplayTask
    record: Mapping[str, Any]  # its ``summary``, ``versions`` and ``machine``, as ``cell.json`` has them
    load: Callable[[], Trace]  # returns the trace

    @property
    def summary(self) -> dict[str, Any]:
        """The metrics, under the policy's name; see :func:`summary`."""
        return {**self.record["summary"], "policy": policy_name(self.task.policy)}

    def __repr__(self) -> str:
        return f"FinishedReplay({self.task.name})"

    def _repr_html_(self) -> str:
        """Return what notebooks show: all metrics of the replay."""
        rows = [
            [name.replace("_", " "), f"{value:,.6g}"]
            for name, value in self.summary.items()
            if isinstance(value, (int, float))
        ]
        return html_table(("", "times in seconds"), rows, self.task.name)

    def trace(self) -> Trace:
        """Return the trace, read from disk if it is stored there."""
        return self.task.whole(self.load())


def run_all(
    tasks: Sequence[ReplayTask],
    workers: Workers = LOCAL,
    out: str | Path | None = None,
    title: str = "",
    progress: Progress | None = None,
    notify: Notify = silent,
) -> dict[int, FinishedReplay | Failure]:
    """Run replays, or read those that a folder holds; return their outcomes by index, up to an interrupt.

    ``out`` is the folder of finished replays, and ``title`` that of a report on it. The others are those of
    :func:`run_replays`.
    """
    store = None if out is None else Store(as_path("out", out))
    if store is None:
        return _up_to_an_interrupt(run_replays(tasks, None, workers, progress, notify))
    store.check()
    with store.locked():
        store.clean()
        keys = list(dict.fromkeys(task.key for task in tasks))
        stored_count = sum(store.folder_of(key).exists() for key in keys)
        if stored_count:
            notify(f"{stored_count} of {len(keys)} replays are in {store.folder} already")
        store.begin(title, keys)
        return _up_to_an_interrupt(run_replays(tasks, store, workers, progress, notify))


def _up_to_an_interrupt(
    results: Generator[tuple[int, FinishedReplay | Failure], None, None],
) -> dict[int, FinishedReplay | Failure]:
    outcomes: dict[int, FinishedReplay | Failure] = {}
    with suppress(KeyboardInterrupt), closing(results):
        for index, outcome in results:
            outcomes[index] = outcome
    return outcomes


def run_replays(
    tasks: Sequence[ReplayTask],
    store: Store | None = None,
    workers: Workers = LOCAL,
    progress: Progress | None = None,
    notify: Notify = silent,
) -> Generator[tuple[int, FinishedReplay | Failure], None, None]:
    """Run replays, and yield the index of each with its outcome as they finish.

    With a store, replays with the same key run once, those that it holds do not run at all, and each of the others is
    stored before it is yielded; the caller holds the store's lock. Without one, no key is needed: policies may have
    parts that have none.

    ``progress(index, jobs started)`` may be called from another thread; by default, there are bars on standard error.
    ``ValueError`` if a policy has a part that no content identifies, ``OSError`` if a result cannot be stored.
    """
    keys = [task.key if store is not None else str(index) for index, task in enumerate(tasks)]
    indices_of: dict[str, list[int]] = {}
    for index, key in enumerate(keys):
        indices_of.setdefault(key, []).append(index)
    first = [tasks[indices[0]] for indices in indices_of.values()]
    records = {} if store is None else find_stored(store, first, notify)
    for key, record in records.items():
        assert store is not None
        load = partial(read_trace, store.folder_of(key, tasks[indices_of[key][0]].part), record)
        for index in indices_of[key]:
            yield index, FinishedReplay(tasks[index], record, load)
    to_do = [indices[0] for key, indices in indices_of.items() if key not in records]
    if not to_do:
        return
    if workers.jobs > 1:
        to_do = [to_do[k] for k in _run_order([tasks[p] for p in to_do])]
    if store is not None:
        warn_of_little_space(store.folder, [len(tasks[index].workload) for index in to_do], notify)
    to_run = [tasks[index] for index in to_do]
    show = None if progress is None else _translate(progress, to_do)
    with closing(_run(to_run, workers, show)) as results:
        for k, outcome in results:
            indices = indices_of[keys[to_do[k]]]
            if isinstance(outcome, Failure):
                yield from ((index, outcome) for index in indices)
                continue
            finished = _store_outcome(to_run[k], outcome, store)
            yield from ((index, replace(finished, task=tasks[index])) for index in indices)


def find_stored(store: Store, tasks: Sequence[ReplayTask], notify: Notify) -> dict[str, dict[str, Any]]:
    """Find the replays that a store holds: the ``cell.json`` of each, by key.

    Damaged cells are moved away; names that have changed are rewritten.
    """
    records = {}
    for task in tasks:
        record = store.load_or_put_aside(task.key, task.name, notify, part=task.part)
        if record is None:
            continue
        settings = task.settings()
        if record["settings"] != settings:
            record["settings"] = settings
            store.replace_record(task.key, record, part=task.part)
        records[task.key] = record
    say_versions(records.values(), notify)
    return records


def say_versions(records: Iterable[Mapping[str, Any]], notify: Notify) -> None:
    """Report finished replays that were made with other versions of the libraries."""
    libraries = {name: version for name, version in versions().items() if name != "code"}
    other = [
        record["versions"]
        for record in records
        if any(record["versions"].get(name) != version for name, version in libraries.items())
    ]
    if other:
        written_with = ", ".join(f"{name} {other[0].get(name)}" for name in libraries)
        notify(f"{len(other)} finished cells were made with other versions ({written_with}), and are kept")


def _store_outcome(task: ReplayTask, outcome: Outcome, store: Store | None) -> FinishedReplay:
    """Store an outcome, or hold it in memory."""
    if store is None:
        return FinishedReplay(task, vars(outcome), lambda: outcome.trace)
    record = store.store(task.key, task.settings(), task.whole(outcome.trace), outcome, part=task.part)
    load = partial(read_trace, store.folder_of(task.key, task.part), record)
    return FinishedReplay(task, record, load)


def _translate(progress: Progress, indices: Sequence[int]) -> Progress:
    return lambda k, count: progress(indices[k], count)


def _run(
    tasks: Sequence[ReplayTask], workers: Workers, progress: Progress | None
) -> Generator[tuple[int, Outcome | Failure], None, None]:
    """Run distinct replays; see :func:`_groups`."""
    bars = TaskProgress(
        [task.name for task in tasks],
        [len(task.workload) for task in tasks],
        [task.weight for task in tasks],
        workers.quiet,
    )
    with bars:
        for name, indices in _groups(tasks, workers.backend):
            jobs = min(workers.jobs, len(indices))
            group = [tasks[index] for index in indices]
            # If a result cannot be stored or the user interrupts, closing ends whatever still runs.
            with (
                make_backend(name, jobs, workers.scheduler, code_digest) as run,
                closing(run(group, _translate(progress or bars, indices))) as results,
            ):
                for k, outcome in results:
                    yield indices[k], outcome
                    bars.finished(indices[k], workers.row(outcome))


def _groups(tasks: Sequence[ReplayTask], backend: str) -> list[tuple[str, list[int]]]:
    """Return the replays that run together, by index, with their backend.

    On this machine, those that run wholly in the core have threads, those that call Python processes; those limited by
    time come last, since they must not share their cores.
    """
    groups: dict[tuple[bool, bool], list[int]] = {}
    for index, task in enumerate(tasks):
        in_threads = backend == "loky" and not task.timed and task.in_core
        groups.setdefault((task.timed, not in_threads), []).append(index)
    return [(backend if elsewhere else "threading", indices) for (_, elsewhere), indices in sorted(groups.items())]


def _run_order(tasks: Sequence[ReplayTask]) -> list[int]:
    """Return the order in which replays begin.

    Those that together take at most a :data:`QUICK` part of the work come first, so that an interrupt leaves results;
    then the longest, so that no worker is left alone with one.
    """
    shortest = sorted(range(len(tasks)), key=lambda index: tasks[index].weight)
    most = QUICK * sum(task.weight for task in tasks)
    cumulative = accumulate(tasks[index].weight for index in shortest)
    quick = sum(1 for work in cumulative if work <= most)
    return shortest[:quick] + sorted(shortest[quick:], key=lambda index: -tasks[index].weight)
