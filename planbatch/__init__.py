"""Plan-based batch scheduling: give every waiting job a start time, and search for the best such plan.

These are the names that users need. What authors of policies, optimizers and objectives need besides is in
``planbatch.planner``, ``planbatch.objectives``, ``planbatch.baselines`` and ``planbatch.experiments``.
"""

from typing import TYPE_CHECKING

from planbatch import lazy
from planbatch.planner.names import register_factory

if TYPE_CHECKING:
    from planbatch.baselines import (
        POLICIES as POLICIES,
        PlanBased as PlanBased,
        Policy as Policy,
        Promise as Promise,
        make_policy as make_policy,
    )
    from planbatch.experiments import (
        Comparison as Comparison,
        Experiment as Experiment,
        Gains as Gains,
        Metrics as Metrics,
        PolicySpec as PolicySpec,
        ReplayError as ReplayError,
        Report as Report,
        Results as Results,
        RoundComparison as RoundComparison,
        SchedulingEnv as SchedulingEnv,
        Simulation as Simulation,
        Trace as Trace,
        WorkloadSpec as WorkloadSpec,
        capture as capture,
        check_trace as check_trace,
        compare as compare,
        compare_rounds as compare_rounds,
        compare_seeds as compare_seeds,
        default_workload as default_workload,
        draw_curves as draw_curves,
        draw_mean_waits as draw_mean_waits,
        draw_plan as draw_plan,
        draw_plans as draw_plans,
        draw_profile as draw_profile,
        draw_trade_off as draw_trade_off,
        draw_waits as draw_waits,
        explain_replay as explain_replay,
        first_jobs as first_jobs,
        in_span as in_span,
        load_workload as load_workload,
        make_report as make_report,
        merge_experiment as merge_experiment,
        metrics as metrics,
        read_experiment as read_experiment,
        read_results as read_results,
        read_round as read_round,
        run_experiment as run_experiment,
        scale_load as scale_load,
        synthetic_workload as synthetic_workload,
        utilisation_by_resource as utilisation_by_resource,
        with_deadlines as with_deadlines,
        workload_info as workload_info,
        write_comparison as write_comparison,
        write_round as write_round,
        write_round_comparison as write_round_comparison,
        write_swf as write_swf,
    )

    # Type checkers take a name that is a module's, too, for the module, unless it is imported from where it is defined.
    from planbatch.experiments.replay.replay import replay as replay
    from planbatch.objectives import (
        OBJECTIVES as OBJECTIVES,
        lexicographic as lexicographic,
        make_objective as make_objective,
        over_scenarios as over_scenarios,
        powered_wait as powered_wait,
        weighted_sum as weighted_sum,
    )
    from planbatch.planner import (
        NEVER as NEVER,
        OPTIMIZERS as OPTIMIZERS,
        ORDERS as ORDERS,
        PREDICTORS as PREDICTORS,
        Explanation as Explanation,
        Objective as Objective,
        ObjectiveError as ObjectiveError,
        OptimizerError as OptimizerError,
        OrderError as OrderError,
        Plan as Plan,
        Resource as Resource,
        Result as Result,
        Round as Round,
        UnsupportedObjectiveError as UnsupportedObjectiveError,
        WhatIf as WhatIf,
        Window as Window,
        Workload as Workload,
        check_plan as check_plan,
        decode as decode,
        explain as explain,
        lower_bound as lower_bound,
        make_optimizer as make_optimizer,
    )
    from planbatch.planner.solve import solve as solve, what_if as what_if

lazy.offer(__name__)


def _make(kind: str, name: str) -> object:
    """Return an object of a kind that layers below take by name, whose catalogue they do not import."""
    if kind == "objective":
        from planbatch.objectives.catalogue import make_objective

        return make_objective(name)
    if kind == "policy":
        from planbatch.baselines.catalogue import make_policy

        return make_policy(name)
    from planbatch.experiments.workloads import frames

    return getattr(frames, name)


for _kind in ("objective", "policy", "frame"):
    register_factory(_kind, _make)
