"""Memory columns and windows of the command: what is read, what is assumed, and what is refused."""

import json

import pytest

from planbatch.experiments.replay.identity import workload_hash
from planbatch.experiments.studies.cells import expand
from planbatch.experiments.studies.experiment_file import read_experiment
from planbatch.experiments.workloads.load import transform_log, workload_of_log, workload_of_source
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.experiments.workloads.resources import amount, amount_text, memory_rule, with_scarce_memory
from planbatch.experiments.workloads.swf.read import parse_swf
from planbatch.planner.resources import Resource

#: Job, processors, used memory, requested memory.
LINES = [(1, 2, 50, 100), (2, 4, 70, -1), (3, 1, -1, -1), (4, 8, 10, 300), (5, 3, -1, 100.4)]


def text(lines=LINES):
    """Give a log on eight processors: every job runs for 60 s and is submitted 10 s after the one before."""
    rows = [
        f"{job} {10 * job} 0 60 {procs} -1 {used} {procs} 90 {requested} 1 1 1 -1 1 1 -1 -1"
        for job, procs, used, requested in lines
    ]
    return "; MaxProcs: 8\n; UnixStartTime: 0\n" + "\n".join(rows) + "\n"


def memory_of(lines=LINES, **options):
    """Give the memory of the jobs, in KB."""
    log = parse_swf(text(lines).encode(), name="log")
    workload = workload_of_log(log, WorkloadOptions(memory_capacity="1GB", **options))
    return workload, workload.demands[:, 0].tolist()


def test_memory_for_each_processor():
    """The column counts for each processor, rounded up to whole KB; the unknown get the median of 100, 100.4, 300."""
    workload, memory = memory_of(memory="requested")
    assert workload.resources == (Resource("memory", 1024**2, "KB"),)
    assert memory == [200, 402, 101, 2400, 302]
    assert workload.header["Memory"] == (
        "memory: 3 requested (column 10), KB for each processor; 2 not known and taken as 100.4 KB for each "
        "processor, the median of the others; the machine has 1 GB"
    )


def test_used_memory_fills_in_for_requested():
    """With ``either``, and only there."""
    assert memory_of(memory="used", memory_unknown="0")[1] == [100, 280, 0, 80, 0]
    workload, memory = memory_of(memory="either", memory_unknown="1MB")
    assert memory == [200, 280, 1024, 2400, 302]
    assert "3 requested (column 10) and 1 used (column 7)" in workload.header["Memory"]
    assert "1 not known and taken as 1 MB for each processor;" in workload.header["Memory"]


def test_memory_for_the_job_or_for_each_node():
    """Nodes of three processors are taken whole; bytes are rounded up to KB."""
    assert memory_of(memory="requested", memory_per="job")[1] == [100, 101, 101, 300, 101]
    assert memory_of(memory="requested", memory_per="node:3")[1] == [100, 201, 101, 900, 101]
    assert memory_of(memory="requested", memory_unit="B")[1] == [1, 1, 1, 3, 1]
    assert memory_of(memory="requested", round_sizes=4)[1] == [400, 402, 402, 2400, 402]


def test_jobs_are_left_out_and_counted():
    """Those that say nothing, on request; and those with more memory than there is."""
    workload, memory = memory_of(memory="requested", memory_unknown="drop")
    assert memory == [200, 2400, 302]
    assert workload.dropped == {"memory not known": 2}
    log = parse_swf(text().encode(), name="log")
    options = WorkloadOptions(memory="requested", memory_capacity="2MB", first=4)
    workload = workload_of_log(log, options)
    assert workload.id.tolist() == [1, 2, 3, 5]
    assert workload.dropped == {"more memory than the machine has": 1}
    assert "the machine has 2 MB, and 1 jobs that take more are left out" in workload.header["Memory"]
    again = workload_of_log(transform_log(log, options), options)
    assert again.id.tolist() == [1, 2, 3, 5]


@pytest.mark.parametrize(
    ("capacity", "per", "expected"),
    [("1GB", "job", 1024**2), ("1GB/processor", "job", 8 * 1024**2), ("1.5MB/node", "node:4", 3072)],
)
def test_memory_of_the_machine(capacity, per, expected):
    """In all, or for each of eight processors or two nodes."""
    assert memory_rule("used", capacity, per).resource(8).capacity == expected


def test_amounts():
    """Units are powers of 1,024; nothing needs no unit."""
    assert amount("2MB", "x") == (2048, "")
    assert amount("1.5 GiB/Node", "memory capacity") == (1.5 * 1024**2, "node")
    assert amount("0", "x") == (0, "")
    assert [amount_text(x) for x in (0.5, 1536, 2**30)] == ["0.5 KB", "1.5 MB", "1 TB"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": "asked"}, "memory: there is no 'asked'"),
        ({"memory": "used", "memory_capacity": None}, "give --memory-capacity"),
        ({"memory": "used", "memory_capacity": "12"}, "memory capacity: '12' is not an amount"),
        ({"memory": "used", "memory_capacity": "1GB/node"}, "give --memory-per node:N"),
        ({"memory": "used", "memory_capacity": "1B"}, "less than 1 KB"),
        ({"memory": "used", "memory_per": "node"}, "none of processor, job and node:N"),
        ({"memory": "used", "memory_unit": "KiB"}, "memory unit: there is no 'KiB'"),
        ({"memory": "used", "memory_unknown": "much"}, "memory unknown: 'much' is not an amount"),
        ({"memory": "used", "memory_unknown": "1MB/node"}, "is for each node; give an amount"),
        ({"memory_unit": "B", "memory_capacity": None}, "memory unit: means nothing without --memory"),
    ],
)
def test_bad_flags_are_refused(options, message):
    log = parse_swf(text().encode(), name="log")
    with pytest.raises(ValueError, match=message):
        workload_of_log(log, WorkloadOptions(**{"memory_capacity": "1GB", **options}))


def test_wrong_units_are_suspected():
    """Bytes that are read as KB, and a job's memory that is read as each processor's."""
    lines = [(job, 8, -1, 300_000 + job) for job in range(1, 5)]
    with pytest.raises(ValueError, match=r"4 of 4 jobs take more memory .* job 1 takes 2.29 GB on 8 processors") as bad:
        memory_of(lines, memory="requested")
    assert "really in KB for each processor? With --memory-unit KB --memory-per job, 0 would." in str(bad.value)
    lines = [(job, 8, -1, 3_000_000_000) for job in range(1, 5)]
    with pytest.raises(ValueError, match="is the column really"):
        memory_of(lines, memory="requested")
    with pytest.raises(ValueError, match="no job says what memory it takes"):
        memory_of([(1, 1, -1, -1)], memory="either")
    with pytest.raises(ValueError, match="has no memory columns"):
        workload_of_source(None, WorkloadOptions(memory="used", memory_capacity="1TB"))


@pytest.fixture
def files(tmp_path):
    (tmp_path / "log.swf").write_text(text())
    (tmp_path / "away.csv").write_text("start,end,processors,memory,known\n0,1h,8,,0\n\n2h,7201,,1MB,\n")
    return tmp_path


def test_windows_are_read(files):
    """Durations count from the log's first submission, even if that job is left out; memory may have a unit."""
    options = WorkloadOptions(memory="used", memory_capacity="1GB", windows=str(files / "away.csv"), span="20:", load=2)
    maintenance, failure = workload_of_source(files / "log.swf", options).windows
    assert (maintenance.start, maintenance.end, maintenance.announced) == (10, 3610, 10)
    assert maintenance.amounts == {"processors": 8}
    assert (failure.start, failure.end, failure.known) == (7210, 7211, None)
    assert failure.amounts == {"memory": 1024}


def test_replay_with_memory_and_windows(files, run):
    """The whole machine is away for the first hour; assumptions are printed on standard error."""
    words = "replay log.swf --policy ibb --json --check --starts starts.csv"
    words += " --memory used --memory-capacity 1GB --windows away.csv"
    code, out, err = run(*words.split())
    assert code == 0, err
    assert "log: memory: 3 used (column 7), KB for each processor; 2 not known" in err
    output = json.loads(out)
    memory = output["resources"]["memory"]
    assert (memory["capacity"], memory["unit"]) == (2**20, "KB")
    assert memory["assumed"].startswith("memory: 3 used (column 7)")
    used = output["results"][0]["utilisation_by_resource"]
    assert used["processors"] == output["results"][0]["utilisation"]
    makespan = output["results"][0]["makespan"]
    assert used["memory"] == pytest.approx(60 * (100 + 280 + 50 + 80 + 150) / (2**20 * makespan))
    starts = (files / "starts.csv").read_text().splitlines()[1:]
    assert min(int(line.split(",")[2]) for line in starts) == 3610


def test_generated_memory_is_as_scarce_as_processors(run):
    """Written and read again, it is the same; every job fits, and both loads are equal."""
    workload = with_scarce_memory(synthetic_workload(400, 64, 5, 0.8), "64GB", 5)
    run_time = workload.runtime.astype(float)
    loads = [
        float((amounts * run_time).sum() / size)
        for amounts, size in ((workload.procs, 64), (workload.demands[:, 0], 64 * 2**20))
    ]
    assert loads[0] == pytest.approx(loads[1], rel=0.02)
    words = "workload generate two.swf --count 400 --capacity 64 --seed 5 --offered-load 0.8"
    code, _, err = run(*words.split(), "--scarce-memory", "64GB")
    assert code == 0, err
    options = WorkloadOptions(memory="requested", memory_capacity="64GB")
    assert workload_of_source("two.swf", options).demands.tolist() == workload.demands.tolist()


def test_info_tells_resources(files, run):
    """As JSON, and for people: the load in memory, its distribution, and what was assumed."""
    words = "workload info log.swf --memory requested --memory-capacity 1GB --windows away.csv"
    info = json.loads(run(*words.split(), "--json")[1])
    memory = info["resources"]["memory"]
    assert (memory["capacity"], memory["quantiles"]["1"], info["windows"]) == (2**20, 2400, 2)
    assert memory["offered_load"] == pytest.approx(60 * (200 + 402 + 101 + 2400 + 302) / (2**20 * 40))
    tables = run(*words.split())[1]
    assert "memory (KB)" in tables
    assert "3 requested (column 10), KB for each processor; 2 not known" in tables.replace("\n", " ")


def test_rounds_are_captured_with_what_jobs_take(files, run):
    """A captured round has the demands, and is searched like any other."""
    lines = [(job, 3, -1, 500_000 // 3) for job in range(1, 13)]
    (files / "log.swf").write_text(text(lines).replace(" 0 60 ", " 0 600 "))
    words = "rounds capture log.swf --memory requested --memory-capacity 1GB"
    words += " --windows away.csv --sizes 4 --out rounds --json"
    code, out, err = run(*words.split())
    assert code == 0, err
    (path,) = json.loads(out)["files"]
    data = json.loads((files / path).read_text())
    assert data["resources"] == {"memory": {"capacity": 2**20, "unit": "KB"}}
    assert all(job["demands"] == {"memory": 499_998} for job in data["waiting"])
    out = run("round", path, "--optimizer", "exhaustive", "--json")[1]
    starts = sorted(json.loads(out)["starts"].values())
    assert len(starts) == 4
    assert starts[2] - starts[0] >= 90  # two at a time


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("begin,end\n", "line 1: there is no column start"),
        ("start,end,gpus\n", "line 1: the machine has no 'gpus'"),
        ("start,end,end\n", "line 1: a column appears twice"),
        ("start,end,processors\n1,2\n", "line 2: 2 columns instead of 3"),
        ("start,end,processors\nsoon,2,1\n", "line 2, start: 'soon' is neither a duration"),
        ("start,end,processors\n1d,1d,1\n", "line 2: window: it begins at 1d and ends at 1d, which is never left"),
        ("start,end,processors\n1,2,\n", "line 2: window: it takes nothing"),
        ("start,end,processors\n1,2,1.5\n", "line 2, processors: '1.5' is not a whole number"),
        ("start,end,processors\n1,2,9\n", r"away.csv: window processors\[0\]: 9 is above the capacity of 8"),
        ("start,end,memory\n1,2,3\n", "line 1: the machine has no 'memory'"),
    ],
)
def test_bad_windows_are_refused(files, content, message):
    (files / "away.csv").write_text(content)
    with pytest.raises(ValueError, match=message):
        workload_of_source(files / "log.swf", WorkloadOptions(windows=str(files / "away.csv")))
    with pytest.raises(OSError, match=r"none.csv cannot be read"):
        workload_of_source(None, WorkloadOptions(windows="none.csv"))


def test_experiments_know_memory(files):
    """The keys are those of the flags, and results are kept by the memory that was asked for."""
    sources = (("used", "1GB"), ("used", "2GB"), ("requested", "1GB"))
    for memory, capacity in sources:
        path = files / f"{memory}{capacity}.toml"
        path.write_text(
            f'[[workload]]\nsource = "log.swf"\nmemory = "{memory}"\nmemory-capacity = "{capacity}"\n'
            '[[policy]]\nname = "easy"\n'
        )
    cells = [expand(read_experiment(files / f"{memory}{capacity}.toml"))[0] for memory, capacity in sources]
    assert [cell.workload.jobs.resources[0].capacity for cell in cells] == [2**20, 2**21, 2**20]
    assert len({workload_hash(cell.workload.jobs) for cell in cells}) == 3
