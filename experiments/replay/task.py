"""The replay task: the unit of work of comparisons, trade-offs, experiments and reproductions."""

import os
import platform
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter, process_time
from typing import Any

from planbatch.baselines.policy import Policy, calls_python, core_form, effort_of, policy_name, traits_of
from planbatch.experiments.common.pinned_core import pinned_core
from planbatch.experiments.replay.estimates import REQUESTED, Estimates, predictor_of
from planbatch.experiments.replay.identity import code_digest, content_digest, key_of, versions, workload_hash
from planbatch.experiments.replay.metrics import summary
from planbatch.experiments.replay.replay import bound, replay
from planbatch.experiments.replay.trace import Trace
from planbatch.experiments.workloads.swf.log import POOLS, WALLTIMES
from planbatch.planner.model import Workload


@dataclass(frozen=True)
class Outcome:
    """The outcome of a replay, as the process that ran it returns it."""

    trace: Trace  #: without its workload, which the task has
    summary: Mapping[str, Any]  #: the metrics; see :func:`summary`
    #: The versions of the software and the machine that ran it.
    versions: Mapping[str, str]
    machine: Mapping[str, Any]


@dataclass(frozen=True)
class ReplayTask:
    """A replay to be run, on any machine."""

    workload: Workload  #: what is replayed
    policy: Policy  #: what decides the rounds; bound to the workload when the task is made
    estimates: Estimates = REQUESTED  #: what schedulers know of run times
    seed: int = 0  #: seed of the replay
    label: str = ""  #: what tables call the policy; by default, its name
    title: str = ""  #: what progress and errors call the replay; by default, workload and label
    #: The jobs that count, as the first and one behind the last; the others are warm-up and cool-down.
    own: tuple[int, int] | None = None
    reserve: bool = False  # whether the task needs a core for itself, since a time limit ends its searches
    #: What else the settings say of workload, policy and seed: names, sources, parameters as given. It does not affect
    #: the outcome.
    description: Mapping[str, Any] = field(default_factory=dict)
    #: The version of the code that must run it.
    code: str = field(default_factory=lambda: code_digest())  # noqa: PLW0108 - tests replace it

    def __post_init__(self) -> None:
        object.__setattr__(self, "policy", bound(self.policy, self.workload))
        object.__setattr__(self, "label", self.label or policy_name(self.policy))

    @property
    def name(self) -> str:
        """What progress and errors call the replay."""
        return self.title or f"{self.workload.name}, {self.label}"

    @cached_property
    def key(self) -> str:
        """The key of the replay: a digest of everything that decides its outcome, and of nothing else.

        Raises ``ValueError`` if the policy has a part without content that tells it from others.
        """
        return key_of(
            {
                "workload": workload_hash(self.workload),
                "estimates": self._estimates_content(),
                "policy": content_digest(self.policy),
                "seed": self.seed,
                "own": self.own,
                "code": self.code,
            }
        )

    def _estimates_content(self) -> str:
        """Return what tells the estimates from others; a user's predictor is known by its content."""
        predictor = predictor_of(self.estimates)
        return self.estimates if predictor is None else content_digest(predictor)

    @property
    def part(self) -> bool:
        """Whether the task is one span of a log that is split into several."""
        return self.own is not None

    @property
    def timed(self) -> bool:
        """Whether a time limit ends the searches, so that the outcome depends on the machine."""
        return traits_of(self.policy).timed

    @property
    def in_core(self) -> bool:
        """Whether the replay calls no function in plain Python, so that others can run in threads beside it."""
        form, predictor = core_form(self.policy), predictor_of(self.estimates)
        if form is None or calls_python(form.core):
            return False
        histories = (form.history, None if predictor is None else predictor.history)
        return all(h is None or (h.learn is None and not calls_python(h.core)) for h in histories)

    @property
    def weight(self) -> float:
        """Roughly how long the replay takes, in some unit; used to order tasks and to show progress."""
        return len(self.workload) * effort_of(self.policy)

    def settings(self) -> dict[str, Any]:
        """Return everything that decides the outcome, and the given names, for ``cell.json``."""
        workload, traits = self.workload, traits_of(self.policy)
        settings: dict[str, Any] = {
            "workload": {
                "source": workload.name,
                "name": workload.name,
                "hash": workload_hash(workload),
                "capacity": workload.capacity,
                "jobs": len(workload),
                "dropped": dict(workload.dropped),
                "estimates": self.estimates,
                "transformations": "",
                "deadlines": "",
                "unix_start_time": workload.epoch,
                "walltimes": workload.header.get(WALLTIMES, ""),
                "pools": workload.header.get(POOLS, ""),
            },
            "policy": {
                "name": policy_name(self.policy),
                "label": self.label,
                "objective": None,
                "optimizer": None,
                "evaluations": None,
                "seconds": None,
                "promise": "none",
                "calendar": "",
                **traits.parameters,
                "searches": traits.searches,
                "content": content_digest(self.policy),
            },
            "seed": self.seed,
            "seeding": "plain",
            "replay_seed": self.seed,
            "span": None,
        }
        for key, value in self.description.items():
            settings[key] = settings[key] | value if isinstance(value, Mapping) and settings[key] else value
        return settings

    def __call__(self, report: Callable[[int], None] | None = None) -> Outcome:
        """Run the replay; ``ValueError`` if this process runs another version of the code."""
        if self.code != code_digest():
            raise ValueError(f"{platform.node()} runs another version of the code ({code_digest()}, not {self.code})")
        began, processor_began = perf_counter(), process_time()
        with pinned_core() if self.reserve else nullcontext() as core:
            trace = replay(self.workload, self.policy, estimates=self.estimates, seed=self.seed, progress=report)
        if self.own is not None:
            trace = trace.part(*self.own)
        seconds = {"task_seconds": perf_counter() - began, "processor_seconds": process_time() - processor_began}
        return Outcome(
            replace(trace, workload=None),  # type: ignore[arg-type]
            summary(trace),
            versions(),
            machine(core) | seconds,
        )

    def whole(self, trace: Trace) -> Trace:
        """Return a trace of the outcome with its workload and policy restored."""
        workload = self.workload if self.own is None else self.workload.take(slice(*self.own))
        return replace(trace, workload=workload, policy=policy_name(self.policy), traits=traits_of(self.policy))


def machine(core: int | None = None) -> dict[str, Any]:
    """Describe this machine; ``core`` is the one reserved for the task."""
    return {
        "host": platform.node(),
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "reserved_core": core,
    }
