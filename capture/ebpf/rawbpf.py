"""A loader of BPF objects over the bpf(2) system call: no compiler, no libbpf, nothing beyond the standard library.

Maps are declared in Python, or are given as maps that are already open, so that two objects share them. Programs come
from an object file, which is what ``clang -target bpf`` made of a C file, or from whoever else compiles them. They are
taken without relocations other than those of maps.

Source of layouts and numbers: include/uapi/linux/bpf.h, include/uapi/linux/perf_event.h, bpf(2). Every system call
that the kernel refuses raises OSError.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import platform
import select
import struct
import threading
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Self

_NUMBERS: Final = {"x86_64": (321, 298), "aarch64": (280, 241)}
"""System call numbers of bpf and perf_event_open."""
_MAP_CREATE, _MAP_GET, _MAP_PUT, _MAP_DELETE, _PROG_LOAD, _LINK_CREATE = 0, 1, 2, 3, 5, 28
_MAP_GET_BATCH, _MAP_DELETE_BATCH = 24, 27
_RAW_TRACEPOINT_OPEN = 17
_ATTACH_PERF_EVENT, _ATTACH_UPROBE_MULTI = 41, 48
_PERF_TRACEPOINT = 2
_FSOPEN, _FSCONFIG, _FSMOUNT = 430, 431, 432
"""The same numbers on all machines (Linux 5.2 and later)."""
_FD_CLOEXEC = 8
_MMAPABLE = 1 << 10
_TRACEFS: Final = (Path("/sys/kernel/tracing/events"), Path("/sys/kernel/debug/tracing/events"))
_UPROBE_PMU: Final = "/sys/bus/event_source/devices/uprobe/type"
_BATCH: Final = 256
_GET_BATCH: Final = struct.Struct("<4Q2I16x")
_COUNT: Final = struct.Struct("<I")
_HEADER: Final = struct.Struct("=I")
_BUSY, _DISCARDED = 1 << 31, 1 << 30

_libc = ctypes.CDLL(None, use_errno=True)


class MapKind(IntEnum):
    """Kinds of maps, as the kernel numbers them."""

    HASH = 1
    ARRAY = 2
    PERCPU_HASH = 5
    PERCPU_ARRAY = 6
    LRU_HASH = 9
    RING = 27


class ProgramKind(IntEnum):
    """Kinds of programs, as the kernel numbers them."""

    UPROBE = 2
    TRACEPOINT = 5
    RAW_TRACEPOINT = 17


@dataclass(frozen=True, slots=True)
class MapSpec:
    """What a map holds: sizes of key and value in bytes, and how many entries (of a ring: its bytes)."""

    kind: MapKind
    key: int
    value: int
    entries: int


def ring_spec(size: int) -> MapSpec:
    """A ring buffer of ``size`` bytes: a power of two, at least a page."""
    return MapSpec(MapKind.RING, 0, 0, size)


class Map:
    """An open map. Keys and values are bytes; values of per-CPU maps are those of all CPUs, one after the other.

    Any thread may use it, but for ``items``, which is for one at a time: it reads into memory that is kept. An array is
    read and written where the programs have it, without a system call.
    """

    def __init__(self, name: str, spec: MapSpec) -> None:
        self.spec = spec
        flags = _MMAPABLE if spec.kind is MapKind.ARRAY else 0
        attr = struct.pack("<5I8x16s", spec.kind, spec.key, spec.value, spec.entries, flags, name.encode()[:15])
        self.fd = _bpf(_MAP_CREATE, attr)
        per_cpu = spec.kind in (MapKind.PERCPU_HASH, MapKind.PERCPU_ARRAY)
        self.value_bytes = (spec.value + 7 & ~7) * possible_cpus() if per_cpu else spec.value
        self._batch: _Batch | None = None
        self._mapped: mmap.mmap | None = None

    def get(self, key: bytes) -> bytes | None:
        """The value under ``key``; None when there is none."""
        value = ctypes.create_string_buffer(self.value_bytes)
        return value.raw if self._element(_MAP_GET, key, value) else None

    def put(self, key: bytes, value: bytes) -> None:
        """Set the value under ``key``; OSError (E2BIG) when the map is full."""
        if len(value) != self.value_bytes:
            raise ValueError(f"a value of this map has {self.value_bytes} bytes, not {len(value)}")
        if self.spec.kind is MapKind.ARRAY:
            at = int.from_bytes(key, "little")
            if at >= self.spec.entries:
                raise IndexError(f"this map has {self.spec.entries} values, and no {at}")
            at *= self._stride
            self._array()[at : at + len(value)] = value
            return
        self._element(_MAP_PUT, key, ctypes.create_string_buffer(value, len(value)))

    def delete(self, key: bytes) -> bool:
        """Remove ``key``; whether it was there.

        A program may hold the value at that moment, and write to what is by then another key's: delete only what no
        program can still be writing to.
        """
        return self._element(_MAP_DELETE, key, None)

    def delete_all(self, keys: Sequence[bytes]) -> None:
        """Remove keys of a hash map that are all there, in one call; see `delete`."""
        if keys:
            held = b"".join(keys)
            buffer = ctypes.create_string_buffer(held, len(held))
            attr = struct.pack("<4Q2I16x", 0, 0, ctypes.addressof(buffer), 0, len(keys), self.fd)
            _bpf(_MAP_DELETE_BATCH, attr)

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Keys and values, read some hundreds at a time; an array yields its indices as keys."""
        if self.spec.kind is MapKind.PERCPU_ARRAY:
            for index in range(self.spec.entries):
                key = struct.pack("<I", index)
                yield key, self.get(key) or b""
            return
        if self.spec.kind is MapKind.ARRAY:
            array = self._array()
            for index in range(self.spec.entries):
                yield struct.pack("<I", index), array[index * self._stride : index * self._stride + self.spec.value]
            return
        if self._batch is None:
            self._batch = _Batch(self.spec.key, self.value_bytes, min(_BATCH, self.spec.entries))
        begun = more = True
        while more:
            count, more = self._batch.read(self.fd, go_on=not begun)
            begun = False
            yield from self._batch.items(count)

    def total(self) -> int:
        """Sum of an array of 64-bit numbers."""
        return sum(memoryview(self._array())[: 8 * self.spec.entries].cast("Q"))

    def close(self) -> None:
        """Let go of the map; the kernel frees it when no program uses it any more."""
        if self._mapped is not None:
            self._mapped.close()
            self._mapped = None
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    @property
    def _stride(self) -> int:
        """Bytes from one value of an array to the next."""
        return self.spec.value + 7 & ~7

    def _array(self) -> mmap.mmap:
        if self._mapped is None:
            self._mapped = mmap.mmap(self.fd, self._stride * self.spec.entries)
        return self._mapped

    def _element(self, command: int, key: bytes, value: ctypes.Array[ctypes.c_char] | None) -> bool:
        if len(key) != self.spec.key:
            raise ValueError(f"a key of this map has {self.spec.key} bytes, not {len(key)}")
        held = ctypes.create_string_buffer(key, len(key))
        address = 0 if value is None else ctypes.addressof(value)
        try:
            _bpf(command, struct.pack("<I4xQQQ", self.fd, ctypes.addressof(held), address, 0))
        except FileNotFoundError:
            return False
        return True


class _Batch:
    """Memory for some entries of a map, read with one call; kept, as filling it with zeros costs more than the call."""

    def __init__(self, key: int, value: int, most: int) -> None:
        self._key, self._value, self._most = key, value, most
        self._keys, self._values = ctypes.create_string_buffer(key * most), ctypes.create_string_buffer(value * most)
        self._where = ctypes.create_string_buffer(max(4, key))
        self._held = memoryview(self._keys).cast("B"), memoryview(self._values).cast("B")
        self._attr = ctypes.create_string_buffer(56)
        self._call = (
            ctypes.c_long(_numbers()[0]),
            ctypes.c_int(_MAP_GET_BATCH),
            self._attr,
            ctypes.c_uint(len(self._attr)),
        )

    def read(self, fd: int, *, go_on: bool) -> tuple[int, bool]:
        """Read entries, where ``go_on`` those behind the last; how many there are, and whether there may be more."""
        place = ctypes.addressof(self._where)
        keys, values = ctypes.addressof(self._keys), ctypes.addressof(self._values)
        _GET_BATCH.pack_into(self._attr, 0, place if go_on else 0, place, keys, values, self._most, fd)
        more = _libc.syscall(*self._call) == 0
        # As a rule that was the last of them, which is no reason to raise anything.
        if not more and (code := ctypes.get_errno()) != errno.ENOENT:
            raise OSError(code, os.strerror(code))
        return _COUNT.unpack_from(self._attr, 32)[0], more

    def items(self, count: int) -> Iterator[tuple[bytes, bytes]]:
        """Copies of the entries that were read."""
        keys, values = self._held
        for at in range(count):
            key, value = at * self._key, at * self._value
            yield bytes(keys[key : key + self._key]), bytes(values[value : value + self._value])


class Object:
    """Programs that are loaded, with their maps; closes what it opened, not the maps it was given.

    Args:
        programs: Name of each program wanted, and its kind.
        maps: Name of each map the programs use, with what it holds, or an open map to share.
        make: Gives the code of each program, with the file descriptors of the maps filled in (``from_object_file``).

    Raises:
        OSError: The kernel refused; the text ends with the verifier's last words.
    """

    def __init__(
        self,
        programs: Mapping[str, ProgramKind],
        maps: Mapping[str, MapSpec | Map],
        make: Callable[[Mapping[str, int]], Mapping[str, bytes]],
    ) -> None:
        self.maps: dict[str, Map] = {}
        self._own: list[Map] = []
        self._programs: dict[str, int] = {}
        self._links: list[int] = []
        try:
            for name, given in maps.items():
                if isinstance(given, Map):
                    self.maps[name] = given
                else:
                    self.maps[name] = Map(name, given)
                    self._own.append(self.maps[name])
            code = make({name: map_.fd for name, map_ in self.maps.items()})
            for name, kind in programs.items():
                self._programs[name] = _load(name, kind, code[name])
        except BaseException:
            self.close()
            raise

    def uprobes(
        self, program: str, path: str, offsets: Sequence[int], cookies: Sequence[int], *, at_return: bool = False
    ) -> range:
        """Attach to places in a file, for every process that maps it. Returns the links, for ``detach``.

        One link holds all of them where the kernel can (6.6 and later); else each has one of its own. A cookie is the
        number the program reads with ``bpf_get_attach_cookie``.
        """
        first = len(self._links)
        if has_uprobe_multi():
            count = len(offsets)
            name = ctypes.create_string_buffer(os.fsencode(path))
            at, told = (ctypes.c_uint64 * count)(*offsets), (ctypes.c_uint64 * count)(*cookies)
            attr = struct.pack(
                "<IIIIQQQQIII",
                self._programs[program],
                0,
                _ATTACH_UPROBE_MULTI,
                0,
                ctypes.addressof(name),
                ctypes.addressof(at),
                0,
                ctypes.addressof(told),
                count,
                int(at_return),
                0,
            )
            self._links.append(_bpf(_LINK_CREATE, attr))
            return range(first, len(self._links))
        with open(_UPROBE_PMU, encoding="ascii") as file:
            pmu = int(file.read())
        for offset, cookie in zip(offsets, cookies, strict=True):
            name = ctypes.create_string_buffer(os.fsencode(path))
            self._perf_link(program, pmu, int(at_return), ctypes.addressof(name), offset, cookie)
        return range(first, len(self._links))

    def tracepoint(self, program: str, category: str, name: str, cookie: int = 0) -> range:
        """Attach to a tracepoint, on all CPUs. Returns the links, for ``detach``."""
        first = len(self._links)
        number = int((tracefs(category, name) / "id").read_text())
        self._perf_link(program, _PERF_TRACEPOINT, number, 0, 0, cookie)
        return range(first, len(self._links))

    def raw_tracepoint(self, program: str, name: str) -> range:
        """Attach to a tracepoint without tracefs; the program gets what the kernel hands to the tracepoint itself."""
        first = len(self._links)
        text = ctypes.create_string_buffer(name.encode())
        attr = struct.pack("<QI", ctypes.addressof(text), self._programs[program])
        self._links.append(_bpf(_RAW_TRACEPOINT_OPEN, attr))
        return range(first, len(self._links))

    def detach(self, links: Iterable[int]) -> None:
        """Take off what was attached; takes about 0.1 s."""
        for at in links:
            fd, self._links[at] = self._links[at], -1
            if fd >= 0:
                os.close(fd)

    def detach_soon(self, links: Iterable[int]) -> None:
        """Begin to take off what was attached, all links at once; the kernel waits for each, and nobody for this."""
        for at in links:
            threading.Thread(target=self.detach, args=((at,),), name="detach", daemon=True).start()

    def close_soon(self) -> None:
        """Begin to take all programs off."""
        self.detach_soon(range(len(self._links)))

    def close(self) -> None:
        """Take all programs off and let go of them. Without it, the end of this process does the same."""
        self.detach(range(len(self._links)))
        programs, self._programs = self._programs, {}
        own, self._own = self._own, []
        for fd in programs.values():
            os.close(fd)
        for map_ in own:
            map_.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _perf_link(self, program: str, kind: int, config: int, config1: int, config2: int, cookie: int) -> None:
        attr = struct.pack("<IIQQQQQIIQQ", kind, 128, config, 0, 0, 0, 0, 0, 0, config1, config2)
        event = ctypes.create_string_buffer(attr, 128)
        # Whatever CPU the event names, a program attached to it runs on all of them.
        fd = _syscall(
            _numbers()[1], event, ctypes.c_int(-1), ctypes.c_int(0), ctypes.c_int(-1), ctypes.c_ulong(_FD_CLOEXEC)
        )
        self._links.append(fd)
        link = struct.pack("<IIIIQ", self._programs[program], fd, _ATTACH_PERF_EVENT, 0, cookie)
        self._links.append(_bpf(_LINK_CREATE, link))


class Ring:
    """The reader's end of a ring buffer."""

    def __init__(self, ring: Map) -> None:
        size, page = ring.spec.entries, mmap.PAGESIZE
        self._mask, self._page = size - 1, page
        self._epoll = select.epoll()
        self._epoll.register(ring.fd, select.EPOLLIN)
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._closing = threading.Lock()
        self._epoll.register(self._bell, select.EPOLLIN)
        self._consumer_page = mmap.mmap(ring.fd, page)
        self._data = mmap.mmap(ring.fd, page + 2 * size, prot=mmap.PROT_READ, offset=page)
        # Positions must be loaded and stored as a whole: struct.pack_into writes byte by byte, and the kernel, seeing
        # a torn position, drops events.
        self._consumer = memoryview(self._consumer_page).cast("Q")
        self._producer = memoryview(self._data).cast("Q")

    def wait(self) -> bool:
        """Sleep until a program wakes us, or `wake`; whether it was a program."""
        return all(fd != self._bell for fd, _ in self._epoll.poll())

    def wake(self) -> None:
        """Have whoever waits, now or later, return; they may have let go of the ring before."""
        with self._closing:
            if not self._epoll.closed:
                os.eventfd_write(self._bell, 1)

    def read(self) -> list[bytes]:
        """The records in the ring now, in order; never waits."""
        records = []
        data, page, mask, consumer = self._data, self._page, self._mask, self._consumer
        position, end = consumer[0], self._producer[0]
        while position < end:
            at = page + (position & mask)
            (header,) = _HEADER.unpack_from(data, at)
            if header & _BUSY:
                break
            length = header & ~(_BUSY | _DISCARDED)
            if not header & _DISCARDED:
                records.append(data[at + 8 : at + 8 + length])
            position += length + 15 & ~7
            consumer[0] = position
        return records

    def close(self) -> None:
        """Let go; what is not read stays in the map."""
        with self._closing:
            self._epoll.close()
            os.close(self._bell)
        self._consumer.release()
        self._producer.release()
        self._consumer_page.close()
        self._data.close()


@cache
def has_uprobe_multi() -> bool:
    """Whether one link can hold many uprobes (Linux 6.6 and later)."""
    name = ctypes.create_string_buffer(b"/")
    zero = (ctypes.c_uint64 * 1)(0)
    try:
        program = _load("probe", ProgramKind.UPROBE, _RETURN_0, _ATTACH_UPROBE_MULTI)
    except OSError:
        return False
    attr = struct.pack(
        "<IIIIQQQQIII",
        program,
        0,
        _ATTACH_UPROBE_MULTI,
        0,
        ctypes.addressof(name),
        ctypes.addressof(zero),
        0,
        0,
        1,
        0,
        0,
    )
    try:
        os.close(_bpf(_LINK_CREATE, attr))
    except OSError as error:
        return error.errno == errno.EBADF  # it knows the link, and that a directory has no code
    finally:
        os.close(program)
    return True


def refusal() -> str | None:
    """Try what every probe needs, a map and a program; None when both work, else what the kernel refused and why."""
    try:
        Map("try", MapSpec(MapKind.ARRAY, 4, 4, 1)).close()
    except KeyError:
        return f"probes are not built for {platform.machine()}"
    except OSError as error:
        if error.errno == errno.ENOSYS:
            return "this kernel has no bpf(2)"
        return f"bpf(2) refused a map ({error.strerror}): root or CAP_BPF and CAP_PERFMON are needed"
    try:
        os.close(_load("try", ProgramKind.UPROBE, _RETURN_0))
    except OSError as error:
        return f"bpf(2) refused a program ({error.strerror}): root or CAP_PERFMON is needed"
    return None


def tracefs(category: str, name: str) -> Path:
    """Directory that describes a tracepoint; OSError where tracefs is closed to us, or lacks the tracepoint."""
    for root in (*_TRACEFS, _detached_tracefs()):
        if root is not None and (root / category / name / "id").exists():
            return root / category / name
    raise FileNotFoundError(errno.ENOENT, "no such tracepoint, or no tracefs that we may read", f"{category}:{name}")


@cache
def _detached_tracefs() -> Path | None:
    """A tracefs of our own where nobody has mounted one: it is in no mount table, and ends with this process."""
    if any(root.exists() for root in _TRACEFS):
        return None
    try:
        context = _syscall(_FSOPEN, ctypes.c_char_p(b"tracefs"), ctypes.c_uint(1))
        try:
            _syscall(_FSCONFIG, ctypes.c_int(context), ctypes.c_uint(6), None, None, ctypes.c_int(0))
            mounted = _syscall(_FSMOUNT, ctypes.c_int(context), ctypes.c_uint(1), ctypes.c_uint(0))
        finally:
            os.close(context)
    except OSError:
        return None
    return Path(f"/proc/self/fd/{mounted}/events")


@cache
def possible_cpus() -> int:
    """How many values an entry of a per-CPU map has."""
    last = Path("/sys/devices/system/cpu/possible").read_text().strip().replace("-", ",").rsplit(",", 1)[-1]
    return int(last) + 1


_RETURN_0: Final = struct.pack("<BBhi", 0xB7, 0, 0, 0) + struct.pack("<BBhi", 0x95, 0, 0, 0)
"""r0 = 0; exit"""
_LICENCE: Final = b"Dual BSD/GPL"
"""What programs/probe.h says; without it the kernel would not let them read memory of processes."""


def from_object_file(blob: bytes, wanted: Collection[str], maps: Mapping[str, int]) -> dict[str, bytes]:
    """Code of the wanted programs of an object file, with file descriptors in place of the names of maps.

    Raises:
        ValueError: The file is no BPF object, lacks a program, or names what is no map given.
    """
    if blob[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a BPF object")
    (sections_at,) = struct.unpack_from("<Q", blob, 40)
    size, count, _ = struct.unpack_from("<HHH", blob, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", blob, sections_at + at * size) for at in range(count)]

    def body(section: Sequence[int]) -> bytes:
        return blob[section[4] : section[4] + section[5]]

    symbols_section = next(section for section in sections if section[1] == 2)
    names = body(sections[symbols_section[6]])
    symbols = [
        (names[name : names.index(b"\0", name)].decode(), info & 15, section, value, length)
        for name, info, _, section, value, length in struct.iter_unpack("<IBBHQQ", body(symbols_section))
    ]
    relocations = {s[7]: list(struct.iter_unpack("<QQ", body(s))) for s in sections if s[1] == 9}
    found: dict[str, bytes] = {}
    for name, kind, section, value, length in symbols:
        if kind != 2 or name not in wanted:
            continue
        code = bytearray(body(sections[section])[value : value + length])
        for place, info in relocations.get(section, ()):
            if value <= place < value + length:
                target = symbols[info >> 32][0]
                if info & 0xFFFFFFFF != 1 or target not in maps:
                    raise ValueError(f"{name} refers to {target or 'a section'}, which is no map it was given")
                at = place - value
                code[at + 1] = code[at + 1] & 15 | 16  # BPF_PSEUDO_MAP_FD
                struct.pack_into("<i", code, at + 4, maps[target])
        found[name] = bytes(code)
    if missing := sorted(set(wanted) - set(found)):
        raise ValueError(f"the object has no program {', '.join(missing)}")
    return found


def _load(name: str, kind: ProgramKind, code: bytes, attach: int | None = None) -> int:
    if attach is None:
        attach = _ATTACH_UPROBE_MULTI if kind is ProgramKind.UPROBE and has_uprobe_multi() else 0
    instructions = ctypes.create_string_buffer(code, len(code))
    licence = ctypes.create_string_buffer(_LICENCE)
    log = ctypes.create_string_buffer(1 << 20)

    def load(level: int) -> int:
        return _bpf(
            _PROG_LOAD,
            struct.pack(
                "<IIQQIIQII16sII",
                kind,
                len(code) // 8,
                ctypes.addressof(instructions),
                ctypes.addressof(licence),
                level,
                len(log) if level else 0,
                ctypes.addressof(log) if level else 0,
                0,
                0,
                name.encode()[:15],
                0,
                attach,
            ),
        )

    try:
        return load(0)
    except OSError as refused:
        if refused.errno in (errno.EPERM, errno.EINVAL) and not code[16:]:
            raise
        try:
            return load(1)
        except OSError:
            said = " ".join(log.value.decode(errors="replace")[-600:].split())
            raise OSError(refused.errno, f"program {name}: {refused.strerror}; {said}") from None


def _bpf(command: int, attr: bytes | ctypes.Array[ctypes.c_char]) -> int:
    buffer = ctypes.create_string_buffer(attr, max(len(attr), 144)) if isinstance(attr, bytes) else attr
    return _syscall(_numbers()[0], ctypes.c_int(command), buffer, ctypes.c_uint(len(buffer)))


@cache
def _numbers() -> tuple[int, int]:
    return _NUMBERS[platform.machine()]


def _syscall(number: int, *arguments: object) -> int:
    result: int = _libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
