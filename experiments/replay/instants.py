"""When a replay has its rounds: one at each instant, or one at each event."""

#: One round after all that happens at an instant (design rule 4); or one after each submission and each end.
EACH_INSTANT, EACH_EVENT = "each-instant", "each-event"
KINDS = (EACH_INSTANT, EACH_EVENT)


def check_rounds(rounds: str) -> str:
    """Return a kind of rounds unchanged.

    Raises
    ------
    ValueError
        If there is none of this name.
    """
    if rounds not in KINDS:
        raise ValueError(f"rounds: {rounds!r} is none of {', '.join(KINDS)}")
    return rounds
