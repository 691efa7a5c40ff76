"""Nodes in the JSON of ``sinfo`` and ``scontrol show nodes``, in either dialect."""

from planbatch.experiments.live.slurm.objects import Row, each_row
from planbatch.experiments.live.slurm.snapshot import USABLE_STATES, LiveNode
from planbatch.experiments.live.slurm.values import gpus_in, number, text, words


def node_state(states: tuple[str, ...]) -> tuple[str, frozenset[str]]:
    """Return a node's state and its flags, from one list of both.

    >>> node_state(("IDLE", "DRAIN"))
    ('IDLE', frozenset({'DRAIN'}))
    """
    base = USABLE_STATES | {"DOWN", "UNKNOWN", "ERROR", "FUTURE"}
    found = next((state for state in states if state in base), states[0] if states else "UNKNOWN")
    return found, frozenset(states) - {found}


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
    found: dict[str, LiveNode] = {}

    def read(row: Row) -> None:
        state, flags = node_state(words(row["node"]["state"]))
        partition = str(row["partition"]["name"])
        for name in row["nodes"]["nodes"]:
            before = found[name].partitions if name in found else ()
            found[name] = LiveNode(
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
    return tuple(found.values())
