"""Processes of the lab: they end with the test that started them."""

import ctypes
import os
import random
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress

#: How long anything in the lab may take (s): a limit for what hangs, not a measure of speed.
PATIENCE = 60.0


def ends_with_its_parent() -> None:
    """Run in the child: it is killed when the process that started it dies, however it dies.

    It also comes before tests that compute, where that is allowed: clusters mostly wait, but must not be late.
    """
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -10)


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
    """Give numbers of loopback ports that nobody uses now, below those that the kernel gives to clients."""
    found: list[int] = []
    port = random.SystemRandom().randint(10_000, 30_000)
    while len(found) < count:
        port = port + 1 if port < 32_000 else 10_000
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            found.append(port)
    return found
