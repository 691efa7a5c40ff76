"""``planbatch slurm release-all``: give all jobs back to Slurm."""

import time
from typing import TYPE_CHECKING, Annotated

from planbatch.experiments.cli.flags import Json
from planbatch.experiments.cli.parameters import flag
from planbatch.experiments.cli.shell import complain, notify, print_json
from planbatch.experiments.cli.slurm import drive
from planbatch.experiments.cli.slurm.config import config_flag
from planbatch.experiments.cli.slurm.flags import STATE, Client, State
from planbatch.experiments.cli.verb import verb

if TYPE_CHECKING:
    from planbatch.experiments.live.slurm.tick import Tick


@verb
def command(
    *,
    config: Annotated[None, config_flag(drive.command)] = None,  # noqa: ARG001 - read before the others
    silent_for: Annotated[float | None, flag(
        "Only if the driver has been silent for so long: for a timer that watches it.", "TIME")] = None,
    dry_run: Annotated[bool, flag("Print the commands only.")] = False,
    state: State = STATE,
    client: Client,
    as_json: Json = False,
) -> int:  # fmt: skip
    """Return all jobs to Slurm as their users asked for them: begin times are restored.

    What users and administrators hold stays held, and is named. Exit code 1 if something could not be given back.
    """
    from planbatch.experiments.live.slurm.heartbeat import HEARTBEAT, silence, stop_beating
    from planbatch.experiments.live.slurm.tick import release_all

    heartbeat = state / HEARTBEAT
    age = silence(heartbeat, time.time())
    if silent_for is not None and age < silent_for:
        notify(f"planbatch: the driver's last heartbeat is {age:.0f} s old; nothing was done")
        return 0
    if not dry_run:
        stop_beating(heartbeat)  # from now on jobs arrive as if there were no driver
    counts: list[int] = []
    terminal = drive.Terminal(dry_run)

    def show_attempt(attempt: "Tick") -> None:
        counts.append(len(attempt.commands) if attempt.answers or dry_run else 0)
        if not (as_json and dry_run):
            terminal(attempt)

    complete = release_all(client, show_attempt, dry_run=dry_run)
    most = max(counts, default=0)
    if as_json:
        print_json({"jobs": most, "complete": complete, "dry_run": dry_run})
    if not complete:
        complain("planbatch: some jobs could not be returned; see above, and try again")
    elif not dry_run:
        notify(f"planbatch: {most} jobs were given back to Slurm")
    return 0 if complete else 1
