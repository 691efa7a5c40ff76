"""What the documentation shows: users' names, verbs and flags that exist; tests/manual/test_blocks.py runs it."""

import ast
import contextlib
import json
import re
import shlex
from pathlib import Path

import click
import pytest

from planbatch.experiments.cli.main import planbatch

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
BLOCKS = {
    path.relative_to(ROOT).as_posix(): BLOCK.findall(path.read_text(encoding="utf-8"))
    for path in [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md", ROOT / "DESIGN.md"]
}
NOTEBOOKS = sorted(ROOT.glob("docs/tutorials/*.ipynb"))
PAGES = [name for name, blocks in BLOCKS.items() if blocks]
#: What users import from.
FRONT_DOORS = {"planbatch"} | {
    f"planbatch.{package}" for package in ("planner", "objectives", "baselines", "experiments")
}


@pytest.mark.parametrize("name", PAGES)
def test_examples_import_users_names(name):
    """From planbatch and its four packages, never from a module of theirs."""
    for block in BLOCKS[name]:
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom):
                imported = [node.module]
            else:
                imported = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            ours = {module for module in imported if module.partition(".")[0] == "planbatch"}
            assert ours <= FRONT_DOORS


def test_the_lock_is_made_as_contributing_says():
    """It names extras: else pip asks for the newest coverage[toml], and refuses what is not locked."""
    command = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()[1].removeprefix("#").strip()
    assert f"`{command}`" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert "--no-strip-extras" in command


def commands() -> list[tuple[str, str]]:
    """Give every command of planbatch on all pages, lines that go on joined, and the page that it stands on."""
    results = []
    for path in [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md", *NOTEBOOKS]:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            cells = json.loads(text)["cells"]
            text = "\n".join("".join(cell["source"]) for cell in cells)
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                words = line.strip().partition(" #")[0]
                if words.startswith("planbatch "):
                    results.append((path.relative_to(ROOT).as_posix(), words.removesuffix(" &")))
    return results


def test_the_verbs_and_flags_of_all_pages_exist():
    """Commands on logs that are not here cannot run, but they are read as the command reads them."""
    listed = commands()
    assert len(listed) > 60
    for page, line in listed:
        words = shlex.split(line)[1:]
        command, context = planbatch, click.Context(planbatch)
        while isinstance(command, click.Group):
            name = words.pop(0)
            if name.startswith("-"):
                break
            result = command.get_command(context, name)
            assert result is not None, (page, line)
            command, context = result, click.Context(result, parent=context)
        else:
            with contextlib.suppress(click.MissingParameter):
                command.make_parser(context).parse_args(words)
