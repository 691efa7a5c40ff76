"""A slow replay in plain Python, written from the rules, sharing no code with the project.

Every question about free processors is answered by looking at every second of the future.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from planner.model import Workload


@dataclass
class World:
    """What a scheduler may know at one instant; jobs are numbered by their place in the workload.

    Attributes
    ----------
    now, capacity : int
        Time, and size of the machine.
    procs, walltime : lists
        Sizes, and for how long waiting jobs are reckoned with.
    running : dict
        Running job → expected end.
    waiting : list
        Waiting jobs in FCFS order.
    planned : dict
        Waiting job → start in the plan before.
    early : bool
        Whether a job ended early at this very instant.
    """

    now: int
    capacity: int
    procs: list[int]
    walltime: list[int]
    running: dict[int, int]
    waiting: list[int]
    planned: dict[int, int] = field(default_factory=dict)
    early: bool = False

    def free(self, when: int, reserved: dict[int, int]) -> int:
        """Count the processors that are free in one second, besides running and reserved jobs."""
        used = sum(self.procs[job] for job, end in self.running.items() if when < end)
        for job, start in reserved.items():
            if start <= when < start + self.walltime[job]:
                used += self.procs[job]
        return self.capacity - used

    def fits(self, job: int, start: int, reserved: dict[int, int]) -> bool:
        """Look at every second of a job."""
        seconds = range(start, start + self.walltime[job])
        return all(self.free(second, reserved) >= self.procs[job] for second in seconds)

    def earliest(self, job: int, reserved: dict[int, int]) -> int:
        """Try one second after the other."""
        start = self.now
        while not self.fits(job, start, reserved):
            start += 1
        return start


Decide = Callable[[World], dict[int, int]]
Key = Callable[[World, int], float]


def in_order(world: World, key: Key | None) -> list[int]:
    """Sort the queue; equal keys keep FCFS order."""
    return sorted(world.waiting, key=lambda job: key(world, job)) if key else list(world.waiting)


def shortest(world: World, job: int) -> float:
    """Key of the shortest job first."""
    return world.walltime[job]


def fcfs(world: World, key: Key | None = None) -> dict[int, int]:
    """Start jobs while they fit; the first that does not blocks the others."""
    starts: dict[int, int] = {}
    for job in in_order(world, key):
        if world.procs[job] > world.free(world.now, starts):
            break
        starts[job] = world.now
    return starts


def easy(world: World, key: Key | None = None) -> dict[int, int]:
    """Rule 6: start in order; shadow time and extra processors of the first blocked job."""
    starts = fcfs(world, key)
    others = [job for job in in_order(world, key) if job not in starts]
    if not others:
        return starts
    first = others[0]
    shadow = world.now
    while world.free(shadow, starts) < world.procs[first]:
        shadow += 1
    extra = world.free(shadow, starts) - world.procs[first]
    for job in others[1:]:
        if world.procs[job] > world.free(world.now, starts):
            continue
        if world.now + world.walltime[job] > shadow:
            if world.procs[job] > extra:
                continue
            extra -= world.procs[job]
        starts[job] = world.now
    return starts


def replanned(world: World, key: Key | None = None) -> dict[int, int]:
    """Give every job, in order, the earliest start, from scratch."""
    starts: dict[int, int] = {}
    for job in in_order(world, key):
        starts[job] = world.earliest(job, starts)
    return starts


def conservative(world: World) -> dict[int, int]:
    """Rule 7: keep reservations; after an early end, improve them one by one; then admit new jobs.

    Where reservations no longer fit, which only ``mixed`` estimates bring about, they are given
    anew in the order of their starts.
    """
    starts = dict(world.planned)
    horizon = max([world.now, *(s + world.walltime[job] for job, s in starts.items())])
    seconds = range(world.now, horizon)
    broken = any(start < world.now for start in starts.values())
    if broken or any(world.free(second, starts) < 0 for second in seconds):
        again: dict[int, int] = {}
        for job in sorted(starts, key=lambda job: (starts[job], job)):
            again[job] = world.earliest(job, again)
        starts = again
    if world.early:
        for job in world.waiting:
            if job in starts:
                del starts[job]
                better = world.earliest(job, starts)
                starts[job] = min(better, world.planned[job]) if not broken else better
    for job in world.waiting:
        if job not in starts:
            starts[job] = world.earliest(job, starts)
    return starts


@dataclass
class Outcome:
    """Starts by place in the workload, and (time, waiting, running, started) of every round."""

    start: list[int]
    rounds: list[tuple[int, int, int, int]]


def slow_replay(workload: Workload, decide: Decide, estimates: str = "requested") -> Outcome:
    """Replay a workload, looking at every second (rules 4, 5 and 8)."""
    n = len(workload)
    procs, submit = workload.procs.tolist(), workload.submit.tolist()
    runtime, requested = workload.runtime.tolist(), workload.walltime.tolist()
    waits = requested if estimates == "requested" else runtime
    occupies = runtime if estimates == "actual" else requested
    start: list[int | None] = [None] * n
    running: dict[int, int] = {}
    waiting: list[int] = []
    planned: dict[int, int] = {}
    rounds = []
    now = submit[0]
    ended = 0
    while ended < n:
        over = [job for job in running if start[job] + runtime[job] == now]
        early = any(runtime[job] < occupies[job] for job in over)
        for job in over:
            del running[job]
        ended += len(over)
        new = [job for job in range(n) if submit[job] == now]
        waiting += new
        if waiting and (over or new or now in planned.values()):
            world = World(
                now,
                workload.capacity,
                procs,
                waits,
                dict(running),
                list(waiting),
                dict(planned),
                early,
            )
            plan = decide(world)
            chosen = [job for job in waiting if plan.get(job) == now]
            rounds.append((now, len(waiting), len(running), len(chosen)))
            for job in chosen:
                start[job] = now
                running[job] = now + occupies[job]
            waiting = [job for job in waiting if job not in chosen]
            planned = {job: plan[job] for job in waiting if job in plan}
        now += 1
    return Outcome([when for when in start if when is not None], rounds)
