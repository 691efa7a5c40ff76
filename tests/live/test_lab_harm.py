"""A real Slurm, driven: what an ordinary user does must not harm the others, nor be undone."""

import shutil
import time

import pytest

from planbatch.experiments.live.slurm.marks import FREE, mark_of
from tests.live.lab.harm import (
    a_large_job_among_small_ones,
    plain_jobs_beside_jobs_for_a_licence,
    plain_jobs_beside_jobs_for_one_node,
)
from tests.live.lab.lab import NOBODY
from tests.live.lab.processes import wait_until

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("mode", ["strict", pytest.param("soft", marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    "case",
    [
        plain_jobs_beside_jobs_for_one_node,
        pytest.param(plain_jobs_beside_jobs_for_a_licence, marks=pytest.mark.nightly),
    ],
)
def test_jobs_that_slurm_refuses_leave_the_others_to_the_rest(lab, case, mode):
    """Finding 1: under Slurm alone it takes 24 to 28 s; idle nodes made it more than two minutes."""
    with lab.drive(mode, name=f"refused-{mode}"):
        assert case(lab) <= 45


def test_a_large_job_does_not_starve_among_small_ones(lab):
    """Finding 5: 4 to 9 s under Slurm alone; without a guard, it did not start within 100 s."""
    with lab.drive("strict", name="large"):
        assert a_large_job_among_small_ones(lab) <= 18


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
        lab.wait_for_state("COMPLETED", number)
    assert "Traceback" not in drive.output_text()


def test_a_job_that_moves_to_a_partition_that_is_not_planned_is_slurm_s(lab):
    """Finding 4: within a tick, without anybody's release-all."""
    with lab.drive("strict", "--partition", "main", name="moved"):
        lab.occupy()
        hers = lab.submit("-N1", "--exclusive", "-t1", user=NOBODY)
        lab.as_user("scontrol", "update", f"JobId={hers}", "Partition=side")
        lab.wait_for_state("COMPLETED", hers, patience=15)


def test_a_job_of_a_partition_that_goes_and_comes_runs(lab):
    """Finding 4: Slurm takes such a job for failed, then for requeued; nobody holds it."""
    conf = lab.conf.read_text()
    without = "\n".join(line for line in conf.splitlines() if "PartitionName=side" not in line)
    with lab.drive("strict", name="gone"):
        busy = lab.occupy("-N1", "-pside", "--exclusive", "-t1")
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
        lab.wait_for_state("COMPLETED", hers)


def test_an_administrator_s_hold_is_named_and_stays(lab):
    """Findings 2 and 4: by the driver, and by the way out."""
    with lab.drive("strict", name="admin") as drive:
        wide = lab.occupy()
        number = lab.submit("-N1", "--exclusive", "-t1", user=NOBODY)
        lab.run("scontrol", "hold", str(number))
        lab.run("scancel", str(wide))
        time.sleep(3)
        assert lab.jobs()[number].held == "admin"
    assert drive.ended() == 0
    job = lab.jobs()[number]
    assert (job.held, mark_of(job.admin_comment)) == ("admin", None)


def test_a_driver_whose_state_folder_goes_gives_everything_back(lab):
    """Finding 3: it says why, and ends with 1."""
    with lab.drive("strict", name="folder") as drive:
        lab.occupy()
        waits = lab.submit("-N1", "--exclusive", "-t1", user=NOBODY)
        assert mark_of(lab.jobs()[waits].admin_comment) is not None
        shutil.rmtree(lab.state.rename(lab.folder / "gone"))  # at once: the driver writes into it
        assert drive.ended() == 1
    job = lab.jobs()[waits]
    assert (job.admin_comment, job.begin_time <= time.time()) == (FREE, True)
    assert "heartbeat: cannot be written" in drive.output_text()


def test_of_two_drivers_the_younger_one_goes(lab):
    """Finding 11: the lock file was deleted; it is the marks by which they know of each other."""
    with lab.drive("strict", name="older") as older:
        (lab.state / "lock").unlink()
        younger = lab.drive("strict", name="younger")
        numbers = []
        while younger.process.is_alive():
            numbers.append(lab.submit("-N8", "--exclusive", "-t1", seconds=0.2))
            younger.process.join(1)
            assert len(numbers) < 60
        assert younger.ended() == 2
        assert "another driver is running, since" in younger.output_text()
        lab.wait_for("all have run", lambda jobs: all(jobs[one].state == "COMPLETED" for one in numbers))
        assert older.process.is_alive()
        assert all(lab.jobs()[one].key.restarts == 0 for one in numbers)


def test_a_user_does_not_pass_the_plan(lab):
    """Finding 6: neither by the comment noplan, which is root's, nor by her begin time; she may put a job off."""
    with lab.drive("strict", name="passing"):
        wide = lab.occupy()
        hers = lab.submit("-N1", "--exclusive", "-t1", "--comment=noplan", user=NOBODY)
        roots = lab.submit("-N1", "--exclusive", "-t1", "--comment=noplan")
        put_off = lab.submit("-N1", "--exclusive", "-t1", user=NOBODY)
        lab.as_user("scontrol", "update", f"JobId={hers}", "StartTime=now")
        lab.as_user("scontrol", "update", f"JobId={put_off}", "StartTime=now+2hours")
        time.sleep(2)
        jobs = lab.jobs()
        assert mark_of(jobs[hers].admin_comment) is not None
        assert jobs[hers].begin_time > time.time() + 60
        assert jobs[roots].admin_comment == ""
        assert jobs[put_off].begin_time > time.time() + 7000
        lab.run("scancel", str(wide))
        lab.wait_for_state("COMPLETED", hers)
        assert lab.jobs()[put_off].state == "PENDING"
