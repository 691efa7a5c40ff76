"""``planbatch replay``: a workload under one policy or several, to the second."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbatch.experiments.command.policy_flags import PolicyOptions, policy_options
from planbatch.experiments.command.shell import to_stderr
from planbatch.experiments.command.workload_flags import workload_options
from planbatch.experiments.workloads.options import WorkloadOptions

if TYPE_CHECKING:
    from planbatch.experiments.replay.replay import Trace
    from planbatch.planner.model import Workload

#: What is reported of each replay.
KEYS = (
    "policy",
    "jobs",
    "mean_wait",
    "max_wait",
    "mean_bounded_slowdown",
    "mean_stretch",
    "makespan",
    "utilisation",
    "rounds",
    "seconds",
)


@click.command()
@click.argument("workload")
@policy_options
@workload_options
@click.option(
    "--starts",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write job id, submit, start and end as CSV; with several policies, into one file each, "
    "with the policy in its name (starts.csv becomes starts-easy.csv).",
)
@click.option("--check", is_flag=True, help="Check every trace by independent means.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(
    workload: str,
    chosen: PolicyOptions,
    options: WorkloadOptions,
    starts: Path | None,
    check: bool,
    as_json: bool,
) -> int:
    """Replay WORKLOAD under each --policy.

    WORKLOAD is a log in the Standard Workload Format or the name of one that was fetched.
    """
    if not chosen.policy:
        raise click.UsageError("policy: name at least one with --policy NAME")
    if starts is not None and not starts.parent.is_dir():
        raise ValueError(f"starts: there is no folder {starts.parent}; create it first")
    policies = chosen.policies()

    from planbatch.experiments.command.first_use import announce_compilation
    from planbatch.experiments.comparison.compare import compare, described_resources, result
    from planbatch.experiments.replay.metrics import utilisation_by_resource
    from planbatch.experiments.replay.replay import policy_name
    from planbatch.experiments.replay.task import promises
    from planbatch.experiments.tasks.progress import ReplayProgress
    from planbatch.experiments.workloads.load import load_workload

    loaded = chosen.with_deadlines(load_workload(workload, options, to_stderr), workload)
    names = [policy_name(policy) for policy in policies]
    announce_compilation()
    with ReplayProgress(names, [len(loaded)] * len(names)) as progress:
        comparison = compare(
            loaded, policies, estimates=chosen.estimates, seed=chosen.seed, progress=progress
        )
    if comparison.unfinished:
        raise KeyboardInterrupt
    traces = comparison.traces
    if as_json:
        results = [
            {key: result(trace)[key] for key in KEYS}
            | by_resource(utilisation_by_resource(trace))
            | promises(trace)
            | deadlines(trace)
            for trace in traces.values()
        ]
        described = {
            "workload": loaded.name,
            "capacity": loaded.capacity,
            "jobs": len(loaded),
            "dropped": dict(loaded.dropped),
            **described_resources(loaded),
            "results": results,
        }
        click.echo(json.dumps(described, ensure_ascii=False))
    else:
        from planbatch.experiments.command.compare import show

        show(comparison)
    if starts is not None:
        write_starts(traces, starts)
    return check_all(loaded, policies, traces, chosen) if check else 0


def by_resource(utilisation: dict[str, float]) -> dict[str, dict[str, float]]:
    """Return the utilisation of every resource; nothing if there are processors only."""
    return {"utilisation_by_resource": utilisation} if utilisation else {}


def deadlines(trace: "Trace") -> dict[str, float]:
    """Return the figures on deadlines, of policies that know of them."""
    from planbatch.baselines.catalogue import DEADLINE_POLICIES
    from planbatch.experiments.replay.metrics import deadline_metrics

    return deadline_metrics(trace).as_dict() if trace.policy in DEADLINE_POLICIES else {}


def write_starts(traces: "Mapping[str, Trace]", path: Path) -> None:
    """Write the starts of every trace: to ``path``, or to one file per policy beside it."""
    import numpy as np

    for name, trace in traces.items():
        own = path.with_stem(f"{path.stem}-{name.replace(':', '-')}") if len(traces) > 1 else path
        columns = [trace.workload.id, trace.workload.submit, trace.start, trace.end]
        np.savetxt(
            own,
            np.column_stack(columns),
            fmt="%d",
            delimiter=",",
            header="id,submit,start,end",
            comments="",
        )
        click.echo(f"starts of {len(trace.start):,} jobs written to {own}", err=True)


def check_all(
    workload: "Workload", policies: list[Any], traces: "Mapping[str, Trace]", chosen: PolicyOptions
) -> int:
    """Report every fault of every trace on standard error; return the exit code, 1 for faults."""
    from planbatch.experiments.replay.checker import (
        check_reservations,
        check_trace,
        recorded_replay,
    )

    sound = True
    for policy, (name, trace) in zip(policies, traces.items(), strict=True):
        faults = check_trace(trace)
        if name == "conservative" and chosen.estimates != "mixed":
            again, rounds = recorded_replay(
                workload, policy, estimates=chosen.estimates, seed=chosen.seed
            )
            faults += check_reservations(rounds)
            if (again.start != trace.start).any():
                faults.append("the compiled and the interpreted replay differ")
        for fault in faults:
            click.echo(f"{name}: {fault}", err=True)
        if not faults:
            click.echo(f"{name}: checked, no fault found", err=True)
        sound = sound and not faults
    return 0 if sound else 1
