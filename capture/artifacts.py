"""Taking files along: copied whole into the recording within a budget, text masked on the way, what is left out named.

Nothing here interprets a file: the importers do that at merge. A file counts only where it belongs to the job's user
and was written since the recording began, so that what another job left in /tmp is not taken for this one's.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import re
import stat
import time
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from inquest.bundle.seal import masker_of, read_identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from inquest.bundle.mask import Masker
    from inquest.capture.collector import Row

MOST_BYTES: Final = 256 << 20
"""Bytes of all files of one recording."""
_META: Final = "meta.json"
_MEMBER: Final = re.compile(r"\.?artifact-(\d{1,6})[-.]")
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 1 << 20


class TooLarge(Exception):
    """A file does not fit, or not as it is; the text says why."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: what it is called, bytes of one at most, and whether it is text, which is masked.

    ``most`` of 0 is never taken, only named. Where the ``tail`` will do, the last bytes of a larger one are taken.
    """

    name: str
    most: int
    text: bool
    tail: bool = False


FLIGHT_RECORDER: Final = Kind("flight-recorder", 64 << 20, text=False)
NCCL_RAS: Final = Kind("nccl-ras", 16 << 20, text=True)
NCCL_INSPECTOR: Final = Kind("nccl-inspector", 32 << 20, text=True)
NCCL_DEBUG: Final = Kind("nccl-debug", 16 << 20, text=True)
TRACE: Final = Kind("profiler-trace", 64 << 20, text=True)
ERROR_FILE: Final = Kind("torch-error-file", 1 << 20, text=True)
RANK_LOG: Final = Kind("rank-log", 16 << 20, text=True, tail=True)
CRASH: Final = Kind("crash-report", 4 << 20, text=True)
CORE: Final = Kind("core-file", 0, text=False)


class Keeper:
    """Keeps files in the directory of one recording. Two of them may share it."""

    def __init__(self, capture_dir: Path, most_bytes: int = MOST_BYTES) -> None:
        self._dir = capture_dir
        self._most = most_bytes
        self._identity = read_identity(capture_dir)

    def keep(self, kind: Kind, name: str, data: bytes, path: str | None = None) -> Row:
        """Keep content that is at hand; returns the row of ``artifacts``, whether it was kept or not."""
        row: Row = {"ts_mono_ns": time.monotonic_ns(), "path": path, "kind": kind.name, "bytes": len(data)}
        return row | self._kept(kind, name, iter([data]))

    def take(self, kind: Kind, path: Path, owner: int, name: str | None = None) -> Row:
        """Copy a file; returns the row of ``artifacts``, whether it was taken or not.

        Args:
            kind: What it is.
            path: Where it lies.
            owner: User whose file it must be.
            name: What to keep it as, instead of its own name.
        """
        row: Row = {"ts_mono_ns": time.monotonic_ns(), "path": str(path), "kind": kind.name}
        try:
            with contextlib.closing(_Plain(path)) as file:
                row["bytes"] = file.size
                if file.owner != owner:
                    return row | {"reason": "it belongs to another user"}
                if file.size > kind.most and not kind.tail:
                    return row | {"reason": _too_large(file.size, kind)}
                # Masks are longer than what they stand for: a tail leaves room for them.
                most = kind.most if file.size <= kind.most else kind.most * 3 // 4
                row |= self._kept(kind, name or path.name, file.chunks(most))
                if most < kind.most and "member" in row:
                    row["detail"] = f"the last {most:,} of {file.size:,} bytes"
                return row
        except OSError as error:
            return row | {"reason": f"it cannot be read: {error.strerror or error}"}

    def _kept(self, kind: Kind, name: str, chunks: Iterator[bytes]) -> Row:
        """The columns that say under which name content was kept, or why not."""
        if kind.text:
            # What cannot be read cannot be masked.
            masker = masker_of(self._identity)
            chunks = _masked(masker, _expanded(chunks))
            name = name.removesuffix(".gz")
        try:
            row = self._write(kind, name, chunks)
        except (TooLarge, OSError) as error:
            return {"reason": str(error)}
        if kind.text and (masked := sum(masker.counts().values())):
            row["detail"] = f"{masked} secrets masked"
        return row

    def _write(self, kind: Kind, name: str, chunks: Iterator[bytes]) -> Row:
        self._tell_whose()
        safe = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "-" for char in name)[-160:]
        number, fd, room = self._reserved()
        unfinished, path = self._dir / f".artifact-{number}.tmp", self._dir / f"artifact-{number}-{safe}"
        size, digest = 0, hashlib.sha256()
        try:
            with os.fdopen(fd, "wb") as file:
                for chunk in chunks:
                    size += len(chunk)
                    if size > kind.most:
                        raise TooLarge(_too_large(size, kind))
                    if size > room:
                        raise TooLarge(f"the recording's {self._most >> 20} MiB for files are used up")
                    digest.update(chunk)
                    file.write(chunk)
            unfinished.rename(path)  # whole or not there: the recorder may be gone any moment
        except (OSError, TooLarge):
            unfinished.unlink(missing_ok=True)
            raise
        return {"member": path.name, "bytes": size, "sha256": digest.hexdigest()}

    def _reserved(self) -> tuple[int, int, int]:
        """A number that is ours, the file that reserves it, open for writing, and the bytes that are left."""
        number = 1
        while True:
            taken, used = self._taken()
            number = max(number, max(taken, default=0) + 1)
            try:
                fd = os.open(self._dir / f".artifact-{number}.tmp", _NEW, 0o600)
            except FileExistsError:
                number += 1
                continue
            if number not in self._taken(finished=True)[0]:
                return number, fd, self._most - used
            os.close(fd)  # another keeper finished a file of that number in between
            (self._dir / f".artifact-{number}.tmp").unlink(missing_ok=True)

    def _taken(self, *, finished: bool = False) -> tuple[set[int], int]:
        """Numbers of the files that are there, begun ones too, and their bytes."""
        numbers: set[int] = set()
        used = 0
        with os.scandir(self._dir) as entries:
            for entry in entries:
                if (match := _MEMBER.match(entry.name)) and not (finished and entry.name.startswith(".")):
                    numbers.add(int(match[1]))
                    with contextlib.suppress(FileNotFoundError):  # renamed just now
                        used += entry.stat().st_size
        return numbers, used

    def _tell_whose(self) -> None:
        """Write down beside the files what none of them tells: the importers read it."""
        path = self._dir / _META
        if path.exists():
            return
        told = {
            "node": self._identity.get("node"),
            "job_id": self._identity.get("job_id"),
            "utc_offset_minutes": time.localtime().tm_gmtoff // 60,
        }
        with contextlib.suppress(OSError), open(path, "x", encoding="utf-8", opener=_private) as file:
            json.dump({name: value for name, value in told.items() if value is not None}, file)


class _Plain:
    """A plain file, never a link, never waited for."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        status = os.fstat(self._fd)
        self.size, self.owner = status.st_size, status.st_uid
        if not stat.S_ISREG(status.st_mode):
            self.close()
            raise OSError(0, "not a plain file")

    def chunks(self, most: int) -> Iterator[bytes]:
        """The content up to the size it had when it was opened, at most its last bytes."""
        left = min(self.size, most)
        os.lseek(self._fd, self.size - left, os.SEEK_SET)
        while left > 0 and (part := os.read(self._fd, min(left, _CHUNK))):
            yield part
            left -= len(part)

    def close(self) -> None:
        """Let go."""
        with contextlib.suppress(OSError):
            os.close(self._fd)


def _masked(masker: Masker, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Text with its secrets masked, line by line, so that a private key is followed over lines."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        if lines:
            yield _masked_lines(masker, lines) + b"\n"
    if rest:
        yield _masked_lines(masker, [rest])


def _masked_lines(masker: Masker, lines: list[bytes]) -> bytes:
    import pyarrow as pa

    texts = pa.array([line.decode("utf-8", "replace") for line in lines], pa.string())
    masked = masker.column(texts, "artifact_parts", "content", ["file"] * len(lines))
    return "\n".join(masked.to_pylist()).encode()


def _expanded(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Content, expanded where it was compressed."""
    first = next(chunks, b"")
    if not first.startswith(_GZIP):
        yield first
        yield from chunks
        return
    expander = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        for chunk in itertools.chain([first], chunks):
            data = chunk
            while data:
                yield expander.decompress(data, _CHUNK)
                data = expander.unconsumed_tail
    except zlib.error as error:
        raise TooLarge(f"it is compressed and damaged ({error})") from error


def _too_large(size: int, kind: Kind) -> str:
    if kind.most == 0:
        return "named only: it may hold all the memory of the process"
    return f"{size:,} bytes are more than the {kind.most:,} that such a file may have"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC, 0o600)
