"""One file of a stranger, opened safely: expanded within limits, never followed as a link, never modified."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import hashlib
import os
import re
import sys
import tempfile
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, cast

from inquest.bundle.errors import InputError, UnsafeInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from lzma import LZMADecompressor

SAMPLE: Final = 1 << 18
"""Bytes of the beginning by which the kind of a file is told."""
CHUNK: Final = 4 << 20
MAX_EXPANDED: Final = 64 << 30
MAX_RATIO: Final = 400
"""A compressed file may not expand beyond this ratio once it passed `_FREE` bytes (zstd logs reach about 100)."""
MAX_WHOLE: Final = 256 << 20
"""Largest content that a reader which needs all of it at once may ask for."""
MAX_LINE: Final = 64 << 10
"""Bytes of a line that a reader is given; the log's own limit."""
_FREE: Final = 256 << 20
_GZIP: Final = b"\x1f\x8b"
_XZ: Final = b"\xfd7zXZ\0"
_XZ_MEMORY: Final = 128 << 20
_PIECE: Final = 1 << 16
_BZIP2: Final = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
_BY_ARROW: Final = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}
_BEGIN_OF_TEXT: Final = 64
_BEGIN: Final = 1024
"""Bytes of a file that tell how it is packed."""


class Source:
    """One input: a file, or standard input.

    Attributes:
        name: Relative path as the user sees it, unique in an import: the ``source`` column of its rows.
        path: Where it lies; None for what can be read only once: standard input, or a named pipe.
        node: Node that the name of the file tells, else None.
        rank: Rank that the name of the file tells, else None; ``rank_by`` says how it was told.
    """

    def __init__(
        self,
        name: str,
        path: Path | None,
        *,
        node: str | None = None,
        rank: int | None = None,
        rank_by: str | None = None,
        pipe: Path | None = None,
    ) -> None:
        self.name = name
        self.path = path
        self.node = node
        self.rank = rank
        self.rank_by = rank_by
        self._pipe = pipe
        self._head: bytes | None = None
        self._once: _Expanded | None = None
        self.bytes_read = 0
        self._digest = hashlib.sha256()

    @property
    def head(self) -> bytes:
        """The first bytes of the content (expanded), at most ``SAMPLE``.

        Raises:
            InputError: The file cannot be read.
        """
        if self._head is None:
            if self.path is None:
                self._stream = self._opened_once()
                self._once = _Expanded(self._stream, None, self)
                self._head = self._once.peek(SAMPLE)
            else:
                with self._open() as content:
                    self._head = content.peek(SAMPLE)
        return self._head

    @property
    def tail(self) -> bytes:
        """The last bytes of a plain file, at most ``SAMPLE``; empty for a pipe and for compressed files.

        Raises:
            InputError: The file cannot be read.
        """
        try:
            if self.path is None or self._is_compressed():
                return b""
            with self.path.open("rb") as raw:
                raw.seek(max(0, self.path.stat().st_size - SAMPLE))
                return raw.read(SAMPLE)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read ({error.strerror or error}).") from error

    def chunks(self) -> Iterator[bytes]:
        """The content, expanded, in chunks of bounded size; that of a pipe only once.

        Raises:
            InputError: The file cannot be read.
            UnsafeInput: It expands beyond all measure.
        """
        if self.path is None:
            _ = self.head
            assert self._once is not None
            with self._stream:
                yield from self._counted(self._once)
            return
        with self._open() as content:
            yield from self._counted(content)

    def lines(self, limit: int = MAX_LINE) -> Iterator[str]:
        """The content as lines of text without their ends; of one longer than ``limit`` bytes its beginning.

        Raises:
            InputError: The file cannot be read.
            UnsafeInput: It expands beyond all measure.
        """
        rest = b""
        for chunk in self.chunks():
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                yield line[:limit].decode("utf-8", "replace")
            rest = rest[:limit]
        if rest:
            yield rest.decode("utf-8", "replace")

    def read(self, limit: int = MAX_WHOLE) -> bytes:
        """The whole content.

        Raises:
            InputError: The file cannot be read.
            UnsafeInput: It is larger than ``limit`` bytes.
        """
        parts = []
        size = 0
        for chunk in self.chunks():
            size += len(chunk)
            if size > limit:
                raise UnsafeInput(f"{self.name}: larger than {limit >> 20} MiB, which no file of its kind needs to be.")
            parts.append(chunk)
        return b"".join(parts)

    @contextlib.contextmanager
    def as_file(self, limit: int = 16 << 30) -> Iterator[Path]:
        """A private copy of the content on disk, for readers that need a path (SQLite); removed afterwards.

        Raises:
            UnsafeInput: It is larger than ``limit`` bytes.
        """
        with tempfile.TemporaryDirectory(prefix="inquest-import-") as folder:
            copy = Path(folder) / "content"
            size = 0
            with copy.open("xb") as file:
                for chunk in self.chunks():
                    size += len(chunk)
                    if size > limit:
                        raise UnsafeInput(f"{self.name}: larger than {limit >> 20} MiB; take a part of it.")
                    file.write(chunk)
            yield copy

    @property
    def sha256(self) -> str:
        """Digest of what ``chunks`` gave so far, in hexadecimal."""
        return self._digest.hexdigest()

    def _counted(self, content: _Expanded) -> Iterator[bytes]:
        self._digest = hashlib.sha256()
        self.bytes_read = 0
        for chunk in content:
            if not self.bytes_read:
                self._digest.update(content.mark)
            self._digest.update(chunk)
            self.bytes_read += len(chunk)
            yield chunk

    def _opened_once(self) -> IO[bytes]:
        try:
            descriptor = os.dup(sys.stdin.fileno()) if self._pipe is None else os.open(self._pipe, os.O_RDONLY)
        except OSError as error:
            raise InputError(f"{self.name}: cannot be read ({error.strerror or error}).") from error
        return os.fdopen(descriptor, "rb", buffering=0)

    def _is_compressed(self) -> bool:
        assert self.path is not None
        with self.path.open("rb") as raw:
            begin = raw.read(_BEGIN)
        return _is_packed(begin) or is_utf16(begin)

    @contextlib.contextmanager
    def _open(self) -> Iterator[_Expanded]:
        assert self.path is not None
        try:
            file = open(self.path, "rb", buffering=0)  # noqa: SIM115 (closed below)
            with file:
                begin = file.read(_BEGIN)
                file.seek(0)
                if not _is_packed(begin):
                    codec = utf16_without_mark(begin) or "utf-16"
                    narrowed = cast("IO[bytes]", _Narrowed(file, codec)) if is_utf16(begin) else file
                    yield _Expanded(narrowed, None, self)
                    return
                size = os.fstat(file.fileno()).st_size
                with _unpacked(file, begin) as unpacked:
                    yield _Expanded(unpacked, size, self)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read ({error.strerror or error}).") from error


def _is_packed(begin: bytes) -> bool:
    return begin.startswith((_GZIP, _XZ, *_BY_ARROW)) or _BZIP2.match(begin) is not None


def _unpacked(file: IO[bytes], begin: bytes) -> contextlib.AbstractContextManager[IO[bytes]]:
    """What a compressed file holds. Modules cost start-up time that plain text need not pay."""
    if begin.startswith(_GZIP):
        return cast("IO[bytes]", gzip.open(file, "rb"))
    if begin.startswith(_XZ):
        return contextlib.nullcontext(cast("IO[bytes]", _Unxz(file)))
    if _BZIP2.match(begin):
        import bz2

        return bz2.open(file, "rb")
    import pyarrow as pa

    how = next(how for mark, how in _BY_ARROW.items() if begin.startswith(mark))
    return cast("IO[bytes]", pa.CompressedInputStream(pa.PythonFile(file), how))


class _Unxz:
    """What a file in xz holds; one that would take more memory than ``xz -9`` asks for is refused."""

    def __init__(self, raw: IO[bytes]) -> None:
        import lzma

        self._raw = raw
        self._lzma = lzma
        self._stream = self._new()

    def _new(self) -> LZMADecompressor:
        return self._lzma.LZMADecompressor(self._lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes; streams may stand behind one another."""
        while True:
            packed = b""
            if self._stream.eof:
                packed = self._stream.unused_data.lstrip(b"\0") or self._raw.read(_PIECE).lstrip(b"\0")
                if not packed:
                    return b""
                self._stream = self._new()
            elif self._stream.needs_input and not (packed := self._raw.read(_PIECE)):
                return b""  # torn
            try:
                piece = self._stream.decompress(packed, size)
            except self._lzma.LZMAError as error:
                raise OSError(str(error)) from error
            if piece:
                return piece


def is_utf16(begin: bytes) -> bool:
    """Whether bytes begin a text in UTF-16: each of its line ends and blanks holds a NUL, which odd bytes do not.

    Without a mark, as some tools write it, all of its beginning is letters and signs with a NUL before or behind each.
    """
    if begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return b"\0" in begin
    return utf16_without_mark(begin) is not None


def utf16_without_mark(begin: bytes) -> str | None:
    """The codec of a text in UTF-16 that has no mark; None where it is none, or has one."""
    first = begin[:_BEGIN_OF_TEXT]
    if len(first) < _BEGIN_OF_TEXT:
        return None
    for codec, letters, nothing in (("utf-16-le", first[::2], first[1::2]), ("utf-16-be", first[1::2], first[::2])):
        if not any(nothing) and letters.isascii() and is_plain(letters):
            return codec
    return None


def is_plain(text: bytes) -> bool:
    """Whether ASCII is letters, signs, blanks and ends of lines alone."""
    return text.decode("ascii").replace("\n", "").replace("\r", "").replace("\t", "").isprintable()


class _Narrowed:
    """Text in UTF-16, which shells and spreadsheets of Windows write, as UTF-8."""

    def __init__(self, raw: IO[bytes], codec: str) -> None:
        self._raw = raw
        self._decoder = codecs.getincrementaldecoder(codec)("replace")

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes: a unit of two becomes three at most."""
        while piece := self._raw.read(max(1, size // 2)):
            if text := self._decoder.decode(piece):
                return text.encode("utf-8", "replace")
        return self._decoder.decode(b"", final=True).encode()


class _Expanded:
    """Bytes of one input in chunks, with the caps on expansion."""

    def __init__(self, raw: IO[bytes], compressed: int | None, source: Source) -> None:
        self._some: Callable[[int], bytes | None] = getattr(raw, "read1", raw.read)
        self._compressed = compressed
        self._source = source
        self._ahead = b""
        self._total = 0
        self.mark = b""
        """The mark that programs of Windows put before a text in UTF-8: no part of what it says."""

    def peek(self, size: int) -> bytes:
        """The first bytes, which the next chunks will give again."""
        while len(self._ahead) < size and (more := self._read(size - len(self._ahead))):
            self._ahead += more
        return self._ahead

    def __iter__(self) -> Iterator[bytes]:
        if self._ahead:
            yield self._ahead
            self._ahead = b""
        while chunk := self._read(CHUNK):
            yield chunk

    def _read(self, size: int) -> bytes:
        pieces: list[bytes] = []
        got = 0
        try:
            while got < size and (piece := self._some(size - got)):
                pieces.append(bytes(piece))
                got += len(piece)
        except (OSError, EOFError, zlib.error) as error:
            if self._compressed is None:
                raise InputError(f"{self._source.name}: cannot be read ({error}).") from error
            # A cut or damaged archive: what came before the damage is still evidence.
        chunk = b"".join(pieces)
        if not self._total and chunk.startswith(codecs.BOM_UTF8):
            self.mark, chunk = codecs.BOM_UTF8, chunk[len(codecs.BOM_UTF8) :]
        self._total += len(chunk)
        if self._compressed is not None and self._total > _FREE:
            limit = min(MAX_EXPANDED, MAX_RATIO * self._compressed)
            if self._total > limit:
                raise UnsafeInput(
                    f"{self._source.name}: expands to more than {MAX_RATIO} times its size; expand it yourself first."
                )
        return chunk
