"""Processes of the lab, which end with the test that started them; and the command lines of its scripts."""

import argparse
import ctypes
import os
import random
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

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
    results: list[int] = []
    port = random.SystemRandom().randint(10_000, 30_000)
    while len(results) < count:
        port = port + 1 if port < 32_000 else 10_000
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            results.append(port)
    return results


def arguments(about: str | None, *names: str, **flags: Any) -> argparse.Namespace:
    """Read a script's command line: arguments, and flags by their defaults, of which a type is none."""
    parse = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in names:
        parse.add_argument(name)
    for name, default in flags.items():
        bare = isinstance(default, type)
        kind = default if bare else type(default)
        parse.add_argument(f"--{name}", type=kind, default=None if bare else default)
    return parse.parse_args()
