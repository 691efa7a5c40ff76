"""``planbatch rounds``: real rounds from replays, and optimizers compared on them."""

import json
import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbatch.experiments.cli.policy_flags import PolicyOptions, policy_options
from planbatch.experiments.cli.shell import (
    INTERRUPTED,
    check_folder,
    default_jobs,
    print_table,
    say,
    warn_without_deadlines,
)
from planbatch.experiments.cli.workload_flags import workload_options
from planbatch.experiments.workloads.options import WorkloadOptions

if TYPE_CHECKING:
    from planbatch.experiments.rounds.results import RoundComparison

DEFAULT_EVALUATIONS = 1000
DEFAULT_OPTIMIZERS = ("annealing", "annealing-paper")


@click.group()
def command() -> None:
    """Capture real rounds from replays, and compare optimizers on them."""


class Sizes(click.ParamType):  # type: ignore[type-arg]
    """Numbers of jobs, separated by commas."""

    name = "sizes"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, ...]:
        """Read ``10,30,100``."""
        if isinstance(value, tuple):
            return value
        try:
            sizes = tuple(int(part) for part in str(value).split(","))
        except ValueError:
            sizes = ()
        if not sizes or min(sizes) < 1:
            raise ValueError(f"sizes: {value!r} are not numbers such as 10,30,100")
        return sizes


@command.command("capture")
@click.argument("log")
@policy_options
@workload_options
@click.option("--sizes", type=Sizes(), default="10,30,100,300", show_default=True, metavar="N,N…",
              help="Numbers of waiting jobs in the rounds to keep, give or take 5 %.")  # fmt: skip
@click.option("--per-size", type=click.IntRange(min=1), default=1, show_default=True, metavar="K",
              help="Number of rounds of each size.")  # fmt: skip
@click.option("--hard", is_flag=False, flag_value="wait", metavar="[OBJECTIVE]",
              help="Keep those in which most is left to search for: the largest gaps between the best first plan "
              "and the proven lower bound, of 20 times as many rounds. Without OBJECTIVE: wait.")  # fmt: skip
@click.option("--ticks", is_flag=True,
              help="Of a journal of planbatch slurm: keep rounds that its ticks saw, without a replay.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("out/rounds"),
              show_default=True, help="Folder of the round files.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def capture_command(
    log: str,
    chosen: PolicyOptions,
    options: WorkloadOptions,
    sizes: tuple[int, ...],
    per_size: int,
    hard: str | None,
    ticks: bool,
    out: Path,
    as_json: bool,
) -> None:
    """Replay LOG under each --policy (by default, easy), and keep some rounds as round files.

    Rounds are drawn at random, by --seed, from those in which a job fits now (see --hard). LOG is a log
    (SWF, a table, or what sacct prints) or the name of one that was fetched.
    """
    from dataclasses import replace

    from planbatch.baselines.policy import policy_name
    from planbatch.experiments.rounds.capture import capture, write_captured
    from planbatch.experiments.runs.progress import TaskProgress
    from planbatch.experiments.workloads.load import load_workload

    check_folder(out)
    if ticks:
        capture_ticks(Path(log), sizes, per_size, chosen.seed, out, as_json)
        return
    policies = replace(chosen, policy=chosen.policy or ("easy",)).policies()
    workload = chosen.with_deadlines(load_workload(log, options, say), log)
    written: list[Path] = []
    missing: dict[str, list[int]] = {}
    names = [policy_name(policy) for policy in policies]
    asked = [f"deadlines {chosen.deadlines}"] if chosen.deadlines else []
    note = "; ".join([*filter(None, [options.described()]), *asked])
    with TaskProgress(names, [len(workload)] * len(names)) as progress:
        for place, (name, policy) in enumerate(zip(names, policies, strict=True)):
            rounds = capture(
                workload, policy, sizes, per_size=per_size, estimates=chosen.estimates,
                seed=chosen.seed, progress=partial(progress, place), hard=hard,
            )  # fmt: skip
            written += write_captured(rounds, out, workload.name, name, note)
            missing[name] = [size for size, found in rounds.items() if not found]
    tell_captured(written, missing, as_json)


def capture_ticks(
    journal: Path, sizes: tuple[int, ...], per_size: int, seed: int, out: Path, as_json: bool
) -> None:
    """Keep rounds that the ticks of a journal saw."""
    from planbatch.experiments.live.captured import rounds_of_journal
    from planbatch.experiments.rounds.capture import write_captured

    rounds = rounds_of_journal(journal, sizes, per_size=per_size, seed=seed)
    written = write_captured(rounds, out, journal.name.partition(".")[0], "ticks")
    tell_captured(
        written, {"ticks": [size for size, found in rounds.items() if not found]}, as_json
    )


def tell_captured(written: list[Path], missing: dict[str, list[int]], as_json: bool) -> None:
    """Print which files were written, and of which sizes there was no round."""
    for name, absent in missing.items():
        if absent:
            numbers = ", ".join(map(str, absent))
            click.echo(
                f"{name}: in no round did about {numbers} jobs wait while one fitted", err=True
            )
    if as_json:
        click.echo(json.dumps({"files": [str(path) for path in written], "missing": missing}))
    else:
        for path in written:
            click.echo(path)


@command.command("compare")
@click.argument("files", metavar="ROUND…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--optimizer", "optimizers", multiple=True, metavar="NAME",
              help="May be repeated; planbatch list optimizers has all.  "
              f"[default: {', '.join(DEFAULT_OPTIMIZERS)}]")  # fmt: skip
@click.option("--objective", "objectives", multiple=True, default=("wait",), show_default=True,
              metavar="NAME", help="May be repeated; planbatch list objectives has all.")  # fmt: skip
@click.option("--evaluations", type=int, metavar="N",
              help=f"Plans that a search evaluates.  [default: {DEFAULT_EVALUATIONS}]")  # fmt: skip
@click.option("--seconds", type=float, metavar="S", help="Seconds of each search, instead.")
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, metavar="K",
              help="How often each search is repeated.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1), metavar="J",
              help="Processes. By default as many as there are cores, but one with --seconds.")  # fmt: skip
@click.option("--curves/--no-curves", default=None,
              help="Whether to follow the cost over time, which takes more searches. "
              "[default: unless --seconds]")  # fmt: skip
@click.option("--pictured", type=click.IntRange(min=0), default=4, show_default=True, metavar="N",
              help="Of how many rounds, from the first on, plans are drawn.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("out/round-comparison"),
              show_default=True, help="Folder of tables and pictures.")  # fmt: skip
@click.option("--best-known", type=click.Path(path_type=Path, dir_okay=False),
              help="File of best-known costs.  [default: best-known.json in --out]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def compare_command(
    files: tuple[Path, ...],
    optimizers: tuple[str, ...],
    objectives: tuple[str, ...],
    evaluations: int | None,
    seconds: float | None,
    seeds: int,
    jobs: int | None,
    curves: bool | None,
    pictured: int,
    out: Path,
    best_known: Path | None,
    as_json: bool,
) -> int:
    """Compare optimizers on the rounds in the files: each on all, for every objective and seed.

    A search that fails is reported, and all others go on. An interrupt (Ctrl-C) ends the
    comparison, and keeps what is finished.
    """
    import numpy as np

    from planbatch.experiments.rounds.compare import compare_rounds
    from planbatch.objectives import DEADLINE_OBJECTIVES
    from planbatch.planner.budget import Budget

    check_folder(out)
    if evaluations is None and seconds is None:
        evaluations = DEFAULT_EVALUATIONS
    if curves is None:
        curves = seconds is None
    comparison = compare_rounds(
        files,
        tuple(dict.fromkeys(optimizers or DEFAULT_OPTIMIZERS)),
        tuple(dict.fromkeys(objectives)),
        Budget(seconds=seconds, evaluations=evaluations),
        seeds,
        jobs or default_jobs(seconds),
        curves=len(files) if curves else 0,
        best_known=best_known or out / "best-known.json",
    )
    due = np.concatenate([problem.jobs.deadline for problem in comparison.rounds.values()])
    names = [name for name in comparison.objectives if name in DEADLINE_OBJECTIVES]
    warn_without_deadlines(due, names)
    if as_json:
        click.echo(json.dumps(described(comparison), ensure_ascii=False))
    else:
        show(comparison)
    tell_failures(comparison)
    from planbatch.experiments.figures.round_pictures import write_round_comparison

    written = write_round_comparison(comparison, out, pictured)
    click.echo(f"{len(written)} tables and pictures written to {out}", err=True)
    if comparison.unfinished:
        left = comparison.unfinished
        click.echo(f"planbatch: interrupted; {left} searches not finished", err=True)
        return INTERRUPTED
    return 0


def described(comparison: "RoundComparison") -> dict[str, Any]:
    """Return a comparison for JSON output: unknown values are null."""

    def plain(frame: Any) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = frame.to_dict("records")
        return [
            {
                key: None if isinstance(value, float) and not math.isfinite(value) else value
                for key, value in row.items()
            }
            for row in rows
        ]

    return {
        "evaluations": comparison.budget.evaluations,
        "seconds": comparison.budget.seconds,
        "rows": plain(comparison.to_frame()),
        "summary": plain(comparison.summary()),
        "unfinished": comparison.unfinished,
    }


def tell_failures(comparison: "RoundComparison") -> None:
    """Print every failed search on standard error."""
    from planbatch.experiments.runs.task import Failure

    lines: dict[str, None] = {}  # searches behind the curves fail in the same way
    for cell in (*comparison.cells, *comparison.curve_cells):
        if isinstance(cell.outcome, Failure):
            where = f"{cell.optimizer} on {cell.round}, {cell.objective}, seed {cell.seed}"
            lines[f"failed: {where}: {cell.outcome.error}"] = None
    for line in lines:
        say(line)


def show(comparison: "RoundComparison") -> None:
    """Print the summary."""
    from planbatch.experiments.figures.round_table import round_table

    print_table(round_table(comparison))
