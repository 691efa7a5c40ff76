"""Workloads, replay, metrics, parallel runs, reports, the command line."""

from typing import TYPE_CHECKING

from planbatch import lazy

if TYPE_CHECKING:
    from planbatch.experiments.studies.compare import Comparison as Comparison, compare as compare
    from planbatch.experiments.studies.gains import Gains as Gains
    from planbatch.experiments.studies.seeds import SeedComparison as SeedComparison, compare_seeds as compare_seeds
    from planbatch.experiments.studies.grid import (
        RunReport as RunReport,
        merge_experiment as merge_experiment,
        run_experiment as run_experiment,
    )
    from planbatch.experiments.studies.spec import (
        Experiment as Experiment,
        PolicySpec as PolicySpec,
        Spans as Spans,
        WorkloadSpec as WorkloadSpec,
    )
    from planbatch.experiments.studies.experiment_file import read_experiment as read_experiment
    from planbatch.experiments.live.journal import Journal as Journal, read_ticks as read_ticks
    from planbatch.experiments.live.slurm.advise import Advisor as Advisor
    from planbatch.experiments.live.slurm.client import SlurmClient as SlurmClient, SlurmError as SlurmError
    from planbatch.experiments.live.slurm.commands import Command as Command
    from planbatch.experiments.live.slurm.commands import commands_for as commands_for
    from planbatch.experiments.live.slurm.commands import give_back as give_back
    from planbatch.experiments.live.slurm.drive import Driver as Driver
    from planbatch.experiments.live.slurm.observe import Observation as Observation
    from planbatch.experiments.live.slurm.observe import observe as observe
    from planbatch.experiments.live.slurm.planner import Planner as Planner
    from planbatch.experiments.live.slurm.pool import ObserveOptions as ObserveOptions
    from planbatch.experiments.live.slurm.reading import saved_snapshot as saved_snapshot
    from planbatch.experiments.live.slurm.marks import DriveRules as DriveRules
    from planbatch.experiments.live.slurm.snapshot import Snapshot as Snapshot
    from planbatch.experiments.replay.checker import check_trace as check_trace
    from planbatch.experiments.replay.environment import SchedulingEnv as SchedulingEnv
    from planbatch.experiments.replay.explanation import explain_replay as explain_replay
    from planbatch.experiments.replay.metrics import (
        DeadlineMetrics as DeadlineMetrics,
        Metrics as Metrics,
        deadline_metrics as deadline_metrics,
        metrics as metrics,
        utilisation_by_resource as utilisation_by_resource,
    )
    from planbatch.experiments.replay.replay import replay as replay
    from planbatch.experiments.replay.simulation import ReplayError as ReplayError, Simulation as Simulation
    from planbatch.experiments.replay.trace import RoundLog as RoundLog, Trace as Trace
    from planbatch.experiments.report.page import Report as Report, make_report as make_report, write_page as write_page
    from planbatch.experiments.runs.read import Results as Results, read_results as read_results
    from planbatch.experiments.rounds.capture import capture as capture
    from planbatch.experiments.rounds.compare import compare_rounds as compare_rounds
    from planbatch.experiments.rounds.file import read_round as read_round, write_round as write_round
    from planbatch.experiments.rounds.results import RoundComparison as RoundComparison
    from planbatch.experiments.figures.comparison import (
        draw_mean_waits as draw_mean_waits,
        draw_trade_off as draw_trade_off,
        draw_waits as draw_waits,
        write_comparison as write_comparison,
    )
    from planbatch.experiments.figures.round_gantt import draw_plan as draw_plan, draw_plans as draw_plans
    from planbatch.experiments.figures.round_pictures import (
        draw_curves as draw_curves,
        draw_profile as draw_profile,
        write_round_comparison as write_round_comparison,
    )
    from planbatch.experiments.workloads.deadlines import with_deadlines as with_deadlines
    from planbatch.experiments.workloads.describe import workload_info as workload_info
    from planbatch.experiments.workloads.keywords import load_workload as load_workload
    from planbatch.experiments.workloads.lublin import (
        default_workload as default_workload,
        synthetic_workload as synthetic_workload,
    )
    from planbatch.experiments.workloads.options import WorkloadOptions as WorkloadOptions
    from planbatch.experiments.workloads.read import read_log as read_log
    from planbatch.experiments.workloads.swf.log import SwfLog as SwfLog
    from planbatch.experiments.workloads.swf.read import read_swf as read_swf
    from planbatch.experiments.workloads.swf.write import write_swf as write_swf
    from planbatch.experiments.workloads.transform import (
        first_jobs as first_jobs,
        in_span as in_span,
        scale_load as scale_load,
    )

lazy.offer(__name__)
