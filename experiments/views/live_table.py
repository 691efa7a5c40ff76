"""A real cluster in the terminal: what was observed, and the plan of a tick."""

from collections import defaultdict
from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from planbatch.experiments.live.slurm.observe import Observation
from planbatch.experiments.live.slurm.waiting import Remark
from planbatch.experiments.text import counted

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
