"""A real Slurm, read: the same jobs in JSON and in text, hostile names, and advice beside its forecast."""

import json
from collections.abc import Iterator

import pytest

from planbatch.experiments.live.journal import read_ticks
from planbatch.experiments.live.slurm.observe import observe
from planbatch.experiments.live.slurm.parse import parse_jobs, parse_nodes
from planbatch.experiments.live.slurm.snapshot import UNREADABLE
from planbatch.experiments.rounds.file import read_round
from tests.live.lab.lab import Lab, wait_until

pytestmark = pytest.mark.integration

#: A name that imitates fields and a row of its own, as ``scontrol`` would print it.
IMITATION = "x UserId=eve(7) JobState=RUNNING\nJobId=999999 JobName=y"


@pytest.fixture
def lab(soft_lab) -> Iterator[Lab]:
    """The cluster with an empty queue."""
    soft_lab.mend()
    yield soft_lab
    soft_lab.cancel_all()  # first: nodes that are kept free for a waiting job do not count as mended
    soft_lab.mend()


@pytest.fixture
def queue(lab) -> dict[str, int]:
    """Two jobs run on six nodes; one of each kind waits. One node is drained."""
    whole = ("--exclusive",)
    result = {
        "wide": lab.submit("-N4", "-t10", *whole, seconds=600),
        "other": lab.submit("-N2", "-t20", *whole, seconds=600),
    }
    lab.wait_for("two jobs run", lambda jobs: all(jobs[one].running for one in result.values()))
    lab.run("scontrol", "update", "NodeName=n8", "State=DRAIN", "Reason=a bad fan")
    result |= {
        "first": lab.submit("-N7", "-t30", *whole), "long": lab.submit("-N2", "-t120", *whole),
        "held": lab.submit("-N1", "-t5", "-H", *whole),
        "array": lab.submit("-N1", "-t5", "--array=1,3,5-200:3%2", "-H", *whole),
        "later": lab.submit("-N1", "-t5", "--begin=now+3600", *whole),
        "after": lab.submit("-N1", "-t5", f"--dependency=afterok:{result['wide']}", *whole),
        "huge": lab.submit("-N9", "-t5", *whole), "evil": lab.submit("-N1", "-t5", "-H", "-J", IMITATION, *whole),
    }  # fmt: skip
    wait_until("Slurm has looked at its queue", lambda: lab.jobs()[result["first"]].forecast)
    return result


def test_json_and_text_say_the_same(lab, queue):
    """Every field of every job, as far as the text has it; the imitation is not believed, nor what it makes up."""
    jobs = lab.jobs()
    assert set(queue.values()) <= set(jobs)
    row = lab.run("scontrol", "-a", "-o", "show", "job")
    result = {job.job_id: job for job in parse_jobs(row, set(jobs))}
    assert result.pop(queue["evil"]).state == UNREADABLE
    assert set(result) == set(jobs) - {queue["evil"]}
    assert all(result[number] == jobs[number] for number in result)
    assert jobs[queue["evil"]].name == IMITATION
    assert len(jobs[queue["array"]].array.tasks) == 68
    assert parse_nodes(lab.run("scontrol", "-a", "-o", "show", "node")) == lab.snapshot().nodes


def test_the_cluster_is_observed(lab, queue):
    """By the command: six of seven nodes busy, two jobs to plan, and why the others are not."""
    output = lab.command("observe", "--out", "round.json")
    assert "7 of 8 nodes usable; 6 of 7 nodes busy; 2 jobs to plan" in output
    problem = read_round(lab.folder / "round.json")
    assert (problem.capacity, problem.free) == (7, 1)
    assert problem.ids.tolist() == [queue["first"], queue["long"]]
    assert problem.jobs.procs.tolist() == [7, 2]
    assert problem.jobs.walltime.tolist() == [1800, 7200]
    why = {remark.what: remark.kind for remark in observe(lab.snapshot()).left_out}
    assert why == {
        str(queue["held"]): "held by its user", str(queue["array"]): "held by its user",
        str(queue["evil"]): "held by its user", str(queue["later"]): "begins later",
        str(queue["after"]): "dependency", str(queue["huge"]): "never starts",
    }  # fmt: skip


def test_easy_backfilling_plans_what_slurm_forecasts(lab, queue):
    """Slurm's own backfill gives the first jobs the starts that EASY gives them, to some seconds."""
    out = ("--out", "live", "--rows", "3")
    output = lab.command("advise", "--policy", "easy", "--ticks", "1", *out)
    assert "plan of easy" in output, output
    (tick,) = read_ticks(lab.folder / "live" / "journal.jsonl")
    start, _, forecast = tick.starts[queue["first"]]
    assert abs(start - forecast) <= 3
    estimates = json.loads(lab.command("when", str(queue["first"]), "--journal", "live/journal.jsonl", "--json"))
    assert estimates["jobs"][0]["start"] == start


@pytest.mark.nightly
def test_a_controller_that_is_away_is_a_fault(lab):
    """One sentence in each tick; when it is back, the next tick plans."""
    lab.kill("slurmctld")
    try:
        output = lab.command("advise", "--ticks", "1", "--timeout", "1s", "--out", "away")
    finally:
        lab.mend()
    assert "nothing is done, the next tick tries again" in " ".join(output.split())
    assert "plan of plan-wait" in lab.command("advise", "--ticks", "1", "--out", "away")
    ticks = list(read_ticks(lab.folder / "away" / "journal.jsonl"))
    assert [bool(tick.plan) for tick in ticks] == [False, True]
