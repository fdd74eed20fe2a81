"""Runs that ended as planned and that nobody careful would call healthy, each beside one that differs in just that."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families import FAMILIES
from inquest.analyze.families._admissions import act_failed, admits, of_too_little
from inquest.analyze.families.base import CannotDecide, RuledIn
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.logs_import import import_logs

from .builders import Run

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.families.base import Finding


def judged(run: Run) -> Finding:
    """What G1 finds of a run whose end was announced."""
    run.event(Kind.TRAINING_END, "training complete", role="marker", t=900).ended(0, t=901)
    return next(each for each in FAMILIES if each.id == "G1").judge(run.evidence())


def falls(part: float, begin: float = 2.4) -> float:
    """A loss, of the part of the run that is done."""
    return begin * (0.3 + 0.7 * math.exp(-6 * part)) * (1 + 0.01 * math.sin(9999 * part))


def curve(beside: dict[str, Any], reports: int = 60) -> Run:
    """A loss that falls, with other columns as functions of the part that is done."""
    run = Run()
    for n in range(reports):
        columns = {name: value(n / reports) for name, value in beside.items()}
        row = {"step": 10 * n, "loss": falls(n / reports), "rank": 0, "kind": "step", **columns}
        run.fact("fact_steps", **row)
    return run


@pytest.mark.parametrize(
    ("beside", "doubted"),
    [
        ({"grad_norm": lambda x: 10 ** (6 * x)}, True),
        ({"grad_norm": lambda x: 4 - 3 * x}, False),
        ({"loss": lambda x: falls(min(x, 0.4)), "grad_norm": lambda x: 0.0 if x > 0.4 else 1.0}, True),
        ({"eval_loss": lambda x: 2.4 + 0.01 * math.sin(99 * x)}, True),  # as untrained to the end
        ({"eval_loss": lambda x: falls(x) + max(0.0, x - 0.7) / 4}, False),
        ({"eval_loss": lambda x: falls(x) + 4 * max(0.0, x - 0.2)}, False),  # learned by heart
        ({"eval_loss": lambda x: falls(x) if x < 0.7 else 7.0}, True),
        ({"accuracy": lambda x: 0.5 + 0.004 * math.sin(999 * x)}, True),
        ({"accuracy": lambda x: 0.5 + 0.4 * x}, False),
        ({"accuracy": lambda x: 0.7 - 0.6 * x}, True),
        ({"score": lambda x: 100 - 90 * x}, True),
        ({"score": lambda x: 10 + 90 * x}, False),
        ({"loss": lambda x: 1 - 10 ** (7 * x)}, True),
        ({"tokens_per_s": lambda x: 1200.0 if x < 0.4 else 60.0}, True),
        ({"accuracy": lambda x: 0.8012}, True),  # one answer to everything
        ({"accuracy": lambda x: 0.1 + 0.8 * x if x < 0.7 else 0.1}, True),
        ({"step_time_s": lambda x: 0.8 if x < 0.4 else 5.0}, True),
        ({"step_time_s": lambda x: 0.8 if not 0.4 < x < 0.6 else 5.0}, False),
        ({"step_time_s": lambda x: 0.8 if x < 0.4 else 2.0}, True),
        ({"step_time_s": lambda x: 0.8 if x < 0.4 else 1.2}, False),
        ({"step_time_s": lambda x: 0.8 if x < 0.8 else 3.6}, True),  # for a fifth of the steps, and half of the time
        ({"step_time_s": lambda x: 0.8 if x < 0.9 else 2.0}, False),
        ({"step": lambda x: round(600 * x) if x < 0.7 else round(600 * x) - 300,
          "loss": lambda x: falls(x if x < 0.7 else x - 0.5)}, True),  # an old checkpoint
    ],
)  # fmt: skip
def test_numbers_that_keep_a_run_from_being_called_healthy(beside: dict[str, Any], doubted: bool) -> None:
    assert isinstance(judged(curve(beside)), CannotDecide if doubted else RuledIn)


@pytest.mark.parametrize(("late", "doubted"), [((2.1, 2.3, 2.4), True), ((2.1, 1.1, 1.0), False)])
def test_a_few_epochs_that_climb_back(late: tuple[float, ...], doubted: bool) -> None:
    run = Run().steps([4.0, 2.2, 1.6, 1.3, 1.2, 1.1, *late])
    assert isinstance(judged(run), CannotDecide if doubted else RuledIn)


def test_one_of_several_logs_stops_short() -> None:
    for stops, doubted in ((60, True), (100, False)):
        run = Run()
        for source, last in (("part1.log", stops), ("part2.log", 100)):
            run.steps([falls(n / 100) for n in range(last)], source=source)
        assert isinstance(judged(run), CannotDecide if doubted else RuledIn)


LOOP = "".join(f"step {n} | loss {falls(n / 60):.4f} | kl {{}}\n" for n in range(60))
FOLDS = "".join(
    f"=== fold {k}/4 ===\n"
    + "".join(f"step {n} loss {math.nan if k == 2 and n > 9 else falls(n / 30):.4f}\n" for n in range(30))
    for k in range(1, 5)
)
HARMLESS = (
    "dry_run=False\nLoaded 900 samples\n"
    + LOOP.format(*["nan"] * 60).replace("step 9 ", "connection reset, retrying in 30 s\nstep 9 ")
    + "could not sync the wandb run\nupload failed: retrying\nmodel uploaded\ntraining complete\n"
)


@pytest.mark.parametrize(
    ("text", "doubted"),
    [
        (HARMLESS, False),
        (LOOP.format(*[0.2] * 40, *["nan"] * 20) + "training complete\n", True),
        ("".join(f"{10 + (n > 40):02d}:20:{n % 60:02d} step {n} loss {falls(n / 60):.4f}\n" for n in range(60)), True),
        ("step of data\nloss is nan, skipping batch\nand so on\n", True),
        (LOOP.replace("| kl", "\n[val] loss").format(*[2.1] * 40, *["nan"] * 20) + "training complete\n", True),
        ("dry_run=True\n" + LOOP.format(*[0.2] * 60) + "training complete\n", True),
        (LOOP.format(*[0.2] * 60).replace("step", "connection reset, retrying in 30 s\nstep") + "training complete\n",
         True),
        ("using 8 of 1,281,167 training samples\n" + LOOP.format(*[0.2] * 60) + "training complete\n", True),
        (LOOP.format(*[0.2] * 60) + "fold 2 failed: ValueError('label'), skipping\ntraining complete\n", True),
        ("│ step │ loss │ acc │\n" + "".join(f"│ {n} │ {falls(n / 60):.4f} │ 0.67 │\n" for n in range(60)), True),
        ("".join(f"[{n}%] loss={falls(n / 60):.4f}\n" for n in range(60)) + "loaded checkpoint runs/b/ckpt_50.pt\n"
         + "".join(f"[{n}%] loss={3.1 - n / 80 + n % 3 / 20}\n" for n in range(60, 100)) + "training complete\n", True),
        (LOOP.replace("kl", "dice").format(*[0.01 * n for n in (*range(40), *[1] * 20)]) + "training complete\n", True),
        (LOOP.format(*[0.2] * 60).replace("step", "loss is nan, skipping batch\nstep") + "training complete\n", True),
        ("".join(f"seen {64 * n} samples of 96000, loss {falls(n / 60):.4f}\n" for n in range(1, 60)), True),
        ("".join(f"[{n / 5:.1f}%] loss={falls(n / 60):.4f}\n" for n in range(1, 60)) + "training complete\n", True),
        (FOLDS + "training complete\n", True),
        ("".join(f"step {n},000/500,000 loss {falls(n / 60):.4f}\n" for n in range(1, 9)), True),
        ("".join(f"[eval] step {50 * n} val_loss {falls(n / 40):.4f}\n" for n in (*range(24), *range(40))), True),
    ],
)  # fmt: skip
def test_texts_that_keep_a_run_from_being_called_healthy(tmp_path: Path, text: str, doubted: bool) -> None:
    path = tmp_path / "job.log"
    path.write_text(text)
    assert analyze(import_logs([path], exit_code=0), strict=True)[0].family == (None if doubted else "G1")


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("ERROR: could not save model: Permission denied", True),
        ("[warn] model.save() raised OSError(28), ignored", True),
        ("upload to s3://models/run7 failed: AccessDenied", True),
        ("rsync: write failed on '/archive/final.pt': No space left on device (28)", True),
        ("ONNX export failed: unsupported operator aten::foo", True),
        ("verification of final.pt: checksum mismatch", True),
        ("sanity check: reloaded model gives NaN logits", True),
        ("results.csv: 0 rows written", True),
        ("evaluated on 0 examples, accuracy = nan", True),
        ("eval subprocess exited with code 1", True),
        ("no checkpoint was saved", True),
        ("epoch 3: 0 batches", True),
        ("evaluated on 5000 examples, accuracy = 0.87", False),
        ("tests passed: 12, failed: 0", False),
        ("0 errors while saving", False),
        ("if saving fails, see docs", False),
        ("could not save plot to loss.png", False),
        ("removed old checkpoint; could not delete ckpt_1", False),
        ("Failed to load image Python extension: libjpeg", False),
        ("mean absolute error of predictions 0.3", False),
    ],
)
def test_the_last_act(text: str, failed: bool) -> None:
    assert act_failed(text) is failed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"status": "failed", "reason": "validation"}', True),
        ("success: False", True),
        ("test accuracy 10.0% (random guessing is 10.0%)", True),
        ("final accuracy 0.101, at chance level", True),
        ("worker crashed, leaving the loop early", True),
        ("Exception caught: CUDA error; saving and exiting gracefully", True),
        ("test accuracy 87.1 (random guessing is 10.0)", False),
        ("no errors, exiting", False),
        ("final error 0.31, stopping criterion met", False),
        ("well above chance level", False),
    ],
)
def test_what_a_program_admits(text: str, told: bool) -> None:
    assert admits(text) is told


@pytest.mark.parametrize(
    ("text", "little"),
    [
        ("using 8 of 1,281,167 training samples", True),
        ("training on 64/1000000 images", True),
        ("loaded checkpoint with strict=False: 0 of 148 keys matched", True),
        ("loaded checkpoint: 148 of 148 keys matched", False),
        ("0 of 148 layers frozen", False),
        ("skipped 9812 of 10,000 samples (corrupt)", True),
        ("skipped 12 of 10,000 samples (corrupt)", False),
        ("using 8 of 8 shards", False),
        ("using 8 of 50000 test samples", False),
        ("removed 8 of 50000 samples", False),
    ],
)
def test_next_to_no_data(text: str, little: bool) -> None:
    assert of_too_little(text) is little


@pytest.mark.parametrize(
    ("every", "clock", "family"), [(1, "", None), (20, "", "G1"), (1, "2026-03-06 08:{:02}:{:02} ", "G1")]
)
def test_saves_of_every_step_of_which_nothing_tells_the_time(
    tmp_path: Path, every: int, clock: str, family: str | None
) -> None:
    lines = []
    for k in range(1, 121):
        lines.append(f"{clock.format(*divmod(k, 60))}step {k}/120 loss {falls(k / 120):.4f}")
        if k % every == 0:
            lines.append(f"Saved checkpoint to out/checkpoint-{k}")
    (tmp_path / "train.log").write_text("\n".join([*lines, "Training complete."]) + "\n")
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family
