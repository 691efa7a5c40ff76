"""Experiments that are killed, interrupted, or lose a worker: nothing finished is lost, and the tables are the same."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planbatch.experiments import read_experiment, run_experiment
from tests.experiments.studies.grids import GRID, LONG, assert_whole, environment, tables, write

pytestmark = pytest.mark.integration

SPLIT = GRID.replace("seeds = [0, 1]", "seeds = [0]") + '\n[spans]\ncount = 3\nwarm-up = "2h"\n'


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Run the longer grid once, undisturbed; give its tables."""
    folder = tmp_path_factory.mktemp("reference")
    run_experiment(read_experiment(write(folder, LONG)), folder / "out")
    return tables(folder / "out")


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "planbatch", *map(str, words)]


@pytest.mark.parametrize(("text", "seed", "kills"), [(GRID, 1, 5), (SPLIT, 2, 3)])
def test_kills_at_random_moments(tmp_path, text, seed, kills):
    """Killed with -9 many times, in whole and in split grids; in between, every cell is whole."""
    file = write(tmp_path, text)
    run_experiment(read_experiment(file), tmp_path / "reference")
    done = subprocess.run(
        [sys.executable, "-m", "tests.experiments.studies.killed_often", file, tmp_path / "out", str(seed), str(kills)],
        env=environment(), cwd=environment()["PYTHONPATH"], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) == kills
    assert tables(tmp_path / "out") == tables(tmp_path / "reference")


def heed_interrupts() -> None:
    """Undo what a shell does to what it runs in the background: it has it ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def started(file: Path, out: Path, *words: object) -> "subprocess.Popen[str]":
    """Start the command in a group of its own, and wait for the first cell; two others last until ``go`` exists."""
    running = subprocess.Popen(
        command("experiment", "run", file, "--out", out, "--jobs", 3, *words),
        env=environment() | {"PATIENT": str(file.parent / "go")},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=heed_interrupts,
    )  # fmt: skip
    while running.poll() is None and not list(out.glob("cells/[!.]*")):
        time.sleep(0.005)
    return running


@pytest.mark.parametrize(
    ("how", "reaches", "code"),
    [
        (signal.SIGKILL, os.kill, -9),
        (signal.SIGINT, os.killpg, 130),
        (signal.SIGTERM, os.kill, 143),
        (signal.SIGTERM, os.killpg, 143),
    ],
)
def test_the_command_goes_on_after_an_end(tmp_path, reference, how, reaches, code):
    """Kill -9, Ctrl-C and SIGTERM, of the first process or of all; then the same again, in one process."""
    file = write(tmp_path, LONG)
    out = tmp_path / "out"
    running = started(file, out)
    reaches(running.pid, how)
    _, stderr = running.communicate()
    finished = assert_whole(out)
    assert 0 < finished <= 10
    assert running.returncode == code
    if how == signal.SIGKILL:
        assert "resource_tracker" not in stderr
    else:
        assert f"interrupted; {finished} of 12 cells are stored" in stderr
    report = run_experiment(read_experiment(file), out)
    assert (report.reused, report.missing) == (finished, 0)
    assert tables(out) == reference


def children(number: int) -> list[int]:
    """List the child processes of a process that replay; one that was forked a moment ago may be joblib's tracker."""
    pids = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
            words = (path.parent / "cmdline").read_text()
        except OSError:
            continue
        if int(fields[1]) == number and "LokyProcess" in words:
            pids.append(int(path.parent.name))
    return pids


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_worker_that_dies_costs_nothing(tmp_path, reference):
    """A process killed by the system, for want of memory say: its cell is run again."""
    file, out = write(tmp_path, LONG), tmp_path / "out"
    running = started(file, out)
    while not (workers := children(running.pid)):  # what runs in threads comes first
        assert running.poll() is None, "no process replays: nothing would be tested"
    os.kill(workers[0], signal.SIGKILL)
    (tmp_path / "go").touch()
    stdout, stderr = running.communicate()
    assert running.returncode == 0, stdout + stderr
    assert assert_whole(out) == 12
    assert tables(out) == reference
