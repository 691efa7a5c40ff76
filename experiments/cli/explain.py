"""``planbatch explain``: why a job starts when it does."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbatch.experiments.cli.flags import json_option, picture_option, workload_options
from planbatch.experiments.cli.policy_flags import PolicyOptions, policy_options_without
from planbatch.experiments.cli.round import draw
from planbatch.experiments.cli.search_flags import SearchOptions, objective_option
from planbatch.experiments.cli.shell import print_json, print_table, say
from planbatch.experiments.cli.verb import Log, verb
from planbatch.experiments.workloads.options import WorkloadOptions

if TYPE_CHECKING:
    from planbatch.planner.explanation import Explanation
    from planbatch.planner.plan import Plan
    from planbatch.planner.round import Round

    Explained = tuple[Round, Plan, Explanation]


@verb
@click.argument("file", type=Log())
@click.argument("job", type=int)
@policy_options_without()
@objective_option("Of a round's plan.")
@workload_options
@picture_option("Draw the plan around the job: .png, .svg or .html.")
@json_option
def command(
    file: str,
    job: int,
    chosen: PolicyOptions,
    options: WorkloadOptions,
    objective: str,
    picture: Path | None,
    as_json: bool,
) -> None:
    """Explain why JOB starts when it does: what holds its processors, who overtook it, what would let it start now.

    FILE is a round as JSON (- is standard input), for which a plan is searched; or, with --policy, a log, which is
    replayed under that policy.
    """
    if picture is not None:
        from planbatch.experiments.figures.round_picture import check_picture

        check_picture(picture)
    if chosen.policy:
        if file.endswith(".json"):
            raise ValueError(f"policy: {file} is a round, whose plan no policy makes; leave it out")
        problem, plan, why = _in_a_replay(file, job, chosen, options)
    else:
        problem, plan, why = _in_a_round(Path(file), job, chosen, objective)
    if as_json:
        print_json(why.to_dict())
    else:
        print_table(*why.sentences())
    if picture is not None:
        mark = problem.ids.tolist().index(job)
        draw(problem, {f"job {job}": plan.start}, picture, mark)


def _in_a_round(file: Path, job: int, chosen: PolicyOptions, objective: str) -> "Explained":
    """Explain a job of the plan that a search finds for a round."""
    from planbatch.experiments.rounds.file import read_round
    from planbatch.planner.explanation import explain
    from planbatch.planner.solve import DEFAULT_OPTIMIZER

    try:
        problem = read_round(file)
    except ValueError as error:
        raise ValueError(f"{error}; for a log, name a policy with --policy") from None
    optimizer = chosen.settings["optimizer"] or DEFAULT_OPTIMIZER
    search = SearchOptions(
        optimizer,
        objective,
        chosen.settings["evaluations"],
        chosen.settings["seconds"],
        chosen.seed,
    )
    plan = search.search(problem, bound=False).plan
    return problem, plan, explain(problem, plan, job)


def _in_a_replay(
    source: str, job: int, chosen: PolicyOptions, options: WorkloadOptions
) -> "Explained":
    """Explain a job of a replay."""
    if len(chosen.policy) > 1:
        raise ValueError(f"policy: {len(chosen.policy)} are named; name the one to explain")
    from planbatch.experiments.replay.explanation import hindsight
    from planbatch.experiments.replay.replay import replay
    from planbatch.experiments.workloads.load import workload_of_source
    from planbatch.planner.explanation import explain

    (policy,) = chosen.policies()
    workload = chosen.with_deadlines(workload_of_source(source, options, say), source, options)
    trace = replay(workload, policy, estimates=chosen.estimates, seed=chosen.seed)
    problem, plan, running = hindsight(trace, job)
    return problem, plan, explain(problem, plan, job, running, past=True)
