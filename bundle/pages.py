"""Sizes of Parquet pages, read from the page headers themselves.

A footer states how large a column is when it is unpacked, and Arrow then believes each page's own header: a footer that
states little over pages that unpack to gigabytes would get past every other check. This reads just enough of the
headers (Thrift compact protocol, struct PageHeader of parquet.thrift) to add the pages up before Arrow unpacks one.
"""

from __future__ import annotations

from typing import Final

_BOOLEANS: Final = (1, 2)
_BYTE: Final = 3
_INTEGERS: Final = (4, 5, 6)
_DOUBLE: Final = 7
_BINARY: Final = 8
_STRUCT: Final = 12
_UNPACKED_SIZE: Final = 2  # PageHeader.uncompressed_page_size
_STORED_SIZE: Final = 3  # PageHeader.compressed_page_size
_PAGE_STRUCTS: Final = {5: 2, 7: 2, 8: 4}  # data, dictionary and version 2 data page: which field is the encoding
_MAX_DEPTH: Final = 8


def measure(data: memoryview, begin: int, end: int) -> tuple[int, frozenset[int]]:
    """Add up the pages of the column that lies in ``data[begin:end]``.

    Returns:
        Bytes of the unpacked pages, headers included (what a footer calls total_uncompressed_size), and the encodings
        their headers name (numbers of parquet.thrift).

    Raises:
        ValueError: These bytes are no sequence of pages.
    """
    if not 0 <= begin <= end <= len(data):
        raise ValueError("pages outside the file")
    total = 0
    encodings: set[int] = set()
    at = begin
    while at < end:
        reader = _Reader(data, at, end)
        header = reader.struct()
        unpacked, stored = header.get(_UNPACKED_SIZE), header.get(_STORED_SIZE)
        if not isinstance(unpacked, int) or not isinstance(stored, int) or unpacked < 0 or stored < 0:
            raise ValueError("a page without sizes")
        for field, inner in _PAGE_STRUCTS.items():
            page = header.get(field)
            if isinstance(page, dict) and isinstance(encoding := page.get(inner), int):
                encodings.add(encoding)
        total += reader.at - at + unpacked
        at = reader.at + stored
    if at != end:
        raise ValueError("a page beyond its column")
    return total, frozenset(encodings)


class _Reader:
    """Reads Thrift compact structs; keeps integers and structs, passes over everything else."""

    def __init__(self, data: memoryview, at: int, end: int) -> None:
        self._data = data
        self.at = at
        self._end = end

    def struct(self, depth: int = 0) -> dict[int, object]:
        """Fields of the struct that begins here, by number."""
        fields: dict[int, object] = {}
        number = 0
        while kind := self._byte():
            delta = kind >> 4
            number = number + delta if delta else self._integer()
            fields[number] = self._value(kind & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> object:
        if depth > _MAX_DEPTH:
            raise ValueError("too deep for a page header")
        if kind in _INTEGERS:
            return self._integer()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in _BOOLEANS:
            return kind == _BOOLEANS[0]
        if kind in (_BYTE, _DOUBLE, _BINARY):
            self._skip(self._varint() if kind == _BINARY else 1 if kind == _BYTE else 8)
            return None
        # Page headers hold no lists, maps or sets.
        raise ValueError("not a page header")

    def _byte(self) -> int:
        if self.at >= self._end:
            raise ValueError("a page header beyond its column")
        self.at += 1
        return self._data[self.at - 1]

    def _skip(self, count: int) -> None:
        if count > self._end - self.at:
            raise ValueError("a page header beyond its column")
        self.at += count

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number too long for a page header")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
