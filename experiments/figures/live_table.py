"""A real cluster in the terminal: what was observed, and the plan of a tick."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.console import Group
from rich.text import Text

from planbatch.experiments.common.table import Column, Table
from planbatch.experiments.common.text import change, clock_time, counted, duration, share, signed_duration
from planbatch.experiments.live.slurm.advise import Advice, FailedTick
from planbatch.experiments.live.slurm.estimates import StartEstimate
from planbatch.experiments.live.slurm.observe import Observation
from planbatch.experiments.live.slurm.pool import Remark

#: Longest text from the cluster that is shown (characters).
MOST_LETTERS = 60


def clean(text: str, most: int = MOST_LETTERS) -> Text:
    r"""Return a text from users without control characters.

    >>> clean("a\x1b[2Jb").plain
    'a·[2Jb'
    """
    safe = "".join(letter if letter.isprintable() else "·" for letter in text[: most + 1])
    return Text(safe if len(safe) <= most else f"{safe[: most - 1]}…")


def observation_lines(observation: Observation) -> list[Text]:
    """Summarise a snapshot in a few lines."""
    problem, pool = observation.problem, observation.pool
    name = observation.snapshot.cluster or "the cluster"
    version = f", Slurm {observation.snapshot.version}" if observation.snapshot.version else ""
    usable = f"{len(pool.usable):,} of {counted(len(pool.nodes), 'node')} usable"
    amounts = "".join(f", {resource.amount(resource.capacity)}" for resource in problem.resources)
    busy = f"{problem.capacity - problem.free:,} of {problem.capacity:,} {pool.unit} busy{amounts}"
    queue = f"{counted(len(problem), 'job')} to plan, {counted(len(observation.left_out), 'row')} left out"
    return [clean(f"{name}{version}: {usable}; {busy}; {queue}", 200)]


def remark_table(title: str, remarks: Sequence[Remark], first: int | None) -> Table:
    """Lay out remarks by heading; only the first ``first`` of each, if given."""
    groups: dict[str, list[Remark]] = defaultdict(list)
    for remark in remarks:
        groups[remark.kind].append(remark)
    rows = []
    for kind, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        head = {"kind": kind, "count": f"{len(group):,}"}
        for remark in group[:first]:
            why = clean(remark.why, 2 * MOST_LETTERS).plain
            rows.append({**head, "what": clean(remark.what).plain, "user": clean(remark.user).plain, "why": why})
            head = {"kind": "", "count": ""}
        if first is not None and len(group) > first:
            rows.append({**head, "what": "…", "user": "", "why": ""})
    columns = [
        Column("kind", title),
        Column("count", " ", str),
        Column("what", "job or node", wrap=True),
        Column("user", "user", wrap=True),
        Column("why", "why", wrap=True),
    ]
    return Table("remarks", "", columns, rows)


def when(moment: int | None, now: int) -> str:
    """Write a time for people: today's by the clock, others with the date, and in how long it is."""
    if moment is None:
        return "–"
    if moment <= now:
        return "now"
    return f"{clock(moment, now)} (in {duration(moment - now)})"


def clock(moment: int, now: int) -> str:
    """Write a time in local time, with the date if it is not today's."""
    at = datetime.fromtimestamp(moment)
    if at.date() == datetime.fromtimestamp(now).date():
        return f"{at:%H:%M:%S}"
    return f"{at:%a %H:%M}" if 0 < moment - now < 6 * 86400 else f"{at:%Y-%m-%d %H:%M}"


def effect_line(advice: Advice) -> Text:
    """Say by how much the waits would change."""
    effect = advice.effect
    if not effect.jobs:
        return Text("no job waits that can be planned")
    mean, longest = (change(effect.mean, effect.slurm_mean), change(effect.longest, effect.slurm_longest))
    return Text(
        f"{counted(effect.jobs, 'job')} would wait {duration(effect.mean)} on average instead of "
        f"{duration(effect.slurm_mean)} ({mean}), at most {duration(effect.longest)} instead of "
        f"{duration(effect.slurm_longest)} ({longest}); Slurm has a forecast for {effect.forecast:,}"
    )


def advice_table(advice: Advice, rows: int) -> Table:
    """Lay out the plan of a tick: the jobs that start first, with Slurm's forecast."""
    now = advice.time
    listed = []
    for estimate in advice.jobs[:rows]:
        job, waiting = estimate.waiting.job, estimate.waiting
        listed.append(
            {
                "job": clean(waiting.label).plain,
                "user": clean(job.user, 12).plain,
                "name": clean(job.name, 14).plain,
                "amount": waiting.amount,
                "limit": waiting.walltime,
                "waited": max(now - job.submit_time, 0),
                "starts": clock(estimate.start, now),
                "in": "now" if estimate.start <= now else duration(estimate.start - now),
                "promised": _clock_or_none(estimate.latest, now),
                "forecast": _clock_or_none(estimate.forecast, now),
                "change": None if estimate.forecast is None else estimate.start - estimate.forecast,
                "style": "bold green" if estimate.start <= now else "",
            }
        )
    columns = [
        Column("job", "job", str),
        Column("user", "user"),
        Column("name", "name"),
        Column("amount", advice.observation.pool.unit, "{:,}".format),
        Column("limit", "limit", duration),
        Column("waited", "waited", duration),
        Column("starts", "starts", str),
        Column("in", "in", str),
        Column("promised", "promised", str),
        Column("forecast", "by Slurm", str, style="dim"),
        Column("change", "change", signed_duration),
    ]
    if all(estimate.latest is None for estimate in advice.jobs):
        columns = [column for column in columns if column.key != "promised"]
    more = len(advice.jobs) - rows
    title = f"plan of {advice.policy} at {clock_time(now)}"
    return Table("plan", title, columns, listed, f"… and {more:,} more" if more > 0 else "")


def _clock_or_none(moment: int | None, now: int) -> str | None:
    return None if moment is None else clock(moment, now)


def tick_view(outcome: Advice | FailedTick, rows: int) -> Group:
    """Lay out one tick."""
    if isinstance(outcome, FailedTick):
        at = f"{datetime.fromtimestamp(outcome.time):%H:%M:%S}"
        return Group(
            Text.assemble(f"{at}: ", clean(outcome.message, 300), "; nothing is done, the next tick tries again")
        )
    took = Text(f"observed, planned and written down in {outcome.seconds:.2f} s", style="dim")
    lines = [*observation_lines(outcome.observation), effect_line(outcome), took]
    for heading, remarks in (("left out", outcome.observation.left_out), ("noted", outcome.observation.noted)):
        kinds = Counter(remark.kind for remark in remarks).most_common()
        if kinds:
            lines.append(clean(f"{heading}: {', '.join(f'{count:,} {kind}' for kind, count in kinds)}", 300))
    return Group(*lines, advice_table(outcome, rows))


def accuracy_table(accuracies: Mapping[str, Mapping[str, float]]) -> Table:
    """Lay out how many jobs started when they were planned to, by planbatch and by Slurm's forecasts."""
    shares = {
        "within_1": "within 1 min",
        "within_10": "10 min",
        "early_1": "> 1 min earlier",
        "late_1": "> 1 min later",
    }
    rows: list[dict[str, Any]] = []
    for name, figures in accuracies.items():
        for plan, words in (("first", "the first"), ("last", "the last before the start")):
            row = {key: figures.get(f"{plan}_{key}") for key in shares}
            rows.append({"by": name, "plan": words, "jobs": figures["jobs"], **row})
    columns = [Column("by", "planned by"), Column("plan", "plan"), Column("jobs", "jobs", "{:,.0f}".format)]
    columns += [Column(key, heading, share) for key, heading in shares.items()]
    return Table("accuracy", "", columns, rows)


def when_table(estimates: Sequence[StartEstimate], now: int) -> Table:
    """Lay out when jobs start, for their users."""
    rows = []
    for estimate in estimates:
        due = None if estimate.start is None or not estimate.job.pending else max(estimate.start - now, 0)
        rows.append(
            {
                "job": clean(estimate.label).plain,
                "user": clean(estimate.job.user, 12).plain,
                "name": clean(estimate.job.name, 16).plain,
                "starts": _clock_or_none(estimate.start, now),
                "in": "now" if due == 0 else due and duration(due),
                "latest": _clock_or_none(estimate.latest, now),
                "forecast": _clock_or_none(estimate.forecast, now),
                "why": clean(estimate.why, 2 * MOST_LETTERS).plain,
            }
        )
    columns = [
        Column("job", "job", str),
        Column("user", "user"),
        Column("name", "name"),
        Column("starts", "starts"),
        Column("in", "in", str),
        Column("latest", "at the latest"),
        Column("forecast", "by Slurm"),
        Column("why", " ", wrap=True),
    ]
    if all(estimate.latest is None for estimate in estimates):
        columns = [column for column in columns if column.key != "latest"]
    return Table("starts", "", columns, rows)
