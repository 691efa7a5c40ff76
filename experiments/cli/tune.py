"""``planbatch tune``: parameters of a policy, searched on the past and judged on later spans."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbatch.experiments.cli.shell import (
    INTERRUPTED,
    check_folder,
    default_jobs,
    print_table,
    say,
)

if TYPE_CHECKING:
    from planbatch.experiments.studies.tune import Judged, Tuned


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--jobs", type=click.IntRange(min=1), metavar="J",
              help="Processes. By default as many as there are cores.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("out/tune"),
              show_default=True,
              help="Folder of tune.png, tune.svg and the replays; those are not run again.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(file: Path, jobs: int | None, out: Path, as_json: bool) -> int:
    """Search the parameters of a policy on one span of a log, and judge the best on later ones.

    The TOML FILE gives a policy with parameters in braces, their ranges or choices in [parameters],
    the goals (any metrics; several give a Pareto front), past (the span to tune on), later (spans to
    judge on) and a [workload]; docs/tuning.md has all keys. Needs Optuna: pip install
    'planbatch[tune]'. The trials do not depend on the number of processes. After an interrupt
    (Ctrl-C) the same command goes on.
    """
    from planbatch.experiments.studies.tune import tune
    from planbatch.experiments.studies.tune_file import read_tuning

    check_folder(out)
    tuning = read_tuning(file)
    tuned = tune(tuning, jobs=jobs or default_jobs(), out=out, say=say)
    if tuned.unfinished:
        say(
            f"planbatch: interrupted after {len(tuned.trials)} of {tuning.trials} trials; "
            "the same command goes on"
        )
        if as_json:
            click.echo(json.dumps(described(tuned), ensure_ascii=False))
        return INTERRUPTED

    from planbatch.experiments.figures.tune import write_tuned
    from planbatch.experiments.figures.tune_table import tune_table

    if as_json:
        click.echo(json.dumps(described(tuned), ensure_ascii=False))
    else:
        print_table(tune_table(tuned))
    write_tuned(tuned, out / "tune")
    say(f"tune.png, tune.svg and the replays written to {out}")
    return 0


def described(tuned: "Tuned") -> dict[str, Any]:
    """Return a search for JSON output: a value is null where a replay failed."""
    tuning = tuned.tuning
    spans = (tuning.past, *tuning.later)

    def row(judged: "Judged") -> dict[str, Any]:
        values = {
            span: {
                goal.name: None if value != value else value
                for goal, value in zip(tuning.goals, found, strict=True)
            }
            for span, found in zip(spans, judged.values, strict=False)  # trials: the past alone
        }
        return {"policy": judged.policy, "values": values, "error": judged.error or None}

    return {
        "policy": tuning.policy,
        "past": tuning.past,
        "later": list(tuning.later),
        "beside": [row(judged) for judged in tuned.beside],
        "front": [row(judged) for judged in tuned.front],
        "trials": [row(judged) for judged in tuned.trials],
        "interrupted": tuned.unfinished,
    }
