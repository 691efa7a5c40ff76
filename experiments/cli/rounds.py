"""``planbatch rounds``: real rounds from replays, and optimizers compared on them."""

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from planbatch.experiments.cli.flags import Json, WorkloadFlags, jobs_flag, out_flag, seeds_flag
from planbatch.experiments.cli.parameters import FILE, SEARCH, Log, Name, argument, flag
from planbatch.experiments.cli.policy_flags import Evaluations, PolicyOptions, Seconds, policy_flags
from planbatch.experiments.cli.shell import (
    complain,
    default_jobs,
    exit_code,
    notify,
    print_json,
    print_result,
    warn_without_deadlines,
)
from planbatch.experiments.cli.verb import VerbGroup
from planbatch.experiments.common.paths import check_file, check_folder
from planbatch.planner.budget import DEFAULT_OPTIMIZER

if TYPE_CHECKING:
    from planbatch.experiments.rounds.results import RoundComparison

#: What is compared by default: the default, and plain annealing.
COMPARED = (DEFAULT_OPTIMIZER, "annealing")
#: The heading of the flags that choose rounds.
ROUNDS = "Rounds"


@click.group(cls=VerbGroup)
def command() -> None:
    """Capture real rounds from replays, and compare optimizers on them."""


class Sizes(click.ParamType):  # type: ignore[type-arg]
    """Numbers of jobs, separated by commas."""

    name = "sizes"

    def convert(self, value: object, _param: click.Parameter | None, _ctx: click.Context | None) -> tuple[int, ...]:
        """Read ``10,30,100``."""
        if isinstance(value, tuple):
            return value
        try:
            sizes = tuple(int(part) for part in str(value).split(","))
        except ValueError:
            sizes = ()
        if not sizes or min(sizes) < 1:
            raise ValueError(f"sizes: {value!r} is not a list of numbers such as 10,30,100")
        return sizes


@command.verb
def capture_command(
    *,
    log: Annotated[str, argument(type=Log())],
    policy_options: Annotated[PolicyOptions, policy_flags(default=("easy",))],
    options: WorkloadFlags,
    sizes: Annotated[Any, flag(
        "Numbers of waiting jobs in the rounds to keep, give or take 5 %.", "N,N…", panel=ROUNDS,
        type=Sizes())] = "10,30,100,300",
    per_size: Annotated[int, flag(
        "Number of rounds of each size.", "K", panel=ROUNDS, type=click.IntRange(min=1))] = 1,
    hard: Annotated[str | None, flag(
        "Keep those in which most is left to search for: the largest gaps between the best first plan and the proven "
        "lower bound, of 20 times as many rounds. Without OBJECTIVE: wait.", "[OBJECTIVE]", panel=ROUNDS,
        is_flag=False, flag_value="wait")] = None,
    ticks: Annotated[bool, flag(
        "Of a journal of planbatch slurm: keep rounds that its ticks saw, without a replay.", name="--from-ticks",
        panel=ROUNDS)] = False,
    out: Annotated[Path, out_flag("Folder of the round files.")] = Path("out/rounds"),
    as_json: Json = False,
) -> int:  # fmt: skip
    """Replay LOG under each --policy, and keep some rounds as round files.

    Rounds are drawn at random, by --seed, from those in which a job fits now (see --hard). LOG is a log
    (SWF, a table, or what sacct prints) or the name of one that was fetched.
    """
    from dataclasses import replace

    from planbatch.baselines.policy import policy_name
    from planbatch.experiments.rounds.capture import capture, write_captured
    from planbatch.experiments.runs.progress import TaskProgress
    from planbatch.experiments.workloads.load import workload_of_source

    check_folder("out", out)
    if ticks:
        return capture_ticks(Path(log), sizes, per_size, policy_options.seed, out, as_json)
    policies = replace(policy_options, policy=policy_options.policy or ("easy",)).policies()
    workload = policy_options.with_deadlines(workload_of_source(log, options, notify), log, options)
    paths: list[Path] = []
    missing_sizes: dict[str, list[int]] = {}
    names = [policy_name(policy) for policy in policies]
    deadlines = f"deadlines {policy_options.deadlines}" if policy_options.deadlines else ""
    note = "; ".join(filter(None, [options.description(), deadlines]))
    with TaskProgress(names, [len(workload)] * len(names)) as progress:
        for index, (name, policy) in enumerate(zip(names, policies, strict=True)):
            rounds = capture(
                workload, policy, sizes, per_size=per_size, estimates=policy_options.estimates,
                seed=policy_options.seed, progress=partial(progress, index), hard=hard,
            )  # fmt: skip
            paths += write_captured(rounds, out, workload.name, name, note)
            missing_sizes[name] = [size for size, captured in rounds.items() if not captured]
    return conclude_capture(paths, missing_sizes, as_json)


def capture_ticks(journal: Path, sizes: tuple[int, ...], per_size: int, seed: int, out: Path, as_json: bool) -> int:
    """Keep rounds that the ticks of a journal saw."""
    from planbatch.experiments.live.slurm.estimates import rounds_of_journal
    from planbatch.experiments.rounds.capture import write_captured

    rounds = rounds_of_journal(journal, sizes, per_size=per_size, seed=seed)
    paths = write_captured(rounds, out, journal.name.partition(".")[0], "ticks")
    missing_sizes = [size for size, captured in rounds.items() if not captured]
    return conclude_capture(paths, {"ticks": missing_sizes}, as_json)


def conclude_capture(paths: list[Path], missing_sizes: dict[str, list[int]], as_json: bool) -> int:
    """Print which files were written, and of which sizes there was no round; return the exit code, 1 for no file."""
    for name, absent in missing_sizes.items():
        if absent:
            numbers = ", ".join(map(str, absent))
            complain(f"{name}: in no round did about {numbers} jobs wait while one fitted")
    if as_json:
        print_json({"files": [str(path) for path in paths], "missing": missing_sizes})
    else:
        for path in paths:
            click.echo(path)
    if not paths:
        complain("planbatch: no round was written; give smaller --sizes, or a busier log (--load 1.2)")
    return 0 if paths else 1


@command.verb
def compare_command(
    *,
    files: Annotated[tuple[Path, ...], argument(metavar="ROUND…", nargs=-1)] = (),
    optimizers: Annotated[tuple[str, ...], flag(
        "May be repeated; planbatch list optimizers has all.  "
        f"[default: {', '.join(COMPARED)}]", "NAME", name="--optimizer", panel=SEARCH,
        type=Name("optimizers"))] = (),
    objectives: Annotated[tuple[str, ...], flag(
        "May be repeated; planbatch list objectives has all.", "NAME", name="--objective", panel=SEARCH,
        type=Name("objectives"))] = ("wait",),
    evaluations: Evaluations = None,
    seconds: Seconds = None,
    seeds: Annotated[int, seeds_flag("How often each search is repeated, with seeds from 0 on.")] = 1,
    benchmark: Annotated[bool, flag(
        "Instead of files, the benchmark: ten seeds at 2 s, three at 10 s, one at 60 s, all scaled to the speed of "
        "this machine.", panel=ROUNDS)] = False,
    quick: Annotated[bool, flag(
        "Run a part of the benchmark that takes minutes: --seeds at 2 s.", panel=ROUNDS)] = False,
    jobs: Annotated[int | None, jobs_flag(
        "Processes; by default as many as there are cores, but one with --seconds.")] = None,
    curves: Annotated[bool | None, flag(
        "Whether to follow the cost over time, which takes more searches. [default: unless --seconds]",
        name="--curves/--no-curves")] = None,
    pictured: Annotated[int, flag(
        "Number of rounds whose plans are drawn.", "N", type=click.IntRange(min=0))] = 4,
    out: Annotated[Path, out_flag("Folder of tables and pictures.")] = Path("out/round-comparison"),
    best_known: Annotated[Path | None, flag(
        "File of best-known costs.  [default: best-known.json in --out, benchmark-best-known.json with --benchmark]",
        "FILE")] = None,
    as_json: Json = False,
) -> int:  # fmt: skip
    """Compare optimizers on the rounds in the files: each on all, for every objective and seed.

    A search that fails is reported, and the others continue. An interrupt (Ctrl-C) ends the
    comparison, and keeps what is finished.
    """
    import numpy as np

    from planbatch.experiments.figures.round_pictures import write_round_comparison
    from planbatch.experiments.rounds.compare import compare_rounds
    from planbatch.experiments.rounds.results import round_table
    from planbatch.experiments.runs.progress import CountBar
    from planbatch.objectives import make_objective

    check_folder("out", out)
    if best_known is not None:
        check_file("best-known", best_known)
    if benchmark == bool(files):
        raise ValueError("give round files, or --benchmark")
    if quick and not benchmark:
        raise ValueError("quick: a part of the --benchmark only")
    if benchmark:
        fixed = {"objective": tuple(objectives) != ("wait",), "evaluations": evaluations, "seconds": seconds,
                 "seeds": seeds > 1 and not quick}  # fmt: skip
        if conflicts := [name for name, value in fixed.items() if value]:
            raise ValueError(f"{', '.join(conflicts)}: the benchmark has its own; --quick takes --seeds")
        comparisons = run_benchmark(optimizers or COMPARED, quick, seeds, jobs, out, best_known, as_json)
        return conclude_comparison(comparisons)
    if curves is None:
        curves = seconds is None
    goals = [make_objective(name) for name in dict.fromkeys(objectives)]
    with CountBar("searches", lines=True) as progress:
        comparison = compare_rounds(
            files,
            tuple(dict.fromkeys(optimizers or COMPARED)),
            goals,
            evaluations=evaluations,
            seconds=seconds,
            seeds=seeds,
            jobs=jobs or default_jobs(seconds),
            curves=len(files) if curves else 0,
            progress=progress,
            best_known=best_known or out / "best-known.json",
        )
    due = np.concatenate([problem.jobs.deadline for problem in comparison.rounds.values()])
    warn_without_deadlines(due, [goal.name for goal in goals if goal.needs_deadlines])
    print_result(as_json, comparison.to_dict(), round_table(comparison))
    paths = write_round_comparison(comparison, out, pictured)
    notify(f"{len(paths)} tables and pictures written to {out}")
    return conclude_comparison([comparison])


def conclude_comparison(comparisons: list["RoundComparison"]) -> int:
    """Report failed searches and an interrupt on standard error; return the exit code, 1 for failures."""
    failures = [line for comparison in comparisons for line in comparison.failures()]
    unfinished = sum(comparison.unfinished for comparison in comparisons)
    return exit_code(failures, f"{unfinished} searches not finished" if unfinished else "")


def run_benchmark(
    optimizers: tuple[str, ...], quick: bool, seeds: int, jobs: int | None, out: Path,
    best_known: Path | None, as_json: bool,
) -> list["RoundComparison"]:  # fmt: skip
    """Run the benchmark, print its table, and write it with performance profiles; return what it compared."""
    from planbatch.experiments.figures.round_pictures import write_round_comparison
    from planbatch.experiments.rounds.benchmark import benchmark_table, run_benchmark

    out.mkdir(parents=True, exist_ok=True)
    if (out / "searches").exists():
        notify(f"searches stored in {out / 'searches'} are not run again")
    table, comparisons, scale = run_benchmark(
        tuple(dict.fromkeys(optimizers)),
        quick=quick,
        seeds=seeds,
        jobs=jobs or default_jobs(),
        best_known=best_known or out / "benchmark-best-known.json",
        out=out / "searches",
    )
    table.to_csv(out / "benchmark.csv", index=False)
    for k, comparison in enumerate(comparisons):
        write_round_comparison(comparison, out / f"part-{k + 1}", plans=0)
    print_result(as_json, {"scale": scale, "rows": table.to_dict("records")}, benchmark_table(table, scale))
    return comparisons


@command.verb
def generate_command(
    *,
    quick: Annotated[bool, flag("Those of compare --benchmark --quick.", panel=ROUNDS)] = False,
    out: Annotated[Path, out_flag("Folder of the round files.")] = Path("out/benchmark"),
    as_json: Json = False,
) -> None:
    """Write the rounds of the benchmark as round files, NAME.json."""
    from planbatch.experiments.rounds.benchmark import benchmark_rounds
    from planbatch.experiments.rounds.file import write_round

    check_folder("out", out)
    out.mkdir(parents=True, exist_ok=True)
    rounds = benchmark_rounds(quick)
    for name, problem in rounds.items():
        write_round(out / f"{name}.json", problem, name)
    paths = [str(out / f"{name}.json") for name in rounds]
    if as_json:
        print_json({"files": paths})
    else:
        click.echo("\n".join(paths))


@click.group("best-known", cls=VerbGroup)
def best_known_group() -> None:
    """Check claims of best-known costs of the benchmark, in a file that only ever improves."""


command.add_command(best_known_group)


def _claim(file: Path, best_known: Path | None) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Check the claim in a file; return its key, its entry, and a report of it beside the best-known cost."""
    from planbatch.experiments.rounds.benchmark import BEST_KNOWN, benchmark_rounds, check_claim, read_benchmark_costs

    try:
        claim = json.loads(file.read_text(encoding="utf-8"))
        key, entry = check_claim(claim, benchmark_rounds())
    except json.JSONDecodeError as error:
        raise ValueError(f"{file}: not a plan, since it is not JSON ({error})") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{file}: {error}") from None
    best = read_benchmark_costs(best_known or BEST_KNOWN).get(key)
    report = {"round": key, "cost": entry["cost"], "best_known": best and best["cost"], "by": best and best["by"]}
    return key, entry, report


def _show_claim(report: dict[str, Any]) -> None:
    line = f"{report['round']}: a plan of cost {report['cost']:,.9g}"
    if report["best_known"] is not None:
        line += f"; best known is {report['best_known']:,.9g}, by {report['by']}"
    click.echo(line)


@best_known_group.verb
def check_command(*, file: Annotated[Path, argument(type=FILE)], as_json: Json = False) -> None:
    """Check the plan in FILE: {"round", "objective", "starts": {id: start}, "by"?}."""
    report = _claim(file, None)[2]
    print_json(report) if as_json else _show_claim(report)


@best_known_group.verb
def submit_command(
    *,
    file: Annotated[Path, argument(type=FILE)],
    best_known: Annotated[Path | None, flag("Another file of best-known costs than planbatch's own.", "FILE")] = None,
    as_json: Json = False,
) -> None:
    """Check the plan in FILE, and write its cost into the file of best-known costs if it is lower."""
    from planbatch.experiments.rounds.benchmark import BEST_KNOWN, improve_benchmark_costs

    key, entry, report = _claim(file, best_known)
    path = best_known or BEST_KNOWN
    _, improved = improve_benchmark_costs(path, {key: entry})
    if as_json:
        print_json({**report, "file": str(path), "improved": improved})
        return
    _show_claim(report)
    notify(f"{path} has it now" if improved else f"{path} stays as it is")
