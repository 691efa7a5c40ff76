"""Capturing the rounds that a policy decided during a replay."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from planbatch import _core
from planbatch.baselines.policy import Policy, as_policy, core_form, traits_of
from planbatch.experiments.replay.estimates import REQUESTED, Estimates
from planbatch.experiments.replay.replay import ObservedPolicy, bound, replay, rounds_at
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.rounds.file import write_round
from planbatch.experiments.workloads.as_workload import as_workload
from planbatch.planner.arguments import as_list, whole
from planbatch.planner.bounds import RELAXATIONS, lower_bound
from planbatch.planner.model import BoolArray, Workload
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.optimizers.first_plan import first_plan
from planbatch.planner.plan import Plan
from planbatch.planner.registry.objective import as_objective
from planbatch.planner.round import Round

#: Share by which the number of waiting jobs may differ from a size.
TOLERANCE = 0.05
#: From how many rounds, drawn at random, each of the hardest is chosen.
CANDIDATES = 20

Item = TypeVar("Item")


@dataclass
class Sample(Generic[Item]):
    """Rounds of about one size, each chosen with the same probability (reservoir sampling)."""

    size: int  # number of waiting jobs
    room: int  # how many rounds to keep
    rng: np.random.Generator  # random numbers for the choice
    #: The chosen rounds, or their numbers.
    rounds: list[Item] = field(default_factory=list)
    offered: int = 0  # number of rounds to choose from

    def wants(self, waiting: Any) -> Any:
        """Whether a round with so many waiting jobs has the size; for a column, one answer per round."""
        return abs(waiting - self.size) <= TOLERANCE * self.size

    def offer(self, waiting: int, problem: Item) -> None:
        """Offer a round; if it has the size, choose it with the right probability."""
        if not self.wants(waiting):
            return
        self.offered += 1
        index = int(self.rng.integers(self.offered))
        if len(self.rounds) < self.room:
            self.rounds.append(problem)
        elif index < self.room:
            self.rounds[index] = problem


def capture(
    workload: Workload,
    policy: Policy | str,
    sizes: Sequence[int],
    *,
    per_size: int = 1,
    estimates: Estimates = REQUESTED,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
    hard: Objective | Cost | str | None = None,
) -> dict[int, list[Round]]:
    """Replay a workload, and keep some of its rounds.

    Parameters
    ----------
    workload, policy, estimates, seed, progress
        As in :func:`replay`. The seed also chooses the rounds.
    sizes : sequence of int
        Numbers of waiting jobs, give or take 5 %. Only rounds in which a job fits now count.
    per_size : int
        How many rounds of each size to keep.
    hard : Objective, function or str, optional
        Keep those rounds in which most is left to search for with this objective: the largest gaps between the best
        first plan and the proven lower bound, of :data:`CANDIDATES` times as many rounds drawn at random.

    Returns
    -------
    dict of int to list of Round
        For every size, in ascending order, the rounds by time; empty if there was none.

    Examples
    --------
    >>> import planbatch as pb
    >>> workload = pb.synthetic_workload(jobs=300, capacity=16, load=1.2)
    >>> captured = pb.capture(workload, "easy", [10])
    >>> {size: [len(problem) for problem in rounds] for size, rounds in captured.items()}
    {10: [10]}
    """
    workload, seed = as_workload(workload), whole("seed", seed, most=None)
    sizes = [whole("sizes", size, 1, "waiting jobs") for size in as_list("sizes", sizes)]
    per_size = whole("per_size", per_size, 1, "rounds")
    cost = None if hard is None else as_objective(hard)
    if cost is not None and cost.terms is None and cost.bound is None:
        raise ValueError(f"hard: nothing is proven about objective {cost.name}; take one with terms, such as wait")
    own_policy = bound(as_policy(policy), workload)
    # Searches limited by time cannot be replayed exactly: their rounds are captured during the replay.
    timed = traits_of(own_policy).timed
    compiled = core_form(own_policy) is not None and not timed
    sample = sample_compiled if compiled else sample_interpreted
    room = per_size if cost is None else per_size * CANDIDATES
    ordered = sorted(set(sizes))
    sampled = sample(workload, own_policy, ordered, room, estimates, seed, progress)
    if cost is not None:
        sampled = {size: hardest(rounds, cost, per_size) for size, rounds in sampled.items()}
    return {size: sorted(rounds, key=lambda problem: problem.now) for size, rounds in sampled.items()}


def sample_interpreted(
    workload: Workload,
    policy: Policy,
    sizes: Sequence[int],
    room: int,
    estimates: Estimates,
    seed: int,
    progress: Callable[[int], None] | None,
) -> dict[int, list[Round]]:
    """Choose rounds while an interpreted replay goes on."""
    samples: list[Sample[Round]] = [Sample(size, room, np.random.default_rng([seed, size])) for size in sizes]

    def offer(problem: Round, _plan: Plan) -> None:
        if problem.any_fits:
            for sample in samples:
                sample.offer(len(problem), problem)

    replay(workload, ObservedPolicy(policy, offer), estimates=estimates, seed=seed, progress=progress)
    return {sample.size: sample.rounds for sample in samples}


def sample_compiled(
    workload: Workload,
    policy: Policy,
    sizes: Sequence[int],
    room: int,
    estimates: Estimates,
    seed: int,
    progress: Callable[[int], None] | None,
) -> dict[int, list[Round]]:
    """Choose rounds in the log of a compiled replay, and replay again up to each of them."""
    trace = replay(workload, policy, estimates=estimates, seed=seed, progress=progress)
    waiting = trace.rounds.waiting
    samples: list[Sample[int]] = [Sample(size, room, np.random.default_rng([seed, size])) for size in sizes]
    mask = np.zeros(len(waiting), dtype=np.bool_)
    for sample in samples:
        mask |= sample.wants(waiting)
    for number in np.flatnonzero(mask)[one_fitted(trace, mask)]:
        for sample in samples:
            sample.offer(int(waiting[number]), int(number))
    numbers = sorted({number for sample in samples for number in sample.rounds})
    again = rounds_at(workload, policy, numbers, estimates=estimates, seed=seed)
    rounds = dict(zip(numbers, again, strict=True))
    return {sample.size: [rounds[number] for number in sample.rounds] for sample in samples}


def one_fitted(trace: Trace, mask: BoolArray) -> BoolArray:
    """For the wanted rounds of a replay, return whether a waiting job fitted (windows are not counted)."""
    workload = trace.workload
    capacities = [workload.capacity, *(resource.capacity for resource in workload.resources)]
    columns = (
        trace.rounds.time[mask],
        workload.submit,
        trace.start,
        trace.end,
        np.column_stack([workload.procs, workload.demands]),
        capacities,
    )
    return _core.rounds_with_fit(*(np.ascontiguousarray(column, dtype=np.int64) for column in columns))


def hardest(rounds: Sequence[Round], objective: Objective, count: int) -> list[Round]:
    """Return the rounds with the largest gaps between the best first plan and what is proven, by time if equal."""

    def gap(problem: Round) -> float:
        cost = first_plan(problem, objective).cost
        proven = lower_bound(problem, objective, cost, RELAXATIONS)
        return (cost - proven) / abs(cost) if cost else 0.0

    return sorted(sorted(rounds, key=lambda problem: problem.now), key=gap, reverse=True)[:count]


def write_captured(
    rounds: dict[int, list[Round]], folder: str | Path, workload: str, policy: str, note: str = ""
) -> list[Path]:
    """Write captured rounds into a folder as ``WORKLOAD-POLICY-n0100-t12345.json`` (n: the requested size).

    The ``source`` of each names workload and policy, with ``note``.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{workload}-{policy}".replace(":", "-").replace("/", "-").replace(" ", "-")
    paths = []
    for size, captured in rounds.items():
        for problem in captured:
            path = folder / f"{stem}-n{size:04d}-t{problem.now}.json"
            source = f"{workload} under {policy} at {problem.now} s, {len(problem)} jobs waiting"
            write_round(path, problem, source + (f"; {note}" if note else ""))
            paths.append(path)
    return paths
