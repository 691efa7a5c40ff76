"""Marks: what the driver must know of a job and keeps in the job itself, in ``AdminComment``.

Users cannot write them, they survive a restart of the controller, and a driver that was killed finds them again. The
whole of what a driver remembers is in the marks (and in the journal, for people).

==================================  ========================================================================
``planbatch:new``                   arrived, and was held by ``job_submit.lua``
``planbatch:held``                  held (again) by the driver
``planbatch:due=T:times=K:run=R``   released at time T, requeued R times before, taken back K times before
``planbatch:back=T:times=K``        taken back at time T, for the K-th time, since it did not start
``planbatch:begin=B:set=T``         soft: its begin time was set to T; its user had asked for B (0: none)
``planbatch:free``                  given back to Slurm
==================================  ========================================================================
"""

import re
from dataclasses import dataclass
from typing import Literal

PREFIX = "planbatch:"
#: The word in a job's comment by which its user holds a job that the driver holds as well; see ``job_submit.lua``.
USER_HOLD = "planbatch:hold"
#: The comment by which a user keeps a job out of the plan.
NO_PLAN = "noplan"

Kind = Literal["new", "held", "due", "back", "begin", "free"]
_FORMS = {
    "new": re.compile(r"new"),
    "held": re.compile(r"held"),
    "due": re.compile(r"due=(\d{1,10}):times=(\d{1,3}):run=(\d{1,5})"),
    "back": re.compile(r"back=(\d{1,10}):times=(\d{1,3})"),
    "begin": re.compile(r"begin=(\d{1,10}):set=(\d{1,10})"),
    "free": re.compile(r"free"),
}  # fmt: skip
#: Marks of jobs that arrive held and are released when due.
STRICT_KINDS: frozenset[Kind] = frozenset(("new", "held", "due", "back"))


@dataclass(frozen=True, slots=True)
class Mark:
    """What the driver noted of a job.

    Attributes
    ----------
    kind : str
        What was done last; see the module.
    time : int
        When (s); for ``begin``, the begin time that was set.
    times : int
        How often the job was taken back.
    run : int
        For ``due``: how often the job had been requeued when it was released.
    asked : int
        For ``begin``: the begin time for which the user had asked (s), 0 for none.
    """

    kind: Kind
    time: int = 0
    times: int = 0
    run: int = 0
    asked: int = 0

    def __str__(self) -> str:
        times = min(self.times, 999)
        if self.kind == "due":
            return f"{PREFIX}due={self.time}:times={times}:run={self.run}"
        if self.kind == "back":
            return f"{PREFIX}back={self.time}:times={times}"
        if self.kind == "begin":
            return f"{PREFIX}begin={self.asked}:set={self.time}"
        return f"{PREFIX}{self.kind}"


def mark_of(admin_comment: str) -> Mark | None:
    """Read a mark; None for any other text, so that a mark from elsewhere leaves the job alone.

    >>> mark_of("planbatch:due=1795379090:times=2:run=0")
    Mark(kind='due', time=1795379090, times=2, run=0, asked=0)
    >>> mark_of("planbatch:keep your hands off") is None
    True
    """
    text = admin_comment.strip()
    if not text.startswith(PREFIX) or not text.isascii():
        return None
    for kind, form in _FORMS.items():
        found = form.fullmatch(text.removeprefix(PREFIX))
        if found is None:
            continue
        numbers = [int(number) for number in found.groups()]
        if kind == "begin":
            return Mark("begin", numbers[1], asked=numbers[0])
        return Mark(kind, *numbers)  # type: ignore[arg-type]
    return None


def held_by_its_user(comment: str) -> bool:
    """Say whether the comment has the word by which a user holds a job that the driver holds as well."""
    return USER_HOLD in comment.split()
