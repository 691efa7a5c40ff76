"""How a reproduction runs: where its logs come from, and its replays, some at a time."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import TypeVar

from planbatch.experiments.replay.replay import Trace, bound, replay, warm_up
from planbatch.experiments.reproduce.kept import KeptReplays, ReplayTask
from planbatch.experiments.tasks.board import Tell
from planbatch.experiments.tasks.parallel import run_tasks
from planbatch.experiments.tasks.progress import ReplayProgress
from planbatch.experiments.workloads.load import load_log
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.transform import in_span
from planbatch.planner.model import Workload

Key = TypeVar("Key", bound=Hashable)

#: What ``--quick`` leaves of a log: the first months.
QUICK_SECONDS = 90 * 86400
#: The folder of the replays that are finished, under that of what is written.
REPLAYS = "replays"


@dataclass(frozen=True)
class Run:
    """The choices of one run.

    Attributes
    ----------
    out : Path
        Folder of what is written.
    quick : bool
        Only the first months of every log, for a look.
    jobs : int
        Processes.
    workloads : Path, optional
        Folder with the logs (``NAME.swf.gz`` or ``NAME.swf``); by default, those that were fetched.
    tell : callable
        Told what happens, line by line.
    full : bool
        Also what takes an hour or more, where a paper has such a part.
    """

    out: Path
    quick: bool = False
    jobs: int = 1
    workloads: Path | None = None
    tell: Callable[[str], None] = lambda line: None
    full: bool = False

    def log(self, name: str) -> SwfLog | None:
        """Find and read a log; tell where it is not there, and return None."""
        sources: list[str | Path] = [name]
        if self.workloads is not None:
            sources = [self.workloads / f"{name}{end}" for end in (".swf.gz", ".swf")]
            sources = [source for source in sources if Path(source).is_file()] or [name]
        try:
            return load_log(sources[0], note=self.tell)
        except FileNotFoundError as error:
            self.tell(f"left out: {error}")
            return None

    def shortened(self, workload: Workload) -> Workload:
        """Leave the first months of a workload, where the run is quick."""
        return in_span(workload, 0, QUICK_SECONDS) if self.quick else workload

    def replays(self, tasks: Mapping[Key, ReplayTask]) -> dict[Key, Trace]:
        """Run replays, ``jobs`` at a time, the longest first; or read those that ``out`` has from an earlier run.

        The traces' ``seconds`` are processor time, compilation excluded: other processes do not
        count.
        """
        bounded = {
            key: replace(task, policy=bound(task.policy, task.workload))
            for key, task in tasks.items()
        }
        kept = KeptReplays(self.out / REPLAYS, self.tell)
        with kept.alone():
            # Those that are the same but in name are run once.
            different = {task.key: (name, task) for name, task in bounded.items()}
            found = {key: kept.find(task) for key, (_, task) in different.items()}
            traces = {key: trace for key, trace in found.items() if trace is not None}
            missing = [named for key, named in different.items() if key not in traces]
            if missing and traces:
                self.tell(f"{len(traces)} of {len(different)} replays are there already")
            for task, trace in self._run(missing):
                kept.keep(task, trace)
                traces[task.key] = trace
        return {name: traces[task.key] for name, task in bounded.items()}

    def _run(
        self, named: Sequence[tuple[Hashable, ReplayTask]]
    ) -> Iterator[tuple[ReplayTask, Trace]]:
        """Run replays, and yield each when it is finished."""
        named = sorted(named, key=lambda one: -one[1].weight)
        names = [" ".join(map(str, n)) if isinstance(n, tuple) else str(n) for n, _ in named]
        tasks = [task for _, task in named]
        sizes = [len(task.workload) for task in tasks]
        # Lines of progress, where standard error is no terminal, are for those who wait for long.
        quiet = False if self.full else None
        with ReplayProgress(names, sizes, [t.weight for t in tasks], quiet) as progress:
            calls = [partial(_replay, task) for task in tasks]
            for place, trace in run_tasks(calls, names, self.jobs, progress):
                yield tasks[place], trace
                progress.finished(place)


def _replay(task: ReplayTask, tell: Tell) -> Trace:
    warm_up(task.policy)
    began = process_time()
    trace = replay(task.workload, task.policy, estimates=task.estimates, progress=tell)
    return replace(trace, seconds=process_time() - began)
