"""Fetching logs of the archive, from a server on this machine."""

import gzip
import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from planbatch.experiments.workloads import archive, download
from planbatch.experiments.workloads.archive import CATALOGUE, ArchiveLog, cache_folder, cached_path, find_log
from planbatch.experiments.workloads.download import DownloadError, fetch

TEXT = b"; MaxProcs: 8\n" + b"".join(
    b"%d %d 0 100 4 -1 -1 4 200 -1 1 7 1 -1 1 3 -1 -1\n" % (i, i * 17 % 1009) for i in range(3000)
)
PACKED = gzip.compress(TEXT, mtime=0)
LOG = ArchiveLog("Abacus-1999-1", "l_abacus", 8, hashlib.sha256(TEXT).hexdigest())


@dataclass
class Archive:
    """A server with one file, and what may go wrong with it."""

    content: bytes = PACKED
    status: int = 200
    #: Send so many bytes of what was asked for, and hang up.
    cut: int | None = None
    #: Claim that the transfer, not the file, is compressed.
    declare_encoding: bool = False
    #: Fall silent until this is set, after what was to be sent.
    silent_until: threading.Event | None = None
    requests: list[str] = field(default_factory=list)
    url: str = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(handler.path)
        if self.status != 200:
            handler.send_error(self.status)
            return
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(self.content)))
        if self.declare_encoding:
            handler.send_header("Content-Encoding", "gzip")
        handler.end_headers()
        handler.wfile.write(self.content[: self.cut])
        handler.wfile.flush()
        if self.silent_until:
            self.silent_until.wait(10)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reach the server of the test itself, whatever proxy this machine uses."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[Archive]:
    """Run an archive on the loopback interface."""
    state = Archive()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.answer(self)

        def log_message(self, *args: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state.url = f"http://127.0.0.1:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        http.shutdown()
        thread.join()


def test_a_log_is_fetched_once(server: Archive, tmp_path: Path):
    """The file lands under its name, with progress; a second call asks nobody."""
    messages: list[tuple[int, int | None]] = []
    path = fetch(LOG, folder=tmp_path, url=server.url + "/", progress=lambda *where: messages.append(where))
    assert path == tmp_path / "Abacus-1999-1.swf.gz"
    assert path.read_bytes() == PACKED
    assert list(tmp_path.iterdir()) == [path]
    assert messages[-1] == (len(PACKED), len(PACKED))
    assert server.requests == ["/l_abacus/Abacus-1999-1.swf.gz"]
    fetch(LOG, folder=tmp_path, url=server.url)
    assert len(server.requests) == 1
    fetch(LOG, folder=tmp_path, url=server.url, force=True)
    assert len(server.requests) == 2


def test_a_transfer_that_breaks_off_leaves_nothing(server: Archive, tmp_path: Path):
    """The next attempt fetches the whole file."""
    server.cut = 1000
    with pytest.raises(DownloadError, match="the connection broke off; try again later"):
        fetch(LOG, folder=tmp_path, url=server.url)
    assert not list(tmp_path.iterdir())
    server.cut = None
    assert fetch(LOG, folder=tmp_path, url=server.url).read_bytes() == PACKED


def test_a_failed_attempt_keeps_the_log_that_is_there(server: Archive, tmp_path: Path):
    """Also where it is fetched again by force."""
    path = fetch(LOG, folder=tmp_path, url=server.url)
    server.cut = 1000
    with pytest.raises(DownloadError):
        fetch(LOG, folder=tmp_path, url=server.url, force=True)
    assert path.read_bytes() == PACKED


def test_a_server_that_falls_silent_is_an_error(server: Archive, tmp_path: Path, monkeypatch):
    """Nobody waits for ever."""
    monkeypatch.setattr(download, "TIMEOUT", (5.0, 0.1))
    server.cut, server.silent_until = 1000, threading.Event()
    with pytest.raises(DownloadError, match=r"does not answer any more; try again later"):
        fetch(LOG, folder=tmp_path, url=server.url)
    server.silent_until.set()
    assert not list(tmp_path.iterdir())


def test_a_declared_content_encoding_does_not_unpack_the_file(server: Archive, tmp_path: Path):
    """The file is kept as it is, even if the server calls its compression one of the transfer."""
    server.declare_encoding = True
    assert fetch(LOG, folder=tmp_path, url=server.url).read_bytes() == PACKED


def test_wrong_content_is_an_error(server: Archive, tmp_path: Path):
    """A file with another digest never takes the name of the log."""
    server.content = gzip.compress(TEXT + b"; one more line\n")
    with pytest.raises(DownloadError, match=f"instead of {LOG.sha256}; fetch again"):
        fetch(LOG, folder=tmp_path, url=server.url)
    assert not list(tmp_path.iterdir())


def test_the_same_text_packed_otherwise_is_right(server: Archive, tmp_path: Path):
    """The digest is that of the text: another compression of it is the same log."""
    server.content = gzip.compress(TEXT, compresslevel=1)
    assert fetch(LOG, folder=tmp_path, url=server.url).read_bytes() == server.content


@pytest.mark.parametrize("content", [b"<html>not found</html>", PACKED[:-20]])
def test_what_is_no_whole_gzip_file_is_reported(server: Archive, tmp_path: Path, content: bytes):
    """A page instead of the file, or a file that is cut off at the source."""
    server.content = content
    with pytest.raises(DownloadError, match="not a complete gzip file"):
        fetch(LOG, folder=tmp_path, url=server.url)
    assert not list(tmp_path.iterdir())


def test_without_a_digest_the_file_must_at_least_be_whole(server: Archive, tmp_path: Path):
    """A log whose digest is not known is fetched; a damaged one is refused."""
    unknown = replace(LOG, sha256=None)
    assert fetch(unknown, folder=tmp_path / "a", url=server.url).read_bytes() == PACKED
    server.content = PACKED[:-20]
    with pytest.raises(DownloadError, match="not a complete gzip file"):
        fetch(unknown, folder=tmp_path / "b", url=server.url)


def test_refusals_and_dead_servers_are_reported(server: Archive, tmp_path: Path):
    """A missing file, no server at all, and an address that is none."""
    server.status = 404
    with pytest.raises(DownloadError, match="the server answered 404 Not Found; check the name"):
        fetch(LOG, folder=tmp_path, url=server.url)
    with pytest.raises(DownloadError, match="the server cannot be reached, or hung up; try again later"):
        fetch(LOG, folder=tmp_path, url="http://127.0.0.1:9")
    with pytest.raises(DownloadError, match="the address cannot be used"):
        fetch(LOG, folder=tmp_path, url="nowhere")
    assert not list(tmp_path.iterdir())


def test_a_cache_that_cannot_be_written_is_reported(server: Archive, tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DownloadError, match=r"cannot be written .*check the cache folder"):
        fetch(LOG, folder=tmp_path / "file" / "cache", url=server.url)


def test_names_are_found_and_suggested():
    """Case and endings do not matter; typing errors get a suggestion, and short names too."""
    kth = CATALOGUE["KTH-SP2-1996-2.1-cln"]
    assert find_log("kth-sp2-1996-2.1-CLN.swf.gz") is kth
    with pytest.raises(ValueError, match=r"did you mean KTH-SP2-1996-2\.1-cln\?"):
        find_log("KTH-SP2-1996")
    with pytest.raises(ValueError, match=r"did you mean .*SDSC-BLUE-2000-4\.2-cln"):
        find_log("SDSC-BLEU-2000-4.2-cln")
    with pytest.raises(ValueError, match="known are KTH-SP2"):
        find_log("~~~")


def test_the_catalogue_is_consistent():
    """Names are keys, digests look like digests, and one log is known not to be verified."""
    for name, log in CATALOGUE.items():
        assert log.name == name
        assert log.capacity > 0
        assert log.sha256 is None or len(bytes.fromhex(log.sha256)) == 32
    assert CATALOGUE["ANL-Intrepid-2009-1"].sha256 is None
    assert cached_path(LOG) == cache_folder() / "Abacus-1999-1.swf.gz"
    assert archive.ARCHIVE_URL.startswith("https://")


@pytest.mark.nightly
def test_digests_are_those_of_the_real_logs(real_log):
    """The catalogue's digests are those of the logs that all numbers here were made with."""
    for log in CATALOGUE.values():
        if log.sha256 is not None:
            with gzip.open(real_log(log.name)) as file:
                assert hashlib.sha256(file.read()).hexdigest() == log.sha256, log.name
