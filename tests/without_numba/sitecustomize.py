"""Hides numba from Python, and from the processes that it starts, if this folder is in PYTHONPATH."""

import sys

sys.modules["numba"] = None  # type: ignore[assignment]
