"""Slurm's accounting: every odd row that sacct prints."""

import pytest

from planbatch.experiments.workloads.load import workload_of_source
from planbatch.experiments.workloads.options import WorkloadOptions

FULL = """\
JobIDRaw|JobID|User|Account|Partition|QOS|State|Submit|Start|End|TimelimitRaw|ElapsedRaw|ReqCPUS|AllocCPUS|NNodes|ReqMem|\
ReqTRES|AllocTRES
12|12|ann|physics|batch|normal|COMPLETED|2024-03-01T10:00:00|2024-03-01T10:05:00|2024-03-01T10:15:00|60|600|4|4|1|16G|\
billing=4,cpu=4,gres/gpu:a100=2,gres/gpu=2,mem=16G,node=1|billing=4,cpu=4,gres/gpu=2,mem=16G,node=1
12.batch|12.batch||physics|||COMPLETED|2024-03-01T10:05:00|2024-03-01T10:05:00|2024-03-01T10:15:00||600|4|4|1||\
|cpu=4,mem=16G,node=1
12.0|12.0||physics|||COMPLETED|2024-03-01T10:05:01|2024-03-01T10:05:01|2024-03-01T10:15:00||599|4|4|1|||cpu=4
14|13_3|bob|physics|batch|normal|TIMEOUT|2024-03-01T10:01:00|2024-03-01T10:01:00|2024-03-01T10:11:20|10|620|2|2|1|4000Mc|\
|cpu=2,mem=8000M,node=1,license/matlab=1
13|13_[4-9%2]|bob|physics|batch|normal|PENDING|2024-03-01T10:01:00|Unknown|Unknown|10|0|2|0|1|4000Mc|cpu=2,mem=8000M|
20|20|cy||gpu|long|CANCELLED by 1003|2024-03-01T11:00:00|None|2024-03-01T11:30:00|UNLIMITED|0|8|0|1|8Gn|cpu=8,mem=8G|
21|21|cy||gpu|long|CANCELLED by 1003|2024-03-01T11:00:00|2024-03-01T11:10:00|2024-03-01T11:30:00|UNLIMITED|1200|8|8|2|\
8Gn||
22|22|cy||gpu|long|RUNNING|2024-03-01T12:00:00|2024-03-01T12:10:00|Unknown|Partition_Limit|5000|8|8|1|8Gn|cpu=8|cpu=8
23|23|ann|physics|batch|normal|REQUEUED|2024-03-01T12:01:00|2024-03-01T12:02:00|2024-03-01T12:03:00|10|60|1|1|1|0n||
23|23|ann|physics|batch|normal|NODE_FAIL|2024-03-01T12:03:00|2024-03-01T12:04:00|2024-03-01T12:05:00|10|60|1|1|1|0n||
24|24|ann|physics|batch|normal|CANCELLED|2024-03-01T12:05:00|2024-03-01T12:06:00|2024-03-01T12:06:00|10|0|1|0|1|0n||
"""


def loaded(tmp_path, text, **options):
    """Write what sacct printed, and load it for a machine with 16 processors."""
    (tmp_path / "sacct.txt").write_text(text)
    return workload_of_source(tmp_path / "sacct.txt", WorkloadOptions(**({"capacity": 16} | options)))


def test_every_row(tmp_path):
    """Steps are no jobs; each run of a requeued job is one; who never started, or still runs, is left out."""
    workload = loaded(tmp_path, FULL)
    first = 1709287200
    assert workload.id.tolist() == [12, 14, 21, 23, 23]
    assert (workload.submit - first).tolist() == [0, 60, 3600, 7260, 7380]
    assert workload.procs.tolist() == [4, 2, 8, 1, 1]
    assert workload.walltime.tolist() == [3600, 600, 1200, 600, 600]
    assert workload.runtime.tolist() == [600, 600, 1200, 60, 60]
    assert workload.wait.tolist() == [300, 0, 600, 60, 60]
    assert workload.user.tolist() == [1, 2, 3, 1, 1]
    assert workload.dropped == {"not started": 3, "still running": 1}
    assert workload.header["Walltimes"] == "1 of 5 jobs have none, their run times stand in"


def test_resources(tmp_path):
    """Requested TRES, else allocated ones, else the field ReqMem; what a job does not list it does not take."""
    rules = ("gpus=gres/gpu:4", "a100=gres/gpu:a100:2", "matlab=license/matlab:1", "memory=mem:64GB")
    workload = loaded(tmp_path, FULL, resource=rules)
    gigabyte = 2**20
    assert workload.demands[:3].tolist() == [[2, 2, 0, 16 * gigabyte], [0, 0, 1, 8000 * 1024], [0, 0, 0, 16 * gigabyte]]
    by_flags = loaded(tmp_path, FULL, memory="requested", memory_capacity="64GB")
    assert by_flags.demands[:3, 0].tolist() == workload.demands[:3, 3].tolist()


def test_partitions(tmp_path):
    """By name; the capacity has to be given, and one pool is said to be one."""
    assert loaded(tmp_path, FULL, partition="gpu").id.tolist() == [21]
    notes: list[str] = []
    workload_of_source(tmp_path / "sacct.txt", WorkloadOptions(capacity=16), notes.append)
    assert notes == ["sacct.txt: 2 partitions are taken as one pool: 1 (batch), 2 (gpu); --partition takes one of them"]
    with pytest.raises(ValueError, match=r"no job is in 'debug'; .* has 1 \(batch\), 2 \(gpu\)"):
        loaded(tmp_path, FULL, partition="debug")
    with pytest.raises(ValueError, match="how many processors partition 2 has; give them with --cap"):
        loaded(tmp_path, FULL, partition="gpu", capacity=None)


def test_few_fields(tmp_path):
    """Elapsed and Timelimit are clocks, CPUs come from TRES, and sacct --parsable ends its lines with a bar."""
    text = (
        "JobID|State|Submit|Elapsed|Timelimit|AllocTRES|\n"
        "7_1|COMPLETED|2024-03-01T10:00:00|00:10:00|1-00:00:00|cpu=4,mem=1G|\n"
        "7_2|FAILED|2024-03-01T10:00:00|10:00|UNLIMITED|cpu=2,mem=1G|\n"
        "7_[3-5]|PENDING|2024-03-01T10:00:00|00:00:00|01:00:00||\n"
    )
    workload = loaded(tmp_path, text, timezone="Europe/Berlin")
    assert workload.id.tolist() == [1, 2]
    assert workload.procs.tolist() == [4, 2]
    assert (workload.runtime.tolist(), workload.walltime.tolist()) == ([600, 600], [86400, 600])
    assert workload.submit.tolist() == [1709283600] * 2
    assert workload.dropped == {"not started": 1}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("JobID|State|ElapsedRaw|ReqCPUS", "no field Submit; the fields are JobID, State, ElapsedRaw, ReqCPUS; make "
         "the file with: TZ=UTC sacct --allusers"),
        ("JobID|Submit|ElapsedRaw|ReqCPUS", "no field State;"),
        ("JobID|State|Submit|ReqCPUS", "no field ElapsedRaw or Elapsed or End"),
        ("JobID,State,Submit,ElapsedRaw", "no field ReqCPUS or NCPUS or AllocCPUS or ReqTRES or AllocTRES"),
    ],
)  # fmt: skip
def test_missing_fields(tmp_path, fields, message):
    """Which, what is there, and the command that prints it."""
    separator = "|" if "|" in fields else ","
    with pytest.raises(ValueError, match=message):
        loaded(tmp_path, fields + "\n" + separator.join("1111") + "\n")


def test_a_time_limit_that_cannot_be_read(tmp_path):
    with pytest.raises(ValueError, match=r"line 2, .*'for ever' is not a duration"):
        loaded(tmp_path, FULL.replace("|60|600|", "|for ever|600|"))
