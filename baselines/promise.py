"""Promises: the latest start that a job is given when it is first planned."""

import re
from dataclasses import dataclass
from numbers import Real

import numpy as np

from planbatch.planner.arguments import short_repr
from planbatch.planner.durations import UNITS, WRITTEN
from planbatch.planner.model import NEVER, IntArray, JobTable

_TERM = re.compile(rf"(\d+(?:\.\d+)?)({'|'.join(UNITS)}|x)")


@dataclass(frozen=True)
class Promise:
    """The rule by which promises are made: latest start = max(first planned start + slack, floor).

    Attributes
    ----------
    seconds : int
        Slack that every job gets (s).
    walltimes : float
        Slack in multiples of the job's walltime.
    within : int, optional
        The promise is no earlier than this long after the submission (s).
    by_deadline : bool
        The promise of a job with a deadline is no earlier than deadline − walltime.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.Promise.parse("1h+2x")
    Promise(1h+2x)
    """

    seconds: int = 0
    walltimes: float = 0.0
    within: int | None = None
    by_deadline: bool = False

    def __post_init__(self) -> None:
        for name in ("seconds", "walltimes", "within"):
            value = getattr(self, name)
            is_number = isinstance(value, Real) and float(value) >= 0
            if not (is_number or (value is None and name == "within")):
                raise ValueError(f"promise: {name} is {value!r}, not a number, 0 or more")

    @classmethod
    def parse(cls, text: str) -> "Promise | None":
        """The rule that ``--promise`` names.

        ``none``; a slack such as ``0s``, ``24h``, ``2x`` (walltimes) or ``1d+2x``; ``within:3d`` (three days after
        the submission, or the first planned start if that is later); ``deadline``; or several of these joined by
        commas, of which the latest counts.

        Raises
        ------
        ValueError
            If the text is none of these.
        """
        if not isinstance(text, str):
            raise ValueError(f"promise: {short_repr(text)} is no text, such as 24h")
        if text == "none":
            return None
        seconds, walltimes, within, by_deadline = 0.0, 0.0, None, False
        for part in text.split(","):
            kind, colon, value = part.partition(":")
            if part == "deadline":
                by_deadline = True
                continue
            terms = [_TERM.fullmatch(term) for term in (value if colon else part).split("+")]
            if (colon and kind != "within") or not all(terms):
                raise ValueError(
                    f"promise: cannot read {text!r}; give none, a slack such as 24h, 2x or 1d+2x, "
                    "within:3d, or deadline"
                )
            lengths = [(float(term[1]), term[2]) for term in terms if term]
            length = sum(number * UNITS.get(unit, 0) for number, unit in lengths)
            if colon:
                if any(unit == "x" for _, unit in lengths):
                    raise ValueError(f"promise: {part!r} takes no multiple of the walltime")
                within = int(length)
            else:
                seconds += length
                walltimes += sum(number for number, unit in lengths if unit == "x")
        return cls(int(seconds), walltimes, within, by_deadline)

    def __repr__(self) -> str:
        return f"Promise({self})"

    def __str__(self) -> str:
        """The rule as :meth:`parse` reads it."""
        terms = [_length(self.seconds)] if self.seconds or not self.walltimes else []
        terms += [f"{self.walltimes:g}x"] if self.walltimes else []
        others = [] if self.within is None else [f"within:{_length(self.within)}"]
        others += ["deadline"] if self.by_deadline else []
        plain = terms if self.seconds or self.walltimes or not others else []
        return ",".join([*(["+".join(plain)] if plain else []), *others])

    def limits(self, jobs: JobTable) -> tuple[IntArray, IntArray]:
        """The slack (s) and the floor (s) of every job; shape (n,) each."""
        slack = self.seconds + np.ceil(self.walltimes * jobs.walltime).astype(np.int64)
        floor = np.full(len(slack), -NEVER)
        if self.within is not None:
            floor = np.maximum(floor, jobs.submit + self.within)
        if self.by_deadline:
            due = np.where(jobs.deadline == NEVER, -NEVER, jobs.deadline - jobs.walltime)
            floor = np.maximum(floor, due)
        return slack, floor


def as_promise(promise: Promise | str | None) -> Promise | None:
    """Return the promise that a text names, and others unchanged; ``ValueError`` if it is neither."""
    if not isinstance(promise, Promise | str | None):
        raise ValueError(f"promise: {short_repr(promise)} is no text, such as 24h or 2x")
    return Promise.parse(promise) if isinstance(promise, str) else promise


def _length(seconds: int) -> str:
    """Write a length of time in the largest unit that it is a whole number of."""
    unit = next(name for name in reversed(WRITTEN) if seconds % UNITS[name] == 0)
    return f"{seconds // UNITS[unit]}{unit}" if seconds else "0s"
