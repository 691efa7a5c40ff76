"""Chosen rounds of a replay: the replay runs again, and stops at each of them."""

from collections.abc import Iterator, Sequence

import numpy as np

from planbatch.baselines.policy import Policy, core_form
from planbatch.experiments.replay.estimates import Estimates
from planbatch.experiments.replay.replay import simulation_for
from planbatch.planner.model import Workload
from planbatch.planner.round import Round


def rounds_at(
    workload: Workload,
    policy: Policy,
    numbers: Sequence[int],
    *,
    estimates: Estimates = "requested",
    seed: int = 0,
) -> Iterator[Round]:
    """Yield chosen rounds of a replay under a policy that is bound to the workload.

    Parameters
    ----------
    workload, policy, estimates, seed
        As in :func:`replay`.
    numbers : sequence of int
        Which rounds, ascending: their places in ``Trace.rounds``.
    """
    simulation = simulation_for(policy, workload, estimates)
    rng = np.random.default_rng(seed)
    form = core_form(policy)
    for number in numbers:
        while form is not None and simulation.rounds < number:
            simulation.run(form.core, rng, 60.0, number)
        while simulation.rounds <= number and (problem := simulation.advance()) is not None:
            if simulation.rounds == number:
                yield problem
            simulation.commit(policy(problem, rng))  # type: ignore[arg-type]
