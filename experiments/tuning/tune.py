"""Searching the parameters of a policy on the past with Optuna, and judging the best on later spans."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.comparison.columns import REFERENCE
from planbatch.experiments.grid.spec import EMBEDDED
from planbatch.experiments.metrics.catalogue import Metric, measure
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.results.run import Workers, run_all
from planbatch.experiments.tasks.task import Failure
from planbatch.experiments.tuning.spec import MORE_IS_BETTER, Range, Tuning
from planbatch.experiments.workloads.load import load_deadlines, load_workload
from planbatch.planner.model import Workload

if TYPE_CHECKING:
    from optuna.study import Study

#: Trials that are asked for, run side by side and told at a time, whatever the number of processes.
BATCH = 8
Say = Callable[[str], None]


@dataclass(frozen=True)
class Judged:
    """A policy on the past and on later spans.

    Attributes
    ----------
    policy : str
        Its name, with its parameters.
    values : tuple of tuple of float
        For the past and each later span, the goals.
    """

    policy: str
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Tuned:
    """What a search of parameters came to.

    Attributes
    ----------
    tuning : Tuning
        What was searched.
    beside : tuple of Judged
        EASY, and the default policy.
    front : tuple of Judged
        The Pareto front of the trials on the past, by the first goal.
    trials : tuple of Judged
        All trials, in order, on the past alone.
    unfinished : bool
        Whether an interrupt ended the search; then nothing has been judged.
    """

    tuning: Tuning
    beside: tuple[Judged, ...] = ()
    front: tuple[Judged, ...] = ()
    trials: tuple[Judged, ...] = ()
    unfinished: bool = False


class _InterruptedError(Exception):
    """Some replays have not finished."""


def tune(
    tuning: Tuning, *, jobs: int = 1, out: str | Path | None = None, say: Say = lambda line: None
) -> Tuned:
    """Search the parameters; the trials are the same whatever the number of processes.

    Parameters
    ----------
    tuning : Tuning
        What is searched.
    jobs : int
        Processes.
    out : str or Path, optional
        Folder of the replays; those that it holds are not run again, so an interrupted search goes on.
    say : callable
        Called with messages for the user.

    Raises
    ------
    ValueError
        If Optuna is not installed, or a span has no jobs.
    """
    study = _study(tuning)
    past, *later = [_span(tuning, span, say) for span in (tuning.past, *tuning.later)]

    def values(workload: Workload, names: Sequence[str]) -> list[tuple[float, ...]]:
        return _measured(tuning, workload, names, jobs, out, say)

    trials: list[Judged] = []
    try:
        while len(trials) < tuning.trials:
            size = min(BATCH, tuning.trials - len(trials))
            asked = [study.ask(_distributions(tuning)) for _ in range(size)]
            names = [tuning.text(trial.params) for trial in asked]
            for trial, name, found in zip(asked, names, values(past, names), strict=True):
                study.tell(trial, list(found))
                trials.append(Judged(name, (found,)))
        best = {trials[trial.number].policy: None for trial in study.best_trials}
        names = list(dict.fromkeys((REFERENCE, tuning.default)))
        together = [*names, *best]
        columns = [values(workload, together) for workload in (past, *later)]
    except _InterruptedError:
        return Tuned(tuning, trials=tuple(trials), unfinished=True)
    rows = [
        Judged(name, tuple(column[place] for column in columns))
        for place, name in enumerate(together)
    ]
    front = sorted(rows[len(names) :], key=lambda row: row.values[0])
    return Tuned(tuning, tuple(rows[: len(names)]), tuple(front), tuple(trials))


def _study(tuning: Tuning) -> "Study":
    try:
        import optuna
    except ImportError:
        raise ValueError(
            "planbatch tune needs Optuna; install it with pip install 'planbatch[tune]'"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    more = [goal.name in MORE_IS_BETTER for goal in tuning.goals]
    return optuna.create_study(
        sampler=optuna.samplers.TPESampler(seed=tuning.seed),
        directions=["maximize" if best else "minimize" for best in more],
    )


def _distributions(tuning: Tuning) -> dict[str, Any]:
    """Return what Optuna draws each parameter from."""
    from optuna.distributions import (
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )

    made: dict[str, Any] = {}
    for name, values in tuning.parameters.items():
        if not isinstance(values, Range):
            made[name] = CategoricalDistribution(values)
        elif values.whole:
            made[name] = IntDistribution(int(values.low), int(values.high), log=values.log)
        else:
            made[name] = FloatDistribution(values.low, values.high, log=values.log)
    return made


def _span(tuning: Tuning, span: str, say: Say) -> Workload:
    """Load one span of the log; its name says which."""
    spec = tuning.workload
    source = None if spec.source == EMBEDDED else spec.source
    found = load_workload(source, replace(spec.options, span=span), say)
    if spec.deadlines:
        found = load_deadlines(found, spec.deadlines, tuning.seed, source)
    return found.take(slice(None), name=f"{spec.name or found.name} {span}")


def _measured(
    tuning: Tuning,
    workload: Workload,
    names: Sequence[str],
    jobs: int,
    out: str | Path | None,
    say: Say,
) -> list[tuple[float, ...]]:
    """Replay a workload under policies, and return their goals, in order."""
    tasks = [
        ReplayTask(
            workload,
            make_policy(name),
            tuning.workload.estimates,
            tuning.seed,
            rounds=tuning.workload.rounds,
            label=name,
        )
        for name in names
    ]
    found = run_all(tasks, Workers(jobs), out, "Parameters tuned on the past", None, say)
    if len(found) < len(tasks):
        raise _InterruptedError
    values = []
    for place, task in enumerate(tasks):
        outcome = found[place]
        if isinstance(outcome, Failure):
            outcome.reraise(task.name)
        else:
            values.append(_goals(outcome.trace().to_frame(), tuning.goals, say))
    return values


def _goals(jobs: Any, goals: Sequence[Metric], say: Say) -> tuple[float, ...]:
    """Measure the goals of one replay; one that is no number ends the search."""
    values = measure(jobs, goals, say)
    for name, value in values.items():
        if value != value:
            raise ValueError(f"goals: {name} has no value on {jobs.attrs['policy']}")
    return tuple(values.values())
