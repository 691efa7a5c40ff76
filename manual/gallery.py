"""The gallery: every kind of picture that planbatch makes, each by the command beside it."""

import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from manual import ROOT
from planbatch.experiments.cli.main import planbatch
from planbatch.experiments.workloads.lublin import synthetic_workload

#: What the commands read besides what they make.
INPUTS = {
    "examples/tune.toml": "examples/tune.toml",
    "tests/live/samples/sample_squeue_v0.0.38.json": "snapshot/squeue.json",
    "tests/live/samples/sample_sinfo_v0.0.38.json": "snapshot/sinfo.json",
}
INTRODUCTION = """\
# Gallery

Every kind of picture that planbatch makes. The commands beside them were run, one after the other, when this site was built. Commands write PNG and SVG; in
Python, `pb.draw_…` draws on any axes. `site.csv` is a table of 4,000 synthetic jobs of 12 users in eight months.
"""
#: Pictures that need what is not in the repository.
ENDING = """\
## Pictures of papers

`planbatch reproduce PAPER` draws each figure of a paper that it compares, beside the paper's values. It needs real logs, so these are not drawn here
([Reproductions](reproductions.md)): bars beside the papers' for `zheng-2016` and `ntakpe-2017`, waits by case for `liu-2016`, and panels of policies for the others.

## A cluster beside its plan

[What driving a cluster showed](live-results.md) has the waits of the same jobs under Slurm's backfill and under planbatch.
"""


@dataclass(frozen=True)
class Example:
    """A command, and the pictures that it leaves behind.

    Attributes
    ----------
    title : str
        What is to be seen.
    commands : tuple of str
        Run one after the other in one folder, by a shell's rules.
    pictures : tuple of (str, str)
        Pattern of a file, and what it shows.
    """

    title: str
    commands: tuple[str, ...]
    pictures: tuple[tuple[str, str], ...]


EXAMPLES = (
    Example(
        "Policies side by side",
        (
            "planbatch workload generate log.swf --count 600 --capacity 64",
            "planbatch compare log.swf --out compare",
        ),
        (
            ("compare/waits.png", "What share of the jobs waits for at most so long, by policy (`pb.draw_waits`)"),
            ("compare/mean-wait.png", "Mean waits (`pb.draw_mean_waits`)"),
        ),
    ),
    Example(
        "Mean against longest wait",
        (
            "planbatch compare log.swf --policy easy --policy plan-wait --policy plan-aged-wait:6h --promise none --promise 2x --out trade",
        ),
        (("trade/trade-off.png", "One point per policy and promise, and the Pareto front (`pb.draw_trade_off`)"),),
    ),
    Example(
        "The report's pictures",
        (
            "planbatch compare site.csv --capacity 64 --policy easy --policy conservative --policy plan-squared-wait --out site",
            "planbatch report site --export figures",
        ),
        (
            ("figures/pictures/overview.png", "Every policy's change against EASY, with intervals"),
            ("figures/pictures/*-pareto.png", "Trade-offs"),
            ("figures/pictures/*-distributions.png", "Waits and slowdowns, and their tails"),
            ("figures/pictures/*-months.png", "Waits by month of submission"),
            ("figures/pictures/*-map-waits.png", "Waits by size and run time (Figure 6 of Zheng et al. 2016)"),
            ("figures/pictures/*-map-ratios.png", "The same, as ratios to EASY's"),
            ("figures/pictures/*-load.png", "Utilisation and queue over time"),
            ("figures/pictures/*-users.png", "Mean waits by user, and how many users gain"),
            ("figures/pictures/*-gains-plan-squared-wait.png", "Who gains and who loses, by size, by walltime, and job by job"),
            ("figures/pictures/*-rounds.png", "Time per round against the queue"),
        ),
    ),
    Example(
        "One round",
        (
            "planbatch rounds capture log.swf --policy easy --sizes 16 --per-size 1 --out one",
            "planbatch round one/*.json --picture plan.png",
        ),
        (
            ("plan.png", "The plan and the best first plan; `.html` has the jobs' ids and times where the mouse points (`pb.draw_plan`)"),
        ),
    ),
    Example(
        "Optimizers on captured rounds",
        (
            "planbatch rounds capture log.swf --sizes 12,24 --per-size 3 --out rounds",
            "planbatch rounds compare rounds/*.json --optimizer annealing --optimizer tabu --optimizer lns --objective wait --evaluations 300 --out searched",
        ),
        (
            ("searched/curves-wait.png", "Excess over the best known cost along the search (`pb.draw_curves`)"),
            ("searched/profile-wait.png", "Performance profile: how many searches come how close (`pb.draw_profile`)"),
            ("searched/plans-wait-*n0024*.png", "The best plan of each as a Gantt chart (`pb.draw_plans`)"),
        ),
    ),
    Example(
        "Parameters tuned on the past",
        ("planbatch tune examples/tune.toml --out tuned",),
        (("tuned/tune.png", "Trials on the past, and the best of them on later spans"),),
    ),
    Example(
        "A cluster that is watched",
        ("planbatch slurm advise --from snapshot --ticks 1 --out live",),
        (("live/plan.png", "The plan of what waits on a Slurm cluster, as its page shows it; the snapshot is saved output of squeue and sinfo"),),
    ),
)  # fmt: skip


def run(command: str) -> None:
    """Run a command of planbatch in this process and in this folder."""
    words = [
        path
        for word in shlex.split(command)[1:]
        for path in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
    ]
    with redirect_stdout(StringIO()):
        planbatch.main(words, prog_name="planbatch", standalone_mode=False)


def find_picture(folder: Path, pattern: str) -> Path:
    """Return the picture that a pattern means; raise if a command did not draw it."""
    paths = sorted(folder.glob(pattern))
    if not paths:
        raise FileNotFoundError(f"gallery: no command drew {pattern}")
    return paths[0]


def write_site(path: Path) -> None:
    """Write a table of jobs with users: long ones, so that they fill some months."""
    workload = synthetic_workload(jobs=4000, capacity=64, load=0.9, seed=3)
    frame = 4 * workload.to_frame()[["submit", "procs", "walltime", "runtime"]]
    frame["procs"] //= 4
    frame["user"] = [f"user{k % 12}" for k in range(len(frame))]
    frame.to_csv(path, index=False)


def write(folder: Path) -> None:
    """Run all commands, and leave pictures and report in a folder."""
    working = folder / "working"
    working.mkdir()
    for source, target in INPUTS.items():
        target_path = working / target
        target_path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, target_path)
    write_site(working / "site.csv")
    before = Path.cwd()
    os.chdir(working)
    try:
        for example in EXAMPLES:
            for command in example.commands:
                run(command)
    finally:
        os.chdir(before)
    for example in EXAMPLES:
        for pattern, _ in example.pictures:
            shutil.copy(find_picture(working, pattern), folder / picture_name(pattern))
    shutil.copy(working / "site" / "report.html", folder / "report.html")
    shutil.rmtree(working)


def picture_name(pattern: str) -> str:
    """Return what a picture is called on the site.

    >>> picture_name("figures/pictures/*-pareto.png")
    'figures-pareto.png'
    """
    parts = [part for part in pattern.replace("*", "").split("/") if part != "pictures"]
    return "-".join(part.strip("-") for part in parts).replace("--", "-").replace("-.png", ".png")


def lines() -> Iterator[str]:
    """Yield the page, line by line."""
    yield INTRODUCTION
    for example in EXAMPLES:
        yield f"## {example.title}\n\n```sh"
        yield from example.commands
        yield "```\n"
        if example.title.startswith("The report"):
            yield '<a href="made/report.html">The page itself</a>, with a Gantt chart to zoom into.\n'
        for pattern, text in example.pictures:
            yield f"{text}:\n\n![{text.replace('`', '')}](made/{picture_name(pattern)})\n"
    yield ENDING


def page() -> str:
    """Return the page."""
    return "\n".join(lines())
