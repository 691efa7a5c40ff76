"""The example of a learned policy: trained briefly, it is a policy by name, and its weights identify it."""

import json

import numpy as np
import pytest

import planbatch as pb
from examples import learned
from manual import ROOT
from planbatch.experiments.replay.identity import content_digest

pytestmark = pytest.mark.integration

WORKLOAD = pb.synthetic_workload(jobs=240, capacity=32, load=1.3, seed=4)


def train():
    """Train for five generations of eight, in another process."""
    return learned.train(WORKLOAD, generations=5, children=8, episode=240, processes=1)


@pytest.fixture(scope="module")
def trained():
    return train()


@pytest.mark.nightly
def test_training_is_repeatable_and_helps(trained):
    """Equal seeds, equal weights; on the same jobs they cost less than those it began with."""
    assert train().tolist() == trained.tolist()
    first = np.zeros(8)
    first[0] = -1.0
    assert learned.cost((trained, WORKLOAD)) < learned.cost((first, WORKLOAD))


def test_the_trained_rule_is_a_policy_by_name(trained, tmp_path, monkeypatch):
    """It replays as the object does, breaks no rule, and other weights are another policy."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "learned.json").write_text(json.dumps(trained.tolist()))
    named = pb.make_policy(f"{ROOT}/examples/learned.py:Learned")
    trace = pb.replay(WORKLOAD, named)
    assert pb.check_trace(trace) == []
    assert trace.start.tolist() == pb.replay(WORKLOAD, learned.Learned(trained)).start.tolist()
    (trained_digest, other) = map(content_digest, (named, learned.Learned(-trained)))
    assert trained_digest != other
