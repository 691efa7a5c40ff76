"""``planbatch slurm``: verbs for a real cluster, one file each."""

import click

from planbatch.experiments.cli.verb import LazyGroup

#: Heading → verb → one-line help.
VERBS = {
    "Watch": {
        "observe": "Write the running and pending jobs as a round file; list what is left out, and why.",
        "advise": "In every tick, plan the pending jobs, next to Slurm's own forecast; keep a journal.",
        "when": "Print when jobs are planned to start.",
    },
    "Carry plans out": {
        "drive": "Show the commands, set begin times, or release jobs when they are due.",
        "release-all": "Return all jobs to Slurm.",
        "files": "Write the files that a site installs: job_submit.lua, systemd units, a configuration.",
    },
}


@click.group(cls=LazyGroup, verbs=VERBS, package="planbatch.experiments.cli.slurm")
def command() -> None:
    """Watch a Slurm cluster, and plan its pending jobs (experimental: names and flags may change).

    Runs Slurm's own programs; SLURM_CONF names its configuration if it is not where Slurm looks for it.
    """
