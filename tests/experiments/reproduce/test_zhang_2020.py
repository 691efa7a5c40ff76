"""Zhang et al. (SC 2020): the simulator's rules by hand, and Table V to every printed digit."""

import csv
from functools import cache

import numpy as np
import pytest

from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.reproduce.zhang_2020 import LOGS, POLICIES, TABLES
from planbatch.experiments.reproduce.zhang_2020_simulator import (
    CORRECTED,
    PUBLISHED,
    STARTS,
    QueueSimulator,
    SequenceJob,
    fcfs,
    machine_of,
    mean_slowdowns,
    sjf,
)
from planbatch.experiments.workloads.load import load_log
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.swf.read import parse_swf
from tests.experiments.reproduce.commands import reproduced

pytestmark = pytest.mark.integration

#: What Table V would be if WFP3 and UNICEP took the wait as it is: without and with backfilling; computed apart.
CORRECT = {
    "Lublin-1": (337.34, 381.71, 126.50, 103.10),
    "SDSC-SP2": (1205.96, 1699.00, 675.49, 1517.21),
    "HPC2N": (213.14, 113.86, 143.36, 82.45),
    "Lublin-2": (807.25, 830.49, 135.12, 111.19),
}
#: EASY on the same sequences, by the orders below; computed apart.
ORDERS = ("fcfs", "fcfs/sjf", "sjf", "saf", "wfp3", "unicef", "f1")
EASY = {
    "Lublin-1": (271.40, 140.81, 42.08, 34.38, 80.33, 58.71, 35.26),
    "SDSC-SP2": (881.36, 1279.61, 1577.38, 949.13, 465.27, 625.48, 988.13),
    "HPC2N": (79.55, 65.77, 55.31, 46.61, 63.66, 51.23, 63.65),
    "Lublin-2": (222.18, 165.73, 82.63, 72.73, 71.34, 88.73, 109.57),
}


def starts(processors, jobs, score=fcfs, backfilling=False):
    """Simulate (submit, run, request, processors), and return the starts."""
    all_jobs = [SequenceJob(*job) for job in jobs]
    QueueSimulator(list(all_jobs), processors, score, backfilling).run()
    return [job.start for job in all_jobs]


def test_the_first_job_is_committed_to():
    """B is chosen at 0 for want of another; the shorter C comes at 1, and waits for it.

    ::

        |A A A A|B B B|C
    """
    jobs = [(0, 4, 4, 1), (0, 3, 3, 1), (1, 1, 1, 1)]
    assert starts(1, jobs, sjf) == [0, 4, 7]


def test_the_queue_is_put_into_order_after_a_start():
    """At 4, when B has started, D goes before C."""
    jobs = [(0, 4, 4, 1), (0, 3, 3, 1), (1, 2, 2, 1), (2, 1, 1, 1)]
    assert starts(1, jobs, sjf) == [0, 4, 8, 7]


def test_backfilled_jobs_end_strictly_before_the_expected_start():
    """B is expected at 5. C would end at 5: too late. D, which ends at 4, starts; there are no extra processors for E.

    ::

        3 |D D D D . B B C C C C C
        2 |A A A A A B B . .
        1 |A A A A A . . . . E …
    """
    jobs = [(0, 5, 5, 2), (0, 2, 2, 2), (0, 5, 5, 1), (0, 4, 4, 1), (0, 9, 9, 1)]
    assert starts(3, jobs, backfilling=True) == [0, 5, 5, 0, 7]
    assert starts(3, jobs) == [0, 5, 5, 7, 7]


def test_the_expected_start_is_not_reckoned_again():
    """A asked for 9 s and ends at 2: B starts then; C, whose end at 8 is before 9, was let in at 0 and stays."""
    jobs = [(0, 2, 9, 2), (0, 2, 2, 2), (0, 8, 8, 1)]
    assert starts(3, jobs, backfilling=True) == [0, 2, 0]


def test_jobs_are_read_as_the_simulator_reads_them():
    """By number; a run of 0 is left out, a negative one is 10 s; a request of -1 is the run; the larger size."""
    lines = {
        3: "3 7 -1 50 2 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1",
        1: "1 5 -1 -1 8 -1 -1 -1 600 -1 1 1 1 1 1 1 -1 -1",
        2: "2 6 -1 0 8 -1 -1 8 600 -1 1 1 1 1 1 1 -1 -1",
    }
    filler = [f"{i} 9 -1 5 1 -1 -1 1 3 -1 1 1 1 1 1 1 -1 -1" for i in range(4, 10_000)]
    data = "\n".join(["; MaxNodes: 16", *lines.values(), *filler]).encode()
    machine = machine_of(parse_swf(data, name="log"))
    assert machine.processors == 16
    assert machine.jobs[0].request == 600
    assert [(j.submit, j.run, j.request, j.procs) for j in machine.jobs[:3]] == [
        (5, 10, 600, 8),
        (7, 50, 50, 4),
        (9, 5, 3, 1),
    ]
    workload = machine.workload(0)
    assert (workload.walltime[0], workload.runtime[0], len(workload)) == (3, 3, 1024)
    with pytest.raises(ValueError, match="3 jobs, but the sequences need 9,874"):
        machine_of(parse_swf("\n".join(["; MaxNodes: 16", *filler[:3]]).encode(), name="log"))


@cache
def machine(path):
    """Read a log once."""
    return machine_of(load_log(path))


@pytest.mark.nightly
@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("item", TABLES)
def test_table_v_to_every_printed_digit(name, item, real_log):
    """Five orders on ten sequences; and the two orders corrected."""
    backfilling, table = TABLES[item]
    read = machine(real_log(LOGS[name]))
    slowdowns = {policy: mean_slowdowns(read, PUBLISHED[policy], backfilling) for policy in POLICIES}
    assert all(len(means) == len(STARTS) for means in slowdowns.values())
    printed = dict(zip(POLICIES, table[name], strict=False))
    assert {policy: round(means.mean(), 2) for policy, means in slowdowns.items()} == printed
    corrected = [mean_slowdowns(read, score, backfilling).mean() for score in CORRECTED.values()]
    assert [round(mean, 2) for mean in corrected] == list(CORRECT[name][2 * backfilling :][:2])


@pytest.mark.nightly
@pytest.mark.parametrize("name", LOGS)
def test_easy_on_the_same_sequences(name, real_log):
    """Mean bounded slowdown over the ten sequences."""
    read = machine(real_log(LOGS[name]))
    for order, expected in zip(ORDERS, EASY[name], strict=True):
        traces = [replay(read.workload(k), f"easy:{order}") for k in range(len(STARTS))]
        mean = np.mean([metrics(trace).mean_bounded_slowdown for trace in traces])
        assert round(mean, 2) == expected, order


@pytest.mark.nightly
def test_command(tmp_path):
    """Two sequences of one log, two seeds; tables, pictures and the values of each sequence."""
    logs = {"lublin_256": synthetic_workload(jobs=9900, capacity=64, seed=1, load=0.8)}
    rows, files, out, messages = reproduced(tmp_path, "zhang-2020", logs)
    assert "left out: HPC2N" in messages
    assert {row["item"] for row in rows} == {*TABLES, "EASY", "Plans"}
    assert {row["workload"] for row in rows} == {"Lublin-1"}
    with (out / "sequences.csv").open(newline="") as file:
        by_sequence = [row for row in csv.DictReader(file) if row["policy"] == "plan-wait"]
    assert [row["sequence"] + row["seed"] for row in by_sequence] == ["00", "01", "10", "11"]
    mean = np.mean([float(row["slowdown"]) for row in by_sequence])
    (ours,) = [row["ours"] for row in rows if (row["policy"], row["metric"]) == ("plan-wait", "mean bounded slowdown")]
    assert float(ours) == pytest.approx(mean, rel=1e-9)
    ends = {row["metric"]: float(row["ours"]) for row in rows if row["policy"] == "plan-wait"}
    least, largest = (ends[f"mean bounded slowdown, {end}"] for end in ("least of 2 seeds", "largest"))
    assert least <= mean <= largest
    assert {"easy.png", "plans.svg", "table-v-with-backfilling.png"} <= files
