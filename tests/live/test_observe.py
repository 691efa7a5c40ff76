"""From a snapshot to a round: what is counted, what is left out, and that it is told."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.live.slurm.observe import TASK_IDS, observe
from planbatch.experiments.live.slurm.parse import parse_jobs, parse_nodes
from planbatch.experiments.live.slurm.pool import ObserveOptions, expected_end
from planbatch.experiments.live.slurm.snapshot import LiveNode, LivePartition, Snapshot
from planbatch.planner.model import NEVER
from planbatch.planner.plan import Plan, check_plan
from tests.live.builders import NOW, array, cluster, node, running, waiting
from tests.live.dialects import RECORDING_TIME, recorded


def why(observation) -> dict[str, str]:
    """The headings of the jobs that are left out, by job."""
    return {remark.what: remark.kind for remark in observation.left_out}


def test_whole_nodes_are_counted_in_nodes():
    """Two of four nodes are busy for ten minutes, one for twenty; two jobs wait, the older one first.

    n1 n2 |████████|
    n3    |████████████████|
    """
    busy = (running(1, "1 2", 600), running(2, "3", 1200))
    observation = observe(cluster(*busy, waiting(4, 3, deadline=NOW + 9), waiting(3, 1, submit=NOW - 900)))
    problem = observation.problem
    assert (observation.pool.unit, problem.capacity, problem.free, problem.now) == ("nodes", 4, 1, NOW)
    assert problem.running.procs.tolist() == [2, 1]
    assert problem.running.end.tolist() == [NOW + 600, NOW + 1200]
    assert problem.ids.tolist() == [3, 4]
    assert problem.jobs.procs.tolist() == [1, 3]
    assert problem.jobs.walltime.tolist() == [600, 600]
    assert problem.jobs.user.tolist() == [7, 7]
    assert problem.jobs.deadline.tolist() == [NEVER, NOW + 9]
    assert not observation.left_out
    assert not observation.noted


def test_shared_nodes_are_counted_in_cpus():
    """A job that shares its node makes CPUs the resource; one that has its nodes alone has all of their CPUs.

    Of 16 CPUs, 3 and 8 are busy; the waiting ones take 5 CPUs, and two whole nodes.
    """
    busy = (running(1, "1", 600, exclusive=False, cpus=3), running(2, "2 3", 700, cpus=2))
    queue = (waiting(3, 2, exclusive=False, cpus=5), waiting(4, 2, cpus=2))
    observation = observe(cluster(*busy, *queue))
    assert (observation.pool.unit, observation.problem.capacity, observation.problem.free) == ("cpus", 16, 5)
    assert observation.problem.running.procs.tolist() == [3, 8]
    assert observation.problem.jobs.procs.tolist() == [5, 8]
    forced = observe(observation.snapshot, ObserveOptions(unit="nodes"))
    assert (forced.problem.capacity, forced.problem.free) == (4, 1)


def test_whole_nodes_are_told_by_what_jobs_have():
    """With select/linear no job says that it takes whole nodes, but each has all CPUs of its nodes."""
    plain = {"exclusive": False}
    observation = observe(cluster(running(1, "1 2", 600, cpus=8, **plain), waiting(2, 2, cpus=2, **plain)))
    assert (observation.pool.unit, observation.problem.jobs.procs.tolist()) == ("nodes", [2])


def test_two_jobs_on_one_node_hold_it_until_the_last_ends():
    """Counted in nodes, a shared node is one node."""
    one, other = running(1, "1 2", 600, exclusive=False), running(2, "2", 900, exclusive=False)
    observation = observe(cluster(one, other), ObserveOptions(unit="nodes"))
    assert observation.problem.running.procs.tolist() == [1, 1]
    assert observation.problem.running.end.tolist() == [NOW + 600, NOW + 900]


def test_nodes_that_are_not_usable_are_no_capacity():
    """Drained with a job on it, down, not responding, and unknown after a restart; each is told, with its reason.

    The drained node's job takes nothing: the node is gone, now and when the job ends.
    """
    machine = (
        node("n1"), node("n2", "MIXED", "DRAIN", reason="fan"), node("n3", "DOWN"),
        node("n4", "IDLE", "NOT_RESPONDING"), node("n5", "UNKNOWN"), node("n6", "UNKNOWN"), node("n7", "ALLOCATED"),
    )  # fmt: skip
    observation = observe(cluster(running(1, "2 7", 600), waiting(2, 1), nodes=machine))
    assert (observation.problem.capacity, observation.problem.free) == (2, 1)
    assert {(remark.what, remark.why) for remark in observation.noted} == {
        ("n2", "mixed+drain: fan"), ("n3", "down"), ("n4", "idle+not_responding"), ("n5,n6 (2)", "unknown"),
    }  # fmt: skip


def test_a_cluster_without_a_usable_node_cannot_be_planned():
    """As right after a restart of the controller: one sentence, and the next tick tries again."""
    with pytest.raises(ValueError, match="no node is usable: 2 are down or unknown"):
        observe(cluster(waiting(1), nodes=(node("n1", "UNKNOWN"), node("n2", "DOWN"))))


@pytest.mark.parametrize(("job", "end"), [
    (running(1, "1", 600), NOW + 600), (running(1, "1", -28), NOW + 60), (running(1, "1", 0), NOW + 60),
    (running(1, "1", 1), NOW + 1), (running(1, "1", 600, state="COMPLETING"), NOW + 60),
    (replace(running(1, "1", 600), end_time=0), NOW + 600),
    (replace(running(1, "1", 600), time_limit=None, end_time=0), NOW - 3600 + 7 * 86400),
])  # fmt: skip
def test_running_jobs_are_expected_to_end(job, end):
    """At their limit; past it, or giving nodes back, a minute from now; without one, a week after the start."""
    assert expected_end(job, NOW, ObserveOptions()) == end
    observation = observe(cluster(job, nodes=1))
    assert observation.problem.running.end.tolist() == [end]
    headings = {remark.kind for remark in observation.noted}
    assert ("overruns" in headings) == (0 < job.end_time <= NOW)
    assert ("runs without limit" in headings) == (job.time_limit is None)


@pytest.mark.parametrize(("fields", "kind"), [
    ({"held": "user", "reason": "JobHeldUser"}, "held by its user"), ({"held": "admin"}, "held by an administrator"),
    ({"dependency": "afterok:3(unfulfilled)", "reason": "Dependency"}, "dependency"),
    ({"dependency": "afterok:3(failed)", "reason": "DependencyNeverSatisfied"}, "never starts"),
    ({"begin_time": NOW + 60, "reason": "BeginTime"}, "begins later"), ({"partition": "gpu"}, "foreign partition"),
    ({"reservation": "maint"}, "reservation"), ({"het_job": 8}, "heterogeneous"),
    ({"reason": "QOSMaxJobsPerUserLimit"}, "limit"), ({"reason": "AssocGrpCpuLimit"}, "limit"),
    ({"reason": "ReqNodeNotAvail"}, "refused by Slurm"), ({"nodes": 5, "reason": "PartitionConfig"}, "never starts"),
    ({"nodes": 9, "reason": "PartitionNodeLimit"}, "never starts"), ({"time_limit": 86401}, "never starts"),
    ({"gpus": 1}, "never starts"), ({"nodes": 4}, "too large now"), ({"state": "UNREADABLE"}, "not readable"),
])  # fmt: skip
def test_jobs_that_cannot_be_planned_are_listed(fields, kind):
    """Each with its reason; the job beside it is planned. One of the four nodes is down."""
    machine = (*(node(f"n{k}") for k in (1, 2, 3)), node("n4", "DOWN"))
    options = ObserveOptions(partitions=("main",))
    observation = observe(cluster(waiting(1, **fields), waiting(2), nodes=machine), options)
    assert why(observation) == {"1": kind}
    assert all(remark.why for remark in observation.left_out if remark.kind != "not readable")
    assert observation.problem.ids.tolist() == [2]


@pytest.mark.parametrize(("fields", "reason"), [
    ({"cpus": 9, "nodes": 2}, "needs 9 cpus, 8 are up"), ({"cpus": 3, "nodes": 3}, "needs 3 nodes, 2 are up"),
    ({"cpus": 2, "nodes": 2, "gpus": 3}, "needs 3 GPUs, 2 are up"),
])  # fmt: skip
def test_what_too_large_jobs_lack_is_named(fields, reason):
    """Of three nodes of four CPUs and a GPU, one is down."""
    machine = tuple(node(f"n{k}", state, gpus=1) for k, state in enumerate(("IDLE", "IDLE", "DOWN"), 1))
    observation = observe(cluster(waiting(1, exclusive=False, **fields), nodes=machine), ObserveOptions(unit="cpus"))
    assert [(remark.kind, remark.why) for remark in observation.left_out] == [("too large now", reason)]


def test_what_waits_for_planbatch_is_planned():
    """The driver's own begin times are no obstacles; a user's hold and begin time beside them are."""
    mark, later = f"planbatch:asked=0:begin={NOW + 500}", {"begin_time": NOW + 500}
    own_begin = f"planbatch:asked={NOW + 90}:begin={NOW + 500}"
    jobs = (
        waiting(1, admin_comment=mark, **later),
        waiting(2, admin_comment=mark, held="user", **later),
        waiting(3, admin_comment=own_begin, **later),
        waiting(4, admin_comment=mark, begin_time=NOW + 121),
    )
    observation = observe(cluster(*jobs))
    assert observation.problem.ids.tolist() == [1]
    assert why(observation) == {"2": "held by its user", "3": "begins later", "4": "begins later"}


def test_jobs_that_ask_for_nodes_are_planned_one_after_the_other():
    """n1 is busy, n2 free: 2 would wait, 3 may start, 4 waits for 3; in CPUs, two fit on n2."""
    busy = running(9, "1", 60)
    asks = {number: ("n1",) if number == 2 else ("n2",) for number in (2, 3, 4)}
    observation = observe(cluster(busy, *(waiting(number, required=asks[number]) for number in asks)))
    assert observation.problem.ids.tolist() == [3]
    assert why(observation) == {"2": "named nodes", "4": "named nodes"}
    halves = [waiting(number, required=asks[number], cpus=2, exclusive=False) for number in asks]
    assert observe(cluster(busy, *halves)).problem.ids.tolist() == [3, 4]


def test_unlimited_jobs_get_the_limit_of_their_partition():
    """Its default, else its largest, else the one of the options; each is noted."""
    for limits, limit in (({"default_time": 1800, "max_time": 7200}, 1800), ({"max_time": 7200}, 7200), ({}, 50)):
        part = LivePartition("main", ("n1",), **limits)
        snapshot = cluster(waiting(1, limit=None), nodes=1, partitions=(part,))
        observation = observe(snapshot, ObserveOptions(default_limit=50))
        assert observation.problem.jobs.walltime.tolist() == [limit]
        assert [remark.kind for remark in observation.noted] == ["no time limit"]


def test_tasks_of_arrays_are_jobs():
    """Each of them, with a number and a name of its own; no more than may run at once, or than the options say."""
    observation = observe(cluster(array(59, 3), waiting(60)))
    assert observation.problem.ids.tolist() == [59 * TASK_IDS, 59 * TASK_IDS + 1, 59 * TASK_IDS + 2, 60]
    assert [one.label for one in observation.jobs] == ["59_0", "59_1", "59_2", "60"]
    one_runs = running(58, "1", 600, array=array(59, 1).array)
    observation = observe(cluster(one_runs, array(59, 8, most=3)))
    assert [one.label for one in observation.jobs] == ["59_0", "59_1"]
    assert "6 more tasks wait for its limit of 3 at once" in observation.left_out[0].why
    observation = observe(cluster(array(59, 8)), ObserveOptions(most_tasks=5))
    assert (len(observation.jobs), observation.left_out[0].why) == (5, "3 more tasks not planned: --tasks")
    cut_off = replace(array(59, 8), array=replace(array(59, 8).array, cut_off=True))
    assert "cut off the list" in observe(cluster(cut_off)).left_out[0].why


def test_gpus_are_a_resource():
    """Of eight GPUs a running job has two; the waiting ones ask for four and none."""
    machine = (node("n1", gpus=4), node("n2", gpus=4))
    jobs = (running(1, "1", 600, gpus=2), waiting(2, gpus=4), waiting(3))
    observation = observe(cluster(*jobs, nodes=machine))
    (gpus,) = observation.problem.resources
    assert (gpus.name, gpus.capacity) == ("gpus", 8)
    assert observation.problem.running.demands.tolist() == [[2]]
    assert observation.problem.jobs.demands.tolist() == [[4], [0]]


def test_memory_is_a_resource_where_slurm_gives_it_to_jobs():
    """Of 2 × 8,000 MB a running job has 1,000; the others ask for 12,000, a whole node, and 16,001: too much."""
    machine = (node("n1", memory=8000), node("n2", memory=8000))
    jobs = (
        running(1, "1", 600, exclusive=False, cpus=1, tres={"mem": 1000}),
        waiting(2, exclusive=False, cpus=2, tres={"mem": 12000}),
        waiting(3, exclusive=True, tres={"mem": 100}),
        waiting(4, exclusive=False, cpus=2, tres={"mem": 16001}),
    )
    observation = observe(cluster(*jobs, nodes=machine), ObserveOptions(memory=True))
    (memory,) = observation.problem.resources
    assert (memory.name, memory.capacity) == ("memory", 16000)
    assert observation.problem.running.demands.tolist() == [[1000]]
    assert observation.problem.jobs.demands.tolist() == [[12000], [8000]]
    assert why(observation) == {"4": "too large now"}
    assert observe(cluster(*jobs, nodes=machine)).problem.resources == ()


def test_partitions_with_a_part_of_the_nodes_are_resources():
    """Main has n1 to n3, long has n3 and n4. A job of long takes nodes of long; one that may go to either takes none.

    Planned alone, long has two nodes, and main's job on n3 still holds one of them.
    """
    machine = (node("n1"), node("n2"), node("n3", partitions=("main", "long")), node("n4", partitions=("long",)))
    parts = (LivePartition("main", ("n1", "n2", "n3")), LivePartition("long", ("n3", "n4")))
    jobs = (running(1, "3", 600), waiting(2, 2), waiting(3, 2, partition="long"), waiting(4, 1, partition="long,main"))
    observation = observe(cluster(*jobs, nodes=machine, partitions=parts))
    assert [(resource.name, resource.capacity) for resource in observation.problem.resources] == [
        ("partition long", 2), ("partition main", 3)]  # fmt: skip
    assert observation.problem.running.demands.tolist() == [[1, 1]]
    assert observation.problem.jobs.demands.tolist() == [[0, 2], [2, 0], [0, 0]]
    alone = observe(observation.snapshot, ObserveOptions(partitions=("long",)))
    assert (alone.problem.capacity, alone.problem.free) == (2, 1)
    assert alone.problem.ids.tolist() == [3, 4]
    assert why(alone) == {"2": "foreign partition"}
    with pytest.raises(ValueError, match="there is no 'lang'; there are long, main"):
        observe(observation.snapshot, ObserveOptions(partitions=("lang",)))


@st.composite
def clusters(draw: st.DrawFn) -> Snapshot:
    """Clusters of up to five nodes in any state, with jobs that share them as they like, more than fits included."""
    states = st.sampled_from(["IDLE", "MIXED", "ALLOCATED", "DOWN", "UNKNOWN"])
    flags = st.lists(st.sampled_from(["DRAIN", "PLANNED", "NOT_RESPONDING"]), max_size=1)
    count = draw(st.integers(1, 5))

    def node_named(name: str) -> LiveNode:
        amounts = {"gpus": draw(st.integers(0, 2)), "cpus": draw(st.integers(1, 4))}
        return node(name, draw(states), *draw(flags), **amounts)

    machine = tuple(node_named(f"n{k + 1}") for k in range(count))
    whole = draw(st.booleans())
    jobs = []
    for number in range(draw(st.integers(0, 8))):
        names = draw(st.lists(st.integers(1, count), min_size=1, max_size=count, unique=True))
        fields = {
            "exclusive": whole or draw(st.booleans()), "cpus": draw(st.integers(0, 12)),
            "gpus": draw(st.integers(0, 3)),
        }  # fmt: skip
        if draw(st.booleans()):
            end = draw(st.integers(-900, 900))
            jobs.append(running(number, " ".join(map(str, names)), end, **fields))
            continue
        limit = draw(st.one_of(st.none(), st.integers(1, 90000)))
        submit = NOW + draw(st.integers(-50, 50))
        jobs.append(waiting(number, len(names) + draw(st.integers(0, 1)), limit, submit=submit, **fields))
    return cluster(*jobs, nodes=machine)


@given(clusters(), st.sampled_from(["nodes", "cpus", None]))
def test_every_cluster_is_a_round_or_one_sentence(snapshot, unit):
    """Whatever runs fits the usable nodes; every waiting job is planned or listed; what fits alone can start alone."""
    options = ObserveOptions(unit=unit)
    if not any(each.usable for each in snapshot.nodes):
        with pytest.raises(ValueError, match="no node is usable"):
            observe(snapshot, options)
        return
    observation = observe(snapshot, options)
    pending = {str(job.job_id) for job in snapshot.jobs if job.pending}
    assert {one.label for one in observation.jobs} | set(why(observation)) == pending
    assert len(observation.jobs) + len(observation.left_out) == len(pending)
    end = int(observation.problem.running.end.max(initial=NOW))
    for place in range(len(observation.problem)):
        start = np.full(len(observation.problem), NEVER)
        start[place] = end
        assert check_plan(observation.problem, Plan(start)) == []


def test_the_recorded_cluster_is_observed():
    """As it was: 16 of 64 CPUs busy, one job to plan, the others held or not yet due."""
    jobs, nodes = parse_jobs(recorded("squeue")), parse_nodes(recorded("sinfo"))
    snapshot = Snapshot(RECORDING_TIME, jobs, nodes)
    observation = observe(snapshot)
    assert (observation.pool.unit, observation.problem.capacity, observation.problem.free) == ("cpus", 64, 48)
    assert observation.problem.ids.tolist() == [345]
    assert why(observation) == {"346": "held by its user", "347": "begins later", "348": "held by its user",
                         "349": "held by its user", "350": "held by its user"}  # fmt: skip
