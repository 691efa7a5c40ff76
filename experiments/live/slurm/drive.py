"""The driver: reads the cluster, plans, gives commands; tick by tick, each from what the cluster says."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Literal

from planbatch.experiments.common.lock import locked
from planbatch.experiments.live.journal import Journal
from planbatch.experiments.live.slurm.advise import advice_of, write_tick
from planbatch.experiments.live.slurm.client import CLUSTER_ERRORS, Answer, SlurmClient, SlurmError
from planbatch.experiments.live.slurm.commands import Command, commands_for, give_back, lines_of
from planbatch.experiments.live.slurm.heartbeat import HEARTBEAT, LOCK, beat, last_beat, stop_beating
from planbatch.experiments.live.slurm.marks import FREE, DriveRules, mark_of
from planbatch.experiments.live.slurm.planner import ClusterPlan, Memory, Planner
from planbatch.experiments.live.slurm.reading import read_snapshot
from planbatch.experiments.live.slurm.snapshot import Snapshot
from planbatch.experiments.live.slurm.tick import OBSERVING, Tick, powerless, release_all
from planbatch.experiments.workloads.journal_lines import COMMANDS, RESULTS
from planbatch.planner.optimizer import SearchInterrupted

OnExit = Literal["release", "keep"]
#: Shortest time between two ticks (s).
SHORTEST = 0.2
#: Maximum number of jobs changed per tick; the rest follow immediately in the next.
MOST = 500
#: The driver exits after this many consecutive ticks whose heartbeat could not be written.
MOST_MISSED = 3
#: Number of ``scontrol`` processes that set begin times in parallel: half of the time is theirs, not the controller's.
STREAMS = 4
#: Plans a snapshot, given the memory of the last tick; raises ``ValueError`` if it cannot.
Planning = Callable[[Snapshot, Memory], ClusterPlan]
#: Changes of the queue between ticks: job numbers, and whether each is in it.
Changes = frozenset[tuple[int, bool]]


class OlderDrivers:
    """Detects older drivers by the marks in each snapshot; ``driver`` is the start of this one (ms)."""

    def __init__(self, driver: int) -> None:
        self.driver = driver
        self._before: set[tuple[int, str]] | None = None

    def check(self, snapshot: Snapshot) -> None:
        """Raise a ``BlockingIOError`` if an older driver wrote a mark since the first snapshot."""
        writers = {}
        for job in snapshot.jobs:
            mark = mark_of(job.admin_comment)
            if mark is not None and 0 < mark.by < self.driver:
                # Tasks that are split off their array have its mark, requeued jobs the one that they had.
                writers[job.array.job_id if job.array else job.job_id, str(mark)] = mark.by
        if self._before is None:
            self._before = set(writers)
        for writer in writers.keys() - self._before:
            began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(writers[writer] / 1000))
            raise BlockingIOError(
                f"another driver is running, since {began}: it drives this cluster, too; stop one of them"
            )


def restore_marks(snapshot: Snapshot, commands: Sequence[Command], answers: Sequence[Answer]) -> list[Command]:
    """Return the commands that restore the marks of jobs that started before their new begin time arrived.

    ``commands`` were sent after ``snapshot`` was read; ``answers`` are Slurm's.
    """
    started_lines = {answer.line for answer in answers if answer.started and " StartTime=" in answer.line}
    jobs = {job.key: job for job in snapshot.jobs}
    marks = []
    for command in commands:
        job = jobs[command.key]
        # An array's row has one mark for all of its pending tasks.
        if job.array is None and started_lines & set(command.lines):
            # A comment that is no mark is lost, and never sent again: the job is Slurm's.
            mark = mark_of(job.admin_comment) or (FREE if job.admin_comment else "")
            line = f"update JobId={job.job_id} AdminComment={mark}"
            reason = "it had started already"
            marks.append(Command("mark back", job.key, command.label, (line,), reason))
    return marks


@dataclass(frozen=True)
class Driver:
    """Carries plans out.

    Experimental: it may change in any release.

    Attributes
    ----------
    client : SlurmClient
        Runs Slurm's programs.
    planning : callable
        Plans each snapshot: a :class:`Planner`.
    rules : DriveRules
        The mode and its settings.
    folder : Path
        The folder of its lock and its heartbeat.
    dry_run : bool
        Whether commands are only shown.
    on_exit : {"release", "keep"}
        Whether everything is given back to Slurm at the end.
    clock : callable
        Gives the time (s).
    read : callable, optional
        Takes the snapshots; by default those of the client.
    most : int
        Most jobs that are changed in one tick. A dry run shows all.

    Examples
    --------
    >>> from pathlib import Path
    >>> import planbatch as pb
    >>> from planbatch.experiments import DriveRules, Driver, Planner, SlurmClient
    >>> rules = DriveRules("soft")
    >>> planner = Planner(pb.make_policy("easy"), rules)
    >>> driver = Driver(SlurmClient(), planner, rules, Path("state"), dry_run=True)
    >>> driver.most
    500
    """

    client: SlurmClient
    planning: Planning
    rules: DriveRules
    folder: Path
    dry_run: bool = False
    on_exit: OnExit = "release"
    clock: Callable[[], float] = field(default=time.time)
    read: Callable[[], Snapshot] | None = None
    most: int = MOST

    @property
    def heartbeat(self) -> Path:
        """The file that says that the driver is alive."""
        return self.folder / HEARTBEAT

    def snapshot(self) -> Snapshot:
        """Read the cluster."""
        return self.read() if self.read is not None else read_snapshot(self.client)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the lock of the driver's folder: there can only be one; a dry run needs none.

        ``BlockingIOError`` if there is another driver (a killed one has lost the lock), ``OSError`` if the folder
        cannot be made or written.
        """
        if self.dry_run:
            yield
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder / LOCK) as acquired:
            if not acquired:
                raise BlockingIOError(f"{self.folder}: another driver is running; there can only be one")
            yield

    def run(self, stop: Event, on_tick: Callable[[Tick], None], memory: Memory) -> bool:
        """Drive until ``stop`` is set; the caller holds the lock (:meth:`exclusive`).

        ``stop`` ends it after the tick in progress. However it ends, the cluster is left as ``on_exit`` says; if its
        heart cannot beat, everything is given back. ``on_tick`` is called with every tick: journal, metrics, terminal;
        ``memory`` is what the last driver had planned. Returns whether the cluster was left as ``on_exit`` says, for no
        other reason than ``stop``.

        ``BlockingIOError`` if another, older driver of this cluster writes marks: everything is left to it. ``OSError``
        if the heartbeat cannot be written at the beginning.
        """
        observing, missed_beats, idle = False, 0, 0
        keep = self.on_exit == "keep"
        seen_changes: Changes = frozenset()
        rivals = OlderDrivers(self.rules.driver)
        if not self.dry_run:  # a heart that cannot beat is found before anything is done
            beat(self.heartbeat, last_beat(self.heartbeat) or 0)
        try:
            while not stop.is_set() and missed_beats < MOST_MISSED:
                tick = self.tick(memory, None if observing else rivals.check, observing=observing)
                if tick.cluster_plan is not None:
                    memory = tick.cluster_plan.memory
                idle = idle + 1 if tick.idles else 0
                tick = replace(tick, idle=idle)
                try:
                    self._beat(tick)
                    missed_beats = 0
                except OSError as error:
                    missed_beats += 1
                    fault = f"{self.heartbeat}: cannot be written ({error.strerror or error})"
                    tick = replace(tick, fault=tick.fault or fault, kind=tick.kind or "heartbeat")
                on_tick(tick)
                if idle == self.rules.idle_ticks and not (observing or self.dry_run):
                    observing = True
                    self._leave(on_tick, keep=False)
                seen_changes = self._wait(stop, tick, seen_changes)
        except BlockingIOError:
            keep = True  # what there is is the other driver's
            raise
        finally:
            ended_well = self._leave(on_tick, keep=keep and missed_beats < MOST_MISSED)
        return ended_well and missed_beats < MOST_MISSED

    def _beat(self, tick: Tick) -> None:
        """Write the heartbeat, unless planning fails or Slurm refuses every command."""
        alive = not tick.fault or tick.kind in CLUSTER_ERRORS
        if alive and not (self.dry_run or tick.observing or tick.advice):
            beat(self.heartbeat, self.clock())

    def tick(self, memory: Memory, check: Callable[[Snapshot], None] | None = None, *, observing: bool = False) -> Tick:
        """Read, plan and act once; whatever goes wrong is in the tick, and nothing is done then.

        ``memory`` is what the tick before had planned; ``check`` looks at the snapshot first, and its
        ``BlockingIOError`` ends the driver; a driver that is ``observing`` does nothing, since nodes idled that jobs
        could have had.
        """
        start = time.perf_counter()
        tick = Tick(self.clock(), observing=observing)
        try:
            snapshot = self.snapshot()
            tick = replace(tick, snapshot=snapshot)
            if check is not None:
                check(snapshot)
            cluster_plan = self.planning(snapshot, memory)
            now = int(self.clock())
            changes = (
                [] if observing else commands_for(snapshot, cluster_plan.starts, now, self.rules, cluster_plan.early)
            )
            commands = tuple(changes if self.dry_run else changes[: self.most])
            tick = replace(tick, cluster_plan=cluster_plan, commands=commands)
            answers = () if self.dry_run else tuple(self._send(commands))
            if back := restore_marks(snapshot, commands, answers):
                commands, answers = (*commands, *back), (*answers, *self._send(back))
            if powerless(answers):  # Slurm has its way until the driver has its rights
                free = lines_of(give_back(snapshot, int(self.clock())))
                begins = [line for line in free if " StartTime=" in line]
                answers = (*answers, *self.client.script(begins))
        except BlockingIOError:
            raise
        except SlurmError as error:
            return tick.finish(start, fault=str(error)[:400], kind=error.kind)
        except (Exception, SearchInterrupted) as error:  # a policy may be anybody's code, and raise anything
            fault = " ".join(str(error).split()) or type(error).__name__
            return tick.finish(start, fault=fault[:400], kind="plan")
        later = max(len(changes) - self.most, 0) if not self.dry_run else 0
        notes = (OBSERVING,) if observing else ()
        return tick.finish(start, commands=commands, answers=answers, later=later, notes=notes)

    def _send(self, commands: Sequence[Command]) -> list[Answer]:
        """Send commands: in strict mode in order, by one ``scontrol``; many begin times, in any order, by several."""
        if self.rules.mode == "strict" or len(commands) < 10 * STREAMS:
            return self.client.script(lines_of(commands))
        shares = [lines_of(commands[k::STREAMS]) for k in range(STREAMS)]
        with ThreadPoolExecutor(STREAMS) as pool:
            return [answer for share in pool.map(self.client.script, shares) for answer in share]

    def _wait(self, stop: Event, tick: Tick, old: Changes) -> Changes:
        """Wait for the next tick, or until jobs arrive or end.

        Polling takes a tenth of the time at most, the ticks that it starts half. Returns the changes that ended the
        wait: those that a snapshot does not explain start no second tick.
        """
        pause, snapshot, poll = self._pause(tick), tick.snapshot, self.rules.poll
        if not poll or snapshot is None or tick.fault or tick.later:
            stop.wait(pause)
            return old
        ends = time.monotonic() + pause
        numbers = {job.job_id for job in snapshot.jobs if job.pending or job.running}
        gap = max(poll, SHORTEST, tick.seconds)
        while ends - time.monotonic() > gap and not stop.wait(gap):
            began = time.monotonic()
            try:
                queued_jobs = self.client.queued_jobs()
            except SlurmError:
                break
            changes = frozenset((number, number in queued_jobs) for number in queued_jobs ^ numbers)
            if changes - old:
                return changes
            gap = max(gap, 10 * (time.monotonic() - began))
        stop.wait(max(ends - time.monotonic(), 0.0))
        return old

    def _pause(self, tick: Tick) -> float:
        """Seconds to the next tick: a period from the start of this one, until the next planned start, or none."""
        if tick.later:
            return SHORTEST
        until = tick.time + self.rules.every
        if tick.cluster_plan is not None and self.rules.mode == "strict":
            to_come = [start for start in tick.cluster_plan.starts.values() if start > tick.time]
            until = min([until, *to_come])
        return float(max(until - self.clock(), SHORTEST))

    def _leave(self, on_tick: Callable[[Tick], None], *, keep: bool) -> bool:
        """End as configured; the heartbeat goes first, so that no more jobs arrive with a begin time ahead."""
        if self.dry_run or keep:
            return True
        with suppress(OSError):
            stop_beating(self.heartbeat)
        return release_all(self.client, on_tick, clock=self.clock, read=self.snapshot)


def record(journal: Journal, planner: Planner, tick: Tick) -> None:
    """Write a tick into a journal: snapshot and plan as ``advise`` does, then commands, results and faults.

    Raises an ``OSError`` if the journal cannot be written.
    """
    when = int(tick.snapshot.time if tick.snapshot is not None else tick.time)
    if tick.snapshot is not None:
        journal.snapshot(tick.snapshot)
    if tick.cluster_plan is not None:
        advice = advice_of(tick.cluster_plan.observation, tick.cluster_plan.plan, planner.policy)
        write_tick(journal, advice, planner.options)
    if tick.commands:
        rows = [
            {
                "action": one.action,
                "job": list(one.key),
                "label": one.label,
                "lines": list(one.lines),
                "why": one.reason,
            }
            for one in tick.commands
        ]
        journal.write(COMMANDS, when, mode=planner.rules.mode, commands=rows)
    if tick.answers:
        refused, late = (
            [{"line": one.line, "message": one.message} for one in some] for some in (tick.refused, tick.late)
        )
        count = len(tick.answers) - len(refused) - len(late)
        journal.write(RESULTS, when, done=count, refused=refused, late=late)
    if tick.fault or tick.refusal:
        journal.fault(when, tick.fault or tick.refusal)
