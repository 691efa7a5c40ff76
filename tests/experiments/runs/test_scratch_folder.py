"""Temporary folders of processes, and what becomes of those whose owners were killed."""

import os
import signal
import subprocess
import sys
import tempfile

import pytest

from planbatch.experiments.runs.processes import PREFIX, scratch_folder

pytestmark = pytest.mark.integration

OWNER = """
import time
from planbatch.experiments.runs.processes import scratch_folder
with scratch_folder() as folder:
    (folder / "result").write_text("half of it")
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Keep the temporary folders of this test apart from all others."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_a_folder_is_deleted_in_the_end(folders):
    """Also where what is done in it fails."""
    with scratch_folder() as folder:
        assert folder.parent == folders
    with pytest.raises(ZeroDivisionError), scratch_folder():
        raise ZeroDivisionError
    assert list(folders.iterdir()) == []


def test_folders_of_the_living_stay_those_of_the_dead_go(folders):
    """A process that was killed cannot delete its folder; the next one does."""
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    try:
        abandoned = owner.stdout.readline().strip()
        with scratch_folder() as own:
            assert os.path.isdir(abandoned)
        os.kill(owner.pid, signal.SIGKILL)
        owner.communicate()
        assert os.path.isdir(abandoned)
        with scratch_folder() as own, scratch_folder() as other:
            assert not os.path.exists(abandoned)
            assert own.is_dir()
            assert other.is_dir()
    finally:
        owner.kill()
    assert not list(folders.glob(f"{PREFIX}*"))
