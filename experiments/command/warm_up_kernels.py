"""Compiling all kernels, in several processes."""

import gc
import warnings
from dataclasses import replace
from typing import Any

from planbatch.baselines.catalogue import POLICIES, make_policy
from planbatch.baselines.lookahead import Lookahead
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.tasks.run import run_tasks
from planbatch.experiments.tasks.task import Failure, without_progress
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives.makespan import MAKESPAN
from planbatch.objectives.wait import SQUARED_WAIT
from planbatch.planner.bounds import lower_bound
from planbatch.planner.kernels.shortcuts import without_collections
from planbatch.planner.model import Workload
from planbatch.planner.optimizers import OPTIMIZERS, make_optimizer, warm_up
from planbatch.planner.resources import Resource
from planbatch.planner.round import Round

#: Without and with resources besides processors.
BOTH = (False, True)
#: The policies that take longest to compile, started first; others of their families share most of the kernels.
LONGEST = ("dbf", "plan-wait", "ibb", "conservative")


def warm_up_everything(jobs: int = 1) -> None:
    """Compile every kernel and keep it on disk; load those that are there already.

    Parameters
    ----------
    jobs : int
        Number of processes.
    """
    if jobs <= len(BOTH):  # what both need, the second to want it loads from disk
        tasks = [without_progress(_everything, several) for several in BOTH]
    else:
        tasks = [without_progress(*task) for several in BOTH for task in compiling(several)]
    with warnings.catch_warnings():
        # Compiling takes memory, so joblib restarts a process now and then.
        warnings.filterwarnings("ignore", "A worker stopped while", UserWarning)
        for _, result in run_tasks(tasks, jobs):
            if isinstance(result, Failure):
                raise RuntimeError(result.error)


def compiling(several: bool) -> list[tuple[Any, ...]]:
    """Return functions with their arguments that together compile all kernels.

    Objectives and bounds are the same for one resource and for several: one process begins with them, while the other
    is busy with what takes longest.
    """
    searches = [(_search, name, several) for name in OPTIMIZERS]
    if several:
        return [*replays(several), *searches]
    return [(_bound,), *searches, *replays(several)]


def replays(several: bool) -> list[tuple[Any, ...]]:
    """Return the policies to replay, those first that take longest; some know only processors."""
    names = sorted(POLICIES, key=lambda name: name not in LONGEST)
    return [
        (_replay, name, several)
        for name in names
        if not (several and isinstance(make_policy(name), Lookahead))
    ]


def _everything(several: bool) -> None:
    """Compile all kernels, for processors alone or for several resources.

    Python looks for garbage once after each step, in what that has made: nearly all that is left then stays.
    """
    try:
        with without_collections():
            for function, *arguments in compiling(several):
                function(*arguments)
                gc.collect(0)
                gc.freeze()
    finally:
        gc.unfreeze()


def small_workload(several: bool) -> Workload:
    """Return a few jobs, on processors alone or on two resources."""
    workload = synthetic_workload(jobs=20, capacity=64)
    if several:
        demands = workload.procs[:, None]
        workload = replace(workload, resources=(Resource("other", 64),), demands=demands)
    return workload


def _replay(name: str, several: bool) -> None:
    """Compile a policy and the event loop."""
    replay(small_workload(several), make_policy(name))


def _search(name: str, several: bool) -> None:
    """Compile an optimizer."""
    warm_up(make_optimizer(name), SQUARED_WAIT, several)


def _bound() -> None:
    """Compile the lower bounds."""
    example = Round.of(capacity=2, now=1, waiting=[(0, 1 + i % 2, 1 + i) for i in range(8)])
    for objective in (SQUARED_WAIT, MAKESPAN):
        lower_bound(example, objective)
