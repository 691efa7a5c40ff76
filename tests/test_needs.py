"""Tests that need something skip if it cannot be there, and fail if it should be."""

import os

import pytest

from tests import needs

SKIPPED, FAILED = pytest.skip.Exception, pytest.fail.Exception


def test_a_log_is_there_or_the_test_is_skipped_or_fails(tmp_path):
    """Without a folder of logs it is skipped; a log that the folder lacks would silence its tests, and is a failure."""
    with pytest.raises(SKIPPED, match="set PLANBATCH_WORKLOADS"):
        needs.log_in(tmp_path / "absent", "a-log")
    (tmp_path / "another.swf.gz").touch()
    with pytest.raises(FAILED, match="lacks the log a-log.swf.gz"):
        needs.log_in(tmp_path, "a-log")
    assert needs.log_in(tmp_path, "another").is_file()


@pytest.mark.parametrize(
    ("need", "ci", "user", "programs", "outcome", "words"),
    [
        (needs.browser_and_driver, "true", 0, ("apt-get", "chromium"), FAILED, "apt-get install chromium"),
        (needs.browser_and_driver, "true", 1000, ("apt-get",), SKIPPED, "apt-get install chromium"),
        (needs.slurm, "true", 0, (), SKIPPED, "apt-get install slurmctld"),
        (needs.slurm, "", 0, ("apt-get", "slurmctld"), SKIPPED, "apt-get install slurmctld"),
        (needs.slurm, "true", 1000, ("apt-get", *needs.SLURM), SKIPPED, "needs root"),
    ],
)
def test_ci_that_could_install_something_has_it(monkeypatch, need, ci, user, programs, outcome, words):
    """Elsewhere the tests of the page and of the live cluster are skipped without it, or without root."""
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(needs.shutil, "which", lambda name: f"/bin/{name}" if name in programs else None)
    with pytest.raises(outcome, match=words):
        need()


def test_what_is_there_is_found(monkeypatch):
    """Of several browsers the first; all programs of Slurm, for root."""
    there = ("chromium-browser", "google-chrome", "chromedriver", *needs.SLURM)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(needs.shutil, "which", lambda name: f"/bin/{name}" if name in there else None)
    assert needs.browser_and_driver() == ("/bin/chromium-browser", "/bin/chromedriver")
    needs.slurm()
