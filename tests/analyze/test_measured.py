"""Runs that ended as planned and whose own measures say that nothing was learned, each beside one that learned."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families._admissions import parts_failed
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path


def falls(n: int, begin: float = 2.4) -> float:
    """A loss that comes down by most of itself in 20 reports."""
    return begin * (0.2 + 0.8 * math.exp(-n / 5))


def rows(form: str, reports: int = 20, **columns: list[float]) -> str:
    """One line a report, of a number, a loss and columns."""
    return "".join(
        form.format(n=n + 1, loss=falls(n), **{k: v[n] for k, v in columns.items()}) + "\n" for n in range(reports)
    )


LOOP = "epoch {n}/20 train loss {loss:.4f}"
DONE = "training complete\n"
RISING = [0.02 * n for n in range(20)]
NONE = [0.0] * 20
YOLO = (
    "      {n}/20      5.1G      {loss:.3f}      2.1      1.1     41      640: 100%|██| 12/12 [00:03<00:00, 3.8it/s]\n"
)
BOXES = YOLO + "                   all        320       1811      {m:.4g}      {m:.4g}      {m:.4g}      {m:.4g}"
GAN = "[{n}/20] Loss_D: {d:.4f} Loss_G: {g:.4f}"
TREES = "".join(f"[{n}]\ttraining's l2: {{}}\n" for n in (10, 20, 30)) + "[LightGBM] [Info] Finished training\n"
ZERO_LONG = "Total length of `DataLoader` across ranks is zero. Please make sure this was your intention.\n"
HALT = "`Trainer.fit` stopped: `max_epochs=5` reached.\n"


@pytest.mark.parametrize(
    ("text", "family"),
    [
        (rows(LOOP + "\nvalidation BLEU = {m:.2f}", m=NONE) + DONE, None),
        (rows(LOOP + "\nvalidation BLEU = {m:.2f}", m=RISING) + DONE, "G1"),
        (rows(LOOP + "\n  dev WER: {m:.1f}", m=[100.0] * 20) + DONE, None),
        (rows(LOOP + "\n  dev WER: {m:.1f}", m=[100 - 4 * n for n in range(20)]) + DONE, "G1"),
        (rows(LOOP + "\n  dev WER: {m:.1f}", m=[0.9 - n / 40 for n in range(20)]) + DONE, "G1"),  # as a share
        (rows(LOOP + "\n  dev cer: {m:.4f}", m=[1.0] * 20) + DONE, None),
        (rows(LOOP + "\nval mAP: {m:.4f}", m=[0.0031] * 20) + DONE, None),
        (rows(LOOP + "\nbest acc: {m:.4f}", m=[0.25] * 20) + DONE, "G1"),  # of whatever run that was
        (rows(LOOP + "\nspearman {m:.4f}", m=[math.nan] * 20) + DONE, None),
        (rows(LOOP + "\nvalid: top1 {m:.2f}%", m=[40 - n for n in range(20)]) + DONE, None),
        (rows(LOOP + "\nvalid: top1 {m:.2f}%", m=[40 - n / 9 for n in range(20)]) + DONE, "G1"),
        (rows(BOXES, m=NONE) + "20 epochs completed in 0.301 hours.\n", None),
        (rows(BOXES, m=RISING) + "20 epochs completed in 0.301 hours.\n", "G1"),
        (rows(GAN, d=[0.5, *[0.0001] * 19], g=[1.2, 1.4, 2.0, *[27.6] * 17]) + DONE, None),
        (rows(GAN, d=[0.5 + n % 3 / 20 for n in range(20)], g=[1.2 + n % 4 / 8 for n in range(20)]) + DONE, "G1"),
        (TREES.format(*[0.24111] * 3), None),
        (TREES.format(0.24111, 0.2, 0.18), "G1"),
        (ZERO_LONG + HALT, None),
        (HALT, "G1"),
        (rows(LOOP + " val ppl {m:.1f}", m=[90 * 1.3**n for n in range(20)]) + DONE, None),
        (rows(LOOP + " val ppl {m:.1f}", m=[90 * 0.9**n for n in range(20)]) + DONE, "G1"),
        (rows(LOOP + " val_loss {m:.4f}", m=[*[1 / (n + 1) for n in range(19)], math.nan]) + DONE, None),
        (rows(LOOP + " val_loss {m:.4f}", m=[math.nan, *[1 / (n + 1) for n in range(19)]]) + DONE, "G1"),
    ],
)  # fmt: skip
def test_measures_of_the_whole_run(tmp_path: Path, text: str, family: str | None) -> None:
    (tmp_path / "job.log").write_text(text)
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family


TOLD = rows(LOOP)
SHARES = rows(LOOP + " train acc {m:.3f}", m=[0.4 + 0.02 * n for n in range(20)])


@pytest.mark.parametrize(
    ("text", "family"),
    [
        (TOLD + "Test accuracy: 10.00%\nfinished\n", None),
        (TOLD + "Test accuracy: 71.25%\nfinished\n", "G1"),
        (SHARES + "test acc 0.2211\n" + DONE, None),
        (SHARES + "test acc 0.6711\n" + DONE, "G1"),
        (TOLD + "running final evaluation ...\nfinal eval loss 2.3991\n" + DONE, None),
        (TOLD + "running final evaluation ...\nfinal eval loss 0.6120\n" + DONE, "G1"),
        (SHARES + "final eval loss 2.3991\n" + DONE, "G1"),  # learned by heart, and still right
        (TOLD + "finished: 1 of 4 workers, 3 failed\n", None),
        (TOLD + "finished: 4 of 4 workers, 0 failed\n", "G1"),
        (TOLD + "sweep done: 1 ok, 7 failed\n", None),
        (TOLD + "check: 148 of 148 tensors contain NaN\n" + DONE, None),
        (TOLD + "check: 0 of 148 tensors contain NaN\n" + DONE, "G1"),
        (TOLD + "saved final.pt (0 bytes)\n" + DONE, None),
        (TOLD + "saved final.pt (8120 bytes)\n" + DONE, "G1"),
        (TOLD + "training finished, best val loss: inf at epoch -1\n", None),
        (TOLD + "training finished, best val loss: 0.61 at epoch 19\n", "G1"),
    ],
)
def test_the_last_word_on_what_was_learned(tmp_path: Path, text: str, family: str | None) -> None:
    (tmp_path / "job.log").write_text(text)
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family


@pytest.mark.parametrize(
    ("skips", "family"), [("skipped 0 of 900 batches (loss not finite)", "G1"),
                          ("skipped 811 of 900 batches (loss not finite)", None)],
)  # fmt: skip
def test_a_count_of_what_was_skipped(tmp_path: Path, skips: str, family: str | None) -> None:
    (tmp_path / "job.log").write_text(rows(f"{skips}\n{LOOP}") + DONE)
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family


@pytest.mark.parametrize(("stages", "family"), [(2, None), (3, "G1")])
def test_a_word_on_a_stage_that_is_done_counts_no_stages(tmp_path: Path, stages: int, family: str | None) -> None:
    text = "".join(
        f"=== stage {k}/3: part {k} of the model ===\n"
        + "".join(f"step {100 * n}/2000 loss {falls(n, 2.4 - k / 5):.4f}\n" for n in range(1, 21))
        + f"stage {k} finished\n"
        for k in range(1, stages + 1)
    )
    (tmp_path / "job.log").write_text(text + DONE)
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Number of errored trials: 7", True),
        ("trials: 12 done, failed: 3", True),
        ("finished: 1 of 4 workers, 3 failed", True),
        ("sweep done: 8 ok, 0 failed", False),
        ("3 failed uploads were tried again by the runs", False),
        ("2 failed health checks", False),
        ("task accuracy 0.93, 12 images failed", False),
    ],
)
def test_a_sum_of_parts_of_which_some_failed(text: str, told: bool) -> None:
    assert parts_failed(text) is told
