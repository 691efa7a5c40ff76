"""Chosen rounds of a replay: it runs compiled up to each of them, and what the policy sees there is kept."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from planbatch.baselines.policy import Policy, typed_decision
from planbatch.experiments.replay.estimates import Estimates, predictor_of, shared_history
from planbatch.experiments.replay.loop.drive import compiled_drive, drive
from planbatch.experiments.replay.loop.state import At, Replay, Status, empty_log
from planbatch.experiments.replay.replay import (
    MOST_ROUNDS,
    NO_KERNELS,
    ReplayError,
    compiled_form,
    describe_failure,
    further_kernels,
    learner_of,
    prepare,
    round_seen,
    run_loop,
    warm_up,
)
from planbatch.planner.model import Workload
from planbatch.planner.round import Round, RoundArrays


def rounds_at(
    workload: Workload,
    policy: Policy,
    numbers: Sequence[int],
    *,
    estimates: Estimates = "requested",
    seed: int = 0,
) -> Iterator[Round]:
    """Give chosen rounds of a replay under a policy that is compiled and bound to the workload.

    Parameters
    ----------
    workload, policy, estimates, seed
        As in :func:`replay`.
    numbers : sequence of int
        Which rounds, ascending: their places in ``Trace.rounds``.
    """
    native = compiled_form(policy)
    assert native is not None
    several = bool(workload.resources)
    warm_up(native, several, estimates)
    state = prepare(workload, estimates, getattr(policy, "promise", None), native.history)
    order, cost, params = native.order, native.cost, native.param_array
    kept = shared_history(native.history, predictor_of(estimates))
    further = further_kernels(state, kept, order)
    rng = np.random.default_rng(seed)
    decide = typed_decision(native.decide, several)
    seen: list[Round] = []

    def look(arrays: RoundArrays, *rest: Any) -> None:
        """Keep the round, and decide it."""
        seen.append(round_seen(arrays, workload, state))
        decide(arrays, *rest)

    def run(loop: Any, deciding: Any, rounds: int) -> None:
        """Run some more rounds."""
        paged: Replay = state._replace(log=empty_log(rounds))
        state.counters[At.LOGGED] = 0
        given = (deciding, order, cost, *further, params, rng)
        status = run_loop(paged, loop, given, learner_of(kept))
        if status != Status.LOG_FULL:
            raise ReplayError(describe_failure(status, policy, state))

    done = 0
    for number in numbers:
        while done < number:
            rounds = min(number - done, MOST_ROUNDS)
            run(compiled_drive(several, further == NO_KERNELS), native.decide, rounds)
            done += rounds
        run(drive, look, 1)
        done += 1
        yield seen.pop()
