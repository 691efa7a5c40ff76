"""What a program says about compiling: who is told of it, and whether other processes may help."""

from collections.abc import Callable

#: Called with the name of each kernel that is not on disk, right before it is compiled.
listeners: list[Callable[[str], None]] = []

#: Whether a second process may be started to compile a part: a program that owns its processes says so.
processes_allowed = False


def announce(name: str) -> None:
    """Call all listeners."""
    for listener in listeners:
        listener(name)
