"""Replaying a workload under a policy, job by job."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from planbatch.baselines.catalogue import as_policy
from planbatch.baselines.policy import CompiledPolicy, Policy, explained, policy_name, traits_of
from planbatch.baselines.promise import Promise
from planbatch.baselines.recorded import Recorded
from planbatch.experiments.replay.beside import compiles_decision, compiles_loop, run_beside
from planbatch.experiments.replay.estimates import (
    Estimates,
    estimated_times,
    predictor_of,
    shared_history,
)
from planbatch.experiments.replay.instants import EACH_EVENT, EACH_INSTANT, check_rounds
from planbatch.experiments.replay.loop.drive import compiled_drive, drive, drive_is_ready
from planbatch.experiments.replay.loop.state import At, Log, Replay, Status, empty_log, empty_replay
from planbatch.experiments.replay.recorded import recorded_trace
from planbatch.experiments.replay.trace import RoundLog, Trace
from planbatch.objectives.wait import mean_wait
from planbatch.planner.history import History, Learner, follow_nothing
from planbatch.planner.kernels.guarantees import keep_plan, keep_promises
from planbatch.planner.kernels.native import Kernel
from planbatch.planner.kernels.signatures import COST, FOLLOW, ORDER_KEYS, Report, round_types
from planbatch.planner.ledger import Ledger
from planbatch.planner.model import NEVER, FloatArray, IntArray, JobTable, Workload
from planbatch.planner.optimizer import Result
from planbatch.planner.orders import submit_order
from planbatch.planner.plan import Plan
from planbatch.planner.resources import window_table
from planbatch.planner.round import Round, RoundArrays, RunningTable

#: Rounds that the compiled loop runs at once: few at first, so that searches can be interrupted and show progress;
#: twice as many after each run that took less than ``SHORT_GO`` seconds.
FIRST_ROUNDS, MOST_ROUNDS = 16, 8192
SHORT_GO = 0.1
#: What the loop takes as ``follow``, ``guard`` and ``turns`` if nothing asks for the past and a round is an instant.
NO_KERNELS = (None, None, None)
#: How many rounds in a row a policy in Python may put off what it planned while nothing else happens.
MOST_IDLE_ROUNDS = 10_000


class ReplayError(ValueError):
    """A policy broke the rules of the replay.

    Examples
    --------
    >>> import numpy as np
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> def too_much(problem, rng):
    ...     return pb.Plan(np.full(len(problem), problem.now))
    >>> try:
    ...     pb.replay(workload, too_much)
    ... except pb.ReplayError as error:
    ...     print(error)
    policy too-much started more jobs than fit, in the round at 54129
    """


def bound(policy: Policy, workload: Workload) -> Policy:
    """Return the policy bound to a workload: some policies need its header, such as those that know working time."""
    bind = getattr(policy, "for_workload", None)
    return policy if bind is None else bind(workload)  # type: ignore[no-any-return]


def compiled_form(policy: Policy) -> CompiledPolicy | None:
    """Return the compiled form of a policy, or None if it has none."""
    form = getattr(policy, "compiled_form", None)
    return form() if form is not None else None


def prepare(
    workload: Workload,
    estimates: Estimates,
    promise: Promise | None,
    history: History | None = None,
    rounds: str = EACH_INSTANT,
) -> Replay:
    """Return the state of a replay before its first instant."""
    check_rounds(rounds)
    predictor = predictor_of(estimates)
    history = shared_history(history, predictor)
    waiting, occupied = estimated_times(workload, estimates)
    users, rows = np.unique(workload.user, return_inverse=True)
    replay = empty_replay(
        len(workload),
        workload.capacity,
        FIRST_ROUNDS,
        [resource.capacity for resource in workload.resources],
        window_table(workload.windows, workload.capacity, workload.resources),
        [window.announced for window in workload.windows],
        None
        if history is None
        else (history.rows(len(users), len(workload)), history.width, history.columns),
        history is not None and history.ledger,
    )
    if history is not None and history.learn is not None and len(workload):
        schedule_lesson(replay, history.learn, workload.submit[0])
    replay.counters[At.EACH_EVENT] = rounds == EACH_EVENT
    replay.user_row[:] = rows
    replay.jobs.submit[:] = workload.submit
    replay.jobs.procs[:] = workload.procs
    replay.jobs.walltime[:] = waiting
    replay.jobs.deadline[:] = workload.deadline
    replay.jobs.latest[:] = NEVER
    replay.jobs.user[:] = workload.user
    replay.jobs.demands[:] = workload.demands
    if promise is not None:
        replay.slack[:], replay.floor[:] = promise.limits(replay.jobs)
    replay.runtime[:] = workload.runtime
    replay.occupied[:] = occupied
    if predictor is not None:
        replay.counters[At.PREDICTION] = predictor.column
        replay.counters[At.CORRECTOR] = predictor.corrector
        replay.counters[At.GUARDED] = promise is not None
    return replay


def round_seen(arrays: RoundArrays, workload: Workload, replay: Replay) -> Round:
    """Return what a policy sees at this moment of a replay, as a :class:`Round`."""
    first, last = replay.counters[At.FIRST], replay.counters[At.LAST]
    return Round(
        int(arrays.now),
        int(arrays.capacity),
        RunningTable(*arrays.running),
        JobTable(*arrays.jobs),
        arrays.planned,
        bool(arrays.ended_early),
        workload.id[replay.queue_job[first:last]],
        arrays.notes,
        arrays.occupied,
        workload.resources,
        arrays.windows,
        Ledger._make(column.copy() for column in arrays.ledger),
    )


def interpreted_decide(policy: Policy, workload: Workload, replay: Replay) -> Callable[..., None]:
    """Return ``policy`` as the event loop calls it: a round in, starts out."""
    happened: list[tuple[int, ...]] = []

    def check_that_something_happens(now: int) -> None:
        """Raise if the policy always plans for later: the rounds would never end."""
        counters = replay.counters
        state = tuple(int(counters[c]) for c in (At.STARTED, At.SUBMITTED, At.RUNNING, At.CHANGE))
        if happened and happened[0] != state:
            happened.clear()
        happened.append(state)
        if len(happened) > MOST_IDLE_ROUNDS:
            raise ReplayError(
                f"policy {policy_name(policy)} has put off its plan in {MOST_IDLE_ROUNDS:,} rounds "
                f"in which nothing else happened, until {now}"
            )

    def decide(
        arrays: RoundArrays,
        order: Any,
        cost: Any,
        params: FloatArray,
        rng: np.random.Generator,
        start: IntArray,
        report: FloatArray,
    ) -> None:
        n = len(start)
        problem = round_seen(arrays, workload, replay)
        check_that_something_happens(int(arrays.now))
        outcome = policy(problem, rng)
        if isinstance(outcome, Result):
            report[Report.EVALUATIONS] = outcome.evaluations
            report[Report.SEED_COST] = outcome.seed_cost
            report[Report.COST] = outcome.cost
            outcome = outcome.plan
        if not isinstance(outcome, Plan):
            given = "None" if outcome is None else f"a {type(outcome).__name__}"
            raise ReplayError(
                f"policy {policy_name(policy)} returned {given} in the round at {arrays.now}; "
                "it should return a Plan or a Result"
            )
        if len(outcome.start) != n:
            raise ReplayError(
                f"policy {policy_name(policy)} planned {len(outcome.start)} of {n} jobs "
                f"at {arrays.now}"
            )
        start[:] = outcome.start
        if outcome.notes is not None:
            arrays.notes[:] = outcome.notes

    return decide


def kernel_to_compile(policy: Policy, several: bool = False) -> Any:
    """Return the kernel of a policy if a replay would have to compile it first, else None; see :func:`warm_up`."""
    native = compiled_form(policy)
    if native is None or not isinstance(native.decide, Kernel):
        return None
    ready = native.decide.is_ready(round_types(several).decide.signature.args)
    return None if ready else native.decide


def warm_up(
    policy: Policy,
    several: bool = False,
    estimates: Estimates = "requested",
    rounds: str = EACH_INSTANT,
) -> None:
    """Compile what a replay of ``policy`` runs, or load it from disk, so that no replay's time includes it.

    ``several`` says whether the machine has resources besides processors.
    """
    native = compiled_form(policy)
    if native is None:
        return
    plain = (
        shared_history(native.history, predictor_of(estimates)) is None and rounds == EACH_INSTANT
    )
    kernels: tuple[tuple[Any, Any], ...] = (
        (native.decide, round_types(several).decide),
        (native.order, ORDER_KEYS),
        (native.cost, COST),
        *(() if plain else ((native.follow, FOLLOW), (keep_plan, round_types(several).guard))),
    )
    decide: Any = native.decide
    both = kernel_to_compile(policy, several) is not None and not drive_is_ready(several, plain)
    if native.traits.searches:  # takes longer than the loop
        with run_beside(compiles_loop(several, plain), both):
            decide.compile(round_types(several).decide.signature.args)
    else:
        with run_beside(compiles_decision(decide.__module__, decide.__name__, several), both):
            compiled_drive(several, plain)
    compiled_drive(several, plain)
    for compiled, kind in kernels:
        compiled.compile(kind.signature.args)


def replay(
    workload: Workload,
    policy: Policy | str,
    *,
    estimates: Estimates = "requested",
    seed: int = 0,
    compiled: bool | None = None,
    progress: Callable[[int], None] | None = None,
    rounds: str = EACH_INSTANT,
) -> Trace:
    """Replay a workload under a policy (design rules 1 to 8).

    Parameters
    ----------
    workload : Workload
        The jobs and the machine.
    policy : Policy or str
        What decides the rounds, or its name.
    estimates : str
        What schedulers know of run times: ``requested``, the requested times; ``actual``, the run times; ``mixed``, as
        in the simulator behind Zheng et al. 2016, the requested times of running and the run times of waiting jobs; or
        ``predicted:NAME``, what a predictor makes of the past (:mod:`~planbatch.planner.predictors`).
    seed : int
        Seed of the policy's random numbers.
    compiled : bool, optional
        Whether the loop runs compiled; by default, if the policy can.
    progress : callable, optional
        Called now and then with the number of jobs started so far.
    rounds : str
        ``each-instant``: one round at each instant, after all that happens there (rule 4); ``each-event``: one after
        each submission and each end, as in the simulator of Gaussier et al. (SC 2015); see
        :func:`~planbatch.experiments.replay.loop.advance.advance_by_event`.

    Returns
    -------
    Trace

    Raises
    ------
    ReplayError
        If the policy starts more than fits, plans the past, lets jobs wait for ever, or returns no plan.
    ValueError
        If a function of the user's raises, or returns what it should not; as ``ObjectiveError``, ``OrderError`` or
        ``OptimizerError``, with its name and the round.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> trace = pb.replay(workload, "easy")
    >>> pb.check_trace(trace), int((trace.start - workload.submit).min())
    ([], 0)
    """
    policy = bound(as_policy(policy), workload)
    if isinstance(policy, Recorded):
        return recorded_trace(workload, policy)
    native = compiled_form(policy)
    if compiled and native is None:
        raise ValueError(f"policy {policy_name(policy)} has parts that are not compiled")
    history = getattr(policy, "history", None)
    state = prepare(workload, estimates, getattr(policy, "promise", None), history, rounds)
    kept = shared_history(history, predictor_of(estimates))
    rng = np.random.default_rng(seed)
    loop: Callable[..., int]
    arguments: tuple[Any, ...]
    if native is not None and compiled is not False:
        several = bool(workload.resources)
        warm_up(native, several, estimates, rounds)
        further = further_kernels(state, kept, native.order)
        loop = compiled_drive(several, further == NO_KERNELS)
        kernels = native.decide, native.order, native.cost
        arguments = (*kernels, *further, native.param_array, rng)
    else:
        loop = drive
        decide = interpreted_decide(policy, workload, state)
        order = submit_order if native is None else native.order
        further = further_kernels(state, kept, order)
        arguments = (decide, order, mean_wait, *further, np.zeros(0), rng)
    began = perf_counter()
    try:
        status, pages = run_to_the_end(state, loop, arguments, learner_of(kept), progress)
    except Exception as error:
        if native is None or loop is drive:
            raise
        raise explained(error, native, int(state.counters[At.NOW])) from error
    seconds = perf_counter() - began
    if status != Status.FINISHED:
        raise ReplayError(describe_failure(status, policy, state))
    log = RoundLog(*(np.concatenate(column) for column in zip(*pages, strict=True)))
    end = state.start + workload.runtime
    return Trace(
        workload,
        policy_name(policy),
        state.start,
        end,
        log,
        seconds,
        state.jobs.latest,
        state.first_planned,
        traits_of(policy),
        state.predicted,
    )


def further_kernels(state: Replay, history: History | None, order: Any) -> tuple[Any, Any, Any]:
    """Return ``follow``, ``guard`` and ``turns`` as the loop takes them: all three, or :data:`NO_KERNELS`."""
    if history is None and not state.counters[At.EACH_EVENT]:
        return NO_KERNELS
    follow = follow_nothing if history is None else history.follow
    guard = keep_promises if state.counters[At.GUARDED] else keep_plan
    guarded = round_types(len(state.free) > 0).guard
    for compiled, kind in ((follow, FOLLOW), (guard, guarded)):
        if isinstance(compiled, Dispatcher):
            compiled.compile(kind.signature.args)
    return follow, guard, order


def learner_of(history: History | None) -> Learner | None:
    """Return what a history learns by, if it does."""
    return None if history is None else history.learn


def schedule_lesson(state: Replay, learn: Learner, now: int) -> None:
    """Note when the next lesson is due. Jobs start before they end: with too few starts, the loop need not stop."""
    state.counters[At.LESSON] = now + learn.every
    state.counters[At.ENOUGH] = learn.enough(state.memory)


def run_loop(
    state: Replay, loop: Callable[..., int], arguments: tuple[Any, ...], learn: Learner | None
) -> int:
    """Run the loop, and have the history learn whenever that is due; return the loop's status."""
    status = loop(state, *arguments)
    while status == Status.LESSON_DUE and learn is not None:
        learn(state.news[: state.counters[At.NEWS]], state.memory)
        schedule_lesson(state, learn, state.counters[At.NOW])
        status = loop(state, *arguments)
    return status


def run_to_the_end(
    state: Replay,
    loop: Callable[..., int],
    arguments: tuple[Any, ...],
    learn: Learner | None,
    progress: Callable[[int], None] | None,
) -> tuple[int, list[Log]]:
    """Run the loop some rounds at a time until the replay is over; return its status and the logs."""
    pages = []
    status: int = Status.LOG_FULL
    while status == Status.LOG_FULL:
        began = perf_counter()
        status = run_loop(state, loop, arguments, learn)
        took = perf_counter() - began
        logged = int(state.counters[At.LOGGED])
        pages.append(Log._make(column[:logged].copy() for column in state.log))
        state.counters[At.LOGGED] = 0
        if took < SHORT_GO and logged < MOST_ROUNDS:
            state = state._replace(log=empty_log(2 * len(state.log.time)))
        if progress is not None:
            progress(int(state.counters[At.STARTED]))
    return status, pages


def describe_failure(status: int, policy: Policy, state: Replay) -> str:
    """Return what went wrong, in one sentence."""
    now = int(state.counters[At.NOW])
    waiting = int(state.counters[At.SUBMITTED] - state.counters[At.STARTED])
    what = {
        Status.STUCK: f"left {waiting} jobs waiting on an idle machine, the last round at {now}",
        Status.BAD_START: f"planned a start in the past, in the round at {now}",
        Status.OVER_CAPACITY: f"started more jobs than fit, in the round at {now}",
    }[Status(status)]
    return f"policy {policy_name(policy)} {what}"
