"""Slow references in plain Python: a replay second by second, and a decoder second by second.

They share no code with the project, and no data structure: jobs are tuples, time is counted one second at a time, and
processors in use are kept in a dictionary from the second to their number.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Waiting(NamedTuple):
    """A waiting job as a scheduler sees it; ``occupied`` is for how long it counts once it runs."""

    job: int
    submit: int
    procs: int
    walltime: int
    occupied: int = 0


class Scene(NamedTuple):
    """A round: ``running`` holds (processors, expected end), ``planned`` the starts of the round before."""

    now: int
    capacity: int
    running: list[tuple[int, int]]
    waiting: list[Waiting]
    planned: dict[int, int]
    ended_early: bool


Decide = Callable[[Scene], dict[int, int]]
Order = Callable[[Waiting], float]


def replay_oracle(
    jobs: Sequence[tuple[int, int, int, int]], capacity: int, decide: Decide, estimates: str = "requested"
) -> tuple[list[int], list[tuple[int, int, int, int]]]:
    """Replay (submit, procs, walltime, runtime) tuples.

    Return the starts, and the time, the waiting, the running and the started jobs of every round.
    """
    while_waiting = [job[2] if estimates == "requested" else job[3] for job in jobs]
    while_running = [job[3] if estimates == "actual" else job[2] for job in jobs]
    fcfs = sorted(range(len(jobs)), key=lambda i: jobs[i][0])
    start: dict[int, int] = {}
    rounds: list[tuple[int, int, int, int]] = []
    planned: dict[int, int] = {}
    waiting: list[int] = []
    now = min(job[0] for job in jobs)
    while len(start) < len(jobs):
        ended = [i for i in start if start[i] + jobs[i][3] == now]
        submitted = [i for i in fcfs if jobs[i][0] == now]
        waiting += submitted
        due = now in planned.values()
        if waiting and (ended or submitted or due):
            scene = Scene(
                now,
                capacity,
                [(jobs[i][1], start[i] + while_running[i]) for i in start if start[i] + jobs[i][3] > now],
                [Waiting(i, jobs[i][0], jobs[i][1], while_waiting[i], while_running[i]) for i in waiting],
                planned,
                any(jobs[i][3] < while_running[i] for i in ended),
            )
            plan = decide(scene)
            started = {i: now for i in waiting if plan.get(i) == now}
            rounds.append((now, len(waiting), len(scene.running), len(started)))
            start |= started
            waiting = [i for i in waiting if i not in start]
            planned = {i: plan[i] for i in waiting if i in plan}
        now += 1
    return [start[i] for i in range(len(jobs))], rounds


def occupied_seconds(scene: Scene) -> Counter[int]:
    """Second → processors that the running jobs are expected to use."""
    used: Counter[int] = Counter()
    for procs, end in scene.running:
        occupy(used, scene.now, end, procs)
    return used


def occupy(used: Counter[int], start: int, end: int, procs: int) -> None:
    """Use processors in every second from start to end (excluded)."""
    for second in range(start, end):
        used[second] += procs


def earliest(used: Counter[int], now: int, capacity: int, procs: int, walltime: int) -> int:
    """The first second from which on the processors are free for the walltime."""
    start = now
    while any(used[second] + procs > capacity for second in range(start, start + walltime)):
        start += 1
    return start


def decode_oracle(scene: Scene, order: Sequence[int]) -> dict[int, int]:
    """Each job of ``order`` (places in the queue) in turn at its earliest second."""
    used = occupied_seconds(scene)
    plan = {}
    for place in order:
        job, _, procs, walltime, _ = scene.waiting[place]
        plan[job] = earliest(used, scene.now, scene.capacity, procs, walltime)
        occupy(used, plan[job], plan[job] + walltime, procs)
    return plan


def submit_order(job: Waiting) -> float:
    """Put nothing before anything else: the sort is stable, and the queue stands in FCFS order."""
    return 0.0


def fcfs(scene: Scene, order: Order = submit_order) -> dict[int, int]:
    """Start jobs until the first one does not fit."""
    free = scene.capacity - sum(procs for procs, _ in scene.running)
    plan = {}
    for job in sorted(scene.waiting, key=order):
        if job.procs > free:
            break
        free -= job.procs
        plan[job.job] = scene.now
    return plan


def easy(scene: Scene, order: Order = submit_order, behind: Order | None = None) -> dict[int, int]:
    """Design rule 6, word by word; ``behind`` is the order of backfilling, if it is another one."""
    plan = fcfs(scene, order)
    queue = [job for job in sorted(scene.waiting, key=order) if job.job not in plan]
    if not queue:
        return plan
    if behind is not None:
        rest = [job for job in scene.waiting if job.job not in plan and job != queue[0]]
        queue = [queue[0], *sorted(rest, key=behind)]
    used = occupied_seconds(scene)
    for job in scene.waiting:
        if job.job in plan:
            occupy(used, scene.now, scene.now + job.occupied, job.procs)
    shadow = scene.now
    while scene.capacity - used[shadow] < queue[0].procs:
        shadow += 1
    extra = scene.capacity - used[shadow] - queue[0].procs
    free = scene.capacity - used[scene.now]
    for job in queue[1:]:
        if job.procs > free:
            continue
        if scene.now + job.walltime > shadow:
            if job.procs > extra:
                continue
            extra -= job.procs
        free -= job.procs
        plan[job.job] = scene.now
    return plan


def replanned(scene: Scene, order: Order = submit_order) -> dict[int, int]:
    """Decode the whole queue from scratch."""
    places = sorted(range(len(scene.waiting)), key=lambda place: order(scene.waiting[place]))
    return decode_oracle(scene, places)


def conservative(scene: Scene) -> dict[int, int]:
    """Design rule 7: keep reservations; after an early end, one pass over them; then admit new jobs.

    With ``mixed`` estimates reservations may have become impossible; then all of them, in the order of their
    starts, get the earliest start that still fits.
    """
    now, capacity = scene.now, scene.capacity
    plan = dict(scene.planned)
    reserved = [job for job in scene.waiting if job.job in plan]
    used = occupied_seconds(scene)
    for job in reserved:
        occupy(used, plan[job.job], plan[job.job] + job.walltime, job.procs)
    too_much = any(used[second] > capacity for second in used if second >= now)
    if too_much or any(when < now for when in plan.values()):
        used = occupied_seconds(scene)
        for job in sorted(reserved, key=lambda job: plan[job.job]):
            plan[job.job] = earliest(used, now, capacity, job.procs, job.walltime)
            occupy(used, plan[job.job], plan[job.job] + job.walltime, job.procs)
    if scene.ended_early:
        for job in reserved:
            occupy(used, plan[job.job], plan[job.job] + job.walltime, -job.procs)
            plan[job.job] = earliest(used, now, capacity, job.procs, job.walltime)
            occupy(used, plan[job.job], plan[job.job] + job.walltime, job.procs)
    for job in scene.waiting:
        if job.job not in plan:
            plan[job.job] = earliest(used, now, capacity, job.procs, job.walltime)
            occupy(used, plan[job.job], plan[job.job] + job.walltime, job.procs)
    return plan
