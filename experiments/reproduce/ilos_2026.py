"""Zhou et al., ILOS (IPDPS 2026): one round of 64 jobs on an empty machine, run times known.

"Enhancing HPC Batch Job Scheduling via Imitation Learning-Based Search"; the protocol is that of ``plan.py`` and
``HPCSimPickJobs.py`` of LoCinder/ILOS. The paper's code prints no figures.
"""

import heapq
import math
import random
from collections.abc import Callable
from itertools import count
from time import process_time

import numpy as np

from planbatch.experiments.reproduce.engine import PaperReport, Run
from planbatch.experiments.reproduce.zhang_2020_simulator import SequenceJob, SequenceMachine, machine_of
from planbatch.planner.decoder import decode
from planbatch.planner.model import IntArray
from planbatch.planner.round import Round
from planbatch.planner.solve import solve

TITLE = "Imitation learning-based search (Zhou et al., IPDPS 2026)"
LOGS = {
    "SDSC-SP2": "SDSC-SP2-1998-4.2-cln",
    "HPC2N": "HPC2N-2002-2.2-cln",
    "SDSC-BLUE": "SDSC-BLUE-2000-4.2-cln",
    "Lublin-1": "lublin_256",
}
WINDOW, WINDOWS, QUICK = 64, 20, 3
#: Seconds of each of the two stages of the paper's search.
STAGE = 0.1
ITEM, WAIT, LONGEST, GAP = ("64 jobs", "mean wait (s)", "longest wait of a window (h)", "above the bound (%)")
BLOCKS, SEARCH = "head blocks, ", "head blocks, swaps and branch and bound"
DECODED, OURS = "decoded, F1", "planbatch, hybrid"
#: The orders of the paper.
ORDERS: dict[str, Callable[[SequenceJob], float]] = {
    "FCFS": lambda job: job.submit,
    "SJF": lambda job: job.request,
    "F1": lambda job: math.log10(max(job.request, 0.1)) * job.procs,
}


def reproduce(run: Run) -> PaperReport:
    """Draw the windows, and plan each by the paper's rules and by planbatch's."""
    report = PaperReport(TITLE)
    for name, log in run.logs(LOGS, report):
        machine = machine_of(log, WINDOW + 2)
        results: dict[str, list[tuple[float, float, float]]] = {}
        offsets = np.random.default_rng(0).integers(0, len(machine.jobs) - WINDOW - 1, WINDOWS)
        for offset in offsets[:QUICK] if run.quick else offsets:
            run.notify(f"{name}: jobs from {offset + 1:,}")
            for policy, figures in plan_window(machine, int(offset)).items():
                results.setdefault(policy, []).append(figures)
        for policy, values in results.items():
            wait, longest, gap = np.mean(values, axis=0)
            report.add(ITEM, name, policy, WAIT, wait)
            report.add(ITEM, name, policy, LONGEST, longest / 3600)
            report.add(ITEM, name, policy, GAP, 100 * gap)
    return report


def plan_window(machine: SequenceMachine, offset: int) -> dict[str, tuple[float, float, float]]:
    """Return mean wait (s), longest wait (s) and gap to the proven bound of each way to plan a window."""
    jobs = window(machine, offset)
    submit = np.array([job.submit for job in jobs])
    rows = [(job.submit, job.procs, job.run) for job in jobs]
    problem = Round.of(machine.processors, now=0, waiting=rows)
    best = solve(problem, "wait", seconds=2 * STAGE)
    first = sorted(range(len(jobs)), key=lambda i: ORDERS["F1"](jobs[i]))
    starts = {
        BLOCKS + name: blocking_starts(jobs, sorted(range(len(jobs)), key=lambda i: score(jobs[i])), machine.processors)
        for name, score in ORDERS.items()
    }
    starts[SEARCH] = blocking_starts(jobs, search_order(jobs, first, machine.processors), machine.processors)
    starts[DECODED] = decode(problem, np.array(first, np.int64)).start
    starts[OURS] = best.plan.start
    bound = best.lower_bound
    return {
        name: (
            float((start - submit).mean()),
            float((start - submit).max()),
            float((start - submit).mean()) / bound - 1,
        )
        for name, start in starts.items()
    }


def window(machine: SequenceMachine, offset: int) -> list[SequenceJob]:
    """Return 64 jobs that wait at time 0 since other times than in the log."""
    waits = sorted(random.Random(offset).sample(range(1000), WINDOW))  # noqa: S311
    jobs = machine.jobs[offset : offset + WINDOW]
    return [
        SequenceJob(-since, max(job.run, 1), max(job.request, 1), job.procs)
        for job, since in zip(jobs, waits, strict=True)
    ]


def blocking_starts(jobs: list[SequenceJob], order: list[int], processors: int) -> IntArray:
    """Return the starts of some jobs in an order whose first always blocks the others (s); others have -1."""
    start = np.full(len(jobs), -1, dtype=np.int64)
    now, free, ends = 0, processors, list[tuple[int, int]]()
    for i in order:
        while jobs[i].procs > free:
            end, procs = heapq.heappop(ends)
            now, free = max(now, end), free + procs
        start[i], free = now, free - jobs[i].procs
        heapq.heappush(ends, (now + jobs[i].run, jobs[i].procs))
    return start


def search_order(jobs: list[SequenceJob], first: list[int], processors: int) -> list[int]:
    """Return the best order of the paper's search: a descent by swaps, then branch and bound, depth first."""
    rng, number = random.Random(0), count()  # noqa: S311

    def cost(order: list[int]) -> float:
        start = blocking_starts(jobs, order, processors)
        return float(sum(start[i] - jobs[i].submit for i in order))

    best, least = first, cost(first)
    began = process_time()
    while process_time() - began < STAGE:
        other = best[:]
        i, j = rng.sample(range(len(other)), 2)
        other[i], other[j] = other[j], other[i]
        price = cost(other)
        if price < least:
            best, least = other, price
    # A node is a prefix and the rest in the best order; deep nodes first, then by cost, as in the paper.
    nodes: list[tuple[int, float, int, list[int], list[int], float]]
    nodes = [(0, -least, next(number), [], best, 0.0)]
    began = process_time()
    while nodes and process_time() - began < STAGE:
        _, _, _, head, rest, bound = heapq.heappop(nodes)
        if not rest or bound > least:
            continue
        for i in rest:
            if process_time() - began >= STAGE:
                break
            prefix, others = [*head, i], [job for job in rest if job != i]
            bound = cost(prefix)
            if bound > least:
                continue
            price = cost(prefix + others)
            if price < least:
                best, least = prefix + others, price
            heapq.heappush(nodes, (len(prefix), -price, next(number), prefix, others, bound))
    return best
