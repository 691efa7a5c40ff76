"""A second process that compiles, beside this one."""

import os
import subprocess
import sys
import time

import pytest

from planbatch.experiments.replay import beside
from planbatch.experiments.replay.beside import compiles_decision, compiles_loop, run_beside
from planbatch.planner.kernels import compiling
from planbatch.planner.kernels.cache import FOLDER_VARIABLE


@pytest.fixture
def _allowed(monkeypatch):
    """Others may be started, and there are two cores."""
    monkeypatch.setattr(compiling, "processes_allowed", True)
    monkeypatch.setattr(beside, "usable_cores", lambda: [0, 1])


@pytest.mark.usefixtures("_allowed")
def test_it_has_ended_when_the_context_is_left(tmp_path):
    """What it wrote is there; that it failed afterwards concerns nobody."""
    path = tmp_path / "done"
    with run_beside(f"open({str(path)!r}, 'w').write('compiled')\nraise SystemExit(1)", True):
        pass
    assert path.read_text() == "compiled"


@pytest.mark.usefixtures("_allowed")
def test_it_ends_with_an_interrupted_context(tmp_path):
    """It would run for a minute, and write that it has."""
    path = tmp_path / "pid"
    program = f"import os, time\nopen({str(path)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)"

    def interrupted():
        with run_beside(program, True):
            while not path.exists() or not path.read_text():
                time.sleep(0.01)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with pytest.raises(ProcessLookupError):
        os.kill(int(path.read_text()), 0)


@pytest.mark.parametrize(("wanted", "allowed", "cores"), [(0, 1, 2), (1, 0, 2), (1, 1, 1)])
def test_none_is_started_in_vain(monkeypatch, wanted, allowed, cores):
    """Nothing to compile; a library, or a worker; a single core."""
    monkeypatch.setattr(compiling, "processes_allowed", bool(allowed))
    monkeypatch.setattr(beside, "usable_cores", lambda: list(range(cores)))
    monkeypatch.setattr(subprocess, "Popen", None)
    with run_beside("raise SystemExit", bool(wanted)):
        pass


def test_programs_compile_what_they_say(tmp_path):
    """Each into a folder of its own, in a process of its own."""
    programs = {
        "decide_fcfs": compiles_decision("planbatch.baselines.fcfs", "decide_fcfs", False),
        "drive": compiles_loop(False, True),
    }
    for name, program in programs.items():
        folder = tmp_path / name
        subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            env=os.environ | {FOLDER_VARIABLE: str(folder)},
        )
        wholes = {path.name.partition("-")[0] for path in folder.rglob("*-*") if path.is_file()}
        assert name in wholes
        assert programs.keys() & wholes == {name}
