"""``planbatch replay``: one workload under one or several policies."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from planbatch.experiments.cli.compare import conclude, show
from planbatch.experiments.cli.flags import Json, Metrics, WorkloadFlags
from planbatch.experiments.cli.parameters import Log, argument, flag
from planbatch.experiments.cli.policy_flags import PolicyOptions, policy_flags
from planbatch.experiments.cli.shell import complain, notify, print_json
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.common.paths import check_file

if TYPE_CHECKING:
    from planbatch.experiments.replay.trace import Trace
    from planbatch.experiments.runs.run import FinishedReplay
    from planbatch.experiments.studies.compare import Comparison

#: The values reported for each replay.
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
#: The values reported in addition, if there are any.
MORE_KEYS = ("utilisation_by_resource", "promises", "promises_broken", "worst_lateness")
DEADLINE_KEYS = ("missed_deadlines", "infeasible_deadlines", "regular_mean_wait")


@verb
def command(
    *,
    workload: Annotated[str, argument(type=Log())],
    policy_options: Annotated[PolicyOptions, policy_flags()],
    options: WorkloadFlags,
    metrics: Metrics = (),
    starts: Annotated[Path | None, flag(
        "Write job id, submit, start and end as CSV; with several policies, into one file each, with the policy in its "
        "name (starts.csv becomes starts-easy.csv).", "FILE")] = None,
    check: Annotated[bool, flag("Check every trace by independent means.")] = False,
    as_json: Json = False,
) -> int:  # fmt: skip
    """Replay WORKLOAD under each --policy.

    WORKLOAD is a log (SWF, a table in CSV or Parquet, or what sacct prints) or the name of one that was fetched.
    """
    if not policy_options.policy:
        raise click.UsageError("policy: name at least one with --policy NAME")
    if starts is not None:
        check_file("starts", starts)
    policies = policy_options.policies()

    from planbatch.experiments.studies.compare import compare, workload_to_dict
    from planbatch.experiments.workloads.load import workload_of_source

    loaded = policy_options.with_deadlines(workload_of_source(workload, options, notify), workload, options)
    comparison = compare(
        loaded, policies, estimates=policy_options.estimates, seed=policy_options.seed, keep_going=True,
        metrics=metrics, notify=notify,
    )  # fmt: skip
    if comparison.unfinished:
        raise KeyboardInterrupt
    traces = comparison.traces
    if as_json:
        described = {
            **workload_to_dict(loaded),
            "results": [
                {**result(replay), "policy": name, **comparison.values.get(name, {})}
                for name, replay in comparison.finished.items()
            ],
        }
        print_json(described)
    elif comparison.finished:
        show(comparison)
    if starts is not None:
        write_starts(traces, starts)
    checked = check_all(policies, comparison, policy_options) if check else 0
    return conclude(comparison) or checked


def result(replay: "FinishedReplay") -> dict[str, Any]:
    """Return the reported values of a replay; those on deadlines only if the policy considers them."""
    from planbatch.baselines.policy import traits_of

    summary = replay.summary
    keys = [*KEYS, *MORE_KEYS]
    if traits_of(replay.task.policy).about_deadlines:
        keys += DEADLINE_KEYS
    return {key: summary[key] for key in keys if key in summary}


def write_starts(traces: "Mapping[str, Trace]", path: Path) -> None:
    """Write the starts of every trace: to ``path``, or to one file per policy in its folder."""
    import numpy as np

    from planbatch.experiments.common.atomic import atomic_write
    from planbatch.experiments.common.text import slug

    for name, trace in traces.items():
        file = path.with_stem(f"{path.stem}-{slug(name)}") if len(traces) > 1 else path
        columns = [trace.workload.id, trace.workload.submit, trace.start, trace.end]
        rows = np.column_stack(columns)
        with atomic_write(file) as csv:
            np.savetxt(csv, rows, fmt="%d", delimiter=",", header="id,submit,start,end", comments="")
        notify(f"starts of {len(trace.start):,} jobs written to {file}")


def check_all(policies: list[Any], comparison: "Comparison", policy_options: PolicyOptions) -> int:
    """Print every fault of every trace on standard error; return the exit code, 1 for faults."""
    from planbatch.experiments.replay.checker import check_reservations, check_trace, recorded_replay
    from planbatch.experiments.studies.compare import policy_names

    sound = True
    by_name = dict(zip(policy_names(policies), policies, strict=True))
    for name, trace in comparison.traces.items():
        faults = check_trace(trace)
        if trace.traits.keeps_reservations and policy_options.estimates in ("requested", "actual"):
            again, rounds = recorded_replay(
                trace.workload, by_name[name], estimates=policy_options.estimates, seed=policy_options.seed
            )
            faults += check_reservations(rounds)
            if (again.start != trace.start).any():
                faults.append("the compiled and the interpreted replay differ")
        for fault in faults:
            complain(f"{name}: {fault}")
        if not faults:
            notify(f"{name}: checked, no fault found")
        sound = sound and not faults
    return 0 if sound else 1
