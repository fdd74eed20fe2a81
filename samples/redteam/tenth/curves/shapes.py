"""What loss curves look like, and files people keep them in."""

from __future__ import annotations

import json
import math
import struct
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from random import Random


def fall(rng: Random, count: int, start: float, end: float, tau: float = 0.12, noise: float = 0.01) -> list[float]:
    """A loss that falls from ``start`` towards ``end``, a ``tau`` of the whole being one time constant."""
    return [(end + (start - end) * math.exp(-i / (tau * count))) * math.exp(rng.gauss(0, noise)) for i in range(count)]


def flat(rng: Random, count: int, level: float, noise: float = 0.004) -> list[float]:
    """A loss that stays where it is."""
    return [level * (1 + rng.gauss(0, noise)) for _ in range(count)]


def cosine(step: int, steps: int, peak: float, warm: int, floor: float = 0.0) -> float:
    """A learning rate: linear warm-up, then half a cosine to the floor."""
    if step < warm:
        return peak * step / warm
    done = min(1.0, (step - warm) / max(1, steps - warm))
    return floor + (peak - floor) * (1 + math.cos(math.pi * done)) / 2


def clock(seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime(form)


def jsonl(path: Path, rows: Iterable[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def csv(path: Path, head: str, rows: Iterable[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))


def _crc(data: bytes) -> int:
    """CRC-32C, masked as TFRecord wants it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def events(path: Path, rows: Iterable[tuple[float, int, dict[str, float]]]) -> None:
    """A TensorBoard event file of scalars: wall time, step, values by tag."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = list(rows)
    first: tuple[float, int, dict[str, float]] = (kept[0][0], 0, {})
    with path.open("wb") as file:
        for number, (wall, step, values) in enumerate([first, *kept]):
            event = b"\x09" + struct.pack("<d", wall)
            if number == 0:
                event += _field(3, b"brain.Event:2")
            else:
                summary = b"".join(
                    _field(1, _field(1, tag.encode()) + b"\x15" + struct.pack("<f", value))
                    for tag, value in values.items()
                )
                event += b"\x10" + _varint(step) + _field(5, summary)
            length = struct.pack("<Q", len(event))
            file.write(length + struct.pack("<I", _crc(length)) + event + struct.pack("<I", _crc(event)))
