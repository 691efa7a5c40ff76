"""How many examples of a property are tested: a quarter in the unit tier, all of them in ``make nightly``."""

import os

#: Whether every example is tested; ``make nightly`` says so.
THOROUGH = bool(os.environ.get("PLANBATCH_THOROUGH"))


def examples(number: int) -> int:
    """Return how many of so many examples this run tests: a quarter, and at least ten, or all."""
    return number if THOROUGH else min(number, max(number // 4, 10))
