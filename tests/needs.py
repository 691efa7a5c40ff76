"""What tests need from the machine: skipped if it is not there, failed if it should be."""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

#: Programs of a controller, of nodes, of a client, and of munge.
SLURM = ("slurmctld", "slurmd", "squeue", "scontrol", "munged", "mungekey")
#: Programs of Slurm's accounts.
SLURM_ACCOUNTS = ("slurmdbd", "sacctmgr", "mariadbd", "mariadb-install-db")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def log_in(folder: Path, name: str) -> Path:
    """Give the path of a real log; without the folder the test is skipped, without the log in it it fails."""
    if not folder.is_dir():
        pytest.skip(f"needs real logs: there is no {folder}; set PLANBATCH_WORKLOADS to a folder of logs")
    path = folder / f"{name}.swf.gz"
    if not path.is_file():
        pytest.fail(f"{folder} lacks the log {path.name}; get it with: planbatch workload fetch {name}")
    return path


def browser_and_driver() -> tuple[str, str]:
    """Give the paths of a browser and its driver; without them the test is skipped, or fails in CI.

    CI (``CI=true``) installs them where that is possible, so there they are missing only by mistake.
    """
    browser, driver = (next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("chromedriver"))
    if not (browser and driver):
        _missing("needs a browser: apt-get install chromium chromium-driver")
    return browser, driver


def slurm() -> None:
    """Go on if a Slurm cluster can be started here; without its packages the test is skipped, or fails in CI.

    Emulated nodes need root, since each runs jobs of several users.
    """
    if os.geteuid() != 0:
        pytest.skip("needs root: a controller and nodes are started")
    if not all(map(shutil.which, SLURM)):
        _missing("needs Slurm: apt-get install slurmctld slurmd slurm-client munge")


def slurm_accounts() -> None:
    """Go on if slurmdbd and its database can be started; else the test is skipped, or fails in CI."""
    if not all(map(shutil.which, SLURM_ACCOUNTS)):
        _missing("needs Slurm's accounts: apt-get install slurmdbd mariadb-server")


def _missing(what: str) -> NoReturn:
    """Fail in CI if it could have been installed; skip elsewhere."""
    if os.environ.get("CI") == "true" and shutil.which("apt-get") and os.geteuid() == 0:
        pytest.fail(what)
    pytest.skip(what)
