"""Experiments on a Dask cluster: a scheduler and two workers on loopback, one of which is killed."""

import json
import subprocess
import sys
import time
from contextlib import ExitStack
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from planbatch.experiments import read_experiment, run_experiment
from planbatch.experiments.runs import backends
from planbatch.experiments.runs.backends import BackendError, check_backend, make_backend
from planbatch.experiments.runs.dask import check_workers
from tests.experiments.studies.grids import GRID, assert_whole, environment, tables, write

if TYPE_CHECKING:
    from distributed import Client

pytestmark = pytest.mark.integration


@pytest.fixture
def cluster(tmp_path):
    """Start a scheduler and two workers, as a site does; give the scheduler's file and the workers."""
    file = tmp_path / "scheduler.json"
    log = (tmp_path / "cluster.log").open("w")

    def start(kind: str, *words: object) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--scheduler-file", str(file),
             "--no-dashboard", *map(str, words)],
            env=environment() | {"GATE": str(tmp_path / "gate")}, cwd=tmp_path, stdout=log, stderr=log,
        )  # fmt: skip

    with ExitStack() as stack:
        stack.callback(log.close)
        running = [start("scheduler", "--host", "127.0.0.1", "--port", 0)]
        running += [
            start("worker", "--nthreads", 1, "--no-nanny", "--host", "127.0.0.1", "--name", name)
            for name in ("first", "second")
        ]
        for process in reversed(running):
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield file, running[1:]


def tasks_of(client: "Client", name: str) -> int:
    """Count the tasks that a worker has been given and has not finished."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    addresses = [address for address, worker in workers.items() if worker["name"] == name]
    return sum(len(client.processing()[address]) for address in addresses)


#: An objective that keeps workers waiting, while it is imported, until a file is there.
GATED = """\
import os
import time

while "GATE" in os.environ and not os.path.exists(os.environ["GATE"]):
    time.sleep(0.01)


def total_wait(start, jobs, now):
    return float((start - jobs.submit).sum())
"""


@pytest.mark.nightly
def test_a_worker_that_is_killed_costs_nothing(tmp_path, cluster):
    """It is killed in the middle of a task; the tables are those of one process on one machine."""
    scheduler, workers = cluster
    (tmp_path / "gated.py").write_text(GATED)
    gated = f'name = "plan"\nobjective = "{tmp_path}/gated.py:total_wait"'
    file = write(tmp_path, GRID.replace('name = ["fcfs", "easy"]', gated))
    out = tmp_path / "out"
    with subprocess.Popen(
        [sys.executable, "-m", "planbatch", "experiment", "run", file, "--out", out,
         "--backend", "dask", "--scheduler", scheduler, "--json"],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as running:  # fmt: skip
        from distributed import Client

        with Client(scheduler_file=str(scheduler), set_as_default=False) as client:
            while running.poll() is None and not (lost := tasks_of(client, "first")):
                time.sleep(0.005)
        workers[0].kill()
        (tmp_path / "gate").touch()
        answer, errors = running.communicate()
    assert running.returncode == 0, errors
    assert lost > 0, "the worker had nothing to lose"
    assert json.loads(answer)["ran"] == 12
    assert assert_whole(out) == 12
    run_experiment(read_experiment(file), tmp_path / "reference")
    assert tables(out) == tables(tmp_path / "reference")
    assert workers[1].poll() is None


def test_a_cluster_of_this_machine(tmp_path):
    """Without an address, workers are started here."""
    file, out = write(tmp_path, GRID), tmp_path / "out"
    subprocess.run(
        [sys.executable, "-m", "planbatch", "experiment", "run", file, "--out", out,
         "--backend", "dask", "--jobs", "2"],
        env=environment(), capture_output=True, check=True,
    )  # fmt: skip
    run_experiment(read_experiment(file), tmp_path / "reference")
    assert tables(out) == tables(tmp_path / "reference")


def test_no_scheduler_there(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c",
         "from planbatch.experiments.runs import dask as dask_backend\n"
         "from planbatch.experiments.cli.main import main\n"
         "dask_backend.PATIENCE = 1\n"
         "main()", "experiment", "run", write(tmp_path), "--out", tmp_path / "out",
         "--backend", "dask", "--scheduler", "tcp://127.0.0.1:9"],
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no Dask cluster at tcp://127.0.0.1:9" in done.stderr.splitlines()[-1]


def test_backends_that_are_not_there(monkeypatch):
    """Unknown names get the nearest one; a missing package, the command that installs it."""
    with pytest.raises(BackendError, match="no 'locky'; did you mean loky"):
        check_backend("locky")
    with pytest.raises(BackendError, match="loky works on this machine only"):
        check_backend("loky", "tcp://somewhere:1")
    with pytest.raises(BackendError, match="jobs: 0"):
        make_backend("loky", 0)
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    with pytest.raises(BackendError, match=r"dask needs the package distributed.*pip install 'planbatch\[dask\]'"):
        check_backend("dask")


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("another", "tcp://node:1 runs another version of the code \\(another, not"),
        (ModuleNotFoundError("No module named 'experiments'"), "tcp://node:1 cannot import planbatch"),
    ],
)
def test_workers_without_this_planbatch_are_reported(reply, message):
    client = SimpleNamespace(run=lambda function, on_error: {"tcp://node:1": reply})
    with pytest.raises(BackendError, match=message):
        check_workers(client, lambda: "")
    client = SimpleNamespace(run=lambda function, on_error: {"tcp://node:1": function()})
    check_workers(client, lambda: "")
