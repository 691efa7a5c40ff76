"""Without the extra for pictures, pages and stored results: what a daemon needs works, the rest names the extra."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration
SAMPLES = Path(__file__).resolve().parents[1] / "live" / "samples"
#: The command, where the libraries of extras cannot be imported.
WITHOUT = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"jinja2", "matplotlib", "numba", "optuna", "pyarrow", "sklearn"}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Blocked())
from planbatch.experiments.cli.main import main
main()
"""


def run(folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder with saved output of Slurm."""
    for kind in ("squeue", "sinfo"):
        shutil.copy(SAMPLES / f"sample_{kind}_v0.0.38.json", folder / f"{kind}.json")
    return subprocess.run([sys.executable, "-c", WITHOUT, *words.split()], cwd=folder, capture_output=True,
                          text=True, check=False)  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        "slurm observe --from .",
        "slurm drive --from . --ticks 1",
        "slurm advise --from . --ticks 1",
        "compare --no-out --policy easy --first 100",
    ],
)
def test_a_daemon_needs_no_extra(tmp_path, words):
    done = run(tmp_path, words)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


@pytest.mark.parametrize("words", ["compare --policy easy --first 100", "report ."])
def test_what_needs_an_extra_names_it_in_one_sentence(tmp_path, words):
    done = run(tmp_path, words)
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if "pip install" in line]
    assert line.endswith("pip install 'planbatch[report]'")
