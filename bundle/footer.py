"""The footer of a Parquet file, checked before Arrow is asked about its columns.

Arrow trusts a footer once it is decoded: asked from Python for the metadata of a column whose statistics have another
length than its type, it ends the whole process, as its exception meets no one who catches it (pyarrow 18 to 26,
``RowGroupMetaData.column`` and ``ColumnChunkMetaData.statistics``). A stranger's footer is therefore read here first,
as far as Arrow would believe it (Thrift compact protocol, struct FileMetaData of parquet.thrift).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from inquest.bundle.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES: Final = 16 << 20
"""A larger footer than this is none of ours."""

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_I32: Final = 5
_INTEGERS: Final = (4, _I32, 6)
_MAX_DEPTH: Final = 12

_BOUND_BYTES: Final = {0: 1, 1: 4, 2: 8, 4: 4, 5: 8, 6: None}
"""Length of a least or greatest value by physical type (boolean, int32, int64, float, double, text). No others here."""
_TEXT: Final = 6
_CODECS: Final = range(8)


def check(footer: bytes) -> None:
    """See that row groups fit the schema and statistics fit their columns.

    Args:
        footer: The bytes between the last page and the length at the end of the file.

    Raises:
        ValueError: They do not, or these bytes are no footer of flat columns.
    """
    try:
        _check(footer)
    except IndexError as error:
        raise ValueError("a footer that ends in its middle") from error


def check_file(path: Path) -> None:
    """`check` for a file on disk.

    Raises:
        InputError: Its footer is not one that Arrow can be asked about.
        OSError: It cannot be read.
    """
    with open(path, "rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - 8))
        size = int.from_bytes(file.read(4), "little")
        if not 0 < size <= min(MAX_BYTES, end - 8):
            raise InputError("it has no Parquet footer")
        file.seek(end - 8 - size)
        footer = file.read(size)
    try:
        check(footer)
    except ValueError as error:
        raise InputError(f"its Parquet footer cannot be right: {error}") from error


def _check(data: bytes) -> None:
    schema: list[tuple[int, int]] | None = None
    at = number = 0
    while head := data[at]:
        number, at = _field(data, at, number)
        if number == 2:
            schema, at = _schema(data, at, head & 15)
        elif number == 4:
            if schema is None:
                raise ValueError("row groups before their schema")
            count, at = _list(data, at, head & 15)
            for _ in range(count):
                at = _row_group(data, at, schema)
        else:
            at = _skip(data, at, head & 15)


def _schema(data: bytes, at: int, kind: int) -> tuple[list[tuple[int, int]], int]:
    """Physical type and greatest definition level of every column."""
    count, at = _list(data, at, kind)
    columns = []
    for index in range(count):
        fields: dict[int, int] = {}
        number = 0
        while head := data[at]:
            number, at = _field(data, at, number)
            if number in (1, 3, 5):
                _expect(head & 15, _I32)
                fields[number], at = _integer(data, at)
            else:
                at = _skip(data, at, head & 15)
        at += 1
        if index == 0:
            if fields.get(5) != count - 1:
                raise ValueError("nested columns")
        elif fields.get(5) or fields.get(3) not in (0, 1) or fields.get(1) not in _BOUND_BYTES:
            raise ValueError("nested columns, or of a type that is none of ours")
        else:
            columns.append((fields[1], fields[3]))
    return columns, at


def _row_group(data: bytes, at: int, schema: list[tuple[int, int]]) -> int:
    number = 0
    seen = False
    while head := data[at]:
        number, at = _field(data, at, number)
        if number == 1:
            count, at = _list(data, at, head & 15)
            if count != len(schema) or seen:
                raise ValueError("a row group with other columns than the schema")
            seen = True
            for column in schema:
                at = _chunk(data, at, *column)
        else:
            at = _skip(data, at, head & 15)
    if not seen:
        raise ValueError("a row group without columns")
    return at + 1


def _chunk(data: bytes, at: int, physical: int, level: int) -> int:
    number = 0
    seen = False
    while head := data[at]:
        number, at = _field(data, at, number)
        if number == 3 and head & 15 == _STRUCT and not seen:
            seen = True
            at = _column(data, at, physical, level)
        elif number in (3, 8, 9):
            raise ValueError("a column that is encrypted, or described twice")
        else:
            at = _skip(data, at, head & 15)
    if not seen:
        raise ValueError("a column without a description")
    return at + 1


def _column(data: bytes, at: int, physical: int, level: int) -> int:
    number, stated = 0, -1
    while head := data[at]:
        number, at = _field(data, at, number)
        if number == 1:
            _expect(head & 15, _I32)
            stated, at = _integer(data, at)
        elif number == 4:
            _expect(head & 15, _I32)
            codec, at = _integer(data, at)
            if codec not in _CODECS:
                raise ValueError("a compression that Parquet does not have")
        elif number == 12:
            at = _statistics(data, at, head & 15, _BOUND_BYTES[physical])
        elif number == 16:
            at = _levels(data, at, head & 15, physical, level)
        elif number == 17:
            raise ValueError("statistics of places")
        else:
            at = _skip(data, at, head & 15)
    if stated != physical:
        raise ValueError("a column of another type than the schema says")
    return at + 1


def _statistics(data: bytes, at: int, kind: int, size: int | None) -> int:
    _expect(kind, _STRUCT)
    number = 0
    while head := data[at]:
        number, at = _field(data, at, number)
        if number in (1, 2, 5, 6):
            _expect(head & 15, _BINARY)
            length, at = _varint(data, at)
            if size is not None and length != size:
                raise ValueError("a bound of another length than its type")
            at += length
        else:
            at = _skip(data, at, head & 15)
    return at + 1


def _levels(data: bytes, at: int, kind: int, physical: int, level: int) -> int:
    """SizeStatistics: histograms of levels, one count for each level there is."""
    _expect(kind, _STRUCT)
    number = 0
    while head := data[at]:
        number, at = _field(data, at, number)
        if number == 1 and physical != _TEXT:
            raise ValueError("a size of texts in a column of none")
        if number in (2, 3):
            count, _ = _list(data, at, head & 15)
            if count not in (0, 1 if number == 2 else level + 1):
                raise ValueError("a histogram of levels that are not there")
        at = _skip(data, at, head & 15)
    return at + 1


# --- Thrift compact protocol -------------------------------------------------------------------------------------


def _field(data: bytes, at: int, previous: int) -> tuple[int, int]:
    """Number of the field whose head is at ``at``, and where its value begins."""
    delta = data[at] >> 4
    if delta:
        return previous + delta, at + 1
    return _integer(data, at + 1)


def _expect(kind: int, expected: int) -> None:
    if kind != expected:
        raise ValueError("a field of another type than Parquet gives it")


def _list(data: bytes, at: int, kind: int) -> tuple[int, int]:
    """How many structs or numbers a list holds, and where the first begins."""
    _expect(kind, _LIST)
    count = data[at] >> 4
    if count == 15:
        return _varint(data, at + 1)
    return count, at + 1


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while (byte := data[at]) >= 0x80:
        value |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if shift > 63:
            raise ValueError("a number too long")
    return value | byte << shift, at + 1


def _integer(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def _skip(data: bytes, at: int, kind: int, depth: int = 0, *, in_list: bool = False) -> int:
    """Where the value of type ``kind`` that begins at ``at`` ends."""
    if kind in _INTEGERS:
        while data[at] >= 0x80:
            at += 1
        return at + 1
    if kind == _BINARY:
        length, at = _varint(data, at)
        return at + length
    if kind in (_TRUE, _FALSE):
        return at + in_list
    if kind in (_BYTE, _DOUBLE):
        return at + (1 if kind == _BYTE else 8)
    if depth > _MAX_DEPTH:
        raise ValueError("nested too deeply")
    if kind == _STRUCT:
        while head := data[at]:
            _, at = _field(data, at, 0)
            at = _skip(data, at, head & 15, depth + 1)
        return at + 1
    if kind in (_LIST, _SET):
        element = data[at] & 15
        count, at = _list(data, at, _LIST)
        for _ in range(count):
            at = _skip(data, at, element, depth + 1, in_list=True)
            if at > len(data):
                raise IndexError
        return at
    raise ValueError("a field of a type that no footer has")
