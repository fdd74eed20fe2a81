"""Shapes of curves, and the files they are kept in."""

from __future__ import annotations

import csv
import json
import math
import struct
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from random import Random

NAN: Final = float("nan")


class Walk:
    """Noise of batches: each remembers something of the one before."""

    def __init__(self, rng: Random, sigma: float, keep: float = 0.3) -> None:
        self._rng, self._sigma, self._keep, self._last = rng, sigma, keep, 0.0

    def __call__(self, times: float = 1.0) -> float:
        self._last = self._keep * self._last + self._rng.gauss(0.0, self._sigma)
        return self._last * times


def fall(step: float, top: float, floor: float, half: float, power: float = 0.6) -> float:
    """A power law from ``top`` to ``floor``."""
    return floor + (top - floor) / math.pow(1.0 + step / half, power)


def cosine(step: float, total: float, peak: float, warm: float = 0.0, least: float = 0.0) -> float:
    """A warm-up, and half a cosine."""
    if step < warm:
        return peak * step / warm
    done = min(1.0, (step - warm) / max(1.0, total - warm))
    return least + (peak - least) * 0.5 * (1.0 + math.cos(math.pi * done))


def linear(step: float, total: float, peak: float, warm: float = 0.0) -> float:
    """A warm-up, and a straight line to nothing."""
    return peak * step / warm if step < warm else peak * max(0.0, (total - step) / max(1.0, total - warm))


def clock(epoch: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    return datetime.fromtimestamp(epoch, UTC).strftime(form)


def millis(epoch: float, mark: str = ",") -> str:
    return f"{clock(epoch)}{mark}{int(epoch % 1 * 1000):03d}"


def table(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]], sep: str = ",") -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=sep, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def lines(path: Path, rows: Iterable[str]) -> None:
    path.write_text("".join(f"{row}\n" for row in rows))


def records(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    lines(path, (json.dumps(row) for row in rows))


def trainer_state(path: Path, history: list[dict[str, Any]], **told: Any) -> None:  # noqa: ANN401
    """trainer_state.json of a Trainer."""
    last = history[-1]
    state: dict[str, Any] = {
        "best_global_step": None,
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": last["epoch"],
        "eval_steps": 500,
        "global_step": last["step"],
        "is_hyper_param_search": False,
        "is_local_process_zero": True,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": 10,
        "max_steps": last["step"],
        "num_train_epochs": 3,
        "save_steps": 500,
        "total_flos": 8.1e17,
        "train_batch_size": 4,
        "trial_params": None,
    }
    path.write_text(json.dumps({**state, **told}, indent=2))


def _crc(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _entry(number: int) -> int:
    for _ in range(8):
        number = number >> 1 ^ (0x82F63B78 if number & 1 else 0)
    return number


_CRC: Final = tuple(_entry(number) for number in range(256))


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def events(path: Path, start: float, scalars: Iterable[tuple[float, int, str, float]]) -> None:
    """A file of TensorBoard's events: seconds since start, step, tag, value."""

    def record(data: bytes) -> bytes:
        head = struct.pack("<Q", len(data))
        return head + struct.pack("<I", _crc(head)) + data + struct.pack("<I", _crc(data))

    parts = [record(b"\x09" + struct.pack("<d", start) + _field(3, b"brain.Event:2"))]
    for after, step, tag, value in scalars:
        one = _field(1, _field(1, tag.encode()) + b"\x15" + struct.pack("<f", value))
        parts.append(record(b"\x09" + struct.pack("<d", start + after) + b"\x10" + _varint(step) + _field(5, one)))
    path.write_bytes(b"".join(parts))
