"""Which column of a table holds what: the names that are known, and those that the user gives."""

from collections.abc import Mapping, Sequence

from planbatch.planner.names import did_you_mean

#: What a table may say of a job → the names of columns that are taken for it, the best one first. Our own tables, SWF,
#: Batsim and Slurm's sacct are among them; case, blanks and hyphens do not count.
FIELDS: dict[str, tuple[str, ...]] = {
    "id": ("id", "job_id", "jobidraw", "jobid", "job", "job_number"),
    "submit": ("submit", "submit_time", "submission_time", "submitted"),
    "processors": (
        "processors", "procs", "requested_processors", "requested_procs", "requested_number_of_resources",
        "reqcpus", "cpus", "cores", "ncpus",
    ),
    "allocated": ("allocated", "allocated_processors", "used_procs", "alloccpus"),
    "walltime": ("walltime", "wall_time", "requested_time", "time_limit", "timelimit", "estimate"),
    "runtime": ("runtime", "run_time", "execution_time", "elapsedraw", "elapsed"),
    "wait": ("wait", "wait_time", "waiting_time"),
    "start": ("start", "start_time", "starting_time", "started"),
    "end": ("end", "end_time", "finish_time", "finished"),
    "deadline": ("deadline",),
    "user": ("user", "user_id", "uid", "username"),
    "group": ("group", "group_id", "gid", "account"),
    "queue": ("queue", "queue_id", "qos"),
    "partition": ("partition", "partition_id"),
    "requested_memory": ("requested_memory",),
    "used_memory": ("used_memory",),
}  # fmt: skip
#: Texts that mean "not known", in lower case.
UNKNOWN = frozenset(("", "nan", "nat", "na", "n/a", "<na>", "none", "null", "unknown"))


def column_key(name: str) -> str:
    """Return a name in the form in which names are compared."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def parse_columns(texts: Sequence[str]) -> dict[str, str]:
    """Read ``FIELD=COLUMN`` pairs as column by field; ``ValueError`` if one is no pair, or there is no such field."""
    fields = {name: field for field, names in FIELDS.items() for name in names}
    result = {}
    for pair in texts:
        field, equals, column = pair.partition("=")
        if not equals or not column.strip():
            raise ValueError(f"column: {pair!r} is not of the form FIELD=COLUMN, such as submit=time")
        if column_key(field) not in fields:
            raise ValueError(f"column: there is no {field!r}; {did_you_mean(column_key(field), FIELDS)}")
        result[fields[column_key(field)]] = column.strip()
    return result


def find_columns(source: str, columns: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Find the column of every field that a table has; ``given`` has columns by field, as the user gives them.

    Raises ``ValueError`` if a given column or a needed one is missing; the message lists the columns.
    """
    by_name = {column_key(column): column for column in reversed(columns)}
    result = {}
    for field, names in FIELDS.items():
        if field in given:
            if column_key(given[field]) not in by_name:
                raise ValueError(
                    f"{source}: there is no column {given[field]!r} for {field}; the columns are {', '.join(columns)}"
                )
            result[field] = by_name[column_key(given[field])]
        else:
            column = next((by_name[name] for name in names if name in by_name), None)
            if column is not None and column not in given.values():
                result[field] = column
    needed = {
        "submit": "submit" in result,
        "processors": "processors" in result or "allocated" in result,
        "runtime": "runtime" in result or {"start", "end"} <= result.keys(),
    }
    missing = [field for field, present in needed.items() if not present]
    if missing:
        cure = " ".join(f"--column {field}=COLUMN" for field in missing)
        raise ValueError(
            f"{source}: there is no column for {' and '.join(missing)}; the columns are {', '.join(columns)}; "
            f"say which it is with {cure}"
        )
    return result
