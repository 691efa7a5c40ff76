"""``planbatch explain``: why a job starts when it does."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from planbatch.experiments.cli.flags import Json, WorkloadFlags
from planbatch.experiments.cli.parameters import Log, argument, flag
from planbatch.experiments.cli.policy_flags import PolicyOptions, objective_flag, policy_flags
from planbatch.experiments.cli.round import SearchOptions, draw
from planbatch.experiments.cli.shell import notify, print_result
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.workloads.options import WorkloadOptions

if TYPE_CHECKING:
    from planbatch.planner.explanation import Explanation
    from planbatch.planner.plan import Plan
    from planbatch.planner.round import Round

    Explained = tuple[Round, Plan, Explanation]


@verb
def command(
    *,
    file: Annotated[str, argument(type=Log())],
    job: Annotated[int, argument()],
    policy_options: Annotated[PolicyOptions, policy_flags()],
    objective: Annotated[str, objective_flag("Of a round's plan.")] = "wait",
    options: WorkloadFlags,
    picture: Annotated[Path | None, flag("Draw the plan around the job: .png, .svg or .html.", "FILE")] = None,
    as_json: Json = False,
) -> None:
    """Explain why JOB starts when it does: what holds its processors, who overtook it, what would let it start now.

    FILE is a round as JSON (- is standard input), for which a plan is searched; or, with --policy, a log, which is
    replayed under that policy.
    """
    if picture is not None:
        from planbatch.experiments.figures.round_gantt import check_picture

        check_picture(picture)
    if policy_options.policy:
        if file.endswith(".json"):
            raise ValueError(f"policy: {file} is a round, whose plan no policy makes; leave it out")
        problem, plan, why = _in_a_replay(file, job, policy_options, options)
    else:
        problem, plan, why = _in_a_round(Path(file), job, policy_options, objective)
    print_result(as_json, why.to_dict(), *why.sentences())
    if picture is not None:
        mark = problem.ids.tolist().index(job)
        draw(problem, {f"job {job}": plan.start}, picture, mark)


def _in_a_round(file: Path, job: int, policy_options: PolicyOptions, objective: str) -> "Explained":
    """Explain a job of the plan that a search finds for a round."""
    from planbatch.experiments.rounds.file import read_round
    from planbatch.planner.budget import DEFAULT_OPTIMIZER
    from planbatch.planner.explanation import explain

    try:
        problem = read_round(file)
    except (ValueError, FileNotFoundError) as error:
        raise ValueError(f"{error}; for a log, name a policy with --policy") from None
    optimizer = policy_options.settings["optimizer"] or DEFAULT_OPTIMIZER
    search = SearchOptions(
        optimizer,
        objective,
        policy_options.settings["evaluations"],
        policy_options.settings["seconds"],
        policy_options.seed,
    )
    plan = search.search(problem, bound=False).plan
    return problem, plan, explain(problem, plan, job)


def _in_a_replay(source: str, job: int, policy_options: PolicyOptions, options: WorkloadOptions) -> "Explained":
    """Explain a job of a replay."""
    if len(policy_options.policy) > 1:
        raise ValueError(f"policy: {len(policy_options.policy)} are given; give one")
    from planbatch.experiments.replay.explanation import hindsight
    from planbatch.experiments.replay.replay import replay
    from planbatch.experiments.workloads.load import workload_of_source

    (policy,) = policy_options.policies()
    workload = policy_options.with_deadlines(workload_of_source(source, options, notify), source, options)
    trace = replay(workload, policy, estimates=policy_options.estimates, seed=policy_options.seed)
    return hindsight(trace, job)
