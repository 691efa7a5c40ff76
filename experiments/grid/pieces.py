"""What is left to be run of an experiment: a task for every cell, or for every span of a cell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from planbatch.experiments.grid.cells import Cell
from planbatch.experiments.grid.spans import Span, part_task, split
from planbatch.experiments.replay.task import Task
from planbatch.experiments.results.identity import code_digest
from planbatch.experiments.results.store import ResultsError, Store
from planbatch.planner.model import Workload

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Piece:
    """A task to be run, and where its outcome goes.

    Attributes
    ----------
    cell : Cell
        To which cell it belongs.
    key : str
        What the outcome is known by: the cell's key, or that of a span of it.
    span : Span, optional
        Which span of the cell; ``None`` for the whole.
    task : Task
        What is run.
    """

    cell: Cell
    key: str
    span: Span | None
    task: Task

    @property
    def name(self) -> str:
        """What people are told."""
        own = self.cell.described()
        return own if self.span is None else f"{own}, span {self.span.index + 1}"

    @property
    def weight(self) -> float:
        """About how long it takes, in some unit: it decides what is begun first, and shows progress."""
        policy = self.cell.policy
        n = len(self.task.workload)
        if policy.seconds is not None:
            return n * max(policy.seconds, 1e-6) * 1e6
        if policy.policy is not None:
            return n * 1000.0
        if not policy.plan_based:
            return n * 5.0
        slow = 1 if (policy.optimizer or "annealing").startswith("annealing") else 50
        evaluations = 100 if policy.evaluations is None else policy.evaluations
        return n * (20.0 + evaluations * slow)

    def settings(self) -> dict[str, Any]:
        """Say everything that decides the outcome, for ``cell.json``."""
        settings = self.cell.settings()
        if self.span is not None:
            settings["span"] = self.span.as_dict() | settings["span"]
            settings["replay_seed"] = self.task.seed
        return settings


def missing_pieces(store: Store, cells: Sequence[Cell], tell: Tell) -> list[Piece]:
    """List the tasks of cells, the longest first, so that no worker is left alone with one.

    Of split cells, those spans that are there already are left out.
    """
    pieces = []
    cut: dict[tuple[int, tuple[int, int]], Workload] = {}
    for cell in cells:
        policy, jobs = cell.policy.make(), cell.workload.jobs
        whole = Task(
            jobs,
            policy,
            cell.workload.spec.estimates,
            cell.replay_seed(),
            None,
            cell.timed,
            code_digest(),
        )
        for span, key in parts(cell):
            if span is None:
                pieces.append(Piece(cell, key, None, whole))
            elif loaded(store, key, cell.described(), tell, part=True) is None:
                # All policies share one copy of a span.
                place = (id(jobs), span.replayed)
                if place not in cut:
                    cut[place] = jobs.take(slice(*span.replayed))
                pieces.append(Piece(cell, key, span, part_task(cell, span, whole, cut[place])))
    return sorted(pieces, key=lambda piece: -piece.weight)


def parts(cell: Cell) -> list[tuple[Span | None, str]]:
    """List the spans of a cell and their keys; for a whole one, itself."""
    if cell.spans is None:
        return [(None, cell.key)]
    spans = split(cell.workload.jobs, cell.spans)
    return [(span, cell.part_key(span.as_dict())) for span in spans]


def loaded(
    store: Store, key: str, name: str, tell: Tell, *, part: bool = False
) -> dict[str, Any] | None:
    """Load a cell or a span, or put it aside where it is damaged, and tell so."""
    try:
        return store.load(key, part=part)
    except ResultsError as error:
        kept = store.put_aside(key, part=part)
        tell(f"damaged, and run again: {name}: {error}; what is left of it is in {kept}")
        return None
