"""Notes on the reproduction of Zheng et al. 2016: findings and choices."""

from collections.abc import Sequence

from planbatch.experiments.common.text import duration
from planbatch.experiments.reproduce.paper_report import Report
from planbatch.experiments.reproduce.zheng_2016.measures import (
    PAPER_EVALUATIONS,
    PAPER_KIND,
    Study,
    changes,
    highest_utilisation,
)
from planbatch.experiments.reproduce.zheng_2016.paper import BASE


def findings(studies: Sequence[Study], report: Report) -> list[str]:
    """Return what the reproduction found of the summary's claims, one paragraph each."""
    lines = [finding(one) for one in studies]
    longest = [row.ours for row in report.rows if row.metric.startswith("longest decision")]
    if longest:
        lines.append(
            f"**Within one second.** With {PAPER_EVALUATIONS:,} evaluations, the decisions in which "
            f"most jobs wait take at most {max(longest):.2f} s of one core, compilation excluded."
        )
    return lines


def finding(one: Study) -> str:
    """Return what PLAN 2 gains on one machine, and what could be gained at all."""
    parts = []
    for kind in one.traces:
        wait, response, _ = changes(one, kind)["PLAN 2"]
        parts.append(f"{whole(wait)} and {whole(response)} with {kind} estimates")
    gains = [values[2] for kind in one.traces for values in changes(one, kind).values()]
    used = min(one.metrics(kind)[BASE].utilisation for kind in one.traces)
    room = 100 * (highest_utilisation(one.workload) - used)
    waits = duration(one.metrics(PAPER_KIND)[BASE].mean_wait)
    return (
        f"**{one.name}.** Under FCFS, jobs wait for {waits} on average ({PAPER_KIND} estimates). "
        f"PLAN 2 changes the mean wait and the mean response time by {', '.join(parts)}. "
        f"Utilisation changes by {min(gains):+.2f} to {max(gains):+.2f} points under the plans; "
        f"no scheduler could gain more than {room:.2f}."
    )


def whole(percent: float) -> str:
    """Return a change in whole per cent; 0 has no sign."""
    rounded = round(percent)
    return f"{rounded:+d} %" if rounded else "0 %"


FAST_NOTE = (
    "**Search.** This is the fast setting: our annealing (it starts from the best of ten orders) "
    "with 100 evaluations a round. `--full` takes the paper's instead, (T0, Tth, N, r) = (1, "
    "0.0001, 100, 0.9), which are 8,800 evaluations a round, and shows the fast one beside it. "
    "The longest decisions are timed with the paper's in either case."
)
FULL_NOTE = (
    "**Search.** PLAN 1 to 3 search with the paper's annealing, (T0, Tth, N, r) = (1, 0.0001, 100, "
    "0.9), which are 8,800 evaluations a round; *100 evaluations* is the fast setting, with ours."
)
NOTES = [
    "**Estimates.** The paper does not say what its schedulers knew of run times. In its simulator, "
    "CQSim, running jobs are expected to end at their requested time and waiting jobs count with "
    "their run time: `mixed`, which the pictures, months and timed decisions are of.",
    "**SDSC.** The paper counts 67,155 jobs from May 2000 to December 2001. The archive's log has "
    "about twice as many usable ones in these months, and no choice of queues that we tried gives "
    "the paper's number. So these are the first 67,155 usable jobs, which were submitted by April "
    "2001; their load need not be the paper's.",
    "**LLNL.** The paper counts the jobs of the raw log, of which the cleaned one has about seven in "
    "ten; those without processors cannot be replayed. The log has no waits: its submissions are "
    "the starts, which already fit the machine. A replay of it as it is therefore meets next to no "
    "contention, hardly anybody waits, and nothing can be gained. With arrivals compressed to 1.06 "
    "times the load, utilisation under FCFS is the paper's, and jobs wait for minutes; at 1.15 they "
    "wait for about as long as on SDSC. These are queues, but not the paper's. In the averages over "
    "all machines, only the log at 1.15 counts.",
    "**ANL.** Without the log of Intrepid, a year of ALCF's Theta stands in: another leadership "
    "machine, of which the paper has no figures.",
    "**Utilisation** is work / (capacity × time from the first submission to the last end). On a log "
    "that keeps up with its load the end is near the last submission under any policy, and next to "
    "nothing can be gained; *at most* is the bound if every job starts at once. The gains of "
    "Table II cannot come about in this way; how the paper measured utilisation it does not say.",
    "**Figures.** The paper's text gives few of the numbers behind Figures 3 to 6; those are set "
    "beside ours. *Half* and *more than half* count as 50 %, and the averages of the summary stand "
    "beside every plan. Size classes end at powers of two. Months are those of submission, UTC, and "
    "those with less than 5 % of an average month's jobs do not count. `comparison.csv` has every "
    "month.",
]
