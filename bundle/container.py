"""The container: a ZIP64 file whose every byte outside its members can be derived again.

A bundle is a ZIP file so that any tool can take it apart, and a canonical one so that nothing can hide in it: members
are stored (never compressed), sorted by name, each begins on a 4 KiB boundary, and headers hold nothing but name,
length and CRC-32. ``Container.open`` therefore does not interpret what a stranger's ZIP says; it derives the headers
a writer would have written and compares bytes. Overlap, compression, links, comments, lying sizes, gaps and trailing
bytes all fail that one comparison.

    mimetype           first, fixed bytes: tells a bundle that was cut short from a file that never was one
    TABLE.parquet ...  sorted by name
    manifest.json      last, when the digests of the members are known
    central directory, ZIP64 end record, ZIP64 locator, end record
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import mmap
import os
import re
import secrets
import shutil
import struct
import zlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, Final, Self

from inquest.bundle.errors import DamagedBundle, InputError, NotABundle, UnsafeInput, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

ALIGNMENT: Final = 4096
MIMETYPE: Final = "mimetype"
MANIFEST: Final = "manifest.json"
_MIMETYPE_BYTES: Final = b"application/x-inquest-bundle"

MAX_MEMBERS: Final = 100_000
MAX_MANIFEST_BYTES: Final = 64 << 20
_MAX_NAME_BYTES: Final = 512
_COPY_BYTES: Final = 1 << 20

# ZIP structures (APPNOTE 6.3.9, sections 4.3.7, 4.3.12, 4.3.14 - 4.3.16). Every 32-bit size and offset holds its
# "see ZIP64" value, so that a header looks the same whatever the size.
_LOCAL: Final = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL: Final = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END64: Final = struct.Struct("<4sQHHIIQQQQ")
_LOCATOR: Final = struct.Struct("<4sIQI")
_END: Final = struct.Struct("<4sHHHHIIH")
_ZIP64_LOCAL: Final = struct.Struct("<HHQQ")
_ZIP64_CENTRAL: Final = struct.Struct("<HHQQQ")
_VERSION: Final = 45
_UTF8_NAMES: Final = 0x0800
_EPOCH: Final = 0x0021  # 1980-01-01, the least date ZIP has
_PADDING_ID: Final = 0xD935  # the padding field of Android's zipalign
_FULL32: Final = 0xFFFFFFFF
_TAIL_BYTES: Final = _END64.size + _LOCATOR.size + _END.size

_MEMBER_NAME: Final = re.compile(r"[a-z][a-z0-9_]*(/node=[A-Za-z0-9._~%-]{1,200})?\.parquet")


@dataclass(frozen=True, slots=True)
class Entry:
    """One member: its name, where its bytes lie (``offset``, ``size`` in bytes) and their CRC-32."""

    name: str
    offset: int
    size: int
    crc: int


@dataclass(frozen=True, slots=True)
class Sums:
    """What is stated of a file: its size in bytes, CRC-32, and SHA-256 in hex."""

    size: int
    crc: int
    sha256: str


def sums(path: Path) -> Sums:
    """The sums of a file that is to be a member.

    Raises:
        OSError: It cannot be read.
    """
    size, crc, digest = 0, 0, hashlib.sha256()
    with open(path, "rb") as file:
        for chunk in iter(partial(file.read, _COPY_BYTES), b""):
            digest.update(chunk)
            crc = zlib.crc32(chunk, crc)
            size += len(chunk)
    return Sums(size, crc, digest.hexdigest())


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of a member that was written: name, size in bytes, SHA-256 in hex."""

    name: str
    size: int
    sha256: str


def write(
    path: Path,
    members: Sequence[tuple[str, Path]],
    manifest: Callable[[tuple[Stored, ...]], bytes],
    *,
    force: bool = False,
    scratch: Path | None = None,
    known: Mapping[str, Sums] | None = None,
) -> None:
    """Write a bundle: copy ``members`` (name, file) in order of name, then ask ``manifest`` for the last member.

    The bundle appears under its name only when it is whole and on disk. Until then it lies in ``scratch``, a folder of
    the same file system (default: beside ``path``). Members whose sums are ``known`` by name are copied unread.

    Raises:
        UsageError: ``path`` exists and ``force`` is false, or it cannot be written there.
    """
    if path.exists() and not force:
        raise UsageError(f"{path} exists: choose another name, or replace it with --force")
    temporary = (scratch or path.parent) / f".{path.name}.{secrets.token_hex(4)}.tmp"
    try:
        with open(temporary, "xb") as out:
            _write(out, sorted(members), manifest, known or {})
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
        _sync_directory(path.parent)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _write(
    out: BinaryIO,
    members: Iterable[tuple[str, Path]],
    manifest: Callable[[tuple[Stored, ...]], bytes],
    known: Mapping[str, Sums],
) -> None:
    entries = [_put(out, MIMETYPE, _MIMETYPE_BYTES)]
    stored: list[Stored] = []
    for name, source in members:
        if not _MEMBER_NAME.fullmatch(name):
            raise ValueError(f"not a member name: {name!r}")
        stated = known.get(name) or sums(source)
        begin = out.tell()
        entry = Entry(name, _data_offset(begin, name), stated.size, stated.crc)
        out.write(_header(begin, entry))
        _copy(source, out, stated.size)
        entries.append(entry)
        stored.append(Stored(name, stated.size, stated.sha256))
    entries.append(_put(out, MANIFEST, manifest(tuple(stored))))
    out.write(_directory(entries))


def _put(out: BinaryIO, name: str, data: bytes) -> Entry:
    begin = out.tell()
    entry = Entry(name, _data_offset(begin, name), len(data), zlib.crc32(data))
    out.write(_header(begin, entry))
    out.write(data)
    return entry


def _copy(source: Path, out: BinaryIO, size: int) -> None:
    """Append a file: where the file system can, without its bytes passing through here."""
    with open(source, "rb", buffering=0) as file:
        out.flush()
        # What it leaves, the plain way copies, which also says what is wrong. (Not every system has it.)
        with contextlib.suppress(OSError, AttributeError):
            while os.copy_file_range(file.fileno(), out.fileno(), size):
                pass
        out.seek(0, os.SEEK_END)
        shutil.copyfileobj(file, out, _COPY_BYTES)
        if file.tell() != size:
            raise OSError(errno.EIO, f"{source} changes while it is copied")


def _data_offset(begin: int, name: str) -> int:
    least = begin + _LOCAL.size + len(name.encode()) + _ZIP64_LOCAL.size + 4
    return -(-least // ALIGNMENT) * ALIGNMENT


def _header(begin: int, entry: Entry) -> bytes:
    """The local header of a member whose header begins at ``begin``, padded up to its data."""
    name = entry.name.encode()
    padding = entry.offset - begin - _LOCAL.size - len(name) - _ZIP64_LOCAL.size - 4
    extra = _ZIP64_LOCAL.pack(1, 16, entry.size, entry.size) + struct.pack("<HH", _PADDING_ID, padding) + bytes(padding)
    fixed = _LOCAL.pack(
        b"PK\3\4", _VERSION, _UTF8_NAMES, 0, 0, _EPOCH, entry.crc, _FULL32, _FULL32, len(name), len(extra)
    )
    return fixed + name + extra


def _begin(previous: Entry | None) -> int:
    return previous.offset + previous.size if previous else 0


def _directory(entries: Sequence[Entry]) -> bytes:
    """Everything after the last member."""
    records = bytearray()
    previous = None
    for entry in entries:
        name = entry.name.encode()
        extra = _ZIP64_CENTRAL.pack(1, 24, entry.size, entry.size, _begin(previous))
        sizes = (_FULL32, _FULL32, len(name), len(extra), 0, 0, 0, 0, _FULL32)
        records += _CENTRAL.pack(b"PK\1\2", _VERSION, _VERSION, _UTF8_NAMES, 0, 0, _EPOCH, entry.crc, *sizes)
        records += name + extra
        previous = entry
    begin = _begin(previous)
    count, size = len(entries), len(records)
    return bytes(
        records
        + _END64.pack(b"PK\6\6", _END64.size - 12, _VERSION, _VERSION, 0, 0, count, count, size, begin)
        + _LOCATOR.pack(b"PK\6\7", 0, begin + size, 1)
        + _END.pack(b"PK\5\6", 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, _FULL32, _FULL32, 0)
    )


_NAMED: Final = 64
"""Bytes of a bundle that hold its first member's name."""
_PREFIX: Final = _header(
    0, Entry(MIMETYPE, _data_offset(0, MIMETYPE), len(_MIMETYPE_BYTES), zlib.crc32(_MIMETYPE_BYTES))
)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # Some network file systems refuse fsync on a directory; the file itself is on disk already.
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Container:
    """A bundle opened for reading, mapped into memory and never written to.

    ``check`` has to be called before members are trusted; it is apart from ``open`` so that the manifest of a newer
    format can be read first and answered with the right error.
    """

    def __init__(self, path: Path, view: memoryview, entries: dict[str, Entry]) -> None:
        self.path = path
        self._view = view
        self._entries = entries

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map the bundle at ``path`` and read its directory.

        Raises:
            NotABundle: It is not a bundle, or not a readable file.
            DamagedBundle: It began as a bundle, but its directory is not there.
            UnsafeInput: The directory claims more than any bundle holds, or names that are not a bundle's.
        """
        view = _map(path)
        # What is shorter than the first page was a bundle as far as it goes, or never named itself one.
        if len(view) < _NAMED or view[: len(_PREFIX)] != _PREFIX[: len(view)]:
            raise NotABundle(
                f"{path} is not an inquest bundle: give a file made by 'inquest merge', "
                f"or read plain logs with 'inquest explain {path}'"
            )
        return cls(path, view, _read_directory(path, view))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All members but ``mimetype``, in order."""
        return tuple(entry for entry in self._entries.values() if entry.name != MIMETYPE)

    def member(self, name: str) -> memoryview:
        """The bytes of a member, without a copy.

        Raises:
            DamagedBundle: There is no such member.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise DamagedBundle(f"{self.path} lacks its member {name}: copy the bundle again")
        return self._view[entry.offset : entry.offset + entry.size]

    def check(self) -> None:
        """Derive every byte outside the members again and compare.

        Raises:
            DamagedBundle: A byte differs.
            UnsafeInput: A member has a name no bundle has.
        """
        self.check_size()
        entries = tuple(self._entries.values())
        names = [entry.name for entry in entries]
        if names != [MIMETYPE, *sorted(names[1:-1]), MANIFEST]:
            raise UnsafeInput(f"{self.path} holds its members in another order than any bundle: do not trust the file")
        for name in names[1:-1]:
            if not _MEMBER_NAME.fullmatch(name):
                raise UnsafeInput(
                    f"{self.path} holds a member named {name[:80]!r}, which no bundle does: do not trust the file"
                )
        previous = None
        for entry in entries:
            begin = _begin(previous)
            if entry.offset != _data_offset(begin, entry.name) or self._view[begin : entry.offset] != _header(
                begin, entry
            ):
                raise DamagedBundle(f"{self.path} is damaged before its member {entry.name}: copy the bundle again")
            previous = entry
        if self._view[_begin(previous) :] != _directory(entries):
            raise DamagedBundle(f"{self.path} is damaged in its directory: copy the bundle again")
        if bytes(self.member(MIMETYPE)[:ALIGNMENT]) != _MIMETYPE_BYTES:
            raise DamagedBundle(f"{self.path} is damaged in its first member: copy the bundle again")

    def check_size(self) -> None:
        """See that the file is as long as it was when it was mapped.

        The kernel ends a process (SIGBUS) that reads a page which a writer has cut off meanwhile; nothing in a process
        can forbid that, so a bundle has to lie still while it is read.

        Raises:
            DamagedBundle: It is not.
        """
        try:
            size = self.path.stat().st_size
        except OSError as error:
            raise InputError(f"cannot read {self.path}: {error.strerror}") from error
        if size != len(self._view):
            raise DamagedBundle(
                f"{self.path} changes its size while it is read: wait until it is copied, and try again"
            )

    def crc_matches(self, entry: Entry) -> bool:
        """True when the bytes of a member have the CRC-32 its header states."""
        return zlib.crc32(self.member(entry.name)) == entry.crc


def _map(path: Path) -> memoryview:
    try:
        if path.is_dir():
            raise NotABundle(
                f"{path} is a directory: make a bundle of node directories with 'inquest merge {path} -o JOB.inquest'"
            )
        if path.exists() and not path.is_file():
            raise NotABundle(f"{path} is not a regular file: copy the bundle to a disk first")
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)) if size else memoryview(b"")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def _read_directory(path: Path, view: memoryview) -> dict[str, Entry]:
    """Members in the order of the central directory. Reads only what is needed to derive the rest again."""
    damaged = DamagedBundle(f"{path} is cut short or damaged at its end: copy the bundle again")
    end = len(view) - _TAIL_BYTES
    if end < len(_PREFIX):
        raise damaged
    magic, *_, count, _, size, begin = _END64.unpack_from(view, end)
    if magic != b"PK\6\6" or begin + size != end:
        raise damaged
    if count > MAX_MEMBERS or size > MAX_MEMBERS * (_CENTRAL.size + _MAX_NAME_BYTES):
        raise UnsafeInput(f"{path} claims {count} members, more than any bundle holds: do not trust the file")
    entries: dict[str, Entry] = {}
    at = begin
    for _ in range(count):
        if at + _CENTRAL.size > end:
            raise damaged
        magic, _, _, _, method, _, _, crc, _, _, name_size, extra_size, comment_size, *_ = _CENTRAL.unpack_from(
            view, at
        )
        name_at, extra_at = at + _CENTRAL.size, at + _CENTRAL.size + name_size
        if magic != b"PK\1\2" or name_size > _MAX_NAME_BYTES or extra_at + _ZIP64_CENTRAL.size > end:
            raise damaged
        if method:
            raise UnsafeInput(f"{path} holds compressed members, which no bundle does: do not trust the file")
        name = bytes(view[name_at:extra_at]).decode(errors="replace")
        _, _, length, _, header_at = _ZIP64_CENTRAL.unpack_from(view, extra_at)
        if name in entries:
            raise UnsafeInput(f"{path} holds two members named {name[:80]!r}: do not trust the file")
        offset = _data_offset(header_at, name)
        if offset + length > begin:
            raise damaged
        entries[name] = Entry(name, offset, length, crc)
        at = extra_at + extra_size + comment_size
    if MANIFEST not in entries:
        raise damaged
    return entries
