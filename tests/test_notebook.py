"""The example notebook in a real kernel: tables, pictures, and functions of cells in other processes."""

import base64
import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = ROOT / "examples" / "first_steps.ipynb"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Run the notebook with the sources of this checkout; return the outputs of its cells by their sources."""
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(folder)}})
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT)})
    return {cell.source: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}


def output_of(outputs, words, kind):
    """Return what the cell with these words shows in one format."""
    (cell_outputs,) = (own for source, own in outputs.items() if words in source)
    return [output.data[kind] for output in cell_outputs if kind in output.get("data", {})]


def test_nothing_is_printed_besides_what_is_shown(outputs):
    """No warnings, and no bars of a terminal."""
    texts = [
        output.text
        for own in outputs.values()
        for output in own
        if output.output_type == "stream" and "compiling kernels" not in output.text
    ]
    assert texts == []


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("default_workload", "lublin-batch-256: 300 jobs"),
        ("pb.compare(", "plan-cubed-wait"),
        ("to_frame", "bounded_slowdown"),
        ("pb.solve(", "lower bound"),
    ],
)
def test_values_are_shown_as_small_tables(outputs, cell, words):
    """In HTML, and with the figures that matter."""
    table = output_of(outputs, cell, "text/html")[-1]
    assert "<table" in table
    assert words in table
    assert len(table) < 4000


@pytest.mark.parametrize("cell", ["draw_waits", "draw_plan"])
def test_pictures_are_shown_below_their_cells(outputs, cell):
    """Once each, and not empty."""
    (picture,) = output_of(outputs, cell, "image/png")
    assert base64.b64decode(picture).startswith(b"\x89PNG")
    assert len(picture) > 5000


def test_the_notebook_is_kept_without_outputs():
    """They would change with every version."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)
