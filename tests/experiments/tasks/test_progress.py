"""What people are told while replays run."""

import pytest

from planbatch.experiments.tasks.progress import TaskProgress


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


def test_nothing_is_told_where_nobody_looks(capsys):
    """Unless asked to: standard error is no terminal here."""
    with TaskProgress(["one"], [10]) as progress:
        progress(0, 5)
        progress(0, 10)
        progress.finished(0)
    assert capsys.readouterr() == ("", "")
