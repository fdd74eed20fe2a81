"""What is kept of an output that is larger than its budget: its beginning, its end, and what surrounds matches.

A quarter of the budget is the beginning, a quarter is for windows around matches, half is the end. Whatever is left
out is named by a gap record, so that offsets stay those of the output itself. Cuts are made between lines where there
are any: half a number at a cut would be another number.

`Sieve` decides what to keep of what is neither beginning nor end. `DiskTail` keeps the end of a pump's stream on disk,
in segments; the oldest one goes through the sieve when there are too many. `MemoryTail` does so for collectors, with
the end in memory.

Standard library only: the pump imports this once an output has outgrown its beginning.
"""

from __future__ import annotations

import os
from collections import deque

from inquest.bundle import rawlog
from inquest.bundle.frames import FRAME_OVERHEAD, FrameReader
from inquest.bundle.rawlog import Data, Gap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from inquest.bundle.frames import FrameWriter
    from inquest.capture.pump import Recording

PATTERNS: Final = (
    b"Traceback (most recent",
    b"Error",
    b"ERROR",
    b"Exception",
    b"FATAL",
    b"Fatal",
    b"fatal",
    b"CRITICAL",
    b"ABORT",
    b"Abort",
    b"abort",
    b"Killed",
    b"killed",
    b"SIG",
    b"core dumped",
    b"terminate called",
    b"out of memory",
    b"OOM",
    b"oom-kill",
    b"Watchdog",
    b"NCCL WARN",
    b"imed out",
    b"timeout",
    b"Xid",
    b"No space left",
    b"unreachable",
    b"checkpoint",
    b"assert",
    b"panic",
)
"""Bytes whose surroundings are kept. Cheap to look for, and too many rather than too few: analysis reads the lines."""

_BEFORE: Final = 4 << 10
_AFTER: Final = 12 << 10
"""Bytes kept around a match: what led to it, and a traceback behind it."""
_LONGEST: Final = max(map(len, PATTERNS))
_LINE: Final = 4 << 10
"""How far behind a window its last line may end."""
_SHARE: Final = 4
"""No one pattern may take more than this part of the windows: one that is in every line would leave none for others."""
_SEGMENTS: Final = 8
_TELL: Final = 1 << 20
_RECORD: Final = 64
_MEMORY: Final = 512 << 10
"""Ends kept in memory, of all outputs of one collector: all their lines become rows at once when they are due."""
GAP: Final = "beyond the log budget: --log-budget"


class Sieve:
    """Records of one stream go in, in order; windows around matches and gaps come out.

    Attributes:
        room: Bytes that may still be given; gap records are given in any case, and are few.
    """

    def __init__(self, room: int) -> None:
        self.room = room
        self._rooms = dict.fromkeys(PATTERNS, room // _SHARE)
        self._lost = 0
        self._lost_from = 0
        self._lost_ns = 0
        self._told = 0
        self._stream = 0
        self._mono_ns = 0
        self._before = b""  # not given and not lost yet: a match may follow
        self._before_at = 0
        self._after = 0
        self._stretched = False

    def take(self, record: Data | Gap) -> Iterator[Data | Gap]:
        """The next record; what is to be kept by now."""
        self._stream, self._mono_ns = record.stream, record.mono_ns
        if isinstance(record, Gap):
            self._lose(record.offset, record.lost, record.mono_ns)
            self._after = 0
        elif self.room <= 0:
            self._lose(record.offset, len(record.data), record.mono_ns)
        else:
            yield from self._search(record)
        if self._lost > self._told + _TELL:  # each as large as all before: few, however long it goes on
            yield from self._tell()

    def finish(self) -> Iterator[Data | Gap]:
        """What is due at the end of what was taken."""
        if self._before:
            self._lose(self._before_at + len(self._before), 0, self._mono_ns)
        yield from self._tell()

    def _search(self, record: Data) -> Iterator[Data | Gap]:
        if self._before and self._before_at + len(self._before) != record.offset:
            self._lose(self._before_at + len(self._before), 0, record.mono_ns)
        block, base = self._before + record.data, record.offset - len(self._before)
        fresh = max(0, len(self._before) - _LONGEST)
        self._before = b""
        given = 0
        for begin, end in self._windows(block, fresh):
            if begin > given:
                self._lose(base + given, begin - given, record.mono_ns)
            yield from self._tell()
            for at in range(max(begin, given), end, rawlog.MAX_DATA):
                piece = block[at : min(end, at + rawlog.MAX_DATA)]
                self.room -= len(piece) + _RECORD
                yield Data(record.stream, record.mono_ns, base + at, piece)
            given = end
        kept = max(given, len(block) - _BEFORE)
        if kept > given:
            self._lose(base + given, kept - given, record.mono_ns)
        self._before, self._before_at = block[kept:], base + kept

    def _windows(self, block: bytes, fresh: int) -> list[tuple[int, int]]:
        """What to keep of a block, in order and apart; ``fresh`` is where it was not searched yet."""
        found = [(0, self._after)] if self._after else []
        for pattern in PATTERNS:
            at = block.find(pattern, fresh) if self._rooms[pattern] > 0 else -1
            while at >= 0 and self._rooms[pattern] > 0:
                begin = max(0, at - _BEFORE)
                if begin or self._lost:
                    begin = block.find(b"\n", begin, at) + 1 or begin
                found.append((begin, at + _AFTER))
                self._rooms[pattern] -= _BEFORE + _AFTER
                at = block.find(pattern, at + _AFTER)
        self._after = 0
        windows: list[tuple[int, int]] = []
        for begin, end in sorted(found):
            if windows and begin <= windows[-1][1]:
                windows[-1] = (windows[-1][0], max(end, windows[-1][1]))
            else:
                windows.append((begin, end))
        return [(begin, self._end(block, end)) for begin, end in windows]

    def _end(self, block: bytes, end: int) -> int:
        """Where a window ends: with its line, if that is not too long."""
        if end > len(block):
            self._after, self._stretched = end - len(block), False
            return len(block)
        line = block.find(b"\n", end - 1, end + _LINE) + 1
        if line or end + _LINE <= len(block) or self._stretched:
            self._stretched = False
            return line or end
        self._after, self._stretched = 1, True
        return len(block)

    def _lose(self, offset: int, count: int, mono_ns: int) -> None:
        if self._before:
            count += offset - self._before_at
            offset, self._before = self._before_at, b""
        if not self._lost:
            self._lost_from, self._lost_ns = offset, mono_ns
        self._lost = max(self._lost, offset + count - self._lost_from)

    def _tell(self) -> Iterator[Gap]:
        if self._lost:
            self._told += self._lost
            self.room -= _RECORD
            yield Gap(self._stream, self._lost_ns, self._lost_from, self._lost, GAP)
            self._lost = 0


class DiskTail:
    """The raw log of one stream behind its beginning.

    Args:
        recording: Where parts are begun.
        stream: Id of the stream.
        kept: The part that holds the beginning; what the sieve lets through is appended to it. None: one is begun.
        room: Bytes the sieve may let through.
        tail: Bytes of the end that stay.
    """

    def __init__(self, recording: Recording, stream: int, kept: FrameWriter | None, room: int, tail: int) -> None:
        self._recording = recording
        self._stream = stream
        self._kept = kept
        self._sieve = Sieve(room)
        # A segment ends with a line, at most one record late, and that one within another.
        self._segment_bytes = max(rawlog.MAX_DATA, tail // (_SEGMENTS + 1) - 2 * rawlog.MAX_DATA)
        self._paths = recording.tails(stream)
        self._open: FrameWriter | None = None
        self.given = 0
        """Bytes appended to the part that is kept."""

    def append(self, record: Data | Gap) -> None:
        """Append a record.

        Raises:
            OSError: The disk is full or failed; a part of the record may have been written.
        """
        if isinstance(record, Data) and self._open is not None and self._open.size >= self._segment_bytes:
            cut = record.data.rfind(b"\n") + 1
            if 0 < cut < len(record.data):
                self._write(Data(record.stream, record.mono_ns, record.offset, record.data[:cut]))
                record = Data(record.stream, record.mono_ns, record.offset + cut, record.data[cut:])
                self._rotate()
            elif cut or self._open.size >= self._segment_bytes + rawlog.MAX_DATA:
                self._write(record)
                self._rotate()
                return
        self._write(record)

    def due_in(self) -> float | None:
        """Seconds until `sync` is due; None when nothing waits."""
        due = [left for writer in (self._kept, self._open) if writer and (left := writer.due_in()) is not None]
        return min(due, default=None)

    def sync(self) -> None:
        """Make all that was appended survive a power loss."""
        for writer in (self._kept, self._open):
            if writer is not None:
                writer.sync()

    def close(self) -> None:
        """Write what is due, and the end marks."""
        try:
            self._keep(self._sieve.finish())
        finally:
            for writer in (self._open, self._kept):
                if writer is not None:
                    writer.close()

    def _write(self, record: Data | Gap) -> None:
        if self._open is None:
            self._open = self._recording.part(tail_of=self._stream)
        self._open.append(rawlog.encode_record(record))

    def _rotate(self) -> None:
        if self._open is None:
            return
        self._open.close()
        self._paths.append(self._open.path)
        self._open = None
        while len(self._paths) > _SEGMENTS:
            self._evict(self._paths[0])
            del self._paths[0]

    def _evict(self, path: str) -> None:
        """Put the oldest segment through the sieve; only then is it removed.

        What the sieve has let through is synced at its interval: a power loss in between costs windows, as it may
        cost whatever was printed in the last seconds.
        """
        for payload in FrameReader(path):
            self._keep(self._sieve.take(rawlog.decode(payload)))
        os.unlink(path)  # noqa: PTH108

    def _keep(self, records: Iterator[Data | Gap]) -> None:
        for record in records:
            if self._kept is None:
                self._kept = self._recording.part()
            payload = rawlog.encode_record(record)
            self._kept.append(payload)
            self.given += len(payload) + FRAME_OVERHEAD


class MemoryTail:
    """Records of the outputs of one collector, within one budget: beginnings and windows at once, ends at the end."""

    def __init__(self, budget: int) -> None:
        self._beginning = budget // 4
        self._windows = budget // 4
        self._memory = min(budget // 2, _MEMORY)
        self._ends: dict[object, _End] = {}

    def take(self, output: object, record: Data | Gap) -> Iterator[Data | Gap]:
        """The next record of an output; what is to be recorded by now, in order."""
        size = _size(record)
        end = self._ends.get(output)
        if end is None:
            if size <= self._beginning:
                self._beginning -= size
                yield record
                return
            self._beginning = 0
            end = self._ends[output] = _End(self._windows)
        end.add(record, size)
        while end.size > self._memory // len(self._ends) and len(end.records) > 1:
            before = end.sieve.room = self._windows
            yield from end.sieve.take(end.pop())
            self._windows -= before - end.sieve.room

    def finish(self, output: object) -> Iterator[Data | Gap]:
        """The end of an output."""
        end = self._ends.pop(output, None)
        if end is not None:
            yield from end.sieve.finish()
            yield from end.records


class _End:
    """The latest records of an output, and what older ones go through."""

    def __init__(self, room: int) -> None:
        self.sieve = Sieve(room)
        self.records: deque[Data | Gap] = deque()
        self.size = 0

    def add(self, record: Data | Gap, size: int) -> None:
        self.records.append(record)
        self.size += size

    def pop(self) -> Data | Gap:
        record = self.records.popleft()
        self.size -= _size(record)
        return record


def _size(record: Data | Gap) -> int:
    """What it takes of a budget, its frame or row included."""
    return _RECORD + (len(record.data) if isinstance(record, Data) else 0)
