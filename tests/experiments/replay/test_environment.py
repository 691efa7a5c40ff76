"""The environment for reinforcement learning: gymnasium's checker, the replay's rules, and rewards by hand."""

import numpy as np
import pytest

import planbatch as pb
from planbatch.baselines import StepwisePolicy

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
WORKLOAD = pb.synthetic_workload(jobs=150, capacity=32, load=1.1, seed=3)


def play(env, choose, **reset):
    """Play an episode; return the sum of the rewards and the actions."""
    observation, info = env.reset(**reset)
    total, actions, over = 0.0, [], False
    while not over:
        actions.append(choose(info["action_mask"]))
        observation, reward, over, _, info = env.step(actions[-1])
        total += reward
    assert not any(values.any() for values in observation.values())
    return total, actions


def test_gymnasiums_checker_finds_nothing() -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(pb.SchedulingEnv(WORKLOAD, jobs=50), skip_render_check=True)


def test_a_function_may_end_the_round():
    """Two processors and two jobs of one, 10 s each: the round at 0 ends after the first job, so the second waits.

    ::

        1 | .  .
        0 | a  b
    """
    ten = np.array([10, 10])
    workload = pb.Workload("two", 2, np.array([1, 2]), np.zeros(2, int), np.ones(2, int), ten, ten)
    choices = iter([0, 2, 0])
    assert pb.replay(workload, StepwisePolicy(lambda decision, rng: next(choices), 2)).start.tolist() == [0, 10]


def test_the_first_job_each_time_is_the_decoder_on_the_submit_order() -> None:
    """Who always places the first job that has no start plans each round in FCFS order, as ``replanned`` does."""
    env = pb.SchedulingEnv(WORKLOAD, visible=len(WORKLOAD))
    total, _ = play(env, lambda mask: int(mask.argmax()))
    expected = pb.replay(WORKLOAD, "replanned").start
    assert (env.simulation.start == expected).all()
    assert total == pytest.approx(-(expected - WORKLOAD.submit).sum() / 3600)
    policy = StepwisePolicy(lambda decision, rng: int(decision.mask.argmax()), len(WORKLOAD))
    trace = pb.replay(WORKLOAD, policy)
    assert (trace.start == expected).all()
    assert pb.check_trace(trace) == []


def test_rewards_of_bounded_slowdown() -> None:
    env = pb.SchedulingEnv(WORKLOAD, visible=8, reward="bounded-slowdown")
    total, _ = play(env, lambda mask: int(mask.argmax()))
    waits = env.simulation.start - WORKLOAD.submit
    assert total == pytest.approx(-(waits / np.maximum(WORKLOAD.runtime, 10)).sum())


def test_equal_seeds_give_equal_episodes() -> None:
    def played(seed):
        env = pb.SchedulingEnv(WORKLOAD, jobs=40, visible=4)
        rng = np.random.default_rng(seed)
        return play(env, lambda mask: int(rng.choice(np.flatnonzero(mask))), seed=seed)

    assert played(1) == played(1) != played(2)


def test_resources_and_a_window() -> None:
    """A job that needs the whole memory cannot start beside another that holds some."""
    memory = pb.Resource("memory", 8)
    workload = pb.Workload(
        capacity=4, submit=np.array([0, 0]), procs=np.array([1, 1]), walltime=np.array([10, 10]),
        runtime=np.array([10, 10]), id=np.array([1, 2]), resources=(memory,),
        demands=np.array([[8], [1]]), name="two",
    )  # fmt: skip
    env = pb.SchedulingEnv(workload)
    observation, _ = env.reset()
    assert observation["jobs"][:2, 2].tolist() == [1.0, 0.125]
    play(env, lambda mask: int(mask.argmax()))
    assert env.simulation.start.tolist() == [0, 10]


def test_a_forbidden_action_is_replaced() -> None:
    """On an idle machine the round cannot be ended: the first job is placed instead."""
    env = pb.SchedulingEnv(WORKLOAD, jobs=20, visible=3)
    _, info = env.reset(options={"first": 0})
    assert info["action_mask"].tolist() == [1, 0, 0, 0]
    *_, info = env.step(3)
    assert info["replaced"]
    assert env.simulation.started == 1
    with pytest.raises(ValueError, match="action"):
        env.step(4)


def test_bad_parameters_and_bad_choices() -> None:
    with pytest.raises(ValueError, match="jobs"):
        pb.SchedulingEnv(WORKLOAD, jobs=0)
    with pytest.raises(ValueError, match="reward"):
        pb.SchedulingEnv(WORKLOAD, reward="luck")
    with pytest.raises(RuntimeError, match="reset"):
        pb.SchedulingEnv(WORKLOAD).step(0)
    for wrong in (lambda d, r: 99, lambda d, r: "first", lambda d, r: 1 / 0):
        with pytest.raises(ValueError, match="choose"):
            pb.replay(WORKLOAD, StepwisePolicy(wrong, name="mine"))
