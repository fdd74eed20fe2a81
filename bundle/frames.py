r"""Crash-safe append-only files of frames: what every recording on a node is written as.

On disk::

    b"inquest-frames\\n"
    frame: the header, a JSON object
    frame ...
    end mark                                 only after an orderly close

    frame    = [u32 length > 0][u32 crc32 of length and payload][payload]
    end mark = [u32 0xFFFFFFFF][u32 crc32 of length and count][u64 number of frames after the header]

All integers are little-endian. A frame is appended with one write(2), so a killed writer can leave at most one cut
frame, at the very end; what a power loss takes is what was not synced, at most ``fsync_interval_s`` of it as long as
the owner calls :meth:`FrameWriter.sync` when :meth:`FrameWriter.due_in` says so.

Reading answers with one of four states and never gives a payload that was not written:

* ``sealed``: whole, with its end mark.
* ``open``: whole frames and no end mark: the writer is alive, or was killed between two frames.
* ``torn``: the tail is cut, zero or garbage, and nothing intact lies behind it: killed while writing, or power loss.
* ``corrupt``: a bad frame with intact data behind it, or a count that does not match: the file was damaged.

Standard library only, and no ``typing`` or ``json`` at run time: this is imported before the wrapped job starts.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import time
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from types import TracebackType
    from typing import Any, BinaryIO, Final, Literal

    State = Literal["sealed", "open", "torn", "corrupt"]

MAGIC: Final = b"inquest-frames\n"
FORMAT: Final = 1
MAX_PAYLOAD: Final = 16 << 20
"""Longest payload in bytes; a reader never allocates more than this for one frame."""

_HEAD: Final = struct.Struct("<II")
FRAME_OVERHEAD: Final = _HEAD.size
"""Bytes a frame takes beside its payload."""
_COUNT: Final = struct.Struct("<Q")
_END_LENGTH: Final = 0xFFFFFFFF
_END_SIZE: Final = _HEAD.size + _COUNT.size

# A merge reads the headers of thousands of small files: no more than the header is read then.
_HEADER_BUFFER: Final = 1 << 12
_BUFFER: Final = 1 << 18

# How far behind a bad frame the reader looks for an intact one, and how many bytes it may hash while looking: enough
# for any real damage, little enough that a file made to waste time cannot.
_SCAN_BYTES: Final = 1 << 20
_SCAN_HASH_BYTES: Final = 64 << 20


def _crc(length: int, payload: bytes | bytearray | memoryview) -> int:
    return zlib.crc32(payload, zlib.crc32(length.to_bytes(4, "little")))


def _end_mark(count: int) -> bytes:
    tail = _COUNT.pack(count)
    return _HEAD.pack(_END_LENGTH, _crc(_END_LENGTH, tail)) + tail


def dump_json(value: object) -> str:
    """JSON with sorted keys, as ``json.dumps(value, sort_keys=True)`` writes it.

    The facts of a recording are flat and small, and importing ``json`` costs more than all else that is done with
    them before the job starts.
    """
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if type(value) is int or (type(value) is float and value - value == 0):  # a finite one
        return repr(value)
    if type(value) is list:
        return "[" + ", ".join(map(dump_json, value)) + "]"
    if type(value) is dict and all(type(key) is str for key in value):
        return "{" + ", ".join(f"{dump_json(key)}: {dump_json(value[key])}" for key in sorted(value)) + "}"
    if type(value) is str:
        try:
            from _json import encode_basestring_ascii  # the accelerator json itself uses
        except ImportError:
            pass
        else:
            return encode_basestring_ascii(value)
    import json

    return json.dumps(value, sort_keys=True)


def fsync_dir(path: str | Path) -> None:
    """Make the names in a directory durable (a file created or renamed in it survives a power loss)."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # file systems that cannot sync a directory say so
            raise
    finally:
        os.close(fd)


class FrameWriter:
    """Writes one file of frames. Not thread-safe: a file has one owner.

    The file must not exist yet (FileExistsError): a restarted writer begins another file, so that nothing is ever
    appended behind a torn frame and no start-up has to read what is there.

    Args:
        path: File to create, mode 0600. Its directory must exist.
        header: JSON-able facts about the file, kept in its first frame. ``format`` and ``fsync`` are added.
        fsync_interval_s: Longest time in seconds that an appended frame stays unsynced.
        fsync: False on file systems where syncing costs too much; recorded in the header.
        sync_name: False where the owner makes the file's name durable himself, with those of others.

    Raises:
        OSError: The file could not be created or written.
    """

    def __init__(
        self,
        path: str | Path,
        header: Mapping[str, Any],
        fsync_interval_s: float = 2.0,
        fsync: bool = True,
        *,
        sync_name: bool = True,
    ) -> None:
        self.path = os.fspath(path)
        self.frames = 0
        self._interval_s = fsync_interval_s
        self._fsync = fsync
        self._dirty_since: float | None = None
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        self._fd = os.open(self.path, flags, 0o600)
        self._size = 0
        try:
            os.fchmod(self._fd, 0o600)
            text = dump_json({**header, "format": FORMAT, "fsync": fsync}).encode()
            self._write(MAGIC + _HEAD.pack(len(text), _crc(len(text), text)), text)
            self.sync()
            if fsync and sync_name:
                fsync_dir(os.path.dirname(self.path) or ".")  # noqa: PTH120 (pathlib is too slow to import here)
        except BaseException:
            self.abandon()
            raise

    @property
    def size(self) -> int:
        """Bytes of whole frames in the file so far."""
        return self._size

    def fileno(self) -> int:
        """The file's descriptor, for an owner that is forked and closes every other one."""
        return self._fd

    def append(self, payload: bytes, *, sync: bool = True) -> None:
        """Append one frame, and sync when frames have been waiting for ``fsync_interval_s``.

        Args:
            payload: What the frame holds.
            sync: False for an owner who syncs several files together.

        Raises:
            ValueError: ``payload`` is empty or longer than MAX_PAYLOAD, or the writer is closed.
            OSError: The disk is full or failed. The file is cut back to whole frames; appending may be tried again.
        """
        if not 0 < len(payload) <= MAX_PAYLOAD:
            raise ValueError(f"a frame holds 1 to {MAX_PAYLOAD} bytes, not {len(payload)}")
        self._write(_HEAD.pack(len(payload), _crc(len(payload), payload)), payload)
        self.frames += 1
        if self._dirty_since is None:
            self._dirty_since = time.monotonic()
        elif sync and self.due_in() == 0.0:
            self.sync()

    def resume(self, frames: int, size: int) -> None:
        """Go on behind the first ``frames`` frames, which end at byte ``size``, and cut off what lies behind them.

        For an owner that was forked from one who knows that much to be whole.

        Raises:
            OSError: The file could not be cut.
        """
        os.ftruncate(self._fd, size)
        self.frames, self._size = frames, size

    def due_in(self) -> float | None:
        """Seconds until :meth:`sync` is due; 0.0 when it is; None when nothing waits to be synced."""
        if self._dirty_since is None or not self._fsync:
            return None
        return max(0.0, self._dirty_since + self._interval_s - time.monotonic())

    def sync(self) -> None:
        """Make all appended frames survive a power loss (nothing with ``fsync=False``)."""
        if self._fsync:
            os.fdatasync(self._fd)
        self._dirty_since = None

    def close(self) -> None:
        """Write the end mark, sync and close. A second call does nothing.

        Raises:
            OSError: The end mark could not be written or synced; the file stays behind as ``open``.
        """
        if self._fd < 0:
            return
        try:
            self._write(_end_mark(self.frames))
            self.sync()
        finally:
            os.close(self._fd)
            self._fd = -1

    def abandon(self) -> None:
        """Close the file and remove it: of no use, because what must come first could not be written."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
            os.unlink(self.path)  # noqa: PTH108

    def __enter__(self) -> FrameWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def _write(self, *parts: bytes) -> None:
        if self._fd < 0:
            raise ValueError(f"{self.path} is closed")
        total = sum(map(len, parts))
        try:
            done = os.writev(self._fd, parts)
            if done < total:  # a nearly full disk or a signal: finish the frame, whatever it takes
                rest = memoryview(b"".join(parts))
                while done < total:
                    done += os.write(self._fd, rest[done:])
        except OSError:
            # Half a frame in the middle would hide everything behind it.
            os.ftruncate(self._fd, self._size)
            raise
        self._size += total


class FrameReader:
    """Reads one file of frames, in bounded memory, up to its size at the time of construction.

    Iterating yields the payloads after the header, whole and in order, and may be repeated. ``state``,
    ``valid_bytes`` and ``lost_bytes`` are known after a full pass; asking for them earlier makes one.

    Attributes:
        header: The header, or an empty dict when it is not intact.

    Raises:
        UnsafeInput: The path is a link or not a regular file.
        UnsupportedFormat: The file says it is of a newer format.
        OSError: The file could not be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = os.fspath(path)
        self.header: dict[str, Any] = {}
        self._result: tuple[State, int] | None = None
        with self._open(_HEADER_BUFFER) as file:
            self._size = os.fstat(file.fileno()).st_size
            if file.read(len(MAGIC)) == MAGIC and (payload := self._frame(file)) is not None:
                self.header = _parse_header(self.path, payload)
            self._start = file.tell() if self.header else 0

    @property
    def state(self) -> State:
        """``sealed``, ``open``, ``torn`` or ``corrupt``."""
        return self._scan()[0]

    @property
    def is_unbegun(self) -> bool:
        """Whether its writer died before the header was whole: the file never held anything."""
        if self.header or self.state != "torn":
            return False
        with self._open(_HEADER_BUFFER) as file:
            start = file.read(len(MAGIC) + _HEAD.size)
        if start[: len(MAGIC)] != MAGIC[: len(start)]:
            return False
        if len(start) < len(MAGIC) + _HEAD.size:
            return True
        return bool(_HEAD.unpack(start[len(MAGIC) :])[0] > self._size - len(start))

    @property
    def valid_bytes(self) -> int:
        """Bytes from the start that are intact, the end mark included."""
        return self._scan()[1]

    @property
    def lost_bytes(self) -> int:
        """Bytes behind ``valid_bytes`` that cannot be read."""
        return self._size - self.valid_bytes

    def __iter__(self) -> Iterator[bytes]:
        for payloads in self.alike():
            yield from payloads

    def alike(self) -> Iterator[list[bytes]]:
        """The payloads in lists of equal length, together as iterating gives them one by one, in the same memory."""
        with self._open(_BUFFER) as file:
            if not self.header:
                self._result = (self._classify(file, 0), 0)
                return
            position, count = self._start, 0
            # What `_frame` gives one by one, but a read is for many: most frames are small, and as long as the last.
            buffer, at = b"", 0
            known: dict[int, tuple[struct.Struct, int]] = {}  # of each length how its frames lie, and how a sum begins
            while True:
                length = _HEAD.unpack_from(buffer, at)[0] if at + _HEAD.size <= len(buffer) else 1
                wanted = _HEAD.size + length
                if at + wanted > len(buffer):
                    if length > MAX_PAYLOAD or wanted > self._size - position:
                        break
                    buffer, at = os.pread(file.fileno(), min(max(_BUFFER, wanted), self._size - position), position), 0
                    if len(buffer) < wanted:
                        break
                    continue
                if not length:
                    break
                if length not in known:
                    known[length] = struct.Struct(f"<II{length}s"), _crc(length, b"")
                frames, start = known[length]
                payloads: list[bytes] = []
                whole = (len(buffer) - at) // wanted * wanted
                for stated, crc, payload in frames.iter_unpack(memoryview(buffer)[at : at + whole]):
                    if stated != length or zlib.crc32(payload, start) != crc:
                        break
                    payloads.append(payload)
                if not payloads:
                    break
                yield payloads
                at += wanted * len(payloads)
                position, count = position + wanted * len(payloads), count + len(payloads)
            file.seek(position)
            tail = file.read(min(_END_SIZE, self._size - position))
            if not tail:
                self._result = ("open", position)
            elif tail == _end_mark(count):
                end = position + _END_SIZE
                self._result = ("sealed" if end == self._size else "corrupt", end)
            else:
                self._result = (self._classify(file, position), position)

    def tail(self, most: int) -> Iterator[bytes]:
        """Payloads of the last frames, in ``most`` bytes at the end: of a file that is being written, in bounded time.

        Where the file is longer, the first intact frame in its tail is found by its checksum.
        """
        if self._size <= most:
            yield from self
            return
        with self._open(_BUFFER) as file:
            file.seek(self._size - most)
            at = self._first_intact(file.read(most))
            if at is not None:
                file.seek(self._size - most + at)
                while (payload := self._frame(file)) is not None:
                    yield payload

    @staticmethod
    def _first_intact(data: bytes) -> int | None:
        budget = _SCAN_HASH_BYTES
        for at in range(len(data) - _HEAD.size):
            length, crc = _HEAD.unpack_from(data, at)
            end = at + _HEAD.size + length
            if length > 0 and end <= len(data):
                budget -= length
                if budget < 0:
                    return None
                if _crc(length, data[at + _HEAD.size : end]) == crc:
                    return at
        return None

    def _open(self, buffering: int) -> BinaryIO:
        # O_NONBLOCK: opening a FIFO somebody put there must not hang.
        try:
            fd = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if os.path.islink(self.path):  # noqa: PTH114
                raise _unsafe(self.path) from error
            raise
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise _unsafe(self.path)
        return os.fdopen(fd, "rb", buffering=buffering)

    def _frame(self, file: BinaryIO) -> bytes | None:
        """The payload of the intact frame at the file's position; None when there is none."""
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return None
        length, crc = _HEAD.unpack(head)
        if not 0 < length <= MAX_PAYLOAD or length > self._size - file.tell():
            return None
        payload = file.read(length)
        return payload if len(payload) == length and _crc(length, payload) == crc else None

    def _scan(self) -> tuple[State, int]:
        if self._result is None:
            for _ in self:
                pass
        assert self._result is not None
        return self._result

    def _classify(self, file: BinaryIO, bad: int) -> State:
        """Torn or corrupt: does anything intact lie behind the bad frame at ``bad``?"""
        if self._size - _END_SIZE >= bad:
            file.seek(self._size - _END_SIZE)
            mark = file.read(_END_SIZE)
            if len(mark) == _END_SIZE and mark == _end_mark(_COUNT.unpack(mark[-_COUNT.size :])[0]):
                return "corrupt"
        file.seek(bad)
        head = file.read(_HEAD.size)
        if len(head) == _HEAD.size:
            # Damage within a payload: the length still leads to the next frame, however far.
            following = bad + _HEAD.size + _HEAD.unpack(head)[0]
            if following < self._size:
                file.seek(following)
                if self._frame(file) is not None:
                    return "corrupt"
        file.seek(bad)
        window = file.read(min(_SCAN_BYTES, self._size - bad))
        budget = _SCAN_HASH_BYTES
        for at in range(1, len(window) - _HEAD.size):
            length = _HEAD.unpack_from(window, at)[0]
            if 0 < length <= min(MAX_PAYLOAD, self._size - bad - at - _HEAD.size):
                budget -= length
                if budget < 0:
                    break
                file.seek(bad + at)
                if self._frame(file) is not None:
                    return "corrupt"
        return "torn"


def read_frames(path: str | Path) -> Iterator[bytes]:
    """The intact payloads of a file of frames; see :class:`FrameReader` for what else can be asked."""
    return iter(FrameReader(path))


def is_sealed(path: str | Path) -> bool:
    """Whether the file ends with an end mark: looks at its last bytes only."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < len(MAGIC) + _END_SIZE:
            return False
        file.seek(size - _END_SIZE)
        mark = file.read(_END_SIZE)
    return len(mark) == _END_SIZE and mark == _end_mark(_COUNT.unpack(mark[-_COUNT.size :])[0])


def _parse_header(path: str, payload: bytes) -> dict[str, Any]:
    import json

    try:
        header = json.loads(payload)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(header, dict) or not isinstance(header.get("format"), int):
        return {}
    if header["format"] > FORMAT:
        from inquest.bundle.errors import UnsupportedFormat

        raise UnsupportedFormat(
            f"{path} is a recording of format {header['format']}, and this build reads up to {FORMAT}: "
            "use the version of inquest that recorded it, or a newer one."
        )
    return header


def _unsafe(path: str) -> Exception:
    from inquest.bundle.errors import UnsafeInput

    return UnsafeInput(f"{path} is a link or not a regular file, and a recording never holds one: do not trust it.")
