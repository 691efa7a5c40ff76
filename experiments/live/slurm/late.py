"""Begin times that came too late: their job had started, and its mark tells of a begin time that it never had.

``scontrol update`` of Slurm 22.05.8 refuses the begin time of a job that runs, and keeps the ``AdminComment`` of the
same line. So the mark is put back as it was read, in the same tick.
"""

from collections.abc import Sequence

from planbatch.experiments.live.slurm.commands import Command
from planbatch.experiments.live.slurm.marks import FREE, mark_of
from planbatch.experiments.live.slurm.said import Answer
from planbatch.experiments.live.slurm.snapshot import JobKey, LiveJob, Snapshot


def marks_back(
    snapshot: Snapshot, commands: Sequence[Command], answers: Sequence[Answer]
) -> list[Command]:
    """Return the commands that put the marks of jobs back which had started when they were told a begin time.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster as it was read.
    commands : sequence of Command
        What was sent.
    answers : sequence of Answer
        What became of its lines.
    """
    late = {answer.line for answer in answers if answer.started}
    jobs: dict[JobKey, LiveJob] = {job.key: job for job in snapshot.jobs}
    return [
        _back(command, jobs[command.key])
        for command in commands
        if any(line in late and " StartTime=" in line for line in command.lines)
        # An array's row has one mark for all of its tasks that wait.
        and jobs[command.key].array is None
    ]


def _back(command: Command, job: LiveJob) -> Command:
    """Put a mark back; of another text, which is gone and never sent, remains that the job is Slurm's."""
    mark = mark_of(job.admin_comment) or (FREE if job.admin_comment else "")
    line = f"update JobId={int(job.job_id)} AdminComment={mark}"
    return Command("mark back", job.key, command.label, (line,), "it had started already")
