"""The examples of the documentation run, and import users' names only."""

import ast
import contextlib
import json
import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from planbatch.experiments.command.main import planbatch

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
#: The table that the example of docs/study.md reads, made by its experiment.
SUMMARY = """\
workload,policy,estimates,mean_wait,max_wait
"KTH-SP2, 1",easy,requested,600,86400
"KTH-SP2, 1",plan-wait,requested,300,129600
"KTH-SP2, 1",easy,actual,600,86400
"KTH-SP2, 1",plan-wait,actual,300,129600
"Theta, 1",easy,requested,600,86400
"Theta, 1",plan-wait,requested,300,129600
"Theta, 1",easy,actual,600,86400
"Theta, 1",plan-wait,actual,300,129600
"""


def test_the_pages_with_examples_are_found():
    """A test that reads nothing finds nothing wrong."""
    assert {"README.md", "docs/extending.md", "docs/explanations/plan.md"} <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_examples_run_one_after_the_other(name, tmp_path, monkeypatch, capsys):
    """Every Python block of a page runs, in order, in one namespace."""
    (tmp_path / "out" / "study").mkdir(parents=True)
    (tmp_path / "out" / "study" / "summary.csv").write_text(SUMMARY)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "example"}
    for block in BLOCKS[name]:
        exec(compile(block, name, "exec"), namespace)
    if name != "docs/plugins.md":  # a file of the user's, which prints nothing
        assert capsys.readouterr().out


def test_the_commands_for_data_run(tmp_path, monkeypatch):
    """Every command of docs/data.md, on the files that its first block writes."""
    page = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS["docs/data.md"][0], "docs/data.md", "exec"), {})
    Path("partitions.toml").write_text("".join(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)))
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    commands = [line for line in "".join(blocks).splitlines() if line.startswith("planbatch ")]
    assert len(commands) >= 10
    for line in commands:
        outcome = CliRunner().invoke(planbatch, shlex.split(line)[1:], catch_exceptions=False)
        assert outcome.exit_code == 0, (line, outcome.output)


def test_the_commands_for_plugins_run(tmp_path, monkeypatch):
    """Every command of docs/plugins.md, with the file and the experiment that it shows."""
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    Path("my.py").write_text(BLOCKS["docs/plugins.md"][0])
    Path("past.py").write_text(BLOCKS["docs/plugins.md"][1])
    Path("grid.toml").write_text("".join(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)))
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    commands = [line for line in "".join(blocks).splitlines() if line.startswith("planbatch ")]
    assert len(commands) >= 9
    for line in [*commands, "planbatch experiment run grid.toml"]:
        words = [
            found
            for word in shlex.split(line)[1:]
            for found in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
        ]
        outcome = CliRunner().invoke(planbatch, words, catch_exceptions=False)
        assert outcome.exit_code == 0, (line, outcome.output)


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


def commands() -> list[tuple[str, str]]:
    """Give every command of planbatch on all pages, lines that go on joined, and the page that it stands on."""
    found = []
    for path in [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md", *NOTEBOOKS]:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            cells = json.loads(text)["cells"]
            text = "\n".join("".join(cell["source"]) for cell in cells)
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                words = line.strip().partition(" #")[0]
                if words.startswith("planbatch "):
                    found.append((path.relative_to(ROOT).as_posix(), words.removesuffix(" &")))
    return found


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
            found = command.get_command(context, name)
            assert found is not None, (page, line)
            command, context = found, click.Context(found, parent=context)
        else:
            with contextlib.suppress(click.MissingParameter):
                command.make_parser(context).parse_args(words)
