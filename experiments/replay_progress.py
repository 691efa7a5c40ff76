"""Progress of replays for people, on standard error: a bar for all, and one for each that runs."""

import sys
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn


class ReplayProgress:
    """Bars for a number of replays; a context. Shows nothing where standard error is no terminal.

    Parameters
    ----------
    names : sequence of str
        The policies.
    jobs : int
        Jobs of the workload.
    """

    def __init__(self, names: Sequence[str], jobs: int) -> None:
        self._names = list(names)
        self._jobs = jobs
        self._started = [0] * len(self._names)
        self._bars: dict[int, TaskID] = {}
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._all = self._progress.add_task("all policies", total=jobs * len(self._names))

    def __enter__(self) -> "ReplayProgress":
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def __call__(self, place: int, started: int) -> None:
        """Show that the replay of the policy at ``place`` has started so many jobs."""
        self._started[place] = started
        if place not in self._bars:
            self._bars[place] = self._progress.add_task(self._names[place], total=self._jobs)
        finished = started >= self._jobs
        self._progress.update(self._bars[place], completed=started, visible=not finished)
        done = sum(count >= self._jobs for count in self._started)
        self._progress.update(
            self._all,
            completed=sum(self._started),
            description=f"{done} of {len(self._names)} policies",
        )
