"""How long the first use takes: commands in new processes, with an empty folder of compiled kernels."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from planbatch.experiments.bench.measurement import Measurement
from planbatch.planner.kernels.cache import FOLDER_VARIABLE

#: What is measured, and the arguments of ``planbatch``; each begins with an empty folder.
COMMANDS = {
    "make run": ("compare",),
    "EASY": ("compare", "--policy", "easy", "--no-out"),
    "plan-squared-wait": ("compare", "--policy", "plan-squared-wait", "--no-out"),
    "warm-up": ("warm-up",),
}


def measure_first_use() -> Iterator[Measurement]:
    """Wall clock until the first row and the end, and processor time, of each command."""
    for name, arguments in COMMANDS.items():
        with TemporaryDirectory() as folder:
            first, seconds, processor = timed(arguments, Path(folder))
        if name == "make run":
            yield Measurement(f"first use: {name}, first row", first, "s")
        yield Measurement(f"first use: {name}", seconds, "s")
        yield Measurement(f"first use: {name}, processor time", processor, "s")


def timed(arguments: tuple[str, ...], folder: Path) -> tuple[float, float, float]:
    """Run ``planbatch`` with an empty cache in a folder; return seconds to the first row, to the end, of processors.

    Rows are the lines on standard error that count what is finished: ``1 of 8: …``.

    Raises
    ------
    RuntimeError
        If the command fails; with what it said last.
    """
    environment = os.environ | {FOLDER_VARIABLE: str(folder / "kernels")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "planbatch", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment,
    )
    first, line = float("nan"), ""
    assert process.stderr is not None
    with process:
        for line in process.stderr:
            if line.startswith("1 of "):
                first = perf_counter() - began
    if process.returncode:
        raise RuntimeError(f"planbatch {' '.join(arguments)}: {line.strip()}")
    seconds = perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return first, seconds, used
