"""The command ``planbatch``: its verbs, and how errors are reported."""

import errno
import os
import signal
import sys
import warnings
from functools import cache

import click

from planbatch.experiments.cli.shell import INTERRUPTED, TERMINATED, complain
from planbatch.experiments.cli.verb import LazyGroup
from planbatch.lazy import missing_extra

#: Heading → verb → one-line help. Each verb is in a module of its own, imported only when it is called, so that
#: ``planbatch --help`` answers at once.
VERBS = {
    "Replay a log": {
        "compare": "Compare policies: a table and pictures.",
        "replay": "Replay policies: metrics, starts, verification.",
        "explain": "Explain why a job starts when it does.",
        "workload": "Describe, change, generate and fetch logs.",
    },
    "Plan one round": {
        "round": "Search for a plan, and bound its distance from optimal.",
        "rounds": "Capture rounds of replays; compare optimizers on them.",
    },
    "Study": {
        "experiment": "Run a grid of logs, policies and seeds from a TOML file.",
        "report": "Write results as one HTML page.",
        "tune": "Search the parameters of a policy on the past.",
        "reproduce": "Compare published results with ours.",
    },
    "Live": {
        "slurm": "Watch a Slurm cluster, and plan its pending jobs (experimental).",
        "batsim": "Run a policy as the scheduler of Batsim 4 (experimental).",
    },
    "Look up": {
        "list": "List policies, objectives, optimizers, metrics …",
        "convert": "Convert replayed jobs to and from other formats.",
    },
}
#: What the help of ``planbatch`` shows.
EXAMPLES = """\
Examples:

planbatch compare                                # eight policies, embedded log

planbatch workload fetch KTH-SP2-1996-2.1-cln    # a real log

planbatch compare KTH-SP2-1996-2.1-cln --policy easy --policy plan-squared-wait
"""


@click.group(cls=LazyGroup, verbs=VERBS, package="planbatch.experiments.cli",
      context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXAMPLES)  # fmt: skip
@click.version_option(package_name="planbatch", prog_name="planbatch")
def planbatch() -> None:
    """Plan-based batch scheduling: replay logs, compare policies, search for plans."""


@cache
def _notify_once(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _print_warning(message: Warning | str, *_place: object, **_more: object) -> None:
    """Print a warning as one sentence, without the line of planbatch that gave it."""
    _notify_once(f"planbatch: {message}")


def main() -> None:
    """Run the command: exit code 0, 2 for bad input (one sentence, no traceback), 130 for Ctrl-C, 143 for SIGTERM."""
    warnings.showwarning = _print_warning
    terminated = []

    def terminate(number: int, _frame: object) -> None:
        """End as on Ctrl-C: finished results stay."""
        terminated.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        status = _status()
    finally:
        signal.signal(signal.SIGTERM, before)
    sys.exit(TERMINATED if terminated and status == INTERRUPTED else status)


def _status() -> int:
    """Run the command, and print errors on standard error; return the exit code."""
    try:
        status = planbatch.main(prog_name="planbatch", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        complain(f"planbatch: {error.format_message()}")
        return 2
    except (click.Abort, KeyboardInterrupt):
        complain("planbatch: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _close_output()
        return 141
    except ModuleNotFoundError as error:
        if (advice := missing_extra(error)) is None:
            raise
        complain(f"planbatch: {advice}")
        return 2
    except (ValueError, OSError) as error:
        if "PLANBATCH_DEBUG" in os.environ:
            raise
        complain(f"planbatch: {sentence_of(error)}")
        return 2
    return status if isinstance(status, int) else 0


def sentence_of(error: Exception) -> str:
    """Return an error as one sentence; for a system error, it begins with the file, or else standard output.

    >>> sentence_of(FileNotFoundError(2, "No such file or directory", "grid.toml"))
    'grid.toml: no such file or directory'
    """
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    where = error.filename
    if where is None and error.errno in (errno.ENOSPC, errno.EIO):
        where = "standard output"
        _close_output()
    message = error.strerror[:1].lower() + error.strerror[1:]
    return message if where is None else f"{os.fsdecode(where)}: {message}"


def _close_output() -> None:
    """Send the rest of standard output to the null device: it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
