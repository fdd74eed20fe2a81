"""SIMULATED training: how losses fall, what noise lies on them, and the forms in which they are kept."""

from __future__ import annotations

import json
import math
import struct
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from random import Random


@dataclass
class Wander:
    """Noise that remembers: each value keeps ``keep`` of the one before."""

    rnd: Random
    sigma: float
    keep: float = 0.6
    at: float = 0.0

    def __call__(self) -> float:
        self.at = self.keep * self.at + self.sigma * math.sqrt(1 - self.keep**2) * self.rnd.gauss(0, 1)
        return self.at


def power(step: float, top: float, floor: float, knee: float, steep: float = 0.5) -> float:
    """A loss that falls from ``top`` to ``floor`` as a power of steps, as those of language models do."""
    return floor + (top - floor) * (1 + step / knee) ** -steep


def fall(step: float, top: float, floor: float, scale: float) -> float:
    """A loss that falls exponentially."""
    return floor + (top - floor) * math.exp(-step / scale)


def cosine(step: float, total: float, peak: float, warm: float = 0, least: float = 0) -> float:
    """Learning rate with a linear warm-up and a cosine decay."""
    if step < warm:
        return peak * (step + 1) / warm
    x = min(1.0, (step - warm) / max(1.0, total - warm))
    return least + (peak - least) * (1 + math.cos(math.pi * x)) / 2


def when(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: float = 0) -> datetime:
    """A wall clock, without a zone."""
    return datetime(year, month, day, hour, minute, tzinfo=UTC) + timedelta(seconds=second)


def table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], sep: str = ",") -> None:
    """A table with a header."""
    lines = [sep.join(header), *(sep.join(str(cell) for cell in row) for row in rows)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def json_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """One object a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def text(path: Path, lines: Iterable[str]) -> None:
    """Lines of text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


# -- protobuf by hand, for TensorBoard and W&B ---------------------------------------------------------------------


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def blob(field: int, data: bytes | str) -> bytes:
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def _castagnoli() -> list[int]:
    out = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        out.append(value)
    return out


_CRC32C = _castagnoli()


def _masked(data: bytes) -> bytes:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC32C[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def tensorboard(path: Path, start: float, rows: Iterable[tuple[float, int, Mapping[str, float]]]) -> None:
    """An event file: of each row its seconds since ``start``, its step, and values by tag."""
    events = [struct.pack("<Bd", 9, start) + blob(3, "brain.Event:2")]
    for seconds, step, values in rows:
        for tag, value in values.items():
            summary = blob(1, blob(1, tag) + struct.pack("<Bf", 0x15, value))
            events.append(struct.pack("<Bd", 9, start + seconds) + b"\x10" + varint(step) + blob(5, summary))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for event in events:
            size = struct.pack("<Q", len(event))
            file.write(size + _masked(size) + event + _masked(event))


def wandb(path: Path, rows: Iterable[Mapping[str, Any]], ended: tuple[int, int] | None) -> None:
    """The file of a W&B run: its history, and code and seconds of its end if it ended."""
    records = [blob(21, blob(1, blob(1, "0.17.4")))]
    for number, row in enumerate(rows):
        items = b"".join(blob(1, blob(1, key) + blob(16, json.dumps(value))) for key, value in row.items())
        records.append(blob(2, items + blob(2, b"\x08" + varint(number))))
    if ended:
        records.append(blob(18, b"\x08" + varint(ended[0]) + b"\x10" + varint(ended[1])))
    out = bytearray(struct.pack("<4sHB", b":W&B", 0xBEE1, 0))
    for number, record in enumerate(records):
        data, first = b"\x08" + varint(number + 1) + record, True
        while data or first:
            left = 32768 - len(out) % 32768
            if left < 7:
                out += bytes(left)
                continue
            piece, data = data[: left - 7], data[left - 7 :]
            kind = (1 if first else 4) if not data else (2 if first else 3)
            out += struct.pack("<IHB", zlib.crc32(piece, zlib.crc32(bytes([kind]))), len(piece), kind) + piece
            first = False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(out))
