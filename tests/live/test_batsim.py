"""Batsim 4: the recorded run, a small simulator of our own, and the same starts as a replay."""

import json
import threading
from pathlib import Path

import pytest
import zmq
from hypothesis import given
from hypothesis import strategies as st

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.live.batsim.protocol import choose, parse_machines, parse_message, write_machines
from planbatch.experiments.live.batsim.scheduler import BatsimOptions, BatsimScheduler
from planbatch.experiments.live.batsim.serve import serve
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.model import Workload
from planbatch.planner.plan import Plan
from tests.live.batsim_peer import Peer, PeerJob, through_text
from tests.live.lab.processes import free_ports

SAMPLES = Path(__file__).parent / "samples"


def scheduler_of(policy="plan-wait", **options):
    """A scheduler as something that can be asked."""
    policy = make_policy(policy) if isinstance(policy, str) else policy
    scheduler = BatsimScheduler(policy, BatsimOptions(**options))
    return through_text(lambda text: scheduler.answer(parse_message(text)))


# Machines


@given(st.sets(st.integers(0, 40)))
def test_machines_are_read_back_as_they_were_written(machines):
    assert parse_machines(write_machines(machines)) == machines


@pytest.mark.parametrize("text", ["x", "3-1", "1-", "-2", "1-2-3", "0-99999999999"])
def test_what_is_no_set_of_machines_is_refused(text):
    with pytest.raises(ValueError, match="no interval such as 0-3"):
        parse_machines(text)


@given(st.sets(st.integers(0, 12)), st.integers(1, 6))
def test_neighbours_are_found_if_there_are_any(free, count):
    """Against trying every range."""
    ranges = [tuple(range(i, i + count)) for i in range(13) if set(range(i, i + count)) <= free]
    assert choose(free, count, contiguous=True) == (ranges[0] if ranges else None)
    anywhere = choose(free, count, contiguous=False)
    assert anywhere == (tuple(sorted(free)[:count]) if len(free) >= count else None)


# The recorded run


def recorded(side="batsim"):
    """What one side sent in a run of Batsim 4.2.0: ten jobs on eight machines."""
    lines = (SAMPLES / "batsim_tiny.jsonl").read_text().splitlines()
    return [row[side] for row in map(json.loads, lines) if side in row]


def decisions(replies):
    """Which jobs were started when, on how many machines, and which were rejected."""
    results = set()
    for reply in replies:
        for event in reply["events"]:
            data = event["data"]
            if event["type"] == "EXECUTE_JOB":
                results.add((event["timestamp"], data["job_id"], len(parse_machines(data["alloc"]))))
            elif event["type"] == "REJECT_JOB":
                results.add((event["timestamp"], data["job_id"], 0))
    return results


def test_the_recorded_messages_are_answered_as_they_were():
    """Then, jobs were planned from scratch in every round, shortest walltime first; so does replanned:shortest."""
    replies = list(map(scheduler_of("replanned:shortest"), recorded()))
    result = decisions(replies)
    assert result == decisions(recorded("sched"))
    assert len(result) == 9
    for message, reply in zip(recorded(), replies, strict=True):
        assert reply["now"] == message["now"]
        for event in reply["events"]:
            assert set(event) == {"timestamp", "type", "data"}
            assert event["type"] in ("EXECUTE_JOB", "REJECT_JOB", "CALL_ME_LATER")


# The peer


class Serving:
    """A policy that is served in a thread; a context that waits for its end. ``ended`` is its result, or its error."""

    def __init__(self, policy: str) -> None:
        self.ready, self.policy, self.endpoint, self.ended = threading.Event(), policy, "", None
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        try:
            self.ended = serve("tcp://127.0.0.1:*", make_policy(self.policy), ready=self.listens)
        except OSError as error:
            self.ended = error

    def listens(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.ready.set()

    def __enter__(self) -> "Serving":
        self.thread.start()
        assert self.ready.wait(60)
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.REQ)
        self.socket.connect(self.endpoint)
        return self

    def ask(self, message: dict) -> dict:
        self.socket.send_string(json.dumps(message))
        return json.loads(self.socket.recv())

    def __exit__(self, *error: object) -> None:
        self.socket.close(linger=0)
        self.context.term()
        self.thread.join(60)


def peer_jobs(workload: Workload) -> list[PeerJob]:
    """The jobs of a workload as the peer has them."""
    columns = zip(*(getattr(workload, name) for name in ("id", "submit", "procs", "walltime", "runtime")), strict=True)
    return [PeerJob(f"w0!{a}", int(b), int(c), int(d), int(e)) for a, b, c, d, e in columns]


@pytest.mark.parametrize(("policy", "promise", "late"), [
    ("fcfs", "none", 0.0007), ("easy", "none", 0.0), ("easy-sjf", "none", 0.0007), ("conservative", "none", 0.0),
    ("replanned", "none", 0.0007), ("plan-wait", "none", 0.0), ("plan-wait", "10min", 0.0007),
])  # fmt: skip
def test_a_simulation_has_the_starts_of_a_replay(policy, promise, late):
    """300 jobs of Lublin's model on 64 machines; with Batsim's delays, too."""
    workload = synthetic_workload(300, capacity=64, seed=4)
    policy = make_policy(policy, **({} if promise == "none" else {"promise": promise}))
    outcome = Peer(64, peer_jobs(workload), late=late).run(scheduler_of(policy))
    trace = replay(workload, policy)
    assert [outcome.start[f"w0!{number}"] for number in workload.id] == trace.start.tolist()


@pytest.mark.parametrize("policy", ["easy", "plan-wait"])
def test_a_simulation_over_a_socket_has_the_starts_of_a_replay(policy):
    workload = synthetic_workload(120, capacity=64, seed=6)
    with Serving(policy) as serving:
        outcome = Peer(64, peer_jobs(workload)).run(serving.ask)
    trace = replay(workload, policy)
    assert [outcome.start[f"w0!{number}"] for number in workload.id] == trace.start.tolist()
    assert serving.ended.messages == outcome.messages


@pytest.mark.parametrize(
    ("policy", "full"),
    [("fcfs", False), ("easy", True), ("conservative", False), ("conservative", True), ("plan-wait", True)],
)
def test_events_of_one_instant_may_come_in_several_messages(policy, full):
    """As from Batsim 4.2.0: the wake-up, the submission, then the end. ``full``: jobs run for their whole walltimes.

    A job at its walltime has ended, though Batsim says so last: no round is held before. Jobs that are submitted in an
    instant in which another ends, before its walltime, may be planned in a round before that end.
    """
    frame = synthetic_workload(200, capacity=64, seed=7).to_frame()
    if full:
        frame["runtime"] = frame["walltime"]
    workload = Workload.from_frame(frame, 64)
    trace = Peer(64, peer_jobs(workload), together=False).run(scheduler_of(policy))
    starts = [trace.start[f"w0!{number}"] for number in workload.id]
    assert set(trace.end) == {job.name for job in peer_jobs(workload)}
    if full or policy == "fcfs":
        assert starts == replay(workload, policy).start.tolist()


def test_a_simulation_that_begins_is_another_one():
    """A Batsim died; the next one finds a machine without jobs."""
    scheduler = BatsimScheduler(make_policy("fcfs"))
    ask = through_text(lambda text: scheduler.answer(parse_message(text)))
    jobs = [PeerJob(f"w0!{number}", 0, 2, 100, 100) for number in range(3)]
    first = Peer(2, jobs)
    with pytest.raises(StopIteration):
        first.run(stopped_after(ask, 3))
    trace = Peer(2, jobs).run(ask)
    assert sorted(trace.start.values()) == [0, 100, 200]


def stopped_after(ask, count):
    """Ask no more than so often."""
    messages = iter(range(count))

    def some(message):
        next(messages)
        return ask(message)

    return some


def test_a_batsim_that_dies_ends_the_serving():
    """It had begun, and its connection is gone."""
    with Serving("fcfs") as serving, pytest.raises(StopIteration):
        Peer(2, [PeerJob("w0!1", 5, 2, 100, 100)]).run(stopped_after(serving.ask, 2))
    assert "Batsim disconnected at 5 s" in str(serving.ended)


def test_what_never_fits_is_rejected_and_the_others_run():
    jobs = [PeerJob("w0!a", 0, 5, 60, 5), PeerJob("w0!b", 0, 4, 60, 5), PeerJob("w0!c", 1, 0, 60, 5)]
    trace = Peer(4, jobs).run(scheduler_of())
    assert trace.rejected == ["w0!a", "w0!c"]
    assert trace.start == {"w0!b": 0.0}


def test_a_job_is_ended_at_its_walltime_and_one_without_any_runs_to_its_end():
    """Job b waits for a, which would run 100 s and has 20; c has no walltime."""
    rows = (("a", 0, 4, 20, 100), ("b", 1, 4, 30, 10), ("c", 2, 4, None, 40))
    jobs = [PeerJob(f"w0!{name}", *row) for name, *row in rows]
    trace = Peer(4, jobs).run(scheduler_of("fcfs"))
    assert (trace.end["w0!a"], trace.start["w0!b"]) == (20, 20)
    assert trace.end["w0!c"] == 70


def test_a_planned_start_is_waited_for():
    """A policy that lets every job wait for a minute is called when the minute is over."""

    def patient(problem, rng):
        return Plan((problem.jobs.submit + 60).clip(problem.now))

    jobs = [PeerJob("w0!a", 0, 1, 50, 5), PeerJob("w0!b", 7, 1, 50, 5)]
    assert Peer(4, jobs).run(scheduler_of(patient)).start == {"w0!a": 60, "w0!b": 67}


def test_machines_that_are_switched_off_are_not_used():
    """Two of four machines are off from 10 to 100 s: b, which needs three, waits for them, c does not."""
    rows = (("a", 0, 2, 15, 15), ("b", 20, 3, 60, 5), ("c", 30, 2, 60, 5))
    jobs = [PeerJob(f"w0!{name}", *row) for name, *row in rows]
    trace = Peer(4, jobs, outages=[(10, 100, "2-3")]).run(scheduler_of())
    assert trace.start == {"w0!a": 0, "w0!b": 100, "w0!c": 30}
    assert trace.machines["w0!c"] == {0, 1}


def test_machines_that_sleep_are_not_used():
    """Their power state is one of those for sleeping, by the platform's own words."""
    ask = scheduler_of("fcfs")
    properties = {"sleep_pstates": "13:0:15"}
    resources = [{"id": i, "state": "idle", "properties": properties} for i in range(2)]
    submitted = {"job_id": "w0!a", "job": {"id": "w0!a", "subtime": 1, "res": 2, "walltime": 9}}

    def tell(now, kind, **data):
        return ask({"now": now, "events": [{"timestamp": now, "type": kind, "data": data}]})["events"]

    assert tell(0.0, "SIMULATION_BEGINS", compute_resources=resources, config={}) == []
    assert tell(0.5, "RESOURCE_STATE_CHANGED", resources="1", state="13") == []
    assert tell(1.0, "JOB_SUBMITTED", **submitted) == []
    [event] = tell(5.0, "RESOURCE_STATE_CHANGED", resources="1", state="0")
    assert (event["type"], event["data"]["alloc"]) == ("EXECUTE_JOB", "0-1")


def test_contiguous_jobs_get_neighbours_only():
    """All run, each on one range; the peer checks that no machine is used twice."""
    jobs = peer_jobs(synthetic_workload(200, capacity=32, seed=8))
    trace = Peer(32, jobs).run(scheduler_of(contiguous=True))
    assert set(trace.end) == {job.name for job in jobs}
    assert all(max(own) - min(own) == len(own) - 1 for own in trace.machines.values())


def test_a_killed_job_gives_its_machines_back():
    ask = scheduler_of("fcfs")
    rows = [{"id": i, "state": "idle"} for i in range(2)]
    ask({"now": 0, "events": [{"timestamp": 0, "type": "SIMULATION_BEGINS", "data": {"compute_resources": rows}}]})
    for name in ("a", "b"):
        reply = ask({"now": 1, "events": [{"timestamp": 1, "type": "JOB_SUBMITTED", "data": {
            "job_id": name, "job": {"subtime": 1, "res": 2, "walltime": 50}}}]})  # fmt: skip
    assert [event["type"] for event in reply["events"]] == []
    [event] = ask({"now": 9, "events": [{"timestamp": 9, "type": "JOB_KILLED",
                                         "data": {"job_ids": ["a"], "job_progress": {}}}]})["events"]  # fmt: skip
    assert event["data"] == {"job_id": "b", "alloc": "0-1"}


@pytest.mark.parametrize(("text", "words"), [
    (b"\x80\x01", "version 5 sends flatbuffers"), (b"{", "not JSON"), (b"[]", "no list of events"),
    (b'{"now": null, "events": []}', "no number of seconds"), (b'{"now": 0, "events": [5]}', "without a type"),
    (b'{"now": 0, "events": [{"timestamp": 0, "type": "JOB_SUBMITTED", "data": {}}]}', "there is no job_id"),
    (b'{"now": 0, "events": [{"timestamp": 0, "type": "SIMULATION_BEGINS", "data": {"compute_resources": []}}]}',
     "no compute resources"),
    (b'{"now": 0, "events": [{"timestamp": 0, "type": "SIMULATION_BEGINS", "data": {"compute_resources": [{"id": 0}],'
     b' "config": {"redis-enabled": true}}}]}', "Redis"),
    (b'{"now": 0, "events": [{"timestamp": 0, "type": "SIMULATION_BEGINS", "data": {"compute_resources": [5]}}]}',
     "'5' is no object"),
    (b'{"now": 0, "events": [{"timestamp": 0, "type": "SIMULATION_BEGINS", "data": {"compute_resources": [{}]}}]}',
     "id is None, no number"),
    (b'{"now": 0, "events": [{"timestamp": 0, "type": "JOB_SUBMITTED", "data": {"job_id": "w0!a", "job": "w0!a"}}]}',
     "'w0!a' is no object"),
    (b'{"now": 0, "events": [{"timestamp": 0, "type": "JOB_SUBMITTED", "data": {"job_id": "a", "job": {"res": "2"}}}]}',
     "res is '2', no number"),
])  # fmt: skip
def test_what_is_not_batsim_4_is_told_in_one_sentence(text, words):
    with pytest.raises(ValueError, match=words):
        BatsimScheduler(make_policy("fcfs")).answer(parse_message(text))


def test_no_jobs_are_registered_and_batsim_is_told_so():
    """With dynamic jobs, Batsim waits for these words before it ends a simulation."""
    begins = {"compute_resources": [{"id": 0}], "config": {"dynamic-jobs-enabled": True}}
    message = {"now": 0.0, "events": [{"timestamp": 0.0, "type": "SIMULATION_BEGINS", "data": begins}]}
    (event,) = scheduler_of("fcfs")(message)["events"]
    assert (event["type"], event["data"]) == ("NOTIFY", {"type": "registration_finished"})


def test_a_message_that_is_none_ends_the_command_with_one_sentence(run):
    """Over the socket, as Batsim 5 would speak."""
    port = free_ports(1)[0]
    context = zmq.Context()
    socket = context.socket(zmq.REQ)
    socket.linger = 0
    socket.connect(f"tcp://127.0.0.1:{port}")
    socket.send(b"\x80\x01 flatbuffers")
    code, _, error = run("batsim", f"tcp://127.0.0.1:{port}", "--policy", "fcfs")
    socket.close()
    context.term()
    assert code == 2
    assert error.splitlines()[-1].startswith("planbatch: Batsim's message is not JSON: planbatch speaks Batsim 4")
    assert "Traceback" not in error
