"""Compiling all kernels."""

import pytest

from planbatch.baselines.catalogue import POLICIES, make_policy
from planbatch.experiments.command.warm_up_kernels import replays, small_workload
from planbatch.experiments.replay.replay import bound


def test_every_policy_is_compiled_for_processors_alone_and_nearly_all_for_several_resources():
    """``los`` knows processors alone."""
    assert [name for name, several in replays(POLICIES) if not several] == list(POLICIES)
    refused = set(POLICIES) - {name for name, several in replays(POLICIES) if several}
    assert refused == {"los"}


@pytest.mark.parametrize(("name", "several"), replays(POLICIES))
def test_no_policy_refuses_the_jobs_that_it_is_compiled_with(name, several):
    """Else ``make setup`` fails."""
    policy = bound(make_policy(name), small_workload(several))
    assert policy.name == name
