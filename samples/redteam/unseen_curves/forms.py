"""How frameworks and trackers keep a curve; each line as the program itself prints it."""

from __future__ import annotations

import csv
import io
import json
import math
import struct
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Sequence
    from pathlib import Path

Rows: TypeAlias = "Sequence[dict[str, Any]]"


class Watch:
    """A clock for lines that bear one."""

    def __init__(self, rng: random.Random, pace_s: float) -> None:
        self.now = datetime(2026, rng.randint(1, 10), rng.randint(1, 28), rng.randint(0, 23), 17, 4, tzinfo=UTC)
        self.pace, self.rng = pace_s, rng

    def tick(self, share: float = 1.0) -> datetime:
        self.now += timedelta(seconds=self.pace * share * self.rng.uniform(0.97, 1.04))
        return self.now


def say(folder: Path, name: str, lines: Iterable[str]) -> None:
    """A log."""
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("\n".join(lines) + "\n")


def csv_table(folder: Path, name: str, rows: Rows, columns: Sequence[str] = (), end: str = "\n") -> None:
    """A CSV with the union of all keys; blank where a row lacks one."""
    out = io.StringIO()
    keys = columns or list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.DictWriter(out, keys, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(out.getvalue())


def jsonl(folder: Path, name: str, rows: Rows) -> None:
    """JSON lines; NaN as Python's json writes it."""
    say(folder, name, (json.dumps(row) for row in rows))


def short(value: float) -> str:
    """Four significant digits, as transformers 5 prints numbers."""
    return f"{value:.4g}"


def megatron(watch: Watch, total: int, every: int, losses: Sequence[float], **more: Sequence[float]) -> list[str]:
    """Megatron-LM's line an interval; what is NaN is left out, as it does itself."""
    lines, batch = [], 512
    rates, gradients = more["rates"], more["norms"]
    scales = more.get("scales")
    for i, (loss, rate, gradient) in enumerate(zip(losses, rates, gradients, strict=True)):
        step = (i + 1) * every
        skipped = every if math.isnan(loss) else 0
        cells = [
            f" [{watch.tick():%Y-%m-%d %H:%M:%S}] iteration {step:8d}/{total:8d}",
            f"consumed samples: {step * batch:12d}",
            f"elapsed time per iteration (ms): {watch.pace / every * 1000:.1f}",
            f"throughput per GPU (TFLOP/s/GPU): {watch.rng.gauss(402, 3):.1f}",
            f"learning rate: {rate:.6E}",
            f"global batch size: {batch:5d}",
            *([] if math.isnan(loss) else [f"lm loss: {loss:.6E}"]),
            f"loss scale: {scales[i] if scales else 1.0:.1f}",
            *([] if math.isnan(gradient) else [f"grad norm: {gradient:.3f}"]),
            f"number of skipped iterations: {skipped:3d}",
            f"number of nan iterations: {0:3d} |",
        ]
        lines.append(" | ".join(cells))
    return lines


def trainer_state(folder: Path, rows: Rows, max_steps: int, place: str, epochs: int = 1) -> None:
    """Transformers' trainer_state.json."""
    last = max(int(row["step"]) for row in rows)
    state = {
        "best_global_step": None,
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": rows[-1].get("epoch", 1.0),
        "eval_steps": 500,
        "global_step": last,
        "is_hyper_param_search": False,
        "is_local_process_zero": True,
        "is_world_process_zero": True,
        "log_history": list(rows),
        "logging_steps": int(rows[0]["step"]),
        "max_steps": max_steps,
        "num_input_tokens_seen": 0,
        "num_train_epochs": epochs,
        "save_steps": 500,
        "stateful_callbacks": {},
        "total_flos": 4.1e17,
        "train_batch_size": 4,
        "trial_name": None,
        "trial_params": None,
    }
    file = folder / place / "trainer_state.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(state, indent=2) + "\n")


def mlflow(folder: Path, metrics: dict[str, Rows], status: int, begun_ms: int, ended_ms: int | None) -> None:
    """MLflow's file store: one file a metric, one line a value; status 1 RUNNING, 3 FINISHED, 4 FAILED."""
    run = folder / "mlruns" / "418203511947730022" / "5b1f0c3e9a7d4c0d8f5e2a6b7c8d9e0f"
    for name, rows in metrics.items():
        place = run / "metrics" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("".join(f"{row['ms']} {row['value']} {row['step']}\n" for row in rows))
    run.joinpath("meta.yaml").write_text(
        "artifact_uri: file:///work/mlruns/418203511947730022/5b1f0c3e9a7d4c0d8f5e2a6b7c8d9e0f/artifacts\n"
        f"end_time: {'null' if ended_ms is None else ended_ms}\nentry_point_name: ''\n"
        "experiment_id: '418203511947730022'\nlifecycle_stage: active\nrun_id: 5b1f0c3e9a7d4c0d8f5e2a6b7c8d9e0f\n"
        f"run_name: gaudy-lark-114\nrun_uuid: 5b1f0c3e9a7d4c0d8f5e2a6b7c8d9e0f\nsource_name: ''\nsource_type: 4\n"
        f"source_version: ''\nstart_time: {begun_ms}\nstatus: {status}\ntags: []\nuser_id: mwolff\n"
    )


def _crc32c_table() -> list[int]:
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_TABLE: Final = _crc32c_table()


def _masked(data: bytes) -> bytes:
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ _TABLE[(value ^ byte) & 0xFF]
    value ^= 0xFFFFFFFF
    return struct.pack("<I", ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def tensorboard(folder: Path, series: dict[str, Sequence[tuple[int, float]]], begun: float, pace_s: float) -> None:
    """An events file of TensorBoard: framed records of Event messages with a simple value each.

    Its own library is not asked for: the product's environment lacks it. Read back by it once when this was written.
    """

    def record(message: bytes) -> bytes:
        head = struct.pack("<Q", len(message))
        return head + _masked(head) + message + _masked(message)

    out = [record(b"\x09" + struct.pack("<d", begun) + _field(3, b"brain.Event:2"))]
    told = sorted((step, tag, value) for tag, pairs in series.items() for step, value in pairs)
    first = told[0][0]
    for step, tag, value in told:
        summary = _field(1, _field(1, tag.encode()) + b"\x15" + struct.pack("<f", value))
        when = b"\x09" + struct.pack("<d", begun + (step - first) * pace_s)
        out.append(record(when + b"\x10" + _varint(step) + _field(5, summary)))
    place = folder / "tb" / f"events.out.tfevents.{int(begun)}.gpu-a1.2210.0"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"".join(out))
