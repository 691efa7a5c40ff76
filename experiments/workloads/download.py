"""Fetching and verifying logs of the archive."""

import gzip
import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import requests
import urllib3

from planbatch.experiments.workloads.archive import ARCHIVE_URL, ArchiveLog, cached_path

#: Seconds to wait for a connection, and for the next bytes.
TIMEOUT = (10.0, 30.0)
CHUNK = 1 << 16

#: Called with the number of bytes received and the number expected (``None`` if unknown).
Progress = Callable[[int, int | None], None]


class DownloadError(OSError):
    """A log could not be fetched; the message says why and what to do."""


def fetch(
    log: ArchiveLog,
    *,
    folder: Path | None = None,
    url: str = ARCHIVE_URL,
    force: bool = False,
    progress: Progress = lambda _done, _total: None,
) -> Path:
    """Fetch a log into the cache, unless it is there, and return its path.

    The file takes its name only if it is complete and its digest is the expected one. ``url`` is the address of the
    archive, or of a mirror with the same folders; with ``force``, what is in the cache is fetched again. Raises
    :class:`DownloadError` if the server cannot be reached, refuses, breaks the connection, or sends something else.
    """
    target = cached_path(log, folder)
    if target.is_file() and not force:
        return target
    address = f"{url.rstrip('/')}/{log.path}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".fetch-", dir=target.parent) as scratch:
            arrived = Path(scratch) / target.name
            _receive(address, arrived, progress)
            _verify(log, arrived, address)
            arrived.replace(target)
    except DownloadError:
        raise
    except (requests.ConnectionError, requests.Timeout, urllib3.exceptions.HTTPError) as error:
        raise DownloadError(f"{address}: {_why(error)}; try again later") from error
    except requests.RequestException as error:
        raise DownloadError(f"{address}: the address cannot be used ({error})") from error
    except OSError as error:
        raise DownloadError(f"{target}: cannot be written ({error.strerror}); check the cache folder") from error
    return target


def _receive(address: str, path: Path, progress: Progress) -> None:
    """Write what the server sends, as it is: some declare the file's own compression as one of the transfer."""
    headers = {"Accept-Encoding": "identity"}
    with requests.get(address, headers=headers, stream=True, timeout=TIMEOUT) as response:
        if response.status_code != 200:
            raise DownloadError(
                f"{address}: the server answered {response.status_code} {response.reason}; "
                "check the name, or give the address of a mirror with --url"
            )
        length = response.headers.get("Content-Length", "")
        total = int(length) if length.isdigit() else None
        with path.open("wb") as file:
            for chunk in response.raw.stream(CHUNK, decode_content=False):
                file.write(chunk)
                progress(file.tell(), total)


def _why(error: Exception) -> str:
    """Say why a transfer failed."""
    if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError):
        return "the server does not answer any more"
    if isinstance(error, urllib3.exceptions.HTTPError):
        return "the connection broke off"
    return "the server cannot be reached, or hung up"


def _verify(log: ArchiveLog, path: Path, address: str) -> None:
    """Check that a file is a whole gzip file of the expected content."""
    digest = hashlib.sha256()
    try:
        with gzip.open(path) as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except (EOFError, OSError, zlib.error) as error:
        raise DownloadError(f"{address}: what arrived is not a complete gzip file ({error}); fetch again") from error
    if log.sha256 is not None and digest.hexdigest() != log.sha256:
        raise DownloadError(
            f"{address}: the content has the SHA-256 {digest.hexdigest()} instead of {log.sha256}; "
            "fetch again or use another mirror"
        )
