"""The driver: reads the cluster, plans, gives commands; tick by tick, each from what the cluster says."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Literal, Protocol, cast

from planbatch.baselines.policy import policy_name
from planbatch.experiments.common.lock import locked
from planbatch.experiments.live.journal import Journal
from planbatch.experiments.live.planning import LivePlan, Remembered
from planbatch.experiments.live.slurm.advise import (
    Advice,
    WaitingKey,
    effect_of,
    job_advice,
    write_tick,
)
from planbatch.experiments.live.slurm.client import CLUSTER_FAULTS, Answer, SlurmClient, SlurmError
from planbatch.experiments.live.slurm.commands import Command, commands_for, give_back, lines_of
from planbatch.experiments.live.slurm.marks import FREE, DriveRules, Target, mark_of
from planbatch.experiments.live.slurm.observe import TASK_IDS
from planbatch.experiments.live.slurm.planned import last_planned
from planbatch.experiments.live.slurm.planner import Memory, Planned, Planner
from planbatch.experiments.live.slurm.reading import read_snapshot
from planbatch.experiments.live.slurm.snapshot import JobKey, LiveJob, Snapshot
from planbatch.experiments.live.slurm.tick import (
    LOCK,
    NAME,
    OBSERVING,
    Tick,
    beat,
    last_beat,
    powerless,
    release_all,
    stop_beating,
)
from planbatch.experiments.workloads.journal_lines import COMMANDS, RESULTS
from planbatch.planner.model import NEVER


class Rivals:
    """Looks for older drivers, snapshot by snapshot.

    Parameters
    ----------
    driver : int
        Which driver looks: when it began (ms).
    """

    def __init__(self, driver: int) -> None:
        self.driver = driver
        self._before: set[tuple[int, str]] | None = None

    def check(self, snapshot: Snapshot) -> None:
        """Raise a ``BlockingIOError`` if an older driver wrote a mark since the first snapshot."""
        found = {}
        for job in snapshot.jobs:
            mark = mark_of(job.admin_comment)
            if mark is not None and 0 < mark.by < self.driver:
                # Tasks that are split off their array have its mark, requeued jobs the one that they had.
                found[job.array.job_id if job.array else job.job_id, str(mark)] = mark.by
        if self._before is None:
            self._before = set(found)
        for who in found.keys() - self._before:
            began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(found[who] / 1000))
            raise BlockingIOError(
                f"another driver is running, since {began}: it drives this cluster, too; stop one of them"
            )


def restore_marks(
    snapshot: Snapshot, commands: Sequence[Command], answers: Sequence[Answer]
) -> list[Command]:
    """Return the commands that put the marks of jobs back which had started when they were told a begin time.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster as it was read.
    commands : sequence of Command
        What was sent.
    answers : sequence of Answer
        What became of its lines.
    """
    late = {answer.line for answer in answers if answer.started}
    jobs: dict[JobKey, LiveJob] = {job.key: job for job in snapshot.jobs}
    return [
        _back(command, jobs[command.key])
        for command in commands
        if any(line in late and " StartTime=" in line for line in command.lines)
        # An array's row has one mark for all of its tasks that wait.
        and jobs[command.key].array is None
    ]


def _back(command: Command, job: LiveJob) -> Command:
    """Put a mark back; of another text, which is gone and never sent, remains that the job is Slurm's."""
    mark = mark_of(job.admin_comment) or (FREE if job.admin_comment else "")
    line = f"update JobId={int(job.job_id)} AdminComment={mark}"
    return Command("mark back", job.key, command.label, (line,), "it had started already")


OnExit = Literal["release", "keep"]
#: No two ticks are closer than this (s).
SHORTEST = 0.2
#: Most jobs that are told something in one tick; the others are in the next one, which then follows at once.
MOST = 500
#: After so many ticks in a row whose heartbeat could not be written, the driver leaves.
MOST_MISSED = 3
#: How many ``scontrol`` set begin times at the same time: half of the time is theirs, not the controller's.
STREAMS = 4


class Planning(Protocol):
    """Plans a snapshot, given what was planned before; a ``ValueError`` if it cannot."""

    def __call__(self, snapshot: Snapshot, memory: Memory) -> Planned:
        """Plan."""
        ...


@dataclass(frozen=True)
class Driver:
    """Carries plans out.

    Attributes
    ----------
    client : SlurmClient
        What talks to Slurm.
    planning : Planning
        What plans.
    rules : DriveRules
        The mode, and what goes with it.
    folder : Path
        Where its lock and its heartbeat are.
    dry_run : bool
        Whether commands are only shown.
    on_exit : {"release", "keep"}
        Whether everything is given back to Slurm at the end.
    clock : callable
        Gives the time (s).
    read : callable, optional
        Takes the snapshots; by default those of the client.
    most : int
        Most jobs that are told something in one tick. A dry run shows all.
    observing : bool
        Whether it only looks on, since nodes idled that jobs could have had.

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
    observing: bool = False

    @property
    def heartbeat(self) -> Path:
        """The file that says that the driver is alive."""
        return self.folder / NAME

    def snapshot(self) -> Snapshot:
        """Read the cluster."""
        return self.read() if self.read is not None else read_snapshot(self.client)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock of the driver's folder: there can only be one; a dry run needs none.

        Raises
        ------
        BlockingIOError
            If there is another driver. A killed one has lost the lock.
        OSError
            If the folder cannot be made or written.
        """
        if self.dry_run:
            yield
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder / LOCK) as mine:
            if not mine:
                raise BlockingIOError(
                    f"{self.folder}: another driver is running; there can only be one"
                )
            yield

    def run(self, stop: Event, tell: Callable[[Tick], None], memory: Memory) -> bool:
        """Drive until ``stop`` is set; the caller holds the lock (:meth:`alone`).

        Parameters
        ----------
        stop : Event
            Ends it after the tick in progress. However it ends, the cluster is left as ``on_exit`` says; if its heart
            cannot beat, everything is given back.
        tell : callable
            Is told of every tick: the journal, the metrics, the terminal.
        memory : mapping of Target to Remembered
            What the last driver had planned.

        Raises
        ------
        BlockingIOError
            If another, older driver of this cluster writes marks; everything is left to it.
        OSError
            If the heartbeat cannot be written at the beginning.

        Returns
        -------
        bool
            Whether the cluster was left as ``on_exit`` says, for no other reason than ``stop``.
        """
        driver, left, missed, idle = self, False, 0, 0
        news: frozenset[tuple[int, bool]] = frozenset()
        rivals, keep = Rivals(self.rules.driver), self.on_exit == "keep"
        if not self.dry_run:  # a heart that cannot beat is found before anything is done
            beat(self.heartbeat, last_beat(self.heartbeat) or 0)
        try:
            while not stop.is_set() and missed < MOST_MISSED:
                tick = driver.tick(memory, None if driver.observing else rivals.check)
                if tick.planned is not None:
                    memory = tick.planned.memory
                idle = 0 if not tick.idles else idle + 1
                tick = replace(tick, idle=idle)
                try:
                    driver._beat(tick)
                    missed = 0
                except OSError as error:
                    missed += 1
                    said = f"{self.heartbeat}: cannot be written ({error.strerror or error})"
                    tick = replace(tick, fault=tick.fault or said, kind=tick.kind or "heartbeat")
                tell(tick)
                if idle == self.rules.idle_ticks and not (driver.observing or self.dry_run):
                    driver = replace(self, observing=True)
                    driver._leave(tell, keep=False)  # noqa: SLF001 - a copy of itself
                news = self._wait(stop, tick, news)
        except BlockingIOError:
            keep = True  # what there is is the other driver's
            raise
        finally:
            left = self._leave(tell, keep=keep and missed < MOST_MISSED)
        return left and missed < MOST_MISSED

    def _beat(self, tick: Tick) -> None:
        """Say that the driver is alive, unless its plans fail, or Slurm lets it do nothing."""
        alive = not tick.fault or tick.kind in CLUSTER_FAULTS
        if alive and not (self.dry_run or self.observing or tick.powerless):
            beat(self.heartbeat, self.clock())

    def tick(self, memory: Memory, check: Callable[[Snapshot], None] | None = None) -> Tick:
        """Read, plan and act once; whatever goes wrong is in the tick, and nothing is done then.

        Parameters
        ----------
        memory : mapping of Target to Remembered
            What the tick before had planned.
        check : callable, optional
            Looks at the snapshot first; its ``BlockingIOError`` ends the driver.
        """
        began, clock = self.clock(), time.perf_counter()
        done = Tick(began)
        try:
            snapshot = self.snapshot()
            done = Tick(began, snapshot=snapshot)
            if check is not None:
                check(snapshot)
            planned = self.planning(snapshot, memory)
            now = int(self.clock())
            wanted = (
                []
                if self.observing
                else commands_for(snapshot, planned.starts, now, self.rules, planned.protected)
            )
            commands = tuple(wanted if self.dry_run else wanted[: self.most])
            later = len(wanted) - len(commands)
            done = Tick(began, 0.0, snapshot, planned, commands)
            answers = () if self.dry_run else tuple(self._sent(commands))
            if back := restore_marks(snapshot, commands, answers):
                commands = (*commands, *back)
                answers = (*answers, *self._sent(back))
            if powerless(answers):  # Slurm has its way until the driver has its rights
                free = lines_of(give_back(snapshot, int(self.clock())))
                begins = [line for line in free if " StartTime=" in line]
                answers = (*answers, *self.client.script(begins))
        except BlockingIOError:
            raise
        except SlurmError as error:
            return done.failed(time.perf_counter() - clock, str(error), error.fault)
        except Exception as error:  # a policy may be anybody's code, and raise anything
            said = " ".join(str(error).split()) or type(error).__name__
            return done.failed(time.perf_counter() - clock, said, "plan")
        seconds = time.perf_counter() - clock
        done = Tick(began, seconds, snapshot, planned, commands, answers, later)
        return replace(done, observing=True, notes=(OBSERVING,)) if self.observing else done

    def _sent(self, commands: Sequence[Command]) -> list[Answer]:
        """Send commands: in strict mode in order, by one ``scontrol``; many begin times, in any order, by several."""
        if self.rules.mode == "strict" or len(commands) < 10 * STREAMS:
            return self.client.script(lines_of(commands))
        shares = [lines_of(commands[k::STREAMS]) for k in range(STREAMS)]
        with ThreadPoolExecutor(STREAMS) as pool:
            return [answer for share in pool.map(self.client.script, shares) for answer in share]

    def _wait(
        self, stop: Event, tick: Tick, known: frozenset[tuple[int, bool]]
    ) -> frozenset[tuple[int, bool]]:
        """Wait for the next tick, or until jobs came or ended since the snapshot of this one.

        Looking takes a tenth of the time at most, the ticks that it begins half. Returns what was noticed: jobs, and
        whether they are there. What a snapshot does not explain begins no second tick.
        """
        pause, snapshot, look = self._pause(tick), tick.snapshot, self.rules.look
        if not look or snapshot is None or tick.fault or tick.later:
            stop.wait(pause)
            return known
        ends = time.monotonic() + pause
        before = {job.job_id for job in snapshot.jobs if job.pending or job.running}
        gap = max(look, SHORTEST, tick.seconds)
        while ends - time.monotonic() > gap and not stop.wait(gap):
            began = time.monotonic()
            try:
                there = self.client.queued()
            except SlurmError:
                break
            news = frozenset((number, number in there) for number in there ^ before)
            if news - known:
                return news
            gap = max(gap, 10 * (time.monotonic() - began))
        stop.wait(max(ends - time.monotonic(), 0.0))
        return known

    def _pause(self, tick: Tick) -> float:
        """Wait for the next tick: a period from the begin of this one, until the next planned start, or for nothing."""
        if tick.later:
            return SHORTEST
        now = self.clock()
        until = tick.time + self.rules.every
        if tick.planned is not None and self.rules.mode == "strict":
            to_come = [start for start in tick.planned.starts.values() if start > tick.time]
            until = min([until, *to_come])
        return float(max(until - now, SHORTEST))

    def _leave(self, tell: Callable[[Tick], None], *, keep: bool) -> bool:
        """Leave the cluster as asked; the heartbeat goes first, so that no more jobs arrive with a begin time ahead."""
        if self.dry_run or keep:
            return True
        with suppress(OSError):
            stop_beating(self.heartbeat)
        return release_all(self.client, tell, clock=self.clock, read=self.snapshot)


#: An older plan tells nothing about today (s).
FORGOTTEN_AFTER = 3600


def record(journal: Journal, planner: Planner, tick: Tick) -> None:
    """Write a tick into a journal: snapshot and plan as ``advise`` does, then commands, results and faults.

    Raises
    ------
    OSError
        If the journal cannot be written.
    """
    when = int(tick.snapshot.time if tick.snapshot is not None else tick.time)
    if tick.snapshot is not None:
        journal.snapshot(tick.snapshot)
    if tick.planned is not None:
        seen = tick.planned.observation
        plan = cast("LivePlan[WaitingKey]", tick.planned.plan)  # targets are such keys
        jobs = job_advice(seen, plan)
        name = policy_name(planner.policy)
        advice = Advice(seen, plan, jobs, effect_of(seen, plan, jobs), name)
        write_tick(journal, advice, planner.options)
    if tick.commands:
        rows = [
            {
                "deed": one.action, "job": list(one.key), "label": one.label,
                "lines": list(one.lines), "why": one.reason,
            }
            for one in tick.commands
        ]  # fmt: skip
        journal.write(COMMANDS, when, mode=planner.rules.mode, commands=rows)
    if tick.answers:
        refused, late = _said(tick.refused), _said(tick.late)
        done = len(tick.answers) - len(refused) - len(late)
        journal.write(RESULTS, when, done=done, refused=refused, late=late)
    if tick.fault or tick.refusal:
        journal.fault(when, tick.fault or tick.refusal)


def _said(answers: Sequence[Answer]) -> list[dict[str, str]]:
    return [{"line": one.line, "message": one.message} for one in answers]


def remembered(path: Path, now: float) -> Memory:
    """Return what the last driver or adviser had planned and promised, by its journal.

    Parameters
    ----------
    path : Path
        The journal; there need not be one.
    now : float
        The time (s): a plan of more than an hour ago is forgotten.

    Returns
    -------
    mapping of Target to Remembered
        By the full keys of jobs: a number that was given out again is not known.

    Raises
    ------
    OSError, ValueError
        If it cannot be read, or is of another version.
    """
    tick = last_planned(path) if path.exists() else None
    if tick is None or tick.snapshot is None or now - tick.time > FORGOTTEN_AFTER:
        return {}
    keys = {job.job_id: job.key for job in tick.snapshot.jobs if job.pending}
    memory: dict[Target, Remembered] = {}
    for number, (start, latest, _) in tick.starts.items():
        row, task = divmod(number, TASK_IDS) if number >= TASK_IDS else (number, None)
        if row in keys and start is not None:
            last = NEVER if latest is None else latest
            memory[Target(keys[row], task)] = Remembered(start, last, start)
    return memory
