"""An environment for reinforcement learning: a replay, one decision at a time, with the replay's exact rules."""

from typing import Any

import gymnasium
import numpy as np

from planbatch import _core
from planbatch.baselines.stepwise import VISIBLE, Decision
from planbatch.experiments.replay.simulation import Simulation
from planbatch.experiments.replay.trace import SLOWDOWN_BOUND
from planbatch.experiments.workloads.as_workload import as_workload
from planbatch.planner.arguments import whole
from planbatch.planner.display import counted
from planbatch.planner.model import FloatArray, Workload


class SchedulingEnv(gymnasium.Env[dict[str, Any], np.int64]):
    """A replay as an environment of gymnasium: in each step, the agent chooses the next waiting job to place.

    The chosen job starts now if it fits, otherwise its earliest feasible start is reserved; ``visible`` ends the round.
    Rounds in which no visible job could start now pass by themselves. What is observed is a :class:`Decision`, as a
    dictionary; the mask is in ``info["action_mask"]``, too. No run time can be observed. Where the mask forbids an
    action, the first allowed one is taken, and ``info["replaced"]`` is True.

    The reward of a step is minus the time until the next decision, summed over the waiting jobs: in hours for
    ``wait``, divided by each job's max(run time, 10 s) for ``bounded-slowdown``. Over an episode this is minus the sum
    of all waits, or of all waits divided so.

    Parameters
    ----------
    workload : Workload
        The jobs and the machine.
    jobs : int, optional
        How many consecutive jobs an episode has; by default, all.
    visible : int
        How many waiting jobs may be chosen from, the first in FCFS order.
    reward : str
        ``wait`` or ``bounded-slowdown``.

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> import planbatch as pb
    >>> env = pb.SchedulingEnv(pb.synthetic_workload(jobs=300, capacity=16), jobs=100)
    >>> seen, info = env.reset(seed=1)
    >>> over, total = False, 0.0
    >>> while not over:
    ...     seen, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
    ...     total += reward
    >>> total < 0
    True
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as gymnasium declares it

    def __init__(
        self, workload: Workload, jobs: int | None = None, visible: int = VISIBLE, reward: str = "wait"
    ) -> None:
        workload, visible = as_workload(workload), whole("visible", visible, 1, "jobs")
        if not len(workload):
            raise ValueError("workload: it has no job")
        length = len(workload) if jobs is None else whole("jobs", jobs, 1)
        if not 1 <= length <= len(workload):
            raise ValueError(f"jobs: {jobs} is outside 1 … {len(workload):,}")
        self.workload, self.jobs, self.visible = workload, length, visible
        self._penalty = _penalties(workload, reward)
        high = 3.0  # log(1 + 2^60) / 20 is 2.1
        self.observation_space = gymnasium.spaces.Dict(
            {
                "jobs": gymnasium.spaces.Box(0.0, high, (visible, _core.JOB_FEATURES)),
                "machine": gymnasium.spaces.Box(0.0, high, (_core.MACHINE_FEATURES,)),
                "mask": gymnasium.spaces.Box(0, 1, (visible + 1,), np.uint8),
            }
        )
        self.action_space = gymnasium.spaces.Discrete(visible + 1)
        self._core: _core.Environment | None = None
        self._simulation: Simulation | None = None

    def __repr__(self) -> str:
        episode = f"episodes of {counted(self.jobs, 'job')}"
        return f"SchedulingEnv({self.workload.name}: {episode}, {self.visible} visible)"

    @property
    def simulation(self) -> Simulation:
        """The replay of this episode."""
        if self._simulation is None:
            raise RuntimeError("the environment has not been reset yet; call reset()")
        return self._simulation

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode.

        Parameters
        ----------
        seed : int, optional
            Seed of the numbers that choose the first job.
        options : dict, optional
            ``{"first": i}`` begins with job i instead.
        """
        super().reset(seed=seed)
        last = len(self.workload) - self.jobs
        first = int((options or {}).get("first", self.np_random.integers(last + 1)))
        if not 0 <= first <= last:
            raise ValueError(f"first: {first} is outside 0 … {last}")
        rows = slice(first, first + self.jobs)
        self._simulation = Simulation(self.workload.take(rows), name="environment")
        self._core = self._simulation.decisions(self.visible, self._penalty[rows])
        return self._observe()

    def step(self, action: int | np.int64) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Place a job, or end the round.

        Raises
        ------
        ValueError
            If the action is outside 0 … visible.
        RuntimeError
            If the environment has not been reset, or the episode is over.
        """
        core = self._core
        if core is None or core.is_over:
            raise RuntimeError("there is no decision to take; call reset()")
        if not 0 <= action <= self.visible:
            raise ValueError(f"action: {action!r} is outside 0 … {self.visible}")
        replaced = not self._mask[action]
        reward = core.step(int(self._mask.argmax() if replaced else action))
        observation, info = self._observe(replaced)
        return observation, reward, core.is_over, False, info

    def _observe(self, replaced: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
        assert self._core is not None
        observation = Decision(*self._core.observe())
        if self._core.is_over:
            for values in observation:
                values.fill(0)
        self._mask = observation.mask
        return observation._asdict(), {"action_mask": observation.mask, "replaced": replaced}


def _penalties(workload: Workload, reward: str) -> FloatArray:
    """Return what a second of each job's wait costs."""
    if reward == "wait":
        return np.full(len(workload), 1 / 3600)
    if reward == "bounded-slowdown":
        return 1.0 / np.maximum(workload.runtime, SLOWDOWN_BOUND)
    raise ValueError(f"reward: {reward!r} is neither wait nor bounded-slowdown")
