"""How people keep a curve: files of trackers, and a loss to put in them."""

from __future__ import annotations

import csv
import json
import math
import struct
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from random import Random

Row = dict[str, Any]


def fall(step: float, first: float, last: float, pace: float, rng: Random, noise: float = 0.02) -> float:
    """A loss that goes from ``first`` towards ``last``, by 1/e in ``pace`` steps, then slower, with relative noise."""
    way = 0.8 * math.exp(-step / pace) + 0.2 / (1 + step / (4 * pace))
    return (last + (first - last) * way) * (1 + rng.gauss(0, noise))


def cosine(step: float, total: float, peak: float, warm: float, floor: float = 0.0) -> float:
    """A learning rate with a warm-up."""
    if step < warm:
        return peak * (step + 1) / warm
    return floor + (peak - floor) * 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warm) / max(1, total - warm))))


def at_time(start: str, seconds: float) -> str:
    """The time ``seconds`` after ``start``."""
    return str(datetime.fromisoformat(start) + timedelta(seconds=round(seconds)))


def lines(path: Path, text: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in text))


def table(path: Path, rows: Sequence[Mapping[str, Any]], delimiter: str = ",") -> None:
    """A table with a header; a name that a row lacks stays empty."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, names, delimiter=delimiter)
        out.writeheader()
        out.writerows(rows)


def jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    lines(path, (json.dumps(row) for row in rows))


def trainer_state(path: Path, history: Sequence[Row], max_steps: int, epochs: int, **more: object) -> None:
    """What ``transformers`` leaves in each checkpoint."""
    state = {
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": history[-1].get("epoch", 0.0),
        "eval_steps": 500,
        "global_step": history[-1]["step"],
        "is_hyper_param_search": False,
        "is_local_process_zero": True,
        "is_world_process_zero": True,
        "log_history": list(history),
        "logging_steps": 10,
        "max_steps": max_steps,
        "num_train_epochs": epochs,
        "save_steps": 500,
        "total_flos": 1.2e17,
        "train_batch_size": 8,
        "trial_name": None,
        "trial_params": None,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(state | more, indent=2))


def mlflow_run(
    root: Path, run: str, status: int, params: Row, metrics: Mapping[str, Sequence[tuple[int, float]]]
) -> None:
    """A run of MLflow's file store; status 3 is finished, 4 failed, 1 running."""
    place, start = root / "mlruns" / "0" / run, 1_763_000_000_000 + int(run[:4], 16)
    (place / "metrics").mkdir(parents=True)
    (place / "params").mkdir()
    last = max(at[-1][0] for at in metrics.values())
    end = "null" if status == 1 else start + last * 900
    meta = {"artifact_uri": f"file:///home/u/mlruns/0/{run}/artifacts", "end_time": end, "experiment_id": "'0'"}
    meta |= {
        "lifecycle_stage": "active",
        "run_id": run,
        "run_name": f"run-{run[:4]}",
        "start_time": start,
        "status": status,
    }
    (place / "meta.yaml").write_text("".join(f"{key}: {value}\n" for key, value in meta.items()))
    for key, value in params.items():
        (place / "params" / key).write_text(str(value))
    for key, points in metrics.items():
        lines(place / "metrics" / key, (f"{start + step * 900} {value} {step}" for step, value in points))


def _table() -> list[int]:
    out = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        out.append(byte)
    return out


_CRC: Final = _table()


def _crc(data: bytes) -> bytes:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _CRC[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def _field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def tensorboard(path: Path, points: Iterable[tuple[float, int, str, float]]) -> None:
    """An event file of scalars: time, step, tag, value."""

    def frame(event: bytes) -> bytes:
        size = struct.pack("<Q", len(event))
        return size + _crc(size) + event + _crc(event)

    out = b""
    for at, step, tag, value in points:
        if not out:
            out = frame(b"\x09" + struct.pack("<d", at) + _field(3, b"brain.Event:2"))
        scalar = _field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)
        out += frame(b"\x09" + struct.pack("<d", at) + b"\x10" + _varint(step) + _field(5, _field(1, scalar)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(out)
