"""``planbatch replay`` and ``planbatch compare`` as people and programs use them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments import cli

ROOT = Path(__file__).resolve().parent.parent
LOG = """\
; MaxProcs: 4
1  0 -1  4  2 -1 -1  2  4 -1 1 1 1 -1 1 1 -1 -1
2  0 -1  3  4 -1 -1  4  3 -1 1 1 1 -1 1 1 -1 -1
3  0 -1  4  2 -1 -1  2  9 -1 1 1 1 -1 1 1 -1 -1
4  1 -1  4  8 -1 -1  8  4 -1 1 1 1 -1 1 1 -1 -1
"""
KEYS = [
    "policy", "jobs", "mean_wait", "max_wait", "mean_bounded_slowdown", "mean_stretch", "makespan",
    "utilisation", "rounds", "seconds",
]  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "four.swf"
    path.write_text(LOG)
    return path


@pytest.fixture
def planbatch(monkeypatch, capsys):
    """Run the command in this process; return exit code, standard output and standard error."""

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["planbatch", *map(str, words)])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        told = capsys.readouterr()
        return exit_.value.code, told.out, told.err

    return run


def test_replay_as_json(planbatch, log):
    """Standard output holds one object with the keys that programs rely on, and nothing else."""
    code, out, err = planbatch("replay", log, "--policy", "fcfs", "--policy", "easy", "--json")
    assert (code, err) == (0, "")
    described = json.loads(out)
    assert list(described) == ["workload", "capacity", "jobs", "dropped", "results"]
    assert described["capacity"] == 4
    assert described["jobs"] == 3
    assert described["dropped"] == {"larger than the machine": 1}
    assert [list(result) for result in described["results"]] == [KEYS, KEYS]
    fcfs, easy = described["results"]
    assert (fcfs["policy"], fcfs["mean_wait"], fcfs["max_wait"], fcfs["makespan"]) == (
        "fcfs", 11 / 3, 7, 11
    )  # fmt: skip
    assert easy["mean_wait"] == 11 / 3


def test_estimates_are_passed_on(planbatch, log):
    """With perfect estimates, EASY lets job 3 go first."""
    words = ("replay", log, "--policy", "easy", "--json", "--estimates", "actual")
    assert json.loads(planbatch(*words)[1])["results"][0]["mean_wait"] == 4 / 3


def test_starts_of_one_policy(planbatch, log, tmp_path):
    """One file with the name that was given; the traces are checked."""
    target = tmp_path / "new" / "starts.csv"
    code, _, err = planbatch("replay", log, "--policy", "fcfs", "--starts", target, "--check")
    assert code == 0
    assert "fcfs: checked, no fault found" in err
    assert target.read_text() == "id,submit,start,end\n1,0,0,4\n2,0,4,7\n3,0,7,11\n"


def test_starts_of_several_policies(planbatch, log, tmp_path):
    """One file each, with the policy in its name."""
    names = ("fcfs", "conservative", "easy:smallest")
    words = [word for name in names for word in ("--policy", name)]
    code, _, err = planbatch("replay", log, *words, "--starts", tmp_path / "s.csv", "--check")
    assert code == 0
    assert "conservative: checked, no fault found" in err
    files = {path.name for path in tmp_path.glob("*.csv")}
    assert files == {"s-fcfs.csv", "s-conservative.csv", "s-easy-smallest.csv"}


def test_replay_for_people(planbatch, log):
    """A table with the names of the policies."""
    code, out, _ = planbatch("replay", log, "--policy", "replanned")
    assert code == 0
    assert "replanned" in out
    assert "3 jobs, 4 processors" in out


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("replay", "LOG", "--policy", "esay"), "did you mean easy?"),
        (("replay", "LOG"), "name at least one"),
        (("replay", "nowhere.swf", "--policy", "easy"), "no such file"),
        (("replay", "LOG", "--policy", "easy", "--seed", "-1"), "seed: -1"),
        (("replay", "LOG", "--policy", "plan-wait", "--evaluations", "-1"), "evaluations"),
        (("replay", "LOG", "--policy", "easy", "--estimates", "none"), "estimates"),
        (("compare", "LOG", "--policy", "fcsf"), "did you mean fcfs?"),
        (("compare", "--evaluations", "1", "--seconds", "1"), "either"),
        (("compare", "--jobs", "0"), "jobs"),
        (("campare",), "Did you mean compare?"),
    ],
)
def test_mistakes_are_told_in_one_sentence(planbatch, log, words, hint):
    """Exit code 2, nothing on standard output, no traceback."""
    code, out, err = planbatch(*(log if word == "LOG" else word for word in words))
    assert (code, out) == (2, "")
    assert hint in err
    assert err.startswith("planbatch: ")
    assert err.count("\n") == 1


def test_compare_for_people_and_programs(planbatch, log, tmp_path):
    """A table with the change against EASY; an object with every figure; files in the folder."""
    words = ("compare", log, "--policy", "fcfs", "--policy", "easy", "--jobs", 1, "--out", tmp_path)
    code, out, err = planbatch(*words)
    assert code == 0
    assert "change" in out
    assert f"written to {tmp_path}" in err
    assert (tmp_path / "comparison.csv").read_text().startswith("policy,jobs,mean_wait,")
    described = json.loads(planbatch(*words, "--json")[1])
    assert [result["policy"] for result in described["results"]] == ["fcfs", "easy"]
    assert set(KEYS) < set(described["results"][0])
    assert described["unfinished"] == []


#: Runs the command, and tells how far every replay has come.
TELLING = """
import sys
from experiments.cli import main
from experiments.replay_progress import ReplayProgress
def tell(self, place, count):
    print(place, count, file=sys.stderr, flush=True)
ReplayProgress.__call__ = tell
main()
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_keeps_what_is_finished(jobs, tmp_path):
    """Ctrl-C during a search that would take for ever: the table of EASY, and exit code 130."""
    words = ["--policy", "easy", "--policy", "plan-wait", "--evaluations", "1000000000"]
    words += ["--jobs", str(jobs), "--out", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-c", TELLING, "compare", "--first", "300", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
        # A shell may have told the tests to ignore interrupts, which new processes inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if line == "0 300\n":
                break
        time.sleep(2)  # for the result of EASY to arrive from another process
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "easy" in out
    assert "plan-wait" not in out
    assert "planbatch: interrupted; not finished: plan-wait" in err
    assert "Traceback" not in err
    assert (tmp_path / "comparison.csv").read_text().count("\n") == 2
