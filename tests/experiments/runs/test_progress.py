"""What people are reported while replays run."""

import pytest

from planbatch.experiments.runs import progress as progress_module
from planbatch.experiments.runs.progress import CountBar, TaskProgress


def test_remaining_time(capsys):
    """Half of the work took so long: the other half takes as long again, whatever the number of tasks."""
    progress = TaskProgress(["long", "short"], [100, 10], [3.0, 1.0], quiet=False)
    assert progress.remaining() == 0
    with progress:
        progress(0, 50)
        progress._began -= 30
        assert progress.remaining() == pytest.approx(50, abs=1)
        progress.finished(0)
        progress(0, 60)
        assert progress.remaining() == pytest.approx(10, abs=1)
        progress.finished(1, "no luck")
    err = capsys.readouterr().err
    assert "1 of 2: long; about 10 s left" in err
    assert "2 of 2: short: no luck" in err


def test_nothing_is_reported_where_nobody_looks(capsys):
    """Unless asked to: standard error is no terminal here."""
    with TaskProgress(["one"], [10]) as progress:
        progress(0, 5)
        progress(0, 10)
        progress.finished(0)
    assert capsys.readouterr() == ("", "")


class Handle:
    """Stands for what a notebook shows below a cell: keeps the last text and counts the frames."""

    def __init__(self):
        self.texts = []

    def update(self, html):
        self.texts.append(html.data)


@pytest.fixture
def below(monkeypatch):
    """Pretend to be in a notebook in which the bar appears at once; give what is shown below the cell."""
    display = pytest.importorskip("IPython.display")
    handle = Handle()

    def show(html, display_id):
        handle.update(html)
        return handle

    monkeypatch.setattr(display, "display", show)
    monkeypatch.setattr(progress_module, "in_notebook", lambda: True)
    monkeypatch.setattr(progress_module, "DELAY", 0.0)
    return handle


def test_one_bar_in_a_notebook(below, capsys):
    """It is replaced in place, no more often than anybody could see, and ends as a line; nothing is printed."""
    with TaskProgress(["long", "<short>"], [100, 10]) as progress:
        for count in range(1, 101):
            progress(0, count)
        progress.finished(0)
        progress.finished(1)
    assert "<progress value=" in below.texts[0]
    assert below.texts[-1].startswith("2 of 2 in ")
    assert len(below.texts) < 10
    assert capsys.readouterr().err == ""


def test_failures_are_printed_in_a_notebook(below, capsys):
    with TaskProgress(["one"], [1]) as progress:
        progress.finished(0, "no luck")
    assert "1 of 1: one: no luck" in capsys.readouterr().err


def test_counted_tasks_in_a_notebook(below):
    """A bar, then how many there were."""
    with CountBar("searches") as bar:
        bar(1, 3)
        bar(3, 3)
    assert 'value="0.333"' in below.texts[0]
    assert below.texts[-1] == "3 of 3 searches"


def test_short_runs_show_no_bar(below, monkeypatch):
    """Those that end before anybody wonders."""
    monkeypatch.setattr(progress_module, "DELAY", 3600.0)
    with CountBar("searches") as bar:
        bar(1, 1)
    assert below.texts == []


def test_counts_are_lines_in_a_pipe(capsys, monkeypatch):
    """Every few seconds, if asked for; the last one is what follows."""
    monkeypatch.setattr(progress_module, "EVERY", 0.0)
    with CountBar("searches", lines=True) as bar:
        bar(1, 4)
        bar(4, 4)
    assert capsys.readouterr().err.startswith("1 of 4 searches; about ")
