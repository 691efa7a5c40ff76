"""Small clusters, written down."""

from planbatch.experiments.live.slurm.snapshot import (
    JobArray,
    JobKey,
    LiveJob,
    LiveNode,
    LivePartition,
    Snapshot,
)

#: The time of all snapshots here, unless a test says otherwise (s).
NOW = 1_000_000


def waiting(number: int, nodes: int = 1, limit: int | None = 600, **fields) -> LiveJob:
    """A job that waits for whole nodes; ``submit`` is when it was submitted, 100 s ago by default."""
    plain = {
        "name": f"job {number}", "user": "ann", "account": "a", "partition": "main", "nodes": nodes, "cpus": nodes * 4,
        "state": "PENDING", "reason": "Resources", "time_limit": limit, "priority": 10, "exclusive": True, "user_id": 7,
    }  # fmt: skip
    key = JobKey(number, fields.pop("submit", NOW - 100), fields.pop("restarts", 0))
    return LiveJob(key=key, **(plain | fields))


def running(number: int, names: str, end: int, **fields) -> LiveJob:
    """A job that runs on nodes, given as ``1 2``, until so many seconds from now; it began an hour ago."""
    nodes = tuple(f"n{name}" for name in names.split())
    plain = {
        "state": "RUNNING", "reason": "", "start_time": NOW - 3600, "end_time": NOW + end, "allocated": nodes,
        "submit": NOW - 4000, "limit": 3600 + end,
    }  # fmt: skip
    return waiting(number, len(nodes), **(plain | fields))


def node(name: str, state: str = "IDLE", *flags: str, **fields) -> LiveNode:
    """A node of four CPUs in the partition main."""
    return LiveNode(
        name, state, frozenset(flags), **({"cpus": 4, "partitions": ("main",)} | fields)
    )


def cluster(
    *jobs: LiveJob, nodes: int | tuple[LiveNode, ...] = 4, now: int = NOW, **fields
) -> Snapshot:
    """A cluster of so many nodes n1, n2, …, all in the partition main, whose longest jobs take a day."""
    machine = nodes if isinstance(nodes, tuple) else tuple(node(f"n{k + 1}") for k in range(nodes))
    main = LivePartition(
        "main", tuple(each.name for each in machine if "main" in each.partitions), max_time=86400
    )
    parts, reserved = fields.pop("partitions", (main,)), fields.pop("reservations", ())
    return Snapshot(now, jobs, machine, parts, "lab", "22.05.8", reserved)


def array(number: int, tasks: int, most: int | None = None, **fields) -> LiveJob:
    """An array whose tasks all wait."""
    return waiting(
        number, array=JobArray(number, None, tuple(range(tasks)), tasks, most=most), **fields
    )
