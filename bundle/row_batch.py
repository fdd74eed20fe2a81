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
        count = len(rows)
        numbers = {kind: struct.Struct(f"<{count}{kind}") for kind in "qd"}
        bits, words, ends = (_padded(bytes(size)) for size in ((count + 7) // 8, 8 * count, 4 * (count + 1)))
        nothing = {"q": (bits, words), "d": (bits, words), "bit": (bits, bits), "text": (bits, ends, b"")}
        # Every row in the order of the columns, whatever its own.
        blank = {name: default.get(name) for name, _ in self._columns if name in names or name == "seq"}
        columns = zip(*[(blank | row).values() for row in rows], strict=True)
        nodes: list[int] = []
        parts: list[bytes] = []
        try:
            for name, kind in self._columns:
                if name not in blank:
                    nodes += count, count
                    parts += nothing[kind]
                    continue
                values: Sequence[Any] = next(columns)
                if name == "seq":
                    values = range(seq, seq + count)
                nulls = values.count(None)
                nodes += count, nulls
                parts.append(_bits([value is not None for value in values]) if nulls else b"")
                if kind == "text":
                    parts += _texts(values)
                elif kind == "bit":
                    parts.append(_bits(values))
                else:
                    parts.append(
                        numbers[kind].pack(*([0 if value is None else value for value in values] if nulls else values))
                    )
        except (struct.error, TypeError, AttributeError, OverflowError, UnicodeEncodeError):
            return None
        return self._joined(count, nodes, parts)

    def _joined(self, count: int, nodes: list[int], parts: list[bytes]) -> bytes:
        head, places = self._head, self._places
        sizes = [len(part) for part in parts]
        begins = [0, *accumulate(sizes)]
        struct.pack_into("<q", head, places.rows, count)
        struct.pack_into("<q", head, places.body, begins[-1])
        self._nodes.pack_into(head, places.nodes, *nodes)
        told = [0] * (2 * len(parts))
        told[::2], told[1::2] = begins[:-1], sizes
        self._buffers.pack_into(head, places.buffers, *told)
        return b"".join((head, *parts))


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
