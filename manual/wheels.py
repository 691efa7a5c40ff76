"""Wheels for old systems: ``python -m manual.wheels dist``.

For every Python from 3.11 to 3.13 that is on this machine, a wheel is built of the source distribution in the folder,
and repaired: its tag names the oldest glibc that it runs with.
"""

import sys
import tempfile
from pathlib import Path

from manual.installed import pythons, run


def main(folder: Path) -> None:
    """Build the wheels of a folder."""
    (source,) = folder.resolve().glob("*.tar.gz")
    for python in pythons().values():
        with tempfile.TemporaryDirectory() as built:
            pip = (python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", built)
            run(*pip, source, cwd=folder)
            (wheel,) = Path(built).glob("*.whl")
            audit = (sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", folder.resolve())
            print(run(*audit, wheel, cwd=folder), end="", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
