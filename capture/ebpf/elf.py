"""Where functions lie in a library, what it is, and how a probe at their beginning will be served.

A uprobe replaces the instruction it stands on. The kernel emulates a few kinds of instructions and steps over all
others in single-step mode, which costs about ten times as much; so where a probe goes is looked at first.

Source: ELF-64 (System V ABI), arch/x86/kernel/uprobes.c, arch/arm64/kernel/probes/decode-insn.c.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_X86_64, _AARCH64 = 62, 183
_LOAD, _EXECUTABLE = 1, 1
_SYMTAB, _NOTE, _DYNSYM, _GNU_HASH = 2, 7, 11, 0x6FFFFFF6
_FUNCTION: Final = 2
_BUILD_ID: Final = 3
_ENDBR64: Final = b"\xf3\x0f\x1e\xfa"
_LARGEST_TABLE: Final = 256 << 20
_LONGEST_CHAIN: Final = 4096
_AT_ONCE: Final = 1 << 20
"""Bytes of a table that are looked at together: tables of hundreds of megabytes must not be copied."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function in a library.

    Attributes:
        name: Its symbol.
        offset: Where in the file a probe goes: its first instruction, or the one after ``endbr64``, which would be
            single-stepped. Arguments and return address are the same there.
        stepped: The kernel must single-step the instruction there: each call costs some ten microseconds.
        table: Symbol table it was found in: ``dynsym``, or ``symtab`` for copies that are linked in and hidden.
    """

    name: str
    offset: int
    stepped: bool
    table: str


@dataclass(frozen=True)
class Library:
    """What was found in one file."""

    functions: dict[str, Function]
    build_id: str | None
    machine: int

    @cached_property
    def by_offset(self) -> dict[int, Function]:
        """One name for each place: ``pncclAllReduce`` and ``ncclAllReduce`` are one function."""
        places: dict[int, Function] = {}
        for name in sorted(self.functions):
            places.setdefault(self.functions[name].offset, self.functions[name])
        return places


def scan(path: str, names: Collection[str], *, telling: Collection[str] = ()) -> Library:
    """Find functions by name; those the file does not define are absent from the result.

    Exported ones are found through the hash table of the dynamic linker, without reading more of the file.

    Args:
        path: The file.
        names: Functions wanted.
        telling: Names of which any copy of the wanted has one. Where one of them is among the symbols that are not
            exported, all of these are read; only files that were not stripped have them.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not an ELF file for 64 bits, or a damaged one.
    """
    with open(path, "rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise ValueError(f"{path} is empty") from None
    with data:
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path} is not a 64-bit ELF file")
        try:
            return _scan(data, *(frozenset(name.encode() for name in each) for each in (names, telling)))
        except (struct.error, IndexError, ValueError, ArithmeticError) as error:
            raise ValueError(f"{path} is damaged: {error}") from None


def _scan(data: mmap.mmap, names: frozenset[bytes], telling: frozenset[bytes]) -> Library:
    (machine,) = struct.unpack_from("<H", data, 18)
    segments_at, sections_at = struct.unpack_from("<QQ", data, 32)
    segment_size, segment_count, section_size, section_count = struct.unpack_from("<HHHH", data, 54)
    segments = [struct.unpack_from("<IIQQQQ", data, segments_at + at * segment_size) for at in range(segment_count)]
    code = [s for s in segments if s[0] == _LOAD and s[1] & _EXECUTABLE]
    sections = [
        struct.unpack_from("<IIQQQQIIQQ", data, sections_at + at * section_size)
        for at in range(section_count if sections_at else 0)
    ]
    functions: dict[str, Function] = {}
    hashes = next((section for section in sections if section[1] == _GNU_HASH), None)
    for kind, table in ((_DYNSYM, "dynsym"), (_SYMTAB, "symtab")):
        for section in (section for section in sections if section[1] == kind):
            strings = sections[section[6]]
            if kind == _DYNSYM and hashes is not None:
                symbols = _exports(data, section, strings, hashes[4], names)
            elif kind == _DYNSYM or (telling and _places(data, strings, telling)):
                symbols = _symbols(data, section, strings, names)
            else:
                continue
            for name, address in symbols:
                for _, _, offset, virtual, _, length in code:
                    if virtual <= address < virtual + length:
                        place = address - virtual + offset
                        functions.setdefault(name, _function(data, name, place, machine, table))
    notes = (section for section in sections if section[1] == _NOTE)
    build_ids = (_build_id(data, section[4], section[4] + section[5]) for section in notes)
    return Library(functions, next((found for found in build_ids if found), None), machine)


def _exports(
    data: mmap.mmap, section: tuple[int, ...], strings: tuple[int, ...], hashes: int, names: frozenset[bytes]
) -> Iterator[tuple[str, int]]:
    """Names and addresses of the wanted functions that the file exports, looked up as the dynamic linker does."""
    bucket_count, first, words, _ = struct.unpack_from("<4I", data, hashes)
    buckets = hashes + 16 + 8 * words
    chains = buckets + 4 * bucket_count
    for name in names:
        value = 5381
        for byte in name:
            value = value * 33 + byte & 0xFFFFFFFF
        (head,) = struct.unpack_from("<I", data, buckets + 4 * (value % bucket_count))
        for index in range(head, head + _LONGEST_CHAIN if head >= first else head):
            (chained,) = struct.unpack_from("<I", data, chains + 4 * (index - first))
            if chained | 1 == value | 1:
                at, info, _, defined, address, _ = struct.unpack_from("<IBBHQQ", data, section[4] + 24 * index)
                found = data[strings[4] + at : strings[4] + at + len(name) + 1] == name + b"\0"
                if found and defined and info & 15 == _FUNCTION:
                    yield name.decode(), address
                    break
            if chained & 1:
                break


def _symbols(
    data: mmap.mmap, section: tuple[int, ...], strings: tuple[int, ...], names: frozenset[bytes]
) -> Iterator[tuple[str, int]]:
    """Names and addresses of the wanted functions that one symbol table defines."""
    at, size = _table(section)
    places = _places(data, strings, names)
    step = _AT_ONCE // 24 * 24
    for begin in range(at, at + size // 24 * 24, step):
        end = min(begin + step, at + size // 24 * 24)
        for place, info, _, index, value, _ in struct.iter_unpack("<IBBHQQ", data[begin:end]):
            if place in places and info & 15 == _FUNCTION and index:
                yield places[place], value


def _table(section: tuple[int, ...]) -> tuple[int, int]:
    """Where a table of symbols or strings is, and its size."""
    _, _, _, _, at, size, *_ = section
    if size > _LARGEST_TABLE:
        raise ValueError("its symbol table is larger than any library's")
    return at, size


def _places(data: mmap.mmap, strings: tuple[int, ...], names: Collection[bytes]) -> dict[int, str]:
    """Where in a string table the names stand: anywhere before a NUL, since a name may be the end of another's."""
    at, size = _table(strings)
    longest = max(map(len, names)) + 1
    places: dict[int, str] = {}
    for begin in range(at, at + size, _AT_ONCE):
        part = data[begin : min(begin + _AT_ONCE + longest, at + size)]
        for name in names:
            place = part.find(name + b"\0")
            while place >= 0:
                places[begin - at + place] = name.decode()
                place = part.find(name + b"\0", place + 1)
    return places


def _function(data: mmap.mmap, name: str, offset: int, machine: int, table: str) -> Function:
    first = data[offset : offset + 16]
    if machine == _X86_64 and first.startswith(_ENDBR64):
        offset, first = offset + len(_ENDBR64), first[len(_ENDBR64) :]
    return Function(name, offset, is_stepped(first, machine), table)


def is_stepped(code: bytes, machine: int) -> bool:
    """Whether the kernel single-steps the first instruction of ``code`` instead of emulating it."""
    if machine == _X86_64 and code:
        first = code[1] if code[:1] == b"\x41" and len(code) > 1 else code[0]
        push = 0x50 <= first <= 0x57
        jump = code[0] in (0xE8, 0xE9, 0xEB) or 0x70 <= code[0] <= 0x7F
        nop = code[0] == 0x90 or code[:2] in (b"\x66\x90", b"\x0f\x1f")
        return not (push or jump or nop)
    if machine == _AARCH64 and len(code) >= 4:
        (word,) = struct.unpack_from("<I", code)
        branch = word & 0x7C000000 == 0x14000000 or word & 0x7E000000 in (0x34000000, 0x36000000)
        nop = word == 0xD503201F
        return not (branch or nop)
    return True


def _build_id(data: mmap.mmap, at: int, end: int) -> str | None:
    while at + 12 <= end:
        name_size, size, kind = struct.unpack_from("<III", data, at)
        content = at + 12 + (name_size + 3 & ~3)
        if kind == _BUILD_ID and data[at + 12 : at + 16] == b"GNU\0":
            return data[content : content + min(size, 64)].hex()
        at = content + (size + 3 & ~3)
    return None
