"""Listeners that are notified when a kernel is compiled."""

from collections.abc import Callable

#: Called with the name of each kernel that is not on disk, right before it is compiled.
listeners: list[Callable[[str], None]] = []


def announce(name: str) -> None:
    """Call all listeners."""
    for listener in listeners:
        listener(name)
