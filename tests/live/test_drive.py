"""The driver, tick by tick, on a cluster that is only a model; planning, the journal, metrics, ten more faults."""

import json
import shutil
import socket
import sys
import threading
import urllib.request
from dataclasses import replace
from functools import partial
from threading import Event
from urllib.error import HTTPError

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.plan_based import PlanBased
from planbatch.experiments.cli.shell import notify
from planbatch.experiments.live.journal import Journal, read_ticks
from planbatch.experiments.live.planning import Guard
from planbatch.experiments.live.slurm.client import Answer, SlurmError
from planbatch.experiments.live.slurm.commands import give_back, lines_of
from planbatch.experiments.live.slurm.drive import Driver, OlderDrivers, record
from planbatch.experiments.live.slurm.estimates import memory_of_journal
from planbatch.experiments.live.slurm.heartbeat import beat, last_beat, silence
from planbatch.experiments.live.slurm.marks import DriveRules, Target, mark_of
from planbatch.experiments.live.slurm.metering import Meter, metrics_server
from planbatch.experiments.live.slurm.planner import Planner
from planbatch.experiments.live.slurm.snapshot import JobArray, LiveReservation
from planbatch.experiments.live.slurm.tick import release_all
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan
from tests.builders import Quitter
from tests.live.builders import (
    NOW,
    SOFT,
    STRICT,
    Cluster,
    applied,
    arrived,
    by_number,
    driver,
    freed,
    job,
    run_for,
    running,
    small,
    snapshot,
)

#: A job that has n1 for an hour.
BUSY = running(90, "1", 3600)
GONE = SlurmError("unreachable", "gone")


def actions(tick):
    """What was to be done."""
    return [command.action for command in tick.commands]


def labels(tick):
    """To which jobs."""
    return [command.label for command in tick.commands]


def given_back(cluster):
    """Whether every job is Slurm's again."""
    return {each.admin_comment for each in cluster.queue.jobs} == {"planbatch:free"}


def idler(problem, rng):
    """A policy that starts nothing."""
    return Plan(np.full(len(problem), NEVER))


def greedy(problem, rng):
    """A policy that starts everything at once."""
    return Plan(np.full(len(problem), problem.now))


def broken(problem, rng):
    """A policy that raises."""
    raise ValueError("of\nmine")


def leaving(problem, rng):
    """A policy that ends the program, as it thinks."""
    sys.exit(3)


def test_a_tick_releases_what_is_due_and_the_next_one_lets_nobody_start_in_its_place(tmp_path):
    """Two jobs of the whole machine, FCFS: 2 was submitted first, and starts now; 1 has to wait for it.

    3 s later, 2 is released and has not started: it counts as running for a minute, and 1 is planned behind it.
    """
    cluster = Cluster(arrived(1), arrived(2))
    one = driver(cluster, tmp_path)
    first = one.tick({})
    assert labels(first) == ["2"]
    assert first.cluster_plan.starts == {Target(arrived(2).key): NOW, Target(arrived(1).key): NOW + 63}
    assert by_number(cluster.queue, 2).begin_time == NOW
    assert not first.idles
    cluster.now += 3
    second = one.tick(first.cluster_plan.memory)
    assert second.commands == ()
    assert second.cluster_plan.starts == {Target(arrived(1).key): NOW + 63}
    assert len(second.cluster_plan.plan.problem.running.end) == 1


def test_what_falls_due_while_it_is_planned_waits_for_the_next_tick(tmp_path):
    """A job of all nodes ends within a second, by its limit; that it has ended, only the next snapshot tells."""
    ends = running(9, "1 2 3 4 5 6 7 8", 1)
    cluster = Cluster(ends, arrived(1))
    one = driver(cluster, tmp_path, policy="conservative")
    slow = replace(one, clock=lambda: NOW + 2.0)  # the time after planning
    tick = slow.tick({})
    assert tick.cluster_plan.starts == {Target(arrived(1).key): NOW + 1}
    assert tick.commands == ()
    cluster.now = NOW + 2
    assert one.tick(tick.cluster_plan.memory).commands == ()  # it overruns
    cluster.queue = snapshot(arrived(1))
    assert actions(one.tick({})) == ["release"]


@pytest.mark.parametrize("mode", ["strict", "soft"])
def test_jobs_that_slurm_refuses_hold_a_share_of_the_machine_and_no_more(tmp_path, mode):
    """Finding 1: eve's jobs need a licence that is used up; ann's have the eight nodes but one.

    For one tick, eve's seven are released; then they are taken back, and of all that she has, one may try.
    """
    eves = [small(number, user="eve", licenses="matlab:1") for number in range(50, 80)]
    cluster = Cluster(BUSY, *eves, *(small(number) for number in range(1, 31)))
    one = driver(cluster, tmp_path, DriveRules(mode, every=1, grace=15))
    memory, started, tries = {}, [], []
    for _ in range(12):
        cluster.now += 1
        memory = one.tick(memory).cluster_plan.memory
        jobs = []
        for each in cluster.queue.jobs:
            free = each.pending and each.begin_time <= cluster.now and mark_of(each.admin_comment)
            if free and each.user == "eve":
                each = replace(each, reason="Licenses")
            elif free:
                started.append(each.job_id)
                each = replace(each, state="COMPLETED")
            jobs.append(each)
        tries.append(sum(each.reason == "Licenses" and each.begin_time <= cluster.now for each in jobs))
        cluster.queue = replace(cluster.queue, jobs=tuple(jobs))
    assert len(started) == 30
    assert tries[0] == 7
    assert max(tries[1:]) == 1


def test_what_a_policy_puts_off_is_not_released():
    """EASY gives no start to jobs behind the first that does not fit; they come behind it."""
    queue = snapshot(arrived(2), small(1, limit=6000), running(3, "1", 50))
    planned = Planner(make_policy("easy"), STRICT)(queue, {})
    assert all(start > NOW for start in planned.starts.values())


@pytest.mark.parametrize(("policy", "state", "words"), [
    (greedy, "IDLE", "the policy's plan breaks a rule: 16 processors are in use"), (broken, "IDLE", "of mine"),
    ("fcfs", "UNKNOWN", "no node is usable"), (leaving, "IDLE", "policy leaving raised SystemExit in the round at"),
    (PlanBased("wait", Quitter()), "IDLE", "optimizer quitter returned the status INTERRUPTED in the round at"),
])  # fmt: skip
def test_without_a_plan_nothing_is_done_and_that_idles_if_a_node_could_run_a_job(tmp_path, policy, state, words):
    """Failure 7: right after a restart of the controller, all nodes are unknown, and nothing idles."""
    cluster = Cluster(arrived(1), arrived(2))
    cluster.queue = replace(cluster.queue, nodes=tuple(replace(one, state=state) for one in cluster.queue.nodes))
    tick = driver(cluster, tmp_path, policy=policy).tick({})
    assert (tick.kind, cluster.sent, tick.idles) == ("plan", [], state == "IDLE")
    assert words in tick.fault
    assert "\n" not in tick.fault


def test_a_dry_run_sends_nothing(tmp_path):
    cluster = Cluster(arrived(1))
    assert actions(driver(cluster, tmp_path, dry_run=True).tick({})) == ["release"]
    assert cluster.sent == []


# Its heart, and its end


def test_it_goes_on_after_faults_and_its_heart_beats_if_they_are_not_its_own(tmp_path, monkeypatch):
    """Unreachable, then cut off, then well: what is due is released in the third tick."""
    cluster = Cluster(arrived(1))
    cluster.faults = [GONE, SlurmError("garbled", "cut off")]
    one = driver(cluster, tmp_path, on_exit="keep")
    beats = []
    stop = Event()

    def tell(tick):
        beats.append(last_beat(one.heartbeat))
        cluster.now += 5
        if len(beats) == 3:
            stop.set()

    monkeypatch.setattr(Driver, "_pause", lambda self, tick: 0.0)
    with one.exclusive():
        one.run(stop, tell, {})
    assert beats == [NOW, NOW, NOW + 10]  # the second is that of the first
    assert cluster.sent == [f"update JobId=1 StartTime=uts{NOW + 10} AdminComment=planbatch:asked=0:begin={NOW + 10}"]


DENIED = "Access/permission denied for job {}"


@pytest.mark.parametrize(("refused", "beats"), [
    ({1: DENIED, 2: DENIED}, 0), ({1: DENIED}, NOW),
    ({1: "Job has already finished for job {}", 2: "Requested partition is down, job {}"}, NOW),
])  # fmt: skip
def test_the_heart_stops_if_slurm_lets_the_driver_do_nothing(tmp_path, refused, beats):
    """Rights were taken: the watchdog is to step in. Of two jobs one refused is no reason, nor is a job that ended."""
    cluster = Cluster(whole(1), whole(2), refused=refused)
    one = driver(cluster, tmp_path, SOFT, on_exit="keep")
    run_for(one, cluster, 1)
    assert last_beat(one.heartbeat) == beats


def test_at_the_end_everything_is_given_back(tmp_path):
    cluster = Cluster(arrived(1), arrived(2), arrived(3, held="user"))
    one = driver(cluster, tmp_path)
    ticks = run_for(one, cluster, 1)
    assert [each.held for each in cluster.queue.jobs] == [None, None, "user"]
    assert all(each.begin_time <= cluster.now for each in cluster.queue.jobs)
    assert "job 3 is held by its user" in ticks[-1].notes[0]
    assert given_back(cluster)
    assert last_beat(one.heartbeat) is None


def test_or_kept_for_the_next_driver(tmp_path):
    cluster = Cluster(arrived(1), arrived(2))
    one = driver(cluster, tmp_path, on_exit="keep")
    run_for(one, cluster, 1)
    assert by_number(cluster.queue, 1).begin_time == NOW + 600
    assert last_beat(one.heartbeat) == NOW


@pytest.mark.parametrize("on_exit", ["release", "keep"])
def test_a_heart_that_cannot_beat_is_reported_and_retried_then_everything_is_given_back(tmp_path, monkeypatch, on_exit):
    """Finding 3: the disk is full; two ticks of which one is good are no reason to leave."""
    cluster = Cluster(arrived(1), arrived(2))
    beats = []

    def full(path, now):
        beats.append(now)
        if len(beats) not in (1, 3):  # the first is that of the beginning
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("planbatch.experiments.live.slurm.drive.beat", full)
    ticks = run_for(driver(cluster, tmp_path, on_exit=on_exit), cluster, 99)
    assert len(beats) == 6
    assert [tick.kind for tick in ticks[:5]] == ["heartbeat", "", *["heartbeat"] * 3]
    assert "heartbeat: cannot be written (No space left on device)" in ticks[0].fault
    assert given_back(cluster)


def test_a_state_folder_that_goes_is_no_way_to_die(tmp_path):
    """Finding 3: nobody makes it anew, since the lock is gone with it."""
    cluster = Cluster(arrived(1), arrived(2))
    one = driver(cluster, tmp_path / "state")

    def read():
        shutil.rmtree(tmp_path / "state", ignore_errors=True)
        return cluster.read()

    ticks = run_for(replace(one, read=read), cluster, 99)
    assert [tick.kind for tick in ticks[:3]] == ["heartbeat"] * 3
    assert given_back(cluster)


def test_a_heart_that_cannot_beat_from_the_first_does_nothing(tmp_path):
    cluster = Cluster(arrived(1))
    one = driver(cluster, tmp_path)
    one.heartbeat.mkdir(parents=True)
    with pytest.raises(OSError):
        run_for(one, cluster, 1)
    assert cluster.sent == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_whatever_ends_a_driver_takes_the_way_out(tmp_path, error):
    """A policy is interrupted, or a bug ends the loop."""
    cluster = Cluster(arrived(1))
    one = driver(cluster, tmp_path)

    def ended(tick):
        if actions(tick) != ["give back"] and tick.cluster_plan is not None:
            raise error

    with one.exclusive(), pytest.raises(error):
        one.run(Event(), ended, {})
    assert given_back(cluster)
    assert last_beat(one.heartbeat) is None


@pytest.mark.parametrize(("last", "now", "silent"), [
    (100.9, 130, 30), (100, 96, 0), (100, 95, 0), (100, 94, float("inf")), (3700, 100, float("inf")),
    ("soon", 5, float("inf")), (None, 5, float("inf")),
])  # fmt: skip
def test_a_driver_is_silent_since_its_last_beat(tmp_path, last, now, silent):
    """Finding 8: a beat an hour ahead is none, a few seconds between two machines are nothing."""
    path = tmp_path / "heartbeat"
    if isinstance(last, str):
        path.write_text(last)
    elif last is not None:
        beat(path, last)
        assert (path.read_text(), path.stat().st_mode & 0o777) == (f"{int(last)}\n", 0o644)
    assert silence(path, now) == silent


def test_if_nodes_idle_that_jobs_could_have_slurm_has_its_way(tmp_path):
    """A policy that starts nothing, though eight nodes are idle: after three ticks it only looks on."""
    cluster = Cluster(small(1), small(2))
    one, meter = driver(cluster, tmp_path, policy=idler), Meter(every=5)
    ticks = run_for(one, cluster, 6)
    assert [tick.idle for tick in ticks[:3]] == [1, 2, 3]
    assert actions(ticks[3])[0] == "give back"  # the way out, in the same tick
    assert given_back(cluster)
    assert last_beat(one.heartbeat) is None
    last = ticks[5]
    assert (last.observing, last.commands, len(last.cluster_plan.starts)) == (True, (), 2)
    meter(last)
    assert meter.registry.get_sample_value("planbatch_driving") == 0
    assert meter.registry.get_sample_value("planbatch_idle_ticks") == 0  # no job is planbatch's
    assert meter.health()["well"] is False


def test_nodes_that_are_kept_free_for_a_large_job_do_not_idle(tmp_path):
    """And what is released, has just started or waits for Slurm does not count either."""
    cluster = Cluster(running(90, "1", 60), arrived(9), small(1, limit=600))
    ticks = run_for(driver(cluster, tmp_path, policy="conservative"), cluster, 5)
    assert [tick.idle for tick in ticks[:5]] == [0] * 5
    assert not any(tick.observing for tick in ticks)


# The first in line


def test_a_released_job_that_slurm_starts_late_does_not_put_off_the_first_in_line():
    """Eight nodes, a small job is released at NOW and starts after 3 s; the large one behind it is planned for 63 s.

    Counted anew in each tick, the small job would end later each time, and other small ones could go first for ever.
    """
    planner = Planner(make_policy("plan-wait"), STRICT, guard=Guard.parse("0s"))
    memory, starts, large = {}, [], arrived(9, submit=NOW - 50)
    for second in range(4):
        others = (small(k, submit=NOW - 10) for k in range(10, 20))
        planned = planner(snapshot(freed(1, limit=60), large, *others, now=NOW + second), memory)
        memory = planned.memory
        starts.append(planned.starts[Target(large.key)] - NOW)
    assert starts == [63] * 4


@pytest.mark.parametrize(("guard", "numbers"), [("0s", [2]), ("1h", []), ("none", [])])
def test_the_first_in_line_is_protected_when_its_guard_allows_no_more_delay(guard, numbers):
    """Job 2, which was submitted first, waits for n1; it may be overtaken for no time, an hour, or ever."""
    planner = Planner(make_policy("plan-wait"), SOFT, guard=Guard.parse(guard))
    planned = planner(snapshot(BUSY, arrived(1), arrived(2)), {})
    assert [
        one.job.job_id for one, held in zip(planned.observation.jobs, planned.plan.protected, strict=True) if held
    ] == numbers


def at_night(problem, rng):
    """A policy that starts every job two hours from now."""
    return Plan(np.full(len(problem), problem.now + 7200))


@pytest.mark.parametrize(("policy", "numbers"), [(make_policy("plan-wait"), [1]), (at_night, [])])
def test_the_next_job_may_start_early_if_it_waits_for_nothing_but_room(policy, numbers):
    """Job 1 waits for n1, and 2 for 1; a job that the policy puts off longer than until there is room stays parked."""
    queue = (BUSY, arrived(1), *([arrived(2, limit=600)] if numbers else []))
    planned = Planner(policy, SOFT)(snapshot(*queue), {})
    assert [target.key.job_id for target in planned.early] == numbers


# Between ticks, and several drivers


def test_a_job_that_ends_between_two_ticks_begins_one(tmp_path):
    """Ticks are an hour apart; job 9, which has all nodes, ends during the third look, and 1 is released.

    A job that a snapshot does not explain begins one tick, not one after the other.
    """
    looks, ticks, stop = [], [], Event()

    class Quick(Cluster):
        def queued_jobs(self):
            looks.append(self.now)
            if len(looks) == 3:
                self.queue = snapshot(arrived(1))
            if len(looks) == 6:
                stop.set()
            unexplained = {77} if len(looks) > 3 else set()
            return frozenset(each.job_id for each in self.queue.jobs) | unexplained

    cluster = Quick(running(9, "1 2 3 4 5 6 7 8", 600), arrived(1))
    rules = replace(STRICT, every=3600, poll=0.01)
    driver(cluster, tmp_path, rules, on_exit="keep").run(stop, ticks.append, {})
    assert list(map(actions, ticks)) == [[], ["release"], []]
    assert len(looks) == 6


def test_there_is_only_one_driver(tmp_path):
    one = driver(Cluster(), tmp_path)
    with one.exclusive(), pytest.raises(BlockingIOError, match="another driver is running"), one.exclusive():
        pass
    with one.exclusive():
        pass


def test_two_drivers_notice_each_other_through_slurm_and_the_older_one_goes_on(tmp_path, monkeypatch):
    """Finding 11: on two machines, so with two folders; what a killed one left is no sign of life."""
    cluster = Cluster(arrived(1), arrived(2), arrived(3))
    killed, older, younger = (driver(cluster, tmp_path / str(name), replace(STRICT, driver=name)) for name in (5, 6, 7))
    killed.tick({})
    ticks = []

    def older_ticks(tick):
        """The older one ticks behind each tick of the younger one."""
        ticks.append(tick)
        cluster.now += 300  # so that there is something to renew
        older.tick({})

    monkeypatch.setattr(Driver, "_pause", lambda self, tick: 0.0)
    with younger.exclusive(), pytest.raises(BlockingIOError, match="another driver is running"):
        younger.run(Event(), older_ticks, {})
    assert len(ticks) == 1
    assert not any(each.admin_comment == "planbatch:free" for each in cluster.queue.jobs)


def test_what_a_killed_driver_left_stops_nobody():
    """Its marks, those of an array's tasks that are split off, and marks of a younger one, which will go itself."""
    row = JobArray(1, None, (1, 2))
    before, mine = f"asked=0:begin={NOW + 500}:by=5", f"asked=0:begin={NOW + 500}:by=9"
    rivals = OlderDrivers(7)
    first, task = job(1, before, array=row), job(2, before, array=JobArray(1, 2))
    rivals.check(snapshot(first, job(8)))
    rivals.check(snapshot(first, task, job(8, mine)))
    rivals.check(snapshot(job(1, before, restarts=1, submit=NOW - 1, array=row)))
    with pytest.raises(BlockingIOError):
        rivals.check(snapshot(first, task, job(8, before)))


def test_the_way_out_is_tried_again_and_reported(tmp_path):
    """The first attempt reaches nobody; in the end it is denied."""
    cluster, ticks = Cluster(arrived(1)), []
    way_out = partial(release_all, cluster, ticks.append, clock=cluster.clock, read=cluster.read)
    cluster.faults = [GONE]
    assert way_out()
    cluster.faults = [SlurmError("rights", "denied")]
    assert not way_out()
    assert [bool(tick.fault) for tick in ticks] == [True, False, False, True]
    assert by_number(cluster.queue, 1).begin_time == NOW


# The journal


def test_the_next_driver_finds_what_was_planned_and_promised(tmp_path):
    """The number of job 9 was given out again since: of the new one, nothing is known."""
    planner = Planner(make_policy("plan-wait", promise="10min"), STRICT)
    one = driver(Cluster(arrived(1), arrived(2), arrived(9)), tmp_path, planner=planner)
    path = tmp_path / "journal.jsonl"
    tick = one.tick({})
    with Journal(path) as journal:
        record(journal, planner, tick)
    memory, driver_memory = memory_of_journal(path, NOW + 5), tick.cluster_plan.memory
    assert {target.key.job_id for target in memory} == {1, 2, 9}
    for target, one in memory.items():
        assert (one.planned, one.latest) == (driver_memory[target].planned, driver_memory[target].latest)
    assert Target(arrived(9, submit=NOW + 3).key) not in memory
    assert memory_of_journal(path, NOW + 7200) == {}
    assert memory_of_journal(tmp_path / "absent.jsonl", NOW) == {}


def test_the_journal_has_commands_results_and_faults(tmp_path):
    cluster = Cluster(arrived(1))
    one = driver(cluster, tmp_path)
    with Journal(tmp_path / "journal.jsonl") as journal:
        record(journal, one.planning, one.tick({}))
        cluster.now += 5
        cluster.faults = [GONE]
        record(journal, one.planning, one.tick({}))
    first, second = read_ticks(tmp_path / "journal.jsonl")
    commands, results = first.others
    assert [row["action"] for row in commands["commands"]] == ["release"]
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
    with metrics_server(meter, 0) as port:
        address = f"http://127.0.0.1:{port}"
        status, text = fetched(f"{address}/metrics")
        assert status == 200
        assert 'planbatch_commands_total{action="release"} 1.0' in text
        assert 'planbatch_faults_total{kind="hang"} 1.0' in text
        assert 'planbatch_jobs{state="planned"} 2.0' in text
        assert "planbatch_driving 1.0" in text
        status, text = fetched(f"{address}/health")
        assert (status, json.loads(text)["fault"]) == (200, "no answer")
        meter._good -= 60
        assert fetched(f"{address}/health")[0] == 503
        assert fetched(f"{address}/else")[0] == 404
        with pytest.raises(OSError, match=f"port {port} of 127.0.0.1 cannot"), metrics_server(meter, port):
            pass


def test_a_connection_that_is_left_half_open_does_not_keep_the_others_out(monkeypatch):
    """One is served at a time, and for so long; no thread is left of it."""
    monkeypatch.setattr("planbatch.experiments.live.slurm.metering.LONGEST", 0.3)
    with metrics_server(Meter(every=5), 0) as port:
        half_open = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        for one in half_open:
            one.sendall(b"GET /metrics HT")
        assert fetched(f"http://127.0.0.1:{port}/health")[0] == 200
        timers = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
        assert sum(not one.finished.is_set() for one in timers) <= 1
        for one in half_open:
            one.close()


def test_control_characters_of_others_do_not_reach_a_terminal(capsys):
    notify("refused: \x1b[2Jx\x07 \x9b31m, and\na line")
    assert capsys.readouterr().err == "refused: \\x1b[2Jx\\x07 \\x9b31m, and\na line\n"


# Jobs that start while they are told something

NOT_PENDING = "Job is no longer pending execution for job {}"


def whole(number, mark="", **fields):
    """A job of all eight nodes for a minute; by FCFS, 1 comes first."""
    plain = {"nodes": 8, "limit": 60, "submit": NOW - 200 + number}
    return job(number, mark, **(plain | fields))


def test_a_job_that_has_started_gets_the_mark_back_that_it_had(tmp_path):
    """Three start between reading and update: with a mark, with none, with an administrator's text; one does not."""
    mine = f"asked=0:begin={NOW + 300}"
    cluster = Cluster(
        whole(1, mine, begin_time=NOW + 300),
        whole(2),
        whole(3, admin_comment="ask Bob; rm -rf"),
        whole(4),
        refused=dict.fromkeys((1, 2, 3), NOT_PENDING),
    )
    tick = driver(cluster, tmp_path, SOFT).tick({})
    assert actions(tick) == ["release", *["begin"] * 3, *["mark back"] * 3]
    assert cluster.sent[-3:] == [
        f"update JobId=1 AdminComment=planbatch:{mine}",
        "update JobId=2 AdminComment=",
        "update JobId=3 AdminComment=planbatch:free",
    ]
    last = by_number(cluster.queue, 4)
    assert last.admin_comment == f"planbatch:asked=0:begin={NOW + 189}"
    assert (len(tick.late), tick.refused, tick.refusal, tick.later) == (3, [], "", 0)


def test_an_array_keeps_its_mark_if_some_of_its_tasks_have_started(tmp_path):
    row = JobArray(1, None, (2, 3))
    cluster = Cluster(whole(1, array=row), refused={1: NOT_PENDING})
    assert actions(driver(cluster, tmp_path, SOFT).tick({})) == ["release"]


def test_what_is_refused_for_another_reason_is_an_error_in_journal_and_metrics(tmp_path):
    """1 has started, 2 and 4 have ended, 3 may not be touched: only 3 is an error; its mark is left as Slurm has it."""
    words = {
        1: NOT_PENDING,
        2: "Job/step already completing or completed for job {}",
        3: "Invalid user id for job {}",
        4: "Job has already finished for job {}",
    }
    one = driver(Cluster(*map(whole, words), refused=words), tmp_path, SOFT)
    tick = one.tick({})
    assert [answer.message for answer in tick.refused] == ["Invalid user id for job 3"]
    with Journal(tmp_path / "journal.jsonl") as journal:
        record(journal, one.planning, tick)
    (read,) = read_ticks(tmp_path / "journal.jsonl")
    _, results, fault = read.others
    assert (results["done"], len(results["late"]), len(results["refused"])) == (1, 3, 1)
    assert (fault["kind"], fault["message"]) == ("fault", tick.refusal)
    assert tick.refusal.startswith("scontrol refused 1 of 5 lines; the first: update JobId=3 ")
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
    cluster = Cluster(*map(small, range(1, 7)))
    ticks = run_for(driver(cluster, tmp_path, on_exit="keep", most=2), cluster, 3)
    assert list(map(labels, ticks[:3])) == [["6", "5"], ["4", "3"], ["2", "1"]]
    assert [tick.later for tick in ticks[:3]] == [4, 2, 0]


def test_many_begin_times_are_set_at_once_each_by_one_line_the_first_ones_first(tmp_path):
    """A hundred jobs of the whole machine, a minute each: the first begins now, the others later."""
    cluster = Cluster(*map(whole, range(1, 101)))
    some = driver(Cluster(*map(whole, range(1, 7))), tmp_path, SOFT, most=3).tick({})
    assert (labels(some), some.later) == (["1", "2", "3"], 3)
    tick = driver(cluster, tmp_path, SOFT).tick({})
    assert sorted(answer.line for answer in tick.answers) == sorted(cluster.sent)
    assert len(cluster.sent) == 100 == len(set(cluster.sent))
    begins = [by_number(cluster.queue, number).begin_time - NOW for number in range(1, 101)]
    assert begins == [0, *(min(63 * later, 600) for later in range(1, 100))]
    assert driver(cluster, tmp_path, SOFT).tick(tick.cluster_plan.memory).commands == ()


# Ten more faults of a cluster: the driver goes on, holds stay, and the way out leaves nothing behind


def requeue_all(cluster):
    jobs = (replace(one, key=one.key._replace(restarts=1, submit_time=NOW)) for one in cluster.queue.jobs)
    cluster.queue = replace(cluster.queue, jobs=tuple(jobs))


def refuse_all(cluster):
    cluster.script = lambda lines: [Answer(line, False, "Invalid job id specified") for line in lines]


def reserve_all(cluster):
    names = tuple(node.name for node in cluster.queue.nodes)
    reservation = LiveReservation("all", NOW, NOW + 8, names, flags=("MAINT",))
    cluster.queue = replace(cluster.queue, reservations=(reservation,))


FAULTS = {
    "the clock goes back": lambda cluster: cluster.wait(-30),
    "the clock jumps ahead": lambda cluster: cluster.wait(3600),
    "nodes are lost": lambda cluster: cluster.change_nodes(state="DOWN"),
    "all jobs are cancelled": lambda cluster: cluster.change(state="CANCELLED"),
    "comments imitate marks": lambda cluster: cluster.change(comment="planbatch:asked=0:begin=1"),
    "the partition goes": lambda cluster: cluster.change(partition="gone"),
    "the controller is away": lambda cluster: cluster.faults.extend([GONE] * 4),
    "all jobs are requeued": requeue_all,
    "every line is refused": refuse_all,
    "a reservation takes all nodes": reserve_all,
}


@pytest.mark.parametrize("mode", ["strict", "soft"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_does_no_harm(tmp_path, fault, mode):
    """In the middle of twelve ticks: two large jobs, six small ones, one held by its user, one by an administrator."""
    held = (job(50, held="user", reason="JobHeldUser"), job(51, held="admin", reason="JobHeldAdmin"))
    cluster = Cluster(arrived(1), arrived(2), *map(small, range(3, 9)), *held)
    one = driver(cluster, tmp_path, DriveRules(mode, every=1, grace=3), policy="plan-wait")
    memory, ticks = {}, []
    for second in range(12):
        if second == 4:
            FAULTS[fault](cluster)
        ticks.append(one.tick(memory))
        memory = ticks[-1].cluster_plan.memory if ticks[-1].cluster_plan is not None else memory
        cluster.now += 1
    assert sum(tick.cluster_plan is not None for tick in ticks) >= 6
    for number, who in ((50, "user"), (51, "admin")):
        one_held = by_number(cluster.queue, number)
        assert (one_held.held, one_held.begin_time, one_held.admin_comment) == (who, 0, "")
    assert not any(f"JobId={number} " in line for number in (50, 51) for line in cluster.sent)
    left = applied(cluster.queue, lines_of(give_back(cluster.queue, cluster.now)))
    assert not [one for one in left.jobs if one.pending and mark_of(one.admin_comment) is not None]
