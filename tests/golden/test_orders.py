"""EASY with the orders that studies compare with, on six logs: mean wait, longest wait and slowdown, to the digit.

The values were computed apart from planbatch, by the same rules of the replay.
"""

from functools import cache

import pytest

from planbatch.experiments.replay.metrics import metrics
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.load import workload_of_source
from planbatch.experiments.workloads.transform import first_jobs

pytestmark = pytest.mark.nightly

LOGS = {
    "KTH-SP2": "KTH-SP2-1996-2.1-cln",
    "SDSC-SP2": "SDSC-SP2-1998-4.2-cln",
    "SDSC-BLUE": "SDSC-BLUE-2000-4.2-cln",
    "SDSC-DS": "SDSC-DS-2004-2.1-cln",
    "Theta": "theta_2022",
    "HPC2N": "HPC2N-2002-2.2-cln",
}
CHECK_VALUES = """
KTH-SP2    fcfs/sjf   5905.999   284815    69.558
KTH-SP2    lxf        5070.559   357559    50.953
KTH-SP2    wfp3       5158.408   337975    54.386
KTH-SP2    unicef     5415.243   457207    52.877
KTH-SP2    saf        5651.977   4192524   39.166
KTH-SP2    f1         6388.718   2649678   58.880
KTH-SP2    saf@20h    5315.262   351865    51.951
SDSC-SP2   fcfs/sjf   20401.242  519155    82.941
SDSC-SP2   lxf        17345.108  704019    53.369
SDSC-SP2   wfp3       16476.642  703346    51.947
SDSC-SP2   unicef     17692.396  742868    50.071
SDSC-SP2   saf        65092.724  44271758  100.781
SDSC-SP2   f1         102683.327 34206453  168.070
SDSC-BLUE  fcfs/sjf   3722.738   181304    14.668
SDSC-BLUE  lxf        2724.155   241150    9.527
SDSC-BLUE  wfp3       2961.447   219485    10.820
SDSC-BLUE  unicef     2862.561   319187    9.995
SDSC-BLUE  saf        2551.246   2350186   7.895
SDSC-BLUE  f1         2602.572   2187427   10.487
SDSC-DS    fcfs/sjf   4335.029   183806    23.760
SDSC-DS    lxf        3577.174   268519    18.023
SDSC-DS    wfp3       3861.838   442356    18.971
SDSC-DS    unicef     3155.217   342900    16.395
SDSC-DS    saf        2130.183   1375419   11.248
SDSC-DS    f1         2315.563   1725793   13.646
Theta      fcfs/sjf   34704.183  682355    75.046
Theta      lxf        19907.438  974514    40.531
Theta      wfp3       23426.489  933602    49.259
Theta      unicef     18880.967  1119681   39.518
Theta      saf        12459.821  2074808   30.418
Theta      f1         14149.064  1955122   40.848
HPC2N      fcfs/sjf   10222.294  1163311   83.209
HPC2N      lxf        7413.947   1477683   58.573
HPC2N      wfp3       7677.315   1582573   60.109
HPC2N      unicef     6623.200   1534218   49.457
"""
ROWS = [line.split() for line in CHECK_VALUES.strip().splitlines()]


@cache
def loaded(path, first):
    """Read a log once for all orders."""
    workload = workload_of_source(path)
    return first_jobs(workload, first) if first else workload


@pytest.mark.parametrize(
    ("log", "order", "mean_wait", "max_wait", "slowdown"),
    ROWS,
    ids=[f"{row[0]}-{row[1]}".replace("/", "-") for row in ROWS],
)
def test_check_values(real_log, log, order, mean_wait, max_wait, slowdown):
    workload = loaded(real_log(LOGS[log]), 67155 if log == "SDSC-BLUE" else None)
    result = metrics(replay(workload, f"easy:{order}"))
    assert f"{result.mean_wait:.3f}" == mean_wait
    assert str(result.max_wait) == max_wait
    assert f"{result.mean_bounded_slowdown:.3f}" == slowdown
