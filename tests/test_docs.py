"""The examples of the documentation run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize(
    "name", ["docs/extending.md", "docs/experiments.md", "docs/resources.md", "README.md"]
)
def test_examples_run_one_after_the_other(name, tmp_path, monkeypatch):
    """Every Python block of a page runs, in order, in one namespace."""
    blocks = BLOCK.findall((ROOT / name).read_text(encoding="utf-8"))
    assert blocks, f"{name} has no examples"
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, name, "exec"), namespace)
