"""What Slurm's programs say: errors as one sentence, and the answers to the lines of a script."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

#: What can go wrong: Slurm is missing, not configured, not to be reached, does not answer, does not allow it, is of a
#: version that is not known here, answers with something cut off, or says that it failed.
ErrorKind = Literal[
    "missing", "configuration", "unreachable", "hang", "rights", "version", "garbled", "failed"
]

#: Faults of the cluster, not of the driver: it is alive, and its heart beats on.
CLUSTER_FAULTS: frozenset[ErrorKind] = frozenset(("unreachable", "hang"))

#: No verb of scontrol: it answers that it does not know it, on standard error, and so separates the other answers.
MARKER = "planbatch-answer-"

#: Begin of what Slurm says → what it means.
_SAID: tuple[tuple[str, ErrorKind], ...] = (
    (r"unable to contact slurm controller|connection refused|failed to contact|socket timed out", "unreachable"),
    (r"munge|authentication error|protocol authentication", "unreachable"),
    (r"access/permission denied|invalid user id|not authorized", "rights"),
    (r"cannot stat file|unable to process configuration|parsing error|could not establish a configuration",
     "configuration"),
    (r"incompatible version|protocol version", "version"),
)  # fmt: skip


#: A job that started, or ended, since it was read: no error, since nobody can be quicker than the controller.
_STARTED = re.compile(r"job is no longer pending execution", re.I)
_ENDED = re.compile(r"job has already finished|job/step already completing or completed", re.I)
#: What Slurm says of the tasks of an array that it did as told, if it refused others.
_DONE = re.compile(r"[0-9_,-]+: No error", re.ASCII)


class SlurmError(OSError):
    """Slurm could not be asked; the message is one sentence.

    Attributes
    ----------
    fault : str
        What kind of thing went wrong; see :data:`ErrorKind`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from planbatch.experiments import SlurmClient, SlurmError
    >>> try:
    ...     SlurmClient(programs=Path("/nowhere")).version()
    ... except SlurmError as error:
    ...     print(error.fault)
    missing
    """

    def __init__(self, fault: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.fault: ErrorKind = fault


@dataclass(frozen=True)
class Answer:
    """What became of one line sent to ``scontrol``.

    Attributes
    ----------
    line : str
        The line.
    done : bool
        Whether Slurm did it.
    message : str
        Slurm's first words on why not; empty if it did.
    """

    line: str
    done: bool
    message: str = ""

    @property
    def started(self) -> bool:
        """Whether it was refused since the job had started."""
        return not self.done and _STARTED.search(self.message) is not None

    @property
    def late(self) -> bool:
        """Whether it was refused since the job had started, or had ended."""
        return self.started or (not self.done and _ENDED.search(self.message) is not None)


def kind_of(said: str) -> ErrorKind:
    """Say what Slurm's words mean."""
    return next((fault for words, fault in _SAID if re.search(words, said, re.I)), "failed")


def failed(command: Sequence[str], said: str) -> SlurmError:
    """Return the error of a program that failed: its first line that says something, without the programs' prefixes."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    known = [line for line in lines if kind_of(line) != "failed"]
    first = (known or lines or ["it failed without a word"])[0]
    words = re.sub(rf"^{re.escape(command[0])}: (?:error|fatal): ", "", first)[:200]
    return SlurmError(kind_of(first), f"{command[0]}: {words}")


def answers_of(lines: Sequence[str], said: str) -> list[Answer]:
    """Tell the lines' answers apart: what stands before the marker that was sent behind each."""
    answers = []
    rest = said
    for i, line in enumerate(lines):
        told, marker, after = rest.partition(f"{MARKER}{i}\n")
        if not marker:
            words = [word.strip() for word in rest.splitlines() if word.strip()]
            answers.append(Answer(line, False, words[0] if words else "no answer"))
            rest = ""
            continue
        told = (
            told.rpartition("\n")[0] if "\n" in told else ""
        )  # "invalid keyword: " stands before the marker
        answers.append(_answer(line, [word.strip() for word in told.splitlines() if word.strip()]))
        rest = after
    return answers


def _answer(line: str, words: Sequence[str]) -> Answer:
    """Tell what became of a line; of an array, done if its tasks that wait were done."""
    others = [word for word in words if not _DONE.fullmatch(word)]
    if len(others) < len(words):
        others = [word for word in others if not _STARTED.search(word)]
    return Answer(line, not others, others[0] if others else "")
