"""SIMULATED training: losses, gradients, rewards and clocks with noise, and the plainest forms they are written in."""

from __future__ import annotations

import csv
import io
import json
import math
import struct
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from random import Random


class Noise:
    """Noise with a memory, whose size wanders, and with a heavy tail: what a loss over small batches looks like."""

    def __init__(self, rng: Random, size: float, memory: float = 0.3, tail: float = 0.01) -> None:
        self.rng, self.size, self.memory, self.tail = rng, size, memory, tail
        self.kept, self.swell = 0.0, 0.0

    def __call__(self) -> float:
        self.swell = 0.98 * self.swell + self.rng.gauss(0, 0.06)
        push = self.rng.gauss(0, self.size) * math.exp(self.swell)
        if self.rng.random() < self.tail:
            push *= self.rng.uniform(2.5, 4.5)
        self.kept = self.memory * self.kept + push
        return self.kept


def law(step: float, start: float, floor: float, knee: float, power: float = 0.55) -> float:
    """A power law from ``start`` to ``floor``: half of the bend is behind it after some ``knee`` steps."""
    return floor + (start - floor) / math.pow(1 + step / knee, power)


def cosine(step: float, peak: float, warm: float, total: float, low: float = 0.1) -> float:
    """A learning rate that rises for ``warm`` steps and then falls along a cosine to ``low`` of its peak."""
    if step < warm:
        return peak * (step + 1) / warm
    part = min(1.0, (step - warm) / max(1.0, total - warm))
    return peak * (low + (1 - low) * 0.5 * (1 + math.cos(math.pi * part)))


def grad(rng: Random, typical: float) -> float:
    """The norm of a gradient, log-normal about what is typical."""
    return typical * math.exp(rng.gauss(0, 0.22))


class Clock:
    """The wall clock of a run."""

    def __init__(self, start: str) -> None:
        self.now = datetime.fromisoformat(start).replace(tzinfo=UTC)

    def tick(self, seconds: float) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now

    def comma(self) -> str:
        """As Python's ``logging`` writes it."""
        return self.now.strftime("%Y-%m-%d %H:%M:%S,") + f"{self.now.microsecond // 1000:03}"

    def plain(self) -> str:
        return self.now.strftime("%Y-%m-%d %H:%M:%S")

    @property
    def unix(self) -> float:
        return self.now.timestamp()


def save(path: Path, text: str | Iterable[str], cut: int = 0) -> None:
    """Write text, or its lines; ``cut`` takes so many characters off its end."""
    whole = text if isinstance(text, str) else "".join(f"{line}\n" for line in text)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(whole[: len(whole) - cut], encoding="utf-8")


def table(head: Sequence[str], rows: Iterable[Sequence[object]], between: str = ",") -> str:
    """A table with a header."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=between, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def lines(rows: Iterable[dict[str, Any]]) -> str:
    """JSON lines, NaN as Python writes it."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def span(seconds: float) -> str:
    """As tqdm writes a span of time."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60:02}:{rest % 60:02}"


def _crc_table() -> list[int]:
    out = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        out.append(value)
    return out


_CRC: Final = _crc_table()


def _masked(data: bytes) -> bytes:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _chunk(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _frame(event: bytes) -> bytes:
    head = struct.pack("<Q", len(event))
    return head + _masked(head) + event + _masked(event)


def events(path: Path, start: float, points: Iterable[tuple[float, int, str, float]], cut: int = 0) -> None:
    """Write points of (wall, step, tag, value) as an event file of TensorBoard."""
    out = bytearray(_frame(b"\x09" + struct.pack("<d", start) + _chunk(3, b"brain.Event:2")))
    for wall, step, tag, value in points:
        point = _chunk(1, tag.encode()) + b"\x15" + struct.pack("<f", value)
        out += _frame(b"\x09" + struct.pack("<d", wall) + b"\x10" + _varint(step) + _chunk(5, _chunk(1, point)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(out[: len(out) - cut]))
