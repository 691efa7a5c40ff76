"""A temporary folder per process; the next process deletes those left behind by killed ones."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from planbatch.experiments.common.lock import take

PREFIX = "planbatch-tasks-"
#: Locked as long as the owner of the folder lives.
LOCK = "lock"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a temporary folder that is deleted at the end, and delete those that nobody owns any more."""
    delete_abandoned()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        unlocked = Path(name, f".{LOCK}")
        with unlocked.open("w") as lock:
            take(lock)
            # Nobody can see it before it is locked.
            with suppress(PermissionError):  # a system that renames no open file has no such locks
                unlocked.rename(Path(name, LOCK))
            yield Path(name)


def delete_abandoned() -> None:
    """Delete the folders whose owners are dead."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{LOCK}"):
        # Another user's folder, or one that its owner has just locked or deleted.
        with suppress(OSError), path.open("r+") as lock:
            if take(lock):
                shutil.rmtree(path.parent, ignore_errors=True)
