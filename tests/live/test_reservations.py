"""Slurm's reservations: read in both forms, and planned around as windows."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.live.journal import Journal, read_ticks
from planbatch.experiments.live.slurm.commands import commands_for
from planbatch.experiments.live.slurm.marks import DriveRules
from planbatch.experiments.live.slurm.observe import observe
from planbatch.experiments.live.slurm.parse import parse_reservations
from planbatch.experiments.live.slurm.pool import ObserveOptions, reserved_rest
from planbatch.experiments.live.slurm.reading import saved_snapshot
from planbatch.experiments.live.slurm.snapshot import LivePartition, LiveReservation
from planbatch.planner.decoder import decode
from tests.live.builders import NOW, cluster, node, parked, running, snapshot, waiting
from tests.live.dialects import RECORDING_TIME, SAMPLES, recorded, wrapped

TEXT = (SAMPLES / "sample_reservations.txt").read_text(encoding="utf-8")


def reserved(nodes: str, start: int, end: int, **fields) -> LiveReservation:
    """A reservation of nodes, given as ``1 2``, from and until so many seconds from now."""
    names = tuple(f"n{name}" for name in nodes.split())
    return LiveReservation("course", NOW + start, NOW + end, names, **fields)


def windows(observation) -> list[tuple[int, ...]]:
    """Begin and end from now (s), and the amounts."""
    result = zip(*(column.tolist() for column in observation.problem.windows), strict=True)
    return [(start - NOW, end - NOW, *amounts) for start, end, amounts in result]


# Read


def test_the_text_is_read():
    """As Slurm 22.05.8 printed it, in which times are seconds since 1970."""
    maint, course, cores, daily = parse_reservations(TEXT)
    assert maint == LiveReservation("maint", 1795395342, 1795398942, ("n1", "n2", "n3"), 12,
                                    ("MAINT", "IGNORE_JOBS", "SPEC_NODES"), "root")  # fmt: skip
    assert (course.whom, course.flags) == ("root,nobody", ())
    assert (cores.cpus, cores.whom) == (4, "physics")
    assert daily.flags == ("DAILY", "SPEC_NODES")


def test_json_says_the_same():
    """The fields of data_parser v0.0.40 (23.11): numbers are wrapped, flags are a list."""
    rows = [
        {"name": one.name, "start_time": wrapped(one.start), "end_time": wrapped(one.end),
         "node_list": ",".join(one.nodes), "tres": f"cpu={one.cpus}", "flags": list(one.flags), "users": one.whom}
        for one in parse_reservations(TEXT)
    ]  # fmt: skip
    assert parse_reservations({"reservations": rows}) == parse_reservations(TEXT)
    assert parse_reservations(json.dumps({"reservations": rows})) == parse_reservations(TEXT)
    assert parse_reservations("No reservations in the system\n") == ()
    assert parse_reservations({"reservations": []}) == ()


@pytest.mark.parametrize(("printed", "words"), [
    ("ReservationName=a StartTime=5", r"scontrol: reservation a: 'EndTime' is missing; is it cut off\?"),
    ("ReservationName=a StartTime=soon EndTime=9 Nodes=n1", "scontrol: reservation a: 'soon' is no time"),
    ("slurm_load_reservations error", "is no reservation of scontrol -o show reservation"),
    ('{"reservations": [{"name": "a", "sta', "scontrol: its JSON is cut off or damaged"),
    ('{"reservations": [{"name": "a", "start_time": 5}]}', r"scontrol: reservations\[0\] \(a\): the field 'end_time'"),
    ("{}", "scontrol: its JSON has no list 'reservations'"),
])  # fmt: skip
def test_what_cannot_be_read_is_one_sentence(printed, words):
    with pytest.raises(ValueError, match=words):
        parse_reservations(printed)


def test_saved_output_and_the_journal_have_them(tmp_path):
    for name in ("squeue", "sinfo"):
        (tmp_path / f"{name}.json").write_text(json.dumps(recorded(name)))
    (tmp_path / "reservations.txt").write_text(TEXT)
    snapshot = saved_snapshot(tmp_path, RECORDING_TIME)
    assert snapshot.reservations == parse_reservations(TEXT)
    with Journal(tmp_path / "journal.jsonl") as journal:
        journal.snapshot(snapshot)
    (tick,) = read_ticks(tmp_path / "journal.jsonl")
    assert tick.snapshot == snapshot


def test_those_that_repeat_come_again_for_seven_days():
    """NOW is Monday 1970-01-12, 13:46:40 UTC: the five weekdays until Friday, and the Monday after."""
    day = 86400
    assert list(reserved("1", 60, 120).times(NOW)) == [(NOW + 60, NOW + 120)]
    daily = list(reserved("1", 60, 120, flags=("DAILY",)).times(NOW))
    assert daily == [(NOW + 60 + k * day, NOW + 120 + k * day) for k in range(7)]
    workdays = [start - NOW for start, _ in reserved("1", 60, 120, flags=("WEEKDAY",)).times(NOW)]
    assert workdays == [60 + k * day for k in range(5)]
    assert list(reserved("1", -120, -60).times(NOW)) == []


# Planned around


def test_a_reservation_is_a_window():
    """Four nodes; two are reserved from 10 to 30 minutes from now. A job of all, of 20 minutes, starts behind it.

    n1 n2  |          |rrrrrrrrrrrrrrrrrrrr|aaaaaaaaaaaaaaaaaaaa|
    n3 n4  |bbbbbbbbbbbbbbbbbbbb|          |aaaaaaaaaaaaaaaaaaaa|
    """
    observation = observe(
        cluster(
            waiting(1, 4, limit=1200), waiting(2, 2, limit=1200, submit=NOW - 50),
            reservations=(reserved("1 2", 600, 1800),),
        )
    )  # fmt: skip
    assert windows(observation) == [(600, 1800, 2)]
    assert (decode(observation.problem, np.arange(2)).start - NOW).tolist() == [1800, 0]
    (remark,) = observation.noted
    assert (remark.kind, remark.what, remark.why) == ("reserved", "n1,n2", "course: in 10.0 min, for 20.0 min")


def test_running_jobs_keep_what_they_have_of_reserved_nodes():
    """n1 runs a job for 5 minutes more, n2 nothing: both are reserved now, for 10 minutes."""
    observation = observe(cluster(running(1, "1", 300), reservations=(reserved("1 2", -60, 600),)))
    assert windows(observation) == [(0, 600, 1), (300, 600, 1)]
    assert observation.problem.free == 3


def test_a_part_of_a_node_is_reserved_in_cpus_and_whole_in_nodes():
    """Two of the four CPUs of n1."""
    part = (reserved("1", 60, 120, cpus=2),)
    assert windows(observe(cluster(reservations=part), ObserveOptions(unit="cpus"))) == [(60, 120, 2)]
    assert windows(observe(cluster(reservations=part), ObserveOptions(unit="nodes"))) == [(60, 120, 1)]


def test_reservations_that_overlap_take_a_node_once():
    both = (reserved("1 2", 0, 100), reserved("2 3", 50, 150))
    observation = observe(cluster(reservations=both))
    assert windows(observation) == [(0, 100, 1), (0, 150, 1), (50, 150, 1)]


def test_nodes_that_are_away_for_a_reservation_come_back():
    """n1 is marked RESERVED and is; n2 is, and nobody knows until when; n3 is drained and reserved."""
    machine = (node("n1", "IDLE", "RESERVED"), node("n2", "IDLE", "RESERVED"), node("n3", "IDLE", "DRAIN"), node("n4"))
    observation = observe(cluster(nodes=machine, reservations=(reserved("1 3", -5, 600),)))
    assert sorted(observation.pool.usable) == ["n1", "n4"]
    assert (observation.problem.capacity, windows(observation)) == (2, [(0, 600, 1)])


def test_partitions_and_gpus_of_reserved_nodes_are_away_as_well():
    """n1 and n2 have two GPUs each; n2 is the partition long, too; n2 is reserved."""
    machine = (node("n1", gpus=2), node("n2", gpus=2, partitions=("main", "long")), node("n3"))
    parts = (LivePartition("main", ("n1", "n2", "n3")), LivePartition("long", ("n2",)))
    jobs = (waiting(1, 1, partition="long"),)
    observation = observe(cluster(*jobs, nodes=machine, partitions=parts, reservations=(reserved("2", 0, 60),)))
    assert [resource.name for resource in observation.problem.resources] == ["gpus", "partition long"]
    assert windows(observation) == [(0, 60, 1, 2, 1)]


spans = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20), st.integers(1, 4)), max_size=4).map(
    lambda triples: [(start, start + length, amount) for start, length, amount in triples]
)


@given(spans, spans, st.integers(0, 25), st.integers(1, 8))
def test_what_is_left_of_a_node_is_that_of_every_second(reservations, held, now, total):
    """At every second: what is wanted, and no more than running jobs leave."""
    pieces = reserved_rest(total, reservations, held, now)
    for second in range(45):
        there = [amount for start, end, amount in pieces if start <= second < end]
        wanted, busy = (
            sum(amount for start, end, amount in some if start <= second < end) for some in (reservations, held)
        )
        expected = max(min(wanted, total - busy), 0) if second >= now else 0
        assert sum(there) == expected
        assert len(there) <= 1


# Jobs that ask for one


def test_jobs_for_a_reservation_are_listed_and_left_alone():
    """One that waits for planbatch is given back; one without a mark is left alone (failure 10)."""
    observation = observe(cluster(waiting(1, reservation="course")))
    assert [(remark.kind, remark.what) for remark in observation.left_out] == [("reservation", "1")]
    (back,) = commands_for(snapshot(parked(1, reservation="course")), {}, NOW, DriveRules("strict"))
    assert [line.split()[2] for line in back.lines] == ["StartTime=now", "AdminComment=planbatch:free"]
