"""Messages of the kernel from /dev/kmsg, from one minute before the recording began."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.capture.collector import Batch, Budget, Collector, Context, Denied, Missing, Row

if TYPE_CHECKING:
    from collections.abc import Iterable

_DEVICE: Final = Path("/dev/kmsg")
_RECORD_LIMIT: Final = 8192
_BEFORE_NS: Final = 60_000_000_000
_MOST_LINES: Final = 500
_MOST_READS: Final = 5000
_DRIFT: Final = 10_000
"""The kernel stamps messages with a clock that nobody corrects. On a node that has been up for long it may be off by
this part of the uptime, which the time before the recording is widened by: context is rather kept than missed."""
_URGENT: Final = 3
_TELLING: Final = re.compile(
    r"NVRM|Xid|oom-kill:|[Oo]ut of memory|Killed process|Hardware Error|EDAC|AER:|PCIe Bus Error|memory corruption"
    r"|[Ll]ink.{0,40}(?:[Dd]own|DOWN)|Port module event|not responding|[Ll]ustre|controller is down|read-?only"
    r"| timeout, |error, dev |temperature|stall|lockup|LOCKUP|panic"
)
"""Lines up to level "error", and these, are kept beyond the line budget: a flood of chatter (the OOM killer's list of
all tasks) must not hide the one line that matters. What a line means is decided at the desk."""


class KernelLog(Collector):
    """Non-blocking reads; ``drops`` counts records the ring overwrote before we came, and records over budget.

    ``ts_mono_ns`` is the kernel's own stamp of the message, moved to where it must lie on the monotonic clock: a
    message that was not there at one look and is at the next was written between the two.
    """

    name = "kernel_log"
    tables = ("kernel_log",)
    requires = "read access to /dev/kmsg (root, CAP_SYSLOG or kernel.dmesg_restrict=0)"
    budget = Budget(seconds=3.0, bytes=256 * 1024)
    node_wide = True

    def __init__(self) -> None:
        super().__init__()
        self._next_seq: int | None = None
        self._offset_ns = 0
        """What is added to the kernel's stamps."""
        self._drained_ns: int | None = None
        """When there was nothing left to read, the last time."""

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Open at the oldest record the ring still holds."""
        try:
            self._fd = os.open(_DEVICE, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            self._first_record()
        except FileNotFoundError:
            raise Missing(f"{_DEVICE} does not exist here (a container?)") from None
        except PermissionError:
            raise Denied(f"{_DEVICE} may not be read; needs {self.requires}") from None
        self._not_before = ctx.began_mono_ns - _BEFORE_NS - ctx.began_mono_ns // _DRIFT
        return self.tick(ctx)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """All new records, within budget."""
        rows: list[Row] = []
        for _ in range(_MOST_READS):
            before_ns = time.monotonic_ns()
            record = self._read()
            if record is None:
                self._drained_ns = before_ns
                break
            row = self._parse(record)
            if row is None or row["ts_mono_ns"] < self._not_before:
                continue
            if len(rows) >= _MOST_LINES and row["level"] > _URGENT and not _TELLING.search(row["text"]):
                self.drops += 1
                continue
            rows.append(row)
        yield "kernel_log", rows

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """What came last, often the OOM killer's report."""
        yield from self.tick(ctx)
        os.close(self._fd)

    def _first_record(self) -> None:
        """Fail now, not at the first tick, where open is allowed and read is not."""
        try:
            os.read(self._fd, _RECORD_LIMIT)
        except (BlockingIOError, BrokenPipeError):
            return
        os.lseek(self._fd, 0, os.SEEK_SET)

    def _read(self) -> bytes | None:
        for _ in range(3):
            try:
                return os.read(self._fd, _RECORD_LIMIT) or None
            except BlockingIOError:
                return None
            except BrokenPipeError:
                continue  # overwritten while we were away: the next read gives the oldest left, seq tells how many
        return None

    def _parse(self, record: bytes) -> Row | None:
        head, semicolon, text = record.decode(errors="replace").partition(";")
        fields = head.split(",")
        if not semicolon or len(fields) < 3 or not all(field.isdigit() for field in fields[:3]):
            return None
        seq = int(fields[1])
        if self._next_seq is not None and seq > self._next_seq:
            self.drops += seq - self._next_seq
        self._next_seq = seq + 1
        return {
            "ts_mono_ns": self._monotonic(int(fields[2]) * 1000),
            "level": int(fields[0]) & 7,
            "kernel_seq": seq,
            "text": text.partition("\n")[0],  # what follows are device properties, one a line
            "source": "kmsg",
        }

    def _monotonic(self, stamp_ns: int) -> int:
        """The stamp on the monotonic clock; learns how far the two are apart from messages that are known to be new."""
        late = stamp_ns + self._offset_ns - time.monotonic_ns()
        if late > 0:
            self._offset_ns -= late
        elif self._drained_ns is not None:
            self._offset_ns += max(0, self._drained_ns - stamp_ns - self._offset_ns)
        return stamp_ns + self._offset_ns
