"""``planbatch tune``: parameters of a policy, searched on the past and judged on later spans."""

from pathlib import Path

import click

from planbatch.experiments.cli.flags import jobs_option, json_option, out_folder
from planbatch.experiments.cli.shell import (
    INTERRUPTED,
    check_folder,
    complain,
    default_jobs,
    print_json,
    print_table,
    say,
)
from planbatch.experiments.cli.verb import verb


@verb
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@jobs_option()
@out_folder("Folder of tune.png, tune.svg and the replays; those are not run again.", "out/tune")
@json_option
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
        complain(
            f"planbatch: interrupted after {len(tuned.trials)} of {tuning.trials} trials; "
            "the same command goes on"
        )
        if as_json:
            print_json(tuned.to_dict())
        return INTERRUPTED

    from planbatch.experiments.figures.tune import tune_table, write_tuned

    if as_json:
        print_json(tuned.to_dict())
    else:
        print_table(tune_table(tuned))
    write_tuned(tuned, out / "tune")
    say(f"tune.png, tune.svg and the replays written to {out}")
    return 0
