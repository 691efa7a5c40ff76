"""Every block of the pages runs: shell, Python and TOML, page by page, each page in a folder of its own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from manual import ROOT
from planbatch.experiments.cli.main import planbatch
from tests.manual.blocks import NOT_RUN, PAGES, Block, blocks, commands, reason, small, small_toml, split, write_logs

#: Languages of blocks that run, and of those that are saved as files if :data:`FILES` says so.
LANGUAGES = {"sh", "python", "toml", "json", "csv"}
#: What blocks of files are called, in their order on the page.
FILES = {
    "docs/data.md": {"toml": ["partitions.toml"]},
    "docs/experiments.md": {"toml": ["grid.toml"]},
    "docs/plugins.md": {"python": ["my.py", "past.py"], "toml": ["grid.toml"]},
    "docs/resources.md": {"csv": ["windows.csv"], "json": ["round.json"]},
    "docs/tuning.md": {"toml": ["examples/tune.toml"]},
}
#: Commands that the text around the blocks gives: before them,
FIRST = {
    "docs/live-users.md": ["planbatch slurm advise --every 1s"],
    "docs/comparison.md": [
        "planbatch workload generate log.swf --count 500 --capacity 64",
        "planbatch rounds capture log.swf --sizes 10,30 --per-size 1 --out rounds",
    ],
}
#: and after them, for the files that they show.
LAST = {
    "docs/experiments.md": ["planbatch experiment run grid.toml"],
    "docs/plugins.md": ["planbatch experiment run grid.toml"],
    "docs/resources.md": [
        "planbatch replay LANL-CM5-1994-4.1-cln --memory requested --memory-capacity 32MB/processor "
        "--windows windows.csv --policy easy",
        "planbatch round round.json",
    ],
    "docs/tuning.md": ["planbatch tune examples/tune.toml"],
}
SAMPLES = ROOT / "tests" / "live" / "samples"
#: Pages that replay whole experiments, or compile much.
LONG = {
    "docs/command.md",
    "docs/experiments.md",
    "docs/live.md",
    "docs/live-operators.md",
    "docs/live-users.md",
    "docs/plugins.md",
    "docs/reports.md",
}


def run(command: str) -> None:
    """Run a command of planbatch in this process, another in one of its own; it has to succeed."""
    words = split(command)
    if words[0] == "planbatch":
        done = CliRunner().invoke(planbatch, small(words[1:]), catch_exceptions=False)
        assert done.exit_code == 0, (command, done.output)
    else:
        assert words[0] == "python", command
        checkout = {**os.environ, "PYTHONPATH": str(ROOT)}  # its tests stand on some pages
        subprocess.run([sys.executable, *words[1:]], check=True, stdout=subprocess.DEVNULL, env=checkout)


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """Go to a folder that has what pages take for granted: logs, examples, an experiment, a saved cluster."""
    archive = tmp_path / "cache"
    monkeypatch.setattr("planbatch.experiments.workloads.archive.user_cache_path", lambda name: archive)
    monkeypatch.chdir(tmp_path)
    write_logs(archive / "workloads", tmp_path)
    shutil.copytree(ROOT / "examples", "examples")
    for path in Path("examples").glob("*.toml"):
        path.write_text(small_toml(path.read_text(encoding="utf-8")), encoding="utf-8")
    shutil.copy("examples/policies.toml", "grid.toml")
    Path("saved").mkdir()
    for name in ("squeue", "sinfo"):
        shutil.copy(SAMPLES / f"sample_{name}_v0.0.38.json", f"saved/{name}.json")


def steps(page: str) -> Iterator[str | Block]:
    """Yield what is run: commands, and blocks of Python."""
    yield from FIRST.get(page, [])
    names = {language: iter(files) for language, files in FILES.get(page, {}).items()}
    for block in blocks(page):
        if block.language in names:
            text = small_toml(block.text) if block.language == "toml" else block.text
            Path(next(names[block.language])).write_text(text, encoding="utf-8")
        if block.language == "python":
            yield block
        elif block.language == "sh":
            yield from (line for line in commands(block.text) if reason(line) is None)
    assert not any(list(left) for left in names.values()), "a file of FILES is no block of the page"
    yield from LAST.get(page, [])


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=pytest.mark.nightly if p in LONG else pytest.mark.integration) for p in PAGES]
)
@pytest.mark.usefixtures("prepared")
def test_blocks_run_one_after_the_other(page, capsys):
    """In one folder, and Python in one namespace; a page with Python prints something, but for files of the user's."""
    namespace: dict[str, object] = {"__name__": "example"}
    python = False
    for step in steps(page):
        if isinstance(step, Block):
            python = True
            exec(compile(step.text, page, "exec"), namespace)
        else:
            run(step)
    if python and page != "docs/plugins.md":
        assert capsys.readouterr().out


def test_every_block_is_read():
    """Blocks are of a language that runs, or show what is printed; none of files is without a name."""
    assert {"README.md", "docs/extending.md", "docs/explanations/plan.md", "docs/live.md"} <= set(PAGES)
    for page in PAGES:
        listed = [block.language for block in blocks(page)]
        assert set(listed) <= LANGUAGES | {"", "text"}, page
        for language in ("toml", "json", "csv"):
            assert listed.count(language) == len(FILES.get(page, {}).get(language, [])), page


def test_nothing_is_left_out_in_vain():
    """Each reason not to run is that of a command on a page, and most commands run."""
    lines = [
        line for page in PAGES for block in blocks(page) if block.language == "sh" for line in commands(block.text)
    ]
    assert set(NOT_RUN) == {reason(line) for line in lines} - {None}
    assert sum(reason(line) is None for line in lines) >= 45
