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
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from inquest.bundle import uniform

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_KINDS: Final = {pa.int64(): "q", pa.float64(): "d", pa.bool_(): "bit", pa.string(): "text"}
"""Of a column, by its type; numbers by their format in `struct`."""
_MOST_SHAPES: Final = 64
"""Of one table: how many rows come together, and which columns they fill, is as a rule what it was."""
_MOST_TEXTS: Final = 128
_SHORT: Final = 4096
"""Bytes of a column of texts that is remembered."""
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
        self._texts: dict[Sequence[str | None], tuple[bytes, bytes]] = {}

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
        columns: list[Sequence[Any]] = list(zip(*[(blank | row).values() for row in rows], strict=True))
        columns[shape.seq] = range(seq, seq + len(rows))
        layout = shape.layout([column.count(None) for column in columns])
        parts, sizes = layout.parts[:], layout.sizes[:]
        try:
            for part, numbers, begin, end in layout.runs:
                parts[part] = numbers.pack(*chain.from_iterable(columns[begin:end]))
            for at, part, kind, nulls in layout.others:
                values = columns[at]
                if nulls:
                    parts[part - 1] = _bits([value is not None for value in values])
                if kind == "text":
                    parts[part], parts[part + 1] = self._text(values)
                    sizes[part + 1] = len(parts[part + 1])
                elif kind == "bit":
                    parts[part] = _bits(values)
                else:
                    parts[part] = shape.numbers[kind].pack(*[0 if value is None else value for value in values])
        except (struct.error, TypeError, AttributeError, OverflowError, UnicodeEncodeError):
            return None
        return b"".join((self._metadata(shape, layout, sizes), *parts))

    def _shape(self, count: int, names: frozenset[str]) -> _Shape:
        known = self._shapes.get((count, names))
        if known is None:
            if len(self._shapes) >= _MOST_SHAPES:
                self._shapes.clear()
            known = self._shapes[count, names] = _Shape(self._columns, count, names)
        return known

    def _metadata(self, shape: _Shape, layout: _Layout, sizes: list[int]) -> bytes:
        """What goes before the buffers; the same as the last time where texts are as long as they were."""
        if sizes == layout.last_sizes:
            return layout.last_metadata
        head, places = self._head, self._places
        begins = [0, *accumulate(sizes)]
        struct.pack_into("<q", head, places.rows, shape.count)
        struct.pack_into("<q", head, places.body, begins[-1])
        self._nodes.pack_into(head, places.nodes, *layout.nodes)
        told = [0] * (2 * len(sizes))
        told[::2], told[1::2] = begins[:-1], sizes
        self._buffers.pack_into(head, places.buffers, *told)
        layout.last_sizes, layout.last_metadata = sizes, bytes(head)
        return layout.last_metadata

    def _text(self, values: Sequence[str | None]) -> tuple[bytes, bytes]:
        """As `_texts`; names of GPUs and functions come again and again, and are not encoded anew."""
        known = self._texts.get(values)
        if known is None:
            known = _texts(values)
            if len(known[0]) + len(known[1]) <= _SHORT:
                if len(self._texts) >= _MOST_TEXTS:
                    self._texts.clear()
                self._texts[values] = known
        return known


class _Shape:
    """Messages of so many rows that fill the same columns: what is alike in all of them.

    Attributes:
        blank: A row of nothing, in the order of the columns.
        seq: Which of the filled columns is ``seq``.
        numbers: Writes one column of numbers, by kind.
    """

    def __init__(self, columns: Sequence[tuple[str, str]], count: int, names: frozenset[str]) -> None:
        self.count = count
        self.numbers = {kind: struct.Struct(f"<{count}{kind}") for kind in "qd"}
        self._columns = [(name == "seq" or name in names, kind) for name, kind in columns]
        filled = [name for name, _ in columns if name == "seq" or name in names]
        self.blank: dict[str, Any] = dict.fromkeys(filled)
        self.seq = filled.index("seq")
        self._layouts: dict[tuple[int, ...], _Layout] = {}

    def layout(self, nulls: list[int]) -> _Layout:
        """That of messages whose filled columns have so many nulls."""
        key = tuple(nulls)
        known = self._layouts.get(key)
        if known is None:
            if len(self._layouts) >= _MOST_SHAPES:
                self._layouts.clear()
            known = self._layouts[key] = _Layout(self._columns, self.count, nulls)
        return known


class _Layout:
    """Messages of one shape with the same number of nulls in each column.

    Attributes:
        nodes: Rows and nulls of each column.
        parts: The buffers, with room for those that differ from message to message.
        sizes: Their sizes, of bytes of text 0.
        runs: Columns of numbers without nulls that stand side by side, which are written as one: which part they
            become, what writes them, and which of the filled columns they are.
        others: The other filled columns: which it is, which part its values are, its kind, its nulls.
        last_metadata: What the last message began with, which had ``last_sizes``.
    """

    def __init__(self, columns: Sequence[tuple[bool, str]], count: int, nulls: list[int]) -> None:
        self.nodes: list[int] = []
        self.parts: list[bytes] = []
        self.sizes: list[int] = []
        self.runs: list[tuple[int, struct.Struct, int, int]] = []
        self.others: list[tuple[int, int, str, int]] = []
        self.last_sizes: list[int] = []
        self.last_metadata = b""
        bits, words, ends = (_padded(bytes(size)) for size in ((count + 7) // 8, 8 * count, 4 * (count + 1)))
        nothing = {"q": (bits, words), "d": (bits, words), "bit": (bits, bits), "text": (bits, ends, b"")}
        at, run = 0, ""
        for is_filled, kind in columns:
            if not is_filled:
                self._close(run, at, count)
                run = ""
                self.nodes += count, count
                self.parts += nothing[kind]
                self.sizes += map(len, nothing[kind])
                continue
            self.nodes += count, nulls[at]
            self.sizes += len(bits) if nulls[at] else 0, *map(len, nothing[kind][1:])
            if kind in "qd" and not nulls[at]:
                run += kind
            else:
                self._close(run, at, count)
                run = ""
                self.others.append((at, len(self.parts) + 1, kind, nulls[at]))
            self.parts += (b"",) * len(nothing[kind])
            at += 1
        self._close(run, at, count)

    def _close(self, run: str, at: int, count: int) -> None:
        """Note the columns of numbers that end before this one."""
        if run:
            numbers = struct.Struct("<" + "".join(f"{count}{kind}" for kind in run))
            self.runs.append((len(self.parts) - 2 * len(run), numbers, at - len(run), at))


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
