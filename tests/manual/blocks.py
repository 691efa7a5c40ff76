"""The blocks of the pages, and the one rule by which they are made small enough to run in seconds.

A block runs as it is printed, in an empty folder per page, but for this:

- Logs (:func:`logs`): names of the Parallel Workloads Archive, and other files that are not in the repository, mean
  generated logs of some hundred jobs on a machine of the same size.
- Numbers (:data:`AT_MOST`, :data:`KEYS_AT_MOST`): how many jobs, evaluations, seconds, trials and ticks are capped; an
  experiment has two logs, and three policies of a list.
- Words in capitals (:data:`STANDING_FOR`) mean something that an earlier command has made.
- Loops run for their first value.
- What cannot run at all is in :data:`NOT_RUN`, with the reason.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from manual import ROOT
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.archive import CATALOGUE, cached_path
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.resources import with_scarce_memory
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf

#: Pages with blocks: those of the manual, and those beside it.
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")]
    if "```" in path.read_text(encoding="utf-8")
)
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
#: Beginnings of commands that are not run here, and why.
NOT_RUN = {
    "pip install": "installs; `make dist` and tests/test_distribution.py install",
    "make setup": "installs",
    "source ": "changes the shell",
    "python -m benchmarks.against_commit": "installs another commit, and takes minutes",
    "make run": "installs, then runs planbatch compare, which runs here",
    "make test": "would run this test",
    "useradd": "changes the machine",
    "sacctmgr": "changes a cluster",
    "python3.9 -m venv": "needs Python 3.9 and a network",
    "accasim/bin/": "needs AccaSim",
    "python manual/peers/pyjobshop_round.py": "needs PyJobShop",
    "TZ=UTC sacct": "needs a cluster's accounts; the page's first block writes what it prints",
    "dask scheduler": "runs on a cluster; tutorial 5 starts one here",
    "dask worker": "runs on a cluster; tutorial 5 starts one here",
    "planbatch experiment run grid.toml --backend dask": "needs that cluster; tutorial 5 runs it",
    "planbatch slurm drive": "changes a cluster; tests/live/test_drive.py",
    "planbatch slurm release-all": "changes a cluster; tests/live/test_lab.py",
    "squeue --noheader": "changes a cluster; tests/live/test_lab.py",
    "python -m tests.live.lab": "starts a Slurm cluster; tests/live/test_lab.py starts one",
    "python -m benchmarks.live": "starts a Slurm cluster, or replays a real log for minutes",
    "python examples/learned.py": "trains for a minute; tests/test_learned.py trains briefly",
    "planbatch compare --policy easy --policy examples/learned.py": "needs what that trained; tests/test_learned.py",
    "planbatch slurm when --accuracy": "needs days of ticks; tests/live/test_journal.py",
    "planbatch compare out/live/journal.jsonl": "needs days of ticks; tests/live/test_journal.py",
    "planbatch rounds capture --from-ticks out/live": "needs days of ticks; tests/live/test_journal.py",
    "planbatch batsim": "waits for Batsim; tests/live/test_batsim.py",
    "batsim": "needs Batsim",
    "planbatch rounds compare --benchmark": "takes minutes; tests/experiments/rounds/test_benchmark.py",
    "planbatch rounds best-known": "needs somebody's plan; tests/experiments/rounds/test_benchmark.py",
    "planbatch reproduce": "replays whole logs; tests/experiments/reproduce",
}
#: Numbers behind flags are lowered to these.
AT_MOST = {
    "--jobs": 1, "--count": 500, "--first": 300, "--evaluations": 20, "--seconds": 0.2, "--ticks": 1, "--trials": 3,
}  # fmt: skip
#: Logs that no page says how to fetch, and the processors of their machines.
OTHER_LOGS = {"theta_2022.swf.gz": 4360, "wagap-2013.swf.gz": 2176}
#: Numbers of TOML files are lowered to these.
KEYS_AT_MOST = {"first": 200, "trials": 3, "evaluations": 20}
#: Words that stand for something: the first file or folder like the pattern, or the word itself.
STANDING_FOR = {
    "LOG": "KTH-SP2-1996-2.1-cln",
    "NAME": "easy",
    "REPLAY_SEED": "1",
    "ROUND": "rounds/*.json",
    "KEY": "cells/*",
    "other_jobs.csv": "kth_jobs.csv",
    "9_1": "345",  # a job of the saved cluster
}
#: Flags that commands which begin so are given, unless they have them: a saved cluster stands for a live one, and
#: processes that earlier pages started, in other folders, are not used.
EXTRA_OPTIONS = {
    ("report",): {"--jobs": "1"},
    ("slurm", "observe"): {"--from": "saved"},
    ("slurm", "advise"): {"--from": "saved", "--ticks": "1"},
}


@dataclass(frozen=True)
class Block:
    """A block of a page."""

    page: str
    language: str
    text: str


def blocks(page: str) -> list[Block]:
    """List the blocks of a page, in their order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [Block(page, language, body) for language, body in BLOCK.findall(text)]


def commands(text: str) -> list[str]:
    r"""List the commands of a block: lines that go on joined, loops run for their first value, ``a && b`` apart.

    >>> commands("for x in 1 2; do\n  a $x \\\n -b  # c\ndone\nd && e &")
    ['a 1 -b', 'd', 'e']
    """
    values: dict[str, str] = {}
    results = []
    for line in re.sub(r"\s*\\\n\s*", " ", text).splitlines():
        bare = re.sub(r"(^|\s+)#.*", "", line).strip().removesuffix("&").strip()
        if loop := re.fullmatch(r"for (\w+) in (\S+).*; do", bare):
            values[loop[1]] = loop[2]
        elif bare and bare != "done":
            for name, value in values.items():
                bare = bare.replace(f"${name}", value)
            results += bare.split(" && ")
    return results


def reason(command: str) -> str | None:
    """Tell which entry of :data:`NOT_RUN` a command begins with, if any."""
    return next((start for start in NOT_RUN if command.startswith(start)), None)


def small(words: list[str]) -> list[str]:
    """Lower the numbers of a command of planbatch.

    >>> small(["compare", "a.swf", "--jobs", "8", "--first", "60000"])
    ['compare', 'a.swf', '--jobs', '1', '--first', '300']
    >>> small(["slurm", "observe"])
    ['slurm', 'observe', '--from', 'saved']
    """
    result = list(words)
    for index, word in enumerate(words[:-1]):
        most = AT_MOST.get(word)
        if most is not None:
            result[index + 1] = f"{min(most, float(words[index + 1])):g}"
    if words == ["compare"]:
        return [*result, "--first", "300"]
    added = EXTRA_OPTIONS.get(tuple(words[:2]), EXTRA_OPTIONS.get(tuple(words[:1]), {}))
    for flag, value in added.items():
        result += [] if flag in words else [flag, value]
    return result


def small_toml(text: str) -> str:
    r"""Lower the numbers of an experiment or of tuning; leave out all logs but two, and policies of a list but three.

    >>> small_toml("first = 9000\nevaluations = [10, 1000]")
    'first = 200\nevaluations = [10, 20]'
    >>> small_toml('name = ["a", "b", "c", "d"]')
    'name = ["a", "b", "c"]'
    """

    def lowered(line: re.Match[str]) -> str:
        most = KEYS_AT_MOST[line[1]]
        return re.sub(r"\d+", lambda number: str(min(most, int(number[0]))), line[0])

    tables = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    spare = [table for table in tables if table.startswith("[[workload]]")][2:]
    text = "".join(table for table in tables if table not in spare)
    text = re.sub(r'^(name = \[(?:"[^"]*", ){2}"[^"]*").*\]$', r"\1]", text, flags=re.MULTILINE)
    return re.sub(rf"^({'|'.join(KEYS_AT_MOST)}) = .*", lowered, text, flags=re.MULTILINE)


def split(command: str) -> list[str]:
    """Split a command into words; what stands for something is put in, patterns of files are written out."""
    results = []
    for word in shlex.split(command):
        if word == "…":
            continue
        place = Path(word)
        if place.name in STANDING_FOR:
            argument = STANDING_FOR[place.name]
            pattern = str(place.parent.parent / argument) if place.name == "KEY" else argument
            results.append(sorted(map(str, Path().glob(pattern)))[0] if "*" in argument else argument)
        else:
            results += sorted(map(str, Path().glob(word))) if "*" in word else [word]
    return results


def write_log(path: Path, capacity: int, replayed: bool = False) -> None:
    """Write a small log of a machine of so many processors, with memory; a replayed one has waits."""
    workload = synthetic_workload(jobs=100, capacity=capacity, load=0.8)
    log = swf_from_workload(with_scarce_memory(workload, "16MB/processor", seed=1))
    if replayed:
        log.columns["wait"][:] = replay(workload, "easy").start - workload.submit
    write_swf(path, log)


def write_logs(archive: Path, folder: Path) -> None:
    """Write a small log for each name of the archive, and for each of :data:`OTHER_LOGS`."""
    archive.mkdir(parents=True)
    for log in CATALOGUE.values():
        write_log(cached_path(log, archive), log.capacity)
    for name, capacity in OTHER_LOGS.items():
        write_log(folder / name, capacity)
    write_log(folder / "log.swf", 64, replayed=True)
