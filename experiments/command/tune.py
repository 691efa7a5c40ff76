"""``planbatch tune``: parameters of a policy, searched on the past and judged on later spans."""

from pathlib import Path

import click

from planbatch.experiments.command.shell import (
    INTERRUPTED,
    check_folder,
    default_jobs,
    print_table,
    say,
)


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--jobs", type=click.IntRange(min=1), metavar="J",
              help="Processes. By default as many as there are cores.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("out/tune"),
              show_default=True,
              help="Folder of tune.png, tune.svg and the replays; those are not run again.")  # fmt: skip
def command(file: Path, jobs: int | None, out: Path) -> int:
    """Search the parameters of a policy on one span of a log, and judge the best on later ones.

    The TOML FILE gives a policy with parameters in braces, their ranges or choices in [parameters],
    the goals (any metrics; several give a Pareto front), past (the span to tune on), later (spans to
    judge on) and a [workload]; docs/tuning.md has all keys. Needs Optuna: pip install
    'planbatch[tune]'. The trials do not depend on the number of processes. After an interrupt
    (Ctrl-C) the same command goes on.
    """
    from planbatch.experiments.tuning.file import read_tuning
    from planbatch.experiments.tuning.tune import tune

    check_folder(out)
    tuning = read_tuning(file)
    tuned = tune(tuning, jobs=jobs or default_jobs(), out=out, say=say)
    if tuned.unfinished:
        say(
            f"planbatch: interrupted after {len(tuned.trials)} of {tuning.trials} trials; "
            "the same command goes on"
        )
        return INTERRUPTED

    from planbatch.experiments.views.tune_picture import write_tuned
    from planbatch.experiments.views.tune_table import tune_table

    print_table(tune_table(tuned))
    write_tuned(tuned, out / "tune")
    say(f"tune.png, tune.svg and the replays written to {out}")
    return 0
