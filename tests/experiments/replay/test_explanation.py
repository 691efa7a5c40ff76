"""Explanations of replays, by hand."""

import numpy as np
import pytest

import planbatch as pb


def test_small_replay() -> None:
    """Two processors under EASY: 1 runs, 2 needs both and waits for it, 3 passes.

    ::

        1 | 3 3 . . 2 2      1: 1 processor, 40 s     2: 2 processors, 20 s
        0 | 1 1 1 1 2 2      3: 1 processor, 20 s, submitted after 2
    """
    workload = pb.Workload(
        capacity=2, submit=np.array([0, 0, 0]), procs=np.array([1, 2, 1]),
        walltime=np.array([40, 20, 20]), runtime=np.array([40, 20, 20]), id=np.array([1, 2, 3]), name="three",
    )  # fmt: skip
    trace = pb.replay(workload, "easy")
    assert trace.start.tolist() == [0, 40, 0]
    why = pb.explain_replay(trace, 2)
    assert (why.start, why.alone) == (40, 40)
    assert [(o.kind, o.job) for o in why.holders] == [("running", 1)]
    assert [(o.job, o.delay, o.backfilled) for o in why.overtakers] == [(3, 0, True)]
    with pytest.raises(ValueError, match="job 9"):
        pb.explain_replay(trace, 9)


@pytest.mark.parametrize("policy", ["easy", "plan-squared-wait"])
def test_every_job_of_a_replay(policy) -> None:
    """Overtakers are those submitted later and started earlier; what ends at a start is named."""
    workload = pb.synthetic_workload(jobs=120, capacity=32, load=1.2, seed=2)
    trace = pb.replay(workload, policy)
    later = np.arange(len(workload))
    for i in range(len(workload)):
        why = pb.explain_replay(trace, int(workload.id[i]))
        expected = workload.id[(later > i) & (trace.start < trace.start[i])]
        assert sorted(other.job for other in why.overtakers) == sorted(expected.tolist())
        assert why.start == trace.start[i]
        assert why.alone <= why.earliest <= why.start
        if why.start == why.earliest > why.now:
            assert all(trace.end[workload.id == other.job] == why.start for other in why.holders)
            assert why.holders
