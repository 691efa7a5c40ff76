"""The schedule that stands in a log, beside the policies."""

import json
from dataclasses import replace

import numpy as np
import pytest

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.checker import check_trace
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.studies.compare import compare
from planbatch.experiments.workloads.load import workload_of_source
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.experiments.workloads.transform import scale_load
from tests.builders import workload_of

#: Submit, wait, run time, processors, requested time.
LINES = [(0, 0, 60, 2, 50), (10, 40, 60, 2, 90), (20, 15, 60, 3, 90), (30, 100, 10, 4, 20)]


def text(lines=LINES):
    """Give a log on four processors."""
    rows = [
        f"{job} {submit} {wait} {run} {procs} -1 -1 {procs} {walltime} -1 1 1 1 -1 1 1 -1 -1"
        for job, (submit, wait, run, procs, walltime) in enumerate(lines, start=1)
    ]
    return "; MaxProcs: 4\n" + "\n".join(rows) + "\n"


@pytest.fixture
def log(tmp_path):
    (tmp_path / "log.swf").write_text(text())
    return tmp_path / "log.swf"


def test_starts_are_those_of_the_log(log):
    """By hand.

    Job 1 is killed at its walltime. Job 2 starts when it ends, at 50; job 3 already runs since 35, so five processors
    are in use::

        time     0    35   50   95   110  130 140
        job 1    ██████████
        job 3         ██████████
        job 2              ███████████
        job 4                            ████
    """
    trace = replay(workload_of_source(log), "recorded")
    assert trace.policy == "recorded"
    assert trace.start.tolist() == [0, 50, 35, 130]
    assert trace.end.tolist() == [50, 110, 95, 140]
    assert trace.rounds.time.tolist() == [0, 35, 50, 130]
    assert trace.rounds.waiting.tolist() == [1, 3, 2, 1]
    assert trace.rounds.running.tolist() == [0, 1, 1, 0]
    assert trace.rounds.started.tolist() == [1, 1, 1, 1]
    assert check_trace(trace) == []
    assert any("above the capacity" in fault for fault in check_trace(as_if_planned(trace)))


def as_if_planned(trace):
    """Give the same trace as one of a policy that decides."""
    return replace(trace, traits=make_policy("easy").traits)


def test_every_policy_can_be_compared_with_it(log, tmp_path):
    """Its row is stored under a key of its own, and other waits give another one."""
    workload = workload_of_source(log)
    comparison = compare(workload, ["recorded", "fcfs"], out=tmp_path / "out")
    assert comparison.metrics["recorded"].mean_wait == (0 + 40 + 15 + 100) / 4
    again = compare(workload, ["recorded"], out=tmp_path / "out")
    np.testing.assert_array_equal(again.traces["recorded"].start, [0, 50, 35, 130])
    other = workload.take(slice(None), wait=[0, 0, 0, 0])
    policies = [make_policy("recorded"), make_policy("fcfs")]
    same = [ReplayTask(workload, p).key == ReplayTask(other, p).key for p in policies]
    assert same == [False, True]


def test_the_command_takes_its_name(log, run):
    _, out, err = run("replay", log, "--policy", "recorded", "--check", "--json")
    assert json.loads(out)["results"][0]["max_wait"] == 100
    assert "recorded: checked, no fault found" in err


def test_it_is_refused_where_the_waits_mean_nothing(log, run, tmp_path):
    workload = workload_of_source(log)
    with pytest.raises(ValueError, match=r"its load was multiplied by 1\.5"):
        replay(scale_load(workload, 1.5), "recorded")
    with pytest.raises(ValueError, match="its jobs come with no waits"):
        replay(synthetic_workload(jobs=5), "recorded")
    code, _, err = run("rounds", "capture", log, "--policy", "recorded")
    assert (code, "a recorded schedule cannot plan a round" in err) == (2, True)
    unknown = tmp_path / "unknown.swf"
    unknown.write_text(text([*LINES, (40, -1, 10, 1, 10)]))
    with pytest.raises(ValueError, match=r"1 of 5 jobs of unknown have no wait .* known_waits=True"):
        replay(workload_of_source(unknown), "recorded")
    with_waits = workload_of_source(unknown, WorkloadOptions(known_waits=True))
    assert len(replay(with_waits, "recorded").start) == 4
    assert with_waits.dropped == {"no recorded wait": 1}


def test_a_workload_of_ones_own_may_have_waits():
    """They are numbers of seconds, -1 for none."""
    workload = workload_of(4, [(0, 2, 100), (5, 2, 100)])
    assert workload.wait.tolist() == [-1, -1]
    waited = workload.take(slice(None), wait=[3, 7])
    assert replay(waited, "recorded").start.tolist() == [3, 12]
    with pytest.raises(ValueError, match=r"wait\[0\]: -2 is below"):
        workload.take(slice(None), wait=[-2, 0])
