"""Progress in a notebook: one bar below the cell, replaced in place; it needs no widgets."""

import sys
from html import escape
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING

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
        self._began = self._shown = perf_counter()
        self._handle: DisplayHandle | None = None
        self._lock = Lock()

    def show(self, share: float, text: str) -> None:
        """Show a share of one and a text next to the bar, unless it was shown just now."""
        with self._lock:
            now = perf_counter()
            if now - self._began < DELAY or (self._handle and now - self._shown < FRAME):
                return
            self._shown = now
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
