"""``planbatch slurm drive``: carry plans out."""

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Literal

import click

from planbatch.experiments.cli.flags import policy_flag
from planbatch.experiments.cli.parameters import flag
from planbatch.experiments.cli.policy_flags import PolicyOptions, policy_flags
from planbatch.experiments.cli.shell import complain, notify, print_json
from planbatch.experiments.cli.slurm.config import check_trusted, config_flag
from planbatch.experiments.cli.slurm.flags import (
    DRIVER,
    STATE,
    Cluster,
    JsonLines,
    Private,
    State,
    Ticks,
    private_files,
    rules_flags,
)
from planbatch.experiments.cli.slurm.when import JOURNAL
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.live.slurm.marks import DriveRules, Mode

if TYPE_CHECKING:
    from planbatch.experiments.live.slurm.drive import Driver
    from planbatch.experiments.live.slurm.planner import Memory
    from planbatch.experiments.live.slurm.tick import Tick


@partial(verb, context_settings={"default_map": {"promises": ("2x",)}})
def command(
    *,
    config: Annotated[None, config_flag()] = None,  # noqa: ARG001 - read before the others
    mode: Annotated[Literal["dry-run", Mode], flag(
        "Print commands; set begin times to planned starts; or hold jobs back until their planned starts.",
        panel=DRIVER)] = "dry-run",
    commands_as: Annotated[Mode, flag("The mode whose commands a dry run prints.", name="--as", panel=DRIVER)] = "soft",
    rules: Annotated[DriveRules, rules_flags()],
    cluster: Cluster,
    name: Annotated[str, policy_flag("What plans")] = "plan-wait",
    policy_options: Annotated[PolicyOptions, policy_flags("policy", "estimates", "deadlines")],
    guard: Annotated[str, flag(
        "How long the job that has waited longest may be overtaken: none, or times, limits (0.05x), waits (0.4w).",
        "SLACK", panel=DRIVER)] = "0.05x",
    on_exit: Annotated[Literal["release", "keep"], flag(
        "Return all jobs to Slurm at the end, or leave them as they are for the next driver.",
        panel=DRIVER)] = "release",
    state: State = STATE,
    journal_path: Annotated[Path, flag("The journal.", "FILE", name="--journal")] = JOURNAL,
    private: Private = False,
    metrics: Annotated[int | None, flag(
        "Answer /metrics (Prometheus) and /health on this port of 127.0.0.1.", "PORT",
        type=click.IntRange(0, 65535))] = None,
    ticks: Ticks = None,
    as_json: JsonLines = False,
) -> int:  # fmt: skip
    """Plan the pending jobs and carry the plan out, tick by tick, until SIGTERM or Ctrl-C.

    Every tick compares the plan with the cluster and does what is missing; a tick that fails does nothing, is reported
    in one sentence, and the next one is tried again. planbatch slurm release-all returns all jobs to Slurm. Exit code
    1 if not every job could be returned, or all of --ticks failed.
    """
    from planbatch.experiments.live.journal import Journal
    from planbatch.experiments.live.planning import Guard, check_live
    from planbatch.experiments.live.slurm.drive import Driver, record
    from planbatch.experiments.live.slurm.planner import Planner
    from planbatch.planner.registry import source

    if cluster.folder is not None and mode != "dry-run":
        raise ValueError("from: saved output cannot be driven; leave it out, or use --mode dry-run")
    source.check_file = check_trusted  # who wrote a policy may have fewer rights than the driver
    policy = policy_options.single_policy(name)
    dry_run = mode == "dry-run"
    rules = replace(
        rules,
        mode=commands_as if mode == "dry-run" else mode,
        partitions=cluster.options.partitions,
        driver=int(1000 * time.time()),
    )
    planner = Planner(policy, rules, cluster.options, policy_options.seed, Guard.parse(guard))
    driver = Driver(cluster.client, planner, rules, state, dry_run, on_exit, read=cluster.snapshot)
    check_live(policy)
    cluster.check()
    with ExitStack() as stack:
        stack.enter_context(private_files(private))
        listeners: list[Callable[[Tick], None]] = [print_tick if as_json else Terminal(dry_run)]
        listeners += _start_metrics(stack, metrics, rules.every)
        stop = stack.enter_context(stopped_by_signals())
        count = Count(ticks, stop)
        listeners.append(count)
        with driver.exclusive():
            journal = stack.enter_context(Journal(journal_path))
            listeners.append(partial(record, journal, planner))
            _warn(driver)
            memory = _memory(journal_path)
            suffix = f" as {commands_as}" if dry_run else ""
            notify(f"planbatch: {mode}{suffix}, every {rules.every:g} s; journal {journal_path}")
            all_released = driver.run(stop, partial(_notify, listeners), memory)
    if dry_run:
        end = "nothing was changed"
    elif not all_released:
        end = "not every job could be given back to Slurm; try planbatch slurm release-all"
    elif on_exit == "release":
        end = "every job was given back to Slurm"
    else:
        end = "jobs are left as they are; planbatch slurm release-all gives them back"
    notify(f"planbatch: ended; {end}")
    return 1 if count.all_failed or not all_released else 0


def _memory(journal: Path) -> "Memory":
    """Read the last plan; a journal that cannot be read, or is of another version, is reported and ignored."""
    from planbatch.experiments.live.slurm.estimates import memory_of_journal

    try:
        return memory_of_journal(journal, time.time())
    except (OSError, ValueError) as error:
        notify(f"planbatch: warning: {error}; jobs are promised starts anew")
        return {}


def _notify(listeners: "list[Callable[[Tick], None]]", tick: "Tick") -> None:
    """Call every listener; an error in one, such as a full disk, is reported and does not end the driver."""
    for listener in listeners:
        try:
            listener(tick)
        except Exception as error:
            complain(f"planbatch: {type(error).__name__}: {error}")


def _start_metrics(stack: ExitStack, port: int | None, every: float) -> "list[Callable[[Tick], None]]":
    if port is None:
        return []
    from planbatch.experiments.live.slurm.metering import ADDRESS, Meter, metrics_server

    meter = Meter(every)
    bound = stack.enter_context(metrics_server(meter, port))
    notify(f"planbatch: metrics at http://{ADDRESS}:{bound}/metrics, health at /health")
    return [meter]


def print_tick(tick: "Tick") -> None:
    """Print a tick as one line of JSON."""
    commands = [
        {"job": command.label, "action": command.action, "lines": list(command.lines), "reason": command.reason}
        for command in tick.commands
    ]
    refused = [{"line": answer.line, "message": answer.message} for answer in tick.refused]
    print_json({"time": tick.time, "fault": tick.fault or None, "commands": commands, "refused": refused,
                "later": tick.later, "notes": list(tick.notes)})  # fmt: skip


class Count:
    """Counts ticks, and stops after ``most`` of them, if given."""

    def __init__(self, most: int | None, stop: Event) -> None:
        self.most, self.stop = most, stop
        self.ticks = self.failures = 0

    def __call__(self, tick: "Tick") -> None:
        """Count a tick, unless the driver is stopping already."""
        if self.stop.is_set():
            return
        self.ticks, self.failures = self.ticks + 1, self.failures + bool(tick.fault)
        if self.ticks == self.most:
            self.stop.set()

    @property
    def all_failed(self) -> bool:
        """Whether it ended after ``most`` ticks, and all of them failed."""
        return self.ticks == self.failures == self.most


def _warn(driver: "Driver") -> None:
    """Warn if no job will wait for the driver."""
    if driver.rules.mode != "strict" or driver.rules.adopt or driver.dry_run:
        return
    try:
        plugins = driver.client.configuration().get("JobSubmitPlugins", "")
    except OSError:
        return  # the first tick says why
    if "lua" not in plugins.split(","):
        notify(
            "planbatch: warning: JobSubmitPlugins has no lua, so no job waits for the driver; see planbatch slurm files"
        )


@contextmanager
def stopped_by_signals() -> Iterator[Event]:
    """Yield an event that SIGTERM and Ctrl-C set: the tick in progress is finished, and the cluster left in order."""
    stop = Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Terminal:
    """Prints one line per tick in which something happens; in a dry run, every command."""

    def __init__(self, dry_run: bool) -> None:
        self.dry_run = dry_run
        self._fault = ""
        self._notes: tuple[str, ...] = ()

    def __call__(self, tick: "Tick") -> None:
        """Print a tick."""
        clock = time.strftime("%H:%M:%S", time.localtime(tick.time))
        if tick.fault and tick.fault != self._fault:
            hint = "" if tick.answers else "; nothing was done, the next tick is tried"
            complain(f"{clock} {tick.fault}{hint}")
        elif self._fault and not tick.fault:
            notify(f"{clock} the cluster answers again")
        for note in tick.notes:
            if note not in self._notes:
                notify(f"{clock} {note}")
        self._fault, self._notes = tick.fault, tick.notes
        if self.dry_run:
            for command in tick.commands:
                for line in command.lines:
                    click.echo(f"scontrol {line}  # {command.reason}")
        elif tick.commands:
            counts = Counter(command.action for command in tick.commands)
            summary = ", ".join(f"{action} {count}" for action, count in counts.items())
            refused = f"; {len(tick.refused)} lines refused" if tick.refused else ""
            later = f"; {tick.later} more to come" if tick.later else ""
            notify(f"{clock} {summary}{refused}{later} ({tick.seconds:.2f} s)")
            for answer in tick.refused[:3]:
                complain(f"         {answer.line}: {answer.message[:120]}")
            if tick.advice:
                notify(f"         {tick.advice}")
