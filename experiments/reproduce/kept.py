"""The replays of a reproduction that are finished: they are kept, so that an interrupted one goes on where it was."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from planbatch.baselines.policy import Policy
from planbatch.experiments.grid.pieces import loaded
from planbatch.experiments.replay.parquet import read_jobs, read_rounds
from planbatch.experiments.replay.replay import Estimates, Trace, policy_name
from planbatch.experiments.replay.task import outcome_of
from planbatch.experiments.results.identity import (
    code_digest,
    content_digest,
    key_of,
    workload_hash,
)
from planbatch.experiments.results.store import JOBS, ROUNDS, Store
from planbatch.planner.model import Workload


@dataclass(frozen=True)
class ReplayTask:
    """A replay that a reproduction needs.

    Attributes
    ----------
    workload : Workload
        What is replayed.
    policy : Policy
        What decides the rounds. Before a replay is looked up or run, :meth:`.runs.Run.replays` binds it to the
        workload.
    estimates : {"requested", "actual", "mixed"}
        What schedulers know of run times.
    """

    workload: Workload
    policy: Policy
    estimates: Estimates = "requested"

    @property
    def weight(self) -> float:
        """About how long it takes, in some unit."""
        budget = getattr(self.policy, "budget", None)
        return len(self.workload) * (20.0 + ((budget and budget.evaluations) or 0))

    @cached_property
    def key(self) -> str:
        """What the replay is known by."""
        return key_of(self.settings)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Say everything that decides the outcome."""
        return {
            "workload": {
                "name": self.workload.name,
                "content": workload_hash(self.workload),
                "capacity": self.workload.capacity,
            },
            "policy": {"name": policy_name(self.policy), "content": content_digest(self.policy)},
            "estimates": self.estimates,
            "code": code_digest(),
        }


class KeptReplays:
    """A folder of finished replays, in the format of an experiment's cells.

    Parameters
    ----------
    folder : Path
        Where they are; made where it is not there.
    tell : callable
        Told what people should know.

    Raises
    ------
    ResultsError, OSError
        Where the folder cannot hold them.
    """

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self._store, self._tell = Store(folder), tell
        self._store.check()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other runs out of the folder, and delete what interrupted ones left half-written."""
        with self._store.locked():
            self._store.clean()
            yield

    def find(self, task: ReplayTask) -> Trace | None:
        """Read what a replay came to, if it is kept; what is damaged is put aside."""
        name = f"{task.workload.name}, {policy_name(task.policy)}"
        described = loaded(self._store, task.key, name, self._tell)
        if described is None:
            return None
        place = self._store.place(task.key)
        jobs, summary = read_jobs(place / JOBS), described["summary"]
        return Trace(
            task.workload,
            summary["policy"],
            jobs["start"],
            jobs["end"],
            read_rounds(place / ROUNDS),
            summary["seconds"],
            jobs["promise"],
            jobs["first_planned"],
        )

    def keep(self, task: ReplayTask, trace: Trace) -> None:
        """Store what a replay came to, as a whole or not at all."""
        self._store.store(task.key, task.settings, outcome_of(trace))
