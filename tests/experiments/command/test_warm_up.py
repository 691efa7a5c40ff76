"""Compiling all kernels."""

import pytest

from planbatch.baselines.catalogue import POLICIES, make_policy
from planbatch.experiments.command.warm_up_kernels import replays, small_workload
from planbatch.experiments.replay.replay import bound


def test_every_policy_is_compiled_for_processors_alone_and_nearly_all_for_several_resources():
    """``los`` knows processors alone."""
    names = [{name for _, name, _ in replays(several)} for several in (False, True)]
    assert names == [set(POLICIES), set(POLICIES) - {"los"}]


@pytest.mark.parametrize(
    ("name", "several"), [row[1:] for both in (False, True) for row in replays(both)]
)
def test_no_policy_refuses_the_jobs_that_it_is_compiled_with(name, several):
    """Else ``make setup`` fails."""
    policy = bound(make_policy(name), small_workload(several))
    assert policy.name == name
