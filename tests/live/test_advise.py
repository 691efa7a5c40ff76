"""Advice, tick by tick: beside Slurm's forecast, with failing ticks, on a fake cluster and on saved output."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import Any

import pytest

from planbatch.baselines import make_policy
from planbatch.experiments.cli.slurm import when as when_verb
from planbatch.experiments.figures.live_page import page_of, write_page
from planbatch.experiments.figures.live_table import clean, clock, when
from planbatch.experiments.live.journal import Journal, read_ticks
from planbatch.experiments.live.slurm.advise import Advice, Advisor, FailedTick, ended_early, ticks
from planbatch.experiments.live.slurm.client import SlurmError
from planbatch.experiments.live.slurm.estimates import last_tick, start_estimates, why_start
from planbatch.experiments.live.slurm.parse import parse_jobs, parse_nodes
from planbatch.experiments.live.slurm.pool import ObserveOptions
from planbatch.experiments.live.slurm.reading import read_snapshot, saved_snapshot
from planbatch.experiments.live.slurm.snapshot import Snapshot
from planbatch.planner.plan import Plan, check_plan
from tests.live.builders import NOW, array, cluster, running, waiting
from tests.live.dialects import JOB_LINES, RECORDING_TIME, RecordedClient, generated, recorded, second_dialect


def advisor(policy: str = "plan-wait", promise: str = "none", **options: Any) -> Advisor:
    return Advisor(make_policy(policy, evaluations=50, promise=promise), ObserveOptions(**options))


def run_ticks(
    snapshots: list[Any], journal: Journal | None = None, who: Advisor | None = None
) -> list[Advice | FailedTick]:
    """Look at snapshots one after the other; an exception among them is raised in its tick."""
    if journal is None:
        with TemporaryDirectory() as folder, Journal(Path(folder, "journal.jsonl")) as own:
            return run_ticks(snapshots, own, who)
    pending, slept = iter(snapshots), []

    def read() -> Any:
        result = next(pending)
        if isinstance(result, Exception):
            raise result
        return result

    outcomes = list(ticks(read, who or advisor(), journal, every=30, most=len(snapshots), sleep=slept.append))
    assert len(slept) == len(snapshots) - 1
    assert all(0 < pause <= 30 for pause in slept)
    return outcomes


#: A wide job waits for two running ones; Slurm would start the long narrow one behind it, and the short one last.
BUSY = (
    running(1, "1 2", 600), running(2, "3 4", 1200), waiting(3, 4, 3600, forecast=NOW + 1200),
    waiting(4, 2, 7200, forecast=NOW + 4800), waiting(5, 2, 600, forecast=NOW + 4800),
)  # fmt: skip


def test_a_snapshot_is_read_where_there_is_no_json():
    """The text of scontrol, with the numbers of squeue beside it: a job of another number was made up by a comment."""
    forged = JOB_LINES + JOB_LINES.splitlines()[3].replace("344", "999") + "\n"
    plain = read_snapshot(RecordedClient(text=JOB_LINES)).jobs
    assert read_snapshot(RecordedClient(text=forged)).jobs == plain
    assert len(plain) == len(JOB_LINES.split("\nJobId="))


WITHOUT_344 = "".join(line for line in JOB_LINES.splitlines(keepends=True) if not line.startswith("JobId=344 "))


@pytest.mark.parametrize("lines", ["", JOB_LINES[:4000], JOB_LINES[:-1], WITHOUT_344])
def test_a_list_in_text_that_is_cut_off_is_an_error(lines):
    """``scontrol``'s lines, where there is no JSON: nothing, the first ones and half of one, all but the line end.

    Job 344's line is not there, and squeue knows of it; 351, the last one, may have arrived in between.
    """
    with pytest.raises(ValueError, match="scontrol: its list of jobs is cut off"):
        read_snapshot(RecordedClient(text=lines))
    before_351 = "".join(JOB_LINES.splitlines(keepends=True)[:-1])
    assert len(read_snapshot(RecordedClient(text=before_351)).jobs) == 10


def test_a_tick_is_a_plan_beside_the_forecast():
    """The short job starts at 600 instead of 4800, and ends when the wide one can start.

    4 |   2        |  3 ...   |
      |------------|          |
    2 |  1   |  5  |          |
      0     600  1200       4800
    """
    (advice,) = run_ticks([cluster(*BUSY)])
    assert [(one.waiting.label, one.start - NOW, one.forecast - NOW) for one in advice.jobs] == [
        ("5", 600, 4800), ("3", 1200, 1200), ("4", 4800, 4800)]  # fmt: skip
    effect = advice.effect
    assert (effect.jobs, effect.forecast) == (3, 3)
    assert (effect.mean, effect.slurm_mean) == (100 + 2200, 100 + 3600)
    assert (effect.longest, effect.slurm_longest) == (4900, 4900)


@pytest.mark.parametrize("dialect", [lambda data: data, second_dialect])
@pytest.mark.parametrize(("pending", "nodes"), [(1000, 64), pytest.param(10_000, 1024, marks=pytest.mark.nightly)])
def test_a_long_queue_is_planned_whole(pending, nodes, dialect, tmp_path):
    """Parsed, planned and written down twice: every job has a feasible start; the second plan is no worse."""
    queue, machine = generated(pending, nodes)
    printed = json.dumps(dialect(queue)), json.dumps(dialect(machine))
    who = advisor()
    with Journal(tmp_path / "journal.jsonl") as journal:
        means = []
        for tick in range(2):
            snapshot = Snapshot(RECORDING_TIME + tick, parse_jobs(printed[0]), parse_nodes(printed[1]))
            (advice,) = run_ticks([snapshot], journal, who)
            assert len(advice.jobs) == pending
            assert check_plan(advice.plan.problem, Plan(advice.plan.start), complete=True) == []
            means.append(advice.effect.mean)
    assert means[1] <= means[0] + 1
    last = list(read_ticks(tmp_path / "journal.jsonl"))[-1]
    assert len(last.starts) == pending


def test_forecasts_of_arrays_are_those_of_their_first_tasks():
    """One row, one forecast."""
    whole = running(1, "1 2 3 4", 600)
    (advice,) = run_ticks([cluster(whole, array(2, 3, forecast=NOW + 600))])
    assert [one.forecast for one in advice.jobs] == [NOW + 600, None, None]
    assert (advice.effect.jobs, advice.effect.forecast) == (3, 1)


def test_jobs_without_a_forecast_follow_by_priority():
    """Slurm forecasts the wide job alone; behind it comes the long one, with the higher priority, then the short one.

    By the plan, the short one goes before.
    """
    jobs = (
        running(1, "1 2 3 4", 600), waiting(2, 4, 1000, forecast=NOW + 600), waiting(3, 4, 500, priority=5),
        waiting(4, 4, 2000, priority=9),
    )  # fmt: skip
    (advice,) = run_ticks([cluster(*jobs)])
    starts = {one.waiting.label: one.start - NOW for one in advice.jobs}
    assert starts == {"3": 600, "2": 1100, "4": 2100}
    assert advice.effect.slurm_mean == 100 + (600 + 1600 + 3600) / 3
    assert advice.effect.mean == 100 + (600 + 1100 + 2100) / 3


def test_a_tick_that_fails_is_one_sentence_and_the_next_is_tried(tmp_path):
    """Slurm away, cut-off output, no usable node, and Slurm back: the promise that was made before still stands."""
    later = replace(cluster(*BUSY), time=NOW + 60)
    dead = replace(later, nodes=tuple(replace(each, state="UNKNOWN") for each in later.nodes))
    snapshots = [
        cluster(*BUSY), SlurmError("unreachable", "squeue: no controller"), ValueError("squeue: its JSON is cut off"),
        dead, later,
    ]  # fmt: skip
    with Journal(tmp_path / "journal.jsonl") as journal:
        outcomes = run_ticks(snapshots, journal, advisor(promise="1h"))
    first, *faults, last = outcomes
    assert [fault.message for fault in faults] == [
        "squeue: no controller", "squeue: its JSON is cut off", "no node is usable: 4 are unknown"]  # fmt: skip
    latest = {one.waiting.label: one.latest - NOW for one in first.jobs}
    assert latest == {"5": 4200, "3": 4800, "4": 8400}
    assert {one.waiting.label: one.latest - NOW for one in last.jobs} == latest
    ticks = list(read_ticks(tmp_path / "journal.jsonl"))
    assert [bool(tick.plan) for tick in ticks] == [True, False, False, False, True]
    starts = {one.waiting.id: (one.start, one.latest, one.forecast) for one in last.jobs}
    assert ticks[-1].starts == starts


def test_a_journal_that_cannot_be_written_is_a_fault(tmp_path, monkeypatch):
    """The disk is full: one sentence; when there is room again, ticks go on."""
    with Journal(tmp_path / "journal.jsonl") as journal:
        real = journal.write

        def full(*args: Any, **kwargs: Any) -> None:
            raise OSError("journal.jsonl: the journal cannot be written (No space left on device)")

        monkeypatch.setattr(journal, "write", full)
        (fault,) = run_ticks([cluster(*BUSY)], journal)
        assert fault.message.startswith("journal.jsonl: the journal cannot be written")
        monkeypatch.setattr(journal, "write", real)
        assert isinstance(run_ticks([cluster(*BUSY)], journal)[0], Advice)


def test_a_job_that_is_given_out_again_has_no_promise_of_the_other():
    """The same number, submitted at another time: promised anew."""
    who = advisor(promise="1h")
    one = cluster(running(1, "1 2 3 4", 600), waiting(2, 4))
    again = replace(one, time=NOW + 300, jobs=(one.jobs[0], waiting(2, 4, submit=NOW + 200)))
    first, second = run_ticks([one, again], None, who)
    assert first.jobs[0].latest == NOW + 600 + 3600
    assert list(who.memory) == [(again.jobs[1].key, None)]
    assert second.jobs[0].latest == NOW + 600 + 3600


@pytest.mark.parametrize(
    ("before", "after", "early"),
    [
        (running(1, "1", 600), None, True),
        (running(1, "1", 600), running(1, "1", 600), False),
        (running(1, "1", 10), None, False),
        (running(1, "1", 600), replace(running(1, "1", -1), state="COMPLETED"), True),
    ],
)
def test_early_ends_are_noticed(before, after, early):
    """A job is gone, or finished, thirty seconds later, long before its limit."""
    now = replace(cluster(*([after] if after else [])), time=NOW + 30)
    assert ended_early(cluster(before), now, ObserveOptions()) is early


HOSTILE = "<script>alert(1)</script>\x1b[2J[bold]"


def test_the_page_says_what_was_planned(tmp_path):
    """Chart, table, remarks; nothing that a user wrote is obeyed by a browser or a terminal."""
    evil = waiting(9, name=HOSTILE, user=HOSTILE, held="user")
    (advice,) = run_ticks([cluster(*BUSY, waiting(8, name=HOSTILE), evil)])
    write_page(tmp_path, advice, 30)
    page = (tmp_path / "index.html").read_text()
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")
    assert '<meta http-equiv="refresh" content="30">' in page
    assert '<meta http-equiv="Content-Security-Policy"' in page
    assert "<script" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;" in page
    assert page.count("<tr") == 1 + 4 + 1
    assert "held by its user" in page
    assert clean(HOSTILE).plain == "<script>alert(1)</script>·[2J[bold]"


def test_the_page_of_a_failed_tick_says_so(tmp_path):
    """And keeps the chart of the tick before."""
    (advice,) = run_ticks([cluster(*BUSY)])
    write_page(tmp_path, advice, 30)
    write_page(tmp_path, FailedTick(NOW, "squeue: <no> controller"), 30)
    assert "default-src 'none'" in (tmp_path / "index.html").read_text()
    page = (tmp_path / "index.html").read_text()
    assert "squeue: &lt;no&gt; controller; nothing is done, the next tick tries again." in page
    assert "plan.png" in page
    (idle,) = run_ticks([cluster()])
    write_page(tmp_path, idle, 30)
    assert not (tmp_path / "plan.png").exists()
    assert "No job waits that can be planned" in page_of(idle, 30, False)


def test_times_are_written_for_people():
    """Now, by the clock, with the day or the date, or not at all."""
    assert [when(NOW, NOW), when(None, NOW)] == ["now", "–"]
    assert when(NOW + 90, NOW).endswith("(in 90 s)")
    assert re.fullmatch(r"[A-Z]\w+ \d\d:\d\d", clock(NOW + 5 * 86400, NOW))
    assert clock(NOW + 9 * 86400, NOW).count("-") == 2


@pytest.fixture
def journal(tmp_path) -> Path:
    """One tick: two jobs run, three wait, one is held, an array has three tasks."""
    path = tmp_path / "journal.jsonl"
    jobs = (*BUSY, waiting(6, user="bob", held="user", priority=0, reason="JobHeldUser"), array(7, 3, user="bob"))
    with Journal(path) as book:
        run_ticks([cluster(*jobs)], book, advisor(promise="2h"))
    return path


def test_users_are_told_why(journal):
    """What holds the nodes until when, by number; a job that is left out has its reason."""
    tick = last_tick(journal)
    sentences = {number: why_start(tick, number, str) for number in ("4", "5", "7_1", "6", "1")}
    assert sentences["6"] == ["job 6: held by its user: JobHeldUser."]
    assert sentences["1"] == [f"job 1: running since {NOW - 3600}."]
    start, latest, _ = tick.starts[4]
    assert sentences["4"][0] == f"job 4 (2 nodes) starts at {start}."
    assert f"By its limit, job 1 (n1,n2) ends at {NOW + 600}." in sentences["4"]
    assert sentences["4"][-1] == f"It is promised to start at {latest} at the latest."
    assert sentences["7_1"][0].startswith("job 7_1 (1 node) starts ")
    assert all("processor" not in line for lines in sentences.values() for line in lines)


def test_users_are_told_when(journal):
    """A job, an array, a task, a user's jobs; those without a start have a reason."""
    tick = last_tick(journal)
    everything = {one.label: one for one in start_estimates(tick)}
    assert set(everything) == {"1", "2", "3", "4", "5", "6", "7_0", "7_1", "7_2"}
    (one,) = start_estimates(tick, "5")
    assert (one.start, one.forecast, one.why) == (tick.starts[5][0], NOW + 4800, "")
    assert one.latest == one.start + 7200
    assert [one.label for one in start_estimates(tick, "7")] == ["7_0", "7_1", "7_2"]
    assert [one.label for one in start_estimates(tick, "7_1")] == ["7_1"]
    assert {one.label for one in start_estimates(tick, user="bob")} == {"6", "7_0", "7_1", "7_2"}
    assert everything["6"].why == "held by its user: JobHeldUser"
    assert (everything["1"].why, everything["1"].start) == ("running", NOW - 3600)
    with pytest.raises(ValueError, match="job 99: it is not in the queue"):
        start_estimates(tick, "99")


def test_the_verb_when(journal, run, monkeypatch):
    """By number, by user, as JSON; a journal that is not there is one sentence."""
    code, out, err = run("slurm", "when", "5", "--journal", journal, "--json")
    assert code == 0, err
    data = json.loads(out)
    assert (data["policy"], [row["job"] for row in data["jobs"]]) == ("plan-wait", ["5"])
    assert data["jobs"][0]["forecast"] == NOW + 4800
    code, out, _ = run("slurm", "when", "--user", "bob", "--journal", journal)
    assert (code, "7_2" in out, "held by its user" in out) == (0, True, True)
    assert "no jobs of eve" in run("slurm", "when", "--user", "eve", "--journal", journal)[1]
    assert "job 5 (2 nodes)" in run("slurm", "when", "5", "--why", "--journal", journal)[1]
    code, _, err = run("slurm", "when", "--why", "--journal", journal)
    assert (code, "which job?" in err) == (2, True)
    code, out, _ = run("slurm", "when", "--accuracy", "--journal", journal, "--json")
    assert (code, json.loads(out)["planbatch"]["jobs"]) == (0, 0)
    assert "planned by" in run("slurm", "when", "--accuracy", "--journal", journal)[1]
    monkeypatch.setattr(when_verb, "login", lambda: "bob")
    (_, mine, _), (_, all_, _) = (run("slurm", "when", "--journal", journal, *more) for more in ((), ("--all",)))
    assert ("7_2" in mine, "ann" in mine, "ann" in all_) == (True, False, True)
    code, _, err = run("slurm", "when")
    assert (code, "out/live/journal.jsonl: there is no such journal" in err) == (2, True)


@pytest.fixture
def saved(tmp_path) -> Path:
    """A folder of saved output."""
    folder = tmp_path / "saved"
    folder.mkdir()
    for name in ("squeue", "sinfo"):
        (folder / f"{name}.json").write_text(json.dumps(recorded(name)))
    os.utime(folder / "squeue.json", (RECORDING_TIME, RECORDING_TIME))
    return folder


def test_the_verb_observe(saved, run):
    """A round file that planbatch round reads, and a list of what is not in it."""
    code, out, err = run("slurm", "observe", "--from", saved, "--out", "out/round.json")
    assert code == 0, err
    assert "lab, Slurm 22.05.8: 4 of 4 nodes usable; 16 of 64 cpus busy; 1 job to plan, 5 rows left out" in out
    assert "held by its user" in out
    assert "begins later" in out
    code, out, err = run("round", "out/round.json", "--json")
    assert code == 0, err
    assert json.loads(out)["starts"] == {"345": RECORDING_TIME + 595}
    code, out, _ = run("slurm", "observe", "--from", saved, "--out", "-", "--unit", "nodes")
    assert (code, json.loads(out)["capacity"]) == (0, 4)
    assert [(row["id"], row["procs"]) for row in json.loads(out)["waiting"]] == [(345, 4)]


def test_the_verb_advise(saved, run):
    """Two ticks of a cluster that stands still: a table each, the page, and a journal that can be read back."""
    code, out, err = run("slurm", "advise", "--from", saved, "--every", "0.1s", "--ticks", "2", "--promise", "1h",
                         "--out", "live", "--evaluations", "20")  # fmt: skip
    assert code == 0, err
    assert out.count("plan of plan-wait at") == 2
    assert "left out: 4 held by its user, 1 begins later" in out
    assert "1 job would wait 10.0 min on average instead of 10.0" in " ".join(out.split())
    files = {path.name for path in Path("live").iterdir()}
    assert files == {"index.html", "plan.png", "journal.jsonl"}
    assert [len(tick.starts) for tick in read_ticks(Path("live/journal.jsonl"))] == [1, 1]
    code, out, _ = run("slurm", "when", "345", "--journal", "live/journal.jsonl", "--json")
    start = RECORDING_TIME + 595
    row = {"job": "345", "user": "root", "start": start, "latest": start + 3600, "forecast": start}
    assert json.loads(out)["jobs"] == [row | {"why": ""}]
    code, out, _ = run("slurm", "advise", "--from", saved, "--ticks", "1", "--out", "live", "--json")
    assert (code, json.loads(out)["jobs"][0]["job"]) == (0, "345")


@pytest.mark.parametrize(("flags", "mode"), [((), 0o644), (("--private",), 0o640)])
def test_journal_and_page_can_be_kept_from_other_users(saved, run, flags, mode):
    before = os.umask(0o022)
    try:
        words = ("--from", saved, "--ticks", "1", "--policy", "fcfs", *flags)
        run("slurm", "advise", *words, "--out", "live")
        assert run("slurm", "drive", *words, "--journal", "driven.jsonl")[0] == 0
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
    files = [*Path("live").iterdir(), Path("driven.jsonl")]
    assert {path.stat().st_mode & 0o777 for path in files} == {mode}
    assert len(files) == 4


def test_promises_outlive_the_adviser(saved, run):
    """Ended and started again, it takes them from the journal; they are not made anew an hour later."""
    words = ("slurm", "advise", "--from", saved, "--every", "0.1s", "--ticks", "1", "--out", "live",
             "--evaluations", "5")  # fmt: skip
    now = int(time())
    promises = []
    for later in (0, 600, 1200):
        os.utime(saved / "squeue.json", (now - 2000 + later, now - 2000 + later))
        code, _, err = run(*words, "--promise", "1h")
        assert code == 0, err
        promises.append(last_tick(Path("live/journal.jsonl")).starts[345][:2])
    (start, latest), *later = promises
    assert latest == start + 3600
    assert [(begin - start, last) for begin, last in later] == [(600, latest), (1200, latest)]


def test_bad_input_is_one_sentence(saved, run, monkeypatch):
    """Nothing is done, and nothing is written."""
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("SLURM_CONF", raising=False)
    lost = "nowhere: there is no such folder of saved output"
    cases = [
        (("observe",), "squeue: there is no such program here; install Slurm's client"),
        (("observe", "--from", "nowhere"), lost), (("advise", "--from", "nowhere"), lost),
        (("drive", "--from", "nowhere"), lost),
        (("observe", "--from", saved, "--partition", "mein"), "partition: there is no 'mein'; there are main"),
        (("observe", "--from", saved, "--slack", "soon"), "slack: 'soon' is not a duration"),
        (("observe", "--from", saved, "--slack", "0s"), "slack: '0s' is not above zero"),
        (("observe", "--from", saved, "--slack", "30"), "slack: '30' is not a duration"),
        (("observe", "--from", saved, "--keep", "k"), "keep: --from's output is saved already"),
        (("observe", "--conf", "no.conf"), "no.conf: there is no such Slurm configuration"),
        (("advise", "--policy", "plan-weit"), "policy"),
        (("advise", "--evaluations", "5", "--seconds", "1"), "budget: give either --evaluations or --seconds"),
        (("drive", "--mode", "soft", "--from", saved), "from: saved output cannot be driven"),
    ]  # fmt: skip
    for words, sentence in cases:
        code, out, err = run("slurm", *words)
        assert (code, out) == (2, "")
        assert err.startswith(f"planbatch: {sentence}")
        assert err.count("\n") == 1
    (saved / "squeue.json").write_text(json.dumps(recorded("squeue"))[:5000])
    code, _, err = run("slurm", "observe", "--from", saved)
    assert (code, "its JSON is cut off or damaged" in err) == (2, True)
    (saved / "sinfo.json").unlink()
    assert "there is no nodes.json (nor sinfo.json" in run("slurm", "observe", "--from", saved)[2]
    assert not Path("out").exists()


SECOND = (second_dialect(recorded("squeue")), second_dialect(recorded("sinfo")))


@pytest.mark.parametrize(
    "client", [RecordedClient(recorded("squeue")), RecordedClient(*SECOND), RecordedClient(text=JOB_LINES)]
)
def test_what_was_read_can_be_kept_and_read_again(client, tmp_path):
    """The same snapshot, of the same second; a folder with something in it is left alone."""
    again = read_snapshot(client, tmp_path / "length")
    assert saved_snapshot(tmp_path / "length") == again
    assert (len(again.jobs) > 7, len(again.nodes), again.partitions[0].max_time) == (True, 4, 86400)
    assert again.cluster == ("" if isinstance(client.queue, str) else "lab")
    with pytest.raises(ValueError, match="is not empty"):
        read_snapshot(client, tmp_path / "length")


def test_half_a_snapshot_is_not_kept(tmp_path):
    client = RecordedClient(recorded("squeue"), {"nodes": 5})
    with pytest.raises(ValueError, match="no list 'nodes'"):
        read_snapshot(client, tmp_path / "length")
    assert not (tmp_path / "length").exists()


def test_saved_output_may_be_text(saved):
    """As scontrol prints it; the time is that of the file, unless it is given."""
    (saved / "squeue.json").unlink()
    (saved / "jobs.txt").write_text(JOB_LINES)
    result = saved_snapshot(saved, RECORDING_TIME)
    assert (result.time, len(result.nodes)) == (RECORDING_TIME, 4)
    assert {job.job_id for job in result.jobs} >= set(range(344, 352))
