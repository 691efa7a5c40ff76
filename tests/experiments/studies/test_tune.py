"""Tuning: the file and its errors, trials that depend on nothing but the file, the front, and the command."""

import json
import sys
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from planbatch.experiments.studies.experiment_file import ExperimentFileError
from planbatch.experiments.studies.tune import tune
from planbatch.experiments.studies.tune_file import Range, read_tuning

pytest.importorskip("optuna")
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "tune.toml"
#: Orders with a threshold: no search, so a replay takes milliseconds.
QUICK = """
policy = "easy:{order}@{hours}h"
trials = 10
past = "0d:4d"
later = "4d:"

[workload]
source = "embedded"

[parameters]
order = ["sjf", "saf", "lxf"]
hours = { from = 1, to = 48, log = true }
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "quick.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_file_is_read(tmp_path):
    """Ends of a range that are whole numbers make whole numbers; goals and default have their defaults."""
    tuning = read_tuning(write(tmp_path, QUICK))
    assert tuning.parameters == {"order": ("sjf", "saf", "lxf"), "hours": Range(1, 48, True)}
    assert tuning.parameters["hours"].whole
    assert [goal.name for goal in tuning.goals] == ["mean-wait", "max-wait"]
    assert tuning.default == "easy"
    assert tuning.text({"order": "saf", "hours": 7}) == "easy:saf@7h"


def test_a_policy_of_the_users_own_is_compared_with_its_defaults(tmp_path):
    """Its name has a file before it, and its parameters behind it."""
    (tmp_path / "mine.py").write_text(
        "import planbatch as pb\n\n\ndef late(hours=2.0):\n    return pb.make_policy(f'easy:sjf@{hours}h')\n"
    )
    text = QUICK.replace("easy:{order}@{hours}h", "mine.py:late:hours={hours}")
    tuning = read_tuning(write(tmp_path, text.replace('order = ["sjf", "saf", "lxf"]\n', "")))
    assert tuning.default == f"{tmp_path / 'mine.py'}:late"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("trials = 10", "trails = 10", r"line 3: file has no key 'trails'.*trials"),
        ("trials = 10", "trials = 0", r"line 3: trials is 0, and should be 1 or more"),
        ('past = "0d:4d"', "", r"there is no past"),
        ("@{hours}h", "", r"line 12: \[parameters\] hours has no place \{hours\}"),
        ("@{hours}h", "@{days}d", r"line 2: \[parameters\] has no days"),
        ("to = 48", "to = 1", r"line 12: from is 1, and to, 1, is not above it"),
        ("from = 1", "from = 0", r"line 12: log: from is 0"),
        ('"sjf", "saf", "lxf"', '"sjf", "sfj"', r"line 11: .*sfj"),
        ('"sjf", "saf", "lxf"', '"sjf", "sfj", "lxf"', r"line 11: .*sfj"),
        ('["sjf", "saf", "lxf"]', '[\n"sjf",\n"sfj", "lxf"]', r"line 13: .*sfj"),
        ('"sjf", "saf", "lxf"', '"sfj"', r"line 2: .*sfj"),
        ("from = 1", 'from = "1h"', r"line 12: from and to are numbers"),
        ("from = 1,", "", r"line 12: .* is neither a list of choices nor"),
        ('4d:"\n', 'soon"\n', r"line 5: .*soon"),
        ('"4d:"\n', '["4d:", "2000-13-01:"]\n', r"line 5: .*there is no date 2000-13-01"),
        ('"0d:4d"', '"2000-02-30:"', r"line 4: .*there is no date 2000-02-30"),
        ("trials = 10", 'goals = "own.py:mean"', r"line 3: .*own.py"),
        ("trials = 10", 'goals = "mean-weight"', r"line 3: metric: .*mean-weight"),
    ],
)
def test_errors_name_line_and_key(tmp_path, old, new, message):
    assert old in QUICK
    with pytest.raises(ExperimentFileError, match=message):
        read_tuning(write(tmp_path, QUICK.replace(old, new)))


def test_spans_without_jobs_name_the_line(tmp_path):
    """What only the log can tell is reported with the line of the span, too."""
    tuning = read_tuning(write(tmp_path, QUICK.replace('"4d:"', '["4d:", "9000d:"]')))
    with pytest.raises(ValueError, match=r"quick.toml, line 5: .* within 9000d:; .* from 0 to 113 d"):
        tune(tuning)


def test_goals_of_ones_own_stand_beside_the_file(tmp_path, monkeypatch):
    """The path is relative to the TOML file, whatever the current folder."""
    (tmp_path / "own.py").write_text("def starts(jobs):\n    return jobs['start'].mean()\n", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    path = write(tmp_path, QUICK.replace("trials = 10", 'trials = 2\ngoals = "own.py:starts"'))
    monkeypatch.chdir(tmp_path / "elsewhere")
    tuned = tune(read_tuning(path))
    assert all(trial.values[0][0] > 0 for trial in tuned.trials)


#: Fails if its parameter is 2, and after five days if it is 3.
FRAGILE = """
import planbatch as pb

def fragile(problem, rng, k=1):
    if k == 2 or k == 3 and problem.now > 5 * 86400:
        raise RuntimeError(f"no plan for {k}")
    return pb.make_policy("easy:sjf" if k == 3 else "easy")(problem, rng)
"""


def fragile(folder: Path, choices: str) -> Path:
    """Write a search of the parameter of :data:`FRAGILE`."""
    (folder / "own.py").write_text(FRAGILE, encoding="utf-8")
    text = QUICK.replace("easy:{order}@{hours}h", "own.py:fragile:k={k}")
    text = text.replace('"4d:"', '"4d:8d"').replace("trials = 10", 'trials = 12\ndefault = "easy"\ngoals = "mean-wait"')
    return write(folder, text[: text.index("[parameters]")] + f"[parameters]\nk = {choices}\n")


def test_a_failing_replay_does_not_end_the_search(tmp_path):
    """A trial that raises is reported and does not count; one that fails later has no value there."""
    messages: list[str] = []
    tuned = tune(read_tuning(fragile(tmp_path, '["1", "2", "3"]')), notify=messages.append)
    assert len(tuned.trials) == 12
    by_name = {trial.policy.partition(":k=")[2]: trial for trial in tuned.trials}
    assert set(by_name) == {"1", "2", "3"}
    assert isnan(by_name["2"].values[0][0])
    assert by_name["2"].error == "no plan for 2"
    assert not by_name["1"].error
    assert any("failed: no plan for 2" in line for line in messages)
    assert all(row.policy.endswith(":k=3") for row in tuned.front)
    assert not isnan(tuned.front[0].values[0][0])
    assert isnan(tuned.front[0].values[1][0])
    assert any("k=3 failed on a later span: no plan for 3" in line for line in messages)


def test_if_all_trials_fail_that_is_the_error(tmp_path):
    tuning = read_tuning(fragile(tmp_path, '["2"]'))
    with pytest.raises(ValueError, match=r"all 12 trials failed; .*k=2: no plan for 2"):
        tune(tuning)


def test_the_command_prints_json(run, tmp_path):
    """One object: what the table has, and all trials; what failed is null."""
    path = fragile(tmp_path, '["1", "2", "3"]')
    code, out, _ = run("tune", path, "--jobs", 1, "--out", tmp_path / "out", "--json")
    assert code == 0
    output = json.loads(out)
    assert (output["past"], output["later"]) == ("0d:4d", ["4d:8d"])
    assert len(output["trials"]) == 12
    assert not output["interrupted"]
    assert output["baselines"][0]["values"]["4d:8d"]["mean-wait"] > 0
    failed = [row for row in output["trials"] if row["policy"].endswith("k=2")]
    assert failed[0]["values"] == {"0d:4d": {"mean-wait": None}}
    assert failed[0]["error"] == "no plan for 2"
    assert output["front"][0]["values"]["4d:8d"] == {"mean-wait": None}


@pytest.mark.integration
def test_processes_and_interrupts_change_nothing(tmp_path):
    """Two processes, or a folder that has half of the trials: the same trials, front and values."""
    tuning = read_tuning(write(tmp_path, QUICK))
    whole = tune(tuning)
    tune(replace(tuning, trials=8), out=tmp_path / "out")
    messages = []
    assert tune(tuning, jobs=2, out=tmp_path / "out", notify=messages.append) == whole
    assert any("in " in line and "already" in line for line in messages)
    assert len(whole.trials) == 10


def test_the_front_is_that_of_the_trials(tmp_path):
    """Brute force: a trial is on the front if no other is as good in both goals and better in one."""
    tuned = tune(read_tuning(write(tmp_path, QUICK)))
    past = {trial.policy: trial.values[0] for trial in tuned.trials}
    expected = {
        name
        for name, own in past.items()
        if not any(o[0] <= own[0] and o[1] <= own[1] and o != own for o in past.values())
    }
    assert {row.policy for row in tuned.front} == expected
    assert [row.values[0] for row in tuned.front] == [past[row.policy] for row in tuned.front]
    assert [row.policy for row in tuned.baselines] == ["easy"]
    assert all(len(row.values) == 2 for row in (*tuned.baselines, *tuned.front))


def test_deadlines_of_the_workload_count(tmp_path):
    """An order by deadlines schedules otherwise if every third job has one."""
    text = QUICK.replace('["sjf", "saf", "lxf"]', '["earliest-deadline"]')
    due = text.replace('"embedded"', '"embedded"\ndeadlines = "third:1h:1"')
    without, with_deadlines = (tune(read_tuning(write(tmp_path, one))) for one in (text, due))
    assert [one.policy for one in with_deadlines.trials[:8]] == [one.policy for one in without.trials[:8]]
    assert with_deadlines.trials[0].values != without.trials[0].values


def test_the_command_prints_and_draws(run, tmp_path):
    """Both spans have a column of each goal, and the picture is written."""
    code, out, _ = run("tune", write(tmp_path, QUICK), "--jobs", 1, "--out", tmp_path / "out")
    assert code == 0
    assert out.count("0d:4d") >= 2
    assert "easy:{order}@{hours}h, 10 trials" in out
    assert (tmp_path / "out" / "tune.png").stat().st_size > 0
    assert (tmp_path / "out" / "tune.svg").exists()


def test_the_example_runs():
    """As its first line says; here with two trials."""
    assert EXAMPLE.read_text(encoding="utf-8").startswith("# planbatch tune examples/tune.toml\n")
    tuned = tune(replace(read_tuning(EXAMPLE), trials=2))
    assert [row.policy for row in tuned.baselines] == ["easy", "plan-weighted-wait"]
    assert {row.policy for row in tuned.front} <= {row.policy for row in tuned.trials}
    assert all(row.policy.startswith("plan-weighted-wait:power=") for row in tuned.front)


def test_the_example_of_a_log_can_be_read(tmp_path, monkeypatch):
    log = tmp_path / "log.swf.gz"
    log.touch()
    monkeypatch.setattr("planbatch.experiments.workloads.load.cached_path", lambda _: log)
    tuning = read_tuning(EXAMPLE.with_name("tune_rollouts.toml"))
    assert (tuning.default, tuning.trials) == ("rollouts", 16)
    assert [metric.name for metric in tuning.goals] == ["mean-wait", "max-wait"]


def test_without_optuna_one_sentence_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ValueError, match=r"needs Optuna; .*planbatch\[tune\]"):
        tune(read_tuning(write(tmp_path, QUICK)))
