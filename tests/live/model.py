"""A plain model of what a controller does with the driver's lines, as seen with Slurm 22.05.8; and builders of jobs."""

from collections.abc import Iterable
from dataclasses import replace

from planbatch.experiments.live.slurm.client import LINE
from planbatch.experiments.live.slurm.commands import Command, lines_of
from planbatch.experiments.live.slurm.marks import Target
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


def parked(number: int, later: int = 600, asked: int = 0, **fields) -> LiveJob:
    """A pending job whose begin time ``job_submit.lua`` or the driver put so many seconds ahead."""
    begin = NOW + later
    plain = {"begin_time": begin, "reason": "BeginTime"}
    return job(number, f"asked={asked}:begin={begin}", **(plain | fields))


def freed(number: int, ago: int = 0, **fields) -> LiveJob:
    """A pending job that was released so many seconds ago."""
    return parked(number, -ago, **({"reason": "Priority"} | fields))


def snapshot(*jobs: LiveJob, now: int = NOW) -> Snapshot:
    """A cluster of eight nodes."""
    return Snapshot(now, jobs, NODES)


def plan(*starts: tuple[LiveJob, int]) -> dict[Target, int]:
    """Planned starts, from now."""
    return {Target(each.key): NOW + later for each, later in starts}


def applied(given: Snapshot, lines: Iterable[str], now: int | None = None) -> Snapshot:
    """The cluster after some lines: what is released has not started yet; begin times that have passed become now."""
    time = given.time if now is None else now
    jobs = {each.job_id: each for each in given.jobs}
    for line in lines:
        words = LINE.fullmatch(line)
        assert words, f"the model does not know {line!r}"
        found = jobs[int(words["job"])]
        if words["begin"]:
            begin = time if words["begin"] == "now" else max(int(words["begin"][3:]), time)
            found = replace(found, begin_time=begin, reason="BeginTime")
        if words["mark"] is not None:
            found = replace(found, admin_comment=words["mark"])
        jobs[found.job_id] = found
    return replace(given, jobs=tuple(jobs.values()), time=time)


def after(given: Snapshot, commands: Iterable[Command], now: int | None = None) -> Snapshot:
    """The cluster after all lines of some commands."""
    return applied(given, lines_of(list(commands)), now)


def found(given: Snapshot, number: int) -> LiveJob:
    """The job with a number."""
    return next(each for each in given.jobs if each.job_id == number)
