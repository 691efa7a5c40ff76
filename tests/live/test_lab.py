"""A real Slurm, driven: starts as planned, and the ten ways in which clusters fail.

The tests share one cluster of eight nodes; each begins with an empty queue, and with all daemons up.
"""

import json
import os
import pwd
import random
import re
import shutil
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from manual import ROOT
from planbatch.experiments.live.slurm.client import SlurmClient, SlurmError
from planbatch.experiments.live.slurm.heartbeat import HEARTBEAT, beat
from planbatch.experiments.live.slurm.marks import FREE, mark_of
from planbatch.experiments.live.slurm.snapshot import LiveJob
from tests import needs
from tests.live.lab.accounts import give_rights
from tests.live.lab.drive import Drive
from tests.live.lab.lab import NOBODY, Lab
from tests.live.lab.processes import wait_until
from tests.live.lab.soak import soaked

pytestmark = pytest.mark.integration

#: Starts may differ from the plan by so much (s).
NEAR = 3


def waits(job: LiveJob, seconds: float = 0) -> bool:
    """Whether a job waits for a begin time that is so far ahead (s), held or not."""
    return job.state == "PENDING" and job.begin_time > time.time() + seconds


def submit_forty(lab: Lab, rng: random.Random, count: int = 40) -> list[int]:
    """Jobs of one to four nodes, limits of one to five minutes, and up to a second."""
    numbers = []
    for _ in range(count):
        size, limit = rng.choice([1, 1, 1, 1, 1, 2, 4]), rng.randint(1, 5)
        seconds = rng.uniform(0.1, 1.0)
        numbers.append(lab.submit(f"-N{size}", "--exclusive", f"-t{limit}", seconds=seconds))
    return numbers


def deviations(lab: Lab, drive: Drive, numbers: list[int]) -> Counter[int]:
    """Real minus planned starts (s), by the last plan that had each job; jobs that no plan had are left out."""
    plans, jobs = drive.planned_starts(), lab.jobs()
    return Counter(jobs[one].start_time - plans[one][-1][1] for one in numbers if one in plans)


def test_forty_jobs_start_as_planned_in_strict_mode(lab):
    """Also there: a job with comment noplan, one of nine nodes, and one that its user holds."""
    with lab.drive("strict", every="0.5s", name="forty") as drive:
        never = lab.submit("-N9", "--exclusive", "-t1")
        held = lab.submit("-H", "-t1", user=NOBODY)
        foreign = lab.submit("-N1", "--exclusive", "-t1", "--comment=noplan", seconds=2)
        numbers = submit_forty(lab, random.Random(1))
        lab.wait_for_state("COMPLETED", *numbers, foreign, patience=600)
        jobs = lab.jobs()
        result = deviations(lab, drive, numbers)
    assert sum(result.values()) == 40
    assert all(abs(away) <= NEAR for away in result), result
    assert Counter(drive.releases()) == Counter(numbers)  # each once, and no other
    assert all(mark_of(jobs[one].admin_comment).begin <= jobs[one].start_time for one in numbers)
    assert all(waits(jobs[one]) for one in (never, held))
    assert jobs[held].held == "user"
    assert jobs[foreign].admin_comment == ""
    left = lab.jobs()  # the driver has ended, and given everything back
    assert [left[one].admin_comment for one in (never, held)] == [FREE, FREE]
    assert all(left[one].begin_time <= time.time() for one in (never, held))
    assert left[held].held == "user"
    lab.as_user("scontrol", "release", str(held))
    lab.wait_for_state("COMPLETED", held)


@pytest.mark.nightly
def test_forty_jobs_start_as_planned_in_soft_mode(soft_lab):
    """Nothing is ever held; a job's mark has the begin time that it got last.

    Jobs without a mark started before the first tick that could see them. A job that starts between the reading and the
    update of a tick is told too late: Slurm refuses the begin time, takes the mark, and gets the old one back.
    """
    soft_lab.forget_drivers()
    with soft_lab.drive("soft", "--on-exit", "keep", every="0.5s", name="soft") as drive:
        numbers = submit_forty(soft_lab, random.Random(2))
        soft_lab.wait_for_state("COMPLETED", *numbers, patience=600)
        jobs = soft_lab.jobs()
    others = [line for tick in drive.ticks() for line in tick.others]
    results = [line for line in others if line["kind"] == "results"]
    assert [row for line in results for row in line["refused"]] == []
    marks = {one: mark_of(jobs[one].admin_comment) for one in numbers}
    result = Counter(jobs[one].start_time - mark.begin for one, mark in marks.items() if mark is not None)
    assert sum(result.values()) >= 25
    assert all(abs(away) <= NEAR for away in result), result
    lines = [row for line in others if line["kind"] == "commands" for row in line["commands"]]
    assert {row["action"] for row in lines} <= {"release", "open", "begin", "give back", "mark back"}


def test_a_driver_that_is_killed_ten_times_loses_no_job_and_starts_none_twice(lab):
    """Failure 9: each time at a random moment; the next one takes over from the marks and the journal."""
    rng = random.Random(3)
    numbers: list[int] = []
    drive = lab.drive("strict", "--on-exit", "keep", every="0.5s", name="killed")
    wait_until("the first driver drives", drive.drives)
    for _ in range(10):
        numbers += submit_forty(lab, rng, count=2)
        time.sleep(rng.uniform(0.0, 1.0))
        drive.kill()
        drive = lab.drive("strict", "--on-exit", "keep", every="0.5s", name="killed")
        wait_until("the next driver drives", drive.drives)
    with drive:
        lab.wait_for_state("COMPLETED", *numbers, patience=600)
    jobs = lab.jobs()
    assert len(numbers) == 20
    assert [jobs[one].key.restarts for one in numbers] == [0] * 20
    assert all(jobs[one].end_time - jobs[one].start_time <= 5 for one in numbers)
    assert set(drive.releases()) <= set(numbers)


def test_a_controller_that_is_killed_gives_numbers_out_again(lab):
    """Failure 1: the job that has an old number is another one, and is planned anew."""
    with lab.drive("strict", every="0.5s", name="numbers") as drive:
        lab.wait_for_save()
        lab.freeze_state()
        first = lab.submit("-N1", "--exclusive", "-t1", seconds=600)
        lab.wait_for_state("RUNNING", first)
        lab.kill("slurmctld", with_steps=True)
        lab.thaw_state()
        wait_until("the driver says so", lambda: "nothing was done" in drive.output_text())
        lab.start_controller()
        lab.wait_for_nodes()
        lab.wait_for("it is forgotten", lambda jobs: first not in jobs)
        # Jobs wait for the driver only while its heart beats, and each try to reach the controller took seconds.
        wait_until("the driver goes on", lambda: "answers again" in drive.output_text())
        again = lab.submit("-N1", "--exclusive", "-t1", seconds=1)
        assert again == first
        # A node that still knows the old one may refuse it, and Slurm then puts it off: what counts is the release.
        wait_until("the new one is released", lambda: drive.releases().count(again) == 2)
    assert lab.jobs()[again].key.submit_time > drive.commands()[0][2]


def test_a_node_that_is_killed_and_the_job_that_is_requeued(lab, tmp_path):
    """Failures 2, 5 and 7: Slurm lets the job begin in two minutes; it waits for the driver, and runs as planned.

    The whole machine is asked for by the next job: it waits as long as the node is down.
    """
    with lab.drive("strict", every="0.5s", name="requeued") as drive:
        number = lab.submit("-N8", "--exclusive", "-t5", until=tmp_path / "done")
        lab.wait_for_state("RUNNING", number)
        lab.kill("n2")
        lab.run("scontrol", "update", "NodeName=n2", "State=DOWN", "Reason=killed")
        lab.wait_for("it is requeued, and waits for the driver",
                     lambda jobs: jobs[number].key.restarts == 1 and waits(jobs[number], 300))  # fmt: skip
        small = lab.submit("-N1", "--exclusive", "-t1")
        lab.wait_for_state("COMPLETED", small)
        assert waits(lab.jobs()[number])
        (tmp_path / "done").touch()
        lab.start_node("n2")
        with suppress(SlurmError):  # it may be back already
            lab.run("scontrol", "update", "NodeName=n2", "State=RESUME")
        lab.wait_for_nodes()
        lab.run("scontrol", "update", f"JobId={number}", "StartTime=now")  # Slurm would wait two minutes
        lab.wait_for_state("COMPLETED", number)
    actions = [action for one, action, _ in drive.commands() if one == number]
    assert actions[:2] == ["release", "park"]
    assert set(actions[2:]) <= {"park", "release", "mark back"}  # Slurm may be quicker, since the administrator let it


def test_what_does_not_start_is_taken_back(lab):
    """Failure 5: a job that asks for all nodes but one that is drained: features are counted, not placed."""
    with lab.drive("strict", "--grace", "2s", every="0.5s", name="back") as drive:
        lab.run("scontrol", "update", "NodeName=n1", "State=DRAIN", "Reason=test")
        number = lab.submit("-x", "n[2-8]", "-t1")
        lab.wait_for("it is taken back", lambda jobs: (mark_of(jobs[number].admin_comment) or 0) and
                     mark_of(jobs[number].admin_comment).times > 0)  # fmt: skip
        assert waits(lab.jobs()[number])
        lab.run("scontrol", "update", "NodeName=n1", "State=RESUME")
        lab.wait_for_state("COMPLETED", number)
    assert drive.releases().count(number) >= 2


def test_a_user_may_hold_and_release_her_job(lab, tmp_path):
    """Failure 8: her hold is kept, her release does not start the job outside the plan."""
    with lab.drive("strict", every="0.5s", name="holds") as drive:
        wide = lab.submit("-N8", "--exclusive", "-t1", until=tmp_path / "first")
        hers = lab.submit("-N8", "--exclusive", "-t1", user=NOBODY)
        lab.as_user("scontrol", "hold", str(hers))
        assert lab.jobs()[hers].comment == ""
        (tmp_path / "first").touch()
        lab.wait_for_state("COMPLETED", wide)
        ticks = len(drive.ticks())
        wait_until("two ticks have passed", lambda: len(drive.ticks()) >= ticks + 2)
        assert (lab.jobs()[hers].state, lab.jobs()[hers].held) == ("PENDING", "user")
        second = lab.submit("-N8", "--exclusive", "-t1", until=tmp_path / "second")
        lab.wait_for_state("RUNNING", second)
        lab.as_user("scontrol", "release", str(hers))
        assert (lab.jobs()[hers].held, waits(lab.jobs()[hers])) == (None, True)
        (tmp_path / "second").touch()
        lab.wait_for_state("COMPLETED", hers)
        jobs = lab.jobs()
        assert jobs[hers].start_time >= jobs[second].end_time


def test_reservations_are_planned_around_and_their_jobs_left_to_slurm(lab):
    """n1 is reserved for ten minutes: a job of all nodes is planned behind them, a job for the reservation runs."""
    words = ("ReservationName=course", "StartTime=now", "Duration=10", "Users=root", "Nodes=n1")
    lab.run("scontrol", "create", "reservation", *words)
    (course,) = lab.snapshot().reservations
    try:
        with lab.drive("strict", name="reserved") as drive:
            hers = lab.submit("--reservation=course", "-N1", "--exclusive", "-t1")
            wide = lab.submit("-N8", "--exclusive", "-t1")
            lab.wait_for_state("COMPLETED", hers)
            wait_until("the other is planned", lambda: wide in drive.planned_starts())
            assert lab.jobs()[hers].admin_comment == ""
        assert {start for _, start in drive.planned_starts()[wide]} == {course.end}
    finally:
        lab.cancel_all()
        lab.run("scontrol", "delete", "ReservationName=course")
    assert (course.nodes, course.whom, course.end - course.start) == (("n1",), "root", 600)


def test_clients_that_hang_and_clients_that_fail(lab):
    """Failure 6: a tick without an answer does nothing; the next one that has one goes on."""
    programs = lab.folder / "programs"
    programs.mkdir(exist_ok=True)
    real = {name: shutil.which(name) for name in ("squeue", "sinfo", "scontrol")}

    def play(body: str) -> None:
        for name, path in real.items():
            script = programs / f".{name}"
            script.write_text(f'#!/bin/bash\n{body}\nexec {path} "$@"\n')
            script.chmod(0o755)
            script.replace(programs / name)

    play("")
    path = f"{programs}:{os.environ['PATH']}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", path)
        drive = lab.drive("strict", "--timeout", "1s", name="errors")
    with drive:
        play("sleep 300")
        number = lab.submit("-N1", "--exclusive", "-t1")
        wait_until("it hangs", lambda: "no answer within 1 s" in drive.output_text())
        play("echo 'slurm_load_jobs error: Access/permission denied' >&2; exit 1")
        wait_until("it fails", lambda: "permission denied" in drive.output_text())
        play('[ "$2" = --all ] && { echo \'{"jobs": [{"job\'; exit 0; }')
        wait_until("it is cut off", lambda: "cut off" in drive.output_text())
        assert waits(lab.jobs()[number])
        play("")
        lab.wait_for_state("COMPLETED", number)
    assert "Traceback" not in drive.output_text()


def test_the_watchdog_releases_everything_if_the_driver_is_silent(lab):
    """A killed driver's jobs wait until the horizon, or for the watchdog; new ones arrive as if there were none."""
    drive = lab.drive("strict", "--on-exit", "keep", name="silent")
    wait_until("it drives", drive.drives)
    wide = lab.submit("-N8", "--exclusive", "-t1", seconds=600)
    waiting = lab.submit("-N8", "--exclusive", "-t1")
    lab.wait_for("one runs", lambda jobs: jobs[wide].state == "RUNNING" and waits(jobs[waiting]))
    drive.kill()
    early = watchdog(lab)
    assert "nothing was done" in early
    assert waits(lab.jobs()[waiting])
    beat(lab.state / HEARTBEAT, time.time() - lab.silent - 1)  # as if so much time had passed
    assert "1 jobs were given back" in watchdog(lab)
    assert not waits(lab.jobs()[waiting])
    unheld = lab.submit("-N1", "--exclusive", "-t1")
    assert (waits(lab.jobs()[unheld]), lab.jobs()[unheld].admin_comment) == (False, "")


def watchdog(lab: Lab) -> str:
    """Run what the timer runs; return what it says."""
    words = ["release-all", "--silent-for", f"{lab.silent}s"]
    flags = ["--state", str(lab.state), "--conf", str(lab.conf)]
    return lab.command(*words, *flags)


def test_slurms_own_programs_are_a_way_out_too(lab):
    """The line of docs/live.md: what planbatch put off starts; holds and begin times of others stay.

    A comment, which users write, that looks like a mark is none.
    """
    page = (ROOT / "docs" / "live.md").read_text(encoding="utf-8")
    lines = re.findall(r"^squeue --noheader .*", page, re.MULTILINE)
    begin = int(time.time()) + 3600
    mark = f"planbatch:asked=0:begin={begin}"
    numbers = {}
    for name in ("ours", "held", "hers", "theirs"):
        words = (f"--comment={mark}",) if name == "hers" else ("--hold",) if name == "held" else ()
        numbers[name] = one = lab.submit("-N1", "-t1", "--begin=now+1hour", *words)
        if name in ("ours", "held"):
            lab.run("scontrol", "update", f"JobId={one}", f"StartTime=uts{begin}", f"AdminComment={mark}")
    (line,) = lines
    subprocess.run(line, shell=True, check=True, env=lab.environment, stdout=subprocess.DEVNULL)
    lab.wait_for("ours runs", lambda jobs: jobs[numbers["ours"]].state == "COMPLETED")
    jobs = lab.jobs()
    assert (jobs[numbers["held"]].held, waits(jobs[numbers["held"]])) == ("user", False)
    assert all(waits(jobs[numbers[name]], 3000) for name in ("hers", "theirs"))


def test_a_user_without_rights_can_do_nothing(lab, tmp_path):
    """All lines are refused; the cluster is as it was."""
    with lab.drive("strict", "--on-exit", "keep"):
        wide = lab.submit("-N8", "--exclusive", "-t1", seconds=600)
        waiting = lab.submit("-N8", "--exclusive", "-t1")
        lab.wait_for("one runs", lambda jobs: jobs[wide].state == "RUNNING" and waits(jobs[waiting]))
    as_nobody = f"exec setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups {shutil.which('scontrol')}"
    script = tmp_path / "scontrol"
    script.write_text(f'#!/bin/sh\n{as_nobody} "$@"\n')
    script.chmod(0o755)
    tmp_path.chmod(0o755)
    lines = [f"update JobId={one} StartTime=now AdminComment=" for one in (waiting, wide)]
    answers = SlurmClient(lab.conf, programs=tmp_path).script(lines)
    assert [answer.done for answer in answers] == [False, False]
    assert "denied" in answers[0].message
    assert waits(lab.jobs()[waiting])


def test_a_driver_that_is_not_root_has_the_rights_of_slurmuser(slurm_is_there):
    """The controller runs as the user daemon, and so does the driver; jobs of root and of nobody are planned."""
    with Lab(nodes=2, strict=True, owner="daemon") as lab, lab.drive("strict") as drive:
        assert Path(f"/proc/{drive.process.pid}").stat().st_uid == pwd.getpwnam("daemon").pw_uid
        numbers = [lab.submit("-N2", "--exclusive", "-t1", user=user) for user in (None, NOBODY)]
        lab.wait_for_state("COMPLETED", *numbers, patience=600)
        jobs = lab.jobs()
        assert all(mark_of(jobs[one].admin_comment).by for one in numbers)
        assert sorted(drive.releases()) == sorted(numbers)


@pytest.mark.nightly
def test_a_driver_with_the_rights_that_slurmdbd_gives(slurm_is_there):
    """The controller is root's, the driver another user's: an operator may not write marks, an administrator may."""
    needs.slurm_accounts()
    with Lab(nodes=2, strict=True, operator="daemon") as lab:
        with lab.drive("strict") as drive:
            first = lab.submit("-N2", "--exclusive", "-t1", user=NOBODY)
            lab.wait_for_state("COMPLETED", first)
            wait_until("it says so", lambda: "set adminlevel=Admin" in drive.output_text())
            give_rights(lab.environment, "daemon", "Admin")
            numbers = [lab.submit("-N2", "--exclusive", "-t1", user=user) for user in (None, NOBODY)]
            lab.wait_for_state("COMPLETED", *numbers, patience=600)
            later = lab.submit("-N2", "--exclusive", "-t1", "--begin=now+1hour", user=NOBODY)
            begin = lab.jobs()[later].begin_time
        jobs = lab.jobs()
        drivers = {one: bool(mark_of(jobs[one].admin_comment).by) for one in (first, *numbers)}
        assert drivers == {first: False, numbers[0]: True, numbers[1]: True}
        assert set(drive.releases()) == {first, *numbers}
        assert (jobs[later].admin_comment, jobs[later].begin_time) == (FREE, begin)


def test_a_dry_run_changes_nothing(lab):
    number = lab.submit("-N8", "--exclusive", "-t1", seconds=600)
    waiting = lab.submit("-N8", "--exclusive", "-t1")
    lab.wait_for_state("RUNNING", number)
    places = ["--conf", lab.conf, "--state", lab.folder / "dry", "--journal", lab.folder / "dry.jsonl"]
    modes = ["--mode", "dry-run", "--as", "soft", "--ticks", "2", "--every", "1s"]
    output = lab.command("drive", *map(str, [*modes, *places]))
    assert f"scontrol update JobId={waiting} StartTime=uts" in output
    assert "nothing was changed" in output
    assert lab.jobs()[waiting].admin_comment == ""


def test_metrics_and_health(lab):
    from urllib.request import urlopen

    with lab.drive("strict", "--metrics", "0", name="metrics") as drive:
        number = lab.submit("-N1", "--exclusive", "-t1")
        lab.wait_for_state("COMPLETED", number)
        address = drive.output_text().partition("metrics at ")[2].split("/metrics")[0]
        with urlopen(f"{address}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        with urlopen(f"{address}/health", timeout=10) as answer:
            health = json.load(answer)
    assert 'planbatch_commands_total{action="release"} 1.0' in text
    assert health["well"] is True


@pytest.fixture
def overrun(lab) -> int:
    """A job that would run for ten minutes on the node of ``side``; its end was put forward to the next seconds.

    Slurm looks for such jobs twice a minute, and has just looked: it ended another one.
    """
    lab.cancel_all("side")
    words = ("-n1", "-t1", "-p", "side", "--comment=noplan")
    other, number = (lab.submit(*words, seconds=600) for _ in range(2))
    lab.wait_for("both run", lambda jobs: jobs[other].state == jobs[number].state == "RUNNING")
    lab.end_in(0, other)
    lab.wait_for_state("TIMEOUT", other)
    lab.end_in(2, number)
    return number


@pytest.mark.nightly
def test_an_overrun_is_told_and_its_node_is_not_counted_on(lab, overrun):
    """Failure 3: the job is past its end; Slurm looks twice a minute, and ends it when it next does.

    The next job is planned behind it all the time, and released once: when its node is free.
    """
    with lab.drive("strict", name="overrun") as drive:
        number = lab.submit("-p", "side", "--exclusive", "-t1")
        lab.wait_for("it is past its end", lambda jobs: time.time() > jobs[overrun].end_time + 1)
        wait_until("it is planned", lambda: number in drive.planned_starts())
        before = lab.jobs()
        assert (before[overrun].state, waits(before[number])) == ("RUNNING", True)
        lab.wait_for_state("TIMEOUT", overrun)
        lab.wait_for_state("COMPLETED", number)
        jobs = lab.jobs()
    assert jobs[number].start_time >= jobs[overrun].end_time
    assert drive.releases().count(number) == 1
    late = [tick for tick in drive.ticks() if tick.plan and number in tick.starts
            and any(job.job_id == overrun and job.running for job in tick.snapshot.jobs)]  # fmt: skip
    assert late
    assert all(tick.starts[number][0] > tick.time for tick in late)


@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["strict", "soft"])
def test_half_an_hour_of_soak_finds_nothing_wrong(slurm_is_there, mode):
    """Jobs arrive, users meddle with them; drivers, controllers and nodes are killed."""
    soak = soaked(minutes=30, seed=2, mode=mode)
    assert soak.wrong == []
    assert soak.counts["jobs"] >= 1
    assert sum(count for what, count in soak.counts.items() if what.endswith((" killed", " ended"))) >= 1
