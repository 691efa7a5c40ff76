"""Processes of the lab: they end with the test that started them."""

import ctypes
import signal
import socket
import time
from collections.abc import Callable

#: What runs the command in a process of its own.
COMMAND = "from planbatch.experiments.command.main import main; main()"
#: How long anything in the lab may take (s): a limit for what hangs, not a measure of speed.
PATIENCE = 60.0


def ends_with_its_parent() -> None:
    """Run in the child: it is killed when the process that started it dies, however it dies."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def wait_until(what: str, holds: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait until something holds.

    Raises
    ------
    TimeoutError
        If it never does; the message says what.
    """
    ends = time.monotonic() + patience
    while not holds():
        if time.monotonic() > ends:
            raise TimeoutError(f"the lab waited {patience:g} s in vain: {what}")
        time.sleep(0.05)


def free_ports(count: int) -> list[int]:
    """Give numbers of loopback ports that nobody uses now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
