"""Shapes of a loss, and the files of trackers that are not plain text."""

from __future__ import annotations

import json
import math
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from random import Random


def fall(rng: Random, n: int, start: float, end: float, noise: float = 0.02, rate: float = 5.0) -> list[float]:
    """A loss that goes from start towards end, with noise as a part of itself."""
    return [(end + (start - end) * math.exp(-rate * i / n)) * (1 + rng.gauss(0, noise)) for i in range(n)]


def lines(file: Path, text: Iterable[str]) -> None:
    """Write lines to a file, with the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(line + "\n" for line in text))


def table(file: Path, head: str, rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV."""
    lines(file, [head, *(",".join(map(str, row)) for row in rows)])


def records(file: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write JSON lines."""
    lines(file, map(json.dumps, rows))


def _crc(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def events(file: Path, start: float, rows: Iterable[tuple[int, float, dict[str, float]]]) -> None:
    """Write scalars as TensorBoard does: rows of step, seconds since start, and what was measured."""
    found = [b"\x09" + struct.pack("<d", start) + _field(3, b"brain.Event:2")]
    for step, after, values in rows:
        summary = b"".join(
            _field(1, _field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)) for tag, value in values.items()
        )
        found.append(b"\x09" + struct.pack("<d", start + after) + b"\x10" + _varint(step) + _field(5, summary))
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as out:
        for event in found:
            size = struct.pack("<Q", len(event))
            out.write(size + struct.pack("<I", _crc(size)) + event + struct.pack("<I", _crc(event)))
