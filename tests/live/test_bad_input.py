"""Bad input, verb by verb: one sentence, nothing is sent, and the next tick is tried again.

Slurm's programs are played by scripts. The queue has two jobs that could start at once: with a begin time ahead, which
a driver in strict mode would release, or without a mark, which one in soft mode would tell to begin.
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from planbatch.experiments.live.slurm.heartbeat import beat
from tests.live.dialects import generated
from tests.live.test_client import SCONTROL

pytestmark = pytest.mark.integration

#: What goes wrong → what squeue does when it is asked for jobs, and words of the sentence.
FAULTS = {
    "unreachable": (
        "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1",
        "squeue: slurm_load_jobs error: Unable to contact slurm controller",
    ),
    "unreachable, and yet it ends well": (
        """echo '{"jobs": [], "errors": [{"description": "Failed", "source": "slurm_load_jobs"}]}'; exit 0""",
        "squeue: Failed; slurm_load_jobs (is the controller up, and munge?)",
    ),
    "no rights": (
        "echo 'slurm_load_jobs error: Access/permission denied' >&2; exit 1",
        "squeue: slurm_load_jobs error: Access/permission denied",
    ),
    "cut off": ('head -c 3000 "$here/squeue.json"; exit 0', "squeue: its JSON is cut off or damaged"),
    "without jobs": ("echo '{}'; exit 0", "squeue: its JSON has no list 'jobs'"),
    "a field that is none": ("""echo '{"jobs": [{"job_id": "soon"}]}'; exit 0""", "squeue: jobs[0] (soon):"),
    "hang": ("sleep 60; exit 0", "squeue: no answer within 0.5 s; it was ended"),
}
#: Lists other than that of the jobs.
OTHERS = {
    "nodes cut off": ("sinfo", 'head -c 900 "$here/sinfo.json"; exit 0', "sinfo: its JSON is cut off"),
    "nodes away": ("sinfo", "echo 'Unable to contact slurm controller' >&2; exit 1", "sinfo: Unable to contact"),
    "partitions away": (
        "scontrol", '[ "$4" = partition ] && { echo "Access/permission denied" >&2; exit 1; }',
        "scontrol: Access/permission"),
    "reservations away": (
        "scontrol", '[ "$4" = reservations ] && { echo "Unable to contact slurm controller" >&2; exit 1; }',
        "scontrol: Unable to contact"),
}  # fmt: skip
DRIVES = {
    "dry-run as soft": ("drive", "--mode", "dry-run", "--as", "soft"),
    "dry-run as strict": ("drive", "--mode", "dry-run", "--as", "strict"),
    "soft": ("drive", "--mode", "soft"),
    "strict": ("drive", "--mode", "strict"),
    "strict, kept": ("drive", "--mode", "strict", "--on-exit", "keep"),
}
ONCE = {
    "observe": ("observe",),
    "release-all": ("release-all",),
    "release-all, shown": ("release-all", "--dry-run"),
    "watchdog": ("release-all", "--silent-for", "10s"),
}
TICKING = {"advise": ("advise", "--out", "live", "--evaluations", "5"), **DRIVES}


def pairs(names, faults, every: int = 3) -> list[tuple[str, str]]:
    """Pair verbs with faults: all read in one way, so that a third of the pairs has each verb and each fault."""
    faults = list(faults)
    return [(n, f) for i, n in enumerate(names) for j, f in enumerate(faults) if (i + j) % every == 0]


class Played:
    """Slurm's programs as scripts in a folder, and what ``scontrol`` was told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        for name in ("squeue", "sinfo", "scontrol"):
            self.fail(name, "")

    @property
    def sent(self) -> list[str]:
        """The lines that ``scontrol`` got, without markers."""
        path = self.folder / "sent"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line for line in lines if line.startswith("update")]

    def queue(self, mode: str) -> None:
        """Eight idle nodes, and two jobs that wait: with a begin time ahead and a mark, or plain."""
        jobs, nodes = generated(2, 8)
        jobs["jobs"] = [row for row in jobs["jobs"] if row["job_state"] == "PENDING"]
        for row in jobs["jobs"]:
            begin = int(time.time()) + 600
            row.update(priority=9, state_reason="Priority", admin_comment="", comment="")
            if mode == "strict":
                row.update(eligible_time=begin, admin_comment=f"planbatch:asked=0:begin={begin}")
        for row in nodes["nodes"]:
            row["state"] = "idle"
        for name, data in (("squeue", jobs), ("sinfo", nodes)):
            (self.folder / f"{name}.json").write_text(json.dumps(data))

    def fail(self, name: str, body: str, times: int = 1000, version: str = "22.05.8") -> None:
        """Let a program do ``body`` for so many times when it is asked for something, and answer well from then on."""
        plain = {
            "squeue": 'cat "$here/squeue.json"',
            "sinfo": 'cat "$here/sinfo.json"',
            "scontrol": f'[ $# = 0 ] || exit 0\ntee -a "$here/sent" | {{ {SCONTROL}\n}}',
        }
        script = self.folder / name
        script.write_text(
            f'#!/bin/bash\nhere="{self.folder}"\n'
            f'[ "$1" = --version ] && {{ echo slurm-wlm {version}; exit 0; }}\n'
            f'echo x >> "$here/{name}.asked"\n'
            f'if [ $(wc -l < "$here/{name}.asked") -le {times} ]; then :; {body}\nfi\n{plain[name]}\n'
        )
        script.chmod(0o755)


@pytest.fixture
def played(tmp_path, monkeypatch) -> Played:
    """Slurm's programs as scripts, on the path."""
    monkeypatch.setenv("PATH", f"{tmp_path}/programs:/usr/bin:/bin")
    monkeypatch.delenv("SLURM_CONF", raising=False)
    return Played(tmp_path / "programs")


@pytest.fixture
def verb(run, tmp_path) -> Callable[..., tuple[int, str]]:
    """Run a verb for some ticks; its exit code, and all that it says, on one line."""

    def call(name: str, ticks: int = 2) -> tuple[int, str]:
        words = list({**ONCE, **TICKING}[name])
        words += ["--timeout", "0.5s"]
        if name in TICKING:
            words += ["--every", "0.1s", "--ticks", str(ticks)]
        if name in DRIVES:
            words += ["--journal", "journal.jsonl", "--policy", "fcfs"]
        if name != "observe" and name != "advise":
            words += ["--state", str(tmp_path / "state")]
        code, out, err = run("slurm", *words)
        assert "Traceback" not in out + err
        return code, " ".join((out + err).split())

    return call


def mode_of(name: str) -> str:
    """Whose jobs are in the queue."""
    return "soft" if "soft" in name or name in ("observe", "advise") else "strict"


@pytest.mark.parametrize(("name", "fault"), pairs([*ONCE, *TICKING], FAULTS))
def test_nothing_is_done_and_one_sentence_says_why(played, verb, name, fault):
    """The heart of a driver in trouble beats on or stops, but nothing is released, not even at its end."""
    played.queue(mode_of(name))
    body, words = FAULTS[fault]
    played.fail("squeue", body)
    code, error = verb(name)
    assert played.sent == []
    assert words in error
    assert "given back to Slurm" not in error.replace("not every job could be given back to Slurm", "")
    assert code == (2 if name == "observe" else 1)


@pytest.mark.parametrize(("name", "fault"), pairs([*ONCE, *TICKING], OTHERS))
def test_a_list_that_fails_fails_the_tick(played, verb, name, fault):
    """Nodes, partitions, reservations: half a snapshot is none."""
    played.queue(mode_of(name))
    program, body, words = OTHERS[fault]
    played.fail(program, body)
    code, error = verb(name)
    assert (played.sent, code) == ([], 2 if name == "observe" else 1)
    assert words in error


@pytest.mark.parametrize(("name", "fault"), pairs(TICKING, [fault for fault in FAULTS if fault != "hang"]))
def test_the_next_tick_is_tried_again(played, verb, name, fault):
    """One tick fails, the second one plans, and does what is due.

    This queue stands still whatever it is told, so in strict mode the end finds the jobs still marked, and says so.
    """
    played.queue(mode_of(name))
    body, words = FAULTS[fault]
    played.fail("squeue", body, times=1)
    code, error = verb(name)
    assert (code, words in error) == (int(name == "strict"), True)
    due = "update JobId=100000 StartTime=uts"
    expected = {"advise": "plan of plan-wait"}.get(name, due)
    if name in ("soft", "strict", "strict, kept"):
        assert any(line.startswith(due) for line in played.sent)
    else:
        assert (expected in error, played.sent) == (True, [])


def test_a_driver_without_rights_says_what_is_left(played, verb):
    """Slurm lets it read, but refuses every line: the end is no success, and says so."""
    played.queue("strict")
    refused = "while read -r line; do case $line in quit) exit 0;; planbatch*) echo \"invalid keyword: $line\" >&2;;" \
              " *) echo 'Access/permission denied for job 100000' >&2;; esac; done"  # fmt: skip
    played.fail("scontrol", f"[ $# = 0 ] && {{ {refused}; }}")
    code, error = verb("strict")
    assert code == 1
    assert "Access/permission denied for job 100000" in error
    assert "not every job could be given back to Slurm; try planbatch slurm release-all" in error
    code, error = verb("release-all")
    assert (code, "some jobs could not be returned" in error) == (1, True)


def test_release_all_gives_everything_back_when_slurm_answers(played, verb):
    """The controller is away for two attempts; after the third, as far as this queue stands still, nothing changes."""
    played.queue("strict")
    played.fail("squeue", FAULTS["unreachable"][0], times=2)
    verb("release-all")
    numbers = {line.split()[1] for line in played.sent if "planbatch:free" in line}
    assert numbers == {"JobId=100000", "JobId=100001"}


def test_a_heartbeat_that_may_not_be_read_releases_nothing(played, verb, tmp_path, monkeypatch):
    """Nobody knows whether the driver is alive."""
    played.queue("strict")
    (tmp_path / "state").mkdir()
    beat(tmp_path / "state" / "heartbeat", 0)
    access = os.access

    def mine(path, mode, **more):
        return not str(path).endswith("/heartbeat") and access(path, mode, **more)

    monkeypatch.setattr(os, "access", mine)
    code, error = verb("watchdog")
    assert (code, played.sent) == (2, [])
    assert "heartbeat may not be read here" in error
