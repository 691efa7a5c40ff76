"""A temporary folder per process; the next process deletes those left behind by killed ones."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "planbatch-tasks-"
#: Locked as long as the owner of the folder lives.
LOCK = "lock"


@contextmanager
def own_folder() -> Iterator[Path]:
    """Yield a temporary folder that is deleted at the end, and delete those that nobody owns any more."""
    delete_abandoned()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name, _locked(Path(name)):
        yield Path(name)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    unlocked = folder / f".{LOCK}"
    with unlocked.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Nobody can see it before it is locked.
        unlocked.rename(folder / LOCK)
        yield


def delete_abandoned() -> None:
    """Delete the folders whose owners are dead."""
    try:
        import fcntl
    except ImportError:
        return
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{LOCK}"):
        # Another user's folder, or one that its owner has just locked or deleted.
        with suppress(OSError), path.open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path.parent, ignore_errors=True)
