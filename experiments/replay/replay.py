"""Replaying a workload under a policy, job by job; and looking at the rounds of a replay."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from planbatch import _core
from planbatch.baselines.policy import Policy, as_policy, core_form, policy_name, traits_of
from planbatch.experiments.replay.estimates import REQUESTED, Estimates, check_estimates
from planbatch.experiments.replay.simulation import ReplayError, Simulation
from planbatch.experiments.replay.trace import RoundLog, Trace
from planbatch.experiments.workloads.as_workload import as_workload
from planbatch.planner.arguments import expect_function, whole
from planbatch.planner.model import NEVER, Workload
from planbatch.planner.optimizer import Result
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round

#: Receives every round and its plan.
Observer = Callable[[Round, Plan], None]
#: For how long the core runs rounds before progress is reported (s).
PORTION = 0.1


def bound(policy: Policy, workload: Workload) -> Policy:
    """Return the policy bound to a workload: some policies need its header, such as those that know working time."""
    bind = getattr(policy, "for_workload", None)
    return policy if bind is None else bind(workload)  # type: ignore[no-any-return]


def replay(
    workload: "Workload | str | Path",
    policy: Policy | str,
    *,
    estimates: Estimates = REQUESTED,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Trace:
    """Replay a workload under a policy (design rules 1 to 8).

    Parameters
    ----------
    workload : Workload, str or Path
        The jobs and the machine, or the path or name of a log.
    policy : Policy or str
        What decides the rounds, or its name.
    estimates : str
        What schedulers know of run times: ``requested``, the requested times; ``actual``, the run times; ``mixed``, as
        in the simulator behind Zheng et al. 2016, the requested times of running and the run times of waiting jobs; or
        ``predicted:NAME``, what a predictor makes of the past (:mod:`~planbatch.planner.history.predictors`).
    seed : int
        Seed of the policy's random numbers.
    progress : callable, optional
        Called now and then with the number of jobs started so far.

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
    workload, seed = as_workload(workload), whole("seed", seed, most=None)
    expect_function("progress", progress, "one argument")
    check_estimates(estimates)
    policy = bound(as_policy(policy), workload)
    if traits_of(policy).recorded:
        return recorded_trace(workload, policy)
    simulation = simulation_for(policy, workload, estimates)
    rng = np.random.default_rng(seed)
    began = perf_counter()
    for started in rounds_of(simulation, policy, rng):
        if progress is not None:
            progress(started)
    start = simulation.start
    return Trace(
        workload,
        policy_name(policy),
        start,
        start + workload.runtime,
        simulation.log(),
        perf_counter() - began,
        simulation.latest,
        simulation.first_planned,
        traits_of(policy),
        simulation.predicted,
        simulation.last_planned,
    )


def simulation_for(policy: Policy, workload: Workload, estimates: Estimates) -> Simulation:
    """Return the simulation of a workload with all that a policy asks for."""
    return Simulation(
        workload,
        estimates=estimates,
        promise=getattr(policy, "promise", None),
        history=getattr(policy, "history", None),
        name=policy_name(policy),
    )


def rounds_of(simulation: Simulation, policy: Policy, rng: np.random.Generator) -> Iterator[int]:
    """Run a simulation to its end; yield now and then how many jobs have started."""
    form = core_form(policy)
    if form is not None:
        over = False
        while not over:
            over = _run(simulation, form.core, rng)
            yield simulation.started
        return
    while (problem := simulation.advance()) is not None:
        simulation.commit(policy(problem, rng))  # type: ignore[arg-type]
        yield simulation.started
    yield simulation.started


def _run(simulation: Simulation, policy: _core.Policy, rng: np.random.Generator) -> bool:
    """Run some rounds in the core; return whether the simulation is over."""
    try:
        return simulation.run(policy, rng, PORTION)
    except (_core.CostNotFinite, _core.BadKeys) as error:
        raise ReplayError(f"policy {simulation.name} met {error} in the round at {simulation.now}") from error


def rounds_at(
    workload: Workload, policy: Policy, numbers: Sequence[int], *, estimates: Estimates = REQUESTED, seed: int = 0
) -> Iterator[Round]:
    """Yield rounds of a replay under a policy that is bound to the workload, by their places in ``Trace.rounds``.

    ``numbers`` ascend; the others are as in :func:`replay`.
    """
    simulation = simulation_for(policy, workload, estimates)
    rng = np.random.default_rng(seed)
    form = core_form(policy)
    for number in numbers:
        while form is not None and simulation.rounds < number:
            simulation.run(form.core, rng, 60.0, number)
        while simulation.rounds <= number and (problem := simulation.advance()) is not None:
            if simulation.rounds == number:
                yield problem
            simulation.commit(policy(problem, rng))  # type: ignore[arg-type]


class ObservedPolicy:
    """A policy, bound to its workload, that reports its decisions to ``observer(problem, plan)``.

    Its replay runs interpreted.
    """

    def __init__(self, policy: Policy, observer: Observer) -> None:
        self.policy, self.observer = policy, observer
        self.name = policy_name(policy)
        self.promise = getattr(policy, "promise", None)
        self.history = getattr(policy, "history", None)
        # Recorded starts are not decided in rounds: asked for one, such a policy refuses.
        self.traits = replace(traits_of(policy), recorded=False)

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan | Result:
        """Decide as the policy does, and report the plan."""
        outcome = self.policy(problem, rng)
        self.observer(problem, outcome.plan if isinstance(outcome, Result) else outcome)
        return outcome


def recorded_trace(workload: Workload, policy: Policy) -> Trace:
    """Return the trace in which every job waits as long as the log says, and runs as in a replay.

    There is a round at every start. More may be in use than the machine has: logs round their times, and real
    machines have nodes that several jobs share.
    """
    start = workload.submit + workload.wait
    end = start + workload.runtime
    times, started = np.unique(start, return_counts=True)
    submitted = np.searchsorted(workload.submit, times, side="right")
    started_before = np.searchsorted(np.sort(start), times)
    ended = np.searchsorted(np.sort(end), times, side="right")
    waiting = np.asarray(submitted - started_before, dtype=np.int64)
    running = np.asarray(started_before - ended, dtype=np.int64)
    no_search = np.zeros(len(times), dtype=np.int64)
    no_cost = np.full(len(times), np.nan)
    rounds = RoundLog(times, waiting, running, started, no_search, no_cost, no_cost)
    no_promise = np.full(len(workload), NEVER)
    name, traits = policy_name(policy), traits_of(policy)
    return Trace(workload, name, start, end, rounds, 0.0, no_promise, traits=traits)
