"""The histories that functions may ask for by name, in an attribute ``asks_for``."""

from planbatch.planner.history.expectation import EXPECTED_RUN_TIMES
from planbatch.planner.history.fair_share import FAIR_SHARE
from planbatch.planner.history.history import History
from planbatch.planner.names import did_you_mean

HISTORIES = {"expectation": EXPECTED_RUN_TIMES, "fair-share": FAIR_SHARE}
"""The histories by name.

Examples
--------
>>> from planbatch.planner import HISTORIES
>>> sorted(HISTORIES)
['expectation', 'fair-share']
"""


def required_history(what: str, function: object) -> History | None:
    """Return the history that a user's function asks for in its attribute ``asks_for``; None if it asks for none.

    That is a name of :data:`HISTORIES` or a :class:`History`; ``ValueError`` if it is neither, whose message names the
    function by ``what``, such as ``order slow``.
    """
    history = getattr(function, "asks_for", getattr(function, "history", None))
    if history is None or isinstance(history, History):
        return history
    if isinstance(history, str) and history in HISTORIES:
        return HISTORIES[history]
    suggestion = did_you_mean(str(history), HISTORIES)
    raise ValueError(f"{what}: asks_for: {history!r} is neither a History nor the name of one; {suggestion}")
