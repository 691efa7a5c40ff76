"""CP-SAT: the model, the optimizer, and windows for large neighbourhood search."""

from planbatch.planner.optimizers.cpsat.optimizer import CpSat

__all__ = ["CpSat"]
