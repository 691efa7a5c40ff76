"""A replay that can be stepped: to the next round, its plan carried out, and so on (design rules 1 to 9)."""

from typing import Any

import numpy as np

from planbatch import _core
from planbatch.baselines.promise import Promise, as_promise
from planbatch.experiments.replay.estimates import REQUESTED, Estimates, estimated_times, predictor_of, shared_history
from planbatch.experiments.replay.trace import RoundLog
from planbatch.experiments.workloads.as_workload import as_workload
from planbatch.planner.arguments import expect
from planbatch.planner.display import counted, moment, with_article
from planbatch.planner.history.history import History
from planbatch.planner.history.job_history import JobHistory
from planbatch.planner.history.predictor import Corrector
from planbatch.planner.model import NEVER, FloatArray, IntArray, JobTable, Workload
from planbatch.planner.optimizer import Result
from planbatch.planner.plan import Plan
from planbatch.planner.resources import Windows, window_table
from planbatch.planner.round import Round, RunningTable

Status = _core.SimulationStatus
#: More rounds than any replay has.
MOST_ROUNDS = 1 << 60
#: How many rounds in a row may put off what was planned while nothing else happens.
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


class Simulation:
    """The event loop of a replay, one round at a time.

    Parameters
    ----------
    workload : Workload
        The jobs and the machine.
    estimates : str
        What schedulers know of run times; see :func:`replay`.
    promise : Promise or str, optional
        What jobs are promised when they are first planned; a text is read by :meth:`Promise.parse`.
    history : History, optional
        What is kept up to date of the past.
    name : str
        What errors call the one who plans.

    Examples
    --------
    >>> import planbatch as pb
    >>> from planbatch.planner import order_by
    >>> workload = pb.synthetic_workload(jobs=100, capacity=16)
    >>> simulation = pb.Simulation(workload)
    >>> while (problem := simulation.advance()) is not None:
    ...     simulation.commit(pb.decode(problem, order_by("smallest-area", problem.jobs, problem.now)))
    >>> int((simulation.start - workload.submit).min())
    0
    """

    def __init__(
        self,
        workload: Workload,
        *,
        estimates: Estimates = REQUESTED,
        promise: Promise | str | None = None,
        history: History | None = None,
        name: str = "simulation",
    ) -> None:
        workload = as_workload(workload)
        promise = as_promise(promise)
        if history is not None:
            expect("history", history, History)
        predictor = predictor_of(estimates)
        history = shared_history(history, predictor)
        self.workload, self.history, self.name = workload, history, name
        self.epoch = workload.epoch
        users, rows = np.zeros(0), np.zeros(0, dtype=np.int64)
        if history is not None:
            users, rows = np.unique(workload.user, return_inverse=True)
        self._core = _core.Simulation(
            _columns(workload, estimates, promise, rows),
            None if history is None else history.core,
            history is not None and history.job_history,
            len(users),
            0 if predictor is None else predictor.column,
            int(Corrector.AT_START if predictor is None else predictor.corrector),
            predictor is not None and promise is not None,
        )
        self._waiting: IntArray | None = None
        self._idle = (0, 0)
        if history is not None and history.learn is not None and len(workload):
            self._schedule_lesson(int(workload.submit[0]))

    def __repr__(self) -> str:
        started = f"{self.started:,} of {counted(len(self.workload), 'job')} started"
        return f"Simulation({self.workload.name} at {moment(self.now, self.epoch)}: {started})"

    @property
    def now(self) -> int:
        """The present instant (s)."""
        return int(self._core.now)

    @property
    def start(self) -> IntArray:
        """The start of every job (s), ``NEVER`` for those that have not started; shape (n,)."""
        return self._core.start

    @property
    def started(self) -> int:
        """How many jobs have started."""
        return int(self._core.started)

    @property
    def rounds(self) -> int:
        """How many rounds there were."""
        return int(self._core.rounds)

    def advance(self) -> Round | None:
        """Move to the next round; None once every job has ended.

        Raises
        ------
        ReplayError
            If a plan is due, or jobs wait on an idle machine and nothing will ever happen.
        """
        if self._waiting is not None:
            raise ReplayError(f"{self.name}: the round at {self.now} has no plan yet; commit one")
        if self._core.lesson_is_due():
            self._learn()
        status = self._core.advance()
        if status != Status.ROUND_DUE:
            self._require(status, Status.FINISHED)
            return None
        return self._round()

    def commit(self, plan: Plan | Result) -> None:
        """Start the jobs planned for now, and store the other starts.

        Raises
        ------
        ReplayError
            If no round is due, the plan is not one of its jobs, plans the past, or starts more than fits; or if plans
            put off what they planned again and again while nothing else happens.
        """
        if self._waiting is None:
            raise ReplayError(f"{self.name}: there is no round to plan; advance to one")
        report: tuple[Any, ...] = (0, float("nan"), float("nan"))
        if isinstance(plan, Result):
            report = (plan.evaluations, plan.seed_cost, plan.cost)
            plan = plan.plan
        if not isinstance(plan, Plan):
            kind = "None" if plan is None else with_article(type(plan).__name__)
            raise ReplayError(
                f"policy {self.name} returned {kind} in the round at {self.now}; it should return a Plan or a Result"
            )
        n = len(self._waiting)
        if len(plan.start) != n:
            raise ReplayError(f"policy {self.name} planned {len(plan.start)} of {n} jobs at {self.now}")
        self._check_progress()
        self._require(self._core.commit(plan.start, plan.policy_state, *report), Status.CARRIED_OUT)
        self._waiting = None

    def run(self, policy: _core.Policy, rng: np.random.Generator, seconds: float, rounds: int = MOST_ROUNDS) -> bool:
        """Run rounds with a policy of the compiled core, and return whether every job has ended.

        Parameters
        ----------
        policy : _core.Policy
            What decides; the same in all calls.
        rng : numpy Generator
            Its random numbers; the same in all calls.
        seconds : float
            For how long.
        rounds : int
            Until there were so many rounds in all.

        Raises
        ------
        ReplayError
            If the policy breaks the rules.
        """
        while True:
            status = self._core.run(policy, rng, seconds, rounds)
            if status == Status.LESSON_DUE:
                self._learn()
            elif status == Status.PAUSED:
                return False
            else:
                self._require(status, Status.FINISHED)
                return True

    def decisions(self, visible: int, penalty: FloatArray) -> _core.Environment:
        """Return the replay as a sequence of decisions, each of which places one of the first ``visible`` waiting jobs.

        Parameters
        ----------
        visible : int
            How many waiting jobs may be chosen from.
        penalty : float64 array, shape (n,)
            What a second of each job's wait costs.
        """
        return _core.Environment(self._core, visible, penalty)

    def log(self) -> RoundLog:
        """Return one entry per round so far."""
        return RoundLog(*self._core.log())

    @property
    def latest(self) -> IntArray:
        """The promised latest start of every job (s), ``NEVER`` for none; shape (n,)."""
        return self._core.latest

    @property
    def first_planned(self) -> IntArray:
        """The first planned start of every job (s), ``NEVER`` for none; shape (n,)."""
        return self._core.first_planned

    @property
    def last_planned(self) -> IntArray:
        """The start of every job in the plan before the round that started it (s); its start if there was none."""
        return self._core.last_planned

    @property
    def predicted(self) -> IntArray:
        """The run time that each job was predicted to take when it started (s), ``NEVER`` for none; shape (n,)."""
        return self._core.predicted

    def _round(self) -> Round:
        """Return what a policy sees at this moment."""
        c = self._core.round()
        self._waiting = c["jobs"]
        amounts, demands = c["amounts"], c["running_amounts"]
        ids = self.workload.id[self._waiting]
        ids.flags.writeable = False
        return Round.unchecked(
            now=int(c["now"]),
            capacity=self.workload.capacity,
            running=RunningTable(demands[:, 0], c["running_end"], demands[:, 1:]),
            jobs=JobTable(
                c["submit"], amounts[:, 0], c["walltime"], c["deadline"], c["latest"], c["user"], amounts[:, 1:],
                c["past"],
            ),
            planned=c["planned"],
            ended_early=bool(c["ended_early"]),
            ids=ids,
            policy_state=c["policy_state"],
            occupied=c["occupied"],
            resources=self.workload.resources,
            windows=Windows(c["window_start"], c["window_end"], c["window_amounts"]),
            job_history=JobHistory(c["history_rows"], c["history_past"], c["history_running"]),
            epoch=self.epoch,
        )  # fmt: skip

    def _check_progress(self) -> None:
        """Raise if plans always put off what they planned: the rounds would never end."""
        events, since = self._idle
        now = int(self._core.events)
        self._idle = (now, since + 1 if now == events else 1)
        if self._idle[1] > MOST_IDLE_ROUNDS:
            raise ReplayError(
                f"policy {self.name} postponed its plan in {MOST_IDLE_ROUNDS:,} rounds "
                f"in which nothing else happened, until {self.now}"
            )

    def _require(self, status: Status, expected: Status) -> None:
        """Raise unless the loop is where it should be."""
        if status == expected:
            return
        what = {
            Status.STUCK: f"left {int(self._core.waiting)} jobs waiting on an idle machine, "
            f"the last round at {self.now}",
            Status.BAD_START: f"planned a start in the past, in the round at {self.now}",
            Status.OVER_CAPACITY: f"started more jobs than fit, in the round at {self.now}",
        }[status]
        raise ReplayError(f"policy {self.name} {what}")

    def _learn(self) -> None:
        """Have the history learn from all events so far."""
        assert self.history is not None
        assert self.history.learn is not None
        state = self._history_state()
        self.history.learn(self._core.event_log(), state)
        self._core.set_history_state(state)
        self._schedule_lesson(self.now)

    def _history_state(self) -> FloatArray:
        """Return a copy of the numbers that the history keeps; there is a history."""
        state = self._core.history_state()
        assert state is not None
        return state

    def _schedule_lesson(self, now: int) -> None:
        """Schedule the next lesson. Jobs start before they end: with too few starts, the loop need not stop."""
        assert self.history is not None
        learn = self.history.learn
        assert learn is not None
        self._core.schedule_lesson(now + learn.every, learn.enough(self._history_state()))


def _columns(workload: Workload, estimates: Estimates, promise: Promise | None, rows: IntArray) -> dict[str, IntArray]:
    """Return the columns of a workload as the core takes them."""
    n = len(workload)
    walltime, occupied = estimated_times(workload, estimates)
    slack = floor = np.zeros(0, dtype=np.int64)
    if promise is not None:
        none = np.full(n, NEVER)
        visible = JobTable(workload.submit, workload.procs, walltime, workload.deadline, none, workload.user)
        slack, floor = promise.limits(visible)
    windows = window_table(workload.windows, workload.capacity, workload.resources)
    announced = np.array([window.announced for window in workload.windows], dtype=np.int64)
    order = np.argsort(announced, kind="stable")
    columns = {
        "capacities": workload.capacities,
        "submit": workload.submit,
        "procs": workload.procs,
        "runtime": workload.runtime,
        "deadline": workload.deadline,
        "user": workload.user,
        "amounts": workload.amounts if workload.resources else workload.procs,
        "walltime": walltime,
        "occupied": occupied,
        "user_row": rows,
        "slack": slack,
        "floor": floor,
        "window_start": windows.start[order],
        "window_end": windows.end[order],
        "window_amounts": windows.amounts[order],
        "window_known": announced[order],
    }
    return {name: np.ascontiguousarray(column, dtype=np.int64) for name, column in columns.items()}
