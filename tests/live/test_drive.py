"""The driver, tick by tick, on a cluster that is only a model; planning, the journal, metrics."""

import json
import shutil
import socket
import threading
import urllib.request
from dataclasses import replace
from threading import Event, Lock
from urllib.error import HTTPError

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.cli.shell import say
from planbatch.experiments.live.journal import Journal, read_ticks
from planbatch.experiments.live.planning import Guard
from planbatch.experiments.live.slurm.client import Answer, SlurmError
from planbatch.experiments.live.slurm.drive import Driver, Rivals, record
from planbatch.experiments.live.slurm.estimates import remembered
from planbatch.experiments.live.slurm.marks import DriveRules, Target, mark_of
from planbatch.experiments.live.slurm.metering import Meter, served
from planbatch.experiments.live.slurm.planner import Planner
from planbatch.experiments.live.slurm.snapshot import JobArray
from planbatch.experiments.live.slurm.tick import beat, last_beat, release_all, silent_for
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan
from tests.live.model import NOW, applied, found, freed, job, parked, snapshot

STRICT = DriveRules("strict", every=5, grace=15)


class Cluster:
    """A model of a cluster, as a client and as something to read; ``faults`` are raised one after the other."""

    def __init__(self, *jobs, now=NOW):
        self.now, self.queue = now, snapshot(*jobs, now=now)
        self.faults, self.sent = [], []
        self.one_at_a_time = Lock()  # drivers send lines side by side

    def clock(self):
        return float(self.now)

    def read(self):
        if self.faults:
            raise self.faults.pop(0)
        return replace(self.queue, time=self.now)

    def script(self, lines):
        with self.one_at_a_time:
            self.sent += lines
            self.queue = applied(self.queue, lines)
        return [Answer(line, True) for line in lines]


def driver(cluster, tmp_path, rules=STRICT, policy="fcfs", **fields):
    """A driver of a model."""
    made = make_policy(policy) if isinstance(policy, str) else policy
    return Driver(
        cluster,
        Planner(made, rules),
        rules,
        tmp_path,
        clock=cluster.clock,
        read=cluster.read,
        **fields,
    )


def arrived(number, **fields):
    """A job that arrived with a begin time ahead: of all eight nodes, one minute."""
    plain = {"nodes": 8, "cpus": 256, "exclusive": True, "time_limit": 60, "submit": NOW - number}
    return parked(number, **(plain | fields))


def test_a_tick_releases_what_is_due(tmp_path):
    """Two jobs of the whole machine, FCFS: 2 was submitted first, and starts now; 1 has to wait for it."""
    cluster = Cluster(arrived(1), arrived(2))
    tick = driver(cluster, tmp_path).tick({})
    assert [command.label for command in tick.commands] == ["2"]
    assert tick.planned.starts == {Target(arrived(2).key): NOW, Target(arrived(1).key): NOW + 63}
    assert found(cluster.queue, 2).begin_time == NOW


def test_what_falls_due_while_it_is_planned_waits_for_the_next_tick(tmp_path):
    """A job of all nodes ends within a second, by its limit; that it has ended, only the next snapshot tells."""
    names = tuple(f"n{i}" for i in range(8))
    ends = job(9, nodes=8, cpus=256, state="RUNNING", exclusive=True, allocated=names, start_time=NOW - 59,
               end_time=NOW + 1, time_limit=60)  # fmt: skip
    cluster = Cluster(ends, arrived(1))
    one = driver(cluster, tmp_path, policy="conservative")
    slow = replace(one, clock=lambda: NOW + 2.0)  # the time after planning
    tick = slow.tick({})
    assert tick.planned.starts == {Target(arrived(1).key): NOW + 1}
    assert tick.commands == ()
    cluster.now = NOW + 2
    assert one.tick(tick.planned.memory).commands == ()  # it overruns
    cluster.queue = replace(cluster.queue, jobs=(arrived(1),))
    assert [command.action for command in one.tick({}).commands] == ["release"]


def busy_node():
    """A job that has n0 for an hour; and builders of jobs that ask for it."""
    return job(
        90,
        state="RUNNING",
        exclusive=True,
        allocated=("n0",),
        start_time=NOW - 9,
        end_time=NOW + 3600,
    )


def small(number, **fields):
    """A job of one node that waits for the driver; the lower its number, the later it was submitted."""
    return arrived(number, **({"nodes": 1, "cpus": 32} | fields))


@pytest.mark.parametrize("mode", ["strict", "soft"])
def test_jobs_that_slurm_refuses_hold_a_share_of_the_machine_and_no_more(tmp_path, mode):
    """Finding 1: eve's jobs need a licence that is used up; ann's have the eight nodes but one.

    For one tick, eve's seven are released; then they are taken back, and of all that she has, one may try.
    """
    rules = DriveRules(mode, every=1, grace=15)
    eves = [small(number, user="eve", licenses="matlab:1") for number in range(50, 80)]
    cluster = Cluster(busy_node(), *eves, *(small(number) for number in range(1, 31)))
    one = driver(cluster, tmp_path, rules)
    memory, started, tries = {}, [], []
    for _ in range(12):
        cluster.now += 1
        tick = one.tick(memory)
        memory = tick.planned.memory
        jobs = []
        for each in cluster.queue.jobs:
            free = each.pending and each.begin_time <= cluster.now and mark_of(each.admin_comment)
            if free and each.user == "eve":
                each = replace(each, reason="Licenses")
            elif free:
                started.append(each.job_id)
                each = replace(each, state="COMPLETED")
            jobs.append(each)
        tries.append(
            sum(each.reason == "Licenses" and each.begin_time <= cluster.now for each in jobs)
        )
        cluster.queue = replace(cluster.queue, jobs=tuple(jobs))
    assert len(started) == 30
    assert tries[0] == 7
    assert max(tries[1:]) == 1


def test_nobody_starts_in_the_place_of_a_released_job(tmp_path):
    """Job 2 is released and has not started: it counts as running for a minute, and 1 is planned behind it."""
    cluster = Cluster(arrived(1), arrived(2))
    one = driver(cluster, tmp_path)
    first = one.tick({})
    cluster.now += 3
    second = one.tick(first.planned.memory)
    assert second.commands == ()
    assert second.planned.starts == {Target(arrived(1).key): NOW + 63}
    assert len(second.planned.plan.problem.running.end) == 1


def test_what_a_policy_puts_off_is_not_released():
    """EASY gives no start to jobs behind the first that does not fit; they come behind it."""
    planner = Planner(make_policy("easy"), STRICT)
    queue = snapshot(arrived(2), arrived(1, nodes=1, cpus=32, time_limit=6000),
                     job(3, state="RUNNING", nodes=1, cpus=32, exclusive=True, allocated=("n0",),
                         start_time=NOW - 10, end_time=NOW + 50))  # fmt: skip
    planned = planner(queue, {})
    assert all(start > NOW for start in planned.starts.values())


def test_a_plan_that_breaks_a_rule_is_not_carried_out(tmp_path):
    """A policy that starts everything at once."""
    cluster = Cluster(arrived(1), arrived(2))

    def greedy(problem, rng):
        return Plan(np.full(len(problem), problem.now))

    tick = driver(cluster, tmp_path, policy=greedy).tick({})
    assert tick.kind == "plan"
    assert "the policy's plan breaks a rule: 16 processors are in use" in tick.fault
    assert cluster.sent == []


def test_a_policy_that_raises_does_nothing(tmp_path):
    cluster = Cluster(arrived(1))

    def broken(problem, rng):
        raise KeyError("of\nmine")

    tick = driver(cluster, tmp_path, policy=broken).tick({})
    assert (tick.kind, cluster.sent) == ("plan", [])
    assert "\n" not in tick.fault


def test_without_a_usable_node_nothing_is_done(tmp_path):
    """Failure 7: right after a restart of the controller."""
    cluster = Cluster(arrived(1))
    nodes = tuple(replace(node, state="UNKNOWN") for node in cluster.queue.nodes)
    cluster.queue = replace(cluster.queue, nodes=nodes)
    tick = driver(cluster, tmp_path).tick({})
    assert "no node is usable" in tick.fault
    assert cluster.sent == []


def test_a_dry_run_sends_nothing(tmp_path):
    cluster = Cluster(arrived(1))
    tick = driver(cluster, tmp_path, dry_run=True).tick({})
    assert [command.action for command in tick.commands] == ["release"]
    assert cluster.sent == []


def run_for(one, cluster, ticks, memory=None):
    """Let a driver run for some ticks of five seconds; return them."""
    stop, told = Event(), []

    class Impatient(Event):
        def wait(self, timeout=None):
            cluster.now += 5
            if len(told) >= ticks:
                self.set()
            return self.is_set()

    stop = Impatient()
    with one.alone():
        one.run(stop, told.append, memory or {})
    return told


def test_it_goes_on_after_faults_and_its_heart_beats_if_they_are_not_its_own(tmp_path):
    """Unreachable, then cut off, then well: what is due is released in the third tick."""
    cluster = Cluster(arrived(1))
    cluster.faults = [SlurmError("unreachable", "gone"), SlurmError("garbled", "cut off")]
    one = driver(cluster, tmp_path, on_exit="keep")
    beats = []
    stop = Event()

    def tell(tick):
        beats.append(last_beat(one.heartbeat))
        cluster.now += 5
        if len(beats) == 3:
            stop.set()

    with one.alone(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Driver, "_pause", lambda self, tick: 0.0)
        one.run(stop, tell, {})
    assert beats == [NOW, NOW, NOW + 10]  # the second is that of the first
    assert cluster.sent == [
        f"update JobId=1 StartTime=uts{NOW + 10} AdminComment=planbatch:asked=0:begin={NOW + 10}"
    ]


def test_the_heart_stops_if_slurm_lets_the_driver_do_nothing(tmp_path):
    """Rights were taken: the watchdog is to step in. Of two jobs one refused is no reason, nor is a job that ended."""
    for words, beats in (
        (
            {1: "Access/permission denied for job {}", 2: "Access/permission denied for job {}"},
            0,
        ),
        ({1: "Access/permission denied for job {}"}, NOW),
        ({1: "Job has already finished for job {}", 2: "Requested partition is down, job {}"}, NOW),
    ):
        cluster = Quicker(whole(1), whole(2), refused=words)
        one = driver(cluster, tmp_path / str(len(words)), SOFT, on_exit="keep")
        one.heartbeat.unlink(missing_ok=True)
        run_for(one, cluster, 1)
        assert last_beat(one.heartbeat) == beats


def test_at_the_end_everything_is_given_back(tmp_path):
    cluster = Cluster(arrived(1), arrived(2), arrived(3, held="user"))
    one = driver(cluster, tmp_path)
    ticks = run_for(one, cluster, 1)
    assert [each.held for each in cluster.queue.jobs] == [None, None, "user"]
    assert all(each.begin_time <= cluster.now for each in cluster.queue.jobs)
    assert "job 3 is held by its user" in ticks[-1].notes[0]
    assert {each.admin_comment for each in cluster.queue.jobs} == {"planbatch:free"}
    assert last_beat(one.heartbeat) is None


def test_or_kept_for_the_next_driver(tmp_path):
    cluster = Cluster(arrived(1), arrived(2))
    one = driver(cluster, tmp_path, on_exit="keep")
    run_for(one, cluster, 1)
    assert found(cluster.queue, 1).begin_time == NOW + 600
    assert last_beat(one.heartbeat) == NOW


@pytest.mark.parametrize("on_exit", ["release", "keep"])
def test_a_heart_that_cannot_beat_is_reported_and_retried_then_everything_is_given_back(
    tmp_path, monkeypatch, on_exit
):
    """Finding 3: the disk is full; two ticks of which one is good are no reason to leave."""
    cluster = Cluster(arrived(1), arrived(2))
    one = driver(cluster, tmp_path, on_exit=on_exit)
    beats = []

    def full(path, now):
        beats.append(now)
        if len(beats) not in (1, 3):  # the first is that of the beginning
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("planbatch.experiments.live.slurm.drive.beat", full)
    ticks = run_for(one, cluster, 99)
    assert len(beats) == 6
    assert [tick.kind for tick in ticks[:5]] == ["heartbeat", "", *["heartbeat"] * 3]
    assert "No space left on device" in ticks[0].fault
    assert "heartbeat" in ticks[0].fault
    assert {each.admin_comment for each in cluster.queue.jobs} == {"planbatch:free"}


def test_a_state_folder_that_goes_is_no_way_to_die(tmp_path):
    """Finding 3: nobody makes it anew, since the lock is gone with it."""
    cluster = Cluster(arrived(1), arrived(2))
    one = driver(cluster, tmp_path / "state")
    gone = []

    def read():
        if not gone:
            shutil.rmtree(tmp_path / "state")
            gone.append(True)
        return cluster.read()

    ticks = run_for(replace(one, read=read), cluster, 99)
    assert [tick.kind for tick in ticks[:3]] == ["heartbeat"] * 3
    assert {each.admin_comment for each in cluster.queue.jobs} == {"planbatch:free"}


def test_a_heart_that_cannot_beat_from_the_first_does_nothing(tmp_path):
    cluster = Cluster(arrived(1))
    one = driver(cluster, tmp_path)
    one.heartbeat.mkdir(parents=True)
    with pytest.raises(OSError):
        run_for(one, cluster, 1)
    assert cluster.sent == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_whatever_ends_a_driver_takes_the_way_out(tmp_path, error):
    """A policy is interrupted, or a bug ends the loop."""
    cluster = Cluster(arrived(1))
    one = driver(cluster, tmp_path)

    def ended(tick):
        if not tick.commands or tick.commands[0].action != "give back":
            raise error

    with one.alone(), pytest.raises(error):
        one.run(Event(), ended, {})
    assert found(cluster.queue, 1).admin_comment == "planbatch:free"
    assert last_beat(one.heartbeat) is None


@pytest.mark.parametrize(
    ("last", "now", "silent"), [(100, 130, 30), (100, 96, 0), (3700, 100, float("inf"))]
)
def test_a_heartbeat_of_the_future_is_none(tmp_path, last, now, silent):
    """Finding 8: a clock was an hour fast; a few seconds between two machines are nothing."""
    beat(tmp_path / "heartbeat", last)
    assert silent_for(tmp_path / "heartbeat", now) == silent


def test_if_nodes_idle_that_jobs_could_have_slurm_has_its_way(tmp_path):
    """A policy that starts nothing, though eight nodes are idle: after three ticks it only looks on."""
    cluster = Cluster(small(1), small(2))

    def idler(problem, rng):
        return Plan(np.full(len(problem), NEVER))

    one, meter = driver(cluster, tmp_path, policy=idler), Meter(every=5)
    ticks = run_for(one, cluster, 6)
    assert [tick.idle for tick in ticks[:3]] == [1, 2, 3]
    assert ticks[3].commands[0].action == "give back"  # the way out, in the same tick
    assert all(each.admin_comment == "planbatch:free" for each in cluster.queue.jobs)
    assert last_beat(one.heartbeat) is None
    last = ticks[5]
    assert (last.observing, last.commands, len(last.planned.starts)) == (True, (), 2)
    meter(last)
    assert meter.registry.get_sample_value("planbatch_driving") == 0
    assert meter.registry.get_sample_value("planbatch_idle_ticks") == 0  # no job is planbatch's
    assert meter.health()["well"] is False


def test_plans_that_fail_count_only_if_a_node_could_run_a_job(tmp_path):
    """Right after a restart of the controller, all nodes are unknown: nothing idles; then a policy that raises."""
    cluster = Cluster(arrived(1))

    def broken(problem, rng):
        raise KeyError("of mine")

    one = driver(cluster, tmp_path, policy=broken)
    assert one.tick({}).idles
    nodes = tuple(replace(node, state="UNKNOWN") for node in cluster.queue.nodes)
    cluster.queue = replace(cluster.queue, nodes=nodes)
    tick = one.tick({})
    assert (tick.kind, tick.idles) == ("plan", False)


def test_a_released_job_that_slurm_starts_late_does_not_put_off_the_first_in_line():
    """Eight nodes, a small job is released at NOW and starts after 3 s; the large one behind it is planned for 63 s.

    Counted anew in each tick, the small job would end later each time, and other small ones could go first for ever.
    """
    planner = Planner(make_policy("plan-wait"), STRICT, guard=Guard.parse("0s"))
    memory, starts = {}, []
    for second in range(4):
        queue = snapshot(
            freed(1, exclusive=True, time_limit=60),
            arrived(9, submit=NOW - 50),
            *(small(k, time_limit=60, submit=NOW - 10) for k in range(10, 20)),
            now=NOW + second,
        )
        planned = planner(queue, memory)
        memory = planned.memory
        starts.append(planned.starts[Target(arrived(9, submit=NOW - 50).key)] - NOW)
    assert starts == [63] * 4


@pytest.mark.parametrize(("guard", "numbers"), [("0s", [2]), ("1h", []), ("none", [])])
def test_the_first_in_line_is_protected_when_its_guard_allows_no_more_delay(guard, numbers):
    """Job 2, which was submitted first, waits for n0; it may be overtaken for no time, an hour, or ever."""
    runs = busy_node()
    planner = Planner(make_policy("plan-wait"), SOFT, guard=Guard.parse(guard))
    planned = planner(snapshot(runs, arrived(1), arrived(2)), {})
    assert [target.key.job_id for target in planned.protected] == numbers


def test_nodes_that_are_kept_free_for_a_large_job_do_not_idle(tmp_path):
    """And what is released, has just started or waits for Slurm does not count either."""
    large = arrived(9, time_limit=60)
    cluster = Cluster(replace(busy_node(), end_time=NOW + 60), large, small(1, time_limit=600))
    one = driver(cluster, tmp_path, policy="conservative")
    ticks = run_for(one, cluster, 5)
    assert [tick.idle for tick in ticks[:5]] == [0] * 5
    assert not any(tick.observing for tick in ticks)


def test_a_job_that_ends_between_two_ticks_begins_one(tmp_path):
    """Ticks are an hour apart; job 9, which has all nodes, ends during the third look, and 1 is released.

    A job that a snapshot does not explain begins one tick, not one after the other.
    """
    looks, ticks, stop = [], [], Event()
    names = tuple(f"n{i}" for i in range(8))
    runs = job(9, nodes=8, cpus=256, state="RUNNING", exclusive=True, allocated=names, start_time=NOW - 9,
               end_time=NOW + 600, time_limit=609)  # fmt: skip

    class Watched(Cluster):
        def queued(self):
            looks.append(self.now)
            if len(looks) == 3:
                self.queue = replace(self.queue, jobs=(arrived(1),))
            if len(looks) == 6:
                stop.set()
            unexplained = {77} if len(looks) > 3 else set()
            return frozenset(each.job_id for each in self.queue.jobs) | unexplained

    cluster = Watched(runs, arrived(1))
    rules = replace(STRICT, every=3600, look=0.01)
    driver(cluster, tmp_path, rules, on_exit="keep").run(stop, ticks.append, {})
    assert [[command.action for command in tick.commands] for tick in ticks] == [
        [],
        ["release"],
        [],
    ]
    assert len(looks) == 6


def test_there_is_only_one_driver(tmp_path):
    cluster = Cluster()
    with (
        driver(cluster, tmp_path).alone(),
        pytest.raises(BlockingIOError, match="another driver is running"),
        driver(cluster, tmp_path).alone(),
    ):
        pass
    with driver(cluster, tmp_path).alone():
        pass


def test_two_drivers_notice_each_other_through_slurm_and_the_older_one_goes_on(tmp_path):
    """Finding 11: on two machines, so with two folders; what a killed one left is no sign of life."""
    cluster = Cluster(arrived(1), arrived(2), arrived(3))
    killed, older, younger = (
        driver(cluster, tmp_path / str(name), replace(STRICT, driver=name)) for name in (5, 6, 7)
    )
    killed.tick({})
    memory, ticks = {}, []

    def beside(tick):
        """The older one ticks behind each tick of the younger one."""
        ticks.append(tick)
        cluster.now += 300  # so that there is something to renew
        older.tick(memory)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Driver, "_pause", lambda self, tick: 0.0)
        with (
            younger.alone(),
            pytest.raises(BlockingIOError, match="another driver is running"),
        ):
            younger.run(Event(), beside, {})
    assert len(ticks) == 1
    assert not any(each.admin_comment == "planbatch:free" for each in cluster.queue.jobs)


def test_what_a_killed_driver_left_stops_nobody(tmp_path):
    """Its marks, those of an array's tasks that are split off, and marks of a younger one, which will go itself."""
    row = JobArray(1, None, (1, 2), 2)
    before, mine = f"asked=0:begin={NOW + 500}:by=5", f"asked=0:begin={NOW + 500}:by=9"
    rivals = Rivals(7)
    first = job(1, before, array=row)
    rivals.check(snapshot(first, job(8)))
    task = job(2, before, array=JobArray(1, 2))
    rivals.check(snapshot(first, task, job(8, mine)))
    rivals.check(snapshot(job(1, before, restarts=1, submit=NOW - 1, array=row)))
    with pytest.raises(BlockingIOError):
        rivals.check(snapshot(first, task, job(8, before)))


def test_the_way_out_is_tried_again_and_told(tmp_path):
    """The first attempt reaches nobody."""
    cluster, told = Cluster(arrived(1)), []
    client = type("Client", (), {"script": cluster.script})()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "planbatch.experiments.live.slurm.tick.read_snapshot", lambda client: cluster.read()
        )
        cluster.faults = [SlurmError("unreachable", "gone")]
        assert release_all(client, told.append, clock=cluster.clock)
        cluster.faults = [SlurmError("rights", "denied")]
        assert not release_all(client, told.append, clock=cluster.clock)
    assert [bool(tick.fault) for tick in told] == [True, False, False, True]
    assert found(cluster.queue, 1).begin_time == NOW


# The journal


def test_the_next_driver_finds_what_was_planned_and_promised(tmp_path):
    """The number of job 9 was given out again since: of the new one, nothing is known."""
    policy = make_policy("plan-wait", promise="10min")
    planner = Planner(policy, STRICT)
    cluster = Cluster(arrived(1), arrived(2), arrived(9))
    one = replace(driver(cluster, tmp_path), planning=planner)
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    tick = one.tick({})
    record(journal, planner, tick)
    journal.close()
    memory = remembered(path, NOW + 5)
    assert {target.key.job_id for target in memory} == {1, 2, 9}
    known = tick.planned.memory
    assert all(memory[target].planned == known[target].planned for target in memory)
    assert all(memory[target].latest == known[target].latest for target in memory)
    assert Target(arrived(9, submit=NOW + 3).key) not in memory
    assert remembered(path, NOW + 7200) == {}
    assert remembered(tmp_path / "absent.jsonl", NOW) == {}


def test_the_journal_has_commands_results_and_faults(tmp_path):
    cluster = Cluster(arrived(1))
    one = driver(cluster, tmp_path)
    journal = Journal(tmp_path / "journal.jsonl")
    record(journal, one.planning, one.tick({}))
    cluster.now += 5
    cluster.faults = [SlurmError("unreachable", "gone")]
    record(journal, one.planning, one.tick({}))
    journal.close()
    first, second = read_ticks(tmp_path / "journal.jsonl")
    commands, results = first.others
    assert [row["deed"] for row in commands["commands"]] == ["release"]
    assert commands["commands"][0]["job"] == list(arrived(1).key)
    assert results["done"] == 1
    assert second.others[0]["message"] == "gone"


# Metrics


def fetched(address):
    """Status and text of an answer."""
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_metrics_and_health(tmp_path):
    """A good tick, and a fault; then the driver is silent for too long."""
    cluster = Cluster(arrived(1), arrived(2))
    one = driver(cluster, tmp_path)
    meter = Meter(every=5)
    meter(one.tick({}))
    cluster.faults = [SlurmError("hang", "no answer")]
    meter(one.tick({}))
    with served(meter, 0) as port:
        address = f"http://127.0.0.1:{port}"
        status, text = fetched(f"{address}/metrics")
        assert status == 200
        assert 'planbatch_commands_total{deed="release"} 1.0' in text
        assert 'planbatch_faults_total{kind="hang"} 1.0' in text
        assert 'planbatch_jobs{state="planned"} 2.0' in text
        status, text = fetched(f"{address}/health")
        assert (status, json.loads(text)["fault"]) == (200, "no answer")
        meter._good -= 60
        assert fetched(f"{address}/health")[0] == 503
        assert fetched(f"{address}/else")[0] == 404
        with (
            pytest.raises(OSError, match=f"port {port} of 127.0.0.1 cannot be had"),
            served(meter, port),
        ):
            pass


def test_a_connection_that_is_left_half_open_does_not_keep_the_others_out(tmp_path, monkeypatch):
    """One is served at a time, and for so long; no thread is left of it."""
    monkeypatch.setattr("planbatch.experiments.live.slurm.metering.LONGEST", 0.3)
    with served(Meter(every=5), 0) as port:
        half_open = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        for one in half_open:
            one.sendall(b"GET /metrics HT")
        assert fetched(f"http://127.0.0.1:{port}/health")[0] == 200
        timers = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
        assert sum(not one.finished.is_set() for one in timers) <= 1
        for one in half_open:
            one.close()


def test_control_characters_of_others_do_not_reach_a_terminal(capsys):
    say("refused: \x1b[2Jx\x07 \x9b31m, and\na line")
    said = capsys.readouterr().err
    assert said == "refused: \\x1b[2Jx\\x07 \\x9b31m, and\na line\n"


# Jobs that start while they are told something

NOT_PENDING = "Job is no longer pending execution for job {}"


class Quicker(Cluster):
    """Refuses begin times of some jobs with some words, and keeps the mark, as Slurm 22.05.8 does."""

    def __init__(self, *jobs, refused):
        super().__init__(*jobs)
        self.refused = refused

    def script(self, lines):
        answers = []
        for line in lines:
            number = int(line.split("JobId=")[1].split()[0])
            self.sent.append(line)
            if " StartTime=" in line and number in self.refused:
                mark = line.split("AdminComment=")[1]
                self.queue = applied(self.queue, [f"update JobId={number} AdminComment={mark}"])
                answers.append(Answer(line, False, self.refused[number].format(number)))
            else:
                self.queue = applied(self.queue, [line])
                answers.append(Answer(line, True))
        return answers


SOFT = DriveRules("soft", every=5, horizon=600)


def whole(number, mark="", **fields):
    """A job of all eight nodes for a minute; by FCFS, 1 comes first."""
    plain = {"nodes": 8, "cpus": 256, "exclusive": True, "time_limit": 60}
    return job(number, mark, submit=NOW - 100 + number, **(plain | fields))


def test_a_job_that_has_started_gets_the_mark_back_that_it_had(tmp_path):
    """Three start between reading and update: with a mark, with none, with an administrator's text; one does not."""
    mine = f"asked=0:begin={NOW + 300}"
    cluster = Quicker(
        whole(1, mine, begin_time=NOW + 300),
        whole(2),
        whole(3, admin_comment="ask Bob; rm -rf"),
        whole(4),
        refused=dict.fromkeys((1, 2, 3), NOT_PENDING),
    )
    tick = driver(cluster, tmp_path, SOFT).tick({})
    deeds = [command.action for command in tick.commands]
    assert deeds == ["release", *["begin"] * 3, *["mark back"] * 3]
    assert cluster.sent[-3:] == [
        f"update JobId=1 AdminComment=planbatch:{mine}",
        "update JobId=2 AdminComment=",
        "update JobId=3 AdminComment=planbatch:free",
    ]
    assert found(cluster.queue, 4).admin_comment == f"planbatch:asked=0:begin={NOW + 189}"
    assert (len(tick.late), tick.refused, tick.refusal, tick.later) == (3, [], "", 0)


def test_an_array_keeps_its_mark_if_some_of_its_tasks_have_started(tmp_path):
    array = JobArray(1, None, (2, 3), 2)
    cluster = Quicker(whole(1, array=array), refused={1: NOT_PENDING})
    tick = driver(cluster, tmp_path, SOFT).tick({})
    assert [command.action for command in tick.commands] == ["release"]


def test_what_is_refused_for_another_reason_is_an_error_in_journal_and_metrics(tmp_path):
    """1 has started, 2 and 4 have ended, 3 may not be touched: only 3 is an error; its mark is left as Slurm has it."""
    words = {
        1: NOT_PENDING,
        2: "Job/step already completing or completed for job {}",
        3: "Invalid user id for job {}",
        4: "Job has already finished for job {}",
    }
    cluster = Quicker(whole(1), whole(2), whole(3), whole(4), refused=words)
    one = driver(cluster, tmp_path, SOFT)
    tick = one.tick({})
    assert [answer.message for answer in tick.refused] == ["Invalid user id for job 3"]
    with Journal(tmp_path / "journal.jsonl") as journal:
        record(journal, one.planning, tick)
    (read,) = read_ticks(tmp_path / "journal.jsonl")
    _, results, fault = read.others
    assert (results["done"], len(results["late"]), len(results["refused"])) == (1, 3, 1)
    assert (fault["kind"], fault["message"]) == ("fault", tick.refusal)
    assert tick.refusal.startswith("scontrol refused 1 of 5 lines; the first: update JobId=3 ")
    assert tick.refusal.endswith("Invalid user id for job 3")
    meter = Meter(every=5)
    meter(tick)
    value = meter.registry.get_sample_value
    assert value("planbatch_refused_lines_total") == 1
    assert value("planbatch_late_lines_total") == 3
    assert value("planbatch_faults_total", {"kind": "refused"}) == 1
    assert meter.health()["fault"] == tick.refusal


# Many jobs at once


def test_a_tick_tells_so_many_jobs_and_the_next_one_the_others(tmp_path):
    """Six jobs of one node are due, in the order of their submissions; two are released in each tick."""
    one = {"nodes": 1, "cpus": 32}
    cluster = Cluster(*(arrived(number, **one) for number in range(1, 7)))
    driven = driver(cluster, tmp_path, on_exit="keep", most=2)
    ticks = run_for(driven, cluster, 3)
    released = [[command.label for command in tick.commands] for tick in ticks[:3]]
    assert released == [["6", "5"], ["4", "3"], ["2", "1"]]
    assert [tick.later for tick in ticks[:3]] == [4, 2, 0]


def test_many_begin_times_are_set_at_once_each_by_one_line(tmp_path):
    """A hundred jobs of the whole machine, a minute each: the first begins now, the others later."""
    soft = DriveRules("soft", every=5, horizon=600)
    cluster = Cluster(
        *(job(number, nodes=8, cpus=256, exclusive=True, time_limit=60, submit=NOW - 200 + number)
          for number in range(1, 101))
    )  # fmt: skip
    tick = driver(cluster, tmp_path, soft).tick({})
    assert sorted(answer.line for answer in tick.answers) == sorted(cluster.sent)
    assert len(cluster.sent) == 100 == len(set(cluster.sent))
    begins = [found(cluster.queue, number).begin_time - NOW for number in range(1, 101)]
    assert begins == [0, *(min(63 * later, 600) for later in range(1, 100))]
    assert driver(cluster, tmp_path, soft).tick(tick.planned.memory).commands == ()


def test_begin_times_that_come_first_are_set_first(tmp_path):
    soft = DriveRules("soft", every=5)
    cluster = Cluster(
        *(job(number, nodes=8, cpus=256, exclusive=True, time_limit=60, submit=NOW - number)
          for number in range(1, 7))
    )  # fmt: skip
    tick = driver(cluster, tmp_path, soft, most=3).tick({})
    assert ([command.label for command in tick.commands], tick.later) == (["6", "5", "4"], 3)
