"""Reading and writing logs in the Standard Workload Format."""

import bz2
import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.common.atomic import atomic_write
from planbatch.experiments.common.compressed import decompress
from planbatch.experiments.workloads.swf.read import (
    FIELDS,
    FRACTIONAL,
    SwfHeader,
    SwfLog,
    log_name,
    parse_swf,
    read_swf,
)
from planbatch.experiments.workloads.swf.write import swf_from_workload, write_swf

SMALL = b"""\
; Version: 2.2
;Computer: Abacus
; UnixStartTime: 1000
; MaxNodes: 4 (2 interactive)
; MaxProcs: 8 (4, 4)
; Queue: 0 interactive  (short)
; Queue: 1 batch
; Partition: 3 fast
; Note: cleaned
;       by hand
;
  1   0  5 100  4 99.5 -1  4  200 -1 1 7 1 -1 1 3 -1 -1
  2  10  5 100  4 -1   -1 -1   50 -1 1 7 1 -1 1 3 -1 -1
  3  20 -1   0 -1 -1   -1  2   -1 -1 5 8 1 -1 0 3 -1 -1
  4  30  5  -1  1 -1   -1  1   10 -1 5 8 1 -1 0 3 -1 -1
  5  40  5  10 -1 -1   -1 -1   10 -1 5 8 1 -1 0 3 -1 -1
  6  50  5  10  1 -1   -1  9   10 -1 5 8 1 -1 0 3 -1 -1
"""
JOB = b"1 0 5 100 4 -1 -1 4 200 -1 1 7 1 -1 1 3 -1 -1"


def test_header_fields_are_read():
    """Numbers with remarks, repeated keys, continued lines and a missing blank are understood."""
    header = parse_swf(SMALL, name="small").header
    assert header.capacity == 8
    assert header.unix_start_time == 1000
    assert header.number("MaxNodes") == 4
    assert header.fields["Computer"] == "Abacus"
    assert header.queues == {0: "interactive  (short)", 1: "batch"}
    assert header.partitions == {3: "fast"}
    assert header.fields["Note"] == "cleaned\nby hand"
    assert len(header.lines) == 11


def test_header_finds_queues_by_number_and_name():
    """A queue may be given by its number, its whole remark or the first word of it."""
    header = parse_swf(SMALL, name="small").header
    assert header.queue_number("0") == 0
    assert header.queue_number("Interactive") == 0
    assert header.queue_number("batch") == 1
    assert header.queue_number("nonsense") is None


def test_jobs_follow_the_rules():
    """Requested before used processors, walltime or run time, killed at the walltime; reasons."""
    workload = parse_swf(SMALL, name="small").workload()
    assert workload.capacity == 8
    assert workload.id.tolist() == [1, 2, 3]
    assert workload.procs.tolist() == [4, 4, 2]
    assert workload.walltime.tolist() == [200, 50, 1]
    assert workload.runtime.tolist() == [100, 50, 1]
    assert workload.user.tolist() == [7, 7, 8]
    assert workload.queue.tolist() == [1, 1, 0]
    assert dict(workload.dropped) == {"no processors": 1, "negative run time": 1, "larger than the machine": 1}


def test_a_line_counts_for_its_first_reason_only():
    """A job without processors and with a negative run time is dropped once."""
    log = parse_swf(JOB + b"\n2 0 5 -1 -1 -1 -1 -1 200 -1 1 7 1 -1 1 3 -1 -1\n", name="x")
    assert dict(log.workload(8).dropped) == {"no processors": 1}


def test_first_counts_usable_jobs_in_the_order_of_the_file():
    """The first N are those of the file even where submit times are out of order."""
    lines = [f"{i} {submit} 0 9 1 -1 -1 1 9 -1 1 1 1 -1 1 1 -1 -1" for i, submit in enumerate((9, -1, 5))]
    lines.insert(1, lines[0].replace(" 9 1 -1", " -1 1 -1", 1))
    workload = parse_swf("\n".join(lines).encode(), name="x").workload(4, first=2)
    assert workload.submit.tolist() == [-1, 9]
    assert dict(workload.dropped) == {"negative run time": 1}


def test_jobs_come_in_order_of_submission_and_place():
    """Equal submit times keep the order of the file."""
    lines = [f"{i} {submit} 0 9 1 -1 -1 1 9 -1 1 1 1 -1 1 1 -1 -1" for i, submit in enumerate((5, 3, 5, 3))]
    workload = parse_swf("\n".join(lines).encode(), name="x").workload(4)
    assert workload.id.tolist() == [1, 3, 0, 2]


def test_capacity_comes_from_the_header_or_the_caller():
    """MaxProcs, else MaxNodes, else an error that names the flag; the caller has the last word."""
    assert parse_swf(b"; MaxNodes: 7\n" + JOB, name="x").capacity() == 7
    assert parse_swf(b"; MaxNodes: 7\n; MaxProcs: -1\n" + JOB, name="x").capacity() == 7
    assert parse_swf(b"; MaxNodes: 7\n" + JOB, name="x").capacity(9) == 9
    with pytest.raises(ValueError, match=r"neither MaxProcs nor MaxNodes.*--capacity"):
        parse_swf(JOB, name="x").workload()
    with pytest.raises(ValueError, match="capacity: 0 is not a positive"):
        parse_swf(JOB, name="x").workload(0)
    with pytest.raises(ValueError, match="no usable job on 2 processors"):
        parse_swf(JOB, name="x").workload(2)


def test_tolerates_what_real_logs_hold():
    """Extra columns of any kind, fractions, blank lines, Windows line ends, comments in between."""
    data = (
        b"\xef\xbb\xbf" + JOB + b" {1,2} q_1d 1:ppn=4\r\n\r\n"
        b"; a remark\n2\t0.6 5.25 99.5 4 1.5 7.5 4 200.4 8.5 1 7 1 -1 1 3 -1 2.5\n" + JOB + b" ; x"
    )
    log = parse_swf(data, name="x")
    assert len(log) == 3
    assert log.columns["runtime"].tolist() == [100.0, 99.5, 100.0]
    workload = log.workload(4)
    assert workload.submit.tolist() == [0, 0, 1]
    assert workload.runtime.tolist() == [100, 100, 100]
    assert workload.walltime.tolist() == [200, 200, 200]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (JOB.replace(b"100", b"1oo"), "line 3, column 4 (runtime): '1oo' is not a number"),
        (JOB.replace(b"100", b"nan"), "line 3, column 4 (runtime): 'nan' is not a number"),
        (JOB.replace(b"100", b"inf"), "line 3, column 4 (runtime): 'inf' is too large"),
        (JOB.replace(b"100", b"1e30"), "line 3, column 4 (runtime): '1e30' is too large"),
        (JOB.replace(b"100", b"1_0"), "line 3, column 4 (runtime): '1_0' is not a number"),
        (JOB.replace(b" 4 ", b" 4.5 "), "column 5 (used_procs): '4.5' is not a whole number"),
        (JOB[:-6], "line 3, column 17 (preceding_job): the line ends after 16 of 18 columns"),
    ],
)
def test_nonsense_is_an_error_or_a_listed_skip(line: bytes, message: str):
    """A bad line is reported with file, line, column and value, or skipped and listed."""
    data = b"; MaxProcs: 8\n" + JOB + b"\n" + line + b"\n" + JOB + b"\n"
    with pytest.raises(ValueError) as caught:
        parse_swf(data, name="x", source="some.swf")
    assert message in str(caught.value)
    assert str(caught.value).startswith("some.swf, line 3")
    log = parse_swf(data, name="x", skip_bad_lines=True)
    assert len(log) == 2
    assert [bad.line for bad in log.skipped] == [3]
    assert message.endswith(log.skipped[0].reason)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "holds no jobs"),
        (b"; MaxProcs: 8\n\n", "holds no jobs"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"\x7fELF\0\0\0\0", "binary data"),
        (b"dear reader\n", "line 1, column 1 .job.: 'dear' is not a number; is this a log in SWF[?]$"),
        (b"JobID|Submit|NCPUS\n12|2024-01-01T00:00:00|4\n", "is this a log in SWF[?]$"),
    ],
)
def test_what_is_not_a_log_is_refused(data: bytes, message: str):
    """Empty files, web pages, programs and prose are reported apart."""
    with pytest.raises(ValueError, match=message):
        parse_swf(data, name="x")


def test_a_file_without_any_readable_line_is_refused_even_when_skipping():
    """Skipping bad lines does not turn prose into an empty log."""
    with pytest.raises(ValueError, match="not one of its 2 lines"):
        parse_swf(b"dear\nreader\n", name="x", skip_bad_lines=True)


def test_every_compression_is_read_whatever_the_name(tmp_path: Path):
    """gzip, xz, zstd, bzip2 and several zstd frames give the same log, recognised by the content."""
    half = len(SMALL) // 2
    zstd = zstandard.ZstdCompressor().compress
    for i, data in enumerate(
        (
            SMALL,
            gzip.compress(SMALL),
            lzma.compress(SMALL),
            bz2.compress(SMALL),
            zstd(SMALL),
            zstd(SMALL[:half]) + zstd(SMALL[half:]),
        )
    ):
        path = tmp_path / f"log-{i}.swf"
        path.write_bytes(data)
        assert read_swf(path).columns["job"].tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress, zstandard.ZstdCompressor().compress])
def test_what_unpacks_to_too_much_is_refused_unless_an_option_lifts_it(compress, monkeypatch):
    """Three MB of nothing in some hundred bytes; at most so much is ever unpacked."""
    data = bytes(3_000_000)
    monkeypatch.setenv("PLANBATCH_UNPACK_MB", "2")
    with pytest.raises(ValueError, match=r"some\.swf: it unpacks to more .* PLANBATCH_UNPACK_MB"):
        decompress(compress(data), "some.swf")
    monkeypatch.setenv("PLANBATCH_UNPACK_MB", "3")
    assert decompress(compress(data), "some.swf") == data


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstandard.ZstdCompressor().compress])
def test_cut_off_data_is_reported(compress):
    """A compressed file that is cut off is an error, never a shorter log."""
    with pytest.raises(ValueError, match=r"some\.swf: the \w+ data is cut off or damaged"):
        decompress(compress(SMALL)[:-12], "some.swf")


def test_words_for_true_and_false_are_not_numbers():
    """A whole column of such words is not read as ones and zeros."""
    with pytest.raises(ValueError, match="'True' is not a number"):
        parse_swf(JOB.replace(b" 1 7", b" True 7"), name="x")


def test_missing_files_and_folders_are_reported(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        read_swf(tmp_path / "nowhere.swf")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_swf(tmp_path)


def test_log_names_lose_their_endings():
    assert log_name(Path("a/KTH-SP2-1996-2.1-cln.swf.gz")) == "KTH-SP2-1996-2.1-cln"
    assert log_name(Path("x.swf")) == "x"
    assert log_name(Path("x.txt")) == "x.txt"


def test_columns_are_read_only_and_make_a_frame():
    """Logs are frozen; a data frame has the 18 columns."""
    log = parse_swf(SMALL, name="small")
    assert tuple(log.frame().columns) == FIELDS
    with pytest.raises(ValueError, match="read-only"):
        log.columns["submit"][0] = 1


whole = st.integers(min_value=-1, max_value=10**12)
fraction = st.floats(min_value=-1, max_value=1e9, allow_nan=False)


@given(
    rows=st.lists(st.tuples(*(fraction if name in FRACTIONAL else whole for name in FIELDS)), min_size=1, max_size=8),
    suffix=st.sampled_from(["", ".gz", ".xz", ".zst", ".bz2"]),
)
def test_what_is_written_is_read_again(rows, suffix, tmp_path_factory):
    """Writing and reading gives the same columns to the last bit, and the same header."""
    columns = {
        name: np.array([row[i] for row in rows], dtype=float if name in FRACTIONAL else np.int64)
        for i, name in enumerate(FIELDS)
    }
    log = SwfLog("x", "x", SwfHeader(("; MaxProcs: 5", "; Note: kept")), columns)
    path = tmp_path_factory.mktemp("round") / f"x.swf{suffix}"
    write_swf(path, log)
    again = read_swf(path)
    assert again.header == log.header
    for name in FIELDS:
        assert again.columns[name].tolist() == log.columns[name].tolist(), name


def test_a_workload_survives_being_written(tmp_path: Path):
    """Jobs, capacity and header come back from the log that was made of a workload."""
    workload = parse_swf(SMALL, name="small").workload()
    write_swf(tmp_path / "small.swf", swf_from_workload(workload))
    again = read_swf(tmp_path / "small.swf").workload()
    for column in ("id", "submit", "procs", "walltime", "runtime", "user", "queue"):
        assert getattr(again, column).tolist() == getattr(workload, column).tolist()
    assert (again.name, again.capacity) == ("small", 8)
    assert again.header["Queue"] == workload.header["Queue"]


def test_a_failed_write_leaves_what_was_there(tmp_path: Path):
    """Nothing half-written is left, and an older file stays as it was."""
    path = tmp_path / "x.swf"
    path.write_bytes(b"old")

    def fail() -> None:
        with atomic_write(path) as file:
            file.write(b"new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError, match="Not a directory"), atomic_write(path / "a" / "b"):
        pass


def test_writing_through_links_and_to_devices(tmp_path: Path):
    """A link stays a link, and a device is written to, not replaced."""
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for path in (tmp_path / "link", Path("/dev/null")):
        with atomic_write(path) as file:
            file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert not Path("/dev/null").is_file()


def test_errors_of_writing_name_the_file(tmp_path: Path):
    """A full disk, say, is reported with the path, and leaves nothing."""

    def fail() -> None:
        with atomic_write(tmp_path / "x.swf"):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match=r"x\.swf: cannot be written .No space left on device"):
        fail()
    assert not list(tmp_path.iterdir())


def test_reading_at_once_and_line_by_line_agree():
    """The quick path and the careful one give the same columns."""
    quick = parse_swf(SMALL, name="x")
    careful = parse_swf(SMALL + b"nonsense\n", name="x", skip_bad_lines=True)
    for name in FIELDS:
        assert quick.columns[name].tolist() == careful.columns[name].tolist()


@pytest.mark.parametrize(
    ("name", "capacity", "usable", "dropped"),
    [
        ("KTH-SP2-1996-2.1-cln", 100, 28475, {"no processors": 1}),
        ("SDSC-BLUE-2000-4.2-cln", 1152, 232562, {"negative run time": 10744}),
        ("HPC2N-2002-2.2-cln", 240, 202871, {}),
        ("SDSC-DS-2004-2.1-cln", 1664, 85045, {"negative run time": 11024}),
        ("theta_2022", 4360, 23911, {}),
        ("lublin_256", 256, 10000, {}),
    ],
)
@pytest.mark.nightly
def test_real_logs_give_the_known_numbers_of_jobs(real_log, name, capacity, usable, dropped):
    """Capacity, usable jobs and dropped ones of real logs, their headers read."""
    workload = read_swf(real_log(name)).workload()
    assert (workload.capacity, len(workload)) == (capacity, usable)
    assert dict(workload.dropped) == dropped


def test_a_log_without_header_and_with_more_columns(real_log):
    """wagap-2013 has 21 columns and no header: it is read, and needs a capacity."""
    log = read_swf(real_log("wagap-2013"))
    assert len(log) == 17900
    with pytest.raises(ValueError, match="--capacity"):
        log.workload()
    workload = log.workload(2176)
    assert len(workload) == 17898
    assert dict(workload.dropped) == {"negative run time": 2}
