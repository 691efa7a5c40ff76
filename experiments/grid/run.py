"""Running an experiment: only what is missing, in parallel, each cell stored as soon as it is finished."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planbatch.experiments.grid.cells import Cell, expand
from planbatch.experiments.grid.pieces import Piece, loaded, missing_pieces, parts
from planbatch.experiments.grid.space import warn_of_little_space
from planbatch.experiments.grid.spans import put_together
from planbatch.experiments.grid.spec import Experiment
from planbatch.experiments.grid.summary import write_tables
from planbatch.experiments.results.identity import versions
from planbatch.experiments.results.store import Store
from planbatch.experiments.tasks.backends import Backend, BackendError, check_backend, make_backend
from planbatch.experiments.tasks.cores import usable_cores
from planbatch.experiments.tasks.failure import Failure
from planbatch.experiments.tasks.progress import ReplayProgress

Tell = Callable[[str], None]


@dataclass(frozen=True)
class RunReport:
    """What a run came to.

    Attributes
    ----------
    folder : Path
        Where the results are.
    cells : int
        Cells of the grid.
    reused : int
        Cells that were there already.
    failed : mapping of str to str
        Cells without a result, and why.
    interrupted : bool
        Whether it was ended before its time (Ctrl-C).
    missing : int
        Cells that are not there.
    found : mapping of str to dict
        The ``cell.json`` of every cell that is there, by its key.
    """

    folder: Path
    cells: int
    reused: int
    failed: Mapping[str, str]
    interrupted: bool
    missing: int
    found: Mapping[str, Any] = field(repr=False, default_factory=dict)


def run_experiment(
    experiment: Experiment,
    out: str | Path,
    *,
    jobs: int = 1,
    backend: str = "loky",
    scheduler: str | None = None,
    tell: Tell = lambda line: None,
    quiet: bool = True,
) -> RunReport:
    """Run an experiment, or what is missing of it.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    out : str or Path
        Folder of the results; those that it holds are used.
    jobs : int
        Tasks at a time.
    backend : {"loky", "threading", "dask", "ray"}
        Where they run.
    scheduler : str, optional
        Address of a Dask or Ray cluster.
    tell : callable
        Told what people should know.
    quiet : bool
        Whether no progress is shown.

    Returns
    -------
    RunReport
        An interrupt (Ctrl-C) ends the run; what is finished is stored.

    Raises
    ------
    ValueError, OSError
        For bad input, before anything runs; and where results cannot be written. Finished results are never touched.
    """
    check_backend(backend, scheduler)
    cells = expand(experiment, tell)
    _check_seconds(cells, jobs, scheduler)
    store = Store(Path(out))
    store.check()
    with store.locked():
        store.clean()
        found = _stored(store, cells, tell)
        reused = len(found)
        pieces = missing_pieces(store, [cell for cell in cells if cell.key not in found], tell)
        _tell_of_others(store, cells, found, tell)
        warn_of_little_space(store.folder, [len(p.task.workload) for p in pieces], tell)
        store.begin(experiment.title, [cell.key for cell in cells])
        failed: dict[str, str] = {}
        interrupted = False
        if len(found) < len(cells):
            for name in ("summary.csv", "summary.parquet"):
                (store.folder / name).unlink(missing_ok=True)
        try:
            _run_pieces(pieces, store, failed, found, (backend, jobs, scheduler), quiet)
            _put_spans_together(store, cells, found, failed)
            write_tables(store, cells, found)
        except KeyboardInterrupt:
            interrupted = True
    missing = sum(not store.place(cell.key).exists() for cell in cells)
    return RunReport(store.folder, len(cells), reused, failed, interrupted, missing, found)


def _check_seconds(cells: Sequence[Cell], jobs: int, scheduler: str | None) -> None:
    """Raise where searches limited by time would have to share cores."""
    cores = len(usable_cores())
    if scheduler is None and jobs > cores and any(cell.timed for cell in cells):
        raise BackendError(
            f"jobs: {jobs} searches limited by seconds would share {cores} cores; give at most "
            f"--jobs {cores}, or budgets in evaluations"
        )


def _stored(store: Store, cells: Sequence[Cell], tell: Tell) -> dict[str, Any]:
    """Find the cells that are there; what is damaged is put aside, names that have changed are written anew."""
    found = {}
    for cell in cells:
        described = loaded(store, cell.key, cell.described(), tell)
        if described is None:
            continue
        settings = cell.settings()
        if described["settings"] != settings:
            described["settings"] = settings
            store.describe_anew(cell.key, described)
        found[cell.key] = described
    libraries = {name: version for name, version in versions().items() if name != "code"}
    other = [
        described
        for described in found.values()
        if any(described["versions"].get(name) != version for name, version in libraries.items())
    ]
    if other:
        made = ", ".join(f"{name} {other[0]['versions'].get(name)}" for name in libraries)
        tell(f"{len(other)} finished cells were made with other versions ({made}), and are kept")
    return found


def _tell_of_others(
    store: Store, cells: Sequence[Cell], found: Mapping[str, Any], tell: Tell
) -> None:
    """Say how much is there already, and that cells of other grids or versions stay."""
    others = store.others([cell.key for cell in cells])
    if found:
        tell(f"{len(found)} of {len(cells)} cells are there already")
    if others:
        tell(
            f"{len(others)} other cells in {store.folder}, of other settings or another version of "
            "the code, stay where they are and do not count"
        )


def _run_pieces(
    pieces: Sequence[Piece],
    store: Store,
    failed: dict[str, str],
    found: dict[str, Any],
    where: tuple[str, int, str | None],
    quiet: bool,
) -> None:
    """Run tasks, and store each outcome at once; first those limited by evaluations, then by seconds."""
    from planbatch.experiments.replay.replay import bound, warm_up

    if not pieces:
        return
    for piece in {piece.cell.label: piece for piece in pieces}.values():
        # Compiled once, here, and not by all workers at the same time.
        warm_up(bound(piece.task.policy, piece.task.workload))
    backend, jobs, scheduler = where
    jobs = min(jobs, len(pieces))
    names = [piece.name for piece in pieces]
    sizes = [len(piece.task.workload) for piece in pieces]
    weights = [piece.weight for piece in pieces]
    with (
        make_backend(backend, jobs, scheduler) as pool,
        ReplayProgress(names, sizes, weights, quiet) as progress,
    ):
        for timed in (False, True):
            places = [i for i, piece in enumerate(pieces) if piece.cell.timed is timed]
            _run_some(pieces, places, pool, store, failed, found, progress)


def _run_some(
    pieces: Sequence[Piece],
    places: Sequence[int],
    pool: Backend,
    store: Store,
    failed: dict[str, str],
    found: dict[str, Any],
    progress: ReplayProgress,
) -> None:
    """Run the tasks at some places."""
    tasks = [pieces[place].task for place in places]

    def tell(which: int, started: int) -> None:
        progress(places[which], started)

    # Closing ends whatever still runs, where a result could not be stored or people interrupt.
    with closing(pool.run(tasks, tell)) as results:
        for which, outcome in results:
            piece = pieces[places[which]]
            if isinstance(outcome, Failure):
                failed[piece.name] = outcome.error
                progress.finished(places[which], outcome.error)
                continue
            part = piece.span is not None
            described = store.store(piece.key, piece.settings(), outcome, part=part)
            if not part:
                found[piece.key] = described
            progress.finished(places[which])


def _put_spans_together(
    store: Store, cells: Sequence[Cell], found: dict[str, Any], failed: Mapping[str, str]
) -> None:
    """Make cells of spans, where all of them are there."""
    for cell in cells:
        if cell.spans is None or cell.key in found:
            continue
        keys = [key for _, key in parts(cell)]
        if all(store.place(key, part=True).exists() for key in keys):
            outcome = put_together(cell, keys, store)
            found[cell.key] = store.store(cell.key, cell.settings(), outcome)
