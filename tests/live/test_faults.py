"""Ten more faults of a cluster, on the model: the driver goes on, holds stay, and the way out leaves nothing behind."""

from dataclasses import replace

import pytest

from planbatch.experiments.live.slurm.client import Answer, SlurmError
from planbatch.experiments.live.slurm.commands import give_back, lines_of
from planbatch.experiments.live.slurm.marks import DriveRules, mark_of
from planbatch.experiments.live.slurm.snapshot import LiveReservation
from tests.live.model import NODES, NOW, applied, found, job
from tests.live.test_drive import Cluster, arrived, driver, small


def changed(cluster, **fields):
    """Change every job that waits and that nobody holds."""
    jobs = tuple(
        replace(one, **fields) if one.pending and not one.held else one
        for one in cluster.queue.jobs
    )
    cluster.queue = replace(cluster.queue, jobs=jobs)


def lose_nodes(cluster):
    down = tuple(replace(node, state="DOWN") for node in NODES[1:])
    cluster.queue = replace(cluster.queue, nodes=(NODES[0], *down))


def clock_goes_back(cluster):
    cluster.now -= 30


def clock_jumps_ahead(cluster):
    cluster.now += 3600


def all_are_cancelled(cluster):
    changed(cluster, state="CANCELLED")


def comments_imitate_marks(cluster):
    changed(cluster, comment="planbatch:asked=0:begin=1")


def jobs_are_requeued(cluster):
    jobs = tuple(
        replace(one, key=one.key._replace(restarts=1, submit_time=NOW))
        for one in cluster.queue.jobs
    )
    cluster.queue = replace(cluster.queue, jobs=jobs)


def every_line_is_refused(cluster):
    cluster.script = lambda lines: [
        Answer(line, False, "Invalid job id specified") for line in lines
    ]


def the_controller_is_away(cluster):
    cluster.faults += [SlurmError("unreachable", "squeue: Unable to contact slurm controller")] * 4


def the_partition_goes(cluster):
    changed(cluster, partition="gone")


def a_reservation_takes_all(cluster):
    names = tuple(node.name for node in NODES)
    held = LiveReservation("all", NOW, NOW + 8, names, flags=("MAINT",))
    cluster.queue = replace(cluster.queue, reservations=(held,))


FAULTS = (
    lose_nodes, clock_goes_back, clock_jumps_ahead, all_are_cancelled, comments_imitate_marks, jobs_are_requeued,
    every_line_is_refused, the_controller_is_away, the_partition_goes, a_reservation_takes_all,
)  # fmt: skip


@pytest.mark.parametrize("mode", ["strict", "soft"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_does_no_harm(tmp_path, fault, mode):
    """In the middle of twelve ticks: two large jobs, six small ones, one held by its user, one by an administrator."""
    held = (
        job(50, held="user", reason="JobHeldUser"),
        job(51, held="admin", reason="JobHeldAdmin"),
    )
    cluster = Cluster(arrived(1), arrived(2), *map(small, range(3, 9)), *held)
    one = driver(cluster, tmp_path, DriveRules(mode, every=1, grace=3), policy="plan-wait")
    memory, ticks = {}, []
    for second in range(12):
        if second == 4:
            fault(cluster)
        ticks.append(one.tick(memory))
        memory = ticks[-1].planned.memory if ticks[-1].planned is not None else memory
        cluster.now += 1
    assert sum(tick.planned is not None for tick in ticks) >= 6
    for number, who in ((50, "user"), (51, "admin")):
        kept = found(cluster.queue, number)
        assert (kept.held, kept.begin_time, kept.admin_comment) == (who, 0, "")
    assert not any(f"JobId={number} " in line for number in (50, 51) for line in cluster.sent)
    left = applied(cluster.queue, lines_of(give_back(cluster.queue, cluster.now)))
    assert not [one for one in left.jobs if one.pending and mark_of(one.admin_comment) is not None]
