"""What Slurm's clients print, as jobs, nodes, partitions and reservations.

Up to 22.05, JSON has plain numbers and one state; from 23.02 on ``{"set", "infinite", "number"}`` and lists of states.
Where there is no JSON, the lines of ``scontrol -o`` are turned into rows of the first dialect.

Names and comments of jobs stand in ``scontrol``'s lines as they are, blanks, line ends and all, so that one can imitate
other fields and other jobs. Rows in which a field stands twice are not believed (state ``UNREADABLE``); whoever knows
the numbers of all jobs from elsewhere gives them, so that rows made up by a comment are left out.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping

from planbatch.experiments.live.slurm.snapshot import (
    ENDLESS,
    PENDING_STATES,
    RUNNING_STATES,
    UNREADABLE,
    USABLE_STATES,
    Hold,
    JobArray,
    JobKey,
    LiveJob,
    LiveNode,
    LivePartition,
    LiveReservation,
)
from planbatch.experiments.live.slurm.values import (
    Output,
    Read,
    Row,
    each_row,
    expand,
    gpus_in,
    gpus_of_tres,
    json_object,
    limit,
    moment,
    number,
    pending_tasks,
    seconds,
    text,
    tres,
    words,
)

#: The oldest and the newest supported version of Slurm.
OLDEST, NEWEST = (20, 11), (25, 11)
_JOB_LINE = re.compile(r"^JobId=(\d+) ", re.MULTILINE | re.ASCII)
#: Separates the name from the fields that Slurm writes itself.
_AFTER_NAME = re.compile(r" UserId=([^\s()]+)\((\d+)\) GroupId=\S+ MCS_label=\S+ Priority=(\d+) ", re.ASCII)
_FIELD = re.compile(r"(?:^|\s)([A-Z][A-Za-z/:]*)=(\S*)", re.ASCII)
#: Fields that occur once per row; twice if a job name imitates them.
_ONCE = ("UserId", "JobState", "SubmitTime", "NumNodes", "TimeLimit", "Restarts")
#: Fields of ``scontrol`` by their names in JSON: texts, and times.
_JOB_TEXTS = {
    "account": "Account", "partition": "Partition", "qos": "QOS", "state_reason": "Reason", "dependency": "Dependency",
    "nodes": "NodeList", "required_nodes": "ReqNodeList", "excluded_nodes": "ExcNodeList", "features": "Features",
    "resv_name": "Reservation", "licenses": "Licenses", "tres_req_str": "TRES", "tres_per_job": "TresPerJob",
    "tres_per_node": "TresPerNode",
}  # fmt: skip
_JOB_TIMES = {
    "submit_time": "SubmitTime", "eligible_time": "EligibleTime",
    "start_time": "StartTime", "end_time": "EndTime", "deadline": "Deadline",
}  # fmt: skip
#: Marks behind a node's state (manual page of sinfo).
_NODE_MARKS = {
    "*": "NOT_RESPONDING", "~": "POWERED_DOWN", "#": "POWERING_UP", "!": "POWER_DOWN", "%": "POWERING_DOWN",
    "$": "MAINTENANCE", "@": "REBOOT_REQUESTED", "^": "REBOOT_ISSUED", "-": "PLANNED",
}  # fmt: skip


def check_version(version: tuple[int, int], text: str) -> None:
    """Raise ``ValueError`` if a version of Slurm is not supported."""
    if not OLDEST <= version <= NEWEST:
        first, last = (f"{major}.{minor:02d}" for major, minor in (OLDEST, NEWEST))
        raise ValueError(f"Slurm {text[:20]} is not known here: its output is read from {first} to {last}")


def origin(output: Output) -> tuple[str, str]:
    """Return the cluster's name and Slurm's version, as far as the JSON says; ``ValueError`` for an unknown version."""
    data = json_object(output, "squeue")
    if data is None:
        return "", ""
    meta = _object(data.get("meta"))
    slurm = _object(meta.get("slurm") or meta.get("Slurm"))
    version = str(slurm.get("release", ""))
    parts = version.split(".")[:2]
    if len(parts) == 2 and all(part.isdigit() for part in parts):
        check_version((int(parts[0]), int(parts[1])), version)
    jobs = (str(job["cluster"]) for job in data.get("jobs", []) if job.get("cluster"))
    return str(slurm.get("cluster", "")) or next(jobs, ""), version


def _object(value: object) -> Row:
    return value if isinstance(value, Mapping) else {}


# Jobs


def parse_jobs(output: Output, numbers: Collection[int] | None = None) -> tuple[LiveJob, ...]:
    """Return the jobs in what ``squeue --json`` or ``scontrol -o show job`` printed, a text or the JSON object in it.

    ``numbers`` are those of all jobs there are, if they are known: rows of others are left out of a text.
    ``ValueError`` if it is cut off, reports errors, or has a field that cannot be read; names the job and the field.
    """
    data = json_object(output, "squeue")
    if data is not None:
        return tuple(each_row(data, "jobs", "job_id", "squeue", _job))
    jobs = _jobs_of_lines(str(output))
    return tuple(job for job in jobs if numbers is None or job.job_id in numbers)


def _job(row: Row) -> LiveJob:
    """Read one job, of either JSON dialect."""

    def count(field: str) -> int:
        return number(row.get(field), field) or 0

    state = job_state(words(row["job_state"]))
    pending = state in PENDING_STATES
    nodes, priority, reason = count("node_count"), count("priority"), text(row.get("state_reason"))
    amounts = tres("" if pending else str(row.get("tres_alloc_str") or "")) or tres(str(row.get("tres_req_str") or ""))
    submit, eligible = number(row["submit_time"], "submit_time") or 0, count("eligible_time")
    minutes, user_id = limit(row.get("time_limit"), "time_limit"), number(row.get("user_id"), "user_id")
    return LiveJob(
        key=JobKey(number(row["job_id"], "job_id") or 0, submit, count("restart_cnt")),
        name=str(row.get("name") or ""),
        user=str(row.get("user_name") or ""),
        user_id=-1 if user_id is None else user_id,
        account=str(row.get("account") or ""),
        partition=str(row.get("partition") or ""),
        qos=str(row.get("qos") or ""),
        nodes=nodes,
        cpus=count("cpus"),
        gpus=_gpus(row, amounts, nodes, count("tasks"), pending),
        tres=amounts,
        exclusive="NONE" in words(row.get("shared")) or "TRUE" in words(row.get("exclusive")),
        time_limit=None if minutes is None else 60 * minutes,
        state=state,
        reason=reason,
        held=_hold(pending, priority, reason, bool(row.get("hold"))),
        begin_time=eligible if pending and eligible > submit else 0,
        start_time=0 if pending else count("start_time"),
        end_time=0 if pending else count("end_time"),
        forecast=count("start_time") if pending else 0,
        deadline=count("deadline"),
        priority=priority,
        dependency=text(row.get("dependency")),
        array=_array(row, pending),
        allocated=() if pending else expand(text(row.get("nodes"))),
        required=expand(text(row.get("required_nodes"))),
        excluded=expand(text(row.get("excluded_nodes"))),
        features=text(row.get("features")),
        reservation=text(row.get("resv_name")),
        licenses=text(row.get("licenses")),
        het_job=count("het_job_id"),
        comment=str(row.get("comment") or ""),
        admin_comment=str(row.get("admin_comment") or ""),
    )


def job_state(states: tuple[str, ...]) -> str:
    """Return the state that tells which nodes a job holds: it has them until it has given them back.

    >>> job_state(("COMPLETED", "COMPLETING")), job_state(("RUNNING", "CONFIGURING")), job_state(("PENDING",))
    ('COMPLETING', 'CONFIGURING', 'PENDING')
    """
    if not states:
        raise ValueError("job_state is empty")
    if states[0] == "COMPLETED" and "COMPLETING" not in states:
        return states[0]
    return next((state for state in states if state in RUNNING_STATES - {"RUNNING"}), states[0])


def _hold(pending: bool, priority: int, reason: str, marked: bool) -> Hold | None:
    """Return who holds a job: its priority is 0, and its reason names the holder."""
    if not pending or not (marked or priority == 0):
        return None
    return "user" if reason == "JobHeldUser" else "admin"


def _gpus(row: Row, amounts: Mapping[str, int], nodes: int, tasks: int, pending: bool) -> int:
    """GPUs of the whole job."""
    details = row.get("gres_detail")
    if not pending and isinstance(details, list) and details:
        return sum(gpus_in(str(detail)) for detail in details)
    if gpus := gpus_of_tres(amounts) or gpus_in(str(row.get("tres_per_job") or "")):
        return gpus
    per_node, per_task = (gpus_in(str(row.get(f"tres_per_{what}") or "")) for what in ("node", "task"))
    return per_node * max(nodes, 1) or per_task * max(tasks, 1)


def _array(row: Row, pending: bool) -> JobArray | None:
    """Return the job's place in an array."""
    array = number(row.get("array_job_id"), "array_job_id")
    if not array:
        return None
    most = number(row.get("array_max_tasks"), "array_max_tasks") or None
    tasks = text(row.get("array_task_string"))
    if pending and tasks:
        return pending_tasks(array, tasks, most)
    return JobArray(array, limit(row.get("array_task_id"), "array_task_id"), most=most)


def _jobs_of_lines(output: str) -> Iterator[LiveJob]:
    """Read lines of ``scontrol -o show job``; a name with a line end goes on in the next line."""
    if not output.strip() or output.startswith("No jobs in the system"):
        return
    first = output.lstrip().split("\n", 1)[0]
    if not first.startswith("JobId="):
        raise ValueError(f"squeue: {first[:60]!r} is neither JSON nor a list of jobs")
    matches = list(_JOB_LINE.finditer(output))
    ends = [*(match.start() for match in matches[1:]), len(output)]
    times = Counter(int(match[1]) for match in matches)
    reason = "its name or comment imitates Slurm's fields"
    doubtful = {"submit_time": 0, "job_state": UNREADABLE, "state_reason": reason}
    for match, end in zip(matches, ends, strict=True):
        job_id = int(match[1])
        try:
            row = _job_row(output[match.start() : end]) if times[job_id] == 1 else None
            yield _job({"job_id": job_id, **(row or doubtful)})
        except (ValueError, KeyError) as error:
            raise ValueError(f"scontrol: job {job_id}: {error}") from None


def _job_row(line: str) -> Row | None:
    """Turn a line into a row as in JSON; None if it cannot be trusted."""
    pairs = _FIELD.findall(line)
    names = [name for name, _ in pairs]
    after = _AFTER_NAME.search(line)
    if after is None or any(names.count(name) != 1 for name in _ONCE):
        return None
    own = names.index("UserId")  # what Slurm writes goes before what a name imitates
    fields = dict(reversed(pairs[:own])) | dict(reversed(pairs[own:]))
    task, time_limit = fields.get("ArrayTaskId", ""), seconds(fields["TimeLimit"])
    return {
        **{key: text(fields.get(name)) for key, name in _JOB_TEXTS.items()},
        **{key: moment(fields.get(name, "")) for key, name in _JOB_TIMES.items()},
        "name": line[line.index(" JobName=") + len(" JobName=") : after.start()],
        "user_name": after[1],
        "user_id": int(after[2]),
        "priority": fields["Priority"],
        "restart_cnt": fields["Restarts"],
        "job_state": fields["JobState"],
        "node_count": fields["NumNodes"].split("-")[0],
        "cpus": fields["NumCPUs"].split("-")[0],
        "shared": "none" if fields.get("OverSubscribe") == "NO" else None,
        "time_limit": None if time_limit is None else time_limit // 60,
        "array_job_id": fields.get("ArrayJobId"),
        "array_task_id": task if task.isdigit() else None,
        "array_task_string": "" if task.isdigit() else task,
        "array_max_tasks": fields.get("ArrayTaskThrottle"),
        "het_job_id": fields.get("HetJobId"),
        "comment": _remark(line, "Comment"),
        "admin_comment": _remark(line, "AdminComment"),
    }


def _remark(line: str, field: str) -> str:
    """Read a free text: up to two blanks, or up to the next field that can follow it."""
    match = re.search(rf" {field}=(.*?)(?:  |\s(?:Comment|StdErr|Power|SystemComment)=|\s*$)", line, re.DOTALL)
    return match[1].strip() if match else ""


# Nodes


def parse_nodes(output: Output) -> tuple[LiveNode, ...]:
    """Return the nodes in what ``sinfo --json`` or ``scontrol show nodes``, ``--json`` or ``-o``, printed."""
    data = json_object(output, "sinfo")
    if data is None:
        return tuple(_rows_of_lines(str(output), "NodeName", "node", _node_of_line))
    if "nodes" not in data and isinstance(data.get("sinfo"), list):
        return _nodes_of_groups(data)
    return tuple(each_row(data, "nodes", "name", "sinfo", _node))


def _node(row: Row) -> LiveNode:
    """Read one node, of either JSON dialect."""
    state, flags = node_state((*words(row["state"]), *words(row.get("state_flags"))))
    partitions = row.get("partitions") or []
    names = partitions if isinstance(partitions, list) else partitions.split(",")
    cpus = number(row.get("effective_cpus"), "effective_cpus") or number(row["cpus"], "cpus")
    return LiveNode(
        name=str(row["name"]),
        state=state,
        flags=flags,
        cpus=cpus or 0,
        gpus=gpus_in(str(row.get("gres") or "")),
        memory=number(row.get("real_memory"), "real_memory") or 0,
        partitions=tuple(map(str, names)),
        reason=text(row.get("reason")),
    )


def _nodes_of_groups(data: Row) -> tuple[LiveNode, ...]:
    """Read ``sinfo --json`` from 23.02 on: one row for each partition and group of equal nodes."""
    nodes: dict[str, LiveNode] = {}

    def read(row: Row) -> None:
        for name in row["nodes"]["nodes"]:
            before = nodes[name].partitions if name in nodes else ()
            nodes[name] = _node({
                "name": name, "state": row["node"]["state"], "cpus": row["cpus"]["minimum"],
                "gres": row["gres"]["total"], "real_memory": row["memory"]["minimum"],
                "partitions": [*before, row["partition"]["name"]],
                "reason": row.get("reason", {}).get("description"),
            })  # fmt: skip

    each_row(data, "sinfo", "port", "sinfo", read)
    return tuple(nodes.values())


def node_state(states: tuple[str, ...]) -> tuple[str, frozenset[str]]:
    """Return a node's state and its flags, from one list of both.

    >>> node_state(("IDLE", "DRAIN"))
    ('IDLE', frozenset({'DRAIN'}))
    """
    bases = USABLE_STATES | {"DOWN", "UNKNOWN", "ERROR", "FUTURE"}
    state = next((each for each in states if each in bases), states[0] if states else "UNKNOWN")
    return state, frozenset(states) - {state}


def _node_of_line(line: str, fields: Row) -> LiveNode:
    """Read a line of ``scontrol -o show node``; behind its state stand flags and marks, such as ``IDLE+DRAIN*``."""
    state = fields["State"].rstrip("".join(_NODE_MARKS))
    marks = [_NODE_MARKS[mark] for mark in fields["State"][len(state) :]]
    return _node({
        "name": fields["NodeName"], "state": [*state.split("+"), *marks], "cpus": fields["CPUTot"],
        "effective_cpus": fields.get("CPUEfctv"), "gres": fields.get("Gres"),
        "real_memory": fields.get("RealMemory"), "partitions": text(fields.get("Partitions")),
        "reason": re.sub(r" \[\S+@\S+\]$", "", line.partition(" Reason=")[2].strip()),
    })  # fmt: skip


def _rows_of_lines(output: str, heading: str, kind: str, read: Callable[[str, Row], Read]) -> Iterator[Read]:
    """Read every line of ``scontrol -o show``, given its fields; messages name the row."""
    for line in filter(str.strip, output.splitlines()):
        if not line.startswith(f"{heading}="):
            raise ValueError(f"scontrol: {line[:60]!r} is no {kind} of scontrol -o show {kind}")
        fields = dict(reversed(_FIELD.findall(line)))
        try:
            yield read(line, fields)
        except (ValueError, KeyError) as error:
            what = f"{error} is missing; is it cut off?" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"scontrol: {kind} {fields[heading][:40]}: {what}") from None


# Partitions and reservations


def parse_partitions(output: str) -> tuple[LivePartition, ...]:
    """Return the partitions in what ``scontrol -o show partition`` printed."""
    return tuple(_rows_of_lines(output, "PartitionName", "partition", _partition_of_line))


def _partition_of_line(_line: str, fields: Row) -> LivePartition:
    most = fields.get("MaxNodes", "")
    return LivePartition(
        name=fields["PartitionName"],
        nodes=expand(text(fields.get("Nodes"))),
        default_time=seconds(fields.get("DefaultTime", "")),
        max_time=seconds(fields.get("MaxTime", "")),
        max_nodes=int(most) if most.isdigit() else None,
        up=fields.get("State", "UP") == "UP",
    )


def parse_reservations(output: Output) -> tuple[LiveReservation, ...]:
    """Return the reservations in what ``scontrol show reservations`` printed, with ``-o`` or ``--json``."""
    data = json_object(output, "scontrol")
    if data is not None:
        return tuple(each_row(data, "reservations", "name", "scontrol", _reservation))
    if str(output).lstrip().startswith("No reservations in the system"):
        return ()
    return tuple(_rows_of_lines(str(output), "ReservationName", "reservation", _reservation_of_line))


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


def _reservation_of_line(_line: str, fields: Row) -> LiveReservation:
    return _reservation({
        "name": fields["ReservationName"], "start_time": moment(fields["StartTime"]),
        "end_time": moment(fields["EndTime"]), "node_list": fields["Nodes"], "tres": fields.get("TRES"),
        "flags": list(filter(None, fields.get("Flags", "").split(","))),
        **{kind: fields.get(kind.capitalize()) for kind in ("users", "groups", "accounts")},
    })  # fmt: skip
