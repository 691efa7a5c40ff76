"""How many of a number of tasks are done, for people."""

import sys


class CountBar:
    """A progress bar on standard error, if that is a terminal; a context.

    Parameters
    ----------
    what : str
        What is counted.
    """

    def __init__(self, what: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        self._bar = Progress(
            "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
            console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty(),
        )  # fmt: skip
        self._task = self._bar.add_task(what, total=None)

    def __enter__(self) -> "CountBar":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        """Show how many are done."""
        self._bar.update(self._task, completed=done, total=total)
