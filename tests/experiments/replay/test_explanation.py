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
    twins = pb.replay(workload.take(slice(None), id=np.array([1, 2, 2])), "easy")
    with pytest.raises(ValueError, match="job 2: 2 jobs of three"):
        pb.explain_replay(twins, 2)


@pytest.mark.parametrize(("policy", "seed"), [("easy", 2), ("conservative", 3), ("plan-squared-wait", 2)])
def test_every_statement_holds_in_the_replay(policy, seed) -> None:
    """Starts, ends and processors of the trace, added up second by second where they change, say the same."""
    workload = pb.synthetic_workload(jobs=120, capacity=32, load=1.2, seed=seed)
    trace = pb.replay(workload, policy)
    kinds = set()
    for i in range(len(workload)):
        why = pb.explain_replay(trace, int(workload.id[i]))
        verify(why, workload.id, workload.submit, workload.procs, trace.start, trace.end, 32)
        kinds |= {other.backfilled for other in why.overtakers}
        kinds |= {why.start == why.now, why.earliest == why.start}
    assert kinds == {True, False}


def test_the_words_of_a_gap_that_was_not_used() -> None:
    """Four processors under FCFS: 2 needs them all and waits for 1; 3 waits for its turn, though one was free.

    ::

        2-3 | 1 1 2 2 3      1: 3 processors, 20 s     2: 4 processors, 20 s
        0   | . . 2 2 .      3: 1 processor, 10 s
    """
    workload = pb.Workload(
        capacity=4, submit=np.array([0, 1, 2]), procs=np.array([3, 4, 1]),
        walltime=np.array([20, 20, 10]), runtime=np.array([20, 20, 10]), id=np.array([1, 2, 3]), name="three",
    )  # fmt: skip
    trace = pb.replay(workload, "fcfs")
    assert trace.start.tolist() == [0, 20, 40]
    assert pb.explain_replay(trace, 3).sentences() == [
        "job 3 (1 processor) started 38 s after its submission.",
        "In hindsight it would have fitted at its submission: the policy did not know, or did not use that gap.",
        "It started at the end of job 2 (4 processors).",
        "If no other job had been waiting, it would have started at its submission.",
    ]
    assert "fitted at its submission without running job 1 (3 processors)." in str(pb.explain_replay(trace, 2))


def verify(why, ids, submit, procs, start, end, capacity) -> None:
    """Check an explanation against the schedule; shares no code with what made it."""
    (i,) = np.flatnonzero(ids == why.job)
    order, size, length, now = np.arange(len(ids)), procs[i], end[i] - start[i], submit[i]
    assert (why.now, why.submit, why.start, why.procs) == (now, now, start[i], size)
    ran = ((start < now) | ((start == now) & (order < i))) & (end > now)
    waited = (start >= now) & ~ran & (start <= start[i]) & (order != i)

    def fits(others, at) -> bool:
        moments = np.append(start[others], at)
        inside = moments[(moments >= at) & (moments < at + length)]
        return all(procs[others & (start <= t) & (end > t)].sum() + size <= capacity for t in inside)

    def earliest(others) -> int:
        times = np.unique(np.append(end[others & (end > now)], now))
        return next(int(time) for time in times if fits(others, time))

    both = ran | waited
    assert (why.alone, why.earliest) == (earliest(ran), earliest(both))
    blocking = both & (end == why.start) & (why.start > now)
    assert sorted(entry.job for entry in why.holders) == ids[blocking].tolist()
    for entry in [*why.holders, *why.to_start_now]:
        (k,) = np.flatnonzero(ids == entry.job)
        assert (entry.procs, entry.start, entry.end) == (procs[k], start[k], end[k])
        assert entry.kind == ("running" if ran[k] else "planned")
    assert why.earliest == now or not fits(both, why.earliest - 1)
    overtook = (order > i) & (start < start[i])
    assert sorted(entry.job for entry in why.overtakers) == ids[overtook].tolist()
    for other in why.overtakers:
        without = both & (ids != other.job)
        (k,) = np.flatnonzero(ids == other.job)
        assert (other.procs, other.start) == (procs[k], start[k])
        assert other.free == capacity - procs[without & (start <= start[k]) & (end > start[k])].sum()
        assert other.delay == why.earliest - earliest(without)
        assert other.backfilled == (not fits(without, start[k]))
    gone = [entry.job for entry in why.to_start_now]
    assert fits(both & ~np.isin(ids, gone), now)
    for job in gone:
        assert not fits(both & ~np.isin(ids, [entry for entry in gone if entry != job]), now)
