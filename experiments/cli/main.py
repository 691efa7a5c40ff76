"""The command ``planbatch``: its verbs, and how errors are reported."""

import os
import signal
import sys
import warnings
from functools import cache

import click

from planbatch.experiments.cli.lazy_group import LazyGroup
from planbatch.experiments.cli.shell import say
from planbatch.lazy import missing_extra

#: Verb → one-line help. Each verb is in a module of its own, imported only when it is called, so that
#: ``planbatch --help`` answers at once.
VERBS = {
    "compare": "Compare policies on a workload: a table and pictures.",
    "replay": "Replay a workload under policies: figures, starts, JSON.",
    "experiment": "Run a grid of workloads, policies and seeds from a TOML file.",
    "tune": "Search a policy's parameters on the past, and judge them on later spans.",
    "round": "Search for a plan of one scheduling round.",
    "explain": "Explain why a job starts when it does, in a plan or in a replay.",
    "rounds": "Capture real rounds, and compare optimizers on them.",
    "reproduce": "Reproduce published results, beside the papers' figures.",
    "slurm": "Watch a Slurm cluster, and plan what waits there.",
    "batsim": "Serve Batsim 4: a policy as the scheduler of its simulation.",
    "report": "Make one HTML page of the results of an experiment.",
    "list": "List policies, orders, objectives, optimizers and metrics, with their parameters.",
    "convert": "Write the jobs of a replay for other tools, and read them back.",
    "workload": "Inspect, transform, generate or fetch workloads.",
}


@click.group(
    cls=LazyGroup,
    verbs=VERBS,
    package="planbatch.experiments.cli",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="planbatch", prog_name="planbatch")
def planbatch() -> None:
    """Plan-based batch scheduling: replay workloads, compare policies, search for plans."""


@cache
def _say_once(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _print_warning(message: Warning | str, *place: object, **more: object) -> None:
    """Print a warning as one sentence, without the line of planbatch that gave it."""
    _say_once(f"planbatch: {message}")


#: Exit codes of a run that Ctrl-C or SIGTERM ended.
INTERRUPTED, TERMINATED = 130, 143


def main() -> None:
    """Run the command: exit code 0, 2 for bad input (one sentence, no traceback), 130 for Ctrl-C, 143 for SIGTERM."""
    warnings.showwarning = _print_warning
    terminated = []

    def terminate(number: int, frame: object) -> None:
        """End as on Ctrl-C: finished results are kept."""
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
    except click.ClickException as error:
        say(f"planbatch: {error.format_message()}")
        return 2
    except (click.Abort, KeyboardInterrupt):
        print("planbatch: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except ModuleNotFoundError as error:
        if (advice := missing_extra(error)) is None:
            raise
        say(f"planbatch: {advice}")
        return 2
    except (ValueError, OSError) as error:
        if "PLANBATCH_DEBUG" in os.environ:
            raise
        say(f"planbatch: {error}")
        return 2
    return status if isinstance(status, int) else 0
