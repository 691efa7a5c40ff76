"""How objects look in notebooks: short, escaped, and with the figures that matter."""

import numpy as np
import pytest

from planbatch.planner.display import html_table
from planbatch.planner.model import NEVER, Workload
from planbatch.planner.optimizer import Result
from planbatch.planner.plan import Plan
from planbatch.planner.resources import Resource
from planbatch.planner.round import Round, RunningTable
from tests.builders import random_round


def test_tables_are_escaped():
    """Names from files are no part of the page."""
    table = html_table(("<a>",), [("<b>", "x & y")], "<script>", more=1200)
    assert "&lt;a&gt;" in table
    assert "&lt;b&gt;" in table
    assert "x &amp; y" in table
    assert "<script>" not in table
    assert "… and 1,200 more" in table


def test_a_workload():
    """Its size and how its jobs are distributed, but not its columns."""
    workload = Workload(
        "<log>", 8, [1, 2, 3], [0, 5, 7200], [1, 8, 3], [10, 20, 3600], [10, 1, 30],
        user=[1, 1, 2], dropped={"too large": 3, "no run time": 0},
        resources=(Resource("memory", 64, "GB"),), demands=[[1], [2], [3]],
    )  # fmt: skip
    assert repr(workload) == (
        "Workload(<log>: 3 jobs, 8 processors, 64 GB of memory, submitted in 2.0 h; left out: 3 too large)"
    )
    html = workload._repr_html_()
    assert "&lt;log&gt;: 3 jobs" in html
    assert "2 users; left out: 3 too large<" in html
    assert ">1:00:00<" in html


def test_a_workload_without_jobs_and_one_of_a_single_job():
    """Neither has a span, and the first has no distribution."""
    empty = Workload("none", 4, [], [], [], [], [])
    assert repr(empty) == "Workload(none: 0 jobs, 4 processors)"
    assert "none: 0 jobs" in empty._repr_html_()
    assert repr(Workload("one", 1, [1], [0], [1], [5], [5])) == "Workload(one: 1 job, 1 processor)"


def test_a_round():
    """The waiting jobs, with the starts of the previous plan where there is one."""
    problem = Round.of(8, 100, [(4, 200)], [(10, 8, 100), (20, 4, 300)], planned=[200, NEVER])
    assert repr(problem) == "Round(at 100 s, 2 waiting, 1 running, 4 of 8 processors free)"
    html = problem._repr_html_()
    assert "planned to start in" in html
    assert ">0:01:40<" in html
    assert ">–<" in html
    assert repr(problem.jobs) == "JobTable(2 jobs: submit 10 20, procs 8 4, walltime 100 300)"
    assert repr(RunningTable(np.array([4]), np.array([200]))) == "RunningTable(1 job: procs 4, end 200)"


@pytest.mark.parametrize("n", [0, 1, 10, 500])
def test_long_rounds_and_plans_are_cut(n):
    """Ten rows, and how many more there are."""
    problem = random_round(n)
    plan = Plan(np.arange(n) + problem.now)
    for html in (problem._repr_html_(), plan._repr_html_()):
        assert html.count("<tr>") <= 12
        assert len(html) < 6000
        assert ("490 more" in html) == (n == 500)
    assert len(repr(problem)) < 100
    assert len(repr(plan)) < 100


def test_a_result_with_and_without_a_bound():
    """A bound that is not known is a dash, not NaN."""
    plan = Plan([100, NEVER])
    result = Result(plan, np.arange(2), 12.5, 20.0, 1000, 0.25, True)
    assert repr(result) == (
        "Result(cost 12.5, finished, 1,000 evaluations in 0.25 s, Plan(1 start, from 100 s to 100 s, 1 unplanned))"
    )
    assert "nan" not in result._repr_html_()
    proven = Result(plan, np.arange(2), 12.5, 20.0, 1000, 0.25, True, lower_bound=10.0)
    assert "20.00%" in proven._repr_html_()
