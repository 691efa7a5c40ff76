"""A real Slurm, driven: what an ordinary user does must not harm the others, nor be undone."""

import time
from collections.abc import Iterator

import pytest

from planbatch.experiments.live.slurm.marks import mark_of
from tests.live.lab.lab import NOBODY, Lab
from tests.live.lab.processes import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def lab(strict_lab) -> Iterator[Lab]:
    """The cluster with an empty queue and all daemons; no driver was ever there."""
    strict_lab.forget_drivers()
    strict_lab.mend()
    strict_lab.cancel_all()
    strict_lab.cancel_all("side")
    yield strict_lab
    strict_lab.mend()


def submit_for_one_node(lab: Lab) -> list[int]:
    """n1 is busy, forty jobs of one user ask for it; return thirty plain jobs of another."""
    lab.submit("-N1", "-wn1", "--exclusive", "-t3", seconds=150, user=NOBODY)
    lab.wait_for("it runs", lambda jobs: any(job.running for job in jobs.values()))
    for _ in range(40):
        lab.submit("-N1", "-wn1", "--exclusive", "-t1", user=NOBODY)
    return [lab.submit("-N1", "--exclusive", "-t2", seconds=3) for _ in range(30)]


def seconds_for(lab: Lab, numbers: list[int]) -> float:
    """Wait until jobs have completed; seconds since their first submission."""
    lab.wait_for("the plain jobs complete",
                 lambda jobs: all(jobs[one].state == "COMPLETED" for one in numbers), 120)  # fmt: skip
    jobs = lab.jobs()
    return max(jobs[one].end_time for one in numbers) - min(
        jobs[one].submit_time for one in numbers
    )


@pytest.mark.parametrize("mode", ["strict", "soft"])
def test_jobs_that_ask_for_a_busy_node_leave_the_others_to_the_rest(lab, mode):
    """Finding 1: under Slurm alone the thirty take about 5 rounds of 3 s and what Slurm needs in between."""
    with lab.drive(mode, name=f"named-{mode}"):
        seconds = seconds_for(lab, submit_for_one_node(lab))
    assert seconds <= 45


def test_a_user_s_hold_outlives_her_updates(lab):
    """Finding 2: nothing that she writes releases a job that she holds, and her comment stays hers."""
    updates = ("TimeLimit=2", "Comment=hello", "Name=other", "Partition=side", "Dependency=")
    with lab.drive("strict", name="updates") as drive:
        number = lab.submit("-H", "-N1", "--exclusive", "-t1", user=NOBODY)
        later = lab.submit("-N8", "--exclusive", "-t1", "--begin=now+1hour", user=NOBODY)
        lab.as_user("scontrol", "hold", str(later))
        for update in updates:
            lab.as_user("scontrol", "update", f"JobId={number}", update)
            time.sleep(1.5)
            assert (lab.jobs()[number].state, lab.jobs()[number].held) == ("PENDING", "user")
        assert (lab.jobs()[number].comment, lab.jobs()[later].comment) == ("hello", "")
        assert lab.jobs()[later].held == "user"
        lab.as_user("scontrol", "release", str(number))
        lab.wait_for("it runs", lambda jobs: jobs[number].state == "COMPLETED")
    assert "Traceback" not in drive.said()


def test_a_job_that_moves_to_a_partition_that_is_not_planned_is_slurm_s(lab):
    """Finding 4: within a tick, without anybody's release-all."""
    with lab.drive("strict", "--partition", "main", name="moved"):
        wide = lab.submit("-N8", "--exclusive", "-t1", seconds=600)
        lab.wait_for("one runs", lambda jobs: jobs[wide].state == "RUNNING")
        hers = lab.submit("-N1", "--exclusive", "-t1", user=NOBODY)
        lab.as_user("scontrol", "update", f"JobId={hers}", "Partition=side")
        lab.wait_for("it runs", lambda jobs: jobs[hers].state == "COMPLETED", 15)


def test_a_job_of_a_partition_that_goes_and_comes_runs(lab):
    """Finding 4: Slurm takes such a job for failed, then for requeued; nobody holds it."""
    conf = lab.conf.read_text()
    without = "\n".join(line for line in conf.splitlines() if "PartitionName=side" not in line)
    with lab.drive("strict", name="gone"):
        busy = lab.submit("-N1", "-pside", "--exclusive", "-t1", seconds=600)
        lab.wait_for("one runs", lambda jobs: jobs[busy].state == "RUNNING")
        hers = lab.submit("-N1", "-pside", "--exclusive", "-t1", user=NOBODY)
        try:
            lab.conf.write_text(without + "\n")
            lab.run("scontrol", "reconfigure")
            time.sleep(3)
        finally:
            lab.conf.write_text(conf)
            lab.run("scontrol", "reconfigure")
        wait_until("her job waits again", lambda: lab.jobs()[hers].pending)
        assert lab.jobs()[hers].held is None
        lab.run("scancel", str(busy))
        lab.wait_for("it runs", lambda jobs: jobs[hers].state == "COMPLETED")


def test_an_administrator_s_hold_is_named_and_stays(lab):
    """Findings 2 and 4: by the driver, and by the way out."""
    with lab.drive("strict", name="admin") as drive:
        wide = lab.submit("-N8", "--exclusive", "-t1", seconds=600)
        lab.wait_for("one runs", lambda jobs: jobs[wide].state == "RUNNING")
        number = lab.submit("-N1", "--exclusive", "-t1", user=NOBODY)
        lab.run("scontrol", "hold", str(number))
        lab.run("scancel", str(wide))
        time.sleep(3)
        assert lab.jobs()[number].held == "admin"
    assert drive.ended() == 0
    job = lab.jobs()[number]
    assert (job.held, mark_of(job.admin_comment)) == ("admin", None)
