"""Slurm's text, where there is no JSON: ``scontrol -o show job``, ``node``, ``partition`` and ``reservations``.

Names and comments of jobs stand in ``scontrol``'s lines as they are, blanks, line ends and all, so that one can
imitate other fields and other jobs. Rows in which a field stands twice are not believed (state ``UNREADABLE``);
whoever knows the numbers of all jobs from elsewhere gives them, so that rows made up by a comment are left out.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping

from planbatch.experiments.live.slurm.snapshot import (
    ENDLESS,
    PENDING_STATES,
    UNREADABLE,
    Hold,
    JobArray,
    JobKey,
    LiveJob,
    LiveNode,
    LivePartition,
    LiveReservation,
)
from planbatch.experiments.live.slurm.values import (
    expand,
    gpus_in,
    gpus_of_tres,
    moment,
    pending_tasks,
    seconds,
    text,
    tres,
)

_ROW = re.compile(r"^JobId=(\d+) ", re.MULTILINE | re.ASCII)
#: What stands between the name and the fields that Slurm writes itself.
_AFTER_NAME = re.compile(
    r" UserId=([^\s()]+)\((\d+)\) GroupId=\S+ MCS_label=\S+ Priority=(\d+) ", re.ASCII
)
_FIELD = re.compile(r"(?:^|\s)([A-Z][A-Za-z/:]*)=(\S*)", re.ASCII)
#: Fields of which a row has exactly one; behind a name that imitates them there are two.
_ONCE = ("UserId", "JobState", "SubmitTime", "NumNodes", "TimeLimit", "Restarts")
#: Marks behind a node's state (manual page of sinfo).
_NODE_MARKS = {
    "*": "NOT_RESPONDING", "~": "POWERED_DOWN", "#": "POWERING_UP", "!": "POWER_DOWN", "%": "POWERING_DOWN",
    "$": "MAINTENANCE", "@": "REBOOT_REQUESTED", "^": "REBOOT_ISSUED", "-": "PLANNED",
}  # fmt: skip


def jobs_of_text(printed: str, numbers: Collection[int] | None = None) -> tuple[LiveJob, ...]:
    """Return the jobs in the text of ``scontrol -o show job``.

    Parameters
    ----------
    printed : str
        The text.
    numbers : collection of int, optional
        The numbers of all jobs there are, if they are known; rows of others are left out.

    Raises
    ------
    ValueError
        If it is none, or a field cannot be read.
    """
    if not printed.strip() or printed.startswith("No jobs in the system"):
        return ()
    first = printed.lstrip().split("\n", 1)[0]
    if not first.startswith("JobId="):
        raise ValueError(f"squeue: {first[:60]!r} is neither JSON nor a list of jobs")
    jobs = _of_scontrol(printed)
    if numbers is not None:
        jobs = [job for job in jobs if job.job_id in numbers]
    return tuple(jobs)


def _of_scontrol(printed: str) -> list[LiveJob]:
    """Read lines of ``scontrol -o show job``; a name with a line end goes on in the next line."""
    starts = [match.start() for match in _ROW.finditer(printed)]
    ends = [*starts[1:], len(printed)]
    jobs = [_row_of_scontrol(printed[a:b]) for a, b in zip(starts, ends, strict=True)]
    times = Counter(job.job_id for job in jobs)
    return [job if times[job.job_id] == 1 else _unreadable(job.job_id) for job in jobs]


def _unreadable(number: int) -> LiveJob:
    """A row that is not believed."""
    reason = "its name or comment imitates Slurm's fields"
    return LiveJob(JobKey(number, 0), "", "", "", "", 0, 0, UNREADABLE, reason=reason)


def _row_of_scontrol(row: str) -> LiveJob:
    """Read one row."""
    head = re.match(r"JobId=(\d+) ", row)
    assert head is not None
    number = int(head[1])
    fields = _FIELD.findall(row)
    names = [name for name, _ in fields]
    after = _AFTER_NAME.search(row)
    if after is None or any(names.count(name) != 1 for name in _ONCE):
        return _unreadable(number)
    name = row[row.index(" JobName=") + len(" JobName=") : after.start()]
    result = dict(reversed(fields[: names.index("UserId")])) | dict(
        reversed(fields[names.index("UserId") :])
    )
    try:
        return _job(
            number,
            name,
            after[1],
            int(after[2]),
            result,
            _remark(row, "AdminComment"),
            _remark(row, "Comment"),
        )
    except ValueError as error:
        raise ValueError(f"scontrol: job {number}: {error}") from None


def _remark(row: str, field: str) -> str:
    """Read a remark, which may hold anything: up to two blanks, or the next field that follows remarks."""
    match = re.search(
        rf" {field}=(.*?)(?:  |\s(?:Comment|StdErr|Power|SystemComment)=|\s*$)", row, re.DOTALL
    )
    return match[1].strip() if match else ""


def _job(
    number: int, name: str, user: str, uid: int, found: Mapping[str, str], admin: str, comment: str
) -> LiveJob:
    """Make a job of the fields of a row."""
    state, pending = found["JobState"], found["JobState"] in PENDING_STATES
    nodes, priority = int(found["NumNodes"].split("-")[0]), int(found["Priority"])
    amounts, reason = tres(found.get("TRES", "")), text(found.get("Reason"))
    submit, eligible = moment(found["SubmitTime"]), moment(found.get("EligibleTime", ""))
    gpus = (
        gpus_of_tres(amounts)
        or gpus_in(found.get("TresPerJob", ""))
        or nodes * gpus_in(found.get("TresPerNode", ""))
    )
    start, end = moment(found.get("StartTime", "")), moment(found.get("EndTime", ""))
    return LiveJob(
        key=JobKey(number, submit, int(found["Restarts"])),
        name=name,
        user=user,
        user_id=uid,
        account=text(found.get("Account")),
        partition=text(found.get("Partition")),
        qos=text(found.get("QOS")),
        nodes=nodes,
        cpus=int(found["NumCPUs"].split("-")[0]),
        gpus=gpus,
        tres=amounts,
        exclusive=found.get("OverSubscribe") == "NO",
        time_limit=seconds(found["TimeLimit"]),
        state=state,
        reason=reason,
        held=_hold(pending, priority, reason),
        eligible_time=eligible,
        begin_time=eligible if pending and eligible > submit else 0,
        accrue_time=moment(found.get("AccrueTime", "")),
        start_time=0 if pending else start,
        end_time=0 if pending else end,
        forecast=start if pending else 0,
        deadline=moment(found.get("Deadline", "")),
        priority=priority,
        dependency=text(found.get("Dependency")),
        array=_array(found, pending),
        allocated=() if pending else expand(text(found.get("NodeList"))),
        required=expand(text(found.get("ReqNodeList"))),
        excluded=expand(text(found.get("ExcNodeList"))),
        features=text(found.get("Features")),
        reservation=text(found.get("Reservation")),
        licenses=text(found.get("Licenses")),
        het_job=int(found.get("HetJobId", "0")),
        comment=comment,
        admin_comment=admin,
    )


def _hold(pending: bool, priority: int, reason: str) -> Hold | None:
    """Who holds a job."""
    if not pending or priority:
        return None
    return "user" if reason == "JobHeldUser" else "admin"


def _array(found: Mapping[str, str], pending: bool) -> JobArray | None:
    """What a job is of an array."""
    if "ArrayJobId" not in found:
        return None
    array, task = int(found["ArrayJobId"]), found.get("ArrayTaskId", "")
    most = int(found["ArrayTaskThrottle"]) if "ArrayTaskThrottle" in found else None
    if pending and not task.isdigit():
        return pending_tasks(array, task, most)
    return JobArray(array, int(task) if task.isdigit() else None, most=most)


def nodes_of_text(printed: str) -> tuple[LiveNode, ...]:
    """Return the nodes in the text of ``scontrol -o show node``."""
    nodes = []
    for line in filter(str.strip, printed.splitlines()):
        if not line.startswith("NodeName="):
            raise ValueError(
                f"sinfo: {line[:60]!r} is neither JSON nor a node of scontrol -o show node"
            )
        found = dict(reversed(_FIELD.findall(line)))
        try:
            base, flags = _node_state(found["State"])
            nodes.append(
                LiveNode(
                    name=found["NodeName"],
                    state=base,
                    flags=flags,
                    cpus=int(found.get("CPUEfctv") or found["CPUTot"]),
                    gpus=gpus_in(found.get("Gres", "")),
                    memory=int(found.get("RealMemory", 0)),
                    partitions=tuple(filter(None, text(found.get("Partitions")).split(","))),
                    reason=re.sub(r" \[\S+@\S+\]$", "", line.partition(" Reason=")[2].strip()),
                )
            )
        except (ValueError, KeyError) as error:
            raise ValueError(f"scontrol: node {found.get('NodeName', '')[:40]}: {error}") from None
    return tuple(nodes)


def _node_state(written: str) -> tuple[str, frozenset[str]]:
    """Read ``IDLE+DRAIN*``: the state, its flags, and the mark behind."""
    marks = re.search(r"[*~#!%$@^-]*$", written)
    assert marks is not None
    base, *flags = written[: marks.start()].split("+")
    return base, frozenset(flags) | {_NODE_MARKS[mark] for mark in marks[0]}


def partitions_of_text(printed: str) -> tuple[LivePartition, ...]:
    """Return the partitions in the text of ``scontrol -o show partition``."""
    partitions = []
    for line in filter(str.strip, printed.splitlines()):
        if not line.startswith("PartitionName="):
            raise ValueError(
                f"scontrol: {line[:60]!r} is no partition of scontrol -o show partition"
            )
        found = dict(reversed(_FIELD.findall(line)))
        most = found.get("MaxNodes", "")
        partitions.append(
            LivePartition(
                name=found["PartitionName"],
                nodes=expand(text(found.get("Nodes"))),
                default_time=seconds(found.get("DefaultTime", "")),
                max_time=seconds(found.get("MaxTime", "")),
                max_nodes=int(most) if most.isdigit() else None,
                up=found.get("State", "UP") == "UP",
                default=found.get("Default") == "YES",
            )
        )
    return tuple(partitions)


def reservations_of_text(printed: str) -> tuple[LiveReservation, ...]:
    """Return the reservations in the text of ``scontrol -o show reservations``."""
    return tuple(_reservation(line) for line in printed.splitlines() if _is_reservation(line))


def _is_reservation(line: str) -> bool:
    """Whether a line is a reservation; a ``ValueError`` if it is neither that nor says that there are none."""
    if not line.strip() or line.startswith("No reservations in the system"):
        return False
    if not line.startswith("ReservationName="):
        raise ValueError(
            f"scontrol: {line[:60]!r} is no reservation of scontrol -o show reservations"
        )
    return True


def _reservation(line: str) -> LiveReservation:
    result = dict(reversed(_FIELD.findall(line)))
    name = result["ReservationName"]
    try:
        return LiveReservation(
            name,
            moment(result["StartTime"]),
            moment(result["EndTime"]) or moment(result["StartTime"]) + ENDLESS,
            expand(text(result["Nodes"])),
            tres(result.get("TRES", "")).get("cpu"),
            tuple(filter(None, result.get("Flags", "").split(","))),
            ",".join(
                filter(None, (text(result.get(kind)) for kind in ("Users", "Groups", "Accounts")))
            ),
        )
    except KeyError as error:
        raise ValueError(
            f"scontrol: reservation {name[:40]}: {error} is missing; is it cut off?"
        ) from None
    except ValueError as error:
        raise ValueError(f"scontrol: reservation {name[:40]}: {error}") from None
