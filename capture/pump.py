"""Moves what the job prints to where the user expects it, and a copy into the raw log.

One pump process serves one destination (stdout and stderr that lead to the same place share one, so that their order
is kept). It is forked from the wrapper's parent without exec: it exists before the job does, costs one fork, and a
killed pump is replaced within a millisecond by another fork, even if our files have vanished meanwhile.

Why SIGKILL at any instruction neither loses nor repeats a byte of output
------------------------------------------------------------------------
Output takes two steps, and every pipe end is also held by the parent, so bytes outlive the pump::

    source (pipe or pty master) --splice--> hold (a pipe) --> sink

* source -> hold: one splice(2). A signal can interrupt it only before it has moved anything, so a byte is in exactly
  one of the two.
* hold -> copy: tee(2) into a scratch pipe and read(2) from there. Takes nothing out of hold.
* hold -> sink, a pipe: splice(2) again, byte for byte in exactly one of the two. No state is needed.
* hold -> sink, anything else: no single call moves the bytes (a terminal, a file opened with O_APPEND), or one that
  does is slower (into any file it goes page by page, where write(2) fills large folios), so they are written first and
  taken out of hold afterwards. A kill between the two leaves them in hold although they
  were written. How many is known exactly: the kernel counts the bytes each thread has handed to write(2) (``wchar``
  in /proc/PID/task/TID/io), also for partial writes, and the count stays readable while the parent has not reaped the
  dead pump. The pump's main thread calls write(2) for nothing else; the raw log is written by another thread.

What the parent and the next pump need is in shared memory, each value one aligned 8-byte store: bytes taken from the
source, bytes delivered, the offset up to which the raw log has every byte or a gap for it, and ``ORIGIN``, the
constant that turns ``wchar`` into an offset of the stream. ``hold`` is empty before each take, so ``taken -
len(hold)`` is what left hold, whatever was or was not published (`_recover`).

Where /proc does not show ``wchar`` (no CONFIG_TASK_IO_ACCOUNTING), a kill may repeat the batch being written, never
lose one.

Recording never holds up the job
--------------------------------
The copy goes through a bounded queue to a thread that writes the raw log. When the disk is slow and the queue full,
when the job prints more than BURST_BYTES faster than BYTES_A_SECOND, or when the disk is full, the bytes are passed
on and a gap record says how many were not recorded; but for the last of them, which are held back and recorded when
nothing follows. What is recorded stays within a budget of bytes on disk (capture/log_budget.py). A killed pump loses
the queue and nothing more; its successor writes that as a gap, too.

Errors of the sink. A reader that went away ends the pump with `BROKEN`: the parent then closes its end of the source
and the job meets SIGPIPE/EPIPE as it would bare (also while nothing is being printed: the sink is polled). Where a
file takes no more (ENOSPC, EDQUOT, EFBIG, EIO), the job cannot be given that error: it has written into a pipe long
ago. Its bytes are dropped and counted, later ones are tried again, and the end of the wrapper says so on stderr and in
the recording, which still has them. A closed pipe in its place would kill a job that lives on bare
(docs/DECISIONS.md, "A full disk under the job's output").
"""

from __future__ import annotations

import errno
import os
import select
import stat
import struct
import time

from inquest.bundle import rawlog
from inquest.bundle.errors import InquestError
from inquest.bundle.frames import FRAME_OVERHEAD, FrameReader, FrameWriter
from inquest.bundle.nodedir import raw_log_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    import mmap
    from collections.abc import Callable, Iterator
    from typing import Any, Final, NoReturn

    from inquest.capture.log_budget import DiskTail

PIPE_BYTES: Final = 1 << 18
"""Capacity asked for each of our pipes."""

DONE: Final = 0
"""Exit code: the source has ended and everything is delivered."""
BROKEN: Final = 3
"""Exit code: the sink takes nothing any more."""
FAILED: Final = 70
"""Exit code: an unexpected exception."""

# Slots of the shared memory, in units of eight bytes. WRITTEN: what the parent found a dead pump to have written.
TAKEN: Final = 0
DELIVERED: Final = 1
RECORDED: Final = 2
BUSY: Final = 3
ENDED: Final = 4
ORIGIN: Final = 5
WRITTEN: Final = 6
DROPPED: Final = 7
ERRNO: Final = 8
WRITES: Final = 9
"""1 once a sink has refused splice(2): from then on it is written to."""
APART: Final = 10
"""1 once the pump has let go of what it inherited: until then another channel's end may not be seen (`at_end`)."""
KEPT: Final = 11
"""Bytes of the raw log that stay on disk whatever comes: the beginning of the output, and windows behind it."""
ZONES: Final = 3
EARLY: Final = 12
"""Bytes of records in each of the ZONES behind the slots: what a job printed that was started by the agent's launcher,
before us. The first zone keeps the beginning; the others take turns, so that the end is there, too."""
EARLY_END: Final = EARLY + ZONES
"""Offset in the stream of the end of the last record."""
ZONE: Final = EARLY_END + 1
"""The zone that records go to."""
SLOTS: Final = 24
EARLY_AT: Final = 4096
"""Where the zones begin; a record is [i64 monotonic ns][i64 offset][i64 bytes], the bytes, and padding to eight."""
ZONE_BYTES: Final = 2 << 20
UNKNOWN: Final = -(1 << 62)
"""ORIGIN of a pump that has not begun to deliver."""

_QUEUE_BYTES: Final = 16 << 20
BURST_BYTES: Final = 64 << 20
"""Bytes recorded at any speed; beyond them, BYTES_A_SECOND. A training log prints kilobytes a second."""
BYTES_A_SECOND: Final = 16 << 20
_BEHIND_A_SECOND: Final = 4 << 20
"""The same once an output has outgrown its beginning: nearly all of it will be put away, and the disk is the node's."""
_HELD_BACK_S: Final = 1.0
_TOO_FAST: Final = "printed faster than it could be recorded"
_KILLED: Final = "the pump was killed"
_F_SETPIPE_SZ: Final = 1031
_FIONREAD: Final = 0x541B
_GONE: Final = frozenset((errno.EPIPE, errno.EIO, errno.ENXIO, errno.ECONNRESET, errno.ENOTCONN, errno.EBADF))


class Channel:
    """One destination of the job's output, and everything a pump needs to serve it.

    Attributes:
        stream: Id of the stream in the raw log (``rawlog.STREAMS``).
        source: Read end of the job's pipe, or the pty's master. -1 once closed.
        sink: Where the bytes go: 1 or 2, as the wrapper was given it.
        hold_read: Read end of the hold pipe.
        hold_write: Write end of the hold pipe.
        state: Shared memory, eight-byte slots.
    """

    __slots__ = ("_memory", "hold_read", "hold_write", "sink", "source", "state", "stream")

    def __init__(
        self, stream: int, source: int, sink: int, memory: mmap.mmap, hold: tuple[int, int] | None = None
    ) -> None:
        """A new channel; with ``hold``, one that the agent's launcher has begun, whose pump is dead and buried."""
        self.stream = stream
        self.source = source
        self.sink = sink
        self.hold_read, self.hold_write = hold or wide_pipe()
        self._memory = memory
        self.state = memoryview(memory)[: 8 * SLOTS].cast("q")
        if hold is None:
            self.state[ORIGIN] = UNKNOWN

    def early(self, begin: int, end: int) -> Iterator[tuple[int, int, bytes]]:
        """What the launcher kept of the stream between two offsets: offset, time (monotonic, ns) and bytes."""
        for zone in (0, 2, 1) if self.state[ZONE] == 1 else (0, 1, 2):
            at = EARLY_AT + zone * ZONE_BYTES
            stop = at + self.state[EARLY + zone]
            while at < stop:
                mono_ns, offset, count = struct.unpack_from("qqq", self._memory, at)
                cut = max(begin - offset, 0)
                if data := self._memory[at + 24 + cut : at + 24 + min(count, end - offset)]:
                    yield offset + cut, mono_ns, data
                at += 24 + (count + 7 & ~7)

    def has_input(self) -> bool:
        """Whether bytes wait in the source."""
        poll = select.poll()
        poll.register(self.source, select.POLLIN)
        return any(event & select.POLLIN for _, event in poll.poll(0))

    def at_end(self) -> bool:
        """Whether nobody can print into it any more, so that its pump delivers what is left and ends."""
        if self.state[ENDED] or self.source < 0:
            return True
        poll = select.poll()
        poll.register(self.source, 0)
        return bool(poll.poll(0))

    def drained(self) -> bool:
        """Whether everything printed so far has been delivered.

        Read in this order: a pump is BUSY from before it takes bytes until it has published how many.
        """
        if self.state[ENDED] or self.source < 0:
            return True
        return not self.has_input() and not self.state[BUSY] and self.state[TAKEN] == self.state[DELIVERED]

    def bury(self, pid: int) -> None:
        """Note what a dead, not yet reaped pump had written: see the module's text."""
        if self.state[ORIGIN] != UNKNOWN:
            counted = _written_by(f"/proc/{pid}/task/{pid}/io")
            if counted is not None:
                self.state[WRITTEN] = self.state[ORIGIN] + counted
            self.state[ORIGIN] = UNKNOWN
        self.state[BUSY] = 0


class Recording:
    """Where pumps write the raw log.

    Attributes:
        directory: Capture directory.
        task: Number of the wrapped command.
        header: Header of each part.
        fsync: Whether parts are forced to disk.
        budget: Bytes that the parts of one stream may take on disk.
    """

    __slots__ = ("budget", "directory", "fsync", "header", "task")

    def __init__(self, directory: str, task: int, header: dict[str, Any], fsync: bool, budget: int) -> None:
        self.directory = directory
        self.task = task
        self.header = header
        self.fsync = fsync
        self.budget = budget

    def part(self, tail_of: int | None = None) -> FrameWriter:
        """Begin the next part of the raw log; ``tail_of`` is the stream whose end it is a segment of.

        Raises:
            OSError: The disk is full or failed.
        """
        header = self.header if tail_of is None else {**self.header, "tail_of": tail_of}
        while True:
            path = raw_log_path(self.directory, self.task)
            try:
                return FrameWriter(path, header, fsync=self.fsync, sync_name=tail_of is None)
            except FileExistsError:  # the pump of the other stream was faster
                continue

    def tails(self, stream: int) -> list[str]:
        """Segments of a stream's end that a pump has left behind, in the order of what they hold."""
        found = []
        for name in os.listdir(self.directory):  # noqa: PTH208
            if not (name.startswith(f"log-{self.task}.") and name.endswith(".raw")):
                continue
            path = os.path.join(self.directory, name)  # noqa: PTH118
            try:
                reader = FrameReader(path)
                first = next(iter(reader), None) if reader.header.get("tail_of") == stream else None
                if first is not None:
                    found.append((rawlog.decode(first).offset, path))
            except (OSError, ValueError, InquestError):
                continue
        return [path for _, path in sorted(found)]


def wide_pipe() -> tuple[int, int]:
    """A pipe (read end, write end) of PIPE_BYTES, or of the default size where the user has too many wide ones."""
    import fcntl

    read, write = os.pipe()
    try:
        fcntl.fcntl(write, _F_SETPIPE_SZ, PIPE_BYTES)
    except OSError:
        return read, write
    return read, write


def serve(channel: Channel, recording: Recording | None, writer: FrameWriter | None) -> NoReturn:
    """Be the pump of ``channel`` in this freshly forked process until its source ends.

    Args:
        channel: What to serve.
        recording: Where to record, None to pass on only.
        writer: A part of the raw log that was begun before the fork; None to begin one.
    """
    code = FAILED
    try:
        log = None if recording is None else _Log(channel, recording, writer)
        code = _Pump(channel, log).run()
    finally:
        os._exit(code)


def serve_plainly(channel: Channel) -> NoReturn:
    """Be a pump that only passes on, with the fewest calls: what is left when `serve` keeps failing on this machine.

    A kill may repeat or lose what it holds at that moment.
    """
    code = FAILED
    try:
        for source in (channel.hold_read, channel.source):
            os.set_blocking(channel.hold_read, False)
            while data := _read_or_end(source):
                channel.state[TAKEN] += len(data)
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(channel.sink, rest) :]
                channel.state[DELIVERED] = channel.state[TAKEN]
        code = DONE
    except BrokenPipeError:
        code = BROKEN
    finally:
        channel.state[ENDED] = 1
        os._exit(code)


def _read_or_end(source: int) -> bytes:
    try:
        return os.read(source, PIPE_BYTES)
    except OSError as error:
        if error.errno in (errno.EIO, errno.EAGAIN):
            return b""
        raise


class _Pump:
    """The main thread of a pump. Its only calls of write(2) are those to the sink."""

    def __init__(self, channel: Channel, log: _Log | None) -> None:
        self._channel = channel
        self._source = channel.source
        self._sink = channel.sink
        self._hold_read = channel.hold_read
        self._hold_write = channel.hold_write
        self._state = channel.state
        self._log = log
        mode = os.fstat(self._sink).st_mode
        self._is_file = stat.S_ISREG(mode)
        self._splices = not (self._state[WRITES] or self._is_file or os.isatty(self._sink))
        self._null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        self._scratch_read, self._scratch_write = wide_pipe()
        self._tee: Callable[[int, int, int], int] | None = None  # made when it is needed: ctypes is slow to import
        self._buffer = memoryview(bytearray(PIPE_BYTES))  # of `_peek`
        self._back: tuple[int, int] | None = (
            None  # a pipe that holds the last bytes of a flood: referred to, not copied
        )
        self._held_back = 0
        self._wait_for = select.poll()
        self._wait_for.register(self._source, select.POLLIN)
        # Asked for nothing, poll still reports a reader that went away (pipe) or a terminal that hung up.
        self._gone = select.POLLERR if stat.S_ISFIFO(mode) else select.POLLHUP if os.isatty(self._sink) else 0
        if self._gone:
            self._wait_for.register(self._sink, 0)

    def run(self) -> int:
        try:
            self._recover()
            self._pass_on()
            while self._take():
                self._pass_on()
            code = DONE
        except _SinkGone:
            code = BROKEN
        self._state[ENDED] = 1
        if self._log is not None:
            self._log.close()
        return code

    def _recover(self) -> None:
        """Find out what the pump before us had done, and make the published numbers true again."""
        state = self._state
        held = self._held()
        if held and state[TAKEN] == state[DELIVERED]:  # killed after it took them and before it could say so
            state[TAKEN] += held
        # Set by the death of a pump that had to write, as those of the agent's launcher always do.
        written_still_held = state[WRITTEN] - (state[TAKEN] - held)
        if written_still_held > 0:
            self._discard(written_still_held)
        state[DELIVERED] = state[TAKEN] - self._held()
        if not self._splices:
            self._publish_origin()
        if self._log is not None:
            known = state[RECORDED]
            for offset, mono_ns, data in self._channel.early(known, state[DELIVERED]):
                if known < offset:
                    self._log.gap(known, offset - known, _TOO_FAST if state[ZONE] else _KILLED)
                self._log.data(offset, mono_ns, data)
                known = offset + len(data)
            if known < state[DELIVERED]:
                self._log.gap(known, state[DELIVERED] - known, _KILLED)

    def _publish_origin(self) -> None:
        counted = _written_by("/proc/thread-self/io")
        if counted is not None:
            self._state[ORIGIN] = self._state[DELIVERED] - counted

    def _take(self) -> bool:
        """Wait for output and move it to hold, which is empty; False when the source has ended."""
        while True:
            holds_back = self._log is not None and self._log.holds_back
            ready = dict(self._wait_for.poll(1000 * _HELD_BACK_S if holds_back else None))
            if not ready and self._log is not None:
                self._log.put_back()
                continue
            if ready.get(self._sink, 0) & self._gone and self._source != self._sink:
                raise _SinkGone
            if self._source in ready:
                break
        self._state[BUSY] = 1
        try:
            count = os.splice(self._source, self._hold_write, PIPE_BYTES)
        except OSError as error:
            if error.errno != errno.EIO:  # a pty's master says so when the last user of the terminal is gone
                raise
            count = 0
        self._state[TAKEN] += count
        self._state[BUSY] = 0
        return count > 0

    def _pass_on(self) -> None:
        """Record and deliver all that is held."""
        while self._state[TAKEN] > self._state[DELIVERED]:
            held = self._state[TAKEN] - self._state[DELIVERED]
            now = time.monotonic_ns()
            wanted = self._log is not None and self._log.has_room(held)
            data = self._peek(held) if wanted or not self._splices else memoryview(b"")
            count = len(data) or held
            if self._log is not None and wanted:
                self._log.data(self._state[DELIVERED], now, bytes(data))
            elif self._log is not None and self._splices:
                count = self._hold_back(count)
                self._log.skip(self._state[DELIVERED], now, count, self._read_back)
            elif self._log is not None:  # the bytes stay where they are until the next are peeked at
                self._log.skip(self._state[DELIVERED], now, count, data.tobytes)
            if self._splices:
                self._splice(count)
            else:
                self._write(data)

    def _peek(self, count: int) -> memoryview:
        """Up to ``count`` bytes from the front of hold, which keeps them; valid until the next call."""
        copied, at = self._copy(self._scratch_write, count), 0
        while at < copied:
            at += os.readv(self._scratch_read, [self._buffer[at:copied]])
        return self._buffer[:copied]

    def _hold_back(self, count: int) -> int:
        """Refer to up to ``count`` bytes from the front of hold, in the place of those before; how many."""
        if self._back is None:
            self._back = wide_pipe()
        while self._held_back:
            self._held_back -= os.splice(self._back[0], self._null, self._held_back)
        self._held_back = self._copy(self._back[1], count)
        return self._held_back

    def _read_back(self) -> bytes:
        """What is held back, once."""
        data = b""
        while self._back is not None and len(data) < self._held_back:
            data += os.read(self._back[0], self._held_back - len(data))
        self._held_back = 0
        return data

    def _copy(self, target: int, count: int) -> int:
        if self._tee is None:
            self._tee = _tee()
        return self._tee(self._hold_read, target, min(count, PIPE_BYTES))

    def _splice(self, count: int) -> None:
        while count:
            try:
                moved = os.splice(self._hold_read, self._sink, count)
            except BlockingIOError:  # somebody made the user's pipe non-blocking
                self._wait_for_sink()
                continue
            except OSError as error:
                if error.errno == errno.EINVAL:  # a device or a socket that cannot
                    self._publish_origin()
                    self._state[WRITES] = 1
                    self._splices = False
                    while count:
                        data = self._peek(count)
                        self._write(data)
                        count -= len(data)
                    return
                moved = self._give_up(error, count)
                self._discard(moved)
            self._state[DELIVERED] += moved
            count -= moved

    def _write(self, rest: memoryview) -> None:
        while rest:
            try:
                count = os.write(self._sink, rest)
            except BlockingIOError:
                self._wait_for_sink()
                continue
            except OSError as error:
                count = self._give_up(error, len(rest))
                # They count as written, so that a successor does not deliver what we gave up.
                self._state[ORIGIN] += count
            self._discard(count)
            self._state[DELIVERED] += count
            rest = rest[count:]

    def _give_up(self, error: OSError, count: int) -> int:
        """Drop ``count`` bytes that a file did not take; raises when nobody will ever take any."""
        self._state[ERRNO] = error.errno or 0
        if error.errno in _GONE and not self._is_file:
            raise _SinkGone from None
        self._state[DROPPED] += count
        return count

    def _wait_for_sink(self) -> None:
        poll = select.poll()
        poll.register(self._sink, select.POLLOUT)
        poll.poll()

    def _held(self) -> int:
        import fcntl

        return int(struct.unpack("i", fcntl.ioctl(self._hold_read, _FIONREAD, b"\0\0\0\0"))[0])

    def _discard(self, count: int) -> None:
        while count:
            count -= os.splice(self._hold_read, self._null, count)


class _SinkGone(Exception):
    """Nobody will ever read what we deliver."""


class _Log:
    """The recording side of a pump: a bounded queue and the thread that empties it into the raw log."""

    def __init__(self, channel: Channel, recording: Recording, writer: FrameWriter | None) -> None:
        # The C parts of queue and threading: the modules around them cost each pump milliseconds.
        from _queue import SimpleQueue
        from _thread import allocate_lock

        self._stream = channel.stream
        self._state = channel.state
        self._recording = recording
        self._writer = writer
        self._queue: SimpleQueue[tuple[int, int, bytes, int, str] | None] = SimpleQueue()
        self._allowance = float(BURST_BYTES)
        self._asked = time.monotonic()
        self._behind: DiskTail | None = None  # of the writing thread: set once the output has outgrown its beginning
        # Of the main thread: not recorded, unless it is the last.
        self._back: tuple[int, int, int, Callable[[], bytes]] | None = None
        self._queued = 0  # bytes ever queued; only the main thread counts here
        self._written = 0  # bytes ever written or given up; only the writing thread counts here
        self._gap: tuple[int, int, str] | None = None  # of the main thread: grows until there is room again
        self._missed = 0  # of the writing thread: not yet on disk
        self._missed_from = 0
        self._reason = ""
        self._runs = False
        self._kept_before = 0
        self._done = allocate_lock()

    @property
    def holds_back(self) -> bool:
        """Whether there is something that should be recorded if nothing follows it."""
        return self._back is not None

    def has_room(self, count: int) -> bool:
        """Whether ``count`` bytes may be queued: the disk keeps up, and recording would not slow the job down."""
        now = time.monotonic()
        passed = now - self._asked
        rate = BYTES_A_SECOND if self._behind is None else _BEHIND_A_SECOND
        self._allowance = min(float(BURST_BYTES), self._allowance + passed * rate)
        self._asked = now
        return count <= self._allowance and self._queued - self._written + count <= _QUEUE_BYTES

    def skip(self, offset: int, mono_ns: int, count: int, read: Callable[[], bytes]) -> None:
        """Pass over ``count`` bytes; if nothing follows, they are recorded after all, as ``read`` gives them."""
        self._drop_back()
        self._back = (offset, mono_ns, count, read)

    def put_back(self) -> None:
        """Record what was held back: it was the last that came."""
        if self._back is not None and self._queued - self._written <= _QUEUE_BYTES:
            (offset, mono_ns, _, read), self._back = self._back, None
            self.data(offset, mono_ns, read())

    def _drop_back(self) -> None:
        if self._back is not None:
            self.gap(self._back[0], self._back[2], _TOO_FAST)
            self._back = None

    def data(self, offset: int, mono_ns: int, data: bytes) -> None:
        """Record ``data``, which begins at ``offset`` of the stream."""
        self._drop_back()
        self._put_gap()
        self._allowance -= len(data)
        self._queued += len(data)
        self._put((offset, mono_ns, data, 0, ""))

    def gap(self, offset: int, lost: int, reason: str) -> None:
        """Record that ``lost`` bytes from ``offset`` on are not recorded."""
        if self._gap is None:
            self._gap = (offset, lost, reason)
        else:
            self._gap = (self._gap[0], self._gap[1] + lost, self._gap[2])

    def _put_gap(self) -> None:
        if self._gap is not None:
            offset, lost, reason = self._gap
            self._gap = None
            self._put((offset, time.monotonic_ns(), b"", lost, reason))

    def _put(self, item: tuple[int, int, bytes, int, str]) -> None:
        if not self._runs:  # many a stream stays silent
            from _thread import start_new_thread

            self._runs = True
            self._done.acquire()
            start_new_thread(self._run, ())
        self._queue.put(item)

    def close(self) -> None:
        """Write what is queued, and the end mark."""
        self.put_back()
        self._drop_back()
        self._put_gap()
        if self._runs:
            self._queue.put(None)
            self._done.acquire()
        else:
            self._finish()

    def _run(self) -> None:
        try:
            self._record()
            self._finish()
        finally:
            self._done.release()

    def _finish(self) -> None:
        self._flush_gap()
        self._attempt(self._close)

    def _record(self) -> None:
        from _queue import Empty

        while True:
            try:
                item = self._queue.get(timeout=self._due_in())
            except Empty:
                self._attempt(self._sync)
                continue
            if item is None:
                return
            offset, mono_ns, data, lost, reason = item
            if lost:
                self._miss(offset, lost, reason)
                self._flush_gap()
            for begin in range(0, len(data), rawlog.MAX_DATA):
                piece = data[begin : begin + rawlog.MAX_DATA]
                at = offset + begin
                if self._flush_gap() and self._append(rawlog.Data(self._stream, mono_ns, at, piece)):
                    self._state[RECORDED] = at + len(piece)
                else:
                    self._miss(at, len(piece), "the disk took no more")
            self._written += len(data)

    def _miss(self, offset: int, lost: int, reason: str) -> None:
        if not self._missed:
            self._missed_from, self._reason = offset, reason
        self._missed += lost

    def _flush_gap(self) -> bool:
        """Write the gap that is due; False when even that is not possible."""
        if self._missed:
            gap = rawlog.Gap(self._stream, time.monotonic_ns(), self._missed_from, self._missed, self._reason)
            if not self._append(gap):
                return False
            self._state[RECORDED] = self._missed_from + self._missed
            self._missed = 0
        return True

    def _append(self, record: rawlog.Data | rawlog.Gap) -> bool:
        return self._attempt(lambda: self._put_down(record))

    def _put_down(self, record: rawlog.Data | rawlog.Gap) -> None:
        """Write a record: into the one part of the beginning while that lasts, then to what comes behind it."""
        if self._behind is None:
            room = self._recording.budget // 4 - self._state[KEPT]
            payload = rawlog.encode_record(record)
            if len(payload) + FRAME_OVERHEAD <= room:
                self._append_to_beginning(payload)
                return
            cut = record.data.rfind(b"\n") + 1 if isinstance(record, rawlog.Data) and room > 0 else 0
            if isinstance(record, rawlog.Data) and cut:  # between two lines
                self._append_to_beginning(
                    rawlog.encode(record.stream, record.mono_ns, record.offset, record.data[:cut])
                )
                if cut == len(record.data):
                    return
                record = rawlog.Data(record.stream, record.mono_ns, record.offset + cut, record.data[cut:])
            self._go_behind()
        assert self._behind is not None
        try:
            self._behind.append(record)
        finally:
            self._state[KEPT] = self._kept_before + self._behind.given

    def _append_to_beginning(self, payload: bytes) -> None:
        if self._writer is None:
            self._writer = self._recording.part()
        self._writer.append(payload)
        self._state[KEPT] += len(payload) + FRAME_OVERHEAD

    def _go_behind(self) -> None:
        from inquest.capture.log_budget import DiskTail

        half = self._recording.budget // 2
        self._kept_before = self._state[KEPT]
        self._behind = DiskTail(self._recording, self._stream, self._writer, half - self._kept_before, half)
        self._writer = None

    def _due_in(self) -> float | None:
        sink = self._behind or self._writer
        return None if sink is None else sink.due_in()

    def _sync(self) -> None:
        sink = self._behind or self._writer
        if sink is not None:
            sink.sync()

    def _close(self) -> None:
        sink = self._behind or self._writer
        if sink is not None:
            sink.close()

    @staticmethod
    def _attempt(action: Callable[[], None]) -> bool:
        try:
            action()
        except OSError:
            return False
        return True


def _written_by(path: str) -> int | None:
    """``wchar`` of a thread: bytes it has handed to write(2)."""
    try:
        with open(path, "rb") as file:
            for line in file:
                name, _, value = line.partition(b": ")
                if name == b"wchar":
                    return int(value)
    except (OSError, ValueError):
        return None
    return None


def _tee() -> Callable[[int, int, int], int]:
    """tee(2), which Python does not have."""
    import ctypes

    function = ctypes.CDLL(None, use_errno=True).tee
    function.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_size_t, ctypes.c_uint)
    function.restype = ctypes.c_ssize_t

    def tee(source: int, sink: int, count: int) -> int:
        moved = int(function(source, sink, count, 0))
        if moved < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return moved

    return tee
