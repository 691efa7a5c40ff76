"""``planbatch compare``: policies side by side."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbatch.experiments.command.policy_flags import PolicyOptions, policy_options
from planbatch.experiments.command.shell import check_folder, to_stderr
from planbatch.experiments.command.workload_flags import workload_options
from planbatch.experiments.workloads.options import WorkloadOptions

if TYPE_CHECKING:
    from planbatch.experiments.comparison.compare import Comparison

INTERRUPTED = 130


@click.command()
@click.argument("workload", required=False)
@policy_options
@workload_options
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="J",
    help="Processes. By default as many as there are cores, but one with --seconds: searches that "
    "share cores get less done.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("out/compare"),
    show_default=True,
    help="Folder of the pictures and of comparison.csv.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(
    workload: str | None,
    chosen: PolicyOptions,
    options: WorkloadOptions,
    jobs: int | None,
    out: Path,
    as_json: bool,
) -> int:
    """Replay WORKLOAD under several policies, and compare them.

    WORKLOAD is a log in the Standard Workload Format or the name of one that was fetched; without
    it, the embedded workload is replayed. An interrupt (Ctrl-C) ends the comparison, and keeps the
    results of the policies that finished.
    """
    check_folder(out)
    policies = chosen.policies()

    from planbatch.experiments.command.first_use import announce_compilation
    from planbatch.experiments.comparison.compare import compare
    from planbatch.experiments.replay.replay import policy_name
    from planbatch.experiments.tasks.progress import ReplayProgress
    from planbatch.experiments.workloads.load import load_workload

    loaded = chosen.with_deadlines(load_workload(workload, options, to_stderr), workload)
    names = [policy_name(policy) for policy in policies]
    announce_compilation()
    with ReplayProgress(names, [len(loaded)] * len(names)) as progress:
        comparison = compare(
            loaded,
            policies,
            estimates=chosen.estimates,
            seed=chosen.seed,
            jobs=jobs or default_jobs(chosen),
            progress=progress,
        )
    if as_json:
        click.echo(json.dumps(described(comparison), ensure_ascii=False))
    else:
        show(comparison)
    if comparison.traces:
        from planbatch.experiments.views.pictures import write_comparison

        write_comparison(comparison, out)
        click.echo(f"pictures and comparison.csv written to {out}", err=True)
    if comparison.unfinished:
        left = ", ".join(comparison.unfinished)
        click.echo(f"planbatch: interrupted; not finished: {left}", err=True)
        return INTERRUPTED
    return 0


def default_jobs(chosen: PolicyOptions) -> int:
    """As many processes as cores, but one if time limits the searches."""
    if chosen.seconds is not None:
        return 1
    import joblib

    return int(joblib.cpu_count())


def show(comparison: "Comparison") -> None:
    """Print the table; if standard output is no terminal, as wide as necessary."""
    from rich.console import Console

    from planbatch.experiments.views.comparison_table import comparison_table

    console = Console()
    if not console.is_terminal:
        console = Console(width=110)
    console.print(comparison_table(comparison))


def described(comparison: "Comparison") -> dict[str, Any]:
    """Return a comparison for programs."""
    from planbatch.experiments.comparison.compare import described_resources, result

    return {
        "workload": comparison.workload.name,
        "capacity": comparison.workload.capacity,
        "jobs": len(comparison.workload),
        "dropped": dict(comparison.workload.dropped),
        **described_resources(comparison.workload),
        "estimates": comparison.estimates,
        "seed": comparison.seed,
        "results": [result(trace) for trace in comparison.traces.values()],
        "unfinished": list(comparison.unfinished),
    }
