"""Download logs of the archive: interrupted downloads are resumed, and complete ones verified."""

import gzip
import hashlib
import os
import zlib
from collections.abc import Callable
from pathlib import Path

import requests
import urllib3

from planbatch.experiments.workloads.archive import (
    ARCHIVE_URL,
    ArchiveLog,
    cache_folder,
    cached_path,
)

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
    progress: Progress | None = None,
) -> Path:
    """Fetch a log into the cache, unless it is there.

    Received data is kept in a file ending in ``.part``, from which the next attempt continues. The log gets its name
    only when it is complete and has the expected digest.

    Parameters
    ----------
    log : ArchiveLog
        What to fetch.
    folder : Path, optional
        The folder that keeps it; by default the user's cache.
    url : str
        Address of the archive, or of a mirror with the same folders.
    force : bool
        Fetch it even if it is in the cache.
    progress : callable, optional
        Called as bytes arrive.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    DownloadError
        If the server cannot be reached, refuses, breaks the connection, or sends something else.
    """
    target = cached_path(log, folder or cache_folder())
    if target.is_file() and not force:
        return target
    part = target.with_name(target.name + ".part")
    address = f"{url.rstrip('/')}/{log.path}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _receive(address, part, progress or (lambda done, total: None))
    except DownloadError:
        raise
    except (requests.ConnectionError, requests.Timeout, urllib3.exceptions.HTTPError) as error:
        kept = part.stat().st_size if part.exists() else 0
        raise DownloadError(_broken_off(address, kept, error)) from error
    except requests.RequestException as error:
        raise DownloadError(f"{address}: the address cannot be used ({error})") from error
    except OSError as error:
        raise DownloadError(
            f"{part}: cannot be written ({error.strerror}); check the cache folder"
        ) from error
    _verify(log, part, address)
    os.replace(part, target)
    return target


def _receive(address: str, part: Path, progress: Progress) -> None:
    """Append what is missing to the file ``part``."""
    have = part.stat().st_size if part.exists() else 0
    headers = {"Accept-Encoding": "identity"}  # the file is compressed as it is
    if have:
        headers["Range"] = f"bytes={have}-"
    with requests.get(address, headers=headers, stream=True, timeout=TIMEOUT) as response:
        if response.status_code == 416 and have:
            # There is nothing left to send: the part is complete, or belongs to another file.
            if response.headers.get("Content-Range", "").strip() == f"bytes */{have}":
                return
            part.unlink()
            _receive(address, part, progress)
            return
        if response.status_code not in (200, 206):
            raise DownloadError(
                f"{address}: the server answered {response.status_code} {response.reason}; "
                "check the name, or give the address of a mirror with --url"
            )
        resumed = response.status_code == 206 and have > 0
        done = have if resumed else 0
        length = response.headers.get("Content-Length")
        total = done + int(length) if length and length.isdigit() else None
        progress(done, total)
        with part.open("ab" if resumed else "wb") as file:
            # Write bytes as they arrive, so that nothing is lost if the server stalls; and raw, since some servers
            # declare the file's own compression as that of the transfer.
            while chunk := response.raw.read1(CHUNK, decode_content=False):
                file.write(chunk)
                done += len(chunk)
                progress(done, total)
    if total is not None and done < total:
        raise urllib3.exceptions.ProtocolError(f"{done} of {total} bytes arrived")


def _broken_off(address: str, kept: int, error: Exception) -> str:
    """Return the error for a failed transfer, with what is kept of it."""
    if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError):
        why = "the server does not answer any more"
    elif isinstance(error, urllib3.exceptions.HTTPError):
        why = "the connection broke off"
    else:
        why = "the server cannot be reached, or hung up"
    then = (
        f"{kept:,} bytes are kept, fetch again to go on from there" if kept else "try again later"
    )
    return f"{address}: {why}; {then}"


def _verify(log: ArchiveLog, part: Path, address: str) -> None:
    """Check that ``part`` is a whole gzip file of the expected content; delete it if not."""
    digest = hashlib.sha256()
    try:
        with gzip.open(part) as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except (EOFError, OSError, zlib.error) as error:
        part.unlink()
        raise DownloadError(
            f"{address}: what arrived is not a complete gzip file ({error}); "
            "it was deleted, fetch again"
        ) from error
    if log.sha256 is not None and digest.hexdigest() != log.sha256:
        part.unlink()
        raise DownloadError(
            f"{address}: the content has the SHA-256 {digest.hexdigest()} instead of {log.sha256}; "
            "it was deleted, fetch again or use another mirror"
        )
