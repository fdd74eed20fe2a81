"""Programs as people write them: columns without names, plans that were not kept, loads of data and of saved states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families._causes import Cause, classify
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path


def told(folder: Path, text: str, exit_code: int | None) -> str:
    """The verdict, and the part of its family."""
    path = folder / "job.out"
    path.write_text(text)
    found = analyze(import_logs([path], exit_code=exit_code), strict=True)[0]
    return f"{found.family or found.outcome} {found.sub_mode or ''}".strip()


def lines(form: str, reports: int = 30, first: int = 0) -> str:
    """Reports of a loss that falls."""
    return "".join(form.format(k=10 * (first + k), l=0.4 + 5 / (1 + k / 3)) + "\n" for k in range(reports))


def counted(form: str, until: int = 9) -> str:
    """Reports that count epochs and batches; from some epoch on the value is NaN."""
    values = (
        (e, s, f"{0.3 + 4 / (1 + (4 * e + s) / 3):.4f}" if e <= until else "nan") for e in range(1, 9) for s in range(4)
    )
    return "".join(form.format(e=e, s=15 * s, l=value) + "\n" for e, s, value in values) + "done: 8 epochs\n"


def raised(message: str, code: str = "step()") -> str:
    return f'Traceback (most recent call last):\n  File "/w/t.py", line 9, in <module>\n    {code}\n{message}\n'


BARE = lines("{k:5d}  {l:.4f}  3.0e-04  1.21s")
EVALUATED = "evaluating runs/best.pt\n" + "".join(
    f"[{k}/290] loss {0.3 + 7 * k * k % 53 / 500:.3f}\n" for k in range(10, 300, 10)
)
SYSLOG = lines("Nov 22 12:26:33 gpu7 trainer[7]: iter={k} loss={l:.4f}") + (
    "Nov 22 12:26:34 gpu7 trainer[7]: FATAL: no labels\n"
)
FULL = "OSError: [Errno 28] No space left on device"
DRAWN = "┃ Epoch ┃ Loss   ┃ Val loss ┃\n" + lines("│ {k:5d} │ {l:.4f} │ {l:8.4f} │") + "done\n"
AGAIN = "".join(f"step {k}/400 loss {1.6 + 3 * k // 10 % 8 / 10:.4f}\n" for k in range(10, 410, 10))
WHOLE = lines("step {k}/290 loss {l:.4f}")
SHARED = "RuntimeError: unable to allocate shared memory(shm) for file </torch_7_2>: No space left on device (28)"
BOOSTED = "".join(f"[{k}]\tfit-rmse:{4 / (1 + k):.4f}\theld_out-rmse:{5 / (1 + k):.4f}\n" for k in range(0, 60, 5))
AGAIN_LATER = "continuing run tides: the last session stopped at step 900, loss 0.310\n"
FOLD = WHOLE.replace("/290", "")
FOLDS = f"== fold 1 ==\n{FOLD}== fold 2 ==\n{raised('KeyError: 3')}== fold 3 ==\n{FOLD}training finished\n"
ORBIT = "".join(f"turn {k:3} miss {k / 3 if k < 9 else 'nan'} size {2 if k < 9 else 'nan'}\n" for k in range(19))
KEPT = "worker ended with 1: ModuleNotFoundError: No module named 'ops'\n"
TASKS = ("a", 6), ("b", 9), ("c", 7), ("d", 2), ("e", 2), ("f", 3)
GAN = "step {k} loss_G 0.8 loss_D 1.1 FID "
KALDI = "LOG (nnet3) Average objective function for 'output' for minibatches {k}-{k}9 is -{l:.4f} over 1280 frames."
TRIALS = "".join(
    f"[I 2026-11-22 17:00:{k:02d},123] Trial {k} finished with value: {9 - k % 4} and parameters: {{'lr': 0.01}}."
    f" Best is trial 3 with value: {9 - min(k, 3)}.\n"
    for k in range(25)
)
FASTAI = "epoch     train_loss  valid_loss  mae       time    \n" + "".join(
    f"{k:<10}{12.5 * 4**k:.6f}".ljust(22) + f"{13.5 * 5**k:.6f}".ljust(12) + "7.123456  00:07     \n" for k in range(12)
)
FAST_BARS = "".join(
    f"Epoch {e}/4 : |{b * '#':-<20}| 5.41% [{b}/20 00:00<00:08... {2.7226 if e + b == 2 else f'{7.6e8 / e:.4f}'}]\n"
    for e in range(1, 5)
    for b in range(1, 21)
)
SPACY = (
    "E    #       LOSS TEXTCAT  CATS_SCORE  SCORE \n---  ------  ------------  ----------  ------\n"
    + "".join(f"  {k}     {20 * k:3}          4.5{k}       {30 + 5 * k}.10    0.{30 + 5 * k}\n" for k in range(9))
    + "\u2714 Saved pipeline to output directory\nmodel/model-last\n"
)
SIDE_BY_SIDE = "".join(
    f"seed {s} epoch {k}/20 loss {0.4 + 3 / k:.4f}\n"
    for s, first, last in ((1, 1, 18), (2, 1, 2), (1, 19, 20), (2, 3, 20))
    for k in range(first, last + 1)
)
SWEEP = "wandb: Agent Starting Run: 8x2k1p0z with config:\n" + lines("epoch {k} loss {l:.4f}", 12)
FAILED = "wandb: Agent Starting Run: 9y2k1p0z with config:\n" + raised("ValueError: 96 is not divisible by 5")
TUNED = lines("(fit pid=71) epoch {k} loss {l:.4f}", 12) + (
    "Trial fit_a1b2c_00002 completed after 12 iterations at 2026-11-22 20:01:09. Total running time: 5s\n"
)
ERRORED = (
    "2026-11-22 20:01:01,123\tERROR tune_controller.py:1331 -- Trial task failed for trial fit_a1b2c_00003\n"
    + raised("ValueError: 96 is not divisible by 5")
    + "\nTrial fit_a1b2c_00003 errored after 0 iterations at 2026-11-22 20:01:01. Total running time: 3s\n"
)
GONE = raised("RuntimeError: DataLoader worker (pid(s) 3051) exited unexpectedly")
LEFT = raised("ConnectionResetError: [Errno 104] Connection reset by peer") + (
    "\nDuring handling of the above exception, another exception occurred:\n\n"
    + GONE.replace("unexpectedly", "unexpectedly with exit code 3. Details are lost due to multiprocessing.")
)
READ = "/w/t.py:9 read\n/site-packages/torch/serialization.py:1 load"
TORN = "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory"


@pytest.mark.parametrize(
    ("text", "exit_code", "expected"),
    [
        (BARE + raised("ValueError: no labels in batch 290"), 1, "A1 mid_run"),
        (BARE + raised("OSError: [Errno 28] No space left on device"), 1, "outside_families disk_full"),
        (lines("{k}\t{l:.4f}", 5) + raised("ValueError: no labels"), 1, "A1 startup"),  # too short a table
        (lines("{k} 17 3"), 0, "cannot_decide"),  # nothing but whole numbers
        ("step\tmse\tlr\n" + lines("{k}\t{l:.4f}\t3e-4") + raised("KeyError: 'x'"), 1, "A1 mid_run"),
        (lines("step {k}/900 loss {l:.4f}") + "Training complete.\n", 0, "cannot_decide"),
        (lines("step {k}/299 loss {l:.4f}") + "Training complete.\n", 0, "G1"),
        (lines("step {k}/900 loss {l:.4f}") + "Early stopping triggered.\n", 0, "G1"),
        (EVALUATED, 0, "cannot_decide"),
        (EVALUATED.replace("evaluating", "training: loaded checkpoint"), 0, "G1"),
        (lines("check step {k} loss {l:.4f}", 9) + WHOLE, 0, "G1"),
        ("could not open ckpt/step_900.pt, starting fresh\n" + WHOLE, 0, "E2 silent_restart"),
        ("could not open ckpt/last.pt, starting fresh\n" + WHOLE, 0, "G1"),
        (SYSLOG, 2, "A1 mid_run"),
        (lines("[shard {k:03d}] {l:.4f} (12.1 ms)") + raised("KeyError: 'label'"), 1, "A1"),  # when, nobody can tell
        (lines("[shard {k:03d}] {l:.4f} (12.1 ms)") + raised(FULL), 1, "outside_families disk_full"),
        (lines("tokenized {k} lines") + raised(FULL), 1, "A1"),
        (lines("rank {k} is up") + raised("KeyError: 'label'"), 1, "A1 startup"),
        (2 * "attempt of 2\nerror: no shards in /mnt/lake\n" + "attempt 2 did not work\ngiving up\n", 1, "A1 startup"),
        (BARE + "job.sh: line 5: 20369 Hangup   python3 lid.py\n", 129, "outside_families hang_up"),
        (DRAWN, 0, "G1"),
        (lines("step {k}/590 loss {l:.4f}") + lines("step {k}/590 loss 0.0000", 30, 30), 0, "cannot_decide"),
        (AGAIN, 0, "cannot_decide"),
        ("will do 12,000 turns, reporting every 10\n" + lines("turn {k} loss {l:.4f}"), 0, "cannot_decide"),
        (lines("turn {k} loss {l:.4f}") + "12:01:07 ERROR batch 301: 4 channels\n", 0, "cannot_decide"),
        (lines("turn {k} loss {l:.4f}") + "error rate 0.12\n", 0, "G1"),
        (lines("turn {k} loss {l:.4f}") + "E: ValueError: batch 301 holds 4 channels\n", 0, "cannot_decide"),
        ("warning: 148 keys missing, 148 unexpected\n" + WHOLE, 0, "cannot_decide"),
        ("warning: 2 keys missing, 0 unexpected\n" + WHOLE, 0, "G1"),
        (lines("Cost after iteration {k}: {l:.4f}"), 0, "G1"),
        (lines("第{k}轮 损失: {l:.4f}"), 0, "G1"),
        (lines("sweep {k} fitness {l:.4f}"), 0, "cannot_decide"),  # it fell
        (lines("batch {k} error {k}"), 0, "cannot_decide"),  # a code
        (TRIALS + "done\n", 0, "G1"),
        (TRIALS.replace("Best is", "Last was"), 0, "cannot_decide"),
        (lines(KALDI), 0, "G1"),
        ("warning: weights r50.pth not found, encoder is random\n" + WHOLE, 0, "cannot_decide"),
        ("data set in cache not found, read it from /lake instead\n" + WHOLE, 0, "G1"),
        (lines(GAN + "{l:.2f}"), 0, "G1"),
        (lines(GAN + "{l:.2f}", 40) + lines(GAN + "6.1", 40, 40), 0, "E1 diverged"),
        (BARE + raised(SHARED), 1, "A1 mid_run"),
        (BARE + raised("sqlite3.OperationalError: database or disk is full"), 1, "outside_families disk_full"),
        (BARE + raised("sqlite3.OperationalError: database is locked"), 1, "A1 mid_run"),
        (SIDE_BY_SIDE, 0, "G1"),
        (lines("step {k} loss {l:.4f}") + "learned 280 steps, saved pole.zip\n", None, "G1"),
        (lines("step {k} loss {l:.4f}") + "learned 100 steps, saved pole.zip\n", None, "cannot_decide"),
        (WHOLE + LEFT, 1, "A1 mid_run"),
        (ORBIT, 0, "E1 nan"),
        (3 * KEPT + "good morning\n", 0, "A1 startup"),
        (3 * KEPT + WHOLE, 0, "G1"),
        ("".join(f"task_{a}: {k}/90 acc 0.{b}{k}\n" for a, b in TASKS for k in (30, 60, 90)), 0, "cannot_decide"),
        (BOOSTED + "best iteration 9, held_out rmse 0.1\n", 0, "G1"),
        ("".join(f"ep {k} | fit {'nan' if k > 9 else 9 - k / 3} m | 7\n" for k in range(19)), 0, "cannot_decide"),
        ("".join(f"ep {k} | fit {'nan' if k > 9 else 9.0**k} m | 7\n" for k in range(19)), 0, "E1 nan"),
        (lines("shard 1 sample {k} loss {l:.4f}").replace("sample", "part"), 124, "F3 unknown_progress"),
        (AGAIN_LATER + "no file matches model_*.bin, the net begins at random\n" + WHOLE, 0, "E2 silent_restart"),
        ("no file matches model_*.bin, the net begins at random\n" + WHOLE, 0, "cannot_decide"),
        (FOLDS, 0, "A1"),
        (FOLDS + "== fold 2 ==\n" + FOLD, 0, "cannot_decide"),
        (FOLDS.replace("fold", "trial"), 0, "cannot_decide"),
        (WHOLE + GONE, 1, "cannot_decide"),  # killed, or by an error of its own
        (counted("[{e}/8][{s:3}/60] triplet {l}"), 0, "G1"),
        (counted("[{e}/8][{s:3}/60] triplet {l}", 2), 0, "E1 nan"),
        (counted("e{e:02d} b{s:03d} margin {l}", 2), 0, "E1 nan"),
        (counted("e{e:02d} b{s:03d} whatever {l}", 2), 0, "cannot_decide"),
        (counted("({e}) {s:04d} | val_auc {l} | 12 ms", 2), 0, "cannot_decide"),  # it may be undefined
        (counted("({e}) {s:04d} | loss {l} | 12 ms"), 0, "G1"),
        (WHOLE.replace("/290", "/800") + "{'train_runtime': '3.3', 'train_loss': '0.8'}\n", 0, "G1"),  # by a callback
        (FASTAI, 0, "cannot_decide"),  # a validation that grew
        (FASTAI + FAST_BARS, 0, "E1 diverged"),
        (SPACY, None, "G1"),
        (SPACY.replace("Saved", "Aborting and saving"), None, "cannot_decide"),
        (SWEEP + FAILED + SWEEP, 0, "cannot_decide"),
        (2 * SWEEP + FAILED, 1, "A1 startup"),
        (TUNED + ERRORED + TUNED, 0, "G1"),
        (ERRORED + TUNED, None, "cannot_decide"),
        (3 * ERRORED, 0, "A1 startup"),
        (WHOLE + "ERROR: Unexpected bus error encountered in worker.\n" + GONE, 1, "A2 native_crash"),
        ("will do 300 turns, reporting every 10\n" + lines("turn {k} loss {l:.4f}"), 0, "G1"),
        ("a state is kept every 12000 turns\n" + lines("turn {k} loss {l:.4f}"), 0, "G1"),
    ],
)  # fmt: skip
def test_a_program(tmp_path: Path, text: str, exit_code: int | None, expected: str) -> None:
    assert told(tmp_path, text, exit_code) == expected


@pytest.mark.parametrize(
    ("said", "frames", "code", "expected"),
    [
        (TORN, "/w/t.py:9 __getitem__\n/site-packages/torch/serialization.py:1 load", "", Cause.APPLICATION),
        (TORN, READ, "x = torch.load(shard)", Cause.APPLICATION),
        (TORN, READ, "x = torch.load(path)", Cause.CHECKPOINT),
        (TORN, "/w/t.py:9 load_checkpoint\n/torch/serialization.py:1 load", "torch.load(data)", Cause.CHECKPOINT),
        ("KeyError: 'optimizer'", "/w/t.py:9 main", "opt.load_state_dict(saved['optimizer'])", Cause.CHECKPOINT),
        ("KeyError: 'optimizer'", "/w/t.py:9 main", "build(cfg['optimizer'])", Cause.APPLICATION),
    ],
)  # fmt: skip
def test_a_load_of_data_or_of_a_saved_state(said: str, frames: str, code: str, expected: Cause) -> None:
    kind, _, message = said.partition(": ")
    assert classify(kind, message, frames, code).cause is expected
