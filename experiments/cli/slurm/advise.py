"""``planbatch slurm advise``: a plan of the pending jobs, tick by tick."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Annotated, Any

import click

from planbatch.experiments.cli.flags import out_flag, policy_flag
from planbatch.experiments.cli.parameters import flag
from planbatch.experiments.cli.policy_flags import PolicyOptions, policy_flags
from planbatch.experiments.cli.shell import INTERRUPTED, complain, notify, print_json, print_table
from planbatch.experiments.cli.slurm.flags import Cluster, Every, JsonLines, Private, Ticks, private_files
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.common.paths import check_folder
from planbatch.lazy import missing_extra

if TYPE_CHECKING:
    from planbatch.experiments.live.slurm.advise import Advice, FailedTick


@verb
def command(
    *,
    cluster: Cluster,
    name: Annotated[str, policy_flag("What plans")] = "plan-wait",
    policy_options: Annotated[PolicyOptions, policy_flags("policy", "estimates", "deadlines")],
    every: Every = 30.0,
    ticks: Ticks = None,
    out: Annotated[Path, out_flag(
        "Where the page index.html, its chart plan.png and the journal are written.")] = Path("out/live"),
    journal_path: Annotated[Path | None, flag(
        "The journal.  [default: journal.jsonl in --out]", "FILE", name="--journal")] = None,
    journal_size: Annotated[int, flag(
        "Size at which the journal is rotated; the last 20 files are kept.", "MB",
        type=click.IntRange(min=1))] = 64,
    rows: Annotated[int, flag("How many jobs the table lists.", "N", type=click.IntRange(min=1))] = 20,
    private: Private = False,
    as_json: JsonLines = False,
) -> int:  # fmt: skip
    """Plan the pending jobs, tick by tick, next to Slurm's own forecast; the cluster is never changed.

    Each tick's snapshot and plan go into the journal, which planbatch slurm when, compare and replay read. A tick
    that fails is reported in one sentence, and the next one is tried again. Ctrl-C ends it.
    """
    check_folder("out", out)
    cluster.check()
    policy = policy_options.single_policy(name)

    from planbatch.experiments.live.journal import Journal
    from planbatch.experiments.live.slurm import advise
    from planbatch.experiments.live.slurm.estimates import memory_of_journal

    path = journal_path or out / "journal.jsonl"
    advisor = advise.Advisor(policy, cluster.options, policy_options.seed)
    advisor.memory = memory_of_journal(path, time())
    write_page, failures = page_writer(), 0
    with private_files(private), Journal(path, journal_size * 2**20) as journal:
        try:
            with live_view(None if as_json else rows) as show:
                outcomes = advise.ticks(cluster.snapshot, advisor, journal, every=every, most=ticks)
                for outcome in outcomes:
                    failures += isinstance(outcome, advise.FailedTick)
                    show(outcome)
                    try:
                        write_page(out, outcome, every)
                    except OSError as error:
                        complain(f"planbatch: the page cannot be written ({error})")
        except KeyboardInterrupt:
            notify(f"ended; the journal is {path}")
            return INTERRUPTED
    notify(f"the page is {out / 'index.html'}, the journal {path}")
    return 1 if ticks is not None and failures == ticks else 0


def page_writer() -> Callable[..., object]:
    """Return the function that writes the page; without the extra for pictures, one that does nothing."""
    try:
        from planbatch.experiments.figures.live_page import write_page
    except ModuleNotFoundError as error:
        if (advice := missing_extra(error)) is None:
            raise
        notify(f"planbatch: no page is written: {advice}")
        return lambda *_: None
    return write_page


def to_dict(outcome: "Advice | FailedTick") -> dict[str, Any]:
    """Return a tick for JSON output."""
    from planbatch.experiments.live.slurm.advise import FailedTick

    if isinstance(outcome, FailedTick):
        return {"time": outcome.time, "fault": outcome.message}
    jobs = [
        {"job": job.waiting.label, "user": job.waiting.job.user, "start": job.start, "latest": job.latest,
         "forecast": job.forecast}
        for job in outcome.jobs
    ]  # fmt: skip
    effect = asdict(outcome.effect)
    return {"time": outcome.time, "policy": outcome.policy, "effect": effect, "jobs": jobs}


@contextmanager
def live_view(rows: int | None) -> Iterator[Callable[[Any], None]]:
    """Yield a function that prints a tick: in place on a terminal, else below the last; without ``rows``, as JSON."""
    if rows is None:
        yield lambda outcome: print_json(to_dict(outcome))
        return
    from rich.console import Console
    from rich.live import Live

    from planbatch.experiments.figures.live_table import tick_view

    console = Console()
    if not console.is_terminal:
        yield lambda outcome: print_table(tick_view(outcome, rows))
        return
    with Live(console=console, auto_refresh=False, vertical_overflow="ellipsis") as live:
        yield lambda outcome: live.update(tick_view(outcome, rows), refresh=True)
