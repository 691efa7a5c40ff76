"""Kernels compiled by a second process while this one compiles others: a first run uses two cores."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from planbatch.experiments.tasks.cores import usable_cores
from planbatch.planner.kernels import compiling


def compiles_loop(several: bool, plain: bool) -> str:
    """Return the program that compiles the event loop."""
    return (
        "from planbatch.experiments.replay.loop.drive import compiled_drive\n"
        f"compiled_drive({several}, {plain})"
    )


def compiles_decision(module: str, name: str, several: bool) -> str:
    """Return the program that compiles the kernel of a policy."""
    return (
        "from importlib import import_module\n"
        "from planbatch.planner.kernels.signatures import round_types\n"
        f"kernel = getattr(import_module({module!r}), {name!r})\n"
        f"kernel.compile(round_types({several}).decide.signature.args)"
    )


@contextmanager
def run_beside(program: str, wanted: bool) -> Iterator[None]:
    """Have a second process run a program during the context, and wait for its end.

    Nothing depends on it: what it does not compile, if it is not ``wanted``, not allowed or fails, its user compiles.
    """
    if not (wanted and compiling.processes_allowed and len(usable_cores()) > 1):
        yield
        return
    with subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield
            process.wait()
        finally:
            process.kill()  # if this one is interrupted
