"""The first plans in numpy: the sort keys of each, by its name, for rounds without a past of users."""

import numpy as np

from planbatch.planner.decoder import decode
from planbatch.planner.model import NEVER
from planbatch.planner.optimizers.first_plan import FIRST_PLANS, FIRST_PLANS_OF_LONG_QUEUES, LONG_QUEUE
from planbatch.planner.orders.catalogue import order_by
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round


def first_order(problem: Round, name: str) -> np.ndarray:
    """Give the order of a first plan."""
    jobs, n = problem.jobs, len(problem)
    if name == "regular-first":
        return order_by("regular-first", jobs, problem.now)
    share = problem.demands / problem.capacities
    size, length = share.max(axis=1) * problem.capacity, jobs.walltime.astype(float)
    area, age = size * length, np.maximum(problem.now - jobs.submit, 0).astype(float)
    least = area.sum() / problem.capacity
    keys = {
        "previous": problem.planned,
        "submit": np.arange(n),
        "smallest-area": area,
        "area-per-square": area / (age + least) ** 2,
        "size-root-length": size * np.sqrt(length),
        "area-per-response": area / (age + length),
        "root-size-length": np.sqrt(size) * length / (age + 0.3 * least),
        "area-per-age": area / (age + 60),
        "shortest": length,
        "smallest": size,
    }
    return np.argsort(keys[name], kind="stable")


def first_plans(problem: Round, names: tuple[str, ...] = FIRST_PLANS) -> list[Plan]:
    """Give the first plans that a search begins with."""
    decoded = [name for name in names if name != "regular-first"]
    if len(problem) > LONG_QUEUE:
        decoded = decoded[:FIRST_PLANS_OF_LONG_QUEUES]
    if "regular-first" in names and (problem.jobs.deadline != NEVER).any():
        decoded.append("regular-first")
    return [decode(problem, first_order(problem, name)) for name in decoded]
