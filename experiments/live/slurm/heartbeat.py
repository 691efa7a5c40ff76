"""The driver's heartbeat: a file with the time of its last good tick, by which others know that it is alive."""

import os
from contextlib import suppress
from pathlib import Path

from planbatch.experiments.common.atomic import unfinished_name

#: Names of the heartbeat and of the lock in the driver's folder.
HEARTBEAT, LOCK = "heartbeat", "lock"
#: A heartbeat further in the future than this does not count: a clock was wrong (s).
AHEAD = 5


def beat(path: Path, now: float) -> None:
    """Write the time (whole seconds since 1970), readable by all, whole or not at all."""
    unfinished = unfinished_name(path)
    try:
        unfinished.write_text(f"{int(now)}\n", encoding="ascii")
        unfinished.chmod(0o644)
        unfinished.replace(path)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise


def last_beat(path: Path) -> int | None:
    """Read the time of the last beat; None if there is none, or it cannot be read."""
    try:
        return int(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        return None


def silence(path: Path, now: float) -> float:
    """Return how long the driver has been silent (s); infinitely long if it never beat, or beats in the future.

    ``PermissionError`` if the file may not be read: then nobody knows, and nothing is to be released.
    """
    try:
        path.stat()
        readable = os.access(path, os.R_OK)
    except FileNotFoundError:
        readable = True
    except PermissionError:
        readable = False
    if not readable:
        raise PermissionError(f"{path}: the driver's heartbeat may not be read here; run as the driver's user")
    last = last_beat(path)
    if last is None or last > now + AHEAD:
        return float("inf")
    return max(now - last, 0.0)


def stop_beating(path: Path) -> None:
    """Remove the heartbeat: from now on, jobs arrive as if there were no driver."""
    path.unlink(missing_ok=True)
