"""Mistakes of users in Python: each ends with one sentence that names what is wrong, in Python's terms."""

import inspect
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import planbatch as pb
from planbatch import baselines, experiments, objectives, planner
from planbatch.baselines.promise import Promise
from planbatch.baselines.working_time import Calendar
from planbatch.experiments.replay.estimates import check_estimates
from planbatch.objectives import make_objective
from planbatch.planner.optimizers import make_optimizer

NAN = float("nan")
ROUND = pb.Round.of(4, waiting=[(0, 4, 100), (0, 2, 50)])
PLAN = pb.decode(ROUND, [0, 1])
JOBS = pb.synthetic_workload(jobs=40, capacity=16)
FRAME = pd.DataFrame({"submit": [0, 1], "procs": [1, 2], "runtime": [5, 5]})
GRID = pb.Experiment(JOBS, "easy")
TRACE = pb.replay(JOBS, "easy")
COMPARISON = pb.compare(JOBS, "easy")
GAINS = pb.Gains.of(TRACE, TRACE)
LOAD, FROM = pb.load_workload, pb.Workload.from_frame

MISTAKES = [
    (lambda: pb.replay(JOBS, "easy", estimates=np.array([1, 2])), r"estimates: array\(\[1, 2\]\) is none of"),
    (lambda: pb.synthetic_workload(kind=["batch"]), r"kind: there is no \['batch'\]; choose one of batch"),
    (lambda: pb.powered_wait([2]), r"power: \[2\] is not a positive number"),
    (lambda: pb.solve("round.json", "wait"), "problem: 'round.json' is not a Round; read_round"),
    (lambda: pb.solve(ROUND, "wait", seconds="1"), "seconds: '1' is not a number of seconds"),
    (lambda: pb.solve(ROUND, "wait", seconds=NAN), "seconds: nan is not a number of seconds"),
    (lambda: pb.solve(ROUND, "wait", evaluations=-1), "evaluations: -1 is not a whole number, 0"),
    (lambda: pb.solve(ROUND, "wait", seed=np.random.default_rng(0)), "seed: a Generator is not"),
    (lambda: pb.solve(ROUND, "wait", on_best="print"), "on_best: 'print' is not a function"),
    (lambda: pb.solve(ROUND, "wait", first=[1, 2]), "first: positions counted from 1; give a Plan"),
    (lambda: pb.decode(JOBS, [0, 1]), "problem: .* is not a Round"),
    (lambda: pb.check_plan(ROUND, [0, 100]), r"plan: \[0, 100\] is not a Plan; solve and decode"),
    (lambda: pb.explain(ROUND, PLAN, "0"), "job: '0' is not a whole number"),
    (lambda: pb.what_if(ROUND, 0, 1.5, "wait"), "start: 1.5 is not a whole number"),
    (lambda: pb.Round.of(4, waiting=[(0, 4)]), r"waiting\[0\]: \(0, 4\) is not \(submit, procs"),
    (lambda: pb.Round.of(4, waiting=[(0, 4, NAN)]), r"waiting\[0\]: nan is not a whole number"),
    (lambda: pb.Round.of("4"), "capacity: '4' is not a positive whole number of processors"),
    (lambda: pb.Round.of(4, resources=["gpus"]), "resources: 'gpus' is not a Resource"),
    (lambda: pb.Resource("gpus", NAN), "resource gpus: capacity: nan is not a positive whole number"),
    (lambda: pb.lower_bound(JOBS, "wait"), "problem: .* is not a Round"),
    (lambda: LOAD(frist=10), "there is no keyword frist; did you mean first"),
    (lambda: LOAD(first="10"), "first: '10' is not a positive whole number"),
    (lambda: LOAD(["a.swf"]), r"source: \['a.swf'\] is not a path or the name of a log"),
    (lambda: LOAD(span=(0, 10)), r"span: \(0, 10\) is not a text, FROM:TO"),
    (lambda: LOAD(load="1.2"), "load: '1.2' is not a number"),
    (lambda: LOAD(resources="g=gpu:4"), "resources: 'g=gpu:4' is not a mapping; give resources={"),
    (lambda: LOAD(resources={"g": {"column": "g"}}), "resources, g: the capacity is missing"),
    (lambda: LOAD(memory="used"), 'give memory_capacity="1TB"'),
    (lambda: LOAD(partition="x"), "partition: .* or drop partition="),
    (lambda: FROM(FRAME), "capacity: a data frame does not say how large .* give capacity=N"),
    (lambda: FROM(FRAME, capacity=NAN), "capacity: nan is not a positive whole number"),
    (lambda: FROM(FRAME.drop(columns="procs"), 4), r'with columns={"processors": "COLUMN"}'),
    (lambda: FROM(FRAME.assign(procs="many"), 4), "'many' .* skip such lines with skip_bad_lines="),
    (lambda: FROM(FRAME.to_dict(), 4), "frame: .* is not a data frame"),
    (lambda: pb.compare(FRAME, "easy"), r"give Workload.from_frame\(frame, capacity=N\)"),
    (lambda: pb.compare(3, "easy"), "workload: 3 is neither a Workload nor a log nor a data frame"),
    (lambda: pb.compare(JOBS, []), "policies: there is none"),
    (lambda: pb.compare(JOBS, None), "policy: None is neither a policy nor a name"),
    (lambda: pb.compare(JOBS, "easy", out=3), "out: 3 is not a path"),
    (lambda: pb.compare("", "easy"), "workload: '' is not a path"),
    (lambda: pb.compare_seeds(JOBS, "easy", seeds=0), "seeds: 0 is not a positive whole number"),
    (lambda: pb.read_round(5), "round: 5 is not a path"),
    (lambda: JOBS.take("first"), "which: 'first' selects no jobs of"),
    (lambda: pb.compare(JOBS, "easy", jobs="all"), "jobs: 'all' is not a positive whole number of processes"),
    (lambda: pb.compare(JOBS, "easy", estimates=None), "estimates: None is none of requested"),
    (lambda: pb.replay(JOBS, lambda problem: None), "policy <lambda>: it does not take two argum"),
    (lambda: pb.PlanBased("wait", promise=3600), "promise: 3600 is no text, such as 24h"),
    (
        lambda: pb.make_policy("easy", evaluations=5),
        "evaluations: the policy easy has no such parameter; plan-wait has",
    ),
    (lambda: pb.replay(JOBS, pb.PlanBased), "policy: PlanBased is a class; give an object of it"),
    (lambda: pb.Round.of(4, waiting=5), r"waiting\[0\]: 5 is not \(submit, procs, walltime\)"),
    (lambda: pb.Objective("mine", 5), "objective mine: the cost 5 is not a function"),
    (lambda: pb.draw_plan(ROUND, None), "plan: None is not a Plan; solve and decode"),
    (lambda: FROM(FRAME, capcity=4), "there is no keyword capcity; did you mean capacity"),
    (lambda: pb.make_policy(5), "policy: 5 is not a name"),
    (lambda: pb.compare_rounds([3], "tabu", "wait"), "rounds: 3 is neither a Round nor a file"),
    (lambda: pb.synthetic_workload(jobs="100", capacity=16), "jobs: '100' is not a positive whole number"),
    (lambda: pb.scale_load(JOBS, "2"), "load: '2' is not a positive factor; 1.2 means 20 % more"),
    (lambda: pb.metrics(JOBS), "trace: .* is not a Trace; replay gives traces"),
    (lambda: pb.draw_waits(JOBS), "comparison: .* is not a Comparison; compare gives"),
    (lambda: pb.weighted_sum("wait", "makespan"), r"'wait' is not \(weight, objective\)"),
    (lambda: pb.Experiment([JOBS], ["easy"], seeds=5), r"seeds: 5 is not a list .* give range\(5\)"),
    (lambda: pb.Experiment([JOBS], ["easy"], seeds=0.5), "seeds: 0.5 is not a list of seeds"),
    (lambda: pb.Experiment([JOBS], ["easy"], seeds=[0], spans=3), "spans: 3 is not a Spans"),
    (lambda: pb.lower_bound(ROUND, "wait", "much"), "upper: 'much' is not the cost of a plan"),
    (lambda: pb.lower_bound(ROUND, "wait", float("nan")), "upper: nan is not the cost of a plan"),
    (lambda: pb.lower_bound(ROUND, "wait", iterations=0.5), "iterations: 0.5 is not a whole number"),
    (lambda: pb.lexicographic("wait", "makespan", "1h"), "step: '1h' is not a positive number"),
    (lambda: pb.scale_load(3, 2.0), "workload: 3 is not a Workload"),
    (lambda: pb.workload_info(JOBS, 3), "log: 3 is not a SwfLog"),
    (lambda: pb.compare_rounds(ROUND, "tabu", "wait", best_known=3), "best_known: 3 is not a path"),
    (lambda: pb.write_round(3, ROUND), "path: 3 is not a path"),
    (lambda: pb.draw_plan(ROUND, pb.decode(ROUND, [0, 1]), until="1h"), "until: '1h' is not a whole number"),
    (lambda: pb.explain(ROUND, pb.decode(ROUND, [0, 1]), 0, running=3), "running: 1 entry for 0 running jobs"),
    (lambda: pb.Simulation(JOBS, promise=2), "promise: 2 is no text, such as 24h or 2x"),
    (lambda: pb.make_report("nosuch"), "nosuch: there is no such folder"),
    (lambda: pb.run_experiment("nosuch.toml", "out"), "nosuch.toml: there is no such file"),
    (lambda: pb.solve(ROUND, "wait", evaluations=10**30), "evaluations: 1000.* is too large; give at most"),
    (lambda: pb.Round.of(10**30), "capacity: 1000.* is too large"),
    (lambda: pb.Round.of(4, waiting=[(0, 1, 10**30)]), r"waiting\[0\]: 1000.* is too large"),
    (lambda: pb.what_if(ROUND, 0, 10**30, "wait"), "start: 1000.* is too large"),
    (lambda: pb.explain(ROUND, pb.Plan([0]), 0), "plan: it has 1 start for 2 jobs"),
    (lambda: pb.draw_plan(ROUND, pb.Plan([0])), "plan: it has 1 start for 2 jobs"),
    (lambda: planner.Profile(5), "problem: 5 is not a Round"),
    (lambda: pb.Objective(5, lambda start, jobs, now: 0.0), "objective: the name 5 is no text, or empty"),
    (lambda: pb.Gains.of(JOBS, JOBS), "trace: .* is not a Trace; replay gives traces"),
    (lambda: GAINS.by("colour"), "column: there is no 'colour'"),
    (lambda: GAINS.losers("all"), "count: 'all' is not a whole number"),
    (lambda: pb.utilisation_by_resource(JOBS), "trace: .* is not a Trace"),
    (lambda: pb.read_experiment("."), r"\. is a folder; give the TOML file itself"),
    (lambda: pb.run_experiment(GRID, "out", part="3/4"), "part: '3/4' is no pair of numbers, such as"),
    (lambda: pb.merge_experiment(GRID, [], "out"), "folders: there is none; give at least one"),
    (lambda: pb.merge_experiment(GRID, "nosuch", "out"), "nosuch: there is no such folder of results"),
    (lambda: pb.write_comparison(pb.compare(JOBS, "easy"), __file__), "folder: .* is a file, not a folder"),
    (lambda: pb.Plan(5), "start: 5 is not a list of whole numbers"),
    (lambda: pb.Plan(start for start in (0, 1)), "start: a generator is not a list of whole numbers"),
    (lambda: pb.decode(ROUND, (i for i in (0, 1))), "order: not a permutation of the 2 waiting jobs, but a generator"),
    (lambda: pb.explain_replay(TRACE, "3"), "job: '3' is not a whole number"),
    (lambda: pb.explain(ROUND, PLAN, 0, running=[1]), "running: 1 entry for 0 running jobs"),
    (lambda: pb.Resource("gpus", 4, 5), "resource gpus: the unit 5 is no text"),
    (lambda: replace(JOBS, windows=[(0, 5, 1)]), r"windows: \(0, 5, 1\) is not a Window"),
    (lambda: replace(JOBS, resources=["gpus"]), "resources: 'gpus' is not a Resource"),
    (lambda: replace(JOBS, submit=["0"] * 40), "submit: expected whole numbers, got a list"),
    (lambda: replace(JOBS, submit=5), "submit: 5 is not a list of whole numbers"),
    (lambda: pb.Round.of(4, waiting=[(0, 1, 5)], planned=["x"]), r"planned: expected whole numbers, got \['x'\]"),
    (lambda: JOBS.take(5), "which: 5 is one job; give a list of indices"),
    (lambda: FROM(FRAME["submit"], 4), "frame: a Series is not a data frame"),
    (lambda: FROM(FRAME, 4, windows=[(0, 5, 1)]), r"windows: \(\(0, 5, 1\),\) is not a path"),
    (lambda: pb.read_round("."), r"\. is a folder; give the round file itself"),
    (lambda: pb.compare_rounds({"a": 5}, "tabu", "wait"), "rounds: 5 is not a Round"),
    (lambda: pb.compare_rounds(ROUND, "tabu", "wait", progress="bar"), "progress: 'bar' is not a function"),
    (lambda: pb.replay(JOBS, "easy", progress="bar"), "progress: 'bar' is not a function of one argument"),
    (lambda: pb.compare(JOBS, "easy", progress=True), "progress: True is not a function of two arguments"),
    (lambda: pb.compare(JOBS, "easy", notify="print"), "notify: 'print' is not a function"),
    (lambda: pb.over_scenarios("wait", "5"), "scenarios: '5' is not a number from 1 to 1,000"),
    (lambda: pb.over_scenarios("wait", 5, "0.9"), "risk: '0.9' is not from 0 to below 1"),
    (lambda: pb.draw_waits(COMPARISON, "waits.png"), "ax: 'waits.png' is not an Axes; matplotlib's subplots"),
    (lambda: pb.compare(JOBS, [objectives.WAIT]), "policy: Objective.* is neither a policy nor a name"),
    (lambda: pb.solve(ROUND, "wiat"), "objective: there is no 'wiat'; did you mean wait"),
    (lambda: pb.solve(ROUND, 7), "objective: 7 is neither an Objective nor a function"),
    (lambda: pb.PlanBased("wait", planner.Tabu), "optimizer: Tabu is a class; give an object of it"),
    (lambda: pb.PlanBased("wait", "tabu", evaluations=0.5), "evaluations: 0.5 is not a whole number, 0 or more"),
    (lambda: pb.weighted_sum((1.0, "makespam")), "did you mean makespan"),
    (lambda: pb.load_worklod, "no attribute 'load_worklod'; did you mean load_workload"),
    (lambda: pb.Budget, "no attribute 'Budget'; it is in planbatch.planner"),
]


#: Maker → a text that it does not take → words of the sentence.
NAMES = {
    pb.make_policy: {
        "EASY": "policy: there is no 'EASY'; did you mean easy?",
        "xyz": "policy: there is no 'xyz'; choose one of fcfs, easy, ",
        "conservative:shortest": "conservative: unknown parameter 'shortest'; conservative takes no parameters",
        "easy:shortst": "order: there is no 'shortst'; did you mean shortest?",
        "easy:saf@20": "order: saf@20: after the @, '20' is not a duration, such as 12h",
        "easy:fcfs/saf@soon": "order: fcfs/saf@soon: after the @, 'soon' is not a duration",
        "easy:fcsf/sjf": "order: there is no 'fcsf'; did you mean fcfs?",
        "easy:fcfs/sjff": "order: there is no 'sjff'; did you mean sjf?",
        "easy:fcfs/": "order: there is no ''",
        "fcfs:fcfs/sjf": "order: 'fcfs/sjf' are two, ",
        "selective:2,order=fcfs/sjf": "order: 'fcfs/sjf' are two",
        "easy:multifactor:age=-1": "multifactor: age: the weight -1.0 is negative",
        "easy:multifactor:max_age=soon": "multifactor: max_age: 'soon' is not a duration",
        "easy:multifactor:half_life=0s": "multifactor: half_life: 0s is not positive",
        "easy:multifactor:shares=1": "multifactor: there is no parameter shares",
        "first-reserved:0": "first-reserved: jobs: 0 is not a positive whole number of jobs",
        f"first-reserved:{10**20}": "first-reserved: jobs: 100000000000000000000 is too large",
        f"los:{10**20}": "los: lookahead: 100000000000000000000 is too large",
        "first-reserved:few": "first-reserved: jobs: 'few' is not a whole number",
        "relaxed:-1": "relaxed: omega: -1.0 is negative",
        "slack:none": "slack: 'none' is no slack, such as 1d, 2x or 12h+1x",
        "slack:deadline": "slack: 'deadline' is no slack",
        "los:0": "los: lookahead: 0 is not a positive whole number of jobs",
        "rollouts:seconds=-1": "seconds: -1.0 is not a number of seconds, 0 or more",
        "rollouts:samples=0": "rollouts: samples: 0 is not a positive whole number of futures",
        "rollouts:confidence=-1": "rollouts: confidence: -1.0 is negative",
        "rollouts:evaluations=-1": "rollouts: evaluations: -1 is not a whole number, 0 or more",
        "rollouts:coming=soon": "'soon' is not a duration, such as 12h, 2d, 90min or 600s",
        "rollouts:multifactor": "rollouts: the order asks for another history",
        "plan-wait:12h": "optimizer: there is no '12h'",
        "plan-wait:optimizer=anealing": "optimizer: there is no 'anealing'; did you mean annealing? Your own is",
        "plan-wait:optimizer=xyz": "there is no 'xyz'; choose one of annealing, ",
        "plan-wait:scenarios=-1": "scenarios: -1 is not a number from 1 to 1,000",
        "plan-wait:scenarios=8,risk=1": "risk: 1.0 is not from 0 to below 1, such as 0.9",
        "plan-wait:risk=0.9": "risk: 0.9 is one of scenarios; give their number",
        "plan-aged-wait:soon": "aged-wait: age: 'soon' is not a duration",
        "plan-aged-wait:0h": "aged-wait: ",
        "plan-aged-wait:-1d": "aged-wait: ",
        "plan-aged-wait:12": "aged-wait: ",
    },
    Promise.parse: dict.fromkeys(("", "soon", "24", "within:2x", "until:3d", "-1h", "1h,,2h"), "promise: "),
    Calendar.parse: {
        "9-9": "no working hour",
        "18-9": "no working hour",
        "9-25": "outside 0-24",
        "someday": "cannot read 'someday'",
        "Europe/Atlantis": "no time zone 'Europe/Atlantis'",
        "2024-02-30": "no date 2024-02-30",
    },
    make_objective: {
        **{f"weighted-wait:{text}": text.partition("=")[0] for text in (
            "power=0", "power=9", "power=nan", "area=5", "age=-4.5", "run=5", "share=-5",
        )},
        "weighted-wait:run=1,share=1": "run, share: these ask for two histories",
    },
    make_optimizer: {
        **{f"annealing:{text}": text.partition("=")[0] for text in (
            "hottest=0", "coldest=-1", "coldest=0", "coldest=0.03", "cooling=1", "cooling=0", "moves=0", "growth=0.5",
            "front_jobs=1", "swap=1.5", "near=-0.1", "large=1.1", "front=2", "eject=1.5", "block=-1",
            "first_plans=()", "first_plans=(submit,luck)", "growth=nan", "growth=inf",
            f"moves={10**20}", f"front_jobs={10**20}",
        )},
        f"tabu:neighbours={10**20}": "neighbours",
        f"simanneal:steps={10**20}": "steps",
        f"exhaustive:iterations={10**20}": "iterations",
        f"cp-sat:workers={10**5}": "workers",
        "lns:repair=magic": "repair: 'magic' is none of enumerate, cp-sat",
        "lns:window=7": "window: 7 is outside 2 … 6",
        "lns:window=31,repair=cp-sat": "window: 31 is outside 2 … 30",
        "cp-sat:workers=0": "workers",
        "cp-sat:annealed=1": "annealed",
        "cp-sat:units=0": "units",
        "cp-sat:coarse_share=1": "coarse_share",
        "cp-sat:time_per_evaluation=0": "time_per_evaluation",
    },
    check_estimates: {
        "predicted:nobody": "predictor: there is no 'nobody'",
        "predicted:ratio:correction=never": "correction: 'never' is none of incremental",
        "predicted:ratio:of=1": "ratio: there is no parameter of",
        "predicted:boosted:quantile=0": "quantile: 0.0 is not between 0 and 1",
        "predicted:boosted:quantile=1": "quantile: 1.0 is not between 0 and 1",
        "predicted:boosted:every=soon": "every: 'soon' is not a duration",
        "predicted:boosted:every=0s": "every: 0s is less than a second",
        "predicted:boosted:trees=101": "trees: 101 is not between 1 and 100",
        "predicted:boosted:jobs=3": "jobs: 3 is below 50",
        "predicted:boosted:rate=0": "rate: 0.0 is not above 0 and at most 1",
        "predicted:boosted:growth=0.9": "growth: 0.9 is below 1, or no number",
        "predicted:boosted:growth=inf": "growth: inf is below 1, or no number",
    },
}  # fmt: skip


#: Names whose parameters are the least or the largest that may be.
EDGES = {
    pb.make_policy: ("first-reserved:1", "relaxed:0", "los:1", "rollouts:samples=1,evaluations=0,confidence=0"),
    Promise.parse: ("none", "deadline", "0h"),
    Calendar.parse: ("0-24", "mon", "0-1"),
    make_objective: ("weighted-wait:power=8", "weighted-wait:area=4,age=-4,run=1", "weighted-wait:share=4"),
    make_optimizer: (
        "annealing:swap=0,near=1", "annealing:hottest=0.5,coldest=0.4", "lns:window=2", "lns:window=6",
        "cp-sat:units=1,coarse_share=0,annealed=0",
    ),
    check_estimates: (
        "predicted:boosted:trees=1,jobs=50,rate=1,growth=1,every=1s", "predicted:boosted:trees=100",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "text"), [(make, text) for make, texts in EDGES.items() for text in texts])
def test_the_ends_of_ranges_are_within(make, text):
    make(text)


@pytest.mark.parametrize(("make", "text"), [(make, text) for make, texts in NAMES.items() for text in texts])
def test_a_name_with_a_mistake_ends_with_one_sentence(make, text):
    """By what is wrong in it, and what it should be."""
    with pytest.raises(ValueError, match=re.escape(NAMES[make][text])) as caught:
        make(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("wrong", "message"), MISTAKES)
def test_a_mistake_ends_with_one_sentence_in_pythons_terms(wrong, message):
    """It names the argument; no flag, no second line, nothing from inside."""
    with pytest.raises((ValueError, OSError, AttributeError), match=message) as caught:
        wrong()
    assert "\n" not in str(caught.value)
    assert "--" not in str(caught.value)


def test_the_top_offers_what_users_need():
    """No helper leaks, and authors' names are one package deeper."""
    public = [name for name in dir(pb) if not name.startswith("__")]
    assert len(public) < 95
    assert set(public) == {*pb.__all__, "baselines", "experiments", "objectives", "planner"}
    for package in (baselines, experiments, objectives, planner):
        assert {name for name in dir(package) if not name.startswith("__")} == set(package.__all__)


def test_what_objects_say_is_for_people():
    """Every public class describes its objects, by names and numbers, never by addresses."""
    for package in (baselines, experiments, objectives, planner):
        for name in package.__all__:
            value = getattr(package, name)
            if inspect.isclass(value) and not getattr(value, "_is_protocol", False):
                assert value.__repr__ is not object.__repr__, name
    objective = pb.Objective("mine", lambda start, jobs, now: 0.0)
    things = [objective, pb.PlanBased("wait"), pb.make_policy("easy"), pb.Simulation(JOBS)]
    things += [pb.solve(ROUND, "wait"), pb.explain(ROUND, PLAN, 0), pb.SchedulingEnv(JOBS)]
    things += [planner.Profile(ROUND), pb.what_if(ROUND, 0, None, "wait"), JOBS[0], ROUND.jobs]
    for value in things:
        assert " at 0x" not in repr(value)
        assert len(repr(value)) < 300


def test_a_plan_knows_jobs_and_clocks():
    """KTH-SP2 begins on 1996-09-23 at 14:00:33 UTC, say; job 8 starts 50 s later."""
    problem = pb.Round(ROUND.now, ROUND.capacity, ROUND.running, ROUND.jobs, ids=[8, 9], epoch=843487233)
    plan = pb.solve(problem, "wait").plan
    assert repr(plan) == ("Plan(2 starts, from 1996-09-23 14:00:33 (job 9) to 1996-09-23 14:01:23 (job 8))")
    frame = plan.to_frame()
    assert frame.index.tolist() == [8, 9]
    assert frame["wait"].tolist() == [50, 0]
    assert str(frame["clock"][8]) == "1996-09-23 14:01:23+00:00"
