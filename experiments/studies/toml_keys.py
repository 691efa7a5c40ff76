"""The keys of an experiment's file; those of workloads and policies are the settings that these declare."""

from dataclasses import dataclass
from typing import Annotated, Any

from planbatch.experiments.common.schema import by_key, declared
from planbatch.experiments.replay.spans import Spans
from planbatch.experiments.studies.spec import POLICY_SETTINGS, WorkloadSpec
from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.planner.settings import Setting


@dataclass
class File:
    """The keys of the file itself; others of it are defaults of all workloads and policies."""

    title: Annotated[str, Setting("Title of the report; by default, the file's name.")]
    seeds: Annotated[int, Setting("A list: each gives cells of its own, under policies that draw.")]
    seeding: Annotated[str, Setting("cell or plain: what random numbers are drawn from.")]
    metrics: Annotated[str, Setting("Further columns, such as p99-wait or my.py:late.")]
    workload: Annotated[dict[str, Any], Setting("A workload.")]
    policy: Annotated[dict[str, Any], Setting("A policy.")]
    spans: Annotated[dict[str, Any], Setting("How logs are split.")]


@dataclass
class PolicyTable:
    """The keys of a policy besides its parameters."""

    name: Annotated[str, Setting("As --policy; or plan, with objectives.")]
    label: Annotated[str, Setting("What tables call it; by default, the name.")]
    objective: Annotated[str, Setting("Of plan: wait, squared-wait, …")]


OPTIONS = tuple(declared(WorkloadOptions).values())
_OF_WORKLOADS = declared(WorkloadSpec)
WORKLOAD_KEYS = by_key(_OF_WORKLOADS, declared(WorkloadOptions))
POLICY_KEYS = by_key(declared(PolicyTable), POLICY_SETTINGS)
SPANS_KEYS = by_key(declared(Spans))
TOP_KEYS = by_key(declared(File), {name: _OF_WORKLOADS[name] for name in ("estimates", "deadlines")}, POLICY_SETTINGS)
