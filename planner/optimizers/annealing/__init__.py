"""Simulated annealing."""
