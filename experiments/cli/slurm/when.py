"""``planbatch slurm when``: a user sees when her jobs start."""

import os
from pathlib import Path
from time import time

import click

from planbatch.experiments.cli.flags import json_option
from planbatch.experiments.cli.shell import print_json, print_table
from planbatch.experiments.cli.verb import flag, verb

#: Where the journal is, for users who do not say so.
VARIABLE = "PLANBATCH_JOURNAL"


@verb
@click.argument("job", metavar="[JOBID]", required=False)
@flag("--user", metavar="NAME", help="Jobs of this user.  [default: your own, if no job is named]")
@flag("--all", "everybody", is_flag=True, help="Everybody's jobs.")
@flag(
    "--journal",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar=VARIABLE,
    default=Path("out/live/journal.jsonl"),
    show_default=True,
    show_envvar=True,
    metavar="FILE",
    help="What planbatch slurm advise or drive writes.",
)
@flag("--why", is_flag=True, help="Explain the start of JOBID: what holds its nodes until when.")
@flag(
    "--accuracy",
    is_flag=True,
    help="How many jobs started when the plans in the whole journal said, and by Slurm's forecasts.",
)
@json_option
def command(
    job: str | None,
    user: str | None,
    everybody: bool,
    journal: Path,
    why: bool,
    accuracy: bool,
    as_json: bool,
) -> None:
    """Tell when jobs are planned to start: JOBID (a job, an array, or a task such as 59_1), or all of a user's.

    Times are those of the last plan in the journal; Slurm itself is not asked.
    """
    from planbatch.experiments.common.text import clock_time, duration
    from planbatch.experiments.figures.live_table import when_table
    from planbatch.experiments.live.slurm.planned import last_tick, start_estimates, why_start

    if accuracy:
        show_accuracy(journal, as_json)
        return
    if why and job is None:
        raise ValueError("why: which job? give its number: planbatch slurm when JOBID --why")
    tick = last_tick(journal)
    if job is None and user is None and not everybody:
        user = login()
    found = start_estimates(tick, job, user)
    explained = why_start(tick, job, clock_time) if why and job is not None else []
    if as_json:
        rows = [{"job": one.label, "user": one.job.user, "start": one.start, "latest": one.latest,
                 "forecast": one.forecast, "why": one.why} for one in found]  # fmt: skip
        print_json({"time": tick.time, "policy": tick.plan["policy"], "jobs": rows,
                    **({"explanation": explained} if why else {})})  # fmt: skip
        return
    age = max(int(time()) - tick.time, 0)
    print_table(f"the plan of {tick.plan['policy']} is {duration(age)} old")
    if explained:
        print_table(*explained)
    elif found:
        print_table(when_table(found, max(int(time()), tick.time)))
    else:
        print_table(f"no jobs of {user} are in the queue" if user else "no jobs are in the queue")


def show_accuracy(journal: Path, as_json: bool) -> None:
    """Print how many jobs started within 1 and 10 minutes of the plans in a journal."""
    from planbatch.experiments.figures.live_table import accuracy_table
    from planbatch.experiments.live.slurm.starts import accuracy_of, planned_starts

    found = {name: accuracy_of(jobs) for name, jobs in planned_starts(journal).items()}
    if as_json:
        print_json(found)
    else:
        print_table(accuracy_table(found))


def login() -> str:
    """Return the name of who asks: of the process, not of the environment."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        raise ValueError("user: you have no name on this machine; name one with --user") from None
