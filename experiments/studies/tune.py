"""Searching the parameters of a policy on the past with Optuna, and judging the best on later spans."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.common.text import Notify, silent
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.runs.run import FinishedReplay, Workers, run_all
from planbatch.experiments.runs.task import Failure
from planbatch.experiments.studies.metrics import REFERENCE, Metric, measure
from planbatch.experiments.studies.tune_file import Range, Tuning
from planbatch.experiments.workloads.load import load_deadlines, workload_of_source
from planbatch.planner.model import Workload

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import Trial

#: Trials per batch, whatever the number of processes.
BATCH = 8


@dataclass(frozen=True)
class PolicyGoals:
    """A policy on the past and on later spans."""

    policy: str  # its name, with its parameters
    #: For the past and each later span, the goals; NaN for each where the replay failed.
    values: tuple[tuple[float, ...], ...]
    error: str = ""  # why a trial failed; empty if it did not


@dataclass(frozen=True)
class TuningResult:
    """The result of a search of parameters."""

    tuning: Tuning  # what was searched
    baselines: tuple[PolicyGoals, ...] = ()  # EASY, and the default policy
    front: tuple[PolicyGoals, ...] = ()  # the Pareto front of the trials on the past, by the first goal
    trials: tuple[PolicyGoals, ...] = ()  # all trials, in order, on the past alone
    unfinished: bool = False  # whether an interrupt ended the search; then nothing has been judged

    def to_dict(self) -> dict[str, Any]:
        """Return the search for JSON."""
        return {
            "policy": self.tuning.policy,
            "past": self.tuning.past,
            "later": list(self.tuning.later),
            "baselines": [self._row(judged) for judged in self.baselines],
            "front": [self._row(judged) for judged in self.front],
            "trials": [self._row(judged) for judged in self.trials],
            "interrupted": self.unfinished,
        }

    def _row(self, judged: PolicyGoals) -> dict[str, Any]:
        """Return a policy by span and goal; trials were on the past alone."""
        goals = [goal.name for goal in self.tuning.goals]
        spans = (self.tuning.past, *self.tuning.later)
        by_span = zip(spans, judged.values, strict=False)
        values = {span: dict(zip(goals, figures, strict=True)) for span, figures in by_span}
        return {"policy": judged.policy, "values": values, "error": judged.error or None}


#: The goals of a replay, or why it has none.
_Outcome = tuple[float, ...] | Exception


class _InterruptedError(Exception):
    """Some replays have not finished."""


def tune(tuning: Tuning, *, jobs: int = 1, out: str | Path | None = None, notify: Notify = silent) -> TuningResult:
    """Search the parameters in ``jobs`` processes; the trials are the same whatever their number.

    A trial whose replay fails, or lacks a value of a goal, is reported and ignored. The folder ``out`` keeps the
    replays, so an interrupted search goes on. ``ValueError`` if Optuna is not installed, a span has no jobs, or all
    trials failed; whatever EASY's replay, or that of the default policy, raises.
    """
    study = _study(tuning)
    past, *later = [_span(tuning, span, notify) for span in (tuning.past, *tuning.later)]

    def values(workload: Workload, names: Sequence[str]) -> list[_Outcome]:
        return _measure(tuning, workload, names, jobs, out, notify)

    trials: list[PolicyGoals] = []
    try:
        while len(trials) < tuning.trials:
            size = min(BATCH, tuning.trials - len(trials))
            batch = [study.ask(_distributions(tuning)) for _ in range(size)]
            names = [tuning.text(trial.params) for trial in batch]
            for trial, name, outcome in zip(batch, names, values(past, names), strict=True):
                trials.append(_report_trial(study, trial, name, outcome, tuning, notify))
        best = {trials[trial.number].policy: None for trial in _best_trials(study, trials)}
        names = list(dict.fromkeys((REFERENCE, tuning.default)))
        policies = [*names, *best]
        columns = [values(workload, policies) for workload in (past, *later)]
    except _InterruptedError:
        return TuningResult(tuning, trials=tuple(trials), unfinished=True)
    rows = []
    for index, name in enumerate(policies):
        outcomes = [column[index] for column in columns]
        failed = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
        if failed and name in names:
            raise failed[0]
        for outcome in failed:
            notify(f"planbatch: {name} failed on a later span: {outcome}")
        error = str(failed[0]) if failed else ""
        rows.append(PolicyGoals(name, tuple(_numbers(outcome, tuning) for outcome in outcomes), error))
    front = sorted(rows[len(names) :], key=lambda row: row.values[0])
    return TuningResult(tuning, tuple(rows[: len(names)]), tuple(front), tuple(trials))


def _report_trial(
    study: "Study", trial: "Trial", name: str, outcome: _Outcome, tuning: Tuning, notify: Notify
) -> PolicyGoals:
    """Report the values of a trial, or its failure, to Optuna."""
    from optuna.trial import TrialState

    if not isinstance(outcome, Exception):
        study.tell(trial, list(outcome))
        return PolicyGoals(name, (outcome,))
    study.tell(trial, state=TrialState.FAIL)
    notify(f"planbatch: trial {trial.number}, {name}, failed: {outcome}")
    return PolicyGoals(name, (_numbers(outcome, tuning),), str(outcome))


def _best_trials(study: "Study", trials: Sequence[PolicyGoals]) -> list[Any]:
    """Return the Pareto front of the trials; ``ValueError`` if all of them failed."""
    if all(trial.error for trial in trials):
        first = trials[0]
        raise ValueError(f"all {len(trials)} trials failed; {first.policy}: {first.error}")
    return list(study.best_trials)


def _numbers(outcome: _Outcome, tuning: Tuning) -> tuple[float, ...]:
    return (math.nan,) * len(tuning.goals) if isinstance(outcome, Exception) else outcome


def _study(tuning: Tuning) -> "Study":
    try:
        import optuna
    except ImportError:
        raise ValueError("planbatch tune needs Optuna; install it with pip install 'planbatch[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna.create_study(
        sampler=optuna.samplers.TPESampler(seed=tuning.seed),
        directions=["maximize" if goal.more_is_better else "minimize" for goal in tuning.goals],
    )


def _distributions(tuning: Tuning) -> dict[str, Any]:
    """Return the distribution of each parameter for Optuna."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    distributions: dict[str, Any] = {}
    for name, values in tuning.parameters.items():
        if not isinstance(values, Range):
            distributions[name] = CategoricalDistribution(values)
        elif values.whole:
            distributions[name] = IntDistribution(int(values.low), int(values.high), log=values.log)
        else:
            distributions[name] = FloatDistribution(values.low, values.high, log=values.log)
    return distributions


def _span(tuning: Tuning, span: str, notify: Notify) -> Workload:
    """Load one span of the log; its name says which."""
    spec = tuning.workload
    try:
        workload = workload_of_source(spec.log, replace(spec.options, span=span), notify)
    except ValueError as error:
        where = tuning.places.get(span, "")
        raise ValueError(f"{where}: {error}" if where else str(error)) from error
    if spec.deadlines:
        workload = load_deadlines(workload, spec.deadlines, tuning.seed, spec.log, spec.options)
    return workload.take(slice(None), name=f"{spec.name or workload.name} {span}")


def _measure(
    tuning: Tuning, workload: Workload, names: Sequence[str], jobs: int, out: str | Path | None, notify: Notify
) -> list[_Outcome]:
    """Replay a workload under policies, and return their goals, in order."""
    attempts = [_task(tuning, workload, name) for name in names]
    tasks = [task for task in attempts if isinstance(task, ReplayTask)]
    replayed = run_all(tasks, Workers(jobs), out, "Parameters tuned on the past", notify=notify)
    if len(replayed) < len(tasks):
        raise _InterruptedError
    outcomes = iter(replayed[index] for index in range(len(tasks)))
    return [
        task if isinstance(task, Exception) else _goals(next(outcomes), task.name, tuning.goals, notify)
        for task in attempts
    ]


def _task(tuning: Tuning, workload: Workload, name: str) -> ReplayTask | Exception:
    """Describe the replay of a policy; parameters between those that were checked can be refused, too."""
    try:
        policy = make_policy(name)
    except (ValueError, OSError) as error:
        return error
    return ReplayTask(workload, policy, tuning.workload.estimates, tuning.seed, label=name)


def _goals(outcome: FinishedReplay | Failure, name: str, goals: Sequence[Metric], notify: Notify) -> _Outcome:
    """Measure the goals of one replay; without a value of each it failed."""
    if isinstance(outcome, Failure):
        cause = outcome.cause(name)
        if isinstance(cause, Exception):
            return cause
        raise cause
    values = measure(outcome.trace().to_frame(), goals, notify)
    for goal, value in values.items():
        if math.isnan(value):
            return ValueError(f"goals: {goal} has no value on {name}")
    return tuple(values.values())
