"""The keys of an experiment's file; those of workloads and policies are the settings that these declare."""

from dataclasses import dataclass, replace
from typing import Annotated

from planbatch.experiments.common.schema import by_key, declared
from planbatch.experiments.replay.spans import Spans
from planbatch.experiments.studies.spec import POLICY_SETTINGS, Experiment, WorkloadSpec
from planbatch.experiments.workloads.options import WorkloadOptions
from planbatch.planner.settings import Setting


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
_OF_EXPERIMENTS = declared(Experiment)
#: The keys of the file itself; others of it are defaults of all workloads and policies.
TOP_KEYS = by_key(
    {
        "workload": replace(_OF_EXPERIMENTS.pop("workloads"), name="workload"),
        "policy": replace(_OF_EXPERIMENTS.pop("policies"), name="policy"),
    },
    _OF_EXPERIMENTS,
    {name: _OF_WORKLOADS[name] for name in ("estimates", "deadlines")},
    POLICY_SETTINGS,
)
