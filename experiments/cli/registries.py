"""The kinds of names, and the registry of each, imported on first use."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planbatch.planner.registry.registry import Registry

#: Kind → where its registry is.
_REGISTRIES = {
    "policies": ("baselines.catalogue", "POLICY_NAMES"),
    "orders": ("planner.orders.catalogue", "ORDER_NAMES"),
    "objectives": ("objectives.catalogue", "OBJECTIVE_NAMES"),
    "optimizers": ("planner.optimizers", "OPTIMIZER_NAMES"),
    "predictors": ("planner.history.predictors", "PREDICTOR_NAMES"),
    "metrics": ("experiments.studies.metrics", "METRIC_NAMES"),
    "presets": ("experiments.workloads.presets", "PRESET_NAMES"),
}
KINDS = tuple(_REGISTRIES)


def registry_of(kind: str) -> "Registry":
    """Return the registry of a kind."""
    module, name = _REGISTRIES[kind]
    return getattr(import_module(f"planbatch.{module}"), name)
