"""A real cluster in the terminal: what was observed, and the plan of a tick."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from planbatch.experiments.common.text import change, clock_time, counted, duration, share
from planbatch.experiments.live.slurm.advise import Advice, Fault
from planbatch.experiments.live.slurm.estimates import StartEstimate
from planbatch.experiments.live.slurm.observe import Observation
from planbatch.experiments.live.slurm.pool import Remark

#: Letters of a text of the cluster's that are shown at most.
MOST_LETTERS = 60


def shown(text: str, most: int = MOST_LETTERS) -> Text:
    r"""Return a text that users chose, without anything that a terminal could obey.

    >>> shown("a\x1b[2Jb").plain
    'a·[2Jb'
    """
    safe = "".join(letter if letter.isprintable() else "·" for letter in text[: most + 1])
    return Text(safe if len(safe) <= most else f"{safe[: most - 1]}…")


def observation_lines(seen: Observation) -> list[Text]:
    """Say in a few lines what a snapshot comes to."""
    problem, pool = seen.problem, seen.pool
    name = seen.snapshot.cluster or "the cluster"
    version = f", Slurm {seen.snapshot.version}" if seen.snapshot.version else ""
    usable = f"{len(pool.usable):,} of {counted(len(pool.nodes), 'node')} usable"
    further = "".join(f", {resource.amount(resource.capacity)}" for resource in problem.resources)
    busy = f"{problem.capacity - problem.free:,} of {problem.capacity:,} {pool.unit} busy{further}"
    queue = f"{counted(len(problem), 'job')} to plan, {counted(len(seen.left_out), 'row')} left out"
    return [shown(f"{name}{version}: {usable}; {busy}; {queue}", 200)]


def remark_table(title: str, remarks: Sequence[Remark], first: int | None) -> Table:
    """Lay out remarks by their headings; of each, only so many if ``first`` is given."""
    groups: dict[str, list[Remark]] = defaultdict(list)
    for remark in remarks:
        groups[remark.kind].append(remark)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for heading in (title, "", "job or node", "user", "why"):
        table.add_column(
            heading, justify="right" if not heading else "left", no_wrap=heading == title
        )
    for kind, found in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        some = found if first is None else found[:first]
        for place, remark in enumerate(some):
            head = (kind, f"{len(found):,}") if place == 0 else ("", "")
            table.add_row(
                *head, shown(remark.what), shown(remark.user), shown(remark.why, 2 * MOST_LETTERS)
            )
        if len(found) > len(some):
            table.add_row("", "", Text("…", style="dim"))
    return table


def when(moment: int | None, now: int) -> str:
    """Write a time for people: today's by the clock, others with the date, and in how long it is."""
    if moment is None:
        return "–"
    if moment <= now:
        return "now"
    return f"{clock(moment, now)} (in {duration(moment - now)})"


def clock(moment: int, now: int) -> str:
    """Write a time as clocks here show it, with the date if it is not today's."""
    at = datetime.fromtimestamp(moment)
    if at.date() == datetime.fromtimestamp(now).date():
        return f"{at:%H:%M:%S}"
    return f"{at:%a %H:%M}" if 0 < moment - now < 6 * 86400 else f"{at:%Y-%m-%d %H:%M}"


def effect_line(advice: Advice) -> Text:
    """Say by how much the waits would change."""
    effect = advice.effect
    if not effect.jobs:
        return Text("no job waits that can be planned")
    mean, longest = (
        change(effect.mean, effect.slurm_mean),
        change(effect.longest, effect.slurm_longest),
    )
    return Text(
        f"{counted(effect.jobs, 'job')} would wait {duration(effect.mean)} on average instead of "
        f"{duration(effect.slurm_mean)} ({mean}), at most {duration(effect.longest)} instead of "
        f"{duration(effect.slurm_longest)} ({longest}); Slurm has a forecast for {effect.forecast:,}"
    )


def advice_table(advice: Advice, rows: int) -> Table:
    """Lay out the plan of a tick: the jobs that start first, beside Slurm's forecast."""
    now = advice.time
    promised = any(one.latest is not None for one in advice.jobs)
    table = Table(
        title=Text(f"plan of {advice.policy} at {clock_time(now)}"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )
    headings = ["job", "user", "name", advice.seen.pool.unit, "limit", "waited", "starts", "in"]
    for heading in (*headings, *(["promised"] if promised else []), "by Slurm", "change"):
        table.add_column(
            heading, justify="left" if heading in ("user", "name") else "right", no_wrap=True
        )
    for one in advice.jobs[:rows]:
        job, waiting = one.waiting.job, one.waiting
        sooner = None if one.forecast is None else one.start - one.forecast
        cells = [
            shown(waiting.label),
            shown(job.user, 12),
            shown(job.name, 14),
            Text(f"{waiting.amount:,}"),
            Text(duration(waiting.walltime)),
            Text(duration(max(now - job.submit_time, 0))),
            Text(clock(one.start, now), style="bold green" if one.start <= now else ""),
            Text("now" if one.start <= now else duration(one.start - now)),
        ]
        cells += [Text("–" if one.latest is None else clock(one.latest, now))] if promised else []
        cells += [Text("–" if one.forecast is None else clock(one.forecast, now), style="dim")]
        table.add_row(*cells, Text("–" if sooner is None else signed(sooner)))
    if len(advice.jobs) > rows:
        table.caption = Text(f"… and {len(advice.jobs) - rows:,} more")
        table.caption_justify = "left"
    return table


def signed(seconds: int) -> str:
    """Write a difference of times.

    >>> signed(-90), signed(0), signed(7200)
    ('−90 s', '0 s', '+2.0 h')
    """
    return duration(0) if not seconds else f"{'−' if seconds < 0 else '+'}{duration(abs(seconds))}"


def tick_view(outcome: Advice | Fault, rows: int) -> Group:
    """Lay out one tick."""
    if isinstance(outcome, Fault):
        at = f"{datetime.fromtimestamp(outcome.time):%H:%M:%S}"
        return Group(
            Text.assemble(
                f"{at}: ",
                shown(outcome.message, 300),
                "; nothing is done, the next tick tries again",
            )
        )
    took = Text(f"observed, planned and written down in {outcome.seconds:.2f} s", style="dim")
    lines = [*observation_lines(outcome.seen), effect_line(outcome), took]
    for heading, remarks in (("left out", outcome.seen.left_out), ("noted", outcome.seen.noted)):
        kinds = Counter(remark.kind for remark in remarks).most_common()
        if kinds:
            lines.append(
                shown(f"{heading}: {', '.join(f'{count:,} {kind}' for kind, count in kinds)}", 300)
            )
    return Group(*lines, advice_table(outcome, rows))


def accuracy_table(found: Mapping[str, Mapping[str, float]]) -> Table:
    """Lay out how many jobs started when they were planned to, by planbatch and by Slurm's forecasts."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("planned by", no_wrap=True)
    for heading in ("plan", "jobs", "within 1 min", "10 min", "> 1 min earlier", "> 1 min later"):
        table.add_column(heading, justify="left" if heading == "plan" else "right")
    for name, figures in found.items():
        for plan, words in (("first", "the first"), ("last", "the last before the start")):
            keys = (f"{plan}_within_1", f"{plan}_within_10", f"{plan}_early_1", f"{plan}_late_1")
            cells = [share(figures[key]) if key in figures else "–" for key in keys]
            table.add_row(name, words, f"{figures['jobs']:,.0f}", *cells)
    return table


def when_table(found: Sequence[StartEstimate], now: int) -> Table:
    """Lay out when jobs start, for their users."""
    promised = any(one.latest is not None for one in found)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for heading in (
        "job",
        "user",
        "name",
        "starts",
        "in",
        *(["at the latest"] if promised else []),
        "by Slurm",
    ):
        table.add_column(
            heading, no_wrap=True, justify="right" if heading in ("job", "in") else "left"
        )
    table.add_column("")

    def at(moment: int | None) -> Text:
        return Text("–" if moment is None else clock(moment, now))

    for one in found:
        due = None if one.start is None or not one.job.pending else max(one.start - now, 0)
        cells = [shown(one.label), shown(one.job.user, 12), shown(one.job.name, 16), at(one.start)]
        cells += [Text("–" if due is None else "now" if due == 0 else duration(due))]
        cells += [at(one.latest)] if promised else []
        table.add_row(*cells, at(one.forecast), shown(one.why, 2 * MOST_LETTERS))
    return table
