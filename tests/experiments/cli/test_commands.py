"""``planbatch replay`` and ``planbatch compare`` as people and programs use them."""

import csv
import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from planbatch.experiments.cli import main as cli
from planbatch.experiments.replay import replay as replay_module
from planbatch.planner.budget import DEFAULT_EVALUATIONS
from tests.experiments.studies.grids import environment

#: All verbs.
VERBS = [verb for group in cli.VERBS.values() for verb in group]

#: id, submit, wait, run, allocated, …, requested procs, requested time; the last two lines are of no use.
LOG = """\
; MaxProcs: 4
1   0 -1  3 2 -1 -1  2  3 -1 1 1 1 -1 1 1 -1 -1
2   0 -1  2 3 -1 -1  3  2 -1 1 1 1 -1 1 1 -1 -1
3   0 -1  1 1 -1 -1  1  1 -1 1 1 1 -1 1 1 -1 -1
4   5 -1  9 4 -1 -1  4 20 -1 1 1 1 -1 1 1 -1 -1
5   6 -1  9 9 -1 -1  9 20 -1 1 1 1 -1 1 1 -1 -1
6   7 -1 -1 1 -1 -1  1 20 -1 1 1 1 -1 1 1 -1 -1
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Give a log of four usable jobs."""
    path = tmp_path / "tiny.swf"
    path.write_text(LOG)
    return path


def test_replay_writes_one_json_object_with_the_agreed_keys(run, log):
    """The keys are those that other programs rely on, in their order; the numbers are by hand.

    ::

        fcfs   4 |. . . 3 4          easy   4 |3 . . . . 4
               3 |. . . 2 2 4               3 |. . . 2 2 4
               2 |1 1 1 2 2 4               2 |1 1 1 2 2 4
               1 |1 1 1 2 2 4               1 |1 1 1 2 2 4

    (job 4 takes the whole machine, from 5 until 14)
    """
    code, out, _ = run("replay", log, "--policy", "fcfs", "--policy", "easy", "--json")
    output = json.loads(out)
    assert code == 0
    assert out.count("\n") == 1
    assert list(output) == ["workload", "capacity", "jobs", "dropped", "results"]
    assert (output["workload"], output["capacity"], output["jobs"]) == ("tiny", 4, 4)
    assert sum(output["dropped"].values()) == 2
    keys = [
        "policy", "jobs", "mean_wait", "max_wait", "mean_bounded_slowdown", "mean_stretch",
        "makespan", "utilisation", "rounds", "seconds",
    ]  # fmt: skip
    assert [list(result) for result in output["results"]] == [keys, keys]
    fcfs, easy = output["results"]
    assert [fcfs[key] for key in [*keys[:4], "makespan"]] == ["fcfs", 4, 1.5, 3, 14]
    assert [easy[key] for key in [*keys[:4], "makespan"]] == ["easy", 4, 0.75, 3, 14]
    assert easy["mean_bounded_slowdown"] == 1.0
    assert easy["mean_stretch"] == (1 + 2.5 + 1 + 1) / 4
    assert fcfs["mean_stretch"] == (1 + 2.5 + 4 + 1) / 4
    assert easy["utilisation"] == (6 + 6 + 1 + 36) / (4 * 14)


def test_replay_writes_starts_as_csv(run, log, tmp_path):
    code, out, err = run("replay", log, "--policy", "fcfs", "--starts", tmp_path / "new" / "starts.csv", "--json")
    assert code == 0
    assert json.loads(out)["jobs"] == 4
    assert "starts of 4 jobs written to" in err
    assert (tmp_path / "new" / "starts.csv").read_text().splitlines() == [
        "id,submit,start,end",
        "1,0,0,3",
        "2,0,3,5",
        "3,0,3,4",
        "4,5,5,14",
    ]


def test_replay_writes_starts_of_several_policies(run, log, tmp_path):
    """Into one file each, with the policy in its name."""
    words = ["--policy", "fcfs", "--policy", "easy:shortest", "--starts", tmp_path / "s.csv"]
    assert run("replay", log, *words)[0] == 0
    assert {path.name for path in tmp_path.glob("*.csv")} == {"s-fcfs.csv", "s-easy-shortest.csv"}
    rows = csv.DictReader((tmp_path / "s-easy-shortest.csv").read_text().splitlines())
    assert [row["start"] for row in rows] == ["2", "0", "0", "5"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["replay", "--policy", "easy", "--starts", "file/s.csv"], "starts: file is a file, not a folder"),
        (["compare", "--out", "file/deep/out"], "out: file is a file, not a folder"),
        (["rounds", "capture", "--out", "file/out"], "out: file is a file, not a folder"),
    ],
)
def test_results_that_could_not_be_written_are_refused_at_once(run, log, tmp_path, monkeypatch, words, message):
    """Before anything is replayed, and nothing is made."""
    monkeypatch.setattr(replay_module, "rounds_of", None)
    (tmp_path / "file").touch()
    verb = words[: 2 if words[0] == "rounds" else 1]
    code, out, err = run(*verb, log, *words[len(verb) :])
    assert (code, out) == (2, "")
    assert err == f"planbatch: {message}\n" or err.startswith(f"planbatch: {message};")
    assert {path.name for path in tmp_path.iterdir()} == {"file", "tiny.swf"}


def test_a_folder_that_must_not_be_written_to_is_refused_at_once(run, log, tmp_path, monkeypatch):
    monkeypatch.setattr("planbatch.experiments.common.paths.os.access", lambda path, mode: False)
    code, out, err = run("compare", log, "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert err == f"planbatch: out: {tmp_path} is not writable; choose another folder\n"


@pytest.mark.parametrize("verb", ["replay", "compare"])
def test_what_was_left_out_is_below_the_table(run, log, verb):
    """Two of six lines, each with its reason; the table has the policy and its figures."""
    code, out, err = run(verb, log, "--policy", "fcfs")
    assert code == 0
    assert "tiny: 4 jobs, 4 processors, requested estimates" in out
    assert "fcfs" in out
    assert "left out: 1 negative run time, 1 larger than the machine" in out
    assert verb == "compare" or err == ""


def test_tables_are_whole_in_pipes(run, log):
    """However long a name is, no cell is cut."""
    name = "plan-weighted-wait:power=1.5,area=0.25,age=0.3,size=0.125,length=0.0625,evaluations=3,scenarios=2"
    code, out, _ = run("compare", log, "--policy", "easy", "--policy", name, "--seeds", 2, "--no-out")
    assert code == 0
    assert name in out
    assert "…" not in out.replace(" … ", "")


@pytest.mark.parametrize("verb", ["replay", "compare"])
def test_walltimes_that_are_not_known_are_named(run, log, verb):
    """At the head of the table and in JSON; nothing is said of logs that have them all."""
    assert "walltimes" not in run(verb, log, "--policy", "fcfs")[1]
    log.write_text(log.read_text().replace("  2  3 -1", "  2 -1 -1").replace("  4 20 -1", "  4 -1 -1"))
    code, out, _ = run(verb, log, "--policy", "fcfs")
    assert code == 0
    assert "walltimes: 2 of 4 jobs have none, their run times stand in" in out
    output = json.loads(run(verb, log, "--policy", "fcfs", "--json")[1])
    assert output["walltimes"] == "2 of 4 jobs have none, their run times stand in"


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        (["--policy", "edf"], "edf"),
        (["--policy", "easy:earliest-deadline"], "easy:earliest-deadline"),
        (["--policy", "dbf", "--policy", "easy"], "dbf"),
        (["--policy", "plan-tardiness", "--policy", "plan-wait"], "plan-tardiness"),
        (["--policy", "plan-wait", "--promise", "deadline"], "promise deadline"),
        (["--policy", "plan-wait", "--policy", "easy"], None),
        (["--policy", "edf", "--deadlines", "random:100"], None),
        (["--policy", "edf", "--deadlines", "none"], "edf"),
    ],
)
def test_policies_for_deadlines_warn_if_no_job_has_one(run, log, words, warned):
    """They run all the same, and look like results."""
    code, _, err = run("replay", log, *words)
    assert code == 0
    expected = f"warning: no job has a deadline, which {warned} needs; give some with --deadlines\n"
    warnings = [line for line in err.splitlines(keepends=True) if line.startswith("warning")]
    assert warnings == ([expected] if warned else [])


@pytest.mark.parametrize("estimates", ["requested", "actual", "mixed"])
def test_replay_checks_traces(run, log, estimates):
    """Reservations as well, of the policies that keep them by those estimates."""
    words = "--policy fcfs --policy easy --policy conservative --policy plan-wait --check --json"
    code, _, err = run("replay", log, *words.split(), "--estimates", estimates)
    assert code == 0
    assert err.count("checked, no fault found") == 4


def test_compare_writes_json_pictures_and_a_table(run, log, tmp_path):
    """One JSON object; comparison.csv with one row per policy; pictures."""
    words = "--policy fcfs --policy easy --jobs 1 --out out --json"
    code, out, err = run("compare", log, *words.split())
    output = json.loads(out)
    assert code == 0
    assert {"workload", "capacity", "jobs", "dropped", "results", "unfinished"} <= set(output)
    assert [result["policy"] for result in output["results"]] == ["fcfs", "easy"]
    assert output["unfinished"] == []
    rows = list(csv.DictReader((tmp_path / "out/comparison.csv").read_text().splitlines()))
    assert [row["policy"] for row in rows] == ["fcfs", "easy"]
    assert float(rows[0]["mean_wait"]) == 1.5
    assert any(path.suffix in (".png", ".svg", ".pdf") for path in (tmp_path / "out").iterdir())
    assert "written to" in err


@pytest.mark.integration
def test_the_whole_command_in_a_process_of_its_own(log):
    """``python -m planbatch`` is the command; its standard output is one JSON object."""
    done = subprocess.run(
        [sys.executable, "-m", "planbatch", "replay", str(log), "--policy", "easy", "--json"],
        env=environment(), capture_output=True, text=True, check=False, cwd=log.parent,
    )  # fmt: skip
    assert done.returncode == 0
    assert json.loads(done.stdout)["results"][0]["mean_wait"] == 0.75
    wrong = subprocess.run(
        [sys.executable, "-m", "planbatch", "replay", str(log), "--policy", "eassy"],
        env=environment(), capture_output=True, text=True, check=False, cwd=log.parent,
    )  # fmt: skip
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("planbatch: policy: there is no 'eassy'; did you mean easy?")
    assert wrong.stderr.count("\n") == 1


@pytest.mark.integration
@pytest.mark.parametrize(("how", "reaches", "code"), [(signal.SIGINT, os.killpg, 130), (signal.SIGTERM, os.kill, 143)])
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_keeps_finished_results(jobs, how, reaches, code, tmp_path):
    """Ctrl-C or SIGTERM during a search that would take for ever: the results of EASY, exit code 130 or 143."""
    words = ["--policy", "easy", "--policy", "plan-wait", "--evaluations", "1000000000"]
    words += ["--jobs", str(jobs), "--out", str(tmp_path), "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "planbatch", "compare", "--first", "300", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment(),
        start_new_session=True,
        # A shell may have told the tests to ignore interrupts, which new processes inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if ", easy: mean wait" in line:
                break
        reaches(process.pid, how)
        out, err = process.communicate()
    finally:
        process.kill()
    assert process.returncode == code
    output = json.loads(out)
    assert [result["policy"] for result in output["results"]] == ["easy"]
    assert output["results"][0]["jobs"] == 300
    assert output["unfinished"] == ["plan-wait"]
    assert "planbatch: interrupted; not finished: plan-wait" in err
    assert "Traceback" not in err
    assert (tmp_path / "comparison.csv").read_text().count("\n") == 2


def test_ctrl_c_before_any_result_is_no_traceback(monkeypatch, run, log):
    """Exit code 130, one sentence."""
    from planbatch.experiments.replay import task

    def interrupted(*words, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(task, "replay", interrupted)
    code, out, err = run("replay", log, "--policy", "easy")
    assert (code, out, err.strip()) == (130, "", "planbatch: interrupted")


@pytest.mark.parametrize(
    ("words", "writer", "named"),
    [
        (("compare", "--out", "folder"), "matplotlib.figure.Figure.savefig", "folder: no space left"),
        (("replay", "--starts", "starts.csv"), "numpy.savetxt", "starts.csv: cannot be written (No space left"),
    ],
)
def test_a_full_disk_is_named(monkeypatch, run, log, words, writer, named):
    """It is not standard output, though the error names no file."""

    def full(*given, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writer, full)
    code, _, err = run(words[0], log, "--policy", "easy", *words[1:], "-q")
    assert code == 2
    assert err.startswith(f"planbatch: {named}")


@pytest.mark.integration
def test_standard_output_that_is_full_is_named(log, tmp_path):
    """Not the folder of the results, which are kept there."""
    words = (sys.executable, "-m", "planbatch", "compare", log, "--policy", "easy", "--out", tmp_path / "folder", "-q")
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "planbatch: standard output: no space left on device\n")


def test_every_verb_has_help(run):
    """Also those that are imported only when they are called; on standard output, without words as well."""
    for verb in VERBS:
        code, out, _ = run(verb, "--help")
        assert code == 0
        assert out.startswith(f"Usage: planbatch {verb} ")
    code, out, err = run()
    assert (code, err) == (0, "")
    assert run("--help")[1] == out
    assert all(f"  {verb} " in out for verb in VERBS)
    assert out.count("\nplanbatch ") == 3  # examples
    assert len(out.splitlines()) <= 40
    assert max(map(len, out.splitlines())) <= 80


def every_verb(command=cli.planbatch, words=()):
    """Yield every verb without verbs of its own, and its words."""
    if not isinstance(command, click.Group):
        yield " ".join(words), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        yield from every_verb(command.get_command(context, name), (*words, name))


#: Flags that have, in a verb, another meaning than their name has elsewhere: none but these.
OWN = {"--out": {"slurm observe", "report"}, "--policy": {"batsim", "slurm advise", "slurm drive"}}


def test_flags_of_one_name_are_the_same_everywhere():
    """Every verb prints JSON, is quiet and verbose on demand; a name has one short form, one type and one unit."""
    meaning_of, differ = {}, []
    for words, command in every_verb():
        flags = {name: param for param in command.params for name in param.opts if name.startswith("--")}
        assert flags.keys() >= {"--json", "--quiet", "--verbose"}, words
        for name, param in flags.items():
            if words in OWN.get(name, ()):
                continue
            short = [opt for opt in param.opts if not opt.startswith("--")]
            means = (short, type(param.type), param.metavar, param.is_flag)
            if meaning_of.setdefault(name, means) != means:
                differ.append((words, name, means, meaning_of[name]))
    assert differ == []
    short = {name: means[0] for name, means in meaning_of.items() if means[0]}
    assert short == {"--out": ["-o"], "--jobs": ["-j"], "--quiet": ["-q"], "--verbose": ["-v"]}


def test_quiet_and_verbose(run, log):
    """Quiet, notes are not printed, but errors are; verbose, the traceback goes before the sentence."""
    assert run("replay", log, "--policy", "easy", "--starts", "s.csv", "-q")[2] == ""
    code, _, err = run("replay", log, "--policy", "esay", "-q")
    assert (code, err.startswith("planbatch: policy: there is no 'esay'; did you mean easy?")) == (2, True)
    code, _, err = run("replay", log, "--policy", "esay", "-v")
    assert (code, err.startswith("Traceback")) == (2, True)


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    [
        ([], "wo", ["workload"]),
        (["slurm"], "re", ["release-all"]),
        (["compare"], "--no", ["--no-out"]),
        (["compare", "--policy"], "plan-sq", ["plan-squared-wait"]),
        (["round", "--objective"], "mak", ["makespan"]),
        (["round", "--optimizer"], "cp", ["cp-sat"]),
        (["compare", "--metric"], "p95", ["p95-wait"]),
        (["list"], "obj", ["objectives"]),
        (["workload", "fetch"], "KTH", ["KTH-SP2-1996-2.1-cln"]),
    ],
)
def test_shells_complete_verbs_flags_and_names(words, incomplete, expected):
    """As the scripts ask that click writes for bash, zsh and fish."""
    complete = ShellComplete(cli.planbatch, {}, "planbatch", "_PLANBATCH_COMPLETE")
    values = [item.value for item in complete.get_completions(words, incomplete)]
    assert values[: len(expected)] == expected


def test_every_verb_says_what_it_does():
    """No two alike, whichever was imported first."""
    helps = [command.help for _, command in every_verb()]
    assert all(helps)
    assert len(set(helps)) == len(helps)


def test_help_says_how_long_searches_are_by_default(run):
    """One rule, stated wherever a search has a budget."""
    for verb in (("round",), ("rounds", "compare"), ("compare",), ("explain",)):
        assert DEFAULT_EVALUATIONS in " ".join(run(*verb, "--help")[1].split())
