"""Progress bars, on standard error or in a notebook: what runs, and how long the rest will take."""

import sys
from collections.abc import Sequence
from html import escape
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from planbatch.experiments.common.text import duration

if TYPE_CHECKING:
    from IPython.display import DisplayHandle


#: Seconds before the bar appears, so that short runs show none, and between two of its frames.
DELAY, FRAME = 0.5, 0.2


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")


class NotebookBar:
    """A bar below the running cell; possibly called from several threads."""

    def __init__(self) -> None:
        self._began = self._drawn_at = perf_counter()
        self._handle: DisplayHandle | None = None
        self._lock = Lock()

    def show(self, share: float, text: str) -> None:
        """Show a share of one and a text next to the bar, unless it was shown just now."""
        with self._lock:
            now = perf_counter()
            if now - self._began < DELAY or (self._handle and now - self._drawn_at < FRAME):
                return
            self._drawn_at = now
            self._draw(f'<progress value="{share:.3f}" max="1"></progress> {escape(text)}')

    def close(self, text: str) -> None:
        """Leave a text in place of the bar, if it was ever shown."""
        with self._lock:
            if self._handle is not None:
                self._draw(escape(text))

    def _draw(self, html: str) -> None:
        from IPython.display import HTML, display

        if self._handle is None:
            self._handle = display(HTML(html), display_id=True)
        else:
            self._handle.update(HTML(html))


#: The time between lines of progress (s).
EVERY = 5.0


class TaskProgress:
    """A bar for each running task and one for all of them; lines if standard error is no terminal. A context.

    In a notebook there is one bar for all. ``sizes`` is what the progress of each counts up to, the jobs of a replay,
    ``weights`` roughly how long each takes, in any unit (by default, its size). It prints nothing if ``quiet``: by
    default, if standard error is neither a terminal nor a notebook's.
    """

    def __init__(
        self,
        names: Sequence[str],
        sizes: Sequence[int],
        weights: Sequence[float] | None = None,
        quiet: bool | None = None,
    ) -> None:
        self._names, self._sizes = list(names), list(sizes)
        self._weights = [float(weight) for weight in (sizes if weights is None else weights)]
        self._shares = [0.0] * len(self._names)
        self._done: set[int] = set()
        self._began = perf_counter()
        self._lock = Lock()
        self._bars: dict[int, TaskID] = {}
        self._lines = not sys.stderr.isatty()
        notebook = in_notebook()
        self._quiet = self._lines and not notebook if quiet is None else quiet
        self._notebook = NotebookBar() if notebook and not self._quiet else None
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=self._lines or self._quiet,
        )
        self._all = self._progress.add_task(f"0 of {len(self._names)}", total=sum(self._weights) or None)

    def __enter__(self) -> "TaskProgress":
        self._began = perf_counter()
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
        if self._notebook is not None:
            took = duration(perf_counter() - self._began)
            self._notebook.close(f"{len(self._done)} of {len(self._names)} in {took}")

    def __call__(self, index: int, count: int) -> None:
        """Show the progress of a task; possibly called from another thread."""
        with self._lock:
            if index in self._done:
                return
            if index not in self._bars:
                self._bars[index] = self._progress.add_task(self._names[index], total=self._sizes[index])
            self._shares[index] = count / max(self._sizes[index], 1)
            self._progress.update(self._bars[index], completed=count, visible=count < self._sizes[index])
            self._show_all()

    def finished(self, index: int, what: str = "") -> None:
        """Show that a task has finished and its result is stored, or why there is none."""
        with self._lock:
            self._shares[index] = 1.0
            self._done.add(index)
            if index in self._bars:
                self._progress.update(self._bars[index], visible=False)
            self._show_all()
            if self._quiet or (not what and (self._notebook or not self._lines)):
                return
            line = f"{len(self._done)} of {len(self._names)}: {self._names[index]}"
            line += f": {what}" if what else ""
            time_left = self.remaining()
            line += f"; about {duration(time_left)} left" if time_left >= 1 else ""
        if self._lines:
            print(line, file=sys.stderr, flush=True)
        else:
            self._progress.console.print(line, highlight=False)

    def remaining(self) -> float:
        """Estimate how long the rest will take (s), from the time taken so far."""
        work, total = self._finished_work(), sum(self._weights)
        if not 0 < work < total:
            return 0.0
        return (perf_counter() - self._began) * (total - work) / work

    def _finished_work(self) -> float:
        return sum(s * w for s, w in zip(self._shares, self._weights, strict=True))

    def _show_all(self) -> None:
        text = f"{sum(share >= 1 for share in self._shares)} of {len(self._names)}"
        work = self._finished_work()
        self._progress.update(self._all, completed=work, description=text)
        if self._notebook is not None:
            if time_left := self.remaining():
                text += f"; about {duration(time_left)} left"
            self._notebook.show(work / (sum(self._weights) or 1), text)


class CountBar:
    """One bar for counted tasks, on standard error if that is a terminal, or in a notebook; a context.

    With ``lines``, if standard error is neither, a line every :data:`EVERY` seconds. ``what`` is what is counted.
    """

    def __init__(self, what: str, *, lines: bool = False) -> None:
        self._lines = lines and not sys.stderr.isatty() and not in_notebook()
        self._began = self._last = perf_counter()
        self._bar = Progress(
            "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
            console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty(),
        )  # fmt: skip
        self._task = self._bar.add_task(what, total=None)
        self._what, self._text = what, ""
        self._notebook = NotebookBar() if in_notebook() else None

    def __enter__(self) -> "CountBar":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
        if self._notebook is not None:
            self._notebook.close(self._text)

    def __call__(self, done: int, total: int) -> None:
        """Show how many are done."""
        self._bar.update(self._task, completed=done, total=total)
        self._text = f"{done:,} of {total:,} {self._what}"
        if self._notebook is not None:
            self._notebook.show(done / max(total, 1), self._text)
        now = perf_counter()
        if self._lines and now - self._last >= EVERY and done < total:
            time_left = duration((now - self._began) * (total - done) / max(done, 1))
            print(f"{self._text}; about {time_left} left", file=sys.stderr, flush=True)
            self._last = now
