"""``planbatch workload`` as people and programs use it."""

import gzip
import json
from functools import partial
from pathlib import Path

import pytest

from planbatch.experiments.cli.workload import generate
from planbatch.experiments.workloads import archive, lublin
from planbatch.experiments.workloads.load import resolve_source, workload_of_source
from planbatch.experiments.workloads.swf.read import read_swf

LOG = b"""\
; MaxProcs: 8
; Queue: 0 interactive
1   0  5 100  4 -1 -1  4  200 -1 1 7 1 -1 1 3 -1 -1
2  10  5 100  9 -1 -1 -1   50 -1 1 7 1 -1 1 3 -1 -1
3  20  5  60  2 -1 -1  2   90 -1 1 8 1 -1 0 3 -1 -1
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "small.swf.gz"
    path.write_bytes(gzip.compress(LOG))
    return path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep fetched logs in a folder of the test."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(archive, "user_cache_path", lambda name: folder / name)
    return folder / "planbatch" / "workloads"


@pytest.fixture
def run(run):
    return partial(run, "workload")


def failure(run, *words: object) -> str:
    """Run the command, which has to fail with exit code 2; return its message."""
    code, out, err = run(*words)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("planbatch: ")
    return err


def test_info_as_json_is_one_object_and_nothing_else(run, log):
    _, out, err = run("info", log, "--json")
    info = json.loads(out)
    assert info["jobs"] == 2
    assert info["dropped"]["larger than the machine"] == 1
    assert info["anomalies"]["used_processors_above_requested"] == 0
    assert err == ""


def test_info_for_people(run, log):
    """People get tables, with markup in names left alone."""
    out = run("info", log)[1]
    assert "usable jobs" in out
    assert "interactive" in out
    assert "Anomalies" in out


def test_info_without_a_log_describes_the_embedded_workload(run):
    """No download and no file is needed."""
    assert json.loads(run("info", "--json", "--first", 100)[1])["jobs"] == 100


def test_flags_reach_the_workload(run, log):
    flags = ("--capacity", 9, "--drop-queue", "interactive")
    info = json.loads(run("info", log, "--json", *flags)[1])
    assert (info["capacity"], info["jobs"]) == (9, 2)
    assert info["dropped"]["in a dropped queue"] == 1


def test_bad_lines_are_skipped_on_request_and_listed(run, log):
    """The first 20 are printed on standard error, and all are counted."""
    log.write_bytes(LOG + b"x 1 2\n" * 25)
    _, out, err = run("info", log, "--json", "--skip-bad-lines")
    info = json.loads(out)
    assert info["dropped"]["unreadable line"] == 25
    assert len(info["skipped_lines"]) == 25
    assert info["skipped_lines"][0]["value"] == "x"
    lines = err.splitlines()
    assert len(lines) == 21
    assert "line 6, column 1 (job): 'x' is not a number" in lines[0]
    assert "skipped 25 lines" in lines[-1]


def test_transform_writes_a_log(run, log, tmp_path):
    """The output is a log with the header, a note, and the remaining jobs; it may replace the input."""
    target = tmp_path / "out.swf.xz"
    assert run("transform", log, target, "--first", 1, "--load", 2)[:2] == (0, "")
    again = read_swf(target)
    assert len(again) == 1
    assert again.header.fields["Note"] == "planbatch: first 1 usable jobs; load times 2"
    assert again.header.queues == {0: "interactive"}
    run("transform", log, log, "--first", 1)
    assert len(read_swf(log)) == 1


def test_generate_writes_the_same_log_for_the_same_seed(run, tmp_path):
    """Files are equal to the last byte, and have as many jobs and processors as requested."""
    for name in ("a.swf.gz", "b.swf.gz"):
        flags = ("--count", 50, "--capacity", 64, "--seed", 9, "--offered-load", 0.7)
        assert run("generate", name, *flags)[0] == 0
    assert (tmp_path / "a.swf.gz").read_bytes() == (tmp_path / "b.swf.gz").read_bytes()
    workload = workload_of_source(tmp_path / "a.swf.gz")
    assert (len(workload), workload.capacity) == (50, 64)


def test_fetch_lists_the_catalogue(run, cache):
    """Without a name, all names are listed, and which cannot be verified."""
    out = run("fetch")[1]
    assert "KTH-SP2-1996-2.1-cln" in out
    assert "not verified" in out


def test_a_fetched_log_is_known_by_its_name(run, cache):
    cache.mkdir(parents=True)
    (cache / "KTH-SP2-1996-2.1-cln.swf.gz").write_bytes(gzip.compress(LOG))
    assert json.loads(run("info", "kth-sp2-1996-2.1-cln", "--json")[1])["jobs"] == 2
    _, out, err = run("fetch", "KTH-SP2-1996-2.1-cln")
    assert "has been fetched before" in err
    assert out.strip().endswith("KTH-SP2-1996-2.1-cln.swf.gz")


def test_a_path_comes_before_a_name(cache, tmp_path, monkeypatch):
    """A file of the same name in the working folder is what is meant."""
    monkeypatch.chdir(tmp_path)
    Path("KTH-SP2-1996-2.1-cln").write_bytes(LOG)
    assert resolve_source("KTH-SP2-1996-2.1-cln") == Path("KTH-SP2-1996-2.1-cln")


@pytest.mark.parametrize(
    ("content", "flags", "message"),
    [
        (LOG + b"4 oh\n", (), "line 6, column 2 (submit): 'oh' is not a number"),
        (LOG, ("--capacity", 1), "no usable job on 1 processor ("),
    ],
)
def test_bad_input_is_one_sentence(run, tmp_path, content, flags, message):
    """Exit code 2, one line, no traceback, nothing written."""
    path = tmp_path / "bad.swf"
    path.write_bytes(content)
    assert message in failure(run, "transform", path, tmp_path / "out.swf", *flags)
    assert list(tmp_path.iterdir()) == [path]


def test_names_that_are_not_there_get_advice(run, cache):
    """A known name says how to fetch it, a near one what may be meant."""
    message = failure(run, "info", "HPC2N-2002-2.2-cln")
    assert "planbatch workload fetch HPC2N-2002-2.2-cln" in message
    message = failure(run, "fetch", "HPC3N-2002-2.2-cln")
    assert "did you mean HPC2N-2002-2.2-cln?" in message


def test_a_dead_archive_is_reported(run, monkeypatch, cache):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    message = failure(run, "fetch", "KTH-SP2-1996-2.1-cln", "--url", "http://127.0.0.1:9")
    assert "http://127.0.0.1:9/l_kth_sp2/KTH-SP2-1996-2.1-cln.swf.gz: the server cannot" in message


def test_kinds_of_generated_jobs_are_those_of_the_model():
    """They are written down twice, so that help need not load the model."""
    (kind,) = (param for param in generate.params if param.name == "kind")
    assert tuple(lublin.KINDS) == kind.type.choices
