"""A policy as Batsim's scheduler: events in, decisions out.

Decisions follow the rules of the replay: one round at an instant at which a job is submitted or ends, machines come or
go, or a planned start falls due; in whole seconds; the policy sees walltimes only.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from planbatch.baselines.policy import Policy, policy_name
from planbatch.experiments.live.batsim.protocol import (
    BatsimEvent,
    Message,
    choose,
    parse_machines,
    whole_second,
    write_machines,
    write_reply,
)
from planbatch.experiments.live.planning import check_live, latest_starts, plan_of
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.round import Round, RunningTable, job_table
from planbatch.planner.settings import Setting

#: Initial states of machines that cannot be used.
_OFF = ("sleeping", "switching_on", "switching_off", "unavailable")
Action = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True)
class BatsimOptions:
    """Options of a policy that serves Batsim."""

    contiguous: Annotated[bool, Setting("Give jobs neighbouring machines only.")] = False
    default_walltime: Annotated[int, Setting("Time limit of jobs that have none.", "TIME", flag="--default-limit")] = (
        7 * 86400
    )
    seed: int = 0

    def __post_init__(self) -> None:
        if self.default_walltime < 1:
            raise ValueError(f"default walltime: {self.default_walltime} is below 1")


@dataclass
class _Job:
    """A pending or running job."""

    name: str
    number: int
    submit: int
    procs: int
    walltime: int
    deadline: int
    planned: int = NEVER
    latest: int = NEVER
    note: int = NEVER
    start: int = NEVER
    machines: frozenset[int] = field(default_factory=frozenset)
    limited: bool = True

    def overdue(self, now: int) -> bool:
        """Whether it has reached its walltime; Batsim reports its end after all other events of that time."""
        return self.limited and self.start + self.walltime <= now


class BatsimScheduler:
    """Answers Batsim's messages in turn; the state of one simulation."""

    def __init__(self, policy: Policy, options: BatsimOptions | None = None) -> None:
        check_live(policy)
        self.policy = policy
        self.options = options or BatsimOptions()
        self.ended = False
        self._forget()

    def __repr__(self) -> str:
        jobs = f"{len(self._running):,} jobs run, {len(self._waiting):,} wait"
        return f"BatsimScheduler({policy_name(self.policy)}: {jobs})"

    def _forget(self) -> None:
        """Reset to no machines and no jobs."""
        self._rng = np.random.default_rng(self.options.seed)
        self._machines: frozenset[int] = frozenset()
        self._off: set[int] = set()
        self._sleeping: dict[int, frozenset[str]] = {}
        self._waiting: list[_Job] = []
        self._running: dict[str, _Job] = {}
        self._numbers = 0
        self._due = NEVER
        self._call_times: set[int] = set()
        self._round_due = self._ended_early = False

    def answer(self, message: Message) -> bytes:
        """Return the reply to a message; ``ValueError`` if there is none, or the plan cannot be carried out."""
        actions: list[Action] = []
        now = whole_second(message.now)
        for event in message.events:
            self._process(event, actions)
        if now >= self._due:
            self._due = NEVER
            self._round_due = True
        # The machines of a job at its walltime are not free yet; its end, which follows, triggers the round.
        if self._round_due and not any(job.overdue(now) for job in self._running.values()):
            early, self._round_due, self._ended_early = self._ended_early, False, False
            if self._waiting and not self.ended:
                actions += self._decide(now, early)
        return write_reply(message.now, actions)

    # Events

    def _process(self, event: BatsimEvent, actions: list[Action]) -> None:
        """Process an event: REQUESTED_CALL, answers to queries, and what a user's Batsim adds change nothing."""
        kind = event.type
        if kind == "SIMULATION_BEGINS":
            self._forget()
            self._begin(event)
            if (event.data.get("config") or {}).get("dynamic-jobs-enabled"):
                # No jobs are registered here; without this reply the simulation would never end.
                actions.append(("NOTIFY", {"type": "registration_finished"}))
        elif kind == "SIMULATION_ENDS":
            self.ended = True
        elif kind == "JOB_SUBMITTED":
            self._add(event, actions)
        elif kind == "JOB_COMPLETED":
            self._remove([str(event.get("job_id"))], whole_second(event.time))
        elif kind == "JOB_KILLED":
            self._remove([str(name) for name in event.get("job_ids")], whole_second(event.time))
        elif kind == "NOTIFY":
            self._notify(event)
        elif kind == "RESOURCE_STATE_CHANGED":
            self._switch(event)

    def _begin(self, event: BatsimEvent) -> None:
        resources = event.get("compute_resources")
        numbers = []
        for resource in resources:
            number = int(event.number(resource, "id"))
            numbers.append(number)
            states = str((resource.get("properties") or {}).get("sleep_pstates", ""))
            self._sleeping[number] = frozenset(part.partition(":")[0] for part in states.split(",") if part)
            if resource.get("state") in _OFF:
                self._off.add(number)
        if not numbers:
            raise ValueError("Batsim's SIMULATION_BEGINS: the platform has no compute resources")
        if (event.data.get("config") or {}).get("redis-enabled"):
            raise ValueError("Batsim keeps jobs in Redis, which planbatch does not read; leave it off")
        self._machines = frozenset(numbers)

    def _add(self, event: BatsimEvent, actions: list[Action]) -> None:
        name, description = str(event.get("job_id")), event.get("job")
        procs = int(event.number(description, "res"))
        if not 1 <= procs <= len(self._machines):
            actions.append(("REJECT_JOB", {"job_id": name}))
            return
        walltime = description.get("walltime", -1)
        limited = isinstance(walltime, int | float) and walltime > 0
        length = max(math.ceil(walltime), 1) if limited else self.options.default_walltime
        deadline = description.get("deadline")
        due = int(deadline) if isinstance(deadline, int | float) and deadline >= 0 else NEVER
        submit = whole_second(event.number({"subtime": event.time, **description}, "subtime"))
        job = _Job(name, self._numbers, min(submit, whole_second(event.time)), procs, length, due, limited=limited)
        self._numbers += 1
        self._waiting.append(job)
        self._round_due = True

    def _remove(self, names: list[str], now: int) -> None:
        for name in names:
            job = self._running.pop(name, None)
            if job is not None and now < job.start + job.walltime:
                self._ended_early = True
        self._round_due = True

    def _notify(self, event: BatsimEvent) -> None:
        """Process machines that fail and return (``event_machine_unavailable``); other notifications are ignored."""
        kind = event.data.get("type")
        if kind not in ("event_machine_available", "event_machine_unavailable"):
            return
        machines = parse_machines(str(event.get("resources")))
        if kind == "event_machine_available":
            self._off -= machines
        else:
            self._off |= machines
        self._round_due = True

    def _switch(self, event: BatsimEvent) -> None:
        """Process changes of power states: in sleeping ones, machines cannot be used."""
        state = str(event.get("state"))
        for machine in parse_machines(str(event.get("resources"))):
            if state in self._sleeping.get(machine, frozenset()):
                self._off.add(machine)
            else:
                self._off.discard(machine)
        self._round_due = True

    # Decisions

    def _decide(self, now: int, early: bool) -> list[Action]:
        up = self._machines - self._off
        jobs = [job for job in self._waiting if job.procs <= len(up)]
        if not jobs:
            return []
        problem = self._round(now, len(up), jobs, early)
        plan = plan_of(self.policy, problem, self._rng)
        policy_state = problem.policy_state if plan.policy_state is None else plan.policy_state
        latest = latest_starts(problem, plan.start, getattr(self.policy, "promise", None))
        actions: list[Action] = []
        free = set(up)
        for running in self._running.values():
            free -= running.machines
        columns = (plan.start.tolist(), latest.tolist(), policy_state.tolist())
        for job, *times in zip(jobs, *columns, strict=True):
            job.planned, job.latest, job.note = times
            if job.planned == now:
                actions += self._start(job, now, free)
            elif job.planned < now:
                raise ValueError(f"the policy planned {job.name} for {job.planned}, which is past at {now}")
        return [*actions, *self._wake_up(now)]

    def _round(self, now: int, capacity: int, jobs: list[_Job], early: bool) -> Round:
        rows = [(len(job.machines - self._off), max(job.start + job.walltime, now + 1))
                for job in self._running.values()]  # fmt: skip
        running = np.array([row for row in rows if row[0]], dtype=np.int64).reshape(-1, 2)

        def column(name: str) -> IntArray:
            return np.array([getattr(job, name) for job in jobs], dtype=np.int64)

        table = job_table(column("submit"), column("procs"), column("walltime"), column("deadline"), column("latest"))
        planned = column("planned")
        return Round(
            now,
            capacity,
            RunningTable(running[:, 0].copy(), running[:, 1].copy()),
            table,
            np.where(planned < now, NEVER, planned),
            early,
            column("number"),
            column("note"),
        )

    def _start(self, job: _Job, now: int, free: set[int]) -> list[Action]:
        machines = choose(free, job.procs, self.options.contiguous)
        if machines is None:
            if self.options.contiguous:
                return []  # it fits, but not side by side: it is planned again when machines come free
            raise ValueError(f"the policy started {job.name} on {job.procs} machines, {len(free)} are free")
        free.difference_update(machines)
        job.start, job.machines = now, frozenset(machines)
        self._running[job.name] = job
        self._waiting.remove(job)
        return [("EXECUTE_JOB", {"job_id": job.name, "alloc": write_machines(machines)})]

    def _wake_up(self, now: int) -> list[Action]:
        """Request a call at the next planned start, at most once per second."""
        self._due = min((job.planned for job in self._waiting if job.planned > now), default=NEVER)
        if self._due == NEVER or self._due in self._call_times:
            return []
        self._call_times.add(self._due)
        return [("CALL_ME_LATER", {"timestamp": float(self._due)})]
