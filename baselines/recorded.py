"""The log's own schedule as a policy: it decides nothing."""

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from planbatch.baselines.policy import Traits
from planbatch.planner.model import Workload
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round


@dataclass(frozen=True)
class Recorded:
    """Every job starts as long after its submission as it did on the real machine."""

    waits: str = ""  # digest of the waits of the workload that it is bound to

    name = "recorded"
    traits = Traits(recorded=True, draws=False)

    def for_workload(self, workload: Workload) -> "Recorded":
        """Bind it to the waits of a workload, which are not part of what other policies can see.

        Raises ``ValueError`` if not every job has a wait; says why, and what to do.
        """
        unknown = int(np.count_nonzero(workload.wait < 0))
        if unknown == len(workload):
            why = workload.header.get("Waits", "its jobs come with no waits")
            raise ValueError(f"recorded: {workload.name} has no recorded schedule: {why}")
        if unknown:
            raise ValueError(
                f"recorded: {unknown:,} of {len(workload):,} jobs of {workload.name} have no wait in the log; "
                "leave them out, under all policies, with known_waits=True (--known-waits)"
            )
        digest = hashlib.sha256(workload.wait.astype("<i8").tobytes()).hexdigest()
        return replace(self, waits=digest)

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan:  # noqa: ARG002
        """Refuse to decide a round."""
        raise ValueError("recorded: a recorded schedule cannot plan a round; name another policy")
