"""A comparison as a table for the terminal."""

from collections.abc import Callable

from rich import box
from rich.table import Table
from rich.text import Text

from planbatch.experiments.comparison.compare import REFERENCE, Comparison
from planbatch.experiments.replay.metrics import Metrics
from planbatch.experiments.text import change, duration, number, share

#: Heading, what is shown, and whether less is better (None: neither is).
_COLUMNS: tuple[tuple[str, Callable[[Metrics], float], Callable[[float], str], bool], ...] = (
    ("mean\nwait", lambda m: m.mean_wait, duration, True),
    ("median\nwait", lambda m: m.median_wait, duration, True),
    ("95%\nwait", lambda m: m.p95_wait, duration, True),
    ("max.\nwait", lambda m: m.max_wait, duration, True),
    ("slow-\ndown", lambda m: m.mean_bounded_slowdown, number, True),
    ("make-\nspan", lambda m: m.makespan, duration, True),
    ("used", lambda m: m.utilisation, share, False),
)


def comparison_table(comparison: Comparison) -> Table:
    """Lay out a comparison: one row per policy, the best figure of every column marked."""
    measured = comparison.metrics
    reference = measured.get(REFERENCE)
    workload = comparison.workload
    table = Table(
        title=Text(
            f"{workload.name}: {len(workload):,} jobs, {workload.capacity:,} processors, "
            f"{comparison.estimates} estimates"
        ),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=0,
        caption="slowdown: mean bounded slowdown; used: utilisation"
        + ("; change: of the mean wait against EASY" if reference else ""),
        caption_justify="left",
    )
    table.add_column("policy", no_wrap=True, vertical="bottom")
    best = {}
    for heading, of, _, less in _COLUMNS:
        table.add_column(heading, justify="right", no_wrap=True, vertical="bottom")
        if measured:
            best[heading] = (min if less else max)(of(m) for m in measured.values())
    if reference:
        table.add_column("change", justify="right", no_wrap=True, vertical="bottom")
    late = comparison.deadline_metrics
    if late:
        for heading in ("regular\nwait", "missed\ndeadl.", "infeas.\ndeadl."):
            table.add_column(heading, justify="right", no_wrap=True, vertical="bottom")
    table.add_column("time", justify="right", no_wrap=True, vertical="bottom", style="dim")
    for name, m in measured.items():
        cells = [
            Text(text(of(m)), style="bold green" if of(m) == best[heading] else "")
            for heading, of, text, _ in _COLUMNS
        ]
        if reference:
            cells.append(
                Text("" if name == REFERENCE else change(m.mean_wait, reference.mean_wait))
            )
        if late:
            cells.append(Text(duration(late[name].regular_mean_wait)))
            cells.append(Text(f"{late[name].missed_deadlines:,}"))
            cells.append(Text(f"{late[name].infeasible_deadlines:,}"))
        cells.append(Text(clock(comparison.traces[name].seconds)))
        table.add_row(Text(name), *cells)
    return table


def clock(seconds: float) -> str:
    """Format the time that something took."""
    return f"{seconds:.2f} s" if seconds < 9.995 else duration(seconds)
