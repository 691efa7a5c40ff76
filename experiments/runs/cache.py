"""Tasks whose results are stored on disk, so that an interrupted run goes on where it was."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planbatch.experiments.replay.identity import code_digest
from planbatch.experiments.runs.task import ProgressCallback, Task


def cached_tasks(folder: Path, keys: Sequence[object], tasks: Sequence[Task]) -> list[Task]:
    """Return tasks that run only if the folder, which is created, has no result of this code under their keys.

    A key is what decides a result: anything that can be pickled. Failures are not stored.
    """
    folder.mkdir(parents=True, exist_ok=True)
    code = code_digest()
    return [CachedTask(folder, (code, key), task) for key, task in zip(keys, tasks, strict=True)]


@dataclass(frozen=True)
class CachedTask:
    """A task, and where its result is stored."""

    folder: Path
    key: object
    task: Task

    def __call__(self, report: ProgressCallback) -> Any:
        """Return the stored result, or run the task and store its result."""
        from joblib import Memory

        return Memory(self.folder, verbose=0).cache(_run, ignore=["task", "report"])(self.key, self.task, report)


def _run(_key: object, task: Task, report: ProgressCallback) -> Any:
    return task(report)
