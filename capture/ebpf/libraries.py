"""Which files with probed functions the job's processes run code from: shared libraries, and copies linked into others.

Nothing is guessed from paths: what a process maps as code is in /proc/PID/maps, and whether a file defines a function
is in its symbol tables. A file is known by its inode, so one in a container, on another mount, or already replaced on
disk is met as the process has it.

The driver is looked for before it is mapped, where the dynamic linker of the process would find it: its runtime loads
it with the first call, and what is seen of a process from that call on can prove more (session.py).
"""

from __future__ import annotations

import mmap
import os
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.capture import proc
from inquest.capture.ebpf import elf

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from inquest.capture.collector import Member

_MAPS_LIMIT: Final = 32 << 20
_MOST_FILES: Final = 64
"""Files that are kept open: those with probed functions. A job has a handful."""
_OFTEN_ENOUGH_S: Final = 0.5
"""Several collectors ask in each tick, and one look serves them all."""
_MAY_HIDE: Final = re.compile(r"cuda|nccl|torch|jax|xla|tensorflow|paddle|mxnet|cupy|horovod", re.IGNORECASE)
"""Files worth reading every symbol of, as programs themselves are: a copy linked in and hidden is not exported."""
_TELLING: Final = ("ncclAllReduce", "cudaLaunchKernel", "cuLaunchKernel")
"""Whoever carries a copy of a library carries these."""

_DRIVER: Final = re.compile(rb"/[^\0]*/libcuda\.so\.1(?=\0)")
"""As it stands in a cache of ld.so."""
_CACHE_LIMIT: Final = 16 << 20
_CODE_BYTES: Final = re.compile(r"\nVmLib:\s*(\d+)")

Inode = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Mapping:
    """One file a process maps as code."""

    inode: Inode
    path: str
    """As the process names it."""
    ways: tuple[str, ...]
    """Names under which we may reach it, best first."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file with functions that are probed; held open, so that it can be reached when its process is gone."""

    path: str
    fd: int
    library: elf.Library

    @property
    def name(self) -> str:
        """Its last path component."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def reach(self) -> str:
        """A path to it that stays valid."""
        return f"/proc/self/fd/{self.fd}"


class Libraries:
    """The files found so far; one for all collectors, which may ask from several threads."""

    def __init__(self, names: Collection[str]) -> None:
        self.found: list[Found] = []
        """Only ever grows: a reader remembers how many it has seen."""
        self.unread = 0
        """Files and processes that could not be read, or for which there was no room."""
        self._names = frozenset(names)
        self._known: set[Inode] = set()
        self._code_bytes: dict[int, int] = {}
        self._worker_shapes: set[tuple[str | None, int]] = set()
        self._lock = threading.Lock()
        self._looked = -_OFTEN_ENOUGH_S

    def look(self, members: Iterable[Member]) -> None:
        """Look at every process whose code has changed since the last look."""
        with self._lock:
            if time.monotonic() - self._looked < _OFTEN_ENOUGH_S:
                return
            self._looked = time.monotonic()
            seen = {}
            for member in members:
                said = _CODE_BYTES.search(proc.read_record(f"/proc/{member.pid}/status", 8192) or "")
                if said is None:
                    continue
                code = int(said[1])
                seen[member.pid] = code
                if self._code_bytes.get(member.pid) != code and not self._is_like_another(member, code):
                    self._read(member.pid)
            self._code_bytes = seen

    def close(self) -> None:
        """Let go of the files."""
        for found in self.found:
            os.close(found.fd)
        self.found = []

    def _is_like_another(self, member: Member, code: int) -> bool:
        """Whether it is a worker forked off with the libraries of its parent: there may be hundreds."""
        if member.role != "worker":
            return False
        shape = (proc.link(f"/proc/{member.pid}/exe"), code)
        known = shape in self._worker_shapes
        self._worker_shapes.add(shape)
        return known

    def _read(self, pid: int) -> None:
        program = proc.link(f"/proc/{pid}/exe")
        mapped = mappings(pid)
        unread: set[Inode] = set()
        for mapping in mapped or ():
            if mapping.inode not in self._known:
                self._known.add(mapping.inode)
                may_hide = mapping.path == program or _MAY_HIDE.search(mapping.path)
                if not self._take(mapping, _TELLING if may_hide else ()):
                    unread.add(mapping.inode)
        if self.found and not any("cuDevicePrimaryCtxRetain" in found.library.functions for found in self.found):
            self._meet_driver(f"/proc/{pid}/root")
        stat = proc.stat(pid)
        if stat is None or stat.state in "ZX":  # it ended under our eyes; others may map the same files
            self._known -= unread
        else:
            self.unread += len(unread) + (mapped is None)

    def _meet_driver(self, root: str) -> None:
        cache = Path(root, "etc/ld.so.cache")
        held = proc.read_bytes(cache, _CACHE_LIMIT) if cache.is_file() else None
        for path in map(os.fsdecode, set(_DRIVER.findall(held or b""))):
            inode = _inode_when_mapped(root + path) if Path(root + path).is_file() else None
            if inode is not None and inode not in self._known:
                self._known.add(inode)
                self._take(Mapping(inode, path, (root + path,)), ())

    def _take(self, mapping: Mapping, telling: Collection[str]) -> bool:
        """Keep a file if it has functions that are probed; False when it could not be read, or there is no room."""
        for way in mapping.ways:
            try:
                fd = os.open(way, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                continue
            try:
                library = elf.scan(f"/proc/self/fd/{fd}", self._names, telling=telling)
            except (OSError, ValueError):  # no ELF file: a JIT's code, a font; or a damaged one
                library = None
            if library is None or not library.functions:
                os.close(fd)
                return True
            if len(self.found) < _MOST_FILES:
                self.found.append(Found(mapping.path, fd, library))
                return True
            os.close(fd)
            return False
        return False


def _inode_when_mapped(path: str) -> Inode | None:
    """What /proc/PID/maps will call a file: on some file systems not what stat calls it. So we map it ourselves."""
    before = {mapping.inode for mapping in mappings(os.getpid()) or ()}
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_EXEC):
            new = {mapping.inode for mapping in mappings(os.getpid()) or ()} - before
    except (OSError, ValueError):
        return None
    return new.pop() if len(new) == 1 else None


def mappings(pid: int) -> list[Mapping] | None:
    """Files a process maps as code, each once; None when we may not know."""
    text = proc.read_text(f"/proc/{pid}/maps", _MAPS_LIMIT)
    if text is None:
        return None
    found: dict[Inode, Mapping] = {}
    for line in text.splitlines():
        fields = line.split(None, 5)
        if len(fields) < 6 or "x" not in fields[1] or fields[4] == "0" or not fields[5].startswith("/"):
            continue
        inode = (fields[3], int(fields[4]))
        if inode in found:
            continue
        path = fields[5]
        # By its address range it is the very file, also where its path now names another; by the path it can be
        # reached without CAP_SYS_ADMIN.
        ways = [f"/proc/{pid}/map_files/{fields[0]}"]
        if not path.endswith(" (deleted)"):
            ways.append(f"/proc/{pid}/root{path}")
        found[inode] = Mapping(inode, path, tuple(ways))
    return list(found.values())
