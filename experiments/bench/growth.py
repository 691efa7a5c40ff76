"""How the time of a round grows with the number of waiting jobs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import process_time

import numpy as np

from planbatch.baselines.catalogue import POLICIES, make_policy
from planbatch.baselines.policy import Policy
from planbatch.experiments.replay.loop.drive import compiled_drive
from planbatch.experiments.replay.loop.state import At, empty_log
from planbatch.experiments.replay.replay import (
    NO_KERNELS,
    bound,
    compiled_form,
    further_kernels,
    prepare,
    warm_up,
)
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.planner.model import Workload

#: Numbers of waiting jobs.
SIZES = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
#: A policy is not measured on longer queues once a round takes longer (s).
SLOW = 0.05
#: For how long rounds are timed (s), and how many at least and at most.
SECONDS = 0.2
FEWEST, MOST = 10, 4000
#: Rounds that take at least so long (s) are timed one by one, too, so many of them.
LONG, ALONE = 0.001, 200


@dataclass(frozen=True)
class Growth:
    """The time of a policy's rounds at ever longer queues.

    Attributes
    ----------
    policy : str
        Its name.
    waiting : list of float
        Mean numbers of waiting jobs, ascending.
    seconds : list of float
        Mean processor time of a round at each (s).
    slow : list of float or None
        The 99th percentile of it (s); None where a round takes less than a millisecond.
    """

    policy: str
    waiting: list[float]
    seconds: list[float]
    slow: list[float | None]

    @property
    def slope(self) -> float:
        """The exponent of growth over the last decade that was measured; NaN if less was."""
        last = np.array(self.waiting) >= self.waiting[-1] / 10
        if last.sum() < 2:
            return float("nan")
        x, y = np.log(np.array(self.waiting)[last]), np.log(np.array(self.seconds)[last])
        return float(np.polyfit(x, y, 1)[0])


def queue_of(waiting: int) -> Workload:
    """A busy machine on which so many jobs wait from the beginning, and more arrive as fast as others can leave."""
    workload = synthetic_workload(jobs=waiting + MOST, load=1.0)
    submit = workload.submit - workload.submit[waiting]
    return replace(workload, submit=np.maximum(submit, 0))


def time_rounds(policy: Policy, workload: Workload) -> tuple[float, float, float | None]:
    """Time rounds behind the first ones of a replay; return the mean number of waiting jobs, and seconds a round.

    The last number is the 99th percentile of the seconds, None if rounds are short. Seconds are of processor time, so
    that what else the machine does counts little.
    """
    native = compiled_form(bound(policy, workload))
    assert native is not None
    warm_up(native)
    state = prepare(workload, "requested", None, native.history)
    rng = np.random.default_rng(0)
    further = further_kernels(state, native.history, native.order)
    given = native.decide, native.order, native.cost, *further, native.param_array, rng
    loop = compiled_drive(False, further == NO_KERNELS)

    def run(rounds: int) -> tuple[float, float]:
        """Run some more rounds; entering the loop, without a round, is not counted."""
        log, taken = empty_log(rounds), []
        for page in (empty_log(0), log):
            state.counters[At.LOGGED] = 0
            began = process_time()
            loop(state._replace(log=page), *given)
            taken.append(process_time() - began)
        done = int(state.counters[At.LOGGED])
        return float(log.waiting[:done].mean()), max(taken[1] - taken[0], 1e-9) / done

    run(1)
    waiting, seconds = run(FEWEST)
    # Queues become longer and shorter with time: short ones are soon of another length.
    waiting, seconds = run(
        min(max(int(SECONDS / seconds), FEWEST), MOST, max(1000, 4 * int(waiting)))
    )
    if seconds < LONG:
        return waiting, seconds, None
    return waiting, seconds, float(np.quantile([run(1)[1] for _ in range(ALONE)], 0.99))


def measure_growth(
    names: Sequence[str] | None = None, sizes: Sequence[int] = SIZES
) -> Iterator[Growth]:
    """Time the rounds of policies (by default, all that are compiled) at ever longer queues."""
    for name in POLICIES if names is None else names:
        policy = make_policy(name)
        if compiled_form(policy) is None:
            continue
        waiting: list[float] = []
        seconds: list[float] = []
        slow: list[float | None] = []
        for size in sizes:
            long, taken, slowest = time_rounds(policy, queue_of(size))
            waiting.append(long)
            seconds.append(taken)
            slow.append(slowest)
            if taken > SLOW:  # longer queues would take minutes
                break
        yield Growth(name, waiting, seconds, slow)
