"""Parts: a file cut for media that hold no large files, and put together again only when every part is right.

A part is one line of JSON and then a stretch of the file, so that it says itself what it belongs to; no list has to
travel with it. The line names the file, its length and SHA-256, which part of how many this is, and the SHA-256 of
the stretch. Without inquest, ``tail -q -n +2 JOB.inquest.0* > JOB.inquest`` puts the parts together.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, BinaryIO, Final

from inquest.bundle.errors import DamagedBundle, InputError, UsageError
from inquest.bundle.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Progress = Callable[[int, int], None]

FAT32_LARGEST: Final = (4 << 30) - 1
"""Bytes of the largest file that FAT32 holds (Microsoft, FAT32 File System Specification: 32-bit DIR_FileSize)."""

MAX_PARTS: Final = 9999
_FORMAT: Final = "inquest-part/1"
_LINE_BYTES: Final = 8192
_COPY_BYTES: Final = 1 << 20
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_NUMBERED: Final = re.compile(r"\.(\d{3,4})\Z")
# What FAT and Windows take in no name; DOS devices keep their meaning with any extension.
_NOT_IN_FAT: Final = re.compile(r'[\x00-\x1f<>:"/\\|?*]')
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|\Z)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What the first line of a part says. ``number`` counts from 1; ``size`` and ``offset`` are bytes of the file."""

    format: str
    file: str
    file_size: int
    file_sha256: str
    number: int
    of: int
    offset: int
    size: int
    sha256: str

    def line(self) -> bytes:
        """The first line of the part, which ends with a checksum of itself."""
        told = asdict(self)
        check = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]
        return json.dumps({**told, "check": check}).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Joined:
    """A file put together: its path, bytes, SHA-256 in hex and the number of its parts."""

    path: Path
    size: int
    sha256: str
    parts: int


def split(
    path: Path,
    folder: Path,
    *,
    size: int = FAT32_LARGEST,
    force: bool = False,
    progress: Progress | None = None,
) -> list[Path]:
    """Cut ``path`` into parts of at most ``size`` bytes in ``folder``, named ``NAME.001`` and so on.

    The parts appear under their names when all of them are whole and on disk.

    Raises:
        UsageError: There is nothing to cut, a part exists already, or ``folder`` cannot be written.
        InputError: The file changed while it was read.
    """
    if not path.is_file():
        raise UsageError(f"{path} is not a file: give the bundle to split")
    if not folder.is_dir():
        raise UsageError(f"there is no directory {folder}: make it, or choose another with -o")
    name = fat_name(path.name)
    older = _parts_beside(folder, name)
    if older and not force:
        raise UsageError(f"{older[0]} exists: choose another directory with -o, or replace the parts with --force")
    try:
        return _split(path, folder, name, size, older, progress or (lambda *_: None))
    except OSError as error:
        raise UsageError(f"cannot split {path} into {folder}: {error.strerror or error}") from error


def _split(path: Path, folder: Path, name: str, size: int, older: list[Path], tell: Progress) -> list[Path]:
    with open(path, "rb") as source, scratch(folder / name) as staging:
        total = os.fstat(source.fileno()).st_size
        digest = _copy(source, None, total, lambda done: tell(done, 2 * total))
        heads = _plan(path, total, digest, size)
        whole = hashlib.sha256()
        source.seek(0)
        for head in heads:
            with open(staging / f"{head.number}", "wb") as out:
                out.write(head.line())
                begin = total + head.offset
                sha256 = _copy(source, out, head.size, lambda done, at=begin: tell(at + done, 2 * total), whole)  # type: ignore[misc]
                out.seek(0)
                out.write(Part(**{**asdict(head), "sha256": sha256}).line())
                _to_disk(out)
        if whole.hexdigest() != digest or source.read(1):
            raise InputError(f"{path} changed while it was split: split it again when nothing writes to it")
        for stale in older:
            stale.unlink()
        finals = [folder / f"{name}.{head.number:03d}" for head in heads]
        for head, final in zip(heads, finals, strict=True):
            (staging / f"{head.number}").rename(final)
    _sync(folder)
    return finals


def _plan(path: Path, total: int, digest: str, size: int) -> list[Part]:
    """The first lines of all parts, their digests still to come (they have the length of the file's)."""

    def head(number: int, of: int, offset: int, length: int) -> Part:
        return Part(
            format=_FORMAT,
            file=path.name,
            file_size=total,
            file_sha256=digest,
            number=number,
            of=of,
            offset=offset,
            size=length,
            sha256="0" * 64,
        )

    room = size - len(head(MAX_PARTS, MAX_PARTS, total, total).line())
    if room <= 0 or -(-total // room) > MAX_PARTS:
        raise UsageError(f"{path} would give more than {MAX_PARTS} parts of {size} bytes: choose a larger --size")
    of = max(1, -(-total // room))
    return [head(i + 1, of, i * room, min(room, total - i * room)) for i in range(of)]


def join(parts: Sequence[Path], out: Path, *, force: bool = False, progress: Progress | None = None) -> Joined:
    """Put ``parts``, in any order, together as ``out``, which appears when it is whole and proved identical.

    Raises:
        UsageError: ``out`` exists or cannot be written.
        InputError: A part is missing, damaged, misnamed, of another file, or no part at all.
    """
    if out.exists() and not force:
        raise UsageError(f"{out} exists: choose another name, or replace it with --force")
    if not out.parent.is_dir():
        raise UsageError(f"cannot write {out}: there is no directory {out.parent}")
    ordered = _complete(parts)
    try:
        return _join(ordered, out, progress or (lambda *_: None))
    except OSError as error:
        raise UsageError(f"cannot join the parts into {out}: {error.strerror or error}") from error


def _join(ordered: list[tuple[Path, Part]], out: Path, tell: Progress) -> Joined:
    first = ordered[0][1]
    whole = hashlib.sha256()
    with scratch(out) as staging:
        staged = staging / "joined"
        with open(staged, "xb") as target:
            for path, head in ordered:
                with open(path, "rb") as source:
                    source.seek(len(head.line()))
                    begin = head.offset
                    found = _copy(
                        source,
                        target,
                        head.size,
                        lambda done, at=begin: tell(at + done, first.file_size),  # type: ignore[misc]
                        whole,
                    )
                if found != head.sha256:
                    raise DamagedBundle(
                        f"{path} is damaged (its SHA-256 is not that of part {head.number}): copy it again"
                    )
            _to_disk(target)
        if whole.hexdigest() != first.file_sha256:
            raise DamagedBundle(f"the parts of {first.file} do not give the file they were cut from: split it again")
        staged.replace(out)
    _sync(out.parent)
    return Joined(out, first.file_size, first.file_sha256, first.of)


def _complete(parts: Sequence[Path]) -> list[tuple[Path, Part]]:
    """``parts`` in order, each once, after it is clear that they are all of one file's."""
    heads = [(path, _read_head(path)) for path in parts]
    if not heads:
        raise UsageError("no parts were given: name all of them, JOB.inquest.001 and so on")
    files: dict[tuple[str, int, int], list[Path]] = {}
    for path, head in heads:
        files.setdefault((head.file_sha256, head.file_size, head.of), []).append(path)
    if len(files) > 1:
        own, *others = sorted(files.values(), key=len, reverse=True)
        named = dict(heads)
        raise InputError(
            f"{others[0][0]} is part of another file ({named[others[0][0]].file}) than {own[0]} is: "
            "give the parts of one split only"
        )
    found: dict[int, tuple[Path, Part]] = {}
    for path, head in heads:
        stated = _NUMBERED.search(path.name)
        if stated and int(stated[1]) != head.number:
            raise InputError(
                f"{path} holds part {head.number} under the name of part {int(stated[1])}: "
                f"parts were swapped or renamed; call it .{head.number:03d} again"
            )
        if found.setdefault(head.number, (path, head))[1] != head:
            raise DamagedBundle(
                f"{path} and {found[head.number][0]} are both part {head.number} and differ: copy again"
            )
    first = heads[0][1]
    missing = [number for number in range(1, first.of + 1) if number not in found]
    if missing:
        names = ", ".join(f"{fat_name(first.file)}.{number:03d}" for number in missing[:10])
        more = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
        raise InputError(f"{len(missing)} of {first.of} parts missing: {names}{more}. Give all of them")
    ordered = [found[number] for number in sorted(found)]
    at = 0
    for path, head in ordered:
        if head.offset != at:
            raise DamagedBundle(f"{path} does not follow on the part before it: copy it again")
        at += head.size
        if path.stat().st_size != len(head.line()) + head.size:
            raise DamagedBundle(f"{path} is cut short or longer than part {head.number}: copy it again")
    if at != first.file_size:
        raise DamagedBundle(f"the parts of {first.file} do not add up to its size: copy them again")
    return ordered


def _read_head(path: Path) -> Part:
    if not path.is_file():
        raise InputError(f"{path} is not there: give all parts")
    with open(path, "rb") as file:
        line = file.readline(_LINE_BYTES)
    try:
        plain = json.loads(line)
    except (ValueError, RecursionError):
        plain = None
    if not isinstance(plain, dict) or not str(plain.get("format")).startswith("inquest-part/"):
        raise InputError(f"{path} is not a part that 'inquest split' wrote, or its beginning is damaged: copy it again")
    if plain["format"] != _FORMAT:
        raise InputError(f"{path} was split by a newer inquest ({str(plain['format'])[:40]}): join it with that one")
    kinds = {field.name: int if field.type == "int" else str for field in fields(Part)}
    plain.pop("check", None)
    if plain.keys() == kinds.keys() and all(type(plain[name]) is kind for name, kind in kinds.items()):
        head = Part(**plain)
        numbers = (head.offset, head.size, head.file_size)
        hashes = (head.sha256, head.file_sha256)
        if (
            1 <= head.number <= head.of <= MAX_PARTS
            and min(numbers) >= 0
            and all(map(_HASH.fullmatch, hashes))
            and head.line() == line
        ):
            return head
    raise DamagedBundle(f"{path} begins with a line that cannot be right: copy the part again")


def fat_name(name: str) -> str:
    """``name`` as FAT32, exFAT and NTFS take it, before a suffix is added."""
    safe = _NOT_IN_FAT.sub("_", name)
    return f"_{safe}" if _DEVICE.match(safe) else safe


def _parts_beside(folder: Path, name: str) -> list[Path]:
    """Files that bear the name of a part; FAT does not tell upper from lower case."""
    found = re.compile(rf"{re.escape(name)}\.\d{{3,4}}", re.IGNORECASE)
    return sorted(path for path in folder.iterdir() if found.fullmatch(path.name))


def _copy(
    source: BinaryIO, out: BinaryIO | None, size: int, tell: Callable[[int], None], also: hashlib._Hash | None = None
) -> str:
    """Copy ``size`` bytes (fewer when the source ends), and return their SHA-256."""
    digest = hashlib.sha256()
    done = 0
    while done < size and (chunk := source.read(min(_COPY_BYTES, size - done))):
        digest.update(chunk)
        if also is not None:
            also.update(chunk)
        if out is not None:
            out.write(chunk)
        done += len(chunk)
        tell(done)
    return digest.hexdigest()


def _to_disk(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    with contextlib.suppress(OSError):  # some file systems of media cannot sync a directory
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
