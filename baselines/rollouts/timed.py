"""Rollouts under a budget in seconds: the same kernels, called one by one, with a look at the clock between them."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types
from planbatch.planner.kernels.lending import Lent
from planbatch.planner.kernels.native import compiled_for
from planbatch.planner.kernels.profile import any_fits
from planbatch.planner.kernels.signatures import (
    COST,
    FLOAT64_ARRAY,
    GENERATOR,
    INT64_ARRAY,
    JOB_TABLE,
    ORDER_KEYS,
    round_types,
)
from planbatch.planner.optimizers.annealing.optimizer import Annealing, compiled_kernels

from planbatch.baselines.policy import (
    CompiledPolicy,
    Traits,
    empty_report,
    explained,
    reported_result,
)
from planbatch.baselines.rollouts.candidates import (
    PROPOSALS,
    Candidates,
    first_candidate,
    propose,
    propose_numbered,
    with_expected_run_times,
)
from planbatch.baselines.rollouts.judgement import (
    Judgement,
    concluded,
    judge_in_a_future,
    new_judgement,
)
from planbatch.planner.budget import Budget, Clock
from planbatch.planner.history import History
from planbatch.planner.model import NEVER, FloatArray
from planbatch.planner.objective import Objective, ObjectiveError
from planbatch.planner.optimizer import Result
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round, RoundArrays

#: Of its time a round keeps this share for the simulations, and each search takes at most this share of what is left.
FOR_SIMULATIONS, FOR_A_SEARCH = 0.5, 0.25


def base_keys(arrays: RoundArrays, order: Any) -> FloatArray:
    """Return the keys by the base order; none if no job can start now."""
    return order(arrays.jobs, arrays.now) if any_fits(arrays) else np.empty(0)


class _Kernels(NamedTuple):
    """The steps of a round, or the types of their arguments."""

    base_keys: Any
    first_candidate: Any
    with_expected_run_times: Any
    propose_numbered: Any
    propose: Any
    new_judgement: Any
    judge_in_a_future: Any
    concluded: Any


#: One source: compiled in :func:`compiled_steps`.
_STEPS = _Kernels(
    base_keys,
    first_candidate,
    with_expected_run_times,
    propose_numbered,
    propose,
    new_judgement,
    judge_in_a_future,
    concluded,
)


@cache
def compiled_steps(several: bool) -> _Kernels:
    """Return the steps for machines with several resources, or for those with processors alone."""
    arrays, number = round_types(several).arrays, types.int64
    sets, keys = typeof(np.zeros((1, 1), np.bool_)), FLOAT64_ARRAY
    known = Lent(Candidates, (sets, INT64_ARRAY))
    judged = Lent(Judgement, (JOB_TABLE, sets, keys, keys, keys))
    signatures = _Kernels(
        (arrays, ORDER_KEYS),
        (arrays, keys),
        (arrays,),
        (known, arrays, arrays, keys, number),
        (known, arrays, INT64_ARRAY),
        (arrays, known, keys),
        (arrays, ORDER_KEYS, COST, number, GENERATOR, judged),
        (judged, types.float64, keys),
    )
    return _Kernels(
        *(
            compiled_for(signature, function)
            for signature, function in zip(signatures, _STEPS, strict=True)
        )
    )


@dataclass(frozen=True)
class TimedRollouts:
    """Rollouts whose rounds have a time: proposals, searches and futures stop where it is used up.

    After k futures with all sets proposed, the decision is that of ``samples=k`` without a time.

    Attributes
    ----------
    untimed : CompiledPolicy
        The policy without a time; its first parameter is the most futures, infinite for no limit.
    objective : Objective
        What futures cost.
    budget : Budget
        The time of a round, and the evaluations of its searches.

    Examples
    --------
    >>> import planbatch as pb
    >>> policy = pb.make_policy("rollouts:seconds=0.05")
    >>> problem = pb.Round.of(capacity=4, waiting=[(0, 3, 60), (0, 2, 30), (0, 1, 90)])
    >>> policy(problem, pb.seeded(1)).seconds < 60
    True
    """

    untimed: CompiledPolicy
    objective: Objective
    budget: Budget

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.untimed.name

    @property
    def traits(self) -> Traits:
        """It searches; its parameters are those of rollouts, the time among them."""
        return self.untimed.traits

    @property
    def history(self) -> History | None:
        """The run times of each user's jobs."""
        return self.untimed.history

    def compiled_form(self) -> None:
        """None: only plain Python looks at the clock."""

    def __call__(self, problem: Round, rng: np.random.Generator) -> Result:
        """Decide one round; what it cost and took is in the result."""
        try:
            return self.decided(problem, rng)
        except ObjectiveError:
            raise
        except Exception as error:
            raise explained(error, self.untimed, problem.now) from error

    def decided(self, problem: Round, rng: np.random.Generator) -> Result:
        """Decide one round; errors do not name what they come from."""
        kernels = compiled_steps(bool(problem.resources))
        if self.budget.evaluations:  # those of the searches: compiling is not the round's time
            compiled_kernels(bool(problem.resources))
        clock = self.budget.start()
        arrays = problem.arrays
        start = np.full(len(problem), NEVER)
        report = empty_report()
        keys = kernels.base_keys(arrays, self.untimed.order)
        if len(keys):
            known = kernels.first_candidate(arrays, keys)
            if not known.sets[0].all():
                self.propose_others(problem, known, keys, kernels, clock, rng)
            best = 0
            if known.number[0] > 1:
                best = self.judge(arrays, known, keys, kernels, clock, rng, report)
            start[known.sets[best]] = problem.now
        return reported_result(Plan(start), report, clock.elapsed)

    def propose_others(
        self,
        problem: Round,
        known: Candidates,
        keys: FloatArray,
        kernels: _Kernels,
        clock: Clock,
        rng: np.random.Generator,
    ) -> None:
        """Propose what :func:`candidates_of` does, as long as there is time."""
        arrays, seconds = problem.arrays, self.budget.seconds or 0.0
        expected = kernels.with_expected_run_times(arrays)
        for number in range(PROPOSALS):
            if clock.remaining < FOR_SIMULATIONS * seconds:
                return
            kernels.propose_numbered(known, arrays, expected, keys, number)
        if not self.budget.evaluations:
            return
        jobs = problem.jobs._replace(walltime=expected.jobs.walltime)
        rounds = [problem] if len(problem.windows.start) else [problem, replace(problem, jobs=jobs)]
        for searched in rounds:
            if clock.remaining < FOR_SIMULATIONS * seconds:
                return
            most = replace(self.budget, seconds=FOR_A_SEARCH * clock.remaining)
            found = Annealing().optimize(searched, self.objective, most, rng)
            kernels.propose(known, arrays, found.plan.start.copy())

    def judge(
        self,
        arrays: RoundArrays,
        known: Candidates,
        keys: FloatArray,
        kernels: _Kernels,
        clock: Clock,
        rng: np.random.Generator,
        report: FloatArray,
    ) -> int:
        """Simulate future after future until the time is used up; return the candidate to start."""
        most, span, confidence = self.untimed.params[:3]
        order, cost = self.untimed.order, self.untimed.cost
        judged, longest = kernels.new_judgement(arrays, known, keys), 0.0
        while judged.base[0] < most and clock.remaining > longest:
            began = clock.elapsed
            kernels.judge_in_a_future(arrays, order, cost, int(span), rng, judged)
            longest = max(longest, clock.elapsed - began)
        return kernels.concluded(judged, confidence, report)
