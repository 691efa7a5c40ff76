"""Policies on their way to another process."""

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.runs.pickled import packed, unpacked


def test_policies_of_the_core_travel_by_their_arguments():
    """They are equal in the other process."""
    policy = make_policy("easy:shortest/smallest@20h")
    assert unpacked(packed(policy)) == policy


def test_functions_without_a_module_travel_as_copies():
    """A policy that was defined on the spot."""
    assert unpacked(packed(lambda problem, rng: 42))(None, None) == 42
