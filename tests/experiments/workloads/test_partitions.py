"""Partitions of a log, each a machine of its own."""

import json

import pytest

from planbatch.experiments.studies.cells import expand
from planbatch.experiments.studies.experiment_file import read_experiment
from planbatch.experiments.workloads.load import transform_log, workload_of_log, workload_of_source
from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.experiments.workloads.partitions import partition_capacity
from planbatch.experiments.workloads.swf.log import SwfHeader
from planbatch.experiments.workloads.swf.read import parse_swf

HEADER = """\
; MaxProcs: 12 (8, 4)
; MaxPartitions: 2
; Partition: 1 batch partition (8 nodes)
; Partition: 2 quick
"""
#: Job, processors, partition.
LINES = [(1, 8, 1), (2, 4, 2), (3, 6, 2), (4, 1, 1)]


def text(header=HEADER):
    rows = [
        f"{job} {10 * job} 0 60 {procs} -1 -1 {procs} 90 -1 1 1 1 -1 1 {partition} -1 -1"
        for job, procs, partition in LINES
    ]
    return header + "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("partition", "jobs", "capacity", "dropped"),
    [
        ("1", [1, 4], 8, {}),
        ("batch", [1, 4], 8, {}),
        ("Batch partition (8 nodes)", [1, 4], 8, {}),
        ("quick", [2], 4, {"larger than the machine": 1}),
    ],
)
def test_one_partition(partition, jobs, capacity, dropped):
    """Its jobs on its processors; writing and reading them again gives the same."""
    log = parse_swf(text().encode(), name="log")
    options = WorkloadOptions(partition=partition)
    workload = workload_of_log(log, options)
    assert workload.id.tolist() == jobs
    assert (workload.capacity, workload.dropped) == (capacity, dropped)
    assert workload.name == f"log, partition {partition}"
    again = workload_of_log(transform_log(log, options), WorkloadOptions())
    assert (again.id.tolist(), again.capacity) == (jobs, capacity)


def test_all_partitions_are_one_pool_and_it_is_said(tmp_path):
    """With their numbers and names."""
    (tmp_path / "log.swf").write_text(text())
    notes: list[str] = []
    assert workload_of_source(tmp_path / "log.swf", notify=notes.append).capacity == 12
    assert notes == [
        "log: 2 partitions are taken as one pool: 1 (batch partition), 2 (quick); --partition takes one of them"
    ]


@pytest.mark.parametrize(
    ("partition", "message"),
    [("3", r"no job is in '3'; log has 1 \(batch partition\), 2 \(quick\)"), ("bat", "no job is in 'bat'")],
)
def test_other_partitions_are_refused(partition, message):
    log = parse_swf(text().encode(), name="log")
    with pytest.raises(ValueError, match=message):
        workload_of_log(log, WorkloadOptions(partition=partition))
    twins = parse_swf(text(HEADER.replace("quick", "batch too")).encode(), name="log")
    with pytest.raises(ValueError, match="'batch' fits several"):
        workload_of_log(twins, WorkloadOptions(partition="batch"))
    with pytest.raises(ValueError, match="partition: lublin-batch-256 has none"):
        workload_of_source(None, WorkloadOptions(partition=partition))
    without = parse_swf(
        text().replace(" 1 1 -1 -1", " 1 -1 -1 -1").replace(" 1 2 -1 -1", " 1 -1 -1 -1").encode(), name="log"
    )
    with pytest.raises(ValueError, match="the jobs of log have none"):
        workload_of_log(without, WorkloadOptions(partition=partition))


@pytest.mark.parametrize("processors", ["12", "12 (8)", "12 (8, 5)", "12 (4, 4, 4)", "12 (8 batch, 4 quick)"])
def test_the_header_does_not_always_say_how_large_it_is(processors):
    """Only if it lists as many numbers as partitions, and they are all there is."""
    header = HEADER.replace("12 (8, 4)", processors)
    assert partition_capacity(SwfHeader(tuple(header.splitlines())), 2) is None
    log = parse_swf(text(header).encode(), name="log")
    with pytest.raises(ValueError, match="how many processors partition 2 has; give them with --cap"):
        workload_of_log(log, WorkloadOptions(partition="2"))
    workload = workload_of_log(log, WorkloadOptions(partition="2", capacity=6))
    assert workload.id.tolist() == [2, 3]


@pytest.mark.integration
def test_every_partition_is_a_pool_of_its_own(run, tmp_path):
    """With a table and a folder each; none may be left without its size."""
    (tmp_path / "log.swf").write_text(text())
    words = ["compare", "log.swf", "--partition", "all", "--policy", "fcfs", "--out", "out"]
    out = run(*words)[1]
    assert "log, partition 1: 2 jobs, 8 processors" in out
    assert "log, partition 2: 1 job, 4 processors" in out
    for folder in ("partition-1", "partition-2"):
        assert (tmp_path / "out" / folder / "comparison.csv").is_file()
    assert [pool["capacity"] for pool in json.loads(run(*words, "--json")[1])["pools"]] == [8, 4]
    assert "--capacity would be the size of each" in run(*words, "--capacity", "4")[2]
    unknown = text().replace(" 1 -1 -1\n", " -1 -1 -1\n").replace(" 2 -1 -1\n", " -1 -1 -1\n")
    (tmp_path / "log.swf").write_text(unknown)
    assert "the jobs of log.swf have none" in run(*words)[2]


def test_by_the_command_and_from_files(run, tmp_path):
    """A list of partitions in a file gives a workload of each."""
    (tmp_path / "log.swf").write_text(text())
    words = ["workload", "info", "log.swf", "--partition", "quick"]
    output = json.loads(run(*words, "--json")[1])
    assert output["capacity"] == 4
    assert output["partitions"] == [
        {"partition": 1, "name": "batch partition (8 nodes)", "processors": 8, "lines": 2},
        {"partition": 2, "name": "quick", "processors": 4, "lines": 2},
    ]
    assert "Partitions of the whole log" in run(*words)[1]
    (tmp_path / "log.csv").write_text("# MaxProcs: 4\nat,procs,took,gpu,pool\n0,2,60,1,a\n9,4,60,0,b\n")
    (tmp_path / "grid.toml").write_text(
        """
        [[workload]]
        source = "log.swf"
        partition = [1, "quick"]
        [[workload]]
        source = "log.csv"
        columns = {submit = "at", runtime = "took"}
        resource = ["gpus=gpu:2", "more=gpu:8"]
        [[policy]]
        name = "easy"
        """
    )
    cells = expand(read_experiment(tmp_path / "grid.toml"))
    names = [cell.workload.name for cell in cells]
    assert names == ["log, partition 1", "log, partition quick", "log"]
    assert [cell.workload.jobs.capacity for cell in cells] == [8, 4, 4]
    assert cells[2].workload.jobs.demands.tolist() == [[1, 1], [0, 0]]
