"""Gaussier et al. (SC 2015): how jobs are read, and the published values to ten digits."""

import pytest

from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.reproduce.gaussier_2015 import LOG, VARIANTS, simulate, workload_of
from planbatch.experiments.workloads.load import load_log
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.swf.read import parse_swf
from tests.experiments.reproduce.commands import reproduced

pytestmark = pytest.mark.integration

PUBLISHED = [variant for variant in VARIANTS if variant.paper is not None]
#: The longest waits (s), which the paper does not print; computed apart.
LONGEST = {"EASY": 262194, "EASY++: SJBF, last two, incremental": 528201, "SJBF, E-Loss, incremental": 938165}


def test_jobs_are_read_as_in_the_paper():
    """Too large by either column, or unknown: left out. Processors from the other column; runs cut at the request."""
    line = "{} {} -1 {} {} -1 -1 {} {} -1 1 7 1 1 1 1 -1 -1"
    rows = [
        (1, 0, 50, 4, 2, 30),
        (2, 1, 50, 4, -1, 60),
        (3, 1, 50, -1, 3, 60),
        (4, 1, 50, 99, 3, 60),
        (5, 1, 50, -1, -1, 60),
        (6, 1, 0, 4, 4, 60),
        (7, 1, 50, 4, 4, -1),
    ]
    data = "\n".join(["; MaxProcs: 16", *(line.format(*row) for row in rows)]).encode()
    workload = workload_of(parse_swf(data, name="log"), "log")
    assert workload.capacity == 16
    rows = zip(workload.id, workload.procs, workload.walltime, workload.runtime, strict=True)
    assert [tuple(map(int, row)) for row in rows] == [(1, 2, 30, 30), (2, 4, 60, 50), (3, 3, 60, 50)]


@pytest.mark.parametrize("variant", PUBLISHED, ids=lambda variant: variant.name)
def test_published_values_to_ten_digits(variant, real_log):
    """Mean bounded slowdown; and the longest wait, where it was computed apart."""
    workload = workload_of(load_log(real_log(LOG)), LOG)
    assert len(workload) == 28481
    measured = metrics(simulate(workload, variant))
    assert f"{measured.mean_bounded_slowdown:.10g}" == f"{variant.paper:.10g}"
    assert measured.max_wait == LONGEST.get(variant.name, measured.max_wait)


def test_command(tmp_path):
    """Tables and a picture, of a small log under that name."""
    logs = {LOG: synthetic_workload(jobs=400, capacity=64, seed=1, load=1.0)}
    rows, files, _, _ = reproduced(tmp_path, "gaussier-2015", logs)
    assert {row["item"] for row in rows} == {"KTH-SP2", "Beside the paper", "Planbatch's rules", "Accuracy"}
    assert {row["policy"] for row in rows} == {*(v.name for v in VARIANTS), "easy", "easy:fcfs/sjf"}
    assert {"kth-sp2.png", "kth-sp2.svg"} <= files
