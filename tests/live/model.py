"""A plain model of what a controller does with the driver's lines, as seen with Slurm 22.05.8; and builders of jobs."""

from collections.abc import Iterable
from dataclasses import replace

from planbatch.experiments.live.slurm.client import LINE
from planbatch.experiments.live.slurm.commands import Command, Target, lines_of
from planbatch.experiments.live.slurm.snapshot import JobKey, LiveJob, LiveNode, Snapshot

NOW = 1_000_000
NODES = tuple(LiveNode(f"n{i}", "IDLE", frozenset(), 32, partitions=("main",)) for i in range(8))


def job(number: int, mark: str = "", **fields) -> LiveJob:
    """A pending job of one node and ten minutes; ``mark`` goes behind ``planbatch:``."""
    plain = {
        "name": "j", "user": "ann", "account": "a", "partition": "main", "nodes": 1, "cpus": 32,
        "state": "PENDING", "time_limit": 600, "priority": 0 if fields.get("held") else 100,
        "admin_comment": f"planbatch:{mark}" if mark else "",
    }  # fmt: skip
    key = JobKey(number, fields.pop("submit", NOW - 100), fields.pop("restarts", 0))
    return LiveJob(key=key, **(plain | fields))


def snapshot(*jobs: LiveJob, now: int = NOW) -> Snapshot:
    """A cluster of eight nodes."""
    return Snapshot(now, jobs, NODES)


def plan(*starts: tuple[LiveJob, int]) -> dict[Target, int]:
    """Planned starts, from now."""
    return {Target(each.key): NOW + later for each, later in starts}


def applied(given: Snapshot, lines: Iterable[str], now: int | None = None) -> Snapshot:
    """The cluster after some lines: what is released has not started yet."""
    jobs = {each.job_id: each for each in given.jobs}
    for line in lines:
        words = LINE.fullmatch(line)
        assert words, f"the model does not know {line!r}"
        deed, number, updated, begin, comment = words.groups()
        found = jobs[int(number or updated)]
        if deed == "release":
            found = replace(found, held=None, priority=100)
        elif deed == "uhold":
            found = replace(found, held="user", priority=0)
        if begin:
            found = replace(found, begin_time=0 if begin == "now" else int(begin[3:]))
        if comment is not None:
            found = replace(found, admin_comment=comment)
        jobs[found.job_id] = found
    return replace(given, jobs=tuple(jobs.values()), time=given.time if now is None else now)


def after(given: Snapshot, commands: Iterable[Command], now: int | None = None) -> Snapshot:
    """The cluster after all lines of some commands."""
    return applied(given, lines_of(list(commands)), now)


def found(given: Snapshot, number: int) -> LiveJob:
    """The job with a number."""
    return next(each for each in given.jobs if each.job_id == number)
