"""Slurm's programs, run safely: lists of arguments, no shell, a time limit, and one sentence for what goes wrong.

What is read from the cluster is material, never a part of a command: :meth:`SlurmClient.script` sends only lines whose
every character was chosen here (:data:`LINE`).
"""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from planbatch.experiments.live.slurm.parse import check_version
from planbatch.experiments.live.slurm.values import Output, first_error
from planbatch.planner.settings import Setting

#: Kinds of errors: Slurm is missing, not configured, unreachable, does not answer, refuses, is of an unsupported
#: version, prints truncated output, or reports a failure.
ErrorKind = Literal["missing", "configuration", "unreachable", "hang", "rights", "version", "garbled", "failed"]

#: Errors of the cluster, not of the driver, whose heartbeat goes on.
CLUSTER_ERRORS: frozenset[ErrorKind] = frozenset(("unreachable", "hang"))

#: No verb of scontrol: it answers that it does not know it, on standard error, and so separates the other answers.
MARKER = "planbatch-answer-"

#: Slurm's words → kind of error.
_MEANINGS: tuple[tuple[str, ErrorKind], ...] = (
    (r"unable to contact slurm controller|connection refused|failed to contact|socket timed out", "unreachable"),
    (r"munge|authentication error|protocol authentication", "unreachable"),
    (r"access/permission denied|invalid user id|not authorized", "rights"),
    (r"cannot stat file|unable to process configuration|parsing error|could not establish a configuration",
     "configuration"),
    (r"incompatible version|protocol version", "version"),
)  # fmt: skip


#: The job started or ended after it was read: no error, since the controller is always ahead.
_STARTED = re.compile(r"job is no longer pending execution", re.I)
_ENDED = re.compile(r"job has already finished|job/step already completing or completed", re.I)
#: What Slurm prints for the changed tasks of an array if it refused others.
_DONE = re.compile(r"[0-9_,-]+: No error", re.ASCII)


class SlurmError(OSError):
    """A program of Slurm's failed, or Slurm refused; the message is one sentence.

    Experimental: it may change in any release.

    Attributes
    ----------
    kind : str
        The kind of error; see :data:`ErrorKind`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from planbatch.experiments import SlurmClient, SlurmError
    >>> try:
    ...     SlurmClient(programs=Path("/nowhere")).version()
    ... except SlurmError as error:
    ...     print(error.kind)
    missing
    """

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind


@dataclass(frozen=True)
class Answer:
    """The answer to one line sent to ``scontrol``; ``message`` is the first line of Slurm's refusal."""

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


def kind_of(message: str) -> ErrorKind:
    """Return the kind of error of a message from Slurm."""
    return next((kind for words, kind in _MEANINGS if re.search(words, message, re.I)), "failed")


def error_of(command: Sequence[str], output: str) -> SlurmError:
    """Return the error of a program that failed: its first line that says something, without the programs' prefixes."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    meaningful = [line for line in lines if kind_of(line) != "failed"]
    first = (meaningful or lines or ["it failed without a word"])[0]
    message = re.sub(rf"^{re.escape(command[0])}: (?:error|fatal): ", "", first)[:200]
    return SlurmError(kind_of(first), f"{command[0]}: {message}")


def answers_of(lines: Sequence[str], output: str) -> list[Answer]:
    """Split the output into the answers to the lines: each ends with the marker sent after the line."""
    answers = []
    for i, line in enumerate(lines):
        before, marker, after = output.partition(f"{MARKER}{i}\n")
        if marker:
            # "invalid keyword: " stands before the marker, on its line
            messages = [word.strip() for word in before.split("\n")[:-1] if word.strip()]
            answers.append(_answer(line, messages))
        else:
            first = next((word.strip() for word in before.splitlines() if word.strip()), "")
            answers.append(Answer(line, False, first or "no answer"))
        output = after
    return answers


def _answer(line: str, messages: Sequence[str]) -> Answer:
    """Return the answer to a line; for an array, it is done if its pending tasks were changed."""
    others = [message for message in messages if not _DONE.fullmatch(message)]
    if len(others) < len(messages):
        others = [message for message in others if not _STARTED.search(message)]
    return Answer(line, not others, others[0] if others else "")


#: First versions with ``squeue --json``, and with ``scontrol show nodes --json`` and ``reservations``.
JSON_JOBS, JSON_NODES = (21, 8), (23, 2)

#: How long a version is cached (s).
VERSION_AGE = 60.0

#: The only lines that ``scontrol`` is ever sent: numbers, times as numbers, and the driver's own marks, or none.
LINE = re.compile(
    r"update JobId=(?P<job>\d{1,10}(?:_\d{1,10})?)"
    r"(?: StartTime=(?P<begin>now|uts\d{1,10}))?(?: AdminComment=(?P<mark>(?:planbatch:[a-z0-9:=]{0,100})?))?",
    re.ASCII,
)
#: Maximum number of lines per ``scontrol`` process, which has the time limit for them.
MOST_LINES = 1000
#: Variables that the programs get; all others could change what they print (``SQUEUE_STATES``, say).
_PASSED_ON = ("PATH", "HOME", "USER", "LD_LIBRARY_PATH", "SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT")


@dataclass(frozen=True)
class SlurmClient:
    """Runs ``squeue``, ``sinfo`` and ``scontrol``.

    Experimental: it may change in any release.

    Attributes
    ----------
    conf, timeout : Path, float
        As the flags of ``planbatch slurm observe`` say; the time in seconds.
    programs : Path, optional
        The folder of the programs; by default those on the path.

    Raises
    ------
    SlurmError
        By every method: one sentence on what went wrong. Nothing is tried twice.

    Examples
    --------
    >>> from planbatch.experiments import SlurmClient
    >>> SlurmClient(timeout=5.0)
    SlurmClient(conf=None, timeout=5.0, programs=None)
    """

    conf: Annotated[
        Path | None, Setting("Slurm's configuration.  [default: SLURM_CONF, or where Slurm looks for it]", "FILE")
    ] = None
    timeout: Annotated[float, Setting("When a program of Slurm's that does not answer is ended.", "TIME")] = 20.0
    programs: Path | None = None
    _version: list[tuple[float, tuple[int, int]]] = field(default_factory=list, init=False, repr=False, compare=False)

    def version(self) -> tuple[int, int]:
        """Return Slurm's version, such as (22, 5); an unsupported one is an error.

        It is queried again after a minute: Slurm may be upgraded under a driver.
        """
        if self._version and time.monotonic() - self._version[-1][0] < VERSION_AGE:
            return self._version[-1][1]
        output = self.run("squeue", "--version")
        match = re.search(r"(\d+)\.(\d+)", output)
        if not match:
            raise SlurmError("version", f"squeue --version says {output.strip()[:60]!r}, no version")
        version = int(match[1]), int(match[2])
        try:
            check_version(version, match[0])
        except ValueError as error:
            raise SlurmError("version", str(error)) from None
        self._version[:] = [(time.monotonic(), version)]
        return version

    def jobs(self) -> Output:
        """List all jobs, finished ones as well as long as Slurm remembers them."""
        return self._list("job", {JSON_JOBS: "squeue --json --all --states=all"}, "jobs")

    def nodes(self) -> Output:
        """List all nodes."""
        commands = {JSON_NODES: "scontrol -a show nodes --json", JSON_JOBS: "sinfo --all --json"}
        return self._list("node", commands, "nodes")

    def reservations(self) -> Output:
        """List all advance reservations."""
        return self._list("reservations", {JSON_NODES: "scontrol -a show reservations --json"}, "reservations")

    def partitions(self) -> str:
        """List all partitions: one line each, as ``scontrol -o show partition`` writes them."""
        return self.run("scontrol", "-a", "-o", "show", "partition")

    def _list(self, kind: str, commands: Mapping[tuple[int, int], str], key: str) -> Output:
        """List what is of a kind: as JSON if this Slurm has a command for it, by first version, else as text."""
        version = self.version()
        command = next((command for first, command in commands.items() if version >= first), None)
        data = None if command is None else self._json(*command.split(), key=key)
        return data or self.run("scontrol", "-a", "-o", "show", kind)

    def queued_jobs(self) -> frozenset[int]:
        """Return the numbers of all pending and running jobs: a quick check whether anything changed."""
        words = self.run("squeue", "--noheader", "--all", "--format=%A").split()
        return frozenset(int(word) for word in words if word.isdecimal())

    def configuration(self) -> dict[str, str]:
        """Return the controller's configuration (``scontrol show config``)."""
        lines = self.run("scontrol", "show", "config").splitlines()
        pairs = (line.partition("=") for line in lines if "=" in line)
        return {name.strip(): value.strip() for name, _, value in pairs}

    def script(self, lines: Sequence[str]) -> list[Answer]:
        """Send lines to the standard input of ``scontrol``, in order; one process for every thousand.

        Returns an answer per line. If the time ran out, the lines without an answer are not done, and may have been.
        ``ValueError`` if a line does not match :data:`LINE`: nothing is sent then. :class:`SlurmError` if scontrol
        cannot be run, or the controller not be reached.
        """
        for line in lines:
            if not LINE.fullmatch(line):
                raise ValueError(f"scontrol: {line!r} is no line that planbatch sends")
        answers = []
        for first in range(0, len(lines), MOST_LINES):
            answers += self._ask(lines[first : first + MOST_LINES])
        return answers

    def _ask(self, lines: Sequence[str]) -> list[Answer]:
        """Send lines to one ``scontrol``."""
        marked = [f"{line}\n{MARKER}{i}\n" for i, line in enumerate(lines)]
        try:
            _, _, output = self._execute(["scontrol"], "".join(marked) + "quit\n")
        except _TimeUpError as error:
            output = error.output
        answers = answers_of(lines, output)
        if not any(answer.done for answer in answers):
            faults = [kind_of(answer.message) for answer in answers]
            if "unreachable" in faults or "configuration" in faults:
                raise error_of(["scontrol"], answers[0].message)
        return answers

    def run(self, *command: str) -> str:
        """Run a program with its arguments, and return what it prints."""
        try:
            code, out, err = self._execute(list(command))
        except _TimeUpError:
            raise SlurmError("hang", f"{command[0]}: no answer within {self.timeout:g} s; it was ended") from None
        if code:
            raise error_of(command, err or out)
        return out

    def _json(self, *command: str, key: str) -> Mapping[str, Any] | None:
        """Run a program that prints JSON; None if this Slurm was built without it."""
        try:
            output = self.run(*command)
        except SlurmError as error:
            if re.search(r"json|serializer|unrecognized option|invalid option", str(error), re.I):
                return None
            raise
        try:
            data = json.loads(output)
        except json.JSONDecodeError:
            raise SlurmError("garbled", f"{command[0]}: its JSON is cut off or damaged") from None
        # With a controller that does not answer, squeue prints no jobs, a list of errors, and ends well.
        if isinstance(data, dict) and (first := first_error(data)):
            fields = first if isinstance(first, dict) else {"description": first}
            texts = (fields.get("description"), fields.get("error"), fields.get("source"))
            reason = "; ".join(str(text) for text in texts if text) or "no reason given"
            if "slurm_load" in reason or kind_of(reason) == "unreachable":
                hint = "is the controller up, and munge?"
                raise SlurmError("unreachable", f"{command[0]}: {reason} ({hint})")
            raise SlurmError(kind_of(reason), f"{command[0]}: {reason}")
        if not isinstance(data, dict) or not isinstance(data.get(key), list):
            raise SlurmError("garbled", f"{command[0]}: its JSON has no list {key!r}")
        return data

    def _execute(self, command: list[str], stdin: str = "") -> tuple[int, str, str]:
        """Run a program to its end; it and what it started are killed if the time is up."""
        environment = self._environment()
        program = str(self.programs / command[0]) if self.programs else command[0]
        try:
            process = subprocess.Popen(
                [program, *command[1:]],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=environment, start_new_session=True, encoding="utf-8", errors="replace",
            )  # fmt: skip
        except (FileNotFoundError, PermissionError):
            raise SlurmError(
                "missing", f"{command[0]}: there is no such program here; install Slurm's client"
            ) from None
        try:
            out, err = process.communicate(stdin, self.timeout)
        except subprocess.TimeoutExpired:
            _kill(process)
            out, err = process.communicate()
            raise _TimeUpError(err) from None
        except BaseException:
            _kill(process)
            process.communicate()
            raise
        return process.returncode, out, err

    def _environment(self) -> dict[str, str]:
        """Times in seconds since 1970, messages in English, and nothing that filters what is listed."""
        variables = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        variables |= {"LC_ALL": "C.UTF-8", "TZ": "UTC", "SLURM_TIME_FORMAT": "%s"}
        variables["SLURM_BITSTR_LEN"] = "0"  # lists of tasks in full, not cut off after 64 letters
        if self.conf is not None:
            variables["SLURM_CONF"] = str(self.conf)
        # Slurm itself would look for the file for a minute.
        conf = variables.get("SLURM_CONF")
        if conf is not None and not Path(conf).is_file():
            raise SlurmError("configuration", f"{conf}: there is no such Slurm configuration")
        return variables


class _TimeUpError(Exception):
    """A program exceeded its time limit; ``output`` is its standard error so far."""

    def __init__(self, output: str) -> None:
        super().__init__()
        self.output = output


def _kill(process: "subprocess.Popen[str]") -> None:
    """End a program and everything that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
