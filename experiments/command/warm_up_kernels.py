"""Compiling all kernels, in several processes."""

import warnings
from collections.abc import Iterable
from dataclasses import replace

from planbatch.baselines.catalogue import POLICIES, make_policy
from planbatch.baselines.lookahead import Lookahead
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.tasks.run import run_tasks
from planbatch.experiments.tasks.task import Failure, Task, without_progress
from planbatch.experiments.workloads.lublin import synthetic_workload
from planbatch.objectives.makespan import MAKESPAN
from planbatch.objectives.wait import SQUARED_WAIT
from planbatch.planner.bounds import lower_bound
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
    others = [name for name in POLICIES if name not in LONGEST]
    tasks: list[Task] = [
        *(without_progress(_replay, name, several) for name, several in replays(LONGEST)),
        *(without_progress(_search, name, several) for several in BOTH for name in OPTIMIZERS),
        *(without_progress(_replay, name, several) for name, several in replays(others)),
        without_progress(_bound),
    ]
    with warnings.catch_warnings():
        # Compiling takes memory, so joblib restarts a process now and then.
        warnings.filterwarnings("ignore", "A worker stopped while", UserWarning)
        for _, result in run_tasks(tasks, jobs):
            if isinstance(result, Failure):
                raise RuntimeError(result.error)


def replays(names: Iterable[str]) -> list[tuple[str, bool]]:
    """Return each policy on processors alone, and on several resources if it knows them."""
    return [
        (name, several)
        for several in BOTH
        for name in names
        if not (several and isinstance(make_policy(name), Lookahead))
    ]


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
