"""Rows as the Arrow message that a journal holds, written by hand.

A recorder appends a few rows of many columns every other second. Arrow makes a builder and buffers for each column, by
code and in memory that have left the CPU's caches since the last time; here rows become columns by `zip` and columns
bytes by `struct`, at half the cost. What is not plain (text that is no UTF-8, a value that does not fit) is left to
Arrow, which also words the error.

Layout: Arrow, "Encapsulated message format" and format/Message.fbs. For one schema the metadata of all record batches
are equal but for some integers, which are put into those of a message that Arrow itself wrote.
"""

from __future__ import annotations

import struct
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from inquest.bundle import uniform

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_KINDS: Final = {pa.int64(): "q", pa.float64(): "d", pa.bool_(): "bit", pa.string(): "text"}
"""Of a column, by its type; numbers by their format in `struct`."""
_MOST_SHAPES: Final = 64
"""Of one table: how many rows come together, and which columns they fill, is as a rule what it was."""
_TRUTH: Final = frozenset({bool, type(None)})


class RowBatches:
    """Writes record batches of one schema, whose columns are int64, float64, bool or string."""

    def __init__(self, schema: pa.Schema) -> None:
        self._columns = [(field.name, _KINDS[field.type]) for field in schema]
        one = pa.RecordBatch.from_arrays([pa.nulls(1, kind) for kind in schema.types], schema=schema)
        head = uniform.head(one.serialize().to_pybytes())
        self._head, self._places = bytearray(head), uniform.Places.of(head)
        self._nodes = struct.Struct(f"<{2 * len(self._columns)}q")
        # A text has offsets between its validity and its bytes; all others have two buffers.
        count = sum(3 if kind == "text" else 2 for _, kind in self._columns)
        self._buffers = struct.Struct(f"<{2 * count}q")
        self._shapes: dict[tuple[int, frozenset[str]], _Shape] = {}

    def message(
        self, rows: Sequence[dict[str, Any]], names: Collection[str], default: dict[str, Any], seq: int
    ) -> bytes | None:
        """The rows as one message; None where Arrow must look at them.

        Args:
            rows: One or more rows; what a row lacks is null.
            names: All columns that any of them has, and those of ``default``.
            default: What stands where a row lacks it.
            seq: ``seq`` of the first row; the next ones follow it.
        """
        shape = self._shape(len(rows), frozenset(names))
        # Every row in the order of the columns, whatever its own.
        blank = shape.blank | default
        columns = zip(*[(blank | row).values() for row in rows], strict=True)
        nodes, parts = shape.nodes[:], shape.parts[:]
        try:
            for (place, kind), values in zip(shape.filled, columns, strict=True):
                node, part = place
                if node < 0:  # seq
                    parts[part] = shape.numbers["q"].pack(*range(seq, seq + len(rows)))
                    continue
                nulls = values.count(None)
                if nulls:
                    nodes[node] = nulls
                    parts[part - 1] = _bits([value is not None for value in values])
                if kind == "text":
                    parts[part], parts[part + 1] = _texts(values)
                elif kind == "bit":
                    parts[part] = _bits(values)
                elif nulls:
                    parts[part] = shape.numbers[kind].pack(*[0 if value is None else value for value in values])
                else:
                    parts[part] = shape.numbers[kind].pack(*values)
        except (struct.error, TypeError, AttributeError, OverflowError, UnicodeEncodeError):
            return None
        return b"".join((self._metadata(shape, nodes, list(map(len, parts))), *parts))

    def _shape(self, count: int, names: frozenset[str]) -> _Shape:
        known = self._shapes.get((count, names))
        if known is None:
            if len(self._shapes) >= _MOST_SHAPES:
                self._shapes.clear()
            known = self._shapes[count, names] = _Shape(self._columns, count, names)
        return known

    def _metadata(self, shape: _Shape, nodes: list[int], sizes: list[int]) -> bytes:
        """What goes before the buffers; the same as the last time where they have the same nulls and sizes."""
        if nodes == shape.last_nodes and sizes == shape.last_sizes:
            return shape.last_metadata
        head, places = self._head, self._places
        begins = [0, *accumulate(sizes)]
        struct.pack_into("<q", head, places.rows, shape.count)
        struct.pack_into("<q", head, places.body, begins[-1])
        self._nodes.pack_into(head, places.nodes, *nodes)
        told = [0] * (2 * len(sizes))
        told[::2], told[1::2] = begins[:-1], sizes
        self._buffers.pack_into(head, places.buffers, *told)
        shape.last_nodes, shape.last_sizes, shape.last_metadata = nodes, sizes, bytes(head)
        return shape.last_metadata


class _Shape:
    """Messages of so many rows that fill the same columns: what is alike in all of them.

    Attributes:
        filled: Of each column that is filled where its nulls stand in ``nodes`` (negative: of ``seq``, which has none)
            and its values in ``parts``, and its kind.
        blank: A row of nothing, in the order of the columns.
        nodes: Rows and nulls of each column, as long as a filled one has none.
        parts: The buffers, those of filled columns empty.
        last_metadata: What the last message began with, which had ``last_nodes`` and ``last_sizes``.
    """

    def __init__(self, columns: Sequence[tuple[str, str]], count: int, names: frozenset[str]) -> None:
        self.count = count
        self.numbers = {kind: struct.Struct(f"<{count}{kind}") for kind in "qd"}
        self.filled: list[tuple[tuple[int, int], str]] = []
        self.blank: dict[str, Any] = {}
        self.nodes: list[int] = []
        self.parts: list[bytes] = []
        self.last_nodes: list[int] = []
        self.last_sizes: list[int] = []
        self.last_metadata = b""
        bits, words, ends = (_padded(bytes(size)) for size in ((count + 7) // 8, 8 * count, 4 * (count + 1)))
        nothing = {"q": (bits, words), "d": (bits, words), "bit": (bits, bits), "text": (bits, ends, b"")}
        for name, kind in columns:
            if name == "seq" or name in names:
                self.filled.append(((-1 if name == "seq" else len(self.nodes) + 1, len(self.parts) + 1), kind))
                self.blank[name] = None
                self.nodes += count, 0
                self.parts += (b"",) * len(nothing[kind])
            else:
                self.nodes += count, count
                self.parts += nothing[kind]


def _padded(data: bytes) -> bytes:
    """To a multiple of eight bytes, as buffers of a message are."""
    return data + bytes(-len(data) % 8)


def _bits(values: Sequence[object]) -> bytes:
    """One bit a value, least significant first."""
    if not _TRUTH.issuperset(map(type, values)):
        raise TypeError
    number = int("".join(["1" if value else "0" for value in reversed(values)]), 2)
    return _padded(number.to_bytes((len(values) + 7) // 8, "little"))


def _texts(values: Sequence[str | None]) -> tuple[bytes, bytes]:
    """Offsets and bytes of texts; null is as long as nothing."""
    encoded = [b"" if value is None else value.encode() for value in values]
    ends = struct.pack(f"<{len(values) + 1}i", 0, *accumulate(map(len, encoded)))
    return _padded(ends), _padded(b"".join(encoded))
