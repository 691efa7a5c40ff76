"""Exhaustive search with proofs: branch and bound."""

from planbatch.planner.optimizers.exhaustive.optimizer import Exhaustive

__all__ = ["Exhaustive"]
