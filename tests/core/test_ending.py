"""How computations end: by Ctrl-C, by another thread, and with the interpreter, which finds nothing left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from planbatch import _core
from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.workloads.lublin import synthetic_workload

LEAVES_NOTHING = """
import planbatch as pb
from planbatch import _core
_core.set_leak_warnings(True)
from planbatch.planner import History, asks_for
from planbatch.planner.registry.compiling import can_compile

def cost(start, jobs, now):
    return float((start - jobs.submit).sum())

def area(jobs, now):
    return (jobs.procs * jobs.walltime) * 1.0

def update(events, state, jobs, now):
    jobs.past[:, 1] = 0.0

problem = pb.Round.of(capacity=4, now=0, waiting=[(0, 4, 100), (0, 2, 50), (0, 3, 70)])
kept = [pb.solve(problem, pb.Objective("plain", cost), evaluations=50), pb.solve(problem, cost, evaluations=50)]
assert kept[1].native == can_compile()
asks_for(History.of(update, 2, 1), area)
workload = pb.synthetic_workload(jobs=100, capacity=16)
policy = pb.make_policy("easy")
from planbatch.baselines.queue_based import in_order
mine = in_order("mine", _core.Easy, area)
area.core = _core.PythonOrder(area)  # a cycle
kept += [pb.replay(workload, mine), pb.replay(workload, pb.PlanBased(cost, evaluations=10))]
try:
    pb.solve(problem, lambda start, jobs, now: 1 / 0)
except pb.ObjectiveError as error:
    kept.append(error)
cost.core = mine = _core.PythonObjective(cost)  # another one
area.core = _core.PythonOrder(area)
cost.parts = [_core.WeightedSum([1.0], [mine]), _core.Lexicographic(mine, mine, 1.0)]
cost.search = _core.OrderSearch(problem.core, mine, None, [])
pair = _core.PairOfOrders(area.core, _core.LongestWaitingFirst(area.core, 5))
area.policies = [kind(pair) for kind in (_core.Easy, _core.Replanned)]
area.policies += [_core.Relaxed(pair, 0.5), _core.Lookahead(pair, 5)]
cost.policy = pb.PlanBased(pb.Objective("plain", cost), evaluations=5)
print("done")
"""


def run(code, **options):
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


@pytest.mark.integration
def test_an_interpreter_that_ends_finds_no_leak():
    """Users' functions in objectives, orders, histories and errors; kept, and in cycles."""
    out, err = run(LEAVES_NOTHING).communicate()
    assert out == "done\n", err
    assert "leaked" not in err
    assert err == ""


LONG = {
    "solve": "pb.solve(problem, 'squared-wait', evaluations=10**9)",
    "solve a long queue": "pb.solve(long, 'wait', evaluations=10**9)",
    "replay": "pb.replay(workload, pb.PlanBased('wait', evaluations=10**7))",
    "conservative": "pb.replay(busy, 'conservative')",
}
BEGINNING = """
import numpy as np, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # which shells ignore in what they run in the background
import planbatch as pb
def a_round(n):
    rng = np.random.default_rng(0)
    rows = zip(rng.integers(1, 60, n).tolist(), rng.integers(1, 9999, n).tolist())
    return pb.Round.of(capacity=64, now=0, waiting=[(0, *row) for row in rows])
problem, long = a_round(60), a_round(5000)
workload = pb.synthetic_workload(jobs=2000, capacity=64, load=1.5)
busy = pb.synthetic_workload(jobs=60000, capacity=64, load=3.0)
print("begun", flush=True)
try:
    found = {call}
except KeyboardInterrupt:
    print("interrupted")
else:
    print(getattr(found, "status", "finished"))
"""


@pytest.mark.integration
@pytest.mark.parametrize("case", LONG)
def test_ctrl_c_ends_what_takes_long(case):
    """A search returns what it has, a replay raises; both soon."""
    process = run(BEGINNING.replace("{call}", LONG[case]))
    assert process.stdout.readline() == "begun\n", process.stderr.read()
    time.sleep(1.0)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert out == "interrupted\n", err
    assert time.monotonic() - began < 3.0 * (1 + os.getloadavg()[0] / (os.cpu_count() or 1))


LEAVING = """
import threading, time
import numpy as np
import planbatch as pb
rng = np.random.default_rng(0)
rows = zip(rng.integers(1, 60, 40).tolist(), rng.integers(1, 9999, 40).tolist())
problem = pb.Round.of(capacity=64, now=0, waiting=[(0, *row) for row in rows])
workload = pb.synthetic_workload(jobs=60000, capacity=64, load=3.0)
def compute():
    try:
        {call}
    except RuntimeError:  # cancelled
        pass
threading.Thread(target=compute, daemon=True).start()
time.sleep(1.0)
print("left", flush=True)
"""


@pytest.mark.integration
@pytest.mark.parametrize(
    "call",
    [
        "pb.replay(workload, 'conservative')",
        "pb.solve(problem, 'squared-wait', 'annealing', evaluations=10**9)",
        "pb.solve(problem, 'squared-wait', 'exhaustive', evaluations=10**9)",
        "pb.solve(problem, 'squared-wait', 'tabu', evaluations=10**9)",
        "pb.solve(problem, pb.Objective('mine', lambda s, j, now: float(s.sum())), evaluations=10**9)",
    ],
)
def test_the_interpreter_may_end_while_a_thread_computes(call):
    """In the core, or in Python between calls of it: nothing aborts, and nobody is told of leaks."""
    process = run(LEAVING.replace("{call}", call))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "left\n", "")


def test_another_thread_ends_a_replay():
    """It raises in its own thread; what is computed afterwards is none the worse."""
    workload = synthetic_workload(jobs=2000, capacity=64, load=1.5)
    raised = []

    def play():
        try:
            replay(workload, "plan-wait:evaluations=1000000")
        except _core.Cancelled as error:
            raised.append(error)

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    time.sleep(0.5)
    assert thread.is_alive()
    for _ in range(40):  # between two portions of a replay there is nothing to end
        _core.cancel_all()
        thread.join(timeout=0.5)
    assert not thread.is_alive()
    assert len(raised) == 1
    assert len(replay(workload.take(slice(0, 100)), "easy").start) == 100


def area(jobs, now):
    return (jobs.procs * jobs.walltime) * 1.0


@pytest.mark.parametrize(
    "name", ["easy:wfp3", "conservative", "plan-squared-wait:evaluations=40", "easy:expected-area", "mine"]
)
def test_replays_in_two_threads_are_those_of_one(name):
    """The same policy, and a user's order in plain Python, at the same time."""
    from planbatch.baselines.queue_based import in_order

    policy = in_order("mine", _core.Easy, area) if name == "mine" else make_policy(name)
    workloads = [synthetic_workload(jobs=300, capacity=32, load=1.2, seed=seed) for seed in (1, 2)]
    alone = [replay(workload, policy, seed=3).start.tolist() for workload in workloads]
    with ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            in_threads = pool.map(lambda workload: replay(workload, policy, seed=3).start.tolist(), workloads)
            assert list(in_threads) == alone
