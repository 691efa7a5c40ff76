"""Comparing optimizers on single rounds: searches in parallel, the best plans known, and what is proven of them."""

import hashlib
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from planbatch.experiments.common.paths import as_path
from planbatch.experiments.replay.identity import content_digest
from planbatch.experiments.rounds.best_known import BestKnown, content_hash, improve, key_of, plan_of
from planbatch.experiments.rounds.file import read_round
from planbatch.experiments.rounds.results import RoundCell, RoundComparison, Solution, budget_text
from planbatch.experiments.runs.backends import run_tasks
from planbatch.experiments.runs.cache import cached_tasks
from planbatch.experiments.runs.progress import CountBar
from planbatch.experiments.runs.task import Failure, ProgressCallback, Task, without_progress
from planbatch.planner.arguments import as_list, expect, expect_function, short_repr, whole
from planbatch.planner.bounds import lower_bound
from planbatch.planner.budget import ROUND_EVALUATIONS, Budget, budget_of
from planbatch.planner.objective import Cost, Objective, UnsupportedObjectiveError
from planbatch.planner.optimizer import Optimizer
from planbatch.planner.optimizers import as_optimizer, check_supported
from planbatch.planner.plan import Plan
from planbatch.planner.registry.objective import as_objective
from planbatch.planner.round import Round
from planbatch.planner.soundness import checked_search, true_cost

Rounds = Sequence[Round | str | Path] | Mapping[str, Round]


@dataclass(frozen=True)
class SearchTask:
    """A search to be run: a task for :func:`run_tasks`."""

    problem: Round
    optimizer: Optimizer
    objective: Objective  # what plans cost
    budget: Budget
    #: Seed. With the round's content and the names of optimizer and objective it gives the random numbers, so
    #: results depend neither on the number of processes nor on what else is compared.
    seed: int

    def rng(self) -> np.random.Generator:
        """Return the random numbers of this search."""
        names = (content_hash(self.problem), self.optimizer.name, self.objective.name, self.seed)
        digest = hashlib.sha256("|".join(map(str, names)).encode()).digest()
        return np.random.default_rng(np.random.SeedSequence(int.from_bytes(digest, "big")))

    def __call__(self, _report: ProgressCallback | None = None) -> Solution:
        """Search; ``OptimizerError`` if the optimizer raises, the plan is invalid or its cost is wrong."""
        result = checked_search(self.optimizer, self.problem, self.objective, self.budget, self.rng())
        return Solution(
            float(result.cost),
            float(result.seed_cost),
            int(result.evaluations),
            float(result.seconds),
            str(result.status),
            float(result.lower_bound),
            result.plan.start,
        )


def compare_rounds(
    rounds: Rounds,
    optimizers: Sequence[str | Optimizer],
    objectives: Sequence[str | Objective | Cost],
    *,
    evaluations: int | None = None,
    seconds: float | None = None,
    seeds: int = 1,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    curves: int = 0,
    best_known: str | Path | None = None,
    out: str | Path | None = None,
) -> RoundComparison:
    """Search for plans of several rounds with several optimizers.

    Parameters
    ----------
    rounds : sequence of Round, str or Path, or mapping of str to Round
        The rounds, or their files.
    optimizers, objectives : sequence
        Names or objects; objectives also as functions ``cost(start, jobs, now)``. Every optimizer is run on every
        objective.
    evaluations : int, optional
        Plans that every search evaluates; 8,800 by default.
    seconds : float, optional
        Wall-clock time of every search (s).
    seeds : int
        Number of searches per round, objective and optimizer, with different random numbers.
    jobs : int
        Processes. Results do not depend on it, as long as evaluations end the searches.
    progress : callable, optional
        ``progress(done, total)``; by default, a bar on standard error if that is a terminal, or in a notebook.
    curves : int
        Number of rounds whose cost is followed over time, by searches with ever larger budgets.
    best_known : path, optional
        The file of best known costs, created or improved.
    out : path, optional
        Folder in which every search is stored as soon as it is finished; those that it holds are not run again.
        The bounds proven are stored there, too.

    Returns
    -------
    RoundComparison
        If a search fails, only its cell fails. After an interrupt (Ctrl-C), the finished searches are returned.

    Raises
    ------
    OSError
        Before anything runs: if ``out`` or ``best_known`` cannot be written.
    ValueError
        Before anything runs: for bad input; as ``UnsupportedObjectiveError``, if no optimizer can work on any
        objective. Single pairs that cannot are left out with a warning.

    Examples
    --------
    >>> import planbatch as pb
    >>> problem = pb.Round.of(capacity=8, now=0, waiting=[(0, 8, 100), (0, 4, 300), (0, 2, 50)])
    >>> comparison = pb.compare_rounds({"one": problem}, ["annealing", "tabu"], ["wait"], evaluations=100)
    >>> comparison.summary()["optimizer"].tolist()
    ['annealing', 'tabu']
    """
    for what, number, least in (("seeds", seeds, 1), ("jobs", jobs, 1), ("curves", curves, 0)):
        whole(what, number, least)
    expect_function("progress", progress, "two arguments")
    problems = named_rounds(rounds)
    searchers = by_name("optimizers", [as_optimizer(optimizer) for optimizer in as_list("optimizers", optimizers)])
    costs = by_name("objectives", [as_objective(objective) for objective in as_list("objectives", objectives)])
    for name, objective in costs.items():
        if objective.scenarios is not None:
            raise ValueError(
                f"objective {name}: costs over scenarios differ with the seed, so searches cannot be compared by them"
            )
    budget = budget_of(evaluations, seconds, ROUND_EVALUATIONS)
    known_plans = None if best_known is None else as_path("best_known", best_known)
    if known_plans is not None:
        improve(known_plans, {}, {})  # fail before the search if it cannot be read or written
    possible = supported_pairs(searchers, costs)
    names = [(r, c, o) for r, c, o in product(problems, costs, searchers) if (o, c) in possible]
    plan = [(*name, seed, budget) for name in names for seed in range(seeds)]
    followed = list(problems)[:curves]
    plan += [
        (*name, seed, part) for name in names if name[0] in followed for seed in range(seeds) for part in parts(budget)
    ]
    searches = [SearchTask(problems[r], searchers[o], costs[c], part, seed) for r, c, o, seed, part in plan]
    tasks: list[Task] = list(searches)
    folder = None if out is None else as_path("out", out)
    if folder is not None:
        hashes = {name: content_hash(problem) for name, problem in problems.items()}
        contents = {(o, c): content_digest((searchers[o], costs[c])) for o, c in possible}
        keys = [(hashes[r], contents[o, c], seed, part) for r, c, o, seed, part in plan]
        tasks = cached_tasks(folder, keys, tasks)
    outcomes: list[Solution | Failure | None] = [None] * len(searches)
    interrupted = False
    try:
        with nullcontext(progress) if progress is not None else CountBar("searches") as report:
            for count, (index, outcome) in enumerate(run_tasks(tasks, jobs), 1):
                outcomes[index] = outcome
                report(count, len(searches))
    except KeyboardInterrupt:
        interrupted = True
    cells = [RoundCell(*what, outcome) for what, outcome in zip(plan, outcomes, strict=True)]
    best = best_plans(problems, costs, cells, known_plans)
    bounds = {} if interrupted else proven_bounds(problems, costs, cells, best, jobs, folder)
    first = len(names) * seeds
    return RoundComparison(
        problems, tuple(searchers), tuple(costs), budget, tuple(cells[:first]), tuple(cells[first:]), best, bounds
    )


def supported_pairs(searchers: Mapping[str, Optimizer], costs: Mapping[str, Objective]) -> set[tuple[str, str]]:
    """Return the pairs of names of which the optimizer can work on the objective; warn of the others."""
    refused = {}
    for o, c in product(searchers, costs):
        try:
            check_supported(searchers[o], costs[c])
        except UnsupportedObjectiveError as error:
            refused[o, c] = error
    possible = set(product(searchers, costs)) - refused.keys()
    if not possible:
        raise next(iter(refused.values()))
    for refusal in refused.values():
        warnings.warn(f"{refusal}; this pair is left out", stacklevel=3)
    return possible


def named_rounds(rounds: Rounds) -> dict[str, Round]:
    """Read rounds from files, and name all: after their files, or by their numbers."""
    if isinstance(rounds, Mapping):
        for problem in rounds.values():
            expect("rounds", problem, Round)
        return dict(rounds)
    rounds = as_list("rounds", rounds)
    stems = [Path(source).stem for source in rounds if isinstance(source, str | Path)]
    by_name: dict[str, Round] = {}
    for index, source in enumerate(rounds, 1):
        if isinstance(source, Round):
            name, problem = f"round-{index}", source
        elif isinstance(source, str | Path):
            stem = Path(source).stem
            name, problem = stem if stems.count(stem) == 1 else str(source), read_round(source)
        else:
            raise ValueError(f"rounds: {short_repr(source)} is neither a Round nor a file")
        if name in by_name:
            raise ValueError(f"rounds: {name} is given more than once")
        by_name[name] = problem
    return by_name


def by_name(what: str, objects: Sequence[Any]) -> dict[str, Any]:
    """Return objects by their names, which must differ."""
    named = {each.name: each for each in objects}
    names = [each.name for each in objects]
    twice = next((name for name in named if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{what}: {twice} is given more than once")
    return named


def parts(budget: Budget) -> list[Budget]:
    """Return the smaller budgets along a search: 0, 10, 30, 100 … evaluations, or halved seconds."""
    if budget.evaluations is None:
        assert budget.seconds is not None
        return [Budget(seconds=budget.seconds / 2**k) for k in range(6, 0, -1)]
    steps = [0, *(step * 10**power for power in range(1, 12) for step in (1, 3))]
    return [Budget(budget.seconds, evaluations) for evaluations in steps if evaluations < budget.evaluations]


def best_plans(
    problems: Mapping[str, Round], costs: Mapping[str, Objective], cells: Sequence[RoundCell], path: Path | None
) -> dict[tuple[str, str], BestKnown]:
    """Return the best known plan for every round and objective, and write it to the file."""
    keys = {(r, c): key_of(problems[r], costs[c]) for r, c in product(problems, costs)}
    least: dict[str, tuple[float, RoundCell]] = {}
    for cell in cells:
        key = keys[cell.round, cell.objective]
        if isinstance(cell.outcome, Solution) and (key not in least or cell.outcome.cost < least[key][0]):
            least[key] = cell.outcome.cost, cell
    plans = {}
    for key, (_, cell) in least.items():
        assert isinstance(cell.outcome, Solution)
        problem, objective = problems[cell.round], costs[cell.objective]
        plans[key] = BestKnown.of(
            problem, objective, cell.outcome.start, cell.optimizer, budget_text(cell.budget), cell.seed
        )
    subjects = {key: (problems[r], costs[c]) for (r, c), key in keys.items()}
    best = improve(path, subjects, plans)
    return {pair: best[key] for pair, key in keys.items() if key in best}


def proven_bound(problem: Round, objective: Objective, plan: Plan) -> float:
    """Return the bound that is proven of a plan."""
    return lower_bound(problem, objective, true_cost(problem, objective, plan.start, plan.order()))


def proven_bounds(
    problems: Mapping[str, Round],
    costs: Mapping[str, Objective],
    cells: Sequence[RoundCell],
    best: Mapping[tuple[str, str], BestKnown],
    jobs: int,
    folder: Path | None,
) -> dict[tuple[str, str], float]:
    """Return the largest lower bound for every round and objective: that of the searches or that of ``solve``."""
    pairs = list(best)
    plans = [plan_of(problems[r], best[r, c]) for r, c in pairs]
    tasks = [
        without_progress(proven_bound, problems[r], costs[c], plan) for (r, c), plan in zip(pairs, plans, strict=True)
    ]
    if folder is not None:
        contents = {c: content_digest(cost) for c, cost in costs.items()}
        keys = [
            ("bound", content_hash(problems[r]), contents[c], plan.start)
            for (r, c), plan in zip(pairs, plans, strict=True)
        ]
        tasks = cached_tasks(folder, keys, tasks)
    bounds = dict.fromkeys(product(problems, costs), math.nan)
    for index, bound in run_tasks(tasks, jobs):
        if not isinstance(bound, Failure):
            bounds[pairs[index]] = bound
    for cell in cells:
        if isinstance(cell.outcome, Solution):
            pair = cell.round, cell.objective
            bounds[pair] = float(np.fmax(bounds[pair], cell.outcome.lower_bound))
    return bounds
