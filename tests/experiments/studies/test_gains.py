"""Who gains and who loses between two policies, by hand."""

import numpy as np
import pytest

import planbatch as pb
from planbatch.experiments import RoundLog
from planbatch.experiments.figures.gains import groups_table, losers_table, picture_of, picture_size
from planbatch.experiments.figures.style import drawing


def trace(policy, waits, **columns):
    n = len(waits)
    workload = pb.Workload(
        capacity=8, submit=np.arange(n) * 100, procs=np.array(columns.get("procs", [1] * n)),
        walltime=np.array(columns.get("walltime", [600] * n)), runtime=np.ones(n, np.int64),
        id=np.arange(1, n + 1), name="made", user=np.array([1, 1, 2, 2][:n]),
    )  # fmt: skip
    start = workload.submit + np.array(waits)
    never = np.full(n, pb.NEVER)
    empty = [np.zeros(0, np.int64)] * 5 + [np.zeros(0)] * 2
    return pb.Trace(workload, policy, start, start + 1, RoundLog(*empty), 0.0, never)


def test_by_hand() -> None:
    """Waits 0, 100, 50, 400 → 0, 0, 90, 1000: one gains (100 s), one loses (600 s), 40 s are no change."""
    shape = {"procs": [1, 4, 5, 8], "walltime": [600, 601, 3600, 90000]}
    gains = pb.Gains.of(trace("a", [0, 100, 50, 400], **shape), trace("b", [0, 0, 90, 1000], **shape))
    total = gains.total()
    assert (total["jobs"], total["before"], total["after"]) == (4, 137.5, 272.5)
    assert (total["gain"], total["lose"], total["loss"]) == (0.25, 0.25, 600)
    assert gains.by("size").index.tolist() == ["≤ 1", "≤ 4", "≤ 16"]
    assert gains.by("size")["change"].tolist() == [0, -100, 320]
    assert gains.by("length").index.tolist() == ["≤ 10 min", "≤ 1 h", "> 24 h"]
    assert gains.by("user")["change"].tolist() == [-50, 320]
    assert gains.losers(2)["id"].tolist() == [4, 3]


def test_the_waits_of_a_table_have_one_unit() -> None:
    """In the heading: hours, since most waits are hours; the file has seconds."""
    gains = pb.Gains.of(trace("a", [0, 1800, 7200, 14400]), trace("b", [0, 900, 7200, 90000]))
    assert groups_table(gains).texts()[0][2:5] == ["mean wait before (h)", "mean wait after (h)", "change (h)"]
    headings, rows = losers_table(gains).texts()
    assert headings[-3:] == ["wait before (h)", "wait after (h)", "change (h)"]
    assert rows[0][-3:] == ["4.00", "25.00", "+21.00"]
    assert rows[-1][-3:] == ["0.50", "0.25", "-0.25"]
    assert losers_table(gains).csv().splitlines()[1].endswith(",14400,90000,75600")


def test_the_picture_has_a_panel_for_each_column_with_several_groups() -> None:
    """Two users, no queue, one week."""
    gains = pb.Gains.of(trace("a", [0, 100, 50, 400]), trace("b", [0, 0, 90, 1000]))
    with drawing(*picture_size(gains)) as figure:
        picture_of(gains, figure)
        titles = [axes.get_title(loc="left").splitlines()[0] for axes in figure.axes]
    assert titles == ["job by job", "by processors", "by walltime", "by user"]


def test_other_jobs_are_refused() -> None:
    with pytest.raises(ValueError, match="different jobs"):
        pb.Gains.of(trace("a", [0, 1]), trace("b", [0, 1, 2]))


@pytest.mark.integration
def test_the_command(run, tmp_path):
    words = ("compare", "--policy", "fcfs", "--policy", "easy", "--first", 300, "--jobs", 1)
    code, out, _ = run(*words, "--against", "fcfs", "--out", "res")
    assert code == 0
    assert "from fcfs to easy" in out
    assert "lose most" in out
    names = {path.name for path in (tmp_path / "res").glob("gains-*")}
    assert {
        "gains-fcfs-easy.png",
        "gains-fcfs-easy-user.csv",
        "gains-fcfs-easy-week.csv",
        "gains-fcfs-easy-losers.csv",
    } <= names
