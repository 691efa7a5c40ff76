"""Reservations for some, relaxed and slack-based backfilling, and lookahead, in plain Python: second by second.

They share no code with the project; see :mod:`tests.oracles`. Those that remember something between rounds are made
anew for each replay.
"""

from collections import Counter
from itertools import combinations

from tests.oracles import Order, Scene, Waiting, earliest, fcfs, occupied_seconds, occupy, submit_order


def free_for(used: Counter[int], scene: Scene, job: Waiting) -> bool:
    """Whether a job could run from now on to its end."""
    return earliest(used, scene.now, scene.capacity, job.procs, job.walltime) == scene.now


def first_reserved(scene: Scene, jobs: int, order: Order = submit_order) -> dict[int, int]:
    """Reserve for the first so many that do not fit; start whatever else does."""
    used, plan, reserved = occupied_seconds(scene), {}, 0
    for job in sorted(scene.waiting, key=order):
        if free_for(used, scene, job):
            plan[job.job] = scene.now
            length = job.occupied if reserved == 0 else job.walltime
            occupy(used, scene.now, scene.now + length, job.procs)
        elif reserved < jobs:
            reserved += 1
            start = earliest(used, scene.now, scene.capacity, job.procs, job.walltime)
            occupy(used, start, start + job.walltime, job.procs)
    return plan


def selective(scene: Scene, factor: float, order: Order = submit_order) -> dict[int, int]:
    """Keep reservations, make them earlier after an early end; new ones for those that have waited enough."""
    now, capacity = scene.now, scene.capacity
    plan = dict(scene.planned)
    queue = sorted(scene.waiting, key=order)
    used = occupied_seconds(scene)

    def take(job: Waiting, sign: int = 1) -> None:
        occupy(used, plan[job.job], plan[job.job] + job.walltime, sign * job.procs)

    reserved = [job for job in queue if job.job in plan]
    for job in reserved:
        take(job)
    if any(used[second] > capacity for second in used if second >= now):
        used = occupied_seconds(scene)
        places = {job.job: index for index, job in enumerate(scene.waiting)}
        for job in sorted(reserved, key=lambda job: (plan[job.job], places[job.job])):
            plan[job.job] = earliest(used, now, capacity, job.procs, job.walltime)
            take(job)
    for job in reserved if scene.ended_early else []:
        take(job, -1)
        plan[job.job] = earliest(used, now, capacity, job.procs, job.walltime)
        take(job)
    for job in queue:
        if job.job not in plan and (now - job.submit + job.walltime) / job.walltime > factor:
            plan[job.job] = earliest(used, now, capacity, job.procs, job.walltime)
            take(job)
    for job in queue:
        if job.job not in plan and free_for(used, scene, job):
            plan[job.job] = now
            take(job)
    return plan


class Relaxed:
    """Remembers by when each head of the queue has to start."""

    def __init__(self, omega: float, order: Order = submit_order) -> None:
        self.omega = omega
        self.order = order
        self.latest: dict[int, int] = {}

    def __call__(self, scene: Scene) -> dict[int, int]:
        """Backfill in order as long as the head starts soon enough."""
        plan = fcfs(scene, self.order)
        queue = [job for job in sorted(scene.waiting, key=self.order) if job.job not in plan]
        if not queue:
            return plan
        head, used = queue[0], occupied_seconds(scene)
        for job in scene.waiting:
            if job.job in plan:
                occupy(used, scene.now, scene.now + job.occupied, job.procs)

        def start_of_head() -> int:
            return earliest(used, scene.now, scene.capacity, head.procs, head.walltime)

        start = start_of_head()
        soon = start + int(self.omega * (start - head.submit))
        self.latest.setdefault(head.job, soon)
        limit = max(start, min(soon, self.latest[head.job]))
        for job in queue[1:]:
            if used[scene.now] + job.procs > scene.capacity or not free_for(used, scene, job):
                continue
            occupy(used, scene.now, scene.now + job.walltime, job.procs)
            if start_of_head() <= limit:
                plan[job.job] = scene.now
            else:
                occupy(used, scene.now, scene.now + job.walltime, -job.procs)
        return plan


class Slack:
    """Remembers the latest start of every job."""

    def __init__(self, slack: int) -> None:
        self.slack = slack
        self.latest: dict[int, int] = {}

    def __call__(self, scene: Scene) -> dict[int, int]:
        """Start whatever delays nobody too much."""
        never = 10**9

        def decoded(start: dict[int, int]) -> dict[int, int]:
            used, plan = occupied_seconds(scene), {}
            for job in sorted(scene.waiting, key=lambda job: start.get(job.job, never)):
                at = earliest(used, scene.now, scene.capacity, job.procs, job.walltime)
                plan[job.job] = at
                occupy(used, at, at + job.walltime, job.procs)
            return plan

        plan = decoded(scene.planned)
        limit = {job: max(self.latest.get(job, start), start) for job, start in plan.items()}
        for job in scene.waiting:
            starting = sum(other.procs for other in scene.waiting if plan[other.job] == scene.now)
            free = scene.capacity - sum(procs for procs, _ in scene.running) - starting
            if plan[job.job] == scene.now or job.procs > free:
                continue
            trial = decoded({**plan, job.job: scene.now})
            if trial[job.job] == scene.now and all(trial[k] <= limit[k] for k in trial):
                plan = trial
        for job, start in plan.items():
            self.latest.setdefault(job, start + self.slack)
        return plan


def los(scene: Scene, lookahead: int) -> dict[int, int]:
    """Try all sets of jobs; the fullest one, and of those the one with the first jobs."""
    plan = fcfs(scene)
    queue = [job for job in scene.waiting if job.job not in plan]
    if not queue:
        return plan
    used = occupied_seconds(scene)
    for job in scene.waiting:
        if job.job in plan:
            occupy(used, scene.now, scene.now + job.occupied, job.procs)
    shadow = earliest(used, scene.now, scene.capacity, queue[0].procs, queue[0].walltime)
    free = scene.capacity - used[scene.now]
    extra = scene.capacity - used[shadow] - queue[0].procs

    def fits(jobs: tuple[Waiting, ...]) -> bool:
        behind = sum(job.procs for job in jobs if scene.now + job.walltime > shadow)
        return sum(job.procs for job in jobs) <= free and behind <= extra

    could = [job for job in queue[1:] if fits((job,))][:lookahead]
    sets = [chosen for number in range(len(could) + 1) for chosen in combinations(could, number) if fits(chosen)]
    best = max(sets, key=lambda chosen: (sum(job.procs for job in chosen), [job in chosen for job in could]))
    return plan | {job.job: scene.now for job in best}
