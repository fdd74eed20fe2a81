"""A training's figures as life makes them, and the files that libraries keep of them. SIMULATED."""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from random import Random

START = datetime(2026, 10, 5, 8, 12, 44, tzinfo=UTC)


def put(place: Path, name: str, text: str) -> Path:
    """Write a file below the case's folder."""
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def put_json(place: Path, name: str, data: object, indent: int | None = 2) -> None:
    """Write a JSON file as Python's own writer does, NaN and all."""
    put(place, name, json.dumps(data, indent=indent) + "\n")


def put_lines(place: Path, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a file of JSON lines."""
    put(place, name, "".join(json.dumps(row) + "\n" for row in rows))


def put_table(
    place: Path, name: str, head: Sequence[str], rows: Iterable[Sequence[object]], sep: str = ",", end: str = "\n"
) -> None:
    """Write a table with a head."""
    put(
        place, name, "".join(sep.join("" if cell is None else str(cell) for cell in row) + end for row in [head, *rows])
    )


def stamp(at: datetime, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """Say a time; ``%f`` is cut to milliseconds."""
    said = at.strftime(form)
    return said[:-3] if form.endswith("%f") else said


@dataclass
class Noise:
    """Noise with a memory, and now and then a step out of line."""

    rng: Random
    size: float
    memory: float = 0.6
    tail: float = 0.01
    state: float = 0.0

    def __call__(self) -> float:
        self.state = self.memory * self.state + self.rng.gauss(0, 1) * math.sqrt(1 - self.memory**2)
        far = self.rng.expovariate(0.7) if self.rng.random() < self.tail else 0.0
        return self.size * (self.state + far)


@dataclass
class Loss:
    """A loss that falls by a power law to a floor, with noise, the unevenness of data, and a decay's last gain."""

    rng: Random
    start: float
    floor: float
    tau: float
    power: float = 0.55
    noise: float = 0.02
    memory: float = 0.5
    wander: float = 0.01
    fast: Noise = field(init=False)
    slow: Noise = field(init=False)

    def __post_init__(self) -> None:
        self.fast = Noise(self.rng, self.noise, self.memory)
        self.slow = Noise(self.rng, self.wander, 0.985, 0.0)

    def mean(self, step: float) -> float:
        return self.floor + (self.start - self.floor) * float((1 + step / self.tau) ** -self.power)

    def __call__(self, step: float) -> float:
        mean = self.mean(step)
        return max(1e-4, mean * (1 + self.fast() + self.slow()))


def cosine(step: float, total: float, peak: float, warm: float, low: float = 0.0) -> float:
    """A rate with warm-up and half a cosine."""
    if step < warm:
        return peak * step / warm
    part = min(1.0, (step - warm) / max(1.0, total - warm))
    return low + (peak - low) * 0.5 * (1 + math.cos(math.pi * part))


def linear(step: float, total: float, peak: float, warm: float) -> float:
    """A rate with warm-up and a straight way down."""
    return peak * step / warm if step < warm else peak * max(0.0, (total - step) / max(1.0, total - warm))


@dataclass
class Clock:
    """Wall time of a run, whose steps are never quite equal."""

    rng: Random
    step_s: float
    at: datetime = START
    jitter: float = 0.04

    def go(self, steps: float = 1.0, scale: float = 1.0) -> float:
        took = (
            self.step_s
            * steps
            * scale
            * max(
                0.3, 1 + self.rng.gauss(0, self.jitter) + (self.rng.expovariate(4) if self.rng.random() < 0.01 else 0)
            )
        )
        self.at += timedelta(seconds=took)
        return took

    def rest(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def hms(seconds: float) -> str:
    """Say a duration as str(timedelta) does, without fractions."""
    return str(timedelta(seconds=int(seconds)))


def short(seconds: float) -> str:
    """Say a duration as tqdm does."""
    minutes, left = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes:02}:{left:02}"


def bar(done: int, total: int, elapsed: float, per_step: float, head: str = "", tail: str = "") -> str:
    """One state of tqdm's bar."""
    part = done / total
    full = int(part * 10)
    drawn = "█" * full + (" " if full == 10 else "▏▎▍▌▋▊▉"[min(6, int((part * 10 - full) * 7))]) + " " * (9 - full)
    speed = f"{per_step:.2f}s/it" if per_step >= 1 else f"{1 / per_step:.2f}it/s"
    return f"{head}{part * 100:3.0f}%|{drawn[:10]}| {done}/{total} [{short(elapsed)}<{short((total - done) * per_step)}, {'' if tail else ' '}{speed}{tail}]"


def trainer_state(history: list[dict[str, Any]], step: int, total: int, **more: object) -> dict[str, Any]:
    """``trainer_state.json`` of Transformers."""
    epochs = max((row.get("epoch", 0.0) for row in history), default=0.0)
    return {
        "best_global_step": None, "best_metric": None, "best_model_checkpoint": None, "epoch": epochs, "eval_steps": 500,
        "global_step": step, "is_hyper_param_search": False, "is_local_process_zero": True, "is_world_process_zero": True,
        "log_history": history, "logging_steps": 10, "max_steps": total, "num_input_tokens_seen": 0, "num_train_epochs": 3,
        "save_steps": 500,
        "stateful_callbacks": {"TrainerControl": {"args": {"should_epoch_stop": False, "should_evaluate": False, "should_log": False, "should_save": True, "should_training_stop": step >= total}, "attributes": {}}},
        "total_flos": 3.1e14 * step, "train_batch_size": 4, "trial_name": None, "trial_params": None, **more,
    }  # fmt: skip


_POLY = 0x82F63B78
_CRC = []
for _n in range(256):
    _c = _n
    for _ in range(8):
        _c = (_c >> 1) ^ (_POLY if _c & 1 else 0)
    _CRC.append(_c)


def _masked(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def _chunk(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _record(event: bytes) -> bytes:
    length = struct.pack("<Q", len(event))
    return length + struct.pack("<I", _masked(length)) + event + struct.pack("<I", _masked(event))


def tensorboard(place: Path, name: str, scalars: Iterable[tuple[datetime, int, str, float]], first: datetime) -> None:
    """An event file of TensorBoard with simple values, as ``SummaryWriter`` of torch writes them."""
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    out = [_record(b"\x09" + struct.pack("<d", first.timestamp()) + _chunk(3, b"brain.Event:2"))]
    for at, step, tag, value in scalars:
        summary = _chunk(1, _chunk(1, tag.encode()) + b"\x15" + struct.pack("<f", value))
        out.append(_record(b"\x09" + struct.pack("<d", at.timestamp()) + b"\x10" + _varint(step) + _chunk(5, summary)))
    path.write_bytes(b"".join(out))
