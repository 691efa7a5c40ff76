"""How many examples of a property are tested: an eighth in ``make test``, all of them in ``make nightly``."""

import os

#: Whether every example is tested; ``make nightly`` says so.
THOROUGH = bool(os.environ.get("PLANBATCH_THOROUGH"))


def examples(number: int) -> int:
    """Return how many of so many examples this run tests: an eighth, and at least ten, or all."""
    return number if THOROUGH else min(number, max(number // 8, 10))
