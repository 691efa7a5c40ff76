"""Deadline-based backfilling in plain Python, line by line as in the papers: what the core is compared with."""

from collections import Counter

from planbatch._core import AdvanceOrder
from planbatch.planner.model import NEVER
from planbatch.planner.profile import Profile
from planbatch.planner.round import Round


class Reference:
    """One round of ``dbf`` (rule 2017) or ``dbf-2016`` (rule 2016), with counts of the steps that were needed.

    Jobs are indices in FCFS order. ``l0`` and ``l1`` map the waiting jobs to their starts, ``came`` those that moved
    from L1 to L0 to the time when they did. L0 moves forward in FCFS order, in the order in which jobs came into it, or
    with the jobs that moved there behind the others.
    """

    def __init__(self, problem: Round, rule: int, cases: Counter, advance: AdvanceOrder) -> None:
        self.problem, self.rule, self.cases, self.advance = problem, rule, cases, advance
        jobs = problem.jobs
        self.deadline = [int(d) for d in jobs.deadline]
        self.size = [(int(p), int(w)) for p, w in zip(jobs.procs, jobs.walltime, strict=True)]
        self.l0: dict[int, int] = {}
        self.l1: dict[int, int] = {}
        for i, start in enumerate(problem.planned.tolist()):
            if start != NEVER:
                (self.l1 if 0 <= problem.policy_state[i] < NEVER else self.l0)[i] = start
        self.came = {i: -1 - int(problem.policy_state[i]) for i in self.l0 if problem.policy_state[i] < 0}
        if problem.ended_early:
            self.job_ended_early()
        for i in range(len(problem)):
            if i not in self.l0 and i not in self.l1:
                self.submit(i)
        self.start = [(self.l0 | self.l1)[i] for i in range(len(problem))]
        self.limit = [
            self.deadline[i] if i in self.l1 else -1 - self.came[i] if i in self.came else NEVER
            for i in range(len(problem))
        ]

    def profile(self, *reserved: dict[int, int]) -> Profile:
        """Give what the running jobs and some reservations leave."""
        profile = Profile(self.problem)
        for starts in reserved:
            for i, start in starts.items():
                profile.reserve(self.size[i][0], start, self.size[i][1])
        return profile

    def get_allocation(self, profile: Profile, i: int) -> int:
        """Take the earliest slot."""
        start = profile.earliest(*self.size[i])
        profile.reserve(self.size[i][0], start, self.size[i][1])
        return start

    def late(self, starts: dict[int, int]) -> list[int]:
        """Return the jobs that miss their deadline, in FCFS order."""
        return [i for i in sorted(starts) if starts[i] + self.size[i][1] > self.deadline[i]]

    def submit(self, i: int) -> None:
        """Admit a job: section 4 of 2017, section 3 and 4.1 of 2016."""
        start = self.profile(self.l0, self.l1).earliest(*self.size[i])
        if self.deadline[i] != NEVER and start + self.size[i][1] <= self.deadline[i]:
            self.l1[i] = start
            return
        self.deadline[i] = NEVER
        if not self.algorithm_1(i):
            self.cases["kept as they are"] += 1
            self.came |= dict.fromkeys(self.l1, self.problem.now)
            self.l0 |= self.l1
            self.l1 = {}
            self.l0[i] = self.profile(self.l0).earliest(*self.size[i])

    def algorithm_1(self, regular: int | None) -> bool:
        """Lay out L1 anew behind a regular job; False (and nothing changed) where deadlines cannot be kept."""
        urgent: set[int] = set()
        while True:
            profile = self.profile(self.l0)
            tmp = {i: self.get_allocation(profile, i) for i in sorted(urgent)}
            if regular is not None:
                tmp[regular] = self.get_allocation(profile, regular)
            rest = {i: self.get_allocation(profile, i) for i in sorted(self.l1) if i not in urgent}
            late_rest, late_tmp = self.late(rest), self.late(tmp)
            if self.rule == 2017 and late_rest:  # lines 9 to 21
                self.cases["one joins"] += 1
                urgent.add(late_rest[0])
            elif late_tmp:  # lines 22 to 35; 2016: lines 4 to 7
                self.cases["those before join"] += 1
                before = {i for i in rest if i < max(late_tmp)}
                if not before:
                    return False
                urgent |= before
            elif late_rest:  # 2016: line 2
                self.cases["all late ones join"] += 1
                urgent |= set(late_rest)
            else:
                self.came |= dict.fromkeys(urgent, self.problem.now)
                self.l0 |= tmp
                self.l1 = rest
                return True

    def job_ended_early(self) -> None:
        """Move L0 forward, then lay out L1 anew; or move all forward together."""
        before = self.l0, self.l1
        self.l0 = self.advanced(self.l0, self.advance)
        if not self.algorithm_1(None):
            self.cases["all move together"] += 1
            together = self.advanced(before[0] | before[1], AdvanceOrder.FCFS)
            self.l0 = {i: together[i] for i in before[0]}
            self.l1 = {i: together[i] for i in before[1]}

    def advanced(self, starts: dict[int, int], advance: AdvanceOrder) -> dict[int, int]:
        """Let each job, when its turn comes, give up its reservation for the earliest one."""
        new_starts = dict(starts)
        turns = sorted(new_starts)
        submit = self.problem.jobs.submit
        if advance == AdvanceOrder.AS_JOINED:
            turns.sort(key=lambda i: (self.came.get(i, submit[i]), i in self.came))
        elif advance == AdvanceOrder.REGULAR_FIRST:
            turns.sort(key=lambda i: i in self.came)
        self.cases["not in FCFS order"] += turns != sorted(new_starts)
        for i in turns:
            others = {j: start for j, start in new_starts.items() if j != i}
            new_starts[i] = min(new_starts[i], self.profile(others).earliest(*self.size[i]))
        return new_starts
