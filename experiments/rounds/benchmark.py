"""The benchmark of rounds: generated from seeds; nothing comes from logs.

Packed strips are rectangles cut into jobs, whose optimal makespan is known (:mod:`packed`). The others are rounds that
EASY, or a plan-based policy, met in replays of the model of Lublin and Feitelson at offered loads from 0.7 to 1.1, with
their running jobs; of long queues at a load at which they occur. A third of the jobs has a deadline. With three
resources, jobs also take memory and licences. The name of a round is its class and its seed; equal names are equal
rounds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.rounds.best_known import BestKnown, read_entries, same_cost, write_entries, write_lock
from planbatch.experiments.rounds.capture import capture
from planbatch.experiments.rounds.compare import compare_rounds
from planbatch.experiments.rounds.results import RoundComparison, excess, gap
from planbatch.experiments.runs.cache import cached_tasks
from planbatch.experiments.runs.task import without_progress
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives import MAKESPAN, make_objective
from planbatch.planner.budget import Budget
from planbatch.planner.model import NEVER, IntArray
from planbatch.planner.optimizers.annealing import Annealing
from planbatch.planner.resources import Resource
from planbatch.planner.round import Round
from planbatch.planner.soundness import plan_faults

#: What is minimised in rounds that no rectangle gave; of packed strips, the makespan.
OBJECTIVES = ("wait", "squared-wait", "makespan", "tardiness")
#: The file of best-known plans and proven bounds, by round and objective.
BEST_KNOWN = Path(__file__).with_name("best_known.json")
#: Evaluations that annealing makes in a second of the machine whose seconds count (:func:`pace`).
REFERENCE_PACE = 230_000.0
#: Seconds and seeds of a release's table; seconds of a quick look.
RELEASE, QUICK = ((2.0, 10), (10.0, 3), (60.0, 1)), 2.0
#: Number of waiting jobs → offered load at which such queues occur.
LONG_QUEUES = {1000: 2.0, 10_000: 4.0}


@dataclass(frozen=True)
class Source:
    """Where rounds come from: a replay of a synthetic workload."""

    policy: str  # the policy that meets the rounds
    load: float  # offered load
    sizes: tuple[int, ...]  # numbers of waiting jobs
    resources: int = 1  # 1, or 3 with memory and licences
    jobs: int = 3000  # of the workload


PLAN = "plan:squared-wait,optimizer=annealing,evaluations=10"
_SOURCES = (
    Source("easy", 0.7, (10, 30)),
    Source("easy", 0.9, (10, 30, 100)),
    Source("easy", 1.1, (30, 100, 300)),
    Source(PLAN, 0.9, (10, 30)),
    Source(PLAN, 1.1, (30, 100)),
    Source("easy", 0.9, (10, 30, 100), resources=3),
    *(Source("easy", load, (n,), jobs=4 * n) for n, load in LONG_QUEUES.items()),
)
_QUICK_SOURCES = (
    Source("easy", 0.9, (10, 30)),
    Source("easy", 1.1, (100,)),
    Source(PLAN, 0.9, (30,)),
    Source("easy", 0.9, (30,), resources=3),
)


def strips(quick: bool, seeds: int) -> Iterator[tuple[str, Round]]:
    """Yield packed strips by name."""
    for jobs in (20, 50, 200) if quick else (20, 50, 100, 200, 500, 1000):
        for kind in ("guillotine", "pinwheel"):
            for seed in range(1, seeds + 1):
                yield (f"strip-{kind}-{jobs}-{seed}", packed_round(jobs, seed, guillotine=kind == "guillotine"))


def rounds_of_replay(source: Source, seed: int) -> Iterator[tuple[str, Round]]:
    """Yield rounds of a replay by name; sizes that do not occur are left out."""
    workload = synthetic_workload(source.jobs, 256, seed=seed, load=source.load)
    policy = "plan" if source.policy == PLAN else source.policy
    for size, problems in capture(workload, source.policy, source.sizes, seed=seed).items():
        for problem in problems:
            kind = f"lublin-{policy}-{source.load:g}" + ("-three" if source.resources == 3 else "")
            rng = np.random.default_rng([seed, size])
            due = with_deadlines(problem, rng)
            yield (f"{kind}-{size}-{seed}", with_resources(due, rng) if source.resources == 3 else due)


def with_deadlines(problem: Round, rng: np.random.Generator) -> Round:
    """Give a third of the jobs a deadline two to four walltimes after their submission or now."""
    jobs = problem.jobs
    due = np.maximum(jobs.submit, problem.now) + (jobs.walltime * rng.uniform(2, 4, len(problem))).astype(np.int64)
    deadline = np.where(rng.random(len(problem)) < 1 / 3, due, NEVER)
    return replace(problem, jobs=jobs._replace(deadline=deadline))


def with_resources(problem: Round, rng: np.random.Generator) -> Round:
    """Give jobs memory, 1 to 8 GiB a processor of which the machine has 4, and some of them one of 8 licences."""
    n, running = len(problem), problem.running
    capacity = 4 * problem.capacity
    memory = np.minimum(problem.jobs.procs * rng.choice([1, 2, 4, 8], n), capacity)
    demands = np.column_stack([memory, rng.random(n) < 0.2]).astype(np.int64)
    in_use = np.column_stack([3 * running.procs, np.zeros(len(running.procs))]).astype(np.int64)
    return replace(
        problem,
        resources=(Resource("memory", capacity, "GiB"), Resource("licences", 8)),
        windows=None,  # type: ignore[arg-type]
        jobs=problem.jobs._replace(demands=demands),
        running=running._replace(demands=in_use),
    )


def benchmark_rounds(quick: bool = False) -> dict[str, Round]:
    """Return the rounds of the benchmark by name; if ``quick``, fewer and smaller ones."""
    seeds = 1 if quick else 2
    rounds = dict(strips(quick, seeds))
    for source in _QUICK_SOURCES if quick else _SOURCES:
        for seed in range(1, seeds + 1):
            rounds.update(rounds_of_replay(source, seed))
    return rounds


def class_of(name: str) -> str:
    """Return the class of a round: its name without the seed."""
    return name.rpartition("-")[0]


def pace() -> float:
    """Return how many evaluations per second annealing makes on a packed strip of 100 jobs, in processor time."""
    problem, best = packed_round(100, 1), 0.0
    for seed in range(3):
        began = process_time()
        Annealing().optimize(problem, MAKESPAN, Budget(evaluations=3000), np.random.default_rng(seed))
        best = max(best, 3000 / (process_time() - began))
    return best


@dataclass(frozen=True)
class _Entry:
    cost: float
    bound: float | None
    by: str
    order: list[int] | None


def read_benchmark_costs(path: Path = BEST_KNOWN) -> dict[str, dict[str, Any]]:
    """Read best-known plans and proven bounds, ``{"ROUND|OBJECTIVE": {"cost", "bound", "by", "order"}}``.

    ``order`` has the ids of the jobs in the order of their starts; decoded, it is the plan. Older entries have none.
    ``ValueError`` if it is not a file of those.
    """
    entries = read_entries(path, _Entry, "the benchmark's best-known costs", "name another")
    return {key: vars(entry) for key, entry in entries.items()}


def merge_entries(known: dict[str, dict[str, Any]], entries: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the lower cost and the higher bound of every entry; of equal costs the first that has a plan."""
    merged = dict(known)
    for key, new in entries.items():
        old = known.get(key)
        if old is None:
            merged[key] = new
            continue
        equal = same_cost(new["cost"], old["cost"])
        better = old["order"] is None if equal else new["cost"] < old["cost"]
        bounds = [b for b in (old["bound"], new["bound"]) if b is not None]
        merged[key] = {**(new if better else old), "bound": max(bounds) if bounds else None}
    return merged


def improve_benchmark_costs(path: Path, entries: dict[str, dict[str, Any]]) -> tuple[dict[str, dict[str, Any]], bool]:
    """Merge entries into the file under its lock; return its entries, and whether any became better."""
    with write_lock(path):
        known = read_benchmark_costs(path)
        merged = merge_entries(known, entries)
        if merged != known:
            write_entries(path, merged)
        return merged, merged != known


def entry_of(plan: BestKnown, by: str, bound: float = float("nan")) -> dict[str, Any]:
    """Return the entry of a plan for the file; NaN for no bound."""
    finite = None if bound != bound else bound
    return {"cost": plan.cost, "bound": finite, "by": by, "order": list(plan.order)}


def check_claim(claim: dict[str, Any], rounds: dict[str, Round]) -> tuple[str, dict[str, Any]]:
    """Check a claimed plan, ``{"round", "objective", "starts": {id: start}, "by"?}``; return its key and its entry.

    ``ValueError`` if a field is missing, there is no such round or objective, or the starts are no plan.
    """
    for field in ("round", "objective", "starts"):
        if field not in claim:
            raise ValueError(f"{field}: missing in the claim")
    name = claim["round"]
    if name not in rounds:
        raise ValueError(f"round: the benchmark has no {name!r}; planbatch rounds generate writes all of them")
    problem, objective = rounds[name], make_objective(claim["objective"])
    starts = claim["starts"]
    absent = [str(job) for job in problem.ids.tolist() if str(job) not in starts]
    if absent:
        raise ValueError(f"starts: job {absent[0]} of {name} has none")
    start: IntArray = np.array([starts[str(job)] for job in problem.ids.tolist()], dtype=np.int64)
    faults = plan_faults(problem, start)
    if faults:
        raise ValueError(f"starts: no plan of {name}: {faults[0]}")
    by = str(claim.get("by", "unknown"))
    plan = BestKnown.of(problem, objective, start, by, "", 0)
    return f"{name}|{objective.name}", entry_of(plan, by)


def run_benchmark(
    optimizers: Sequence[Any],
    *,
    quick: bool = False,
    seeds: int = 1,
    jobs: int = 1,
    best_known: Path | None = None,
    out: Path | None = None,
) -> tuple[pd.DataFrame, list[RoundComparison], float]:
    """Run optimizers on the benchmark, one core each; if ``quick``, fewer rounds at two seconds, with ``seeds``.

    Returns a table with a row per class, objective, seconds and optimizer: searches, mean_gap and worst_gap to the
    best-known cost, bound_gap (mean, to the proven bound), optimal (share of searches); the comparisons of the strips
    and of the others at each number of seconds; and by how much longer a second is than on the machine of reference.
    The file ``best_known`` is improved, or made from the benchmark's own. The folder ``out`` stores searches, bounds
    and the machine's pace, so that an interrupted run goes on where it was.
    """
    if best_known is not None:
        improve_benchmark_costs(best_known, {})  # fail before searching if it cannot be read or written
    rounds = benchmark_rounds(quick)
    measure = without_progress(pace)
    if out is not None:
        (measure,) = cached_tasks(out, ["pace"], [measure])
    scale = REFERENCE_PACE / measure(lambda _count: None)
    packed = {name: problem for name, problem in rounds.items() if name.startswith("strip-")}
    others = {name: problem for name, problem in rounds.items() if name not in packed}
    stages = product(((QUICK, seeds),) if quick else RELEASE, ((packed, ("makespan",)), (others, OBJECTIVES)))
    comparisons, frames = [], []
    entries: dict[str, dict[str, Any]] = {}
    for (seconds, times), (part, objectives) in stages:
        comparison = compare_rounds(
            part, optimizers, objectives, seconds=seconds * scale, seeds=times, jobs=jobs, out=out
        )
        comparisons.append(comparison)
        frames.append(comparison.to_frame().assign(budget=seconds))
        for (name, objective), plan in comparison.best.items():
            by = f"{plan.optimizer}, {seconds:g} s, seed {plan.seed}"
            entry = entry_of(plan, by, comparison.bounds.get((name, objective), float("nan")))
            entries = merge_entries(entries, {f"{name}|{objective}": entry})
        if comparison.unfinished:
            break
    data = pd.concat(frames, ignore_index=True)
    keys = data["round"] + "|" + data["objective"]
    known = merge_entries(read_benchmark_costs(), entries)
    if best_known is not None:
        known, _ = improve_benchmark_costs(best_known, known)
    data["class"] = data["round"].map(class_of)
    data["to_best"] = list(map(partial(_gap_to, known, excess, "cost"), keys, data["cost"]))
    data["to_bound"] = list(map(partial(_gap_to, known, gap, "bound"), keys, data["cost"]))
    groups = data.groupby(["class", "objective", "budget", "optimizer"], sort=False)
    table = groups.agg(
        searches=("cost", "size"),
        mean_gap=("to_best", "mean"),
        worst_gap=("to_best", "max"),
        bound_gap=("to_bound", "mean"),
        optimal=("to_bound", lambda column: float((column <= 0).mean())),
    )
    return table.reset_index(), comparisons, scale


def benchmark_table(table: pd.DataFrame, scale: float) -> Table:
    """Lay out what :func:`run_benchmark` returns."""
    columns = [
        Column("class", "class"),
        Column("objective", "objective"),
        Column("budget", "seconds", "{:g}".format),
        Column("optimizer", "optimizer"),
        Column("searches", "searches", str),
        Column("mean_gap", "to best known", "{:.2%}".format),
        Column("worst_gap", "worst", "{:.2%}".format),
        Column("bound_gap", "to bound", "{:.2%}".format),
        Column("optimal", "optimal", "{:.2%}".format),
    ]
    rows = table.to_dict("records")
    return Table("benchmark", f"a second of the table is {scale:.2f} s here", columns, rows)


def _gap_to(
    known: dict[str, dict[str, Any]], rule: Callable[[float, float], float], field: str, key: str, cost: float
) -> float:
    """Return by how much a cost is above the best-known one, or a bound."""
    value = known.get(key, {}).get(field)
    return float("nan") if value is None or cost != cost else rule(cost, value)


#: The smallest side of a piece that is cut by a pinwheel.
PINWHEEL = 3


def packed_round(jobs: int, seed: int, *, capacity: int = 128, height: int = 3600, guillotine: bool = True) -> Round:
    """Cut a rectangle of processors and seconds at random into jobs that all wait at 0.

    The optimal makespan is ``height`` (s); with ``guillotine``, every cut goes from edge to edge. ``ValueError`` if the
    rectangle has fewer units than there are jobs.

    >>> problem = packed_round(30, seed=1)
    >>> int((problem.jobs.procs * problem.jobs.walltime).sum()) == problem.capacity * 3600
    True
    """
    if not 1 <= jobs <= capacity * height:
        raise ValueError(f"jobs: {jobs} cannot be cut from {capacity} processors × {height} s")
    rng = np.random.default_rng([jobs, seed, capacity, height, guillotine])
    pieces = [(capacity, height)]
    while len(pieces) < jobs:
        area = np.array([wide * high for wide, high in pieces], dtype=np.float64)
        at = int(rng.choice(len(pieces), p=area / area.sum()))
        wide, high = pieces[at]
        spins = not guillotine and len(pieces) + 4 <= jobs and min(wide, high) >= PINWHEEL
        if spins and rng.random() < 0.5:
            pieces[at : at + 1] = pinwheel(wide, high, rng)
        else:
            pieces[at : at + 1] = halves(wide, high, rng)
    order = rng.permutation(len(pieces))
    return Round.of(capacity=capacity, now=0, waiting=[(0, *pieces[i]) for i in order])


def halves(wide: int, high: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Cut a piece in two, anywhere; a unit stays whole."""
    units = wide - 1 + high - 1
    if units == 0:
        return [(wide, high)]
    # Sides of unlike units: processors and seconds are cut equally often.
    if high == 1 or (wide > 1 and rng.random() < 0.5):
        cut = int(rng.integers(1, wide))
        return [(cut, high), (wide - cut, high)]
    cut = int(rng.integers(1, high))
    return [(wide, cut), (wide, high - cut)]


def pinwheel(wide: int, high: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Cut a piece in five: four around one in the middle."""
    left, right = sorted(rng.choice(np.arange(1, wide), size=2, replace=False).tolist())
    low, top = sorted(rng.choice(np.arange(1, high), size=2, replace=False).tolist())
    return [(right, low), (wide - right, top), (wide - left, high - top), (left, high - low), (right - left, top - low)]
