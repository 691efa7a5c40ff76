"""The contract of policies, kept by every policy of the catalogue; names; a policy of one's own."""

import numpy as np
import pytest

from planbatch import _core
from planbatch.baselines.catalogue import POLICIES, make_policy, plan_based, settings_for
from planbatch.baselines.plan_based import PlanBased
from planbatch.baselines.policy import core_form
from planbatch.baselines.promise import Promise
from planbatch.baselines.queue_based import in_order
from planbatch.experiments.replay.checker import check_trace
from planbatch.experiments.replay.replay import replay
from planbatch.objectives import OBJECTIVES, WAIT
from planbatch.planner import Tabu
from planbatch.planner.budget import REPLAY_EVALUATIONS, Budget
from planbatch.planner.model import NEVER
from planbatch.planner.objective import Objective
from planbatch.planner.plan import Plan
from planbatch.planner.profile import Profile
from planbatch.planner.round import Round
from tests.builders import workload_of
from tests.contracts.policy_contract import PolicyContract

#: The plan-based policies of the catalogue are one class: three of them will do.
PLANS = ("plan-squared-wait", "plan-makespan", "plan-regular-wait")
NAMES = [name for name in POLICIES if not name.startswith("plan-") or name in PLANS]
#: With other parameters and orders: alone, in pairs, with thresholds, and with histories.
OTHERS = [
    *("easy:smallest-area", "replanned:wfp3@1h", "bb:lxf", "easy:fcfs/sjf", "easy:lxf/saf@2h", "fcfs:saf@1h"),
    *("first-reserved:5,order=fcfs/sjf", "selective:1,order=lxf", "slack:1d+1x", "easy:multifactor"),
    "easy:fcfs/(multifactor:size=500,half_life=1h)@3h",
]


class TestCatalogue(PolicyContract):
    """Every policy that the command knows."""

    @pytest.fixture(params=[*NAMES, *OTHERS])
    def policy(self, request):
        """Return the policies one after the other, those that search with few evaluations."""
        few = settings_for(request.param, {"evaluations": 20}) if request.param in NAMES else {}
        return make_policy(request.param, **few)


class SmallestFirst:
    """A policy of one's own, in plain Python."""

    name = "smallest-first"

    def __call__(self, problem: Round, rng: np.random.Generator) -> Plan:
        """Reserve in the order of sizes."""
        profile = Profile(problem)
        start = np.full(len(problem), NEVER)
        for i in np.argsort(problem.jobs.procs, kind="stable"):
            procs, walltime = int(problem.jobs.procs[i]), int(problem.jobs.walltime[i])
            start[i] = profile.earliest(procs, walltime)
            profile.reserve(procs, int(start[i]), walltime)
        return Plan(start)


class TestOwnPolicy(PolicyContract):
    """Ten lines of plain Python are a policy, too."""

    @pytest.fixture
    def policy(self):
        return SmallestFirst()

    def test_it_does_what_the_catalogue_does(self, policy, busy):
        """The decoder on the same order."""
        assert core_form(policy) is None
        theirs = replay(busy, make_policy("replanned:smallest"))
        assert replay(busy, policy).start.tolist() == theirs.start.tolist()


def area(jobs, now):
    return (jobs.procs * jobs.walltime).astype(np.float64)


def test_an_order_in_plain_python_runs_in_the_core(busy_week):
    """It gives what the built-in order gives."""
    mine = in_order("mine", _core.Easy, area)
    theirs = replay(busy_week, make_policy("easy:smallest-area"))
    assert replay(busy_week, mine).start.tolist() == theirs.start.tolist()


def test_an_objective_in_plain_python_runs_in_the_core(busy_week):
    """It gives the plans that the built-in objective gives."""
    mean_wait = Objective("wait", lambda start, jobs, now: float((start - jobs.submit).mean()))
    mine = PlanBased(mean_wait, evaluations=15)
    assert mine.core_form() is not None
    native = PlanBased(WAIT, evaluations=15)
    first, second = replay(busy_week, mine, seed=4), replay(busy_week, native, seed=4)
    assert first.start.tolist() == second.start.tolist()
    assert first.rounds.evaluations.tolist() == second.rounds.evaluations.tolist()
    assert check_trace(first) == []


@pytest.fixture(scope="module")
def busy_week():
    """Return sixty jobs in which something is always to be decided."""
    rng = np.random.default_rng(7)
    submit = np.sort(rng.integers(0, 300, 60))
    walltime = rng.integers(5, 60, 60)
    runtime = np.maximum(walltime - rng.integers(0, 30, 60), 1)
    return workload_of(8, np.column_stack([submit, rng.integers(1, 9, 60), walltime, runtime]))


def test_every_objective_has_its_policy():
    for name in OBJECTIVES:
        assert make_policy(f"plan-{name}").name == f"plan-{name}"
        assert make_policy(f"plan-{name}").budget == Budget(evaluations=REPLAY_EVALUATIONS)


def test_parameters_of_objectives():
    """Behind a colon; two parameters are two policies."""
    one, other = make_policy("plan-aged-wait:12h"), make_policy("plan-aged-wait:2d", promise="2x")
    assert (one.name, other.name) == ("plan-aged-wait:12h", "plan-aged-wait:2d")
    assert one.core_form() is not None


def test_budgets_and_optimizers_reach_plan_based_policies():
    """By evaluations, by seconds, by name."""
    assert make_policy("plan-wait", seconds=0.5).budget == Budget(seconds=0.5)
    assert make_policy("plan-wait", evaluations=7).budget == Budget(evaluations=7)
    assert make_policy("plan-wait", optimizer="annealing-paper").optimizer.name == "annealing-paper"
    assert plan_based(objective=WAIT, optimizer="annealing", evaluations=3).optimizer.name == "annealing"
    assert make_policy("plan-wait", seconds=0.5).core_form() is None


def test_an_optimizer_that_cannot_work_on_the_objective_is_refused_at_once():
    """Before a replay begins, not an hour into it."""

    class Picky:
        name = "picky"

        def supports(self, objective):
            return False

        def optimize(self, problem, objective, budget, rng):
            raise AssertionError

    with pytest.raises(ValueError, match="optimizer picky cannot work on the objective wait"):
        PlanBased(WAIT, Picky())


def test_two_policies_of_a_name_are_equal():
    """They hold parameters, and no state."""
    for name in POLICIES:
        assert make_policy(name) == make_policy(name), name


def test_a_plan_based_policy_is_made_of_names():
    """What it holds are objects, whatever it was given."""
    policy = PlanBased("wait", "tabu", evaluations=20, promise="2x")
    assert policy == PlanBased(WAIT, Tabu(), evaluations=20, promise=Promise(walltimes=2.0))
