"""One-token changes of the code, each of which some unit test has to notice.

``python -m tests.mutants`` draws sixty of ``core/``, ``python -m tests.mutants planner baselines`` of these packages,
and prints which test noticed each. A mutant that survives is a missing test, or changes nothing but speed: look at it.
All happens on a copy in ``build/mutants``. (mutmut does not follow the links of ``planbatch/``.)
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from planbatch import _core

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "mutants"
SOURCES = (
    "core", "planner", "objectives", "baselines", "experiments", "manual", "planbatch", "tests", "docs", "examples",
    "pyproject.toml", "README.md", "CONTRIBUTING.md", "DESIGN.md", "Makefile",
)  # fmt: skip
#: The tests, the quickest to notice something first.
TESTS = (
    "golden", "core", "baselines", "objectives", "planner",
    "test_examples.py", "test_layers.py", "test_mistakes.py", "test_bad_functions.py", "experiments",
)  # fmt: skip
#: Token → what takes its place. Blanks keep templates and arrows apart from comparisons.
CHANGES = {
    " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ",
    " + ": " - ", " - ": " + ", " && ": " || ", " || ": " && ", " and ": " or ", " or ": " and ",
    "std::min(": "std::max(", "std::max(": "std::min(",
    " += ": " -= ", " -= ": " += ", "true": "false", "True": "False",
}  # fmt: skip
TOKEN = re.compile("|".join(sorted(map(re.escape, CHANGES), key=len, reverse=True)))
#: Comments, strings and docstrings, in which nothing is changed.
TEXT = re.compile(r'""".*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|#[^\n]*', re.DOTALL)
#: Runs the tests on the copy, with the core in the folder.
RUNNER = """
import sys, pathlib
sys.meta_path[:] = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
sys.path.insert(0, sys.argv[1])
from tests.core.fuzz import load_core
load_core(pathlib.Path(sys.argv[2]))
import pytest
sys.exit(pytest.main(["-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", *sys.argv[3:]]))
"""


@dataclass(frozen=True)
class Mutant:
    """A file, and the token at an offset of its text that another one replaces."""

    file: str
    offset: int
    token: str

    def write(self, into: Path) -> None:
        """Write the changed file into a copy of the repository."""
        text = (ROOT / self.file).read_text(encoding="utf-8")
        end = self.offset + len(self.token)
        changed = text[: self.offset] + CHANGES[self.token] + text[end:]
        (into / self.file).write_text(changed, encoding="utf-8")

    def __str__(self) -> str:
        text = (ROOT / self.file).read_text(encoding="utf-8")
        line = text.count("\n", 0, self.offset) + 1
        return f"{self.file}:{line}: {self.token.strip()} → {CHANGES[self.token].strip()}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield every one-token change of a file."""
    text = path.read_text(encoding="utf-8")
    code = TEXT.sub(lambda match: re.sub(r"[^\n]", "\0", match[0]), text)
    for match in TOKEN.finditer(code):
        yield Mutant(path.relative_to(ROOT).as_posix(), match.start(), match[0])


def draw_mutants(packages: list[str], number: int, seed: int) -> list[Mutant]:
    """Draw mutants, from as many files as there are."""
    rng = random.Random(seed)
    by_file = []
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.hpp" if package == "core" else "*.py")):
            result = list(mutants_of(path))
            rng.shuffle(result)
            by_file.append(result)
    rng.shuffle(by_file)
    rounds = max(map(len, by_file))
    return [result[i] for i in range(rounds) for result in by_file if i < len(result)][:number]


def build() -> bool:
    """Build the core of the copy; False if it does not compile."""
    commands: list[list[str | Path]] = [["cmake", "--build", FOLDER / "core"]]
    if not (FOLDER / "core" / "build.ninja").exists():
        configure = ["cmake", "-S", FOLDER / "tree" / "core", "-B", FOLDER / "core", "-G", "Ninja"]
        commands.insert(0, [*configure, f"-DPython_EXECUTABLE={sys.executable}"])
    return all(subprocess.run(command, capture_output=True, check=False).returncode == 0 for command in commands)


def verdict(core: Path) -> str:
    """Return which test fails on the copy with a core; nothing if none does."""
    tree = FOLDER / "tree"
    tests = [str(tree / "tests" / name) for name in TESTS]
    try:
        done = subprocess.run(
            [sys.executable, "-c", RUNNER, str(tree), str(core), *tests],
            cwd=tree, capture_output=True, text=True, check=False, timeout=3600,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "nothing ends"
    if done.returncode == 0:
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return failed[1] if failed else f"exit code {done.returncode}"


def main() -> None:
    """Print a line for each mutant; exit with 1 if the unchanged copy fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", default=["core"])
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    shutil.rmtree(FOLDER / "tree", ignore_errors=True)
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        symlinks = {"symlinks": True} if (ROOT / name).is_dir() else {}
        (FOLDER / "tree").mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, FOLDER / "tree" / name, **symlinks)
    compiled = options.packages == ["core"]
    core = FOLDER / "core" if compiled else Path(_core.__file__).parent
    if (compiled and not build()) or (failed := verdict(core)):
        sys.exit(f"without a change: {'no build' if compiled else ''} {failed}")
    survivors = 0
    for mutant in draw_mutants(options.packages, options.number, options.seed):
        mutant.write(FOLDER / "tree")
        noticed = "the compiler" if compiled and not build() else verdict(core)
        shutil.copy(ROOT / mutant.file, FOLDER / "tree" / mutant.file)
        survivors += not noticed
        print(f"{mutant}: {noticed or 'SURVIVES'}", flush=True)
    print(f"{survivors} of {options.number} survive")


if __name__ == "__main__":
    main()
