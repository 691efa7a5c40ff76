"""The journal: written line by line, turned over, read back as ticks, jobs and rounds; damage."""

import json
import os
import re
from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.common.records import record_of, row_of
from planbatch.experiments.live import journal as live_journal
from planbatch.experiments.live.journal import Journal, read_ticks
from planbatch.experiments.live.slurm.estimates import (
    accuracy_of,
    observed_again,
    options_of,
    planned_starts,
    rounds_of_journal,
)
from planbatch.experiments.live.slurm.pool import ObserveOptions
from planbatch.experiments.live.slurm.snapshot import JobKey
from planbatch.experiments.workloads.journal_lines import is_journal, parts_of
from planbatch.experiments.workloads.load import workload_of_source
from planbatch.experiments.workloads.read import read_log
from tests.live.builders import NOW, array, cluster, node, waiting
from tests.live.test_observe import clusters


@pytest.fixture
def opened():
    """Open journals, which are closed after the test."""
    with ExitStack() as stack:
        yield lambda path, **sizes: stack.enter_context(Journal(path, **sizes))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


def lines(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@given(st.lists(clusters(), min_size=1, max_size=4))
def test_snapshots_are_read_back_as_they_were(tmp_path_factory, snapshots):
    """Whatever changed between them: rows that came, changed and went, and nodes."""
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    with Journal(path) as journal:
        for index, snapshot in enumerate(snapshots):
            journal.snapshot(replace(snapshot, time=NOW + index))
    for index, tick in enumerate(read_ticks(path)):
        restored, wrote = tick.snapshot, snapshots[index]
        assert {job.key: job for job in restored.jobs} == {job.key: job for job in wrote.jobs}
        assert (restored.nodes, restored.partitions) == (wrote.nodes, wrote.partitions)
        assert restored.time == NOW + index


def test_rows_hold_every_field():
    """Of jobs, nodes and partitions; what is as by default is left out."""
    fields = {"tres": {"cpu": 4}, "required": ("n1",), "comment": "ü\n\udc80"}
    job = array(59, 3, most=2, **fields)
    drained = node("n1", "DOWN", "DRAIN", gpus=2, reason="fan")
    (part,) = cluster().partitions
    for record in (job, drained, part):
        row = json.loads(json.dumps(row_of(record)))
        assert record_of(type(record), row) == record
        assert "comment" not in row_of(waiting(1))


def test_a_line_is_only_what_changed(path, opened):
    """The first snapshot and plan are full, later ones small; the plan's times come back."""
    journal = opened(path)
    jobs = [waiting(number) for number in range(50)]
    starts = {number: (NOW + number, None, NOW + 5) for number in range(50)}
    for tick in range(3):
        journal.snapshot(cluster(*jobs[tick:], now=NOW + tick))
        times = {**starts, 7: (NOW + tick, NOW + 99, None)}
        journal.plan(NOW + tick, times, policy="p", unit="nodes", capacity=4)
    first, plan, second, again, *_ = lines(path)
    assert (first["full"], len(first["jobs"])) == (True, 50)
    assert (plan["full"], len(plan["starts"])) == (True, 50)
    assert (second["jobs"], second["gone"], "nodes" in second) == ([], [[0, NOW - 100, 0]], False)
    assert again["starts"] == {"7": [NOW + 1, NOW + 99, None]}
    ticks = list(read_ticks(path))
    assert [len(tick.snapshot.jobs) for tick in ticks] == [50, 49, 48]
    assert [tick.starts[7] for tick in ticks] == [(NOW + k, NOW + 99, None) for k in range(3)]
    assert ticks[2].starts[8] == (NOW + 8, None, NOW + 5)
    assert ticks[2].plan["policy"] == "p"


def test_commands_and_faults_stand_in_their_ticks(path, opened):
    """A fault without a snapshot is a tick of its own."""
    journal = opened(path)
    journal.snapshot(cluster(now=1))
    journal.write("commands", 1, lines=["release 5"])
    journal.write("results", 1, done=[True])
    journal.fault(2, "no answer")
    journal.snapshot(cluster(now=3))
    ticks = list(read_ticks(path))
    assert [tick.time for tick in ticks] == [1, 2, 3]
    assert [line["kind"] for line in ticks[0].others] == ["commands", "results"]
    assert (ticks[1].snapshot, ticks[1].others[0]["message"]) == (None, "no answer")
    with pytest.raises(ValueError, match="'gossip' is none of snapshot, plan"):
        journal.write("gossip", 3)


def test_a_large_journal_goes_on_in_a_new_file(path, opened):
    """Older parts are numbered, the oldest deleted; every part begins with a full snapshot; all are read in order."""
    journal = opened(path, most_bytes=3000, most_parts=3)
    for tick in range(40):
        journal.snapshot(cluster(*(waiting(number, submit=tick) for number in range(4)), now=tick))
        journal.plan(tick, {1: (tick, None, None)}, policy="p", unit="nodes", capacity=4)
    parts = parts_of(path)
    assert [part.name for part in parts[:-1]] == [f"journal-{number:06d}.jsonl" for number in range(
        int(parts[0].stem[-6:]), int(parts[0].stem[-6:]) + 3)]  # fmt: skip
    assert len(parts) == 4
    for part in parts:
        assert lines(part)[0]["full"]
        assert part.stat().st_size < 3000 + 2000
    times = [tick.time for tick in read_ticks(path)]
    assert times == list(range(times[0], 40))
    assert all(len(tick.snapshot.jobs) == 4 for tick in read_ticks(path))
    newest = [tick.time for tick in read_ticks(path, newest=True)]
    assert newest == times[-len(newest) :]


def test_a_line_that_was_cut_off_is_taken_away(path, opened):
    """A writer that was killed left half a line; readers leave it out, and the next writer goes on without it."""
    journal = opened(path)
    journal.snapshot(cluster(waiting(1), now=1))
    journal.close()
    whole = path.read_bytes()
    for cut in (1, 40, len(whole) - 1):
        path.write_bytes(whole + whole[:cut])
        assert [tick.time for tick in read_ticks(path)] == [1]
        again = opened(path)
        assert path.read_bytes() == whole
        again.snapshot(cluster(waiting(2), now=2))
        again.close()
        assert [tick.time for tick in read_ticks(path)] == [1, 2]
        assert lines(path)[1]["full"]


def test_a_full_disk_leaves_whole_lines(path, opened, monkeypatch):
    """Half of a line was written when the disk was full: it is taken away, the error is told, and writing goes on."""
    journal = opened(path)
    journal.snapshot(cluster(waiting(1), now=1))
    before = path.read_bytes()

    class Full(live_journal.FileIO):
        def write(self, data):
            super().write(bytes(data)[:10])
            raise OSError(28, "No space left on device")

    file, journal._file = journal._file, Full(path, "ab+")
    with pytest.raises(OSError, match=r"the journal cannot be written \(No space left on device\)"):
        journal.snapshot(cluster(waiting(2), now=2))
    journal.close()
    assert path.read_bytes() == before
    journal._file = file
    journal.snapshot(cluster(waiting(3), now=3))
    assert [[job.job_id for job in tick.snapshot.jobs] for tick in read_ticks(path)] == [[1], [3]]
    assert lines(path)[-1]["full"]


@pytest.mark.parametrize(("text", "message"), [
    ('{"schema": "planbatch-journal/9", "kind": "plan"}\n', "line 2: schema 'planbatch-journal/9' is not"),
    ("[]\n", "line 2: schema None is not"), ("not json\n", "line 2: it is damaged"),
])  # fmt: skip
def test_what_is_no_line_of_a_journal_is_reported(path, opened, text, message):
    opened(path).snapshot(cluster(waiting(1)))
    with path.open("a") as file:
        file.write(text)
    with pytest.raises(ValueError, match=f"journal.jsonl, {message}"):
        list(read_ticks(path))


def test_no_journal_is_reported(path):
    with pytest.raises(FileNotFoundError, match="planbatch slurm advise writes one"):
        list(read_ticks(path))


@pytest.fixture
def lived(path, opened):
    """Three jobs of a cluster of four nodes, as ticks saw them: the third still runs, a fourth was not seen to end.

    job 1: submitted at 0, started at 10, ended at 40; 2: at 5, 40, 100; 3: at 6, 100, …; 4: at 7, 50, gone at 90;
    5: cancelled before its start; 6: held
    """

    def at(number, submit, start, end, state):
        times = {"submit": submit, "start_time": start, "end_time": end}
        return waiting(number, 2, 600, state=state, allocated=("n1",), **times)

    journal = opened(path)
    one, runs = at(1, 0, 10, 610, "RUNNING"), at(2, 5, 40, 640, "RUNNING")
    two, three, four = (waiting(k, 2, submit=k + 3) for k in (2, 3, 4))
    held = waiting(6, submit=9, held="user")
    snapshots = [
        (30, (one, two, three, four, held)),
        (60, (at(1, 0, 10, 40, "COMPLETED"), runs, three, at(4, 7, 50, 650, "RUNNING"), held)),
        (90, (runs, three, at(5, 8, 20, 20, "CANCELLED"), held)),
        (120, (at(2, 5, 40, 100, "FAILED"), at(3, 6, 100, 700, "RUNNING"), held)),
    ]
    for now, jobs in snapshots:
        journal.snapshot(cluster(*jobs, now=now))
        journal.plan(now, {}, policy="p", unit="nodes", capacity=4, options={"unit": "nodes"})
    journal.close()
    return path


def test_finished_jobs_are_a_workload(lived):
    """Sizes in nodes, waits as recorded; what did not finish is left out by reason."""
    workload = workload_of_source(lived)
    assert (workload.name, workload.capacity) == ("journal", 4)
    assert workload.id.tolist() == [1, 2]
    assert (workload.submit - workload.submit[0]).tolist() == [0, 5]
    assert workload.procs.tolist() == [2, 2]
    assert workload.walltime.tolist() == [600, 600]
    assert workload.runtime.tolist() == [30, 60]
    assert workload.wait.tolist() == [10, 35]
    assert {reason: count for reason, count in workload.dropped.items() if count} == {
        "not started": 2, "still running": 1, "end not seen": 1}  # fmt: skip


def test_a_journal_is_known_by_its_first_line(lived, tmp_path):
    """Whatever its name is; a compressed one as well, and one of CPUs has CPUs as processors."""
    assert is_journal(lived.read_text().splitlines()[0])
    assert not is_journal('{"jobs": []}')
    copy = tmp_path / "other.txt"
    copy.write_bytes(lived.read_bytes().replace(b'"unit":"nodes"', b'"unit":"cpus"'))
    assert read_log(copy).columns["requested_procs"].tolist()[:2] == [8, 8]


def test_a_replay_of_a_journal_has_its_recorded_waits(lived, run):
    """Compared and replayed by the command, like any other log; rounds are captured from it."""
    code, out, err = run("compare", lived, "--policy", "recorded", "--policy", "easy", "--json")
    assert (code, "recorded" in out) == (0, True), err
    code, out, err = run("replay", lived, "--policy", "recorded", "--json")
    assert (code, json.loads(out)["results"][0]["mean_wait"]) == (0, 22.5)
    code, out, err = run("rounds", "capture", lived, "--sizes", "1", "--out", "rounds")
    assert code == 0, err


@pytest.mark.integration
def test_a_report_is_made_of_a_journal(path, run):
    """A comparison of policies on it, kept in a folder, is a page; twelve jobs had waited for one another."""
    jobs = []
    for k in range(12):
        times = {"submit": k, "start_time": 600 * k + 20, "end_time": 600 * k + 620}
        jobs.append(waiting(k, 3, 900, state="COMPLETED", **times))
    with Journal(path) as journal:
        journal.snapshot(cluster(*jobs, now=9000))
        journal.plan(9000, {}, policy="p", unit="nodes", capacity=4)
    words = ("--policy", "easy", "--policy", "recorded", "--out", "results")
    assert run("compare", path, *words)[0] == 0
    code, _, err = run("report", "results", "--jobs", "1")
    assert code == 0, err
    assert os.path.getsize("results/report.html") > 10_000


def test_rounds_are_captured_from_ticks(lived, run):
    """As they were observed: two jobs wait in the first tick while two of four nodes are free."""
    problem = rounds_of_journal(lived, [3])[3][0]
    assert (problem.now, problem.capacity, problem.ids.tolist()) == (30, 4, [2, 3, 4])
    assert problem.running.end.tolist() == [610]
    tick = next(iter(read_ticks(lived)))
    np.testing.assert_array_equal(observed_again(tick).problem.ids, problem.ids)
    words = ("--from-ticks", lived, "--sizes", "3,7", "--out", "rounds")
    code, out, err = run("rounds", "capture", *words)
    assert (code, out) == (0, "rounds/journal-ticks-n0003-t30.json\n")
    assert "ticks: in no round did about 7 jobs wait" in err
    assert run("round", "rounds/journal-ticks-n0003-t30.json", "--json")[0] == 0


def test_an_id_that_is_given_out_again_is_another_job(path, opened):
    """After a crash of the controller: the same number, submitted at another time."""
    journal = opened(path)
    journal.snapshot(cluster(waiting(7, submit=100), now=200))
    journal.snapshot(cluster(waiting(7, submit=150), now=210))
    assert lines(path)[1]["gone"] == [[7, 100, 0]]
    last = list(read_ticks(path))[-1]
    assert [job.key for job in last.snapshot.jobs] == [JobKey(7, 150, 0)]


def test_only_one_process_writes_a_journal(path, opened, run):
    """A second writer is told; when the first one has gone, it may."""
    first = opened(path)
    with pytest.raises(OSError, match="another planbatch writes this journal"):
        Journal(path)
    code, _, err = run("slurm", "advise", "--ticks", "1", "--journal", path, "--evaluations", "5")
    assert code == 2
    assert err.startswith(f"planbatch: {path}: another planbatch writes this journal")
    first.close()
    opened(path).snapshot(cluster(waiting(1)))


# Lines of other versions


def lines_with(change) -> str:
    """A snapshot of one job and its plan, each line changed."""
    snapshot = {"full": True, "cluster": "lab", "version": "22.05.8", "gone": [], "nodes": [], "partitions": [],
                "reservations": [], "jobs": [row_of(waiting(5))]}  # fmt: skip
    plan = {"full": True, "policy": "easy", "unit": "nodes", "capacity": 4, "gone": [], "options": {},
            "starts": {"5": [NOW, None, None]}}  # fmt: skip
    rows = [
        {"schema": "planbatch-journal/1", "kind": kind, "time": NOW, **line}
        for kind, line in (("snapshot", snapshot), ("plan", plan))
    ]
    for row in rows:
        change(row, row["kind"])
    return "".join(json.dumps(row) + "\n" for row in rows)


OTHERS = {
    "no kind": lambda row, kind: row.pop("kind"),
    "a time that is none": lambda row, kind: row.update(time="noon"),
    "no jobs": lambda row, kind: kind == "snapshot" and row.pop("jobs"),
    "a job without a key": lambda row, kind: kind == "snapshot" and row["jobs"][0].pop("key"),
    "a job without a name": lambda row, kind: kind == "snapshot" and row["jobs"][0].pop("name"),
    "jobs by number": lambda row, kind: kind == "snapshot" and row.update(jobs={"5": {}}),
    "no starts": lambda row, kind: kind == "plan" and row.pop("starts"),
    "starts alone": lambda row, kind: kind == "plan" and row.update(starts={"5": NOW}),
    "starts with more": lambda row, kind: kind == "plan" and row["starts"].update({"5": [1, 2, 3, 4]}),
    "a start that is a list": lambda row, kind: kind == "plan" and row["starts"].update({"5": [[], None, None]}),
    "no policy": lambda row, kind: kind == "plan" and row.pop("policy"),
    "a capacity that is none": lambda row, kind: kind == "plan" and row.update(capacity=None),
    "a number beyond 64 bits": lambda row, kind: kind == "snapshot" and row["jobs"][0].update(cpus=10**30),
    "no number": lambda row, kind: kind == "snapshot" and row["jobs"][0].update(cpus=float("nan")),
    "a key that is too short": lambda row, kind: kind == "snapshot" and row["jobs"][0].update(key=[5]),
    "gone without keys": lambda row, kind: kind == "snapshot" and row.update(gone=5),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_line_of_another_shape_is_one_sentence_and_stops_nobody(path, run, tmp_path, name):
    """Finding 10: of whoever reads it; the driver says so, and begins anew."""
    path.write_text(lines_with(OTHERS[name]))
    with pytest.raises(ValueError, match=re.escape(str(path))):
        list(read_ticks(path))
    with pytest.raises(ValueError, match=re.escape(str(path))):
        workload_of_source(path)
    code, _, error = run("slurm", "when", "--all", "--journal", path)
    assert (code, "Traceback" in error, path.name in error) == (2, False, True)
    flags = ("--mode", "dry-run", "--state", tmp_path / "state", "--ticks", "1", "--policy", "fcfs")
    code, _, error = run("slurm", "drive", "--conf", tmp_path / "none", "--journal", path, *flags)
    assert (code, "Traceback" in error, "promised starts anew" in error) == (1, False, True)


def test_fields_of_other_versions_are_left_out(path):
    """Of a newer one, and those that older ones wrote of jobs and arrays."""

    def other(row, kind):
        row["colour"] = "red"
        for job in row.get("jobs", ()):
            job |= {"colour": "red", "flags": ["A"], "eligible_time": NOW, "accrue_time": NOW}
            job["array"] = {"job_id": 5, "tasks": [0, 1], "pending": 2}
        if kind == "plan":
            row["options"]["colour"] = "red"

    path.write_text(lines_with(other))
    (tick,) = read_ticks(path)
    assert tick.snapshot.jobs == (array(5, 2),)
    assert options_of(tick) == ObserveOptions()
    for options in ({"slack": "long"}, {"slack": 0}):
        with pytest.raises(ValueError, match="the options of the plan are of another version"):
            options_of(replace(tick, plan={"options": options}))


def test_planned_against_actual_starts(path, opened):
    """Job 1 starts 30 s after its last plan, job 2 1,000 s before its first; job 3 still waits, 4 was never planned."""
    journal = opened(path)
    ran = {"state": "RUNNING", "allocated": ("n1",)}
    plans = [
        (100, [waiting(1), waiting(2), waiting(3)], {1: (400, None, 700), 2: (2000, None, None)}),
        (200, [waiting(1), waiting(2), waiting(3)], {1: (300, None, 330), 2: (1100, None, None)}),
        (400, [waiting(1, start_time=330, **ran), waiting(2), waiting(3)], {2: (1000, None, 5000)}),
        (1010, [waiting(2, start_time=1000, **ran), waiting(3), waiting(4, start_time=1005, **ran)],
         {3: (9000, None, None)}),
    ]  # fmt: skip
    for now, jobs, starts in plans:
        journal.snapshot(cluster(*jobs, now=now))
        journal.plan(now, starts, policy="p", unit="nodes", capacity=4)
    journal.close()
    result = planned_starts(path)
    assert result["planbatch"].to_numpy().tolist() == [["1", 330, 400, 300], ["2", 1000, 2000, 1000]]
    assert result["Slurm"].to_numpy().tolist() == [["1", 330, 700, 330], ["2", 1000, 5000, 5000]]
    figures = accuracy_of(result["planbatch"])
    assert figures == {
        "jobs": 2,
        "first_within_1": 0.0, "first_within_10": 0.5, "first_early_1": 1.0, "first_late_1": 0.0,
        "last_within_1": 1.0, "last_within_10": 1.0, "last_early_1": 0.0, "last_late_1": 0.0,
    }  # fmt: skip
