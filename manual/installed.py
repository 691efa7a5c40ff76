"""Distributions in empty environments: ``python -m manual.installed dist``.

For every Python from 3.11 to 3.13 that is on this machine, its wheel is installed with its dependencies into a new
virtual environment, and used outside the checkout: the command, a user's plug-in, and names from Python.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13")
PLUGIN = '''
def late(start, jobs, now, limit=60.0):
    """What waits exceed the limit by (s)."""
    total = 0.0
    for i in range(len(start)):
        total += max(0.0, start[i] - jobs.submit[i] - limit)
    return total / len(start)
'''
COMMANDS = (
    ("planbatch", "--version"),
    ("planbatch", "workload", "generate", "log.swf", "--count", "40", "--capacity", "16"),
    ("planbatch", "compare", "log.swf", "--policy", "easy", "--policy", "plan:my.py:late", "--no-out"),
    ("planbatch", "list", "policies"),
    ("python", "-c", "import planbatch as pb; print(len(pb.synthetic_workload(jobs=30, capacity=8)))"),
)


class InstallationError(Exception):
    """A distribution cannot be installed or used."""


def pythons() -> dict[str, str]:
    """Return the interpreters of this machine by their versions; pyenv's are found as well."""
    programs = {}
    for version in VERSIONS:
        names = [f"python{version}", *map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))]
        for name in names:
            program = shutil.which(name)
            if program is None:
                continue
            command = [program, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
            answer = subprocess.run(command, capture_output=True, text=True, check=False)
            if answer.stdout.strip() == version:
                programs[version] = program
                break
    return programs


def run(*command: str | Path, cwd: Path) -> str:
    """Run a program; return what it prints, or raise with it."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=_plain())
    if done.returncode:
        raise InstallationError(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def _plain() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def try_wheel(python: str, wheel: Path) -> str:
    """Install a wheel for one Python, and use it; return its version."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(python, "-m", "venv", "environment", cwd=folder)
        programs = folder / "environment" / "bin"
        run(programs / "python", "-m", "pip", "install", "--quiet", wheel.resolve(), cwd=folder)
        user = folder / "user"
        user.mkdir()
        (user / "my.py").write_text(PLUGIN)
        printed = [run(programs / program, *words, cwd=user) for program, *words in COMMANDS]
    if "plan-late" not in printed[2]:
        raise InstallationError(f"the plug-in has no row:\n{printed[2]}")
    return printed[0].strip()


def main(folder: Path) -> None:
    """Try the wheels of a folder with every Python that is there; say which are not."""
    interpreters = pythons()
    for version in VERSIONS:
        if version in interpreters:
            (wheel,) = folder.glob(f"*-cp{version.replace('.', '')}-*.whl")
            print(f"Python {version}: {try_wheel(interpreters[version], wheel)} is installed and runs", flush=True)
        else:
            print(f"Python {version}: not on this machine")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
