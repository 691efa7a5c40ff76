"""Policies on their way to another process."""

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.tasks.pickled import packed, unpacked


def test_kernels_travel_by_name():
    """Another process loads their compiled code instead of compiling it anew."""
    policy = make_policy("easy-sjf")
    again = unpacked(packed(policy))
    assert again == policy
    assert again.decide is policy.decide
    assert again.order is policy.order


def test_functions_without_a_module_travel_as_copies():
    """A policy that was defined on the spot."""
    assert unpacked(packed(lambda problem, rng: 42))(None, None) == 42
