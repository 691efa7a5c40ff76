"""The command on small workloads under the names of logs."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from planbatch.experiments.cli.main import planbatch
from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf
from planbatch.planner.model import Workload


class Reproduced(NamedTuple):
    """The rows of the comparison, the names of all files, the folder, and what was said."""

    rows: list[dict[str, str]]
    files: set[str]
    out: Path
    messages: str


def reproduced(folder: Path, paper: str, logs: Mapping[str, Workload | SwfLog], quick: bool = True) -> Reproduced:
    """Run ``planbatch reproduce`` in a folder, with these logs by their names."""
    for name, log in logs.items():
        swf = swf_from_workload(log) if isinstance(log, Workload) else log
        write_swf(folder / f"{name}.swf", swf)
    out = folder / "out"
    words = ["reproduce", paper, "--workloads", str(folder), "--out", str(out)]
    words += ["--quick"] if quick else []
    outcome = CliRunner().invoke(planbatch, words, catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    with (out / "comparison.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return Reproduced(rows, {path.name for path in out.iterdir()}, out, outcome.stderr)
