"""``planbatch tune``: parameters of a policy, searched on the past and judged on later spans."""

from pathlib import Path
from typing import Annotated

from planbatch.experiments.cli.flags import Json, jobs_flag, out_flag
from planbatch.experiments.cli.parameters import FILE, argument
from planbatch.experiments.cli.shell import INTERRUPTED, complain, default_jobs, notify, print_json, print_result
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.common.paths import check_folder


@verb
def command(
    *,
    file: Annotated[Path, argument(type=FILE)],
    jobs: Annotated[int | None, jobs_flag()] = None,
    out: Annotated[Path, out_flag(
        "Folder of tune.png, tune.svg and the replays; those are not run again.")] = Path("out/tune"),
    as_json: Json = False,
) -> int:  # fmt: skip
    """Search the parameters of a policy on one span of a log, and judge the best on later ones.

    The TOML FILE gives a policy with parameters in braces, their ranges or choices in [parameters],
    the goals (any metrics; several give a Pareto front), past (the span to tune on), later (spans to
    judge on) and a [workload]; docs/tuning.md has all keys. Needs Optuna: pip install
    'planbatch[tune]'. The trials do not depend on the number of processes. After an interrupt
    (Ctrl-C), run the same command again to continue.
    """
    from planbatch.experiments.studies.tune import tune
    from planbatch.experiments.studies.tune_file import read_tuning

    check_folder("out", out)
    tuning = read_tuning(file)
    tuned = tune(tuning, jobs=jobs or default_jobs(), out=out, notify=notify)
    if tuned.unfinished:
        complain(
            f"planbatch: interrupted after {len(tuned.trials)} of {tuning.trials} trials; "
            "run the same command again to continue"
        )
        if as_json:
            print_json(tuned.to_dict())
        return INTERRUPTED

    from planbatch.experiments.figures.tune import tune_table, write_tuned

    print_result(as_json, tuned.to_dict(), tune_table(tuned))
    write_tuned(tuned, out / "tune")
    notify(f"tune.png, tune.svg and the replays written to {out}")
    return 0
