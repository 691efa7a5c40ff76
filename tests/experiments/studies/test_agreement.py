"""Terminal, CSV, JSON, stored cells and page cannot disagree: every figure is made in one place."""

import json

import pandas as pd
import pytest

from planbatch.experiments.common.text import change, durations, number, share
from planbatch.experiments.report.page import make_report
from planbatch.experiments.runs.read import read_results
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf

pytestmark = pytest.mark.integration

POLICIES = ("easy", "conservative", "plan-squared-wait")
#: What all of them show, and how the terminal's table writes it.
SHOWN = {
    "mean_wait": durations,
    "median_wait": durations,
    "p95_wait": durations,
    "max_wait": durations,
    "mean_bounded_slowdown": lambda values: ("", [number(value) for value in values]),
    "makespan": durations,
    "utilisation": lambda values: ("", [share(value) for value in values]),
}


@pytest.fixture
def compared(run, tmp_path, monkeypatch):
    """Compare three policies once; give JSON and folder, and the table as text."""
    log = tmp_path / "log.swf"
    write_swf(log, swf_from_workload(synthetic_workload(jobs=150, capacity=32, seed=4, load=1.1)))
    words = [word for name in POLICIES for word in ("--policy", name)]
    code, out, _ = run("compare", log, *words, "--out", tmp_path / "out", "--json", "--jobs", 1)
    assert code == 0
    _, table, _ = run("compare", log, *words, "--out", tmp_path / "out", "--jobs", 1)
    return json.loads(out), tmp_path / "out", table


def test_every_output_has_the_same_figures(compared):
    """JSON, CSV, cells and the page to the last digit; the terminal as it writes them."""
    output, folder, table = compared
    frame = pd.read_csv(folder / "comparison.csv", index_col="policy")
    results = read_results(folder)
    cells = {cell.label: cell.summary for cell in results.cells}
    page = make_report(results)
    summary = next(table for table in page.tables if table.name.endswith("-summary"))
    rows = {row["policy"]: row for row in summary.rows}
    lines = {line.split()[0]: line for line in table.splitlines() if line.split()}
    reference = cells["easy"]["mean_wait"]
    texts = {figure: write([result[figure] for result in output["results"]])[1] for figure, write in SHOWN.items()}
    for index, result in enumerate(output["results"]):
        name = result["policy"]
        for figure in SHOWN:
            value = result[figure]
            assert frame.loc[name, figure] == pytest.approx(value, rel=1e-15)
            assert cells[name][figure] == value
            if figure in rows[name]:
                assert rows[name][figure] == pytest.approx(value, rel=1e-15)
            assert texts[figure][index] in lines[name].split()
        if name != "easy":
            assert change(result["mean_wait"], reference) in lines[name]
            assert rows[name]["wait_ratio"] == pytest.approx(result["mean_wait"] / reference)
