"""What Slurm's clients print, as jobs, nodes and partitions: JSON of both dialects, and text where there is no JSON.

Up to 22.05, ``squeue --json`` and ``sinfo --json`` write plain numbers and one state; from 23.02 on,
``squeue --json`` and ``scontrol show nodes --json`` write ``{"set", "infinite", "number"}`` and lists of states.
"""

from collections.abc import Mapping

from planbatch.experiments.live.slurm.snapshot import (
    ENDLESS,
    PENDING_STATES,
    RUNNING_STATES,
    USABLE_STATES,
    Hold,
    JobArray,
    JobKey,
    LiveJob,
    LiveNode,
    LivePartition,
    LiveReservation,
)
from planbatch.experiments.live.slurm.text import (
    jobs_of_text,
    nodes_of_text,
    partitions_of_text,
    reservations_of_text,
)
from planbatch.experiments.live.slurm.values import (
    Printed,
    Row,
    each_row,
    expand,
    gpus_in,
    gpus_of_tres,
    limit,
    number,
    object_in,
    pending_tasks,
    text,
    tres,
    words,
)


def node_state(states: tuple[str, ...]) -> tuple[str, frozenset[str]]:
    """Return a node's state and its flags, from one list of both.

    >>> node_state(("IDLE", "DRAIN"))
    ('IDLE', frozenset({'DRAIN'}))
    """
    base = USABLE_STATES | {"DOWN", "UNKNOWN", "ERROR", "FUTURE"}
    result = next((state for state in states if state in base), states[0] if states else "UNKNOWN")
    return result, frozenset(states) - {result}


def node_of_row(row: Row) -> LiveNode:
    """Read one node of either dialect."""
    state, flags = node_state((*words(row["state"]), *words(row.get("state_flags"))))
    partitions = row.get("partitions") or []
    return LiveNode(
        name=str(row["name"]),
        state=state,
        flags=flags,
        cpus=number(row.get("effective_cpus"), "effective_cpus")
        or number(row["cpus"], "cpus")
        or 0,
        gpus=gpus_in(str(row.get("gres") or "")),
        memory=number(row.get("real_memory"), "real_memory") or 0,
        partitions=tuple(
            map(str, partitions if isinstance(partitions, list) else partitions.split(","))
        ),
        reason=text(row.get("reason")),
    )


def nodes_of_groups(data: Row) -> tuple[LiveNode, ...]:
    """Read ``sinfo --json`` from 23.02 on: one row for each partition and group of equal nodes."""
    result: dict[str, LiveNode] = {}

    def read(row: Row) -> None:
        state, flags = node_state(words(row["node"]["state"]))
        partition = str(row["partition"]["name"])
        for name in row["nodes"]["nodes"]:
            before = result[name].partitions if name in result else ()
            result[name] = LiveNode(
                name=str(name),
                state=state,
                flags=flags,
                cpus=number(row["cpus"]["minimum"], "cpus.minimum") or 0,
                gpus=gpus_in(str(row["gres"]["total"])),
                memory=number(row["memory"]["minimum"], "memory.minimum") or 0,
                partitions=(*before, partition),
                reason=text(row.get("reason", {}).get("description")),
            )

    each_row(data, "sinfo", "port", "sinfo", read)
    return tuple(result.values())


#: The oldest and the newest Slurm whose output is known here.
OLDEST, NEWEST = (20, 11), (25, 11)


def parse_jobs(printed: Printed) -> tuple[LiveJob, ...]:
    """Return the jobs in what ``squeue --json`` or ``scontrol -o show job`` printed.

    Parameters
    ----------
    printed : str or dict
        The text, or the JSON object in it.

    Raises
    ------
    ValueError
        If it is cut off, reports errors, or has a field that cannot be read; one sentence that names the job and the
        field.
    """
    data = object_in(printed, "squeue")
    if data is None:
        return jobs_of_text(str(printed))
    return tuple(each_row(data, "jobs", "job_id", "squeue", _job))


def parse_nodes(printed: Printed) -> tuple[LiveNode, ...]:
    """Return the nodes in what ``sinfo --json``, ``scontrol show nodes --json`` or ``scontrol -o show node`` printed.

    Raises
    ------
    ValueError
        As :func:`parse_jobs`.
    """
    data = object_in(printed, "sinfo")
    if data is None:
        return nodes_of_text(str(printed))
    if "nodes" not in data and isinstance(data.get("sinfo"), list):
        return nodes_of_groups(data)
    return tuple(each_row(data, "nodes", "name", "sinfo", node_of_row))


def parse_partitions(printed: str) -> tuple[LivePartition, ...]:
    """Return the partitions in what ``scontrol -o show partition`` printed."""
    return partitions_of_text(printed)


def origin(printed: Printed) -> tuple[str, str]:
    """Return the cluster's name and Slurm's version as in JSON; empty where missing.

    Raises
    ------
    ValueError
        If the version is not known here.
    """
    data = object_in(printed, "squeue")
    if data is None:
        return "", ""
    meta = data.get("meta") or {}
    slurm = meta.get("slurm") or meta.get("Slurm") or {}
    version = str(slurm.get("release", ""))
    parts = version.split(".")[:2]
    known = len(parts) == 2 and all(part.isdigit() for part in parts)
    if known and not OLDEST <= (int(parts[0]), int(parts[1])) <= NEWEST:
        raise ValueError(
            f"Slurm {version[:20]} is not known here: its output is read from "
            f"{OLDEST[0]}.{OLDEST[1]:02d} to {NEWEST[0]}.{NEWEST[1]:02d}"
        )
    cluster = str(slurm.get("cluster", ""))
    if not cluster:
        cluster = next(
            (str(job["cluster"]) for job in data.get("jobs", []) if job.get("cluster")), ""
        )
    return cluster, version


def _job(row: Row) -> LiveJob:
    """Read one job of either dialect."""

    def count(field: str) -> int:
        return number(row.get(field), field) or 0

    state, flags = job_state(words(row["job_state"]))
    pending = state in PENDING_STATES
    ran = not pending
    nodes, priority, reason = count("node_count"), count("priority"), text(row.get("state_reason"))
    amounts = tres(str(row.get("tres_alloc_str") or "") if ran else "") or tres(
        str(row.get("tres_req_str") or "")
    )
    submit, eligible = number(row["submit_time"], "submit_time"), count("eligible_time")
    minutes = limit(row.get("time_limit"), "time_limit")
    return LiveJob(
        key=JobKey(int(row["job_id"]), submit or 0, count("restart_cnt")),
        name=str(row.get("name") or ""),
        user=str(row.get("user_name") or ""),
        user_id=int(row.get("user_id", -1)),
        account=str(row.get("account") or ""),
        partition=str(row.get("partition") or ""),
        qos=str(row.get("qos") or ""),
        nodes=nodes,
        cpus=count("cpus"),
        gpus=_gpus(row, amounts, nodes, count("tasks"), ran),
        tres=amounts,
        exclusive="NONE" in words(row.get("shared")) or "TRUE" in words(row.get("exclusive")),
        time_limit=None if minutes is None else 60 * minutes,
        state=state,
        flags=flags,
        reason=reason,
        held=hold_of(pending, priority, reason, bool(row.get("hold"))),
        eligible_time=eligible,
        begin_time=eligible if pending and eligible > (submit or 0) else 0,
        accrue_time=count("accrue_time"),
        start_time=count("start_time") if ran else 0,
        end_time=count("end_time") if ran else 0,
        forecast=count("start_time") if pending else 0,
        deadline=count("deadline"),
        priority=priority,
        dependency=text(row.get("dependency")),
        array=_array(row, pending),
        allocated=expand(text(row.get("nodes"))) if ran else (),
        required=expand(text(row.get("required_nodes"))),
        excluded=expand(text(row.get("excluded_nodes"))),
        features=text(row.get("features")),
        reservation=text(row.get("resv_name")),
        licenses=text(row.get("licenses")),
        het_job=count("het_job_id"),
        comment=str(row.get("comment") or ""),
        admin_comment=str(row.get("admin_comment") or ""),
    )


def job_state(states: tuple[str, ...]) -> tuple[str, frozenset[str]]:
    """Return the state that counts, and the other flags.

    A job that still gives its nodes back holds them, whatever else it is; one that is requeued waits.

    >>> job_state(("COMPLETED", "COMPLETING"))[0], job_state(("RUNNING", "CONFIGURING"))[0], job_state(("PENDING",))[0]
    ('COMPLETING', 'CONFIGURING', 'PENDING')
    """
    if not states:
        raise ValueError("job_state is empty")
    if states[0] == "COMPLETED" and "COMPLETING" not in states:
        return states[0], frozenset(states[1:])
    holding = [state for state in states if state in RUNNING_STATES - {"RUNNING"}]
    chosen = holding[0] if holding else states[0]
    return chosen, frozenset(states) - {chosen}


def hold_of(pending: bool, priority: int, reason: str, marked: bool = False) -> Hold | None:
    """Return who holds a job: its priority is 0, and its reason says whose hold it is."""
    if not pending or not (marked or priority == 0):
        return None
    return "user" if reason == "JobHeldUser" else "admin"


def _gpus(row: Row, amounts: Mapping[str, int], nodes: int, tasks: int, ran: bool) -> int:
    """GPUs of the whole job."""
    details = row.get("gres_detail")
    if ran and isinstance(details, list) and details:
        return sum(gpus_in(str(detail)) for detail in details)
    result = gpus_of_tres(amounts)
    if result:
        return result
    if in_all := gpus_in(str(row.get("tres_per_job") or "")):
        return in_all
    each = gpus_in(str(row.get("tres_per_node") or ""))
    return (
        each * max(nodes, 1)
        if each
        else gpus_in(str(row.get("tres_per_task") or "")) * max(tasks, 1)
    )


def _array(row: Row, pending: bool) -> JobArray | None:
    """What a job is of an array."""
    array = number(row.get("array_job_id"), "array_job_id")
    if not array:
        return None
    most = number(row.get("array_max_tasks"), "array_max_tasks") or None
    task = limit(row.get("array_task_id"), "array_task_id")
    listed = text(row.get("array_task_string"))
    if pending and listed:
        return pending_tasks(array, listed, most)
    return JobArray(array, task, most=most)


def parse_reservations(printed: Printed) -> tuple[LiveReservation, ...]:
    """Return the reservations in what ``scontrol show reservations`` printed, with ``-o`` or ``--json``.

    Raises
    ------
    ValueError
        If it is cut off, or a field cannot be read; one sentence that names the reservation.
    """
    data = object_in(printed, "scontrol")
    if data is not None:
        return tuple(each_row(data, "reservations", "name", "scontrol", _reservation))
    return reservations_of_text(str(printed))


def _reservation(row: Row) -> LiveReservation:
    start = number(row["start_time"], "start_time") or 0
    return LiveReservation(
        str(row["name"]),
        start,
        number(row["end_time"], "end_time") or start + ENDLESS,
        expand(text(row["node_list"])),
        tres(str(row.get("tres") or "")).get("cpu"),
        words(row.get("flags")),
        ",".join(filter(None, (text(row.get(kind)) for kind in ("users", "groups", "accounts")))),
    )
