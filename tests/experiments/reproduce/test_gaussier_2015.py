"""Gaussier et al. (SC 2015): the simulator's rules by hand, and the published values to ten digits."""

import csv

import pytest
from click.testing import CliRunner

from planbatch.experiments.command.main import planbatch
from planbatch.experiments.predictions.correctors import CORRECTORS
from planbatch.experiments.predictions.predictor import Requested, Submitted
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.reproduce.gaussier_2015.protocol import Job, Simulation, jobs_of
from planbatch.experiments.reproduce.gaussier_2015.reproduce import (
    LOG,
    VARIANTS,
    mean_slowdown,
    simulated,
    waits,
)
from planbatch.experiments.workloads.load import load_log
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.swf.read import parse_swf
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf
from tests.builders import workload_of

PUBLISHED = [variant for variant in VARIANTS if variant.paper is not None]
#: The longest waits (s), which the paper does not print; computed apart.
LONGEST = {
    "EASY": 262194,
    "EASY++: SJBF, last two, incremental": 528201,
    "SJBF, E-Loss, incremental": 938165,
}


class Told(Requested):
    """Predict what it was told for each job; the request otherwise."""

    def __init__(self, **seconds):
        self.seconds = {int(job.removeprefix("job")): value for job, value in seconds.items()}

    def predict(self, job):
        """Return it."""
        return self.seconds.get(job.job, job.walltime)


def starts(capacity, jobs, predictor=None, corrector="request", shortest=False):
    """Simulate (submit, procs, request, run) and return the starts."""
    made = [
        Job(Submitted(k + 1, 1, submit, procs, request), run)
        for k, (submit, procs, request, run) in enumerate(jobs)
    ]
    Simulation(capacity, predictor or Requested(), CORRECTORS[corrector], shortest).run(made)
    return [job.start for job in made]


def test_backfilling_in_fcfs_order_and_by_shortest_prediction():
    """When Z ends, A starts, and B is the head; one of C and D fits before the shadow time: the first, or the shorter.

    ::

        FCFS   2 |Z C C C C . . B B D        SJBF   2 |Z D D D . . . B B C …
               1 |Z A A A A A A B B D               1 |Z A A A A A A B B C
    """
    jobs = [(0, 2, 1, 1), (0, 1, 6, 6), (0, 2, 2, 2), (0, 1, 4, 4), (0, 1, 3, 3)]
    assert starts(2, jobs) == [0, 1, 7, 1, 9]
    assert starts(2, jobs, shortest=True) == [0, 1, 7, 9, 1]


def test_there_is_a_pass_after_each_event():
    """At 0 four jobs are submitted, one after the other: C starts before the shorter D is there."""
    jobs = [(0, 1, 6, 6), (0, 2, 2, 2), (0, 1, 4, 4), (0, 1, 3, 3)]
    assert starts(2, jobs, shortest=True) == [0, 6, 0, 8]
    assert replay(workload_of(2, jobs), "easy:fcfs/sjf").start.tolist() == [0, 6, 8, 0]


def test_a_submission_that_does_not_fit_triggers_no_pass():
    """A, predicted for 2 s, is corrected to 9 s at 2, without a pass. So C might end before B's new start.

    D comes at 3, and does not fit: in EASY there is no pass either; with SJBF there is, and C starts::

        EASY   2 |. . . . . . . . . B B C …        SJBF   2 |. . . C C C C C . B B D D
               1 |A A A A A A A A A B B                   1 |A A A A A A A A A B B D D
    """
    jobs = [(0, 1, 9, 9), (0, 2, 2, 2), (0, 1, 5, 5), (3, 2, 2, 2)]
    assert starts(2, jobs, Told(job1=2)) == [0, 9, 11, 16]
    assert starts(2, jobs, Told(job1=2), shortest=True) == [0, 9, 3, 11]


def test_a_prediction_keeps_others_from_being_backfilled():
    """With requests, C may run beside A, which asked for 9 s; if A is predicted for 2 s, C would delay B."""
    jobs = [(0, 1, 9, 9), (0, 2, 2, 2), (0, 1, 8, 8)]
    assert starts(2, jobs) == [0, 9, 0]
    assert starts(2, jobs, Told(job1=2)) == [0, 9, 11]


def test_a_job_is_corrected_whenever_it_outlives_its_prediction():
    """Predicted for 2 s, then 4, 8 and 16: C, which comes at 5 for 4 s, would end at 9, after 8."""
    jobs = [(0, 1, 20, 16), (1, 2, 2, 2), (5, 1, 20, 4)]
    assert starts(2, jobs, Told(job1=2, job3=4), "doubling", shortest=True) == [0, 16, 18]
    jobs = [(0, 1, 20, 16), (1, 2, 2, 2), (8, 1, 20, 4)]
    assert starts(2, jobs, Told(job1=2, job3=4), "doubling", shortest=True) == [0, 16, 8]


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
    jobs, capacity = jobs_of(parse_swf(data, name="log"))
    assert capacity == 16
    assert [(j.known.job, j.known.procs, j.known.walltime, j.runtime) for j in jobs] == [
        (1, 2, 30, 30),
        (2, 4, 60, 50),
        (3, 3, 60, 50),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("variant", PUBLISHED, ids=lambda variant: variant.name)
def test_published_values_to_ten_digits(variant, real_log):
    """Mean bounded slowdown; and the longest wait, where it was computed apart."""
    jobs, capacity = jobs_of(load_log(real_log(LOG)))
    assert len(jobs) == 28481
    done = simulated(jobs, capacity, variant)
    assert f"{mean_slowdown(done):.10g}" == f"{variant.paper:.10g}"
    assert max(waits(done)) == LONGEST.get(variant.name, max(waits(done)))


def test_command(tmp_path):
    """Tables and a picture, of a small log under that name."""
    folder, out = tmp_path / "logs", tmp_path / "out"
    folder.mkdir()
    workload = synthetic_workload(jobs=400, capacity=64, seed=1, load=1.0)
    write_swf(folder / f"{LOG}.swf", swf_from_workload(workload))
    words = ["reproduce", "gaussier-2015", "--workloads", str(folder), "--out", str(out), "--quick"]
    outcome = CliRunner().invoke(planbatch, words, catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    with (out / "comparison.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["item"] for row in rows} == {
        "KTH-SP2", "Beside the paper", "Planbatch's rules", "Accuracy",
    }  # fmt: skip
    assert {row["policy"] for row in rows} == {*(v.name for v in VARIANTS), "easy", "easy:fcfs/sjf"}
    assert {"kth-sp2.png", "kth-sp2.svg"} <= {path.name for path in out.iterdir()}
