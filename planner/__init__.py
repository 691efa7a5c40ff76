"""The planner: model, availability profile, decoder, optimizers and lower bounds, without input or output."""

from typing import TYPE_CHECKING

from planbatch import lazy

if TYPE_CHECKING:
    from planbatch.planner.bounds import lower_bound as lower_bound
    from planbatch.planner.budget import Budget as Budget, Clock as Clock
    from planbatch.planner.orders.order import OrderError as OrderError
    from planbatch.planner.columns import Permutation as Permutation
    from planbatch.planner.decoder import decode as decode
    from planbatch.planner.history.expectation import (
        EXPECTED_RUN_TIMES as EXPECTED_RUN_TIMES,
        expected_rate as expected_rate,
        expected_run as expected_run,
    )
    from planbatch.planner.explanation import (
        Explanation as Explanation,
        Occupant as Occupant,
        Overtaker as Overtaker,
        explain as explain,
    )
    from planbatch.planner.history.catalogue import HISTORIES as HISTORIES
    from planbatch.planner.history.history import (
        Event as Event,
        History as History,
        EventColumn as EventColumn,
        asks_for as asks_for,
    )
    from planbatch.planner.history.job_history import JobColumn as JobColumn, JobHistory as JobHistory
    from planbatch.planner.model import NEVER as NEVER, Job as Job, JobTable as JobTable, Workload as Workload
    from planbatch.planner.objective import (
        Cost as Cost,
        Objective as Objective,
        ObjectiveError as ObjectiveError,
        UnsupportedObjectiveError as UnsupportedObjectiveError,
    )
    from planbatch.planner.optimizer import Optimizer as Optimizer, Result as Result, Status as Status
    from planbatch.planner.optimizers import OPTIMIZERS as OPTIMIZERS, make_optimizer as make_optimizer
    from planbatch.planner.optimizers.annealing import Annealing as Annealing
    from planbatch.planner.optimizers.cpsat import CpSat as CpSat
    from planbatch.planner.optimizers.exhaustive import Exhaustive as Exhaustive
    from planbatch.planner.optimizers.first_plan import FirstPlan as FirstPlan, first_plan as first_plan
    from planbatch.planner.optimizers.greedy import Greedy as Greedy
    from planbatch.planner.optimizers.lns import LargeNeighbourhood as LargeNeighbourhood
    from planbatch.planner.optimizers.local_search import LocalSearch as LocalSearch
    from planbatch.planner.optimizers.portfolio import Portfolio as Portfolio
    from planbatch.planner.optimizers.simanneal_adapter import SimAnneal as SimAnneal
    from planbatch.planner.optimizers.tabu import Tabu as Tabu
    from planbatch.planner.orders.catalogue import ORDERS as ORDERS, order_by as order_by
    from planbatch.planner.plan import Plan as Plan, check_plan as check_plan
    from planbatch.planner.history.predictor import Predictor as Predictor
    from planbatch.planner.history.predictors import PREDICTORS as PREDICTORS
    from planbatch.planner.profile import Profile as Profile
    from planbatch.planner.resources import Resource as Resource, Window as Window
    from planbatch.planner.round import Round as Round, RunningTable as RunningTable
    from planbatch.planner.history.scenarios import Scenarios as Scenarios
    from planbatch.planner.solve import solve as solve, what_if as what_if
    from planbatch.planner.soundness import OptimizerError as OptimizerError
    from planbatch.planner.what_if import WhatIf as WhatIf
    from planbatch.planner.terms import Terms as Terms
    from planbatch.planner.history.fair_share import FAIR_SHARE as FAIR_SHARE, fair_share as fair_share

lazy.offer(__name__)
