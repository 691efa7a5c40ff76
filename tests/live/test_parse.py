"""What Slurm's clients print: recorded, in the other dialect, as text, hostile; and lists of hosts."""

import copy
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.live.slurm.parse import (
    job_state,
    node_state,
    origin,
    parse_jobs,
    parse_nodes,
    parse_partitions,
    pending_tasks,
)
from planbatch.experiments.live.slurm.snapshot import UNREADABLE, JobArray, JobKey, LiveJob
from planbatch.experiments.live.slurm.values import MOST_HOSTS, expand, number
from tests.live.dialects import JOB_LINES, recorded, second_dialect

PARTITION = (
    "PartitionName=main AllowGroups=ALL Default=YES DefaultTime=01:00:00 MaxNodes=3 MaxTime=7-00:00:00 Nodes=n[1-4] "
    "State=UP TotalNodes=4"
)


def jobs(data=None) -> dict[int, LiveJob]:
    return {job.job_id: job for job in parse_jobs(json.dumps(data or recorded("squeue")))}


def test_the_recorded_queue_is_read():
    """One job of each kind: running, waiting, held, with a begin time, an array, unlimited, dependent, finished."""
    result = jobs()
    assert list(result) == list(range(344, 352))
    run, wait, held, begin, array, free, after, done = result.values()
    assert run.key == JobKey(344, 1795279967, 0)
    assert (run.running, run.allocated, run.nodes, run.cpus) == (True, ("n1", "n2"), 2, 16)
    times = (run.start_time, run.end_time, run.time_limit, run.forecast)
    assert times == (1795279968, 1795280568, 600, 0)
    assert (wait.pending, wait.exclusive, wait.reason) == (True, True, "Resources")
    assert (wait.forecast, wait.start_time, wait.end_time) == (1795280568, 0, 0)
    assert (held.held, held.priority, held.deadline) == ("user", 0, 1795287167)
    assert (held.admin_comment, held.tres["mem"]) == ("plan:new", 1000)
    assert begin.begin_time == 1795283567
    started = {**recorded("squeue")["jobs"][0], "eligible_time": run.submit_time + 9}
    assert jobs({"jobs": [started]})[344].begin_time == 0  # it no longer waits for it
    assert array.array == JobArray(348, None, (0, 1, 2, 3), most=2)
    assert (free.time_limit, after.dependency) == (None, "afterok:346(unfulfilled)")
    assert (done.state, done.running, done.pending) == ("FAILED", False, False)
    assert origin(recorded("squeue")) == ("lab", "22.05.8")


def test_the_recorded_nodes_are_read():
    """Four nodes, two of them busy; a node is usable as long as no flag says otherwise."""
    nodes = parse_nodes(json.dumps(recorded("sinfo")))
    assert [(node.name, node.state, node.usable) for node in nodes] == [
        ("n1", "MIXED", True), ("n2", "MIXED", True), ("n3", "IDLE", True), ("n4", "IDLE", True)]  # fmt: skip
    assert {(node.cpus, node.memory, node.partitions) for node in nodes} == {(16, 1000, ("main",))}
    assert nodes[2].flags == {"PLANNED"}


def test_both_dialects_say_the_same():
    """Wrapped numbers and lists of states are read as plain ones are."""
    assert jobs() == jobs(second_dialect(recorded("squeue")))
    sinfo = recorded("sinfo")
    changed = {"state": "idle", "state_flags": ["DRAIN"], "reason": "fan", "gres": "gpu:a100:4(S:0-1)"}
    sinfo["nodes"][1] |= changed
    old, new = parse_nodes(json.dumps(sinfo)), parse_nodes(second_dialect(sinfo))
    assert old == new
    assert (new[1].usable, new[1].gpus, new[1].reason) == (False, 4, "fan")
    assert origin(second_dialect(recorded("squeue"))) == ("lab", "24.05.3")


def test_scontrol_says_the_same_as_text():
    """The recorded text has every job of the recorded JSON, with the same fields; other numbers are left out."""
    from_text = {job.job_id: job for job in parse_jobs(JOB_LINES)}
    assert {number: from_text[number] for number in jobs()} == jobs()
    assert [job.job_id for job in parse_jobs(JOB_LINES, {344})] == [344]


LINE = JOB_LINES.splitlines()[3]


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_name_or_comment_changes_what_else_is_read_from_text(name, comment):
    """A job that imitates fields is not believed; every other one is read as it is.

    Rows that are made up have a number that no job has, and are left out; those that take another job's number make
    both unreadable, never another job's fields different.
    """
    line = LINE.replace("JobName=running", f"JobName={name}").replace("Comment=noplan", f"Comment={comment}")
    other = LINE.replace("JobId=344", "JobId=345")
    plain = parse_jobs(other)[0]
    for job in parse_jobs(f"{line}\n{other}\n", {344, 345}):
        assert job.job_id in {344, 345}
        if job.state == UNREADABLE:
            continue
        if job.job_id == 344:
            job = replace(job, name=plain.name, comment=plain.comment, key=plain.key)
        assert job == plain


@pytest.mark.parametrize("name", [
    "x UserId=eve(7) GroupId=g(1) MCS_label=N/A Priority=9 ", "x\nJobId=345 JobName=y", "x JobState=PENDING",
    f"x\n{LINE.replace('344', '345')}",
])  # fmt: skip
def test_an_imitation_is_not_believed(name):
    """A name that holds fields, a whole row, or another job's row."""
    text = f"{LINE.replace('JobName=running', f'JobName={name}')}\n{LINE.replace('344', '345')}\n"
    result = {job.job_id: job for job in parse_jobs(text, {344, 345})}
    assert UNREADABLE in {job.state for job in result.values()}
    assert all(job.user in ("root", "") for job in result.values())
    assert not any(job.pending for job in result.values())


@given(st.text(), st.text())
def test_hostile_names_are_only_names_in_json(name, comment):
    """Whatever users write stands in its own field."""
    data = recorded("squeue")
    data["jobs"] = [{**data["jobs"][0], "name": name, "comment": comment}]
    (job,) = parse_jobs(json.dumps(data))
    assert (job.name, job.comment) == (name, comment)
    assert replace(job, name="running", comment="noplan") == jobs()[344]


def test_nodes_are_told_from_text():
    """States with flags and marks, specialised cores, GPUs, the reason at the end."""
    text = (
        "NodeName=n1 Arch=x86_64 CPUAlloc=0 CPUEfctv=14 CPUTot=16 Gres=gpu:2(S:0) OS=Linux #1 SMP RealMemory=1000 "
        "State=IDLE+DRAIN* Partitions=main,long  BootTime=1 Reason=bad fan State=IDLE [root@1]\n"
        "NodeName=n2 CPUTot=16 State=MIXED Partitions=main\n"
    )
    first, second = parse_nodes(text)
    assert (first.state, first.flags, first.usable) == ("IDLE", {"DRAIN", "NOT_RESPONDING"}, False)
    assert (first.cpus, first.gpus, first.partitions) == (14, 2, ("main", "long"))
    assert first.reason.startswith("bad fan")
    assert (second.state, second.usable, second.cpus) == ("MIXED", True, 16)


def test_groups_of_nodes_are_read():
    """From 23.02 on sinfo writes one row for each partition and group; a node in two partitions is one node."""
    row = {
        "port": 1, "node": {"state": ["MIXED"]}, "nodes": {"nodes": ["a", "b"]}, "cpus": {"minimum": 64},
        "gres": {"total": "gpu:4"}, "memory": {"minimum": 7}, "reason": {"description": ""},
        "partition": {"name": "short"},
    }  # fmt: skip
    result = parse_nodes({"errors": [], "sinfo": [row, {**row, "partition": {"name": "long"}}]})
    assert [(node.name, node.partitions, node.cpus, node.gpus) for node in result] == [
        ("a", ("short", "long"), 64, 4), ("b", ("short", "long"), 64, 4)]  # fmt: skip


def test_partitions_are_read():
    """Limits in seconds, names of nodes; NONE and UNLIMITED are no limits."""
    (main,) = parse_partitions(PARTITION)
    assert (main.name, main.nodes) == ("main", ("n1", "n2", "n3", "n4"))
    assert main.up
    assert (main.default_time, main.max_time, main.max_nodes) == (3600, 604800, 3)
    other = PARTITION.replace("7-00:00:00", "UNLIMITED").replace("01:00:00", "NONE")
    (down,) = parse_partitions(other.replace("=UP", "=DOWN"))
    assert (down.default_time, down.max_time, down.up) == (None, None, False)


@pytest.mark.parametrize(("states", "state"), [
    (("PENDING",), "PENDING"), (("RUNNING",), "RUNNING"), (("RUNNING", "CONFIGURING"), "CONFIGURING"),
    (("COMPLETED", "COMPLETING"), "COMPLETING"), (("FAILED", "COMPLETING"), "COMPLETING"),
    (("COMPLETED",), "COMPLETED"), (("CANCELLED",), "CANCELLED"), (("PENDING", "REQUEUED"), "PENDING"),
])  # fmt: skip
def test_a_job_holds_nodes_until_it_has_given_them_back(states, state):
    """Of several states, that counts which says what the job holds."""
    assert job_state(states) == state


def test_states_of_nodes_are_told_from_their_flags():
    """The order does not count."""
    assert node_state(("DRAIN", "IDLE")) == node_state(("IDLE", "DRAIN")) == ("IDLE", {"DRAIN"})
    assert node_state(()) == ("UNKNOWN", frozenset())


@pytest.mark.parametrize(("fields_", "gpus"), [
    ({"tres_req_str": "cpu=4,gres/gpu=8"}, 8), ({"tres_req_str": "cpu=4,gres/gpu:a100=2,gres/gpu:t4=1"}, 3),
    ({"tres_per_node": "gres:gpu:2", "node_count": 4}, 8), ({"tres_per_job": "gres/gpu:a100:3"}, 3),
    ({"tres_per_task": "gpu:1", "tasks": 5}, 5),
    ({"job_state": "RUNNING", "gres_detail": ["gpu:2(IDX:0-1)", "gpu:1(IDX:3)"]}, 3),
])  # fmt: skip
def test_gpus_are_counted_however_they_are_asked_for(fields_, gpus):
    """For the whole job, for each node or each task; of a running job, those that it has."""
    data = recorded("squeue")
    data["jobs"] = [{**data["jobs"][1], **fields_}]
    assert parse_jobs(data)[0].gpus == gpus


@pytest.mark.parametrize(("text", "tasks", "most", "cut_off"), [
    ("0-3", (0, 1, 2, 3), None, False), ("1,3,5-9:2%4", (1, 3, 5, 7, 9), 4, False), ("[7]", (7,), None, False),
    ("0x15%2", (0, 2, 4), 2, False), ("1,3,5,6...", (1, 3, 5), None, True),
])  # fmt: skip
def test_tasks_that_wait_are_expanded(text, tasks, most, cut_off):
    """Ranges, steps, masks, how many at once, and lists that Slurm cut off in the middle of a number."""
    array = pending_tasks(59, text)
    assert (array.tasks, array.most, array.cut_off) == (tasks, most, cut_off)


@pytest.mark.parametrize("text", ["", "a", "3-1", "1-9999999", "1-5:0", "-4"])
def test_what_is_no_list_of_tasks_is_reported(text):
    with pytest.raises(ValueError, match="array"):
        pending_tasks(59, text)


@pytest.mark.parametrize("text", ["5.5", "five", "[1]", True, 1.5])
def test_what_is_no_number_is_reported(text):
    with pytest.raises(ValueError, match=r"cpus: .* is not a whole number"):
        number(text, "cpus")


@given(st.integers(1, 2000))
def test_json_that_is_cut_off_is_one_sentence(at):
    """Wherever it ends."""
    text = json.dumps(recorded("squeue"))
    with pytest.raises(ValueError, match=r"^squeue: its JSON is cut off or damaged \([^\n]*\)$"):
        parse_jobs(text[: -min(at, len(text) - 1)])


def changed(**fields) -> dict:
    """The recorded queue with one job, of which fields are others."""
    return {"jobs": [recorded("squeue")["jobs"][0] | fields]}


@pytest.mark.parametrize(("change", "message"), [
    ({"jobs": None}, "no list 'jobs'"), ({"jobs": ["x"]}, r"jobs\[0\] is no object"),
    ({"errors": [{"description": "Unable to contact slurm controller"}]}, "Unable to contact slurm controller"),
    ({"errors": {"description": "Unable"}}, "it reports an error: Unable"), ({"errors": 5}, "it reports an error: 5"),
    ({"jobs": [{"job_id": 7}]}, r"jobs\[0\] \(7\): the field 'job_state' is missing"),
    (changed(cpus="x"), r"\(344\): cpus: 'x' is not a whole number"),
    (changed(user_id=10**30), "user_id: 10+ is too large"),
    (changed(submit_time=float("inf")), "submit_time: 'inf' is not a whole number"),
    (changed(tres_alloc_str=f"mem={10**30}"), r"mem: \d+ is too large"),
    (changed(nodes="n[1-"), "bracket is not closed"), (changed(job_state=[]), "job_state is empty"),
])  # fmt: skip
def test_what_cannot_be_read_is_one_sentence(change, message):
    """It names the job and the field."""
    with pytest.raises(ValueError, match=message) as caught:
        parse_jobs(json.dumps({**recorded("squeue"), **change}))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("meta", ["x", 5, ["x"], {"slurm": "22.05"}, {"slurm": ["22", "05"]}])
def test_an_origin_that_cannot_be_read_is_not_known(meta):
    assert origin({**recorded("squeue"), "meta": meta})[1] == ""


@pytest.mark.parametrize(("parse", "text", "message"), [
    (parse_nodes, "NodeName=n1 State=IDLE", r"scontrol: node n1: 'CPUTot' is missing; is it cut off\?"),
    (parse_nodes, "<html>", "scontrol: '<html>' is no node"),
    (parse_partitions, "PartitionName=a MaxTime=soon", "scontrol: partition a: 'soon' is no duration"),
    (parse_partitions, "{}", "scontrol: '{}' is no partition"),
])  # fmt: skip
def test_a_line_that_cannot_be_read_is_named(parse, text, message):
    with pytest.raises(ValueError, match=message):
        parse(text)


@pytest.mark.parametrize("text", ["slurm_load_jobs error: Unable to contact", "[1, 2]", "<html>"])
def test_what_is_no_list_of_jobs_is_reported(text):
    """Neither JSON nor text of ours."""
    with pytest.raises(ValueError, match="squeue"):
        parse_jobs(text)


def test_no_jobs_are_no_jobs():
    """An empty queue, in every form."""
    for text in ("", "\n", "No jobs in the system\n", json.dumps({"jobs": [], "errors": []})):
        assert parse_jobs(text) == ()


@pytest.mark.parametrize("release", ["20.11.9", "25.11.0", "19.05.1", "26.05.0"])
def test_versions_that_are_not_known_are_reported(release):
    """Rather than read wrongly."""
    data = copy.deepcopy(recorded("squeue"))
    data["meta"]["Slurm"]["release"] = release
    if release.startswith("2") and release < "26":
        assert origin(data) == ("lab", release)
    else:
        with pytest.raises(ValueError, match=f"Slurm {release} is not known here"):
            origin(data)


# Lists of hosts, against a plain reading of them.


NAMES = st.text("abn-_.", min_size=1, max_size=4)
RANGES = st.tuples(st.integers(0, 120), st.integers(0, 12), st.integers(0, 3))


@given(st.lists(st.tuples(NAMES, st.lists(RANGES, max_size=3)), min_size=1, max_size=4))
def test_a_list_names_its_hosts_in_order(parts):
    """Written with ranges, and expanded again."""
    expressions, hosts = [], []
    for name, ranges in parts:
        if not ranges:
            expressions.append(name)
            hosts.append(name)
            continue
        pieces = []
        for first, count, zeros in ranges:
            width = len(str(first)) + zeros
            pieces.append(f"{first:0{width}d}-{first + count:0{width}d}" if count else f"{first:0{width}d}")
            hosts += [f"{name}{k:0{width}d}" for k in range(first, first + count + 1)]
        expressions.append(f"{name}[{','.join(pieces)}]")
    assert list(expand(",".join(expressions))) == hosts


@given(st.text("n[]-,0129 \n;$", max_size=30))
def test_anything_is_a_list_or_an_error_of_one_sentence(text):
    """Names come from outside."""
    try:
        hosts = expand(text)
    except ValueError as error:
        sentence = str(error)
    else:
        sentence = f"hosts {len(hosts)}"
        assert len(hosts) <= MOST_HOSTS
    assert sentence.startswith("hosts ")


@pytest.mark.parametrize("text", ["n[1-2", "n]1[", "n[[1]]", "n[2-1]", "n[a-b]", "n[1-2],,m", "n[1-99999999]",
                                  "n[1-9999][1-9999]"])  # fmt: skip
def test_what_is_no_list_is_reported(text):
    """Cut off, backwards, or too many."""
    with pytest.raises(ValueError, match="hosts"):
        expand(text)
