"""Why a job starts when it does: what holds its resources, who overtook it, and what would let it start now."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from planbatch.planner.arguments import as_list, expect, whole
from planbatch.planner.display import counted, duration
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.plan import Plan, expect_plan
from planbatch.planner.profile import Profile
from planbatch.planner.round import Round

#: In words, a list names no more jobs than this.
MOST_NAMED = 5


@dataclass(frozen=True)
class Occupant:
    """What occupies a part of the machine for a time.

    Attributes
    ----------
    kind : str
        ``running``, ``planned`` or ``window``.
    job : int or None
        The job's id; None for a window, and for a running job whose id is not known.
    index : int
        The index among the round's running jobs, waiting jobs or windows.
    procs : int
        Processors.
    start, end : int
        From when until when (s), as the scheduler expects it, or as it was in a replay. A round does not know since
        when its running jobs run: theirs is its ``now``.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, running=[(3, 60)], waiting=[(0, 4, 100)])
    >>> print(pb.explain(problem, pb.Plan([60]), 0).holders[0])
    a running job of 3 processors
    """

    kind: str
    job: int | None
    index: int
    procs: int
    start: int
    end: int

    def __str__(self) -> str:
        size = counted(self.procs, "processor")
        if self.kind == "window":
            return f"a maintenance window of {size}"
        if self.job is None:
            return f"a running job of {size}"
        return f"{'running ' if self.kind == 'running' else ''}job {self.job} ({size})"


@dataclass(frozen=True)
class Overtaker:
    """A job that was submitted later and starts earlier.

    Attributes
    ----------
    job, procs : int
        Its id and its processors.
    start : int
        Its start (s).
    free : int
        Processors that are free just before it starts.
    delay : int
        How much earlier the explained job could start without it, everything else unchanged (s).
    backfilled : bool
        Whether the explained job could not have started then itself, so that this one only filled a gap.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=2, now=0, waiting=[(0, 2, 100), (0, 2, 30)])
    >>> pb.explain(problem, pb.Plan([30, 0]), 0).overtakers
    (Overtaker(job=1, procs=2, start=0, free=2, delay=30, backfilled=False),)
    """

    job: int
    procs: int
    start: int
    free: int
    delay: int
    backfilled: bool


@dataclass(frozen=True)
class Explanation:
    """Why a job of a plan starts when it does.

    Attributes
    ----------
    job, procs : int
        The job's id and its processors.
    now, submit, start : int
        The time of the plan, of the submission and of the planned start (s); ``NEVER`` for a job without a start.
    earliest : int
        The earliest start among all other jobs as they are planned (s).
    alone : int
        The earliest start among the running jobs and the windows alone (s): before, no plan could start it.
    holders : tuple of Occupant
        What ends at the start; unless it would fit earlier, this frees what the job starts with.
    overtakers : tuple of Overtaker
        The jobs behind it in the queue that start before it, those that delay it most first.
    to_start_now : tuple of Occupant or None
        A set of jobs of which none can be left out: without them, this job would fit now. Empty if it does anyway; None
        if a window is in the way.
    past : bool
        Whether all of it has happened, in a replay: ``now`` is the submission then, and starts and ends are those that
        came.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=4, now=0, running=[(3, 60)], waiting=[(0, 4, 100), (0, 1, 50)])
    >>> why = pb.explain(problem, pb.Plan([60, 0]), 0)
    >>> print(why)
    job 0 (4 processors) starts in 60 s.
    Until then, a running job of 3 processors holds what it needs.
    No plan could start it earlier, since no waiting job is in its way.
    Overtaken by job 1 (1 processor), without delay: it fills a gap of 1 processor.
    It would fit now without a running job of 3 processors and job 1 (1 processor).
    """

    job: int
    procs: int
    now: int
    submit: int
    start: int
    earliest: int
    alone: int
    holders: tuple[Occupant, ...]
    overtakers: tuple[Overtaker, ...]
    to_start_now: tuple[Occupant, ...] | None
    past: bool = False

    def __repr__(self) -> str:
        return f"Explanation({' '.join(self.sentences())})"

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""

        def rows(parts: Iterable[Occupant | Overtaker]) -> list[dict[str, Any]]:
            return [vars(part) for part in parts]

        free_now = None if self.to_start_now is None else rows(self.to_start_now)
        fields = vars(self) | {"start": None if self.start == NEVER else self.start}
        return fields | {"holders": rows(self.holders), "overtakers": rows(self.overtakers), "to_start_now": free_now}

    def sentences(self, clock: Callable[[int], str] | None = None) -> list[str]:
        """Return the explanation in words.

        Parameters
        ----------
        clock : function, optional
            Writes a time (s); by default times are durations from now.
        """
        words = PAST if self.past else PRESENT

        def at(time: int) -> str:
            if clock is not None:
                return f"at {clock(time)}"
            return words["after"].format(duration(time - self.now)) if time > self.now else words["now"]

        title = f"job {self.job} ({counted(self.procs, 'processor')})"
        if self.start == NEVER:
            lines = [f"{title} has no start in this plan; it fits {at(self.earliest)}."]
        else:
            lines = [f"{title} {words['starts']} {at(self.start)}."]
        if self.start == self.now:
            return [*lines, words["free"]]
        if self.earliest < self.start != NEVER:
            lines.append(words["gap"].format(at(self.earliest)))
            if self.holders:
                lines.append(words["then"].format(_names_of(self.holders)))
        elif self.holders:
            lines.append(f"Until then, {_names_of(self.holders)} {self._holders_do()}.")
        if self.now < self.alone == self.start:
            lines.append(words["no earlier"])
        elif self.alone < self.start != NEVER:
            lines.append(words["alone"].format(at(self.alone)))
        lines += [self._overtaken(other) for other in self.overtakers[:MOST_NAMED]]
        if (more := len(self.overtakers) - MOST_NAMED) > 0:
            lines.append(f"{counted(more, 'more job')} overtook it.")
        if self.to_start_now is None:
            lines.append(words["never"])
        elif self.to_start_now:
            lines.append(words["without"].format(_names_of(self.to_start_now)))
        return lines

    def _overtaken(self, other: Overtaker) -> str:
        """Say who overtook the job, at what cost, and by which rule."""
        words = PAST if self.past else PRESENT
        rule = words["first"]
        if other.backfilled:
            rule = f"it {words['fills']} a gap of {counted(other.free, 'processor')}"
            if other.free >= self.procs:
                rule += words["too short"].format(self.job)
        delay = f"which {words['delays']} it by {duration(other.delay)}" if other.delay else "without delay"
        return f"Overtaken by job {other.job} ({counted(other.procs, 'processor')}), {delay}: {rule}."

    def _holders_do(self) -> str:
        """What the holders do: those that have not started yet only go first."""
        runs = all(one.kind != "planned" or one.start <= self.now for one in self.holders)
        if self.past:
            return "held what it needed" if runs else "held what it needed, or went first"
        several = len(self.holders) > 1
        holds = "hold" if several else "holds"
        goes = "go" if several else "goes"
        return f"{holds} what it needs" if runs else f"{holds} what it needs, or {goes} first"


#: What explanations say of a plan, and of a replay.
PRESENT = {
    "now": "now",
    "after": "in {}",
    "starts": "starts",
    "free": "What it needs is free now.",
    "gap": "It would fit {} already: the plan does not use that gap.",
    "then": "It starts at the end of {}.",
    "no earlier": "No plan could start it earlier, since no waiting job is in its way.",
    "alone": "If no other job were waiting, it would start {}.",
    "delays": "delays",
    "fills": "fills",
    "too short": ", where job {} does not fit",
    "first": "the plan puts it first",
    "never": "It cannot start now, whatever ends: a maintenance window is in its way.",
    "without": "It would fit now without {}.",
}
PAST = {
    "now": "at its submission",
    "after": "{} after its submission",
    "starts": "started",
    "free": "What it needed was free.",
    "gap": "In hindsight it would have fitted {}: the policy did not know, or did not use that gap.",
    "then": "It started at the end of {}.",
    "no earlier": "No plan could have started it earlier, since no waiting job was in its way.",
    "alone": "If no other job had been waiting, it would have started {}.",
    "delays": "delayed",
    "fills": "filled",
    "too short": ", where job {} did not fit",
    "first": "the policy put it first",
    "never": "It could not have started at its submission: a maintenance window was in its way.",
    "without": "It would have fitted at its submission without {}.",
}


def _names_of(occupants: tuple[Occupant, ...]) -> str:
    """Write a list of occupants: the first by name, the others as a number."""
    texts = [str(occupant) for occupant in occupants[:MOST_NAMED]]
    if more := len(occupants) - len(texts):
        texts.append(f"{more} more")
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def explain(
    problem: Round, plan: Plan, job: int, running: Sequence[int] | None = None, *, started: Sequence[int] | None = None
) -> Explanation:
    """Explain why a job of a plan starts when it does.

    Parameters
    ----------
    problem : Round
        The round.
    plan : Plan
        A feasible plan of the round.
    job : int
        The id of a waiting job.
    running : sequence of int, optional
        The ids of the running jobs, by expected end.
    started : sequence of int, optional
        The starts of the running jobs (s), if all of it has happened: the words are those of the past then.

    Raises
    ------
    ValueError
        If no job of that id is waiting, or the plan is not feasible.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=2, now=0, waiting=[(0, 2, 100), (0, 2, 30)])
    >>> print(pb.explain(problem, pb.Plan([30, 0]), 0))
    job 0 (2 processors) starts in 30 s.
    Until then, job 1 (2 processors) holds what it needs.
    If no other job were waiting, it would start now.
    Overtaken by job 1 (2 processors), which delays it by 30 s: the plan puts it first.
    It would fit now without job 1 (2 processors).
    """
    expect("problem", problem, Round)
    expect_plan(problem, plan)
    i = problem.index_of(job)
    profile = Profile(problem)
    start, demands, walltimes = plan.start, problem.demands, problem.jobs.walltime
    need, walltime = demands[i], int(walltimes[i])
    alone = profile.earliest(need, walltime)
    for j in np.flatnonzero(start != NEVER):
        if j != i:
            profile.reserve(demands[j], int(start[j]), int(walltimes[j]))
    planned_start = int(start[i])
    earliest = profile.earliest(need, walltime)
    if earliest > planned_start:
        raise ValueError(f"job {job}: the plan starts it at {planned_start}, when it does not fit")
    overtakers = []
    for j in np.flatnonzero(start[i + 1 :] < planned_start) + i + 1:
        begin, length = int(start[j]), int(walltimes[j])
        profile.release(demands[j], begin, length)
        free = _free_at(profile, begin)
        delay = earliest - profile.earliest(need, walltime)
        fitted = profile.fits(need, begin, begin + walltime)
        profile.reserve(demands[j], begin, length)
        overtakers.append(Overtaker(int(problem.ids[j]), int(demands[j, 0]), begin, int(free[0]), delay, not fitted))
    overtakers.sort(key=lambda other: (-other.delay, other.start))
    running, started = (
        None if column is None else _of_running_jobs(name, column, len(problem.running.end))
        for name, column in (("running", running), ("started", started))
    )
    everything = _occupants(problem, start, i, running, started)
    freed = earliest if planned_start == NEVER else planned_start
    return Explanation(
        job=int(job),
        procs=int(need[0]),
        now=int(problem.now),
        submit=int(problem.jobs.submit[i]),
        start=planned_start,
        earliest=earliest,
        alone=alone,
        holders=tuple(o for o, _ in everything if o.end == freed > problem.now),
        overtakers=tuple(overtakers),
        to_start_now=_to_start_now(problem, profile, everything, need, walltime),
        past=started is not None,
    )


def _of_running_jobs(name: str, column: Sequence[int], count: int) -> list[int]:
    values = [whole(name, value, None, most=None) for value in as_list(name, column, least=0)]
    if len(values) != count:
        raise ValueError(f"{name}: {counted(len(values), 'entry')} for {counted(count, 'running job')}")
    return values


def _free_at(profile: Profile, time: int) -> IntArray:
    """Return what is free at a time; shape (K,)."""
    step = int(np.searchsorted(profile.times, time, side="right")) - 1
    return np.atleast_1d(profile.free[step])


def _occupants(
    problem: Round, start: IntArray, but: int, ids: Sequence[int] | None, started: Sequence[int] | None
) -> list[tuple[Occupant, IntArray]]:
    """Return all that occupies the machine but one waiting job, and its amounts, shape (K,)."""
    running, windows, now = problem.running, problem.windows, int(problem.now)
    demands, walltimes = problem.demands, problem.jobs.walltime
    rows: list[tuple[Occupant, IntArray]] = []
    for i, (end, amounts) in enumerate(zip(running.end, problem.in_use, strict=True)):
        job = None if ids is None else int(ids[i])
        since = now if started is None else int(started[i])
        rows.append((Occupant("running", job, i, int(amounts[0]), since, int(end)), amounts))
    for k in np.flatnonzero(start != NEVER):
        if k != but:
            begin, amounts = int(start[k]), demands[k]
            end = begin + int(walltimes[k])
            rows.append((Occupant("planned", int(problem.ids[k]), int(k), int(amounts[0]), begin, end), amounts))
    for i, amounts in enumerate(windows.amounts):
        begin, end = int(windows.start[i]), int(windows.end[i])
        rows.append((Occupant("window", None, i, int(amounts[0]), begin, end), amounts))
    return rows


def _to_start_now(
    problem: Round, profile: Profile, everything: list[tuple[Occupant, IntArray]], need: IntArray, walltime: int
) -> tuple[Occupant, ...] | None:
    """Return jobs without which the job would fit now, a set of which none can be left out.

    One job, if one is enough, the one that has least left to do. Otherwise greedily the job that covers most of what is
    missing, summed over time; at last whatever turns out not to be needed is taken out again.
    """
    now, until = int(problem.now), int(problem.now) + walltime
    times = profile.times
    steps = np.flatnonzero((times < until) & (np.append(times[1:], NEVER) > now))
    begins = np.maximum(times[steps], now)
    lengths = np.append(begins[1:], until) - begins
    free = np.asarray(profile.free).reshape(len(times), -1)[steps]
    shortage = np.maximum(need - free, 0)  # shape (steps, K)
    if not shortage.any():
        return ()
    jobs = [(o, a) for o, a in everything if o.kind != "window" and o.start < until]
    covered = np.array([(begins >= o.start) & (begins < o.end) for o, _ in jobs])
    freed = covered[:, :, None] * np.array([a for _, a in jobs])[:, None, :] if jobs else None
    if freed is None or (freed.sum(axis=0) < shortage).any():
        return None
    work = [(o.end - max(o.start, now)) * o.procs for o, _ in jobs]
    alone = [k for k in range(len(jobs)) if (freed[k] >= shortage).all()]
    if alone:
        return (jobs[min(alone, key=lambda k: work[k])][0],)
    weights = lengths[:, None] / problem.capacities
    selection: list[int] = []
    remaining = shortage.copy()
    while (remaining > 0).any():
        gains = (np.minimum(freed, remaining) * weights).sum(axis=(1, 2))
        gains[selection] = -1.0
        selection.append(int(np.argmax(gains)))
        remaining = np.maximum(remaining - freed[selection[-1]], 0)
    for k in sorted(selection, key=lambda k: work[k]):
        others = [other for other in selection if other != k]
        if (freed[others].sum(axis=0) >= shortage).all():
            selection = others
    return tuple(jobs[k][0] for k in sorted(selection))
