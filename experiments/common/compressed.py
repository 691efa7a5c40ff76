"""Files with any compression."""

import bz2
import gzip
import io
import lzma
import os
import zlib
from pathlib import Path

import zstandard

#: First bytes of a file → how it is compressed. The name does not count: downloads get renamed.
MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2"}
#: The environment variable that says to how many MB a compressed file may unpack.
MOST = "PLANBATCH_UNPACK_MB"
#: Ending of a file's name → its compression.
SUFFIXES = {".gz": "gzip", ".xz": "xz", ".zst": "zstd", ".zstd": "zstd", ".bz2": "bzip2"}


def read_bytes(path: Path) -> bytes:
    """Return the content of a file; ``OSError`` if it cannot be read; the message says why."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the log file itself")
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{path}: there is no such file; check the path") from error
    except OSError as error:
        raise OSError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error


def decompress(data: bytes, source: str) -> bytes:
    """Return the content of a file that may be compressed with gzip, xz, zstd or bzip2; messages call it ``source``.

    Raises ``ValueError`` if the compressed data is cut off or damaged, or unpacks to more than 1 GB; :data:`MOST` lifts
    that.
    """
    most = int(float(os.environ.get(MOST, "1000")) * 1e6)
    kind = next((name for magic, name in MAGIC.items() if data.startswith(magic)), None)
    if kind is None:
        return data
    try:
        with _open(kind, data) as file:
            result = file.read(most + 1)
        if len(result) <= most and kind == "zstd":
            return _decompress_zstd(data)  # which notices an end that was cut off
    except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
        raise ValueError(
            f"{source}: the {kind} data is cut off or damaged ({error}); fetch or compress it again"
        ) from error
    if len(result) > most:
        raise ValueError(f"{source}: it unpacks to more than {most:,} bytes; unpack it yourself, or set {MOST}=N (MB)")
    return result


def _open(kind: str, data: bytes) -> gzip.GzipFile | lzma.LZMAFile | bz2.BZ2File | zstandard.ZstdDecompressionReader:
    """Open compressed data to read it bit by bit."""
    stream = io.BytesIO(data)
    if kind == "gzip":
        return gzip.GzipFile(fileobj=stream)
    if kind == "xz":
        return lzma.LZMAFile(stream)
    if kind == "bzip2":
        return bz2.BZ2File(stream)
    return zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)


def _decompress_zstd(data: bytes) -> bytes:
    """Read all frames of a zstd file, and notice when the last is cut off (a stream does not)."""
    parts = []
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        parts.append(frame.decompress(data))
        if not frame.eof:
            raise EOFError("the last frame is not complete")
        data = frame.unused_data
    return b"".join(parts)


def compress(data: bytes, path: Path) -> bytes:
    """Compress ``data`` according to the ending of a file's name, if it has one of these.

    Endings are .gz, .xz, .zst and .bz2. The result depends on the content alone, not on the time,
    so that equal content gives equal files.
    """
    kind = SUFFIXES.get(path.suffix.lower())
    if kind == "gzip":
        return gzip.compress(data, compresslevel=6, mtime=0)
    if kind == "xz":
        return lzma.compress(data)
    if kind == "bzip2":
        return bz2.compress(data)
    if kind == "zstd":
        return zstandard.ZstdCompressor().compress(data)
    return data
