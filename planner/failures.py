"""What users' functions raise, in a sentence."""

#: Whatever a user's function may raise that does not end the program, as Ctrl-C does.
USER_ERRORS = (Exception, SystemExit)


def text_of(error: BaseException) -> str:
    """Return what an exception says, in one line."""
    try:
        return " ".join(str(error).split())
    except Exception:  # its own __str__ fails
        return ""


def failure(error: BaseException, where: str) -> str:
    """Return what a function raised and where, to stand behind its name.

    >>> failure(KeyError("a"), "in the round at 5"), failure(StopIteration(), "in supports")
    ("raised KeyError in the round at 5: 'a'", 'raised StopIteration in supports')
    """
    text = text_of(error)
    return f"raised {type(error).__name__} {where}" + (f": {text}" if text else "")
