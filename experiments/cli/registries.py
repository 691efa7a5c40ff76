"""What has names: kinds, and the registry of each, imported when it is asked for."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planbatch.planner.registry.registry import Registry

KINDS = ("policies", "orders", "objectives", "optimizers", "predictors", "metrics")


def registry_of(kind: str) -> "Registry":
    """Return the registry of a kind."""
    if kind == "policies":
        from planbatch.baselines.catalogue import POLICY_NAMES

        return POLICY_NAMES
    if kind == "orders":
        from planbatch.planner.orders.catalogue import ORDER_NAMES

        return ORDER_NAMES
    if kind == "objectives":
        from planbatch.objectives.catalogue import OBJECTIVE_NAMES

        return OBJECTIVE_NAMES
    if kind == "optimizers":
        from planbatch.planner.optimizers import OPTIMIZER_NAMES

        return OPTIMIZER_NAMES
    if kind == "predictors":
        from planbatch.planner.history.predictors import PREDICTOR_NAMES

        return PREDICTOR_NAMES
    from planbatch.experiments.studies.metrics import METRIC_NAMES

    return METRIC_NAMES
