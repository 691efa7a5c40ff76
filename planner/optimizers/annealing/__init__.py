"""Simulated annealing."""

from planbatch.planner.optimizers.annealing.optimizer import Annealing

__all__ = ["Annealing"]
