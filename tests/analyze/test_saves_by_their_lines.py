"""A save at each step: no gap between reports shows a step without one, but the lines and records part it."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def _of(folder: Path, name: str, text: str) -> Verdict:
    (folder / name).write_text(text)
    return analyze(import_logs([folder], exit_code=0))[0]


class _Log:
    """Lines with a clock that goes on."""

    def __init__(self, stamp: str) -> None:
        self.now = datetime(2026, 3, 4, 23, 50, tzinfo=UTC)
        self.stamp = stamp
        self.lines: list[str] = []
        self.chance = random.Random(7)

    def after(self, seconds: float, text: str) -> None:
        self.now += timedelta(seconds=seconds * self.chance.uniform(0.9, 1.1))
        stamp = self.now.strftime(self.stamp).replace("%L", f"{self.now.microsecond // 1000:03d}")
        self.lines.append(stamp + text)

    def loss(self, at: int, of: int) -> float:
        return 0.4 + 3 / (1 + 5 * at / of) + self.chance.uniform(0, 0.05)


def _trainer(save_s: float, step_s: float, steps: int = 40) -> str:
    log = _Log("[INFO|trainer.py:2134] %Y-%m-%d %H:%M:%S,%L >> ")
    log.after(0, "***** Running training *****")
    log.after(0, "  Num Epochs = 1")
    log.after(0, f"  Total optimization steps = {steps}")
    for at in range(1, steps + 1):
        log.lines.append(str({"loss": round(log.loss(at, steps), 4), "grad_norm": 1.2, "epoch": at / steps}))
        log.after(step_s, f"Saving model checkpoint to out/checkpoint-{at}")
        log.after(0.02, f"Configuration saved in out/checkpoint-{at}/config.json")
        log.after(0.4 * save_s, f"Model weights saved in out/checkpoint-{at}/model.safetensors")
        log.after(0.6 * save_s, f"Deleting older checkpoint [out/checkpoint-{at - 1}] due to args.save_total_limit")
    log.after(0.1, "\n\nTraining completed. Do not forget to share your model on huggingface.co/models =)\n\n")
    log.lines.append(str({"train_runtime": 999.5, "train_steps_per_second": 0.05, "train_loss": 1.46, "epoch": 1.0}))
    return "\n".join([*log.lines, ""])


def test_the_trainer_tells_of_each_file(tmp_path: Path) -> None:
    assert _of(tmp_path, "slurm-1.out", _trainer(save_s=18, step_s=2)).family == "D2"


def test_a_save_that_is_short_beside_its_step(tmp_path: Path) -> None:
    assert _of(tmp_path, "slurm-1.out", _trainer(save_s=2, step_s=18)).family != "D2"


def _own_loop(save_s: float, step_s: float, word: str = "重みを書き出しました") -> str:
    log = _Log("[%m-%d %H:%M:%S] ")
    for at in range(1, 76):
        log.after(step_s, f"{at}/75 ステップ 損失:{log.loss(at, 75):.3f}")
        log.after(save_s, f"{word} model_{at:05d}.pt (5.3GB)")
    log.after(0, "学習終了")
    return "\n".join([*log.lines, ""])


def test_between_the_report_and_the_file(tmp_path: Path) -> None:
    """Also over midnight."""
    assert _of(tmp_path, "train.log", _own_loop(save_s=9, step_s=1.2)).family == "D2"


def test_the_file_stands_at_once(tmp_path: Path) -> None:
    assert _of(tmp_path, "train.log", _own_loop(save_s=0.2, step_s=9)).family != "D2"


@pytest.mark.parametrize(("save_ms", "bound"), [(2900, True), (60, False)])
def test_records_of_saves_beside_records_of_steps(tmp_path: Path, save_ms: float, *, bound: bool) -> None:
    """The clock of a step leaves out the save that a record of its own tells of."""
    chance = random.Random(5)
    log = _Log("")
    records: list[dict[str, object]] = [{"event": "run_started", "max_steps": 120}]
    for at in range(1, 121):
        step_ms, took_ms = (round(each * chance.uniform(0.9, 1.1), 1) for each in (320, save_ms))
        log.now += timedelta(milliseconds=step_ms)
        stamp = log.now.isoformat()
        records.append({"step": at, "loss": log.loss(at, 120), "step_ms": step_ms, "event": "train_step", "ts": stamp})
        log.now += timedelta(milliseconds=took_ms)
        stamp = log.now.isoformat()
        records.append({"step": at, "bytes": 3_609_995_534, "dur_ms": took_ms, "event": "state_uploaded", "ts": stamp})
    records.append({"event": "run_finished", "steps": 120, "status": "ok"})
    verdict = _of(tmp_path, "events.jsonl", "".join(json.dumps(each) + "\n" for each in records))
    assert (verdict.family == "D2") == bound


@pytest.mark.parametrize(("saving_s", "bound"), [(448.66, True), (12.0, False)])
def test_lightnings_profile_of_a_callback_that_saves(tmp_path: Path, saving_s: float, *, bound: bool) -> None:
    rows = [
        ("Total", 0.65, 800, 522.45),
        ("run_training_epoch", 258.61, 2, 517.23),
        ("[Callback]ModelCheckpoint{'every_n_train_steps': 1}.on_train_batch_end", saving_s / 200, 200, saving_s),
        ("run_training_batch", 0.353, 200, 70.656),
        ("[_TrainingEpochLoop].train_dataloader_next", 0.00736, 200, 1.472),
    ]
    log = _Log("")
    bars = [
        f"Epoch {at // 100}:  {at % 100}%|#  | {at % 100}/100 [00:05<04:05,  2.8it/s, v_num=7, "
        f"train_loss={log.loss(at, 200):.3f}]"
        for at in range(2, 200, 2)
    ]
    table = [
        f"|  {name:<90}  |  {mean:<17.5g}  |  {calls:<10}  |  {total:<15.5g}  |  {100 * total / 522.45:<12.5g}|"
        for name, mean, calls, total in rows
    ]
    done = ["`Trainer.fit` stopped: `max_epochs=2` reached.", "FIT Profiler Report"]
    verdict = _of(tmp_path, "lightning.out", "\n".join([*bars, *done, "-" * 90, *table, ""]))
    assert (verdict.family == "D2") == bound
