"""``planbatch slurm when``: a user sees when her jobs start."""

import os
from pathlib import Path
from time import time
from typing import Annotated

from planbatch.experiments.cli.flags import Json
from planbatch.experiments.cli.parameters import argument, flag
from planbatch.experiments.cli.shell import print_json, print_result, print_table
from planbatch.experiments.cli.verb import verb

#: The journal that ``drive`` writes and ``when`` reads by default, and the variable that names another.
JOURNAL = Path("out/live/journal.jsonl")
VARIABLE = "PLANBATCH_JOURNAL"


@verb
def command(
    *,
    job: Annotated[str | None, argument(metavar="[JOBID]")] = None,
    user: Annotated[str | None, flag("Jobs of this user.  [default: your own, if no job is named]", "NAME")] = None,
    everybody: Annotated[bool, flag("The jobs of all users.", name="--all")] = False,
    journal: Annotated[
        Path, flag("What planbatch slurm advise or drive writes.", "FILE", envvar=VARIABLE, show_envvar=True)
    ] = JOURNAL,
    why: Annotated[bool, flag("Explain the start of JOBID: what holds its nodes until when.")] = False,
    accuracy: Annotated[
        bool, flag("Report how many jobs started when the plans of the journal and Slurm's forecasts said.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print when jobs are planned to start: JOBID (a job, an array, or a task such as 59_1), or all of a user's.

    Times are those of the last plan in the journal; Slurm itself is not queried.
    """
    from planbatch.experiments.common.text import clock_time, duration
    from planbatch.experiments.figures.live_table import accuracy_table, when_table
    from planbatch.experiments.live.slurm import estimates

    if accuracy:
        starts = estimates.planned_starts(journal)
        figures = {name: estimates.accuracy_of(jobs) for name, jobs in starts.items()}
        print_result(as_json, figures, accuracy_table(figures))
        return
    if why and job is None:
        raise ValueError("why: which job? give its number: planbatch slurm when JOBID --why")
    tick = estimates.last_tick(journal)
    if job is None and user is None and not everybody:
        user = login()
    jobs = estimates.start_estimates(tick, job, user)
    sentences = estimates.why_start(tick, job, clock_time) if why and job is not None else []
    if as_json:
        rows = [{"job": estimate.label, "user": estimate.job.user, "start": estimate.start, "latest": estimate.latest,
                 "forecast": estimate.forecast, "why": estimate.why} for estimate in jobs]  # fmt: skip
        print_json({"time": tick.time, "policy": tick.plan["policy"], "jobs": rows,
                    **({"explanation": sentences} if why else {})})  # fmt: skip
        return
    age = max(int(time()) - tick.time, 0)
    print_table(f"the plan of {tick.plan['policy']} is {duration(age)} old")
    if sentences:
        print_table(*sentences)
    elif jobs:
        print_table(when_table(jobs, max(int(time()), tick.time)))
    else:
        print_table(f"no jobs of {user} are in the queue" if user else "no jobs are in the queue")


def login() -> str:
    """Return the user's name, from the process rather than the environment."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        raise ValueError("user: you have no name on this machine; name one with --user") from None
