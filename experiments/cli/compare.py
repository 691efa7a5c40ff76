"""``planbatch compare``: several policies on one workload."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from planbatch.experiments.cli.flags import Json, Metrics, WorkloadFlags, jobs_flag, out_flag, seeds_flag
from planbatch.experiments.cli.parameters import Log, Name, argument, flag
from planbatch.experiments.cli.policy_flags import PolicyOptions, policy_flags
from planbatch.experiments.cli.shell import default_jobs, exit_code, notify, print_json, print_result, print_table
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.common.paths import check_folder

if TYPE_CHECKING:
    from planbatch.baselines.policy import Policy
    from planbatch.experiments.studies.compare import Comparison
    from planbatch.planner.model import Workload


@verb
def command(
    *,
    workload: Annotated[str | None, argument(type=Log())] = None,
    policy_options: Annotated[PolicyOptions, policy_flags()],
    seeds: Annotated[int, seeds_flag(
        "Replay with K seeds from --seed on: means, ranges, and which differences are significant.")] = 1,
    options: WorkloadFlags,
    jobs: Annotated[int | None, jobs_flag(
        "Processes; by default as many as there are cores, but one with --seconds: searches that share cores get less "
        "done.")] = None,
    metrics: Metrics = (),
    against: Annotated[str | None, flag(
        "Show who gains and who loses if each of the other policies replaces this one: by processors, walltime, user, "
        "queue and week, and the jobs that lose most.", "NAME", type=Name("policies"))] = None,
    out: Annotated[Path | None, out_flag(
        "Folder of the pictures, of comparison.csv and of the replays: those that it holds are not run again.",
        )] = Path("out/compare"),
    no_out: Annotated[bool, flag("Write no files.")] = False,
    as_json: Json = False,
) -> int:  # fmt: skip
    """Replay WORKLOAD under several policies, and compare them.

    WORKLOAD is a log (SWF, a table in CSV or Parquet, or what sacct prints) or the name of one that was fetched;
    without it, the embedded workload is replayed. An interrupt (Ctrl-C) ends the comparison, and keeps the
    results of the policies that finished: run the same command again to continue, and planbatch report makes a
    page of the folder. With --partition all, every partition is a pool, a table and a folder of its own.
    """
    out = None if no_out else out
    check_out(out, no_out=no_out)
    policies = policy_options.policies()
    if against is not None:
        check_against(against, policies)
    if seeds > 1 and (options.partition is not None or against is not None):
        raise ValueError("seeds: --seeds cannot be combined with --partition or --against")

    from planbatch.experiments.studies.compare import compare
    from planbatch.experiments.workloads.load import ALL, load_pools

    arguments: dict[str, Any] = {
        "estimates": policy_options.estimates,
        "seed": policy_options.seed,
        "jobs": jobs or default_jobs(policy_options.settings["seconds"]),
        "keep_going": True,
        "rows": True,
        "metrics": metrics,
        "notify": notify,
    }
    comparisons = []
    for pool in load_pools(workload, options, notify):
        loaded = policy_options.with_deadlines(pool, workload, options)
        if seeds > 1:
            return compare_with_seeds(loaded, policies, seeds, out, arguments, as_json)
        folder = out
        if out is not None and options.partition == ALL:
            folder = out / pool.name.rpartition(", ")[2].replace(" ", "-")
        comparison = compare(loaded, policies, out=folder, **arguments)
        comparisons.append(comparison)
        if not as_json and comparison.finished:
            show(comparison)
        write(comparison, folder)
        if against is not None and against in comparison.finished:
            show_gains(comparison, against, folder, quiet=as_json)
        if comparison.unfinished:
            break
    if as_json:
        by_pool = [comparison.to_dict() for comparison in comparisons]
        print_json({"pools": by_pool} if options.partition == ALL else by_pool[0])
    return max(conclude(comparison) for comparison in comparisons)


def compare_with_seeds(
    workload: "Workload", policies: "list[Policy]", seeds: int, out: Path | None, arguments: dict[str, Any],
    as_json: bool,
) -> int:  # fmt: skip
    """Compare policies with several seeds, and print what differs; return the exit code."""
    from planbatch.experiments.studies.seeds import compare_seeds, seed_folder

    by_seed = compare_seeds(workload, policies, seeds=seeds, out=out, **arguments)
    for comparison in by_seed.comparisons:
        write(comparison, None if out is None else seed_folder(out, comparison.seed))
    print_result(as_json, by_seed.to_dict(), by_seed.table())
    return max(conclude(comparison) for comparison in by_seed.comparisons)


def write(comparison: "Comparison", folder: Path | None) -> None:
    """Write the pictures and the table of a comparison, unless nothing has finished."""
    if folder is None or not comparison.finished:
        return
    from planbatch.experiments.figures.comparison import write_comparison

    write_comparison(comparison, folder)
    notify(f"pictures, comparison.csv and the replays written to {folder}")


def check_out(out: Path | None, *, no_out: bool) -> None:
    """Raise ``ValueError`` if nothing can be written into the folder, or both flags are given."""
    source = click.get_current_context().get_parameter_source("out")
    if no_out and source is click.core.ParameterSource.COMMANDLINE:
        raise ValueError("out: give either --out or --no-out")
    if out is not None:
        check_folder("out", out)


def check_against(name: str, policies: "list[Policy]") -> None:
    """Raise ``ValueError`` unless a policy of that name is compared, with others."""
    from planbatch.baselines.policy import policy_name
    from planbatch.planner.names import did_you_mean

    names = [policy_name(policy) for policy in policies]
    if name not in names:
        raise ValueError(f"against: {name!r} is not one of the policies; {did_you_mean(name, names)}")
    if len(names) < 2:
        raise ValueError("against: name at least one other policy with --policy")


def show_gains(comparison: "Comparison", against: str, out: Path | None, *, quiet: bool) -> None:
    """Print who gains and who loses against a policy, and write it as tables and pictures."""
    from planbatch.experiments.common.text import slug
    from planbatch.experiments.figures.gains import GROUPS, groups_table, losers_table, write_gains
    from planbatch.experiments.studies.gains import Gains

    traces = comparison.traces
    for name in traces:
        if name == against:
            continue
        gains = Gains.of(traces[against], traces[name])
        losers = losers_table(gains)
        if not quiet:
            print_table(groups_table(gains), losers)
        if out is not None:
            stem = f"gains-{slug(against)}-{slug(name)}"
            for column in GROUPS:
                gains.by(column).to_csv(out / f"{stem}-{column}.csv")
            (out / f"{stem}-losers.csv").write_text(losers.csv(), encoding="utf-8")
            write_gains(gains, out / stem)
            notify(f"who gains and who loses under {name} written to {out / stem}*; CSV has seconds")


def conclude(comparison: "Comparison") -> int:
    """Report overuse, failures and an interrupt on standard error; return the exit code."""
    for name, replay in comparison.finished.items():
        summary = replay.summary
        utilisation = {"processors": summary["utilisation"]} | summary.get("utilisation_by_resource", {})
        for resource, share in utilisation.items():
            if share > 1:
                notify(f"warning: under {name}, {share:.0%} of the {resource} are in use on average: the machine had "
                       "more, so --capacity or --resource is wrong")  # fmt: skip
    failures = [f"planbatch: no result: {name}: {failure.error}" for name, failure in comparison.failed.items()]
    if comparison.unfinished:
        return exit_code(failures, f"not finished: {', '.join(comparison.unfinished)}")
    return exit_code([*failures, *(f"planbatch: {line}" for line in comparison.metrics_without_values)])


def show(comparison: "Comparison") -> None:
    """Print the table, whether walltimes are known, and what was left out."""
    from planbatch.experiments.studies.compare import comparison_table
    from planbatch.experiments.workloads.describe import dropped_text
    from planbatch.experiments.workloads.swf.log import WALLTIMES

    if WALLTIMES in comparison.workload.header:
        click.echo(f"walltimes: {comparison.workload.header[WALLTIMES]}")
    print_table(comparison_table(comparison))
    if dropped := dropped_text(comparison.workload):
        click.echo(f"left out: {dropped}")
