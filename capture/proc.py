"""Reads of /proc, each bounded and never raising for a process that has just gone.

Source of every field: proc(5). Times are converted to the monotonic clock, in nanoseconds.
"""

from __future__ import annotations

import errno
import os
import re
import time
from pathlib import Path
from typing import Final, NamedTuple

PROC: Final = Path("/proc")
READ_LIMIT: Final = 1 << 20
_TICK_NS: Final = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_MOST_BEGUN: Final = 64
"""New ids that are looked at one by one; where there are more, listing all is cheaper."""


_KEY_VALUE: Final = re.compile(r"^([^:\s]+):?[ \t]+(\d+)(?!\S)", re.MULTILINE | re.ASCII)
_NOT_HERE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EOPNOTSUPP})


class Stat(NamedTuple):
    """What /proc/PID/stat says about a process."""

    pid: int
    comm: str
    state: str
    ppid: int
    session: int
    cpu_user_s: float
    cpu_system_s: float
    threads: int
    start_ticks: int
    rss_bytes: int
    minor_faults: int
    major_faults: int
    exit_status: int
    """wait(2) status; meaningful for a zombie only, and only where we may look (else 0)."""
    environ_end: int
    """Where its environment ends in memory: 0 within an exec, when it reads as empty, and where we may not look."""


def read_bytes(path: str | Path, limit: int = READ_LIMIT) -> bytes | None:
    """At most ``limit`` bytes of a file; None when it is not there or may not be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        parts = []
        while limit > 0 and (part := os.read(fd, min(limit, 65536))):
            parts.append(part)
            limit -= len(part)
        return b"".join(parts)
    except OSError:
        return None
    finally:
        os.close(fd)


def read_text(path: str | Path, limit: int = READ_LIMIT) -> str | None:
    """Like ``read_bytes``, as text with undecodable bytes replaced."""
    data = read_bytes(path, limit)
    return None if data is None else data.decode(errors="replace")


def read_record(path: str | Path, limit: int) -> str | None:
    """Like ``read_text``, of a file that the kernel writes as one record: one read gives all of it, up to ``limit``."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(fd, limit).decode(errors="replace")
    except OSError:
        return None
    finally:
        os.close(fd)


class Kept:
    """A file of the kernel's that is read every tick: kept open, since to find it by its name costs as much again.

    Args:
        path: Where it is.
        records: Whether it is written as several records (a line each, as a rule), so that one read may give a part.
    """

    def __init__(self, path: str | Path, *, records: bool = False) -> None:
        self._path, self._records = path, records
        self._fd = -1
        self._size = 4096
        self._absent = False

    def text(self) -> str | None:
        """What it says now, up to ``READ_LIMIT`` bytes; None while it cannot be read. One that is absent stays so."""
        if self._absent:
            return None
        try:
            if self._fd < 0:
                self._fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            data = os.pread(self._fd, self._size, 0)
            while len(data) >= self._size < READ_LIMIT:
                self._size *= 2
                data = os.pread(self._fd, self._size, 0)
            while self._records and len(data) < READ_LIMIT and (part := os.pread(self._fd, self._size, len(data))):
                data += part
        except OSError as error:
            self._absent = error.errno in _NOT_HERE
            self.close()
            return None
        return data.decode(errors="replace")

    def number(self) -> int | None:
        """Its one integer; None when it cannot be read or says something else ("max")."""
        return _number(self.text())

    def close(self) -> None:
        """Let go of it; reading opens it again."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __del__(self) -> None:
        self.close()


def read_int(path: str | Path) -> int | None:
    """The file's one integer; None when it is absent or says something else ("max")."""
    return _number(read_record(path, 64))


def _number(text: str | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        return None


def key_values(text: str | None) -> dict[str, int]:
    """``name value`` or ``name: value kB`` lines as integers, in the file's own unit."""
    return {name: int(value) for name, value in _KEY_VALUE.findall(text or "")}


def counter(text: str | None, name: str) -> int | None:
    """The integer on the line ``name N``, without taking the rest of a long file apart."""
    value = f"\n{text}".partition(f"\n{name} ")[2].partition("\n")[0]
    return int(value) if value.isdigit() else None


def pids() -> list[int]:
    """All processes of our pid namespace."""
    return [int(name) for name in os.listdir(PROC) if name.isdigit()]  # noqa: PTH208 - one call, no objects


def last_begun() -> int | None:
    """The id that was given out last in our pid namespace, to a process or thread; None where /proc does not tell.

    The last field of /proc/loadavg. As long as it stays, nobody has to look for new processes.
    """
    text = (read_record("/proc/loadavg", 256) or "").rpartition(" ")[2].strip()
    return int(text) if text.isdigit() else None


def begun_since(before: int | None, last: int | None) -> list[int] | None:
    """Ids given out to processes and threads after ``before``, up to ``last``; None where these are many.

    Ids are given out in rising order until they wrap. Listing /proc is a look-up of each process, thousands on a large
    node, and something is begun there every second, if only by the kernel.
    """
    if before is None or last is None or not 0 <= last - before <= _MOST_BEGUN:
        return None
    return list(range(before + 1, last + 1))


def leads(pid: int) -> bool:
    """Whether an id is a process: /proc shows a thread under its id as well, though it does not list it."""
    status = read_record(f"/proc/{pid}/status", 512)
    return status is not None and f"\nTgid:\t{pid}\n" in status


def stat(pid: int) -> Stat | None:
    """State of a process; None when it is gone."""
    data = read_record(f"/proc/{pid}/stat", 4096)
    if not data:
        return None
    head, _, tail = data.rpartition(")")
    fields = tail.split()
    if len(fields) < 22:
        return None
    return Stat(
        pid=pid,
        comm=head.partition("(")[2],
        state=fields[0],
        ppid=int(fields[1]),
        session=int(fields[3]),
        cpu_user_s=round(int(fields[11]) * _TICK_NS / 1e9, 3),
        cpu_system_s=round(int(fields[12]) * _TICK_NS / 1e9, 3),
        threads=int(fields[17]),
        start_ticks=int(fields[19]),
        rss_bytes=int(fields[21]) * _PAGE,
        minor_faults=int(fields[7]),
        major_faults=int(fields[9]),
        exit_status=int(fields[49]) if len(fields) > 49 else 0,
        environ_end=int(fields[48]) if len(fields) > 49 else 0,
    )


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or a zombie with no thread that still runs."""
    fields = (read_record(f"/proc/{pid}/stat", 4096) or "").rpartition(")")[2].split(maxsplit=18)
    return len(fields) < 19 or (fields[0] in "ZX" and int(fields[17]) <= 1)


def lineage(pid: int) -> frozenset[int]:
    """A process and its ancestors."""
    found: set[int] = set()
    while pid not in found and (seen := stat(pid)) is not None:
        found.add(pid)
        pid = seen.ppid
    return frozenset(found)


def start_mono_ns(start_ticks: int) -> int:
    """Start of a process on the monotonic clock (stat counts on the boot clock, in ticks of 10 ms)."""
    suspended = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    # The two clocks are read one after the other: rounded, so that a process always has the same start.
    return start_ticks * _TICK_NS - round(suspended, -7)


def environ(pid: int, allowed: frozenset[str]) -> dict[str, str]:
    """The allow-listed part of a process's environment as it was at exec; nothing else leaves this function."""
    found: dict[str, str] = {}
    for entry in (read_bytes(f"/proc/{pid}/environ") or b"").split(b"\0"):
        name, equals, value = entry.partition(b"=")
        if equals and (key := name.decode(errors="replace")) in allowed:
            found[key] = value.decode(errors="replace")[:4096]
    return found


def argv(pid: int) -> str | None:
    """Command line with NUL replaced by a blank, at most 4096 bytes; None when it has none (kernel thread, zombie)."""
    data = read_bytes(f"/proc/{pid}/cmdline", 4096)
    return data.rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace") if data else None


def link(path: str) -> str | None:
    """Target of a symbolic link; None when it may not be read."""
    try:
        return os.readlink(path)  # noqa: PTH115 - a string is all we need
    except OSError:
        return None


def boot_id() -> str:
    """Id of this boot; empty where /proc does not tell."""
    return (read_text("/proc/sys/kernel/random/boot_id", 64) or "").strip()
