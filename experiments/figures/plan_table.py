"""A plan of one round, and a change of one job, as tables."""

from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.common.text import duration, signed
from planbatch.planner.plan import Plan
from planbatch.planner.round import Round
from planbatch.planner.what_if import WhatIf

#: Most jobs that a table lists.
SHOWN = 20
_JOB = (Column("job", "job"), Column("procs", "processors", "{:,}".format))


def plan_table(problem: Round, plan: Plan) -> Table:
    """Lay out the jobs that start first."""
    rows = [
        {
            "job": str(problem.ids[i]),
            "procs": int(problem.jobs.procs[i]),
            "walltime": int(problem.jobs.walltime[i]),
            "waited": int(problem.now - problem.jobs.submit[i]),
            "starts": int(plan.start[i] - problem.now),
        }
        for i in plan.order()[:SHOWN]
    ]
    more = len(problem) - len(rows)
    return Table(
        "plan",
        "",
        [
            *_JOB,
            Column("walltime", "walltime", duration),
            Column("waited", "waited", duration),
            Column("starts", "starts in", duration),
        ],
        rows,
        f"… and {more:,} more jobs (--json has all)" if more else "",
    )


def change_table(problem: Round, what_if: WhatIf) -> Table:
    """Lay out what a change of one job costs the others, those first that pay most."""
    delays = what_if.delays * (problem.ids != what_if.job)
    rows = [
        {
            "job": str(problem.ids[i]),
            "procs": int(problem.jobs.procs[i]),
            "before": int(what_if.before.start[i] - problem.now),
            "after": int(what_if.after.start[i] - problem.now),
            "delay": int(delays[i]),
        }
        for i in abs(delays).argsort(kind="stable")[::-1][:SHOWN]
        if delays[i]
    ]
    columns = [
        *_JOB,
        Column("before", "start before", duration),
        Column("after", "start after", duration),
        Column("delay", "delay", signed),
    ]
    return Table("change", "", columns, rows)
