"""The driver's configuration, and the files that a site installs."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from contextlib import nullcontext

import pytest

from planbatch.experiments.cli.slurm.config import check_owner, check_trusted, flags_of
from planbatch.experiments.cli.slurm.config import read_settings as read_settings_with
from planbatch.experiments.cli.slurm.drive import command as drive
from planbatch.experiments.cli.slurm.files import SITE_FILES, site_file
from planbatch.experiments.live.slurm.heartbeat import beat
from planbatch.experiments.live.slurm.marks import DriveRules
from planbatch.planner.registry import source


def read_settings(path):
    return read_settings_with(path, flags_of(drive))


@pytest.fixture
def config(tmp_path):
    """Write a configuration that only its owner may write; return its path."""
    tmp_path.chmod(0o755)

    def write(text: str, mode: int = 0o644):
        path = tmp_path / "planbatch.toml"
        path.write_text(text)
        path.chmod(mode)
        return path

    return write


def test_a_configuration_is_read(config):
    """A text is one value of a flag that takes several."""
    path = config('mode = "strict"\npromise = "2x"\npartition = ["main"]\nmetrics = 9478\nadopt = true\n')
    assert read_settings(path) == {
        "mode": "strict", "promise": ["2x"], "partition": ["main"], "metrics": 9478, "adopt": True}  # fmt: skip


def test_a_file_that_others_may_write_or_replace_is_refused(config):
    path = config("")
    path.chmod(0o664)
    with pytest.raises(ValueError, match="chmod go-w"):
        read_settings(path)
    path.chmod(0o644)
    path.parent.chmod(0o777)
    with pytest.raises(ValueError, match="others than its owner may write it"):
        read_settings(path)
    path.parent.chmod(0o1777)
    assert read_settings(path) == {}


def test_a_policy_that_others_could_have_written_is_not_run(config, run, tmp_path):
    """Finding 7: the file, its folder or a folder above; nothing of it is executed, by name or in a plan."""
    folder = tmp_path / "srv" / "x"
    folder.mkdir(parents=True)
    code = folder / "pol.py"
    code.write_text(
        f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\ndef decide(problem, rng): pass\n"
    )
    path = config(f'policy = "{code}:decide"\nstate = "{tmp_path}/state"\n')
    words = ("slurm", "drive", "--config", path, "--from", tmp_path / "none", "--ticks", "1",
             "--journal", tmp_path / "journal.jsonl")  # fmt: skip
    for place, mode in ((code, 0o666), (code, 0o664), (folder, 0o777), (folder.parent, 0o777)):
        before = place.stat().st_mode
        place.chmod(mode)
        status, _, error = run(*words)
        assert (status, "others than its owner may write it" in error) == (2, True)
        assert not (tmp_path / "ran").exists()
        place.chmod(before)
    run(*words)
    assert (tmp_path / "ran").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("named", ["policy", "optimizer", "experiment"])
def test_code_of_another_user_is_not_run_by_a_driver(config, run, tmp_path, monkeypatch, named):
    """Nor, in a process that checks files as drivers do, what an experiment names."""
    code = tmp_path / "mine.py"
    code.write_text(f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n")
    os.chown(code, 1001, 1001)
    if named == "experiment":
        path = tmp_path / "experiment.toml"
        path.write_text(f'[[workload]]\nsource = "embedded"\n\n[[policy]]\nname = "{code}:mine"\n')
        monkeypatch.setattr(source, "check_file", check_trusted)
        words = ("experiment", "run", path, "--out", tmp_path / "out")
    else:
        path = config(f'{named} = "{code}:mine"\n')
        words = ("slurm", "drive", "--config", path, "--journal", tmp_path / "journal.jsonl")
    status, _, error = run(*words)
    assert (status, "it belongs to user 1001" in error) == (2, True)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(("owner", "mode", "words"), [
    (0, 0o644, ""), (1000, 0o600, ""), (1001, 0o600, "belongs to user 1001"), (1000, 0o664, "chmod go-w"),
    (0, 0o646, "chmod go-w"),
])  # fmt: skip
def test_whose_files_are_trusted(tmp_path, owner, mode, words):
    """Root's and the driver's own, who is 1000, if nobody else may write them."""
    with pytest.raises(ValueError, match=words) if words else nullcontext():
        check_owner(tmp_path, owner, mode, 1000)


@pytest.mark.parametrize(("text", "words"), [
    ('mode = "soft"\nmodus = "x"\n', r"line 2: modus: there is no such key; did you mean mode?"),
    ("seed = true\n", "line 1: seed: True is not a whole number"),
    ("partition = [1]\n", "is not a list of texts"), ('partition = ["main", 1]\n', "is not a list of texts"),
    ("every = 5\n", "line 1: every: 5 is not a text"), ("every = \n", "not a TOML file"),
])  # fmt: skip
def test_mistakes_name_the_line(config, text, words):
    with pytest.raises(ValueError, match=words):
        read_settings(config(text))


def test_a_file_that_is_not_there_is_reported(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such configuration file"):
        read_settings(tmp_path / "absent.toml")


def test_flags_go_before_the_file(config, run, tmp_path):
    """The file says one tick, and a folder that cannot be one: the flag's folder is taken."""
    (tmp_path / "file").touch()
    path = config(f'mode = "soft"\nstate = "{tmp_path}/file/x"\njournal = "j.jsonl"\nevery = "1s"\n')
    words = ("slurm", "drive", "--config", path, "--ticks", 1, "--conf", tmp_path / "absent")
    code, _, error = run(*words, "--state", tmp_path / "state")
    assert code == 1  # its only tick failed
    assert "there is no such Slurm configuration; nothing was done" in error
    assert (tmp_path / "j.jsonl").is_file()
    code, _, error = run(*words)
    assert code == 2
    assert "file/x" in error


KEYS = {
    "mode", "as", "policy", "optimizer", "evaluations", "seconds", "promise", "calendar", "seed", "every", "poll",
    "grace", "horizon", "on-exit", "adopt", "share", "noplan", "guard", "idle-ticks", "state", "journal", "private",
    "metrics", "conf", "timeout", "partition", "unit", "slack", "default-limit", "tasks", "count-memory",
}  # fmt: skip


def test_the_flags_are_the_keys_of_the_file():
    assert set(flags_of(drive)) >= KEYS
    assert not set(flags_of(drive)) & {"config", "from", "ticks", "json", "quiet", "verbose", "help"}


@pytest.mark.parametrize("words", [(), ("--promise", "1h")])
@pytest.mark.parametrize("shipped", [False, True])
def test_every_job_is_promised_a_start_by_default(config, tmp_path, words, shipped):
    """Finding 5, with the configuration that is installed and without any."""
    text = site_file("planbatch.toml", tmp_path, 60, DriveRules(partitions=("main",)))
    flags = ("--config", str(config(text))) if shipped else ()
    context = drive.make_context("drive", [*flags, *words])
    assert context.params["promises"] == (words[1:] or ("2x",))
    assert context.params["guard"] == "0.05x"
    assert context.params["partitions"] == (("main",) if shipped else ())


# What a site installs


@pytest.mark.parametrize("name", SITE_FILES)
def test_files_are_filled_in(name, tmp_path):
    text = site_file(name, tmp_path, 60, DriveRules(partitions=("main", "gpu-a")))
    assert not re.search(r"@[A-Z_]+@", text)
    assert len(text) > 100
    if name.endswith(".toml"):
        assert tomllib.loads(text)["partition"] == ["main", "gpu-a"]
    if name.endswith(".service"):  # it calls the environment that it was made from
        (program,) = set(re.findall(r"^Exec\w+=(\S+) slurm", text, re.MULTILINE))
        assert program == f"{sys.prefix}/bin/planbatch"
        assert os.access(program, os.X_OK)


@pytest.mark.parametrize(("state", "partitions"), [
    ('/run/x"..os.execute("id").."', ()), ("relative", ()), ("/run/x\n", ()), ("/run/x", ('a"] = true, os.exit() --',)),
])  # fmt: skip
def test_no_text_gets_into_the_script_that_could_be_code(tmp_path, state, partitions):
    with pytest.raises(ValueError):
        site_file("job_submit.lua", type(tmp_path)(state), 60, DriveRules(partitions=partitions))


def test_the_files_are_written(run, tmp_path):
    words = ("--out", tmp_path / "site", "--state", "/run/planbatch", "--partition", "main", "--noplan", "*")
    code, out, error = run("slurm", "files", *words, "--json")
    assert code == 0
    assert {path.name for path in (tmp_path / "site").iterdir()} == set(SITE_FILES)
    assert len(json.loads(out)["files"]) == len(SITE_FILES)
    script = (tmp_path / "site" / "job_submit.lua").read_text()
    assert 'local PARTITIONS = {["main"] = true}' in script
    assert 'local NOPLAN = {["*"] = true}' in script
    assert "beside slurm.conf" in error


def test_the_release_is_left_if_the_driver_was_heard_of(run, tmp_path):
    beat(tmp_path / "heartbeat", time.time())
    words = ("slurm", "release-all", "--state", tmp_path, "--conf", tmp_path / "no")
    code, _, error = run(*words, "--silent-for", "60s")
    assert (code, "nothing was done" in error) == (0, True)
    assert os.path.exists(tmp_path / "heartbeat")
    code, _, error = run(*words)
    assert (code, "there is no such Slurm configuration" in error) == (1, True)
    assert not os.path.exists(tmp_path / "heartbeat")


def test_a_dry_run_needs_no_folder_of_the_drivers(run, tmp_path):
    """Nobody but the driver's user may write it; here it cannot even be made."""
    (tmp_path / "file").touch()
    flags = ("--state", tmp_path / "file" / "state", "--journal", tmp_path / "journal.jsonl")
    words = ("--conf", tmp_path / "none", "--ticks", "1", "--policy", "fcfs")
    code, _, error = run("slurm", "drive", "--mode", "dry-run", *flags, *words)
    assert (code, "there is no such Slurm configuration" in error) == (1, True)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_finds_nothing_wrong_with_the_units(run, tmp_path):
    run("slurm", "files", "--partition", "main", "--out", tmp_path)
    units = sorted([*tmp_path.glob("*.service"), *tmp_path.glob("*.timer")])
    verified = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert len(units) == 3
    assert (verified.returncode, verified.stderr) == (0, "")
