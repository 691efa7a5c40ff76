"""Tests that need something skip if it cannot be there, and fail if it should be."""

import os

import pytest

from tests import needs


def test_without_a_folder_of_logs_tests_are_skipped(tmp_path):
    """The reason says how to change that."""
    with pytest.raises(pytest.skip.Exception, match="set PLANBATCH_WORKLOADS"):
        needs.log_in(tmp_path / "absent", "a-log")


def test_a_log_that_the_folder_lacks_is_a_failure(tmp_path):
    """Otherwise one that is lost, or renamed, would silence its tests."""
    (tmp_path / "another.swf.gz").touch()
    with pytest.raises(pytest.fail.Exception, match="lacks the log a-log.swf.gz"):
        needs.log_in(tmp_path, "a-log")
    assert needs.log_in(tmp_path, "another").is_file()


@pytest.mark.parametrize(
    ("ci", "user", "programs", "outcome"),
    [
        ("true", 0, ("apt-get",), pytest.fail.Exception),
        ("true", 0, ("apt-get", "chromium"), pytest.fail.Exception),
        ("true", 0, (), pytest.skip.Exception),
        ("true", 1000, ("apt-get",), pytest.skip.Exception),
        ("", 0, ("apt-get",), pytest.skip.Exception),
    ],
)
def test_ci_that_could_install_a_browser_has_one(monkeypatch, ci, user, programs, outcome):
    """Elsewhere the tests of the page are skipped without one."""
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(needs.shutil, "which", lambda name: f"/bin/{name}" if name in programs else None)
    with pytest.raises(outcome, match="apt-get install chromium"):
        needs.browser_and_driver()


def test_a_browser_is_found_with_its_driver(monkeypatch):
    """The first of several names."""
    there = ("chromium-browser", "google-chrome", "chromedriver")
    monkeypatch.setattr(needs.shutil, "which", lambda name: f"/bin/{name}" if name in there else None)
    assert needs.browser_and_driver() == ("/bin/chromium-browser", "/bin/chromedriver")


@pytest.mark.parametrize(
    ("ci", "user", "programs", "outcome", "words"),
    [
        ("true", 0, ("apt-get",), pytest.fail.Exception, "apt-get install slurmctld"),
        ("true", 0, (), pytest.skip.Exception, "apt-get install slurmctld"),
        ("", 0, ("apt-get", "slurmctld"), pytest.skip.Exception, "apt-get install slurmctld"),
        ("true", 1000, ("apt-get", *needs.SLURM), pytest.skip.Exception, "needs root"),
    ],
)
def test_ci_that_could_install_slurm_has_it(monkeypatch, ci, user, programs, outcome, words):
    """Elsewhere the tests of the live cluster are skipped without it, or without root."""
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(needs.shutil, "which", lambda name: f"/bin/{name}" if name in programs else None)
    with pytest.raises(outcome, match=words):
        needs.slurm()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(needs.shutil, "which", lambda name: f"/bin/{name}")
    needs.slurm()
