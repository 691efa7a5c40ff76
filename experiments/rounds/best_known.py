"""The best known plans of rounds, in a file that only improves.

The file is one JSON object: ``{"ROUND|OBJECTIVE": {"cost", "optimizer", "budget", "seed", "order", "starts"?}}``. ROUND
is a digest of the round's content. ``order`` has the job ids, which decode to the plan. If the plan is better than
what its order decodes to (impossible for regular objectives), ``starts`` has its starts in that order.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from planbatch.experiments.common.atomic import atomic_write
from planbatch.experiments.common.lock import locked
from planbatch.experiments.common.records import Record, record_of
from planbatch.experiments.rounds.file import round_to
from planbatch.planner.decoder import decode
from planbatch.planner.model import IntArray
from planbatch.planner.objective import Objective
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round
from planbatch.planner.soundness import plan_faults, true_cost

#: Relative difference allowed between two ways of adding up the same cost.
ROUNDING = 1e-9


@dataclass(frozen=True)
class BestKnown:
    """The best known plan of a round for an objective, and the search that found it."""

    cost: float
    #: The optimizer that found it, and its budget in words.
    optimizer: str
    budget: str
    seed: int  # seed of that search
    order: tuple[int, ...]  # the ids of the jobs in the order of their starts
    starts: tuple[int, ...] | None = None  # their starts (s), if the order alone does not give them

    @classmethod
    def of(
        cls, problem: Round, objective: Objective, start: IntArray, optimizer: str, budget: str, seed: int
    ) -> "BestKnown":
        """Describe a plan; its cost is computed again."""
        by_start = Plan(start).order()
        order = tuple(problem.ids[by_start].tolist())
        plain = cls(0.0, optimizer, budget, seed, order)
        exact = replace(plain, starts=tuple(start[by_start].tolist()))
        costs = [true_cost(problem, objective, plan_of(problem, e).start) for e in (plain, exact)]
        better = costs[1] < costs[0] and not same_cost(*costs)
        return replace(exact if better else plain, cost=costs[int(better)])

    def verify(self, problem: Round, objective: Objective) -> "BestKnown | None":
        """Return the entry with the true cost of its plan, or None if it is no plan of the round."""
        try:
            start = plan_of(problem, self).start
            if plan_faults(problem, start):
                return None
            cost = true_cost(problem, objective, start)
            return self if same_cost(cost, self.cost) else replace(self, cost=cost)
        except (ValueError, OverflowError):
            return None


def same_cost(one: float, other: float) -> bool:
    """Whether two costs are equal up to rounding."""
    return abs(one - other) <= ROUNDING * max(abs(one), abs(other))


def content_hash(problem: Round) -> str:
    """Return a digest of everything in a round's file that plans depend on."""
    text = json.dumps(round_to(replace(problem, epoch=None)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def key_of(problem: Round, objective: Objective) -> str:
    """Return the file's key for a round and an objective."""
    return f"{content_hash(problem)}|{objective.name}"


def plan_of(problem: Round, entry: BestKnown) -> Plan:
    """Return the plan of an entry; ValueError if its jobs are not those of the round."""
    indices = {int(job): i for i, job in enumerate(problem.ids)}
    order = np.array([indices.get(job, -1) for job in entry.order], dtype=np.int64)
    plan = decode(problem, order)
    if entry.starts is None:
        return plan
    start = plan.start.copy()
    start[order] = entry.starts
    return Plan(start)


def read_best_known(path: Path) -> dict[str, BestKnown]:
    """Read the file; without one, return an empty mapping. ``ValueError`` if it is not a file of best-known plans."""
    return read_entries(path, BestKnown, "best-known costs", "move it away or repair it")


def improve(
    path: Path | None, problems: Mapping[str, tuple[Round, Objective]], plans: Mapping[str, BestKnown]
) -> dict[str, BestKnown]:
    """Merge plans into the file, and return the best of both by key, for those of ``problems`` that have a known plan.

    ``problems`` has the rounds and objectives of the keys of interest: without any, only the file's soundness is
    checked, and other entries stay as they are. Entries that are no plan of their round are ignored, and every cost is
    computed again. Without a file, only ``plans`` count.
    """
    best: dict[str, BestKnown] = {}
    with nullcontext() if path is None else write_lock(path):
        # Read under the lock: another comparison may have improved the file.
        stored = read_best_known(path) if path is not None else {}
        for key, (problem, objective) in problems.items():
            for entry in (stored.get(key), plans.get(key)):
                sound = entry.verify(problem, objective) if entry is not None else None
                if sound is not None and (
                    key not in best or (sound.cost < best[key].cost and not same_cost(sound.cost, best[key].cost))
                ):
                    best[key] = sound
        merged = stored | best
        if path is not None and merged != stored:
            write_entries(path, {key: _fields(entry) for key, entry in merged.items()})
    return best


def _fields(entry: BestKnown) -> dict[str, Any]:
    """Return the fields that an entry has."""
    return {name: value for name, value in asdict(entry).items() if value is not None}


@contextmanager
def write_lock(path: Path) -> Iterator[None]:
    """Wait until no other process writes the file; its folder is created."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f".{path.name}.lock"), wait=True):
        yield


def read_entries(path: Path, kind: type[Record], what: str, cure: str) -> dict[str, Record]:
    """Read a file of entries by key; without one, return an empty mapping. ``ValueError`` if it holds anything else."""
    if not path.exists():
        return {}
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(entries, dict):
            raise ValueError("it holds no JSON object")
        return {key: record_of(kind, fields) for key, fields in entries.items()}
    except ValueError as error:
        raise ValueError(f"{path}: not a file of {what} ({error}); {cure}") from None


def write_entries(path: Path, entries: Mapping[str, Mapping[str, Any]]) -> None:
    """Write a file of entries by key, one per line."""
    lines = [f" {json.dumps(key)}: {json.dumps(entries[key])}" for key in sorted(entries)]
    with atomic_write(path) as stream:
        stream.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())
