"""Progress of an experiment for people, on standard error: what runs, and how long it will take."""

import sys
from collections.abc import Sequence
from threading import Lock
from time import perf_counter
from types import TracebackType

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from experiments.format import duration


class ExperimentProgress:
    """Bars for the tasks that run and one for all; lines where standard error is no terminal. A context.

    Parameters
    ----------
    names : sequence of str
        The tasks.
    jobs : sequence of int
        How many jobs each replays.
    weights : sequence of float
        About how long each takes, in any unit.
    quiet : bool
        Whether nothing is told.
    """

    def __init__(
        self,
        names: Sequence[str],
        jobs: Sequence[int],
        weights: Sequence[float],
        quiet: bool = False,
    ) -> None:
        self._names, self._jobs, self._weights = list(names), list(jobs), list(weights)
        self._shares = [0.0] * len(self._names)
        self._done: set[int] = set()
        self._began = perf_counter()
        self._lock = Lock()
        self._quiet = quiet
        self._bars: dict[int, TaskID] = {}
        self._lines = not sys.stderr.isatty()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=self._lines or quiet,
        )
        self._all = self._progress.add_task("all", total=sum(self._weights) or None)

    def __enter__(self) -> "ExperimentProgress":
        self._began = perf_counter()
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def started(self, place: int, started: int) -> None:
        """Show how many jobs a task has started; possibly called from another thread."""
        with self._lock:
            if place in self._done:
                return
            self._shares[place] = started / max(self._jobs[place], 1)
            if place not in self._bars:
                self._bars[place] = self._progress.add_task(
                    self._names[place], total=self._jobs[place]
                )
            self._progress.update(self._bars[place], completed=started)
            self._show_all()

    def finished(self, place: int, what: str = "") -> None:
        """Show that a task is over and its result is stored, or what became of it instead."""
        with self._lock:
            self._shares[place] = 1.0
            self._done.add(place)
            if place in self._bars:
                self._progress.update(self._bars[place], visible=False)
            self._show_all()
            if self._quiet or (not self._lines and not what):
                return
            told = f"{len(self._done)} of {len(self._names)}: {self._names[place]}"
            told += f": {what}" if what else ""
            left = self.remaining()
            told += f"; about {duration(left)} left" if left else ""
        if self._lines:
            click.echo(told, err=True)
        else:
            self._progress.console.print(told, highlight=False)

    def remaining(self) -> float:
        """Estimate how long the rest will take (s), from how long all so far has taken."""
        done = sum(s * w for s, w in zip(self._shares, self._weights, strict=True))
        left = sum(self._weights) - done
        return (perf_counter() - self._began) * left / done if done > 0 and left > 0 else 0.0

    def _show_all(self) -> None:
        done = sum(s * w for s, w in zip(self._shares, self._weights, strict=True))
        self._progress.update(
            self._all, completed=done, description=f"{len(self._done)} of {len(self._names)}"
        )
