"""Tasks whose results are stored on disk, so that an interrupted run goes on where it was."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib import Memory

from planbatch.experiments.runs.task import ProgressCallback, Task


@dataclass(frozen=True)
class StoredTask:
    """A task that runs only if a folder has no result of it; failures are not stored."""

    folder: Path
    key: str  # what decides the result
    task: Task

    def __call__(self, report: ProgressCallback) -> Any:
        """Return the stored result, or run the task and store its result."""
        return Memory(self.folder, verbose=0).cache(_run, ignore=["task", "report"])(self.key, self.task, report)


def _run(key: str, task: Task, report: ProgressCallback) -> Any:
    return task(report)
