"""The run of a reproduction: where its logs come from, and its replays in parallel."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.runs.run import Workers, run_all
from planbatch.experiments.runs.task import Failure
from planbatch.experiments.workloads.load import load_log
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.transform import in_span
from planbatch.planner.model import Workload

Key = TypeVar("Key", bound=Hashable)

#: The part of a log that ``--quick`` keeps: the first months.
QUICK_SECONDS = 90 * 86400
#: The folder of the finished replays, inside the output folder.
REPLAYS = "replays"


@dataclass(frozen=True)
class Run:
    """The options of one run.

    Attributes
    ----------
    out : Path
        Output folder.
    quick : bool
        Whether to use only the first months of every log, for a first look.
    jobs : int
        Number of processes.
    workloads : Path, optional
        Folder with the logs (``NAME.swf.gz`` or ``NAME.swf``); by default, the fetched ones.
    tell : callable
        Called with progress messages, line by line.
    full : bool
        Whether to include parts that take an hour or more, if the paper has any.
    """

    out: Path
    quick: bool = False
    jobs: int = 1
    workloads: Path | None = None
    tell: Callable[[str], None] = lambda _line: None
    full: bool = False

    def log(self, name: str) -> SwfLog | None:
        """Find and read a log; return None, and report it, if it is missing."""
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
        """Return the first months of a workload if the run is quick, else all of it."""
        return in_span(workload, 0, QUICK_SECONDS) if self.quick else workload

    def replays(self, tasks: Mapping[Key, ReplayTask]) -> dict[Key, Trace]:
        """Run replays, ``jobs`` at a time, or read those that ``out`` holds from an earlier run.

        The traces' ``seconds`` are processor time, compilation excluded: other processes do not
        count.
        """
        named = {key: replace(task, title=task.title or _label(key)) for key, task in tasks.items()}
        # Lines of progress are for those who wait for long, even if standard error is no terminal.
        workers = Workers(self.jobs, quiet=False if self.full else None)
        listed = list(named.values())
        found = run_all(listed, workers, self.out / REPLAYS, self.out.name, say=self.tell)
        if len(found) < len(listed):
            raise KeyboardInterrupt
        traces: dict[Key, Trace] = {}
        for place, (name, task) in enumerate(named.items()):
            outcome = found[place]
            if isinstance(outcome, Failure):
                outcome.reraise(task.name)
            else:
                seconds = outcome.described["machine"]["processor_seconds"]
                traces[name] = replace(outcome.trace(), seconds=seconds)
        return traces


def _label(key: Hashable) -> str:
    """Return the name of a replay within its reproduction."""
    return " ".join(map(str, key)) if isinstance(key, tuple) else str(key)
