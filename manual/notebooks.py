"""Tutorials: notebooks without outputs in the repository, executed when the site is built, and pages of it."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode

from manual import ROOT
from manual.cache import cached

#: The notebooks, in the order in which they are read.
NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))
#: Tells how much processor time the notebook took, its programs included.
_CLOCK = "import os; print(sum(os.times()[:4])); os.chdir('/')"
#: What precedes each notebook: nothing of the one before is left.
_BEFORE = "%reset_selective -f ^[^_]\nimport os; os.chdir({folder!r}); print(sum(os.times()[:4])); del os"


class NotebookError(Exception):
    """A notebook printed something on standard error."""


def environment() -> dict[str, str]:
    """Return an environment in which notebooks find this checkout, and ``planbatch`` of this Python."""
    programs = str(Path(sys.executable).parent)
    return {
        **os.environ,
        "PATH": os.pathsep.join([programs, os.environ.get("PATH", "")]),
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "error::UserWarning:__main__",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }


@contextmanager
def one_kernel() -> Iterator[KernelManager]:
    """Start the kernel that runs all notebooks one after the other, so that libraries and kernels are loaded once."""
    manager = KernelManager()
    manager.start_kernel(env=environment(), extra_arguments=["--log-level=ERROR"])
    try:
        yield manager
    finally:
        manager.shutdown_kernel(now=True)


def execute(path: Path, manager: KernelManager) -> tuple[NotebookNode, float]:
    """Run a notebook in an empty folder and an empty namespace.

    Returns
    -------
    NotebookNode
        The notebook, with outputs.
    float
        The processor time that it took, its programs included (s).

    Raises
    ------
    NotebookError
        If a cell prints anything on standard error.
    nbclient.exceptions.CellExecutionError
        If a cell raises.
    """
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:
        around = [nbformat.v4.new_code_cell(_BEFORE.format(folder=folder)), nbformat.v4.new_code_cell(_CLOCK)]
        notebook.cells = [around[0], *notebook.cells, around[1]]
        NotebookClient(notebook, km=manager, timeout=None).execute(cleanup_kc=False)
    before, *notebook.cells, after = notebook.cells
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if is_for_readers(path, cell, output)]
            cell.execution_count = None
    return notebook, float(after.outputs[0].text) - float(before.outputs[0].text)


def is_for_readers(path: Path, cell: NotebookNode, output: NotebookNode) -> bool:
    """Tell whether an output is for readers; raise if it is a warning."""
    if output.output_type != "stream":
        return True
    if output.name == "stderr" and output.text.strip():
        raise NotebookError(f"{path.name}: {cell.source[:200]}\nprints\n{output.text}")
    return bool(output.text)


def write_page(path: Path, folder: Path, manager: KernelManager) -> None:
    """Write the page of a notebook, ``NAME.md``, its pictures, and ``seconds``, into a folder."""
    notebook, seconds = execute(path, manager)
    from nbconvert import MarkdownExporter  # takes a second

    exporter = MarkdownExporter()
    text, resources = exporter.from_notebook_node(notebook, {"output_files_dir": path.stem, "unique_key": "picture"})
    download = f'<p><a href="{path.name}" download>Download this notebook</a></p>\n'
    title, _, rest = text.lstrip().partition("\n")
    (folder / f"{path.stem}.md").write_text(f"{title}\n\n{download}{rest}", encoding="utf-8")
    for name, data in resources["outputs"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / "seconds").write_text(f"{seconds:.1f}\n")


def pages(notebooks: Sequence[Path] = NOTEBOOKS) -> dict[str, Path]:
    """Execute notebooks, or take what an earlier build made of them; return the folder of each by its name."""
    maker = Path(__file__).read_bytes()
    with ExitStack() as stack:
        kernel = cache(lambda: stack.enter_context(one_kernel()))

        def page(path: Path, folder: Path) -> None:
            write_page(path, folder, kernel())

        return {path.stem: cached(path.stem, [maker, path.read_bytes()], partial(page, path)) for path in notebooks}


INDEX = """\
# Tutorials

Notebooks that were executed when this site was built: what they show is what they print. Each runs in an empty folder, on the embedded workload or on data
that it makes, within seconds. Here they ran one after the other in one process, so starting it counts for the first only; alone,
each takes some seconds more.

| | processor time |
|---|---|
"""


def index(folders: dict[str, Path]) -> str:
    """Return the page that lists the tutorials, and how long each took."""
    lines = [INDEX.rstrip()]
    for name, folder in folders.items():
        title = (folder / f"{name}.md").read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        seconds = float((folder / "seconds").read_text())
        lines.append(f"| [{title}]({name}.md) | {seconds:.0f} s |")
    lines += ["", "The first steps are [a notebook](../examples/first_steps.ipynb) as well, with less text.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    for name, folder in pages([Path(word) for word in sys.argv[1:]] or NOTEBOOKS).items():
        print(f"{name}: {(folder / 'seconds').read_text().strip()} s, {folder}")
