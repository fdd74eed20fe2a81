"""Record batches of one shape, decoded together.

A recorder appends a few rows at a time, tick after tick with the same columns and the same nulls: thousands of Arrow
messages whose metadata are equal byte for byte. Decoding each takes Arrow longer than its rows are worth. Messages with
equal metadata have equal layouts, so that a column of all of them is one slice of their bodies.

Layout: Arrow, "Encapsulated message format" and format/Message.fbs (of a Message, header is field 2 and bodyLength 3;
of a RecordBatch, length 0, nodes 1, buffers 2, compression 3, variadicBufferCounts 4). Everything is checked against
the bounds of a body; what is not as plain as what our recorder writes is left to Arrow.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Sequence

_PREFIX: Final = struct.Struct("<II")
_CONTINUATION: Final = 0xFFFFFFFF
_FLAT: Final = {pa.int64(): 8, pa.float64(): 8}
_MAX_TEXT: Final = 1 << 30
_NONE: Final = pa.scalar(0, pa.int32())
_BEGIN: Final = pa.array([0], pa.int32())


def head(payload: bytes) -> bytes:
    """What messages of one shape have in common: their prefix and metadata; empty where there is none."""
    if len(payload) < _PREFIX.size:
        return b""
    mark, size = _PREFIX.unpack_from(payload)
    return payload[: _PREFIX.size + size] if mark == _CONTINUATION and _PREFIX.size + size <= len(payload) else b""


def decode(payloads: Sequence[bytes], schema: pa.Schema) -> pa.RecordBatch | None:
    """The rows of messages with the same `head` and size, which is known to be that of a plain record batch.

    Returns:
        The rows in the order of the messages, checked in full; None where they are not as plain as ours.
    """
    begin = len(head(payloads[0]))
    size = len(payloads[0]) - begin
    try:
        layout = _Layout.of(payloads[0][_PREFIX.size : begin])
    except (struct.error, ValueError):
        return None
    if size <= 0 or layout.rows <= 0 or len(layout.nulls) != len(schema):
        return None
    whole = pa.py_buffer(b"".join([payload[begin:] for payload in payloads]))
    bodies = _Bodies(pa.Array.from_buffers(pa.binary(size), len(payloads), [None, whole]), size, layout)
    columns = []
    for field, nulls in zip(schema, layout.nulls, strict=True):
        column = bodies.column(field.type, nulls)
        if column is None:
            return None
        columns.append(column)
    batch = pa.RecordBatch.from_arrays(columns, schema=schema)
    batch.validate(full=True)
    return batch


def _field(metadata: bytes, table: int, index: int) -> int:
    """Where a field of a flatbuffer's table stands; 0 where it is not there."""
    vtable = table - struct.unpack_from("<i", metadata, table)[0]
    slot = 4 + 2 * index
    inside = slot + 2 <= struct.unpack_from("<H", metadata, vtable)[0]
    offset = struct.unpack_from("<H", metadata, vtable + slot)[0] if inside else 0
    return table + offset if offset else 0


@dataclass(frozen=True, slots=True)
class Places:
    """Where in the `head` of a record batch its integers stand: its rows, its nodes, its buffers, its body's bytes."""

    rows: int
    nodes: int
    buffers: int
    body: int

    @classmethod
    def of(cls, message: bytes) -> Places:
        """Those of a plain record batch that Arrow wrote."""
        metadata = message[_PREFIX.size :]
        root = struct.unpack_from("<I", metadata)[0]
        header, body = (_field(metadata, root, index) for index in (2, 3))
        batch = header + struct.unpack_from("<I", metadata, header)[0]
        rows, nodes, buffers = (_field(metadata, batch, index) for index in range(3))
        # A vector is told by how far behind its place it begins, with its length.
        begins = [at + struct.unpack_from("<I", metadata, at)[0] + 4 for at in (nodes, buffers)]
        return cls(*(_PREFIX.size + at for at in (rows, *begins, body)))


@dataclass(frozen=True, slots=True)
class _Layout:
    """Metadata of a record batch: its rows, the nulls of each column, and where its buffers lie in the body."""

    rows: int
    nulls: tuple[int, ...]
    buffers: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, metadata: bytes) -> _Layout:
        """Read it; struct.error or ValueError where it is none."""

        def pairs(at: int) -> list[tuple[int, int]]:
            vector = at + struct.unpack_from("<I", metadata, at)[0]
            count = struct.unpack_from("<I", metadata, vector)[0]
            end = vector + 4 + 16 * count
            if end > len(metadata):
                raise ValueError("a vector ends behind the metadata")
            return list(struct.iter_unpack("<qq", metadata[vector + 4 : end]))

        header = _field(metadata, struct.unpack_from("<I", metadata)[0], 2)
        batch = header + struct.unpack_from("<I", metadata, header)[0]
        length, nodes, buffers = (_field(metadata, batch, index) for index in range(3))
        if not (header and length and nodes and buffers) or _field(metadata, batch, 3) or _field(metadata, batch, 4):
            raise ValueError("not a plain record batch")
        rows = struct.unpack_from("<q", metadata, length)[0]
        told = pairs(nodes)
        if any(node != rows or not 0 <= nulls <= rows for node, nulls in told):
            raise ValueError("columns of different lengths")
        return cls(rows, tuple(nulls for _, nulls in told), tuple(pairs(buffers)))


class _Bodies:
    """Bodies of equal layout; columns are taken in order."""

    def __init__(self, bodies: pa.Array, size: int, layout: _Layout) -> None:
        self._bodies = bodies
        self._size = size
        self._rows = layout.rows
        self._count = layout.rows * len(bodies)
        self._buffers = iter(layout.buffers)

    def column(self, kind: pa.DataType, nulls: int) -> pa.Array | None:
        """The next column, or None where it is not plain."""
        validity = next(self._buffers, (0, 0))
        if kind == pa.string():
            values = self._texts(next(self._buffers, (0, 0)), next(self._buffers, (0, 0)), empty=nulls == self._rows)
        elif kind == pa.bool_():
            values = self._bits(next(self._buffers, (0, 0)))
        else:
            values = self._flat(next(self._buffers, (0, 0)), kind)
        if nulls == self._rows:
            return pa.nulls(self._count, kind)
        if nulls and values is not None:
            valid = self._bits(validity)
            values = None if valid is None else pc.if_else(valid, values, pa.scalar(None, kind))
        return values

    def _slice(self, offset: int, length: int) -> pa.Buffer | None:
        """These bytes of all bodies, one after the other."""
        if offset < 0 or length <= 0 or offset + length > self._size:
            return None
        return pc.binary_slice(self._bodies, offset, offset + length).buffers()[1]

    def _flat(self, where: tuple[int, int], kind: pa.DataType) -> pa.Array | None:
        width = _FLAT[kind] * self._rows
        found = self._slice(where[0], width) if width <= where[1] else None
        return None if found is None else pa.Array.from_buffers(kind, self._count, [None, found])

    def _bits(self, where: tuple[int, int]) -> pa.Array | None:
        width = (self._rows + 7) // 8
        found = self._slice(where[0], width) if width <= where[1] else None
        if found is None:
            return None
        if self._rows % 8 == 0:
            return pa.Array.from_buffers(pa.bool_(), self._count, [None, found])
        pieces = (found.slice(at, width) for at in range(0, width * len(self._bodies), width))
        return pa.concat_arrays([pa.Array.from_buffers(pa.bool_(), self._rows, [None, piece]) for piece in pieces])

    def _texts(self, offsets: tuple[int, int], data: tuple[int, int], *, empty: bool) -> pa.Array | None:
        """Texts, where those of each body are as long in all as those of every other."""
        if empty:
            return pa.nulls(self._count, pa.string())
        if 4 * (self._rows + 1) > offsets[1]:
            return None
        begins, ends, first, last = (
            self._int32(offsets[0] + 4 * begin, count)
            for begin, count in ((0, self._rows), (1, self._rows), (0, 1), (self._rows, 1))
        )
        if begins is None or ends is None or first is None or last is None:
            return None
        total = last[0].as_py()
        lengths = pc.subtract(ends, begins)
        if (
            not 0 <= total <= data[1]
            or total * len(self._bodies) > _MAX_TEXT
            or pc.any(pc.not_equal(first, _NONE)).as_py()
            or pc.any(pc.not_equal(last, total)).as_py()
            or pc.any(pc.less(lengths, _NONE)).as_py()
        ):
            return None
        text = self._slice(data[0], total) if total else pa.py_buffer(b"")
        if text is None:
            return None
        ordered = pa.concat_arrays([_BEGIN, pc.cumulative_sum(lengths)])
        return pa.Array.from_buffers(pa.string(), self._count, [None, ordered.buffers()[1], text])

    def _int32(self, offset: int, count: int) -> pa.Array | None:
        found = self._slice(offset, 4 * count)
        return None if found is None else pa.Array.from_buffers(pa.int32(), count * len(self._bodies), [None, found])
