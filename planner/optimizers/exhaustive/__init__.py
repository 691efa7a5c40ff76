"""Exhaustive search with proofs: branch and bound."""
