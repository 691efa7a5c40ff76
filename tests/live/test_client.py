"""Slurm's programs, played by small scripts: what the client sends, reads, refuses, and says on errors."""

import os
import stat
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.cli.slurm.flags import ClusterSource
from planbatch.experiments.live.slurm.client import LINE, MARKER, Answer, SlurmClient, SlurmError, answers_of
from planbatch.experiments.live.slurm.pool import ObserveOptions
from tests.live.lab.processes import wait_until

VERSION = "echo 'slurm-wlm 22.05.8'"


@pytest.fixture
def slurm(tmp_path):
    """Make a client of programs that are shell scripts: ``slurm(squeue="echo hello")``."""
    folder = tmp_path / "programs"
    folder.mkdir()

    def make(timeout: float = 20.0, conf: Path | None = None, **bodies: str) -> SlurmClient:
        for name, body in bodies.items():
            path = folder / name
            path.write_text(f"#!/bin/bash\n{body}\n")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return SlurmClient(conf, timeout, folder)

    return make


def answering(body: str, version: str = VERSION) -> str:
    """A program with a version, and one other answer."""
    return f'if [ "$1" = --version ]; then {version}; else {body}; fi'


def kind_of(call) -> tuple[str, str]:
    """The kind and the sentence of the error that a call raises."""
    with pytest.raises(SlurmError) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    return caught.value.kind, text


@pytest.mark.parametrize(("version", "kind", "command"), [
    ("20.11.4", "jobs", "scontrol -a -o show job"), ("22.05.8", "jobs", "squeue --json --all --states=all"),
    ("20.11.4", "nodes", "scontrol -a -o show node"), ("22.05.8", "nodes", "sinfo --all --json"),
    ("23.02.1", "nodes", "scontrol -a show nodes --json"), ("22.05.8", "partitions", "scontrol -a -o show partition"),
    ("22.05.8", "reservations", "scontrol -a -o show reservations"),
    ("24.05.1", "reservations", "scontrol -a show reservations --json"),
])  # fmt: skip
def test_lists_come_as_json_from_versions_that_write_it(slurm, version, kind, command):
    """Programs print their command, in either form."""
    body = 'command="${0##*/} $*"\n' + (
        f"""case $command in *--json*) echo '{{"{kind}": ["'$command'"]}}' ;; *) echo "$command" ;; esac"""
    )
    client = slurm(squeue=answering(body, f"echo slurm-wlm {version}"), sinfo=body, scontrol=body)
    output = getattr(client, kind)()
    assert output == (f"{command}\n" if "--json" not in command else {kind: [command]})


@pytest.mark.parametrize("refusal", [
    "echo \"squeue: unrecognized option '--json'\" >&2; exit 1",
    "echo 'squeue: fatal: Unable to find plugin: serializer/json' >&2; exit 1",
])  # fmt: skip
def test_jobs_come_as_text_from_a_slurm_without_json(slurm, refusal):
    client = slurm(squeue=answering(refusal), scontrol='echo "JobId=5 asked=$*"')
    assert client.jobs() == "JobId=5 asked=-a -o show job\n"


def test_ticks_share_a_client_which_remembers_the_version(slurm, tmp_path, monkeypatch):
    """Each of the four lists may query it in the first tick."""
    slurm(
        squeue=answering("""echo '{"jobs": []}'""", f"echo x >> {tmp_path}/versions; {VERSION}"),
        sinfo="""echo '{"nodes": []}'""",
        scontrol="",
    )
    monkeypatch.setenv("PATH", f"{tmp_path}/programs:{os.environ['PATH']}")
    monkeypatch.delenv("SLURM_CONF", raising=False)
    source = ClusterSource(None, SlurmClient(), ObserveOptions())
    source.snapshot()
    queries = (tmp_path / "versions").read_text()
    source.snapshot()
    assert (tmp_path / "versions").read_text() == queries


def test_a_quick_look_gives_the_numbers_of_what_waits_and_runs(slurm):
    assert slurm(squeue="printf '5\n7\n5\n'").queued_jobs() == {5, 7}


@pytest.mark.parametrize(("body", "fault", "words"), [
    ("""echo '{"jobs": [{"job_id": 5}, {"jo'""", "garbled", "cut off"),
    ("""echo '{"errors": []}'""", "garbled", "no list 'jobs'"),
    ("""echo '[1]'""", "garbled", "no list 'jobs'"),
    # A controller that is down, as seen with 22.05.8: squeue ends well, with errors and without jobs.
    ("""echo '{"errors": [{"description": "Failed while looking", "source": "slurm_load_jobs"}], "jobs": []}'""",
     "unreachable", "Failed while looking"),
    ("""echo '{"errors": [{"error": "Access/permission denied"}], "jobs": []}'""", "rights", "denied"),
    ("""echo '{"errors": {"1": "Access/permission denied"}, "jobs": []}'""", "failed", "no reason given"),
    ("""echo '{"errors": "Access/permission denied"}'""", "rights", "denied"),
    ("echo 'squeue: error: Munge encode failed: no socket' >&2; exit 1", "unreachable", "Munge"),
    ("echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1",
     "unreachable", "Unable to contact"),
    ("echo 'squeue: error: Parsing error at unrecognized key: X' >&2\n"
     "echo 'squeue: fatal: Unable to process configuration file' >&2; exit 1", "configuration", "unrecognized key"),
    ("echo 'slurm_load_jobs error: Access/permission denied' >&2; exit 1", "rights", "denied"),
    ("exit 3", "failed", "without a word"),
])  # fmt: skip
def test_what_goes_wrong_is_one_sentence(slurm, body, fault, words):
    kind, text = kind_of(slurm(squeue=answering(body)).jobs)
    assert kind == fault
    assert words in text


def test_what_is_not_installed_is_noticed_at_once(slurm, tmp_path):
    """Programs; and a configuration, for which Slurm's programs would look for a minute."""
    fault, text = kind_of(slurm().jobs)
    assert (fault, "install Slurm's client" in text) == ("missing", True)
    client = slurm(conf=tmp_path / "absent.conf", squeue="sleep 60")
    assert kind_of(client.jobs)[0] == "configuration"


@pytest.mark.parametrize("version", ["slurm 19.05.5", "slurm-wlm 31.02.1", "who knows"])
def test_unknown_versions_are_refused(slurm, version):
    fault, _ = kind_of(slurm(squeue=f"echo {version}").jobs)
    assert fault == "version"


def is_over(process):
    """Whether a process has ended, perhaps without anybody having asked how."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] == "Z"
    except OSError:
        return True


@pytest.mark.integration
def test_a_program_that_hangs_is_ended_with_all_that_it_started(slurm, tmp_path):
    client = slurm(timeout=2.0, squeue=f"sleep 300 & echo $! > {tmp_path}/child; wait")
    began = time.monotonic()
    fault, text = kind_of(lambda: client.run("squeue"))
    assert fault == "hang"
    assert "within 2 s" in text
    assert time.monotonic() - began < 60  # it did not wait for the program
    child = int((tmp_path / "child").read_text())
    wait_until("what it started ends", lambda: is_over(child))


def test_programs_see_no_variables_that_filter_their_lists(slurm, monkeypatch):
    before = {"SQUEUE_STATES": "RUNNING", "SQUEUE_FORMAT": "%i", "SLURM_TIME_FORMAT": "relative"}
    for name, value in before.items():
        monkeypatch.setenv(name, value)
    environment = slurm(squeue="env").run("squeue").splitlines()
    assert not [line for line in environment if line.startswith("SQUEUE_")]
    assert {"SLURM_TIME_FORMAT=%s", "TZ=UTC"} <= set(environment)
    assert before.items() <= os.environ.items()  # nothing changes in this process


def test_arguments_are_not_read_by_a_shell(slurm):
    hostile = "$(touch /tmp/x); `id` 'a\nb"
    assert slurm(squeue='printf "%s" "$1"').run("squeue", hostile) == hostile


FIVE, SEVEN, EIGHT = (f"update JobId={number} StartTime=now" for number in (5, 7, 8))
#: What scontrol does with a script, as seen with 22.05.8: silence means done; it reports verbs that it does not know
#: on standard error.
SCONTROL = """
while read -r line; do
  case "$line" in
    quit) exit 0 ;;
    *JobId=7*) printf 'Invalid job id specified for job 7\\nslurm_suspend error: Invalid job id specified\\n' >&2 ;;
    update*) ;;
    *) echo "invalid keyword: $line" >&2 ;;
  esac
done"""


def test_every_line_of_a_script_has_its_own_answer(slurm):
    lines = [FIVE, SEVEN, EIGHT, "update JobId=9 AdminComment=planbatch:free"]
    first, refused, *others = slurm(scontrol=SCONTROL).script(lines)
    assert [first, *others] == [Answer(line, True) for line in lines if line != SEVEN]
    assert refused == Answer(SEVEN, False, "Invalid job id specified for job 7")
    assert slurm().script([]) == []


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ("1_0-1: Job is no longer pending execution\n1_2-4: No error\n", (True, "")),
        ("1_0: Invalid user id\n1_2-4: No error\n", (False, "1_0: Invalid user id")),
        ("1_0: Job is no longer pending execution\n", (False, "1_0: Job is no longer pending execution")),
    ],
)
def test_an_array_was_told_if_the_tasks_that_wait_were(output, answer):
    """The first one is what Slurm 22.05.8 printed for an array of five, of which two tasks ran."""
    line = "update JobId=1 StartTime=uts1795406998 AdminComment=planbatch:free"
    behind = f"{output}invalid keyword: {MARKER}0\n"
    assert answers_of([line], behind) == [Answer(line, *answer)]


@pytest.mark.integration
def test_lines_behind_a_hang_are_not_done(slurm):
    body = SCONTROL.replace("*JobId=7*)", "*JobId=7*) sleep 60;")
    answers = slurm(timeout=1.0, scontrol=body).script([FIVE, SEVEN, EIGHT])
    assert [answer.done for answer in answers] == [True, False, False]
    assert answers[1].message == answers[2].message == "no answer"


def test_a_script_without_a_controller_is_an_error(slurm):
    output = "Unable to contact slurm controller (connect failure) for job 5"
    body = SCONTROL.replace("update*) ;;", f"update*) echo '{output}' >&2 ;;")
    fault, text = kind_of(lambda: slurm(scontrol=body).script([FIVE]))
    assert fault == "unreachable"
    assert output in text


@pytest.mark.parametrize("line", [
    "shutdown", f"{FIVE}\nshutdown", f"{FIVE}; id", "update JobId=5 Comment=x", "release 5", "hold 5", "uhold 5",
    "update JobId=5 AdminComment=planbatch:x\nquit", "update NodeName=n1 State=DOWN", "update JobId=-1 StartTime=now",
    "update JobId=5 AdminComment=planbatch:$(id)", "!! ", f"{FIVE} ", "update JobId=５ StartTime=now",
])  # fmt: skip
def test_no_other_line_is_ever_sent(slurm, line, tmp_path):
    client = slurm(scontrol=f"cat > {tmp_path}/sent")
    with pytest.raises(ValueError, match="no line that planbatch sends"):
        client.script([FIVE, line])
    assert not (tmp_path / "sent").exists()


@given(st.text(max_size=40))
def test_lines_hold_no_character_that_scontrol_could_read_as_more(text):
    """Whatever a job is called: a line that may be sent is one line of letters, digits and a few signs."""
    for line in (text, f"update JobId={text} StartTime=now", f"update JobId=1 AdminComment=planbatch:{text}"):
        if LINE.fullmatch(line):
            assert line.isascii()
            assert set(line) <= set("abcdefghijklmnopqrstuvwxyzJISTAC0123456789 =:_.-")


def test_a_long_script_is_sent_a_thousand_lines_at_a_time(slurm, tmp_path):
    """One time limit is for a thousand lines, not for ten thousand; the order is kept."""
    body = f"echo x >> {tmp_path}/processes\n{SCONTROL}"
    lines = [f"update JobId={number} StartTime=now" for number in range(1, 2302)]
    answers = slurm(scontrol=body).script(lines)
    assert [answer.line for answer in answers] == lines
    assert (tmp_path / "processes").read_text().count("x") == 3
