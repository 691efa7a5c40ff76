"""The stub of the compiled core, ``planbatch/_core.pyi``, as type checkers and editors read it.

``python -m manual.stub`` writes it anew from the core that is installed.
"""

import re
import subprocess
import sys

from nanobind.stubgen import StubGen

from manual import ROOT
from planbatch import _core

#: Where it lies.
STUB = ROOT / "planbatch" / "_core.pyi"
NOTE = "# Written by `python -m manual.stub`."
#: What nanobind says of arrays beyond their dtype, which type checkers do not look at.
LAYOUT = re.compile(r"Annotated\[(NDArray\[numpy\.\w+\]), dict\([^)]*\)\]")


def stub() -> str:
    """Return the text of the stub for the core that is installed."""
    written = StubGen(_core)
    written.put(_core)
    text = LAYOUT.sub(r"\1", written.get()).replace("numpy.typing.NDArray", "NDArray")
    fixed = _ruff("check", "--fix-only", "--select", "I,F401,UP", "-", text=f"{NOTE}\n{text}")
    return _ruff("format", "-", text=fixed)


def _ruff(*arguments: str, text: str) -> str:
    """Return what ruff makes of a text that it takes for the stub."""
    command = [sys.executable, "-m", "ruff", *arguments, "--quiet", "--stdin-filename", str(STUB)]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
