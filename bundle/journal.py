"""The recorder's journal: rows of a table, appended as Arrow IPC messages in crash-safe frames.

One file a table and segment, ``TABLE.N.journal``: its header names table, node, boot and capture, its first frame is
the Arrow schema message, every further frame one record batch. What is constant in a file (node, boot, capture) is
not repeated in its rows. A segment is closed, and may be sealed, when it is long, large or old enough.

``seq`` needs no memory across restarts: it counts from ``segment << 32``. Tables that are also filled from the raw
files of the wrapper (``RAW_TABLES``) count from ``JOURNAL_SEQ`` on here, so that the two never meet. All numbers stay
below 2^53, which every reader of JSON keeps exact.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import re
import struct
import time
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from inquest.bundle import parquet, schema, uniform
from inquest.bundle.frames import FrameReader, FrameWriter
from inquest.bundle.row_batch import RowBatches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from inquest.bundle.frames import State

RAW_TABLES: Final = frozenset({"log_lines", "log_gaps", "processes", "collection"})
"""Tables with rows from ``task.raw`` and ``log-T.raw`` beside those of the recorder."""

JOURNAL_SEQ: Final = 1 << 50
"""``seq`` of the recorder's rows in RAW_TABLES counts from here."""

DERIVED_SEQ: Final = 1 << 51
"""``seq`` of rows that recovery itself adds (what was lost, what was masked) counts from here."""

SEGMENT_ROWS: Final = 172_800
SEGMENT_BYTES: Final = 64 << 20
SEGMENT_SECONDS: Final = 3600.0
"""Rows, bytes and age at which a segment is closed: what sealing holds in memory, and what waits unmasked."""
_SCHEMA_BYTES: Final = 1 << 16
"""A longer schema is none of ours, and not remembered."""
_LONG: Final = 4 << 20
"""Bytes of a message of many rows that is written in halves."""
_SEGMENT_SEQ_BITS: Final = 32
_POSITION_BITS: Final = 40
_RANGE_WRITE: Final = 2
"""SYNC_FILE_RANGE_WRITE (sync_file_range(2)); a length of 0 is up to the end."""
_CONSTANT: Final = ("node", "boot_id", "capture")
_NAME: Final = re.compile(r"([a-z_]+)\.(\d{1,9})\.(?:journal|parquet)")


class Journal:
    """Appends rows to the journals of one capture. Not thread-safe: the recorder owns it.

    Args:
        directory: The capture directory.
        capture: Name of the recording; ``node`` and ``boot_id`` complete the identity of its rows.
        node: Name of the node.
        boot_id: Boot id of the node, or None when it could not be read.
        fsync: False on parallel file systems; recorded in every header.
        fsync_interval_s: Longest time in seconds that a row stays unsynced.
        segment_s: Age in seconds at which a segment is closed by the next append.
    """

    def __init__(
        self,
        directory: str | Path,
        capture: str,
        node: str,
        boot_id: str | None,
        *,
        fsync: bool = True,
        fsync_interval_s: float = 2.0,
        segment_s: float = SEGMENT_SECONDS,
    ) -> None:
        self._directory = Path(directory)
        self._identity = {"capture": capture, "node": node, "boot_id": boot_id}
        self._fsync = fsync
        self._fsync_interval_s = fsync_interval_s
        self._segment_s = segment_s
        self._open: dict[str, _Segment] = {}

    def append(self, table: str, rows: Sequence[dict[str, Any]], *, sync: bool = True) -> None:
        """Append rows; identity columns and ``seq`` are filled in, ``ts_mono_ns`` too where a row has none.

        Args:
            table: Where to.
            rows: The rows.
            sync: False for who appends to several tables, and calls `sync_due` then.

        Raises:
            ValueError: The table or a column does not exist, or a value does not fit its column. Nothing of the call
                was written.
            OSError: The disk is full or failed. What was written of the call is whole rows, mostly none.
        """
        if not rows:
            return
        segment = self._open.get(table)
        if segment is not None and segment.is_full(self._segment_s):
            del self._open[table]
            segment.writer.close()
            segment = None
        if segment is None:
            segment = self._open[table] = self._begin(table)
        segment.append(rows, sync=sync)

    def sync_due(self) -> None:
        """Sync every journal whose rows have waited for the interval; called once a tick.

        All begin to be written before one is waited for: a file system with a log writes that once then, and not for
        each file, which takes half the CPU time. Every journal is tried; the first error is raised at the end.
        """
        due = [segment.writer for segment in self._open.values() if segment.writer.due_in() == 0.0]
        for writer in due if len(due) > 1 else ():
            _begin_writing(writer.fileno())
        failed: OSError | None = None
        for writer in due:
            try:
                writer.sync()
            except OSError as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def close(self) -> None:
        """Write the end marks and close. Every journal is tried; the first error is raised at the end."""
        failed: OSError | None = None
        while self._open:
            _, segment = self._open.popitem()
            try:
                segment.writer.close()
            except OSError as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def _begin(self, table: str) -> _Segment:
        if table not in schema.BY_NAME or schema.BY_NAME[table].scope == "fact":
            raise ValueError(f"{table} is not a recorded table")
        taken = [number for name, number, _ in segments(self._directory) if name == table]
        number = max(taken, default=-1) + 1
        header = {**self._identity, "kind": "journal", "table": table, "segment": number}
        path = self._directory / f"{table}.{number}.journal"
        writer = FrameWriter(path, header, self._fsync_interval_s, self._fsync)
        try:
            writer.append(stored_schema(table).serialize().to_pybytes())
        except OSError:
            writer.abandon()  # a full disk must not fill up with empty segments
            raise
        base = JOURNAL_SEQ if table in RAW_TABLES else 0
        return _Segment(table, writer, base + (number << _SEGMENT_SEQ_BITS))


class _Part:
    """The columns of a table that rows fill; asking a schema for its fields costs more than to convert a row."""

    def __init__(self, whole: pa.Schema, names: frozenset[str]) -> None:
        # Rows become one column of structs: column after column, as from_pylist converts them, costs three times that.
        self.row = pa.struct([field for field in whole if field.name in names])
        self.empty = [None if field.name in names else field.type for field in whole]
        self.types = {type_ for type_ in self.empty if type_ is not None}


class _Segment:
    """One journal that is being written."""

    def __init__(self, table: str, writer: FrameWriter, first_seq: int) -> None:
        self.writer = writer
        self._table = table
        self._schema = stored_schema(table)
        self._names = frozenset(self._schema.names)
        self._first_seq = first_seq
        self._rows = 0
        self._began = time.monotonic()
        self._parts: dict[frozenset[str], _Part] = {}
        self._by_hand = RowBatches(self._schema)

    def is_full(self, segment_s: float) -> bool:
        return (
            self._rows >= SEGMENT_ROWS
            or self.writer.size >= SEGMENT_BYTES
            or time.monotonic() - self._began >= segment_s
        )

    def append(self, rows: Sequence[dict[str, Any]], *, sync: bool) -> None:
        filled = set().union(*rows)
        if not self._names.issuperset(filled):
            raise ValueError(f"{self._table} has no column {', '.join(sorted(filled - self._names))}")
        now, first = time.monotonic_ns(), self._first_seq + self._rows
        default = {"ts_mono_ns": now}
        message = self._by_hand.message(rows, filled | default.keys(), default, first)
        if message is None or len(message) > _LONG:
            numbered = [{**default, **row, "seq": number} for number, row in enumerate(rows, first)]
            self._write(self._batch(numbered, filled), sync=sync)
        else:
            self._write_frame(message, len(rows), sync=sync)

    def _batch(self, rows: list[dict[str, Any]], filled: set[str]) -> pa.RecordBatch:
        """The rows as Arrow has them. Most tables have many columns and fill few: only these are converted."""
        names = frozenset(filled | {"ts_mono_ns", "seq"})
        part = self._parts.get(names) or self._parts.setdefault(names, _Part(self._schema, names))
        try:
            try:
                converted = pa.array(rows, part.row)
            except UnicodeEncodeError:  # names of files and processes need not be UTF-8
                converted = pa.array([_printable(row) for row in rows], part.row)
        except (pa.ArrowException, OverflowError, TypeError) as error:
            raise ValueError(f"a value does not fit its column in {self._table}: {error}") from error
        columns = iter(converted.flatten())
        empty = {type_: pa.nulls(len(rows), type_) for type_ in part.types}
        return pa.RecordBatch.from_arrays(
            [next(columns) if type_ is None else empty[type_] for type_ in part.empty], schema=self._schema
        )

    def _write(self, batch: pa.RecordBatch, *, sync: bool) -> None:
        # A frame is limited; halves of too long a batch are whole rows still.
        payload = batch.serialize()
        if payload.size > _LONG and batch.num_rows > 1:
            half = batch.num_rows // 2
            self._write(batch.slice(0, half), sync=sync)
            self._write(batch.slice(half), sync=sync)
            return
        self._write_frame(payload.to_pybytes(), batch.num_rows, sync=sync)

    def _write_frame(self, message: bytes, rows: int, *, sync: bool) -> None:
        before = self.writer.frames
        try:
            self.writer.append(message, sync=sync)
        finally:
            # A frame may be in the file although syncing it failed: its numbers are taken.
            self._rows += rows * (self.writer.frames - before)


class JournalReader:
    """Reads one journal as record batches in the full schema of its table.

    Attributes:
        table: Name of the table.
        header: Header of the file; node, boot and capture are filled from it.
        bad_frames: Frames that were intact and yet held no rows of this table; known after iteration.

    Raises:
        ValueError: The file is no journal of a table this build knows, or its header is damaged.
        InputError: Not a regular file, or of a newer format.
        OSError: It could not be read.
    """

    def __init__(self, path: str | Path) -> None:
        self._frames = FrameReader(path)
        self.header = self._frames.header
        self.bad_frames = 0
        self.table = _text(self.header, "table")
        if self.table not in schema.BY_NAME or schema.BY_NAME[self.table].scope == "fact":
            raise ValueError(f"this build records no table {self.table!r}")
        self._identity = {
            "node": _text(self.header, "node"),
            "capture": _text(self.header, "capture"),
            "boot_id": _text(self.header, "boot_id") if self.header.get("boot_id") is not None else None,
        }

    @property
    def state(self) -> State:
        """State of the file of frames."""
        return self._frames.state

    @property
    def lost_bytes(self) -> int:
        """Bytes of the file that cannot be read."""
        return self._frames.lost_bytes

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield batches of about 64 Ki rows, in the order written, with the columns of ``parquet.plain_schema``."""
        self.bad_frames = 0
        payloads = self._frames.alike()
        stored: pa.Schema | None = None
        for first in payloads:
            try:
                stored = _read_schema(self.table, first[0])
            except (pa.ArrowException, ValueError, OSError):
                self.bad_frames += 1
            payloads = itertools.chain((first[1:],), payloads)
            break
        waiting: list[pa.RecordBatch] = []
        rows = size = 0
        for alike in _alike(payloads) if stored is not None else ():
            for batch in self._batches(alike, stored):
                waiting.append(batch)
                rows += batch.num_rows
            size += sum(map(len, alike))
            if rows >= 1 << 16 or size >= 16 << 20:
                if waiting:
                    yield self._join(waiting)
                waiting, rows, size = [], 0, 0
        self.bad_frames += sum(map(len, payloads))
        if waiting:
            yield self._join(waiting)

    def tail(self, most: int) -> list[dict[str, Any]]:
        """The last rows, oldest first, read from ``most`` bytes at the end: of a journal that is being written.

        Raises:
            ValueError: Its schema is not one of ours.
        """
        first = next(iter(self._frames), None)
        if first is None:
            return []
        stored = _read_schema(self.table, first)
        rows: list[dict[str, Any]] = []
        for payload in self._frames.tail(most):
            # Of a short journal the schema itself is the first.
            with contextlib.suppress(pa.ArrowException, ValueError, OSError):
                rows += _read_batch(payload, stored).to_pylist()
        return rows

    def _batches(self, alike: list[bytes], stored: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The rows of messages of one shape, together or, where that fails, one by one."""
        if len(alike) > 1:
            try:
                _read_batch(alike[0], stored)
                together = uniform.decode(alike, stored)
                if together is not None and not together.column("seq").null_count:
                    yield together
                    return
            except (pa.ArrowException, ValueError, OSError):
                pass  # one of them is bad: find out which
        for payload in alike:
            try:
                yield _read_batch(payload, stored)
            except (pa.ArrowException, ValueError, OSError):
                self.bad_frames += 1

    def _join(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        joined = pa.Table.from_batches(batches).combine_chunks().to_batches()[0]
        return with_identity(self.table, joined, self._identity)


@cache
def _sync_file_range() -> Callable[..., int] | None:
    """The function of the C library; None where it has none."""
    with contextlib.suppress(OSError, AttributeError):
        function: Callable[..., int] = ctypes.CDLL(None).sync_file_range
        return function
    return None


def _begin_writing(fd: int) -> None:
    """Have the kernel begin to write a file out; whether it could is told by the sync that follows."""
    if (function := _sync_file_range()) is not None:
        function(fd, ctypes.c_int64(0), ctypes.c_int64(0), _RANGE_WRITE)


def raw_seq(task: int, stream: int, position: int) -> int:
    """``seq`` of a row from the raw files of a task.

    Args:
        task: Number of the task.
        stream: Id of its stream; 0 for ``task.raw``.
        position: Number of the row within its stream, or of its frame: what other streams lost changes nothing.
    """
    return ((task & 0xFF) << 2 | stream) << _POSITION_BITS | position


def segments(directory: Path) -> list[tuple[str, int, str]]:
    """``(table, number, file name)`` of all numbered segments in a capture directory, sorted."""
    matches = (_NAME.fullmatch(path.name) for path in directory.iterdir())
    return sorted((match[1], int(match[2]), match[0]) for match in matches if match)


@cache
def stored_schema(table: str) -> pa.Schema:
    """The Arrow schema of a table inside a journal: no constants, no dictionaries."""
    return pa.schema([field for field in parquet.plain_schema(table) if field.name not in _CONSTANT])


def with_identity(table: str, batch: pa.RecordBatch, identity: dict[str, str | None]) -> pa.RecordBatch:
    """The batch with the constants of its file filled in and all columns of its table, in order.

    Raises:
        pa.ArrowInvalid: A value does not fit its column, or is null where none may be.
    """
    for name, value in identity.items():
        batch = batch.append_column(name, pa.repeat(pa.scalar(value, pa.string()), batch.num_rows))
    return parquet.conform(table, batch)


def _read_schema(table: str, payload: bytes) -> pa.Schema:
    return _known_schema(table, payload) if len(payload) <= _SCHEMA_BYTES else _checked_schema(table, payload)


@lru_cache(maxsize=128)  # of each table all recordings of a job have the same
def _known_schema(table: str, payload: bytes) -> pa.Schema:
    return _checked_schema(table, payload)


def _checked_schema(table: str, payload: bytes) -> pa.Schema:
    found = pa.ipc.read_schema(pa.py_buffer(payload))
    ours = {field.name: field.type for field in stored_schema(table)}
    plain = {pa.int64(), pa.float64(), pa.bool_(), pa.string()}
    if len(set(found.names)) != len(found.names) or "seq" not in found.names:
        raise ValueError("not a schema of ours")
    for field in found:
        if field.type not in plain or ours.get(field.name, field.type) != field.type:
            raise ValueError(f"column {field.name} has type {field.type}")
    return found


def _read_batch(payload: bytes, stored: pa.Schema) -> pa.RecordBatch:
    try:
        message = pa.ipc.read_message(pa.py_buffer(payload))
    except EOFError as error:  # what Arrow says of a message without content
        raise ValueError("an empty message") from error
    if message.type != "record batch" or _is_compressed(message.metadata.to_pybytes()):
        raise ValueError("not a plain record batch")
    batch = pa.ipc.read_record_batch(message, stored)
    # The checksum says that nothing changed since, not that the writer was ours: offsets are checked before use.
    batch.validate(full=True)
    if batch.num_rows == 0 or batch.column("seq").null_count:
        raise ValueError("a batch without rows, or rows without a number")
    return batch


def _alike(payloads: Iterable[list[bytes]]) -> Iterator[list[bytes]]:
    """Messages that follow each other and have one shape, in lists of bounded size; those given have one length."""
    alike: list[bytes] = []
    size = 0
    shape = b""
    for given in payloads:
        begin = 0
        while begin < len(given):
            if alike and (len(given[begin]) != len(alike[0]) or not given[begin].startswith(shape) or size >= 4 << 20):
                yield alike
                alike, size = [], 0
            if not alike:
                shape = uniform.head(given[begin]) or given[begin]
            end = next((at for at in range(begin + 1, len(given)) if not given[at].startswith(shape)), len(given))
            alike += given[begin:end]
            size += len(given[begin]) * (end - begin)
            begin = end
    if alike:
        yield alike


def _is_compressed(metadata: bytes) -> bool:
    """Whether an IPC message has compressed buffers, which we never write and which may inflate without limit.

    Flatbuffers: Message.header is field 2, RecordBatch.compression is field 3 (Arrow, format/Message.fbs).
    """

    def field(table: int, index: int) -> int:
        vtable = table - struct.unpack_from("<i", metadata, table)[0]
        size = struct.unpack_from("<H", metadata, vtable)[0]
        slot = 4 + 2 * index
        offset = struct.unpack_from("<H", metadata, vtable + slot)[0] if slot + 2 <= size else 0
        return table + offset if offset else 0

    try:
        header = field(struct.unpack_from("<I", metadata)[0], 2)
        batch = header + struct.unpack_from("<I", metadata, header)[0]
        return header == 0 or field(batch, 3) != 0
    except struct.error as error:
        raise ValueError("not an Arrow message") from error


def _text(header: dict[str, Any], key: str) -> str:
    value = header.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"its header does not say {key}")
    return printable(value)


def _printable(row: dict[str, Any]) -> dict[str, Any]:
    return {name: printable(value) if isinstance(value, str) else value for name, value in row.items()}


def printable(text: str) -> str:
    """``text`` without lone surrogates (Python's stand-ins for bytes that are no UTF-8): each becomes U+FFFD."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
