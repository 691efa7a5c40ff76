"""Slurm's advance reservations: what ``scontrol show reservations`` prints, as text or as JSON."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from planbatch.experiments.common.text import duration
from planbatch.experiments.live.slurm.pool import (
    GPUS,
    ObserveOptions,
    Pool,
    Remark,
    expected_end,
    partition_resource,
    share_of,
)
from planbatch.experiments.live.slurm.snapshot import LiveReservation, Snapshot
from planbatch.experiments.live.slurm.values import (
    Printed,
    Row,
    each_row,
    expand,
    moment,
    number,
    object_in,
    text,
    tres,
    words,
)
from planbatch.planner.resources import Windows

#: How long a reservation without an end is taken to be (s).
ENDLESS = 366 * 86400
_FIELD = re.compile(r"(?:^|\s)([A-Z][A-Za-z]*)=(\S*)", re.ASCII)


def parse_reservations(printed: Printed) -> tuple[LiveReservation, ...]:
    """Return the reservations in what ``scontrol show reservations`` printed, with ``-o`` or ``--json``.

    Raises
    ------
    ValueError
        If it is cut off, or a field cannot be read; one sentence that names the reservation.
    """
    data = object_in(printed, "scontrol")
    if data is not None:
        return tuple(each_row(data, "reservations", "name", "scontrol", _of_row))
    return tuple(_of_line(line) for line in str(printed).splitlines() if _tells(line))


def _tells(line: str) -> bool:
    """Whether a line is a reservation; a ``ValueError`` if it is neither that nor says that there are none."""
    if not line.strip() or line.startswith("No reservations in the system"):
        return False
    if not line.startswith("ReservationName="):
        raise ValueError(
            f"scontrol: {line[:60]!r} is no reservation of scontrol -o show reservations"
        )
    return True


def _of_line(line: str) -> LiveReservation:
    found = dict(reversed(_FIELD.findall(line)))
    name = found["ReservationName"]
    try:
        return LiveReservation(
            name,
            moment(found["StartTime"]),
            moment(found["EndTime"]) or moment(found["StartTime"]) + ENDLESS,
            expand(text(found["Nodes"])),
            tres(found.get("TRES", "")).get("cpu"),
            tuple(filter(None, found.get("Flags", "").split(","))),
            _whom(*(text(found.get(kind)) for kind in ("Users", "Groups", "Accounts"))),
        )
    except KeyError as error:
        raise ValueError(
            f"scontrol: reservation {name[:40]}: {error} is missing; is it cut off?"
        ) from None
    except ValueError as error:
        raise ValueError(f"scontrol: reservation {name[:40]}: {error}") from None


def _of_row(row: Row) -> LiveReservation:
    start = number(row["start_time"], "start_time") or 0
    return LiveReservation(
        str(row["name"]),
        start,
        number(row["end_time"], "end_time") or start + ENDLESS,
        expand(text(row["node_list"])),
        tres(str(row.get("tres") or "")).get("cpu"),
        words(row.get("flags")),
        _whom(*(text(row.get(kind)) for kind in ("users", "groups", "accounts"))),
    )


def _whom(*lists: str) -> str:
    return ",".join(filter(None, lists))


#: Begin, end (s) and amount.
Span = tuple[int, int, int]


def windows_of(snapshot: Snapshot, pool: Pool, options: ObserveOptions) -> Windows:
    """Return the windows of a snapshot's reservations.

    A node that is reserved is away from the begin of the reservation to its end, but for what running jobs have of it:
    these keep it. Reservations that overlap take a node once.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster.
    pool : Pool
        What of it is planned.
    options : ObserveOptions
        Until when running jobs are expected to run.

    Returns
    -------
    Windows
        Of the pool's resources, the earliest first.
    """
    names = [resource.name for resource in pool.resources]
    amounts: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * (1 + len(names)))
    held = _held(snapshot, pool, options)
    for name, reserved in _reserved(snapshot, pool).items():
        node = pool.usable[name]
        parts = {partition_resource(part) for part, nodes in pool.divided.items() if name in nodes}
        for start, end, amount in left_of(
            pool.amount((name,)), reserved, held.get(name, ()), snapshot.time
        ):
            row = amounts[start, end]
            row[0] += amount
            for place, resource in enumerate(names, 1):
                if resource in parts:
                    row[place] += amount
                elif resource == GPUS and not held.get(name):
                    row[place] += node.gpus
    order = sorted(amounts)
    table = np.array([amounts[span] for span in order], dtype=np.int64).reshape(
        len(order), 1 + len(names)
    )
    times = np.array(order, dtype=np.int64).reshape(len(order), 2)
    return Windows(times[:, 0], times[:, 1], table)


def left_of(total: int, reserved: Sequence[Span], held: Sequence[Span], now: int) -> list[Span]:
    """Return what reservations take of one node, piece by piece.

    Parameters
    ----------
    total : int
        What the node has.
    reserved, held : sequence of (begin, end, amount)
        Its reservations, and what running jobs have of it.
    now : int
        Nothing is told of earlier times (s).

    >>> left_of(1, [(50, 90, 1)], [(0, 70, 1)], now=10)
    [(70, 90, 1)]
    >>> left_of(8, [(0, 60, 8), (40, 90, 4)], [(0, 20, 2)], now=10)
    [(10, 20, 6), (20, 60, 8), (60, 90, 4)]
    """
    ends = {max(when, now) for begin, end, _ in (*reserved, *held) for when in (begin, end)}
    cuts = sorted(ends)
    found: list[Span] = []
    for begin, end in pairwise(cuts):
        wanted, busy = (
            sum(amount for first, last, amount in spans if first <= begin < last)
            for spans in (reserved, held)
        )
        amount = min(wanted, total - busy)
        if amount <= 0:
            continue
        if found and found[-1][1:] == (begin, amount):
            begin = found.pop()[0]  # noqa: PLW2901 - joined with the one before
        found.append((begin, end, amount))
    return found


def _reserved(snapshot: Snapshot, pool: Pool) -> dict[str, list[Span]]:
    """For every reserved node that is usable, when, and how much of it; whole nodes are reserved by a part of them."""
    found: dict[str, list[Span]] = defaultdict(list)
    for one in snapshot.reservations:
        for place, name in enumerate(one.nodes):
            node = pool.usable.get(name)
            if node is None:
                continue
            amount = pool.amount((name,))
            if pool.unit == "cpus" and one.cpus is not None:
                amount = min(amount, share_of(one.cpus, len(one.nodes), place))
            found[name] += [
                (start, end, amount) for start, end in one.times(snapshot.time) if amount
            ]
    return found


def _held(snapshot: Snapshot, pool: Pool, options: ObserveOptions) -> Mapping[str, list[Span]]:
    """For every usable node, what running jobs have of it, until their expected ends."""
    found: dict[str, list[Span]] = defaultdict(list)
    for job in snapshot.jobs:
        if not job.running:
            continue
        end = expected_end(job, snapshot.time, options)
        for place, name in enumerate(job.allocated):
            if name in pool.usable:
                whole = job.exclusive or pool.unit == "nodes"
                most = pool.amount((name,))
                amount = most if whole else min(share_of(job.cpus, len(job.allocated), place), most)
                found[name].append((snapshot.time, end, amount))
    return found


def reservation_remarks(snapshot: Snapshot, pool: Pool, named: int) -> list[Remark]:
    """Tell what is reserved, when and for whom; at most so many names of nodes each."""
    found = []
    for one in snapshot.reservations:
        mine = [name for name in one.nodes if name in pool.nodes]
        start, end = next(one.times(snapshot.time), (0, 0))
        if not mine or not end:
            continue
        shown = ",".join(mine[:named]) + ("…" if len(mine) > named else "")
        since = f"in {duration(start - snapshot.time)}" if start > snapshot.time else "now"
        length = duration(end - max(start, snapshot.time))
        found.append(Remark("reserved", shown, one.whom, f"{one.name}: {since}, for {length}"))
    return found
