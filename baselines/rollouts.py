"""Stub."""

from typing import Any


def rollouts(order: str = "wfp3", name: str = "rollouts") -> Any:
    """Stub."""
    raise NotImplementedError
