"""Progress of tools that count in ways of their own, what a setting planned, and numbers that show no training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path


def family(folder: Path, text: str, exit_code: int | None) -> str | None:
    """What the engine says of one log."""
    path = folder / "job.log"
    path.write_text(text)
    found = analyze(import_logs([path], exit_code=exit_code), strict=True)[0]
    return found.family if found.outcome == "decided" else found.outcome


def lines(form: str, reports: int = 24, end: str = "\n") -> str:
    """Reports of a loss that falls: ``{k}`` counts them, ``{l}`` is the loss, ``{p}`` how much is done in per cent."""
    told = (
        form.format(k=k, l=0.4 + 5 / (1 + k / 3), p=100 * k / reports, a=1 - 0.7 / (1 + k / 3))
        for k in range(1, reports + 1)
    )
    return end.join(told) + "\n"


FASTTEXT = "Progress: {p:5.1f}% words/sec/thread:   81234 lr:  0.031000 avg.loss:  {l:.6f} ETA:   0h 1m10s"
SPACY = (
    "E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  SCORE \n---  ------  ------------  --------  ------  ------\n"
    + lines("{k:3d}  {k:4d}00         {l:5.2f}    {loss}   {p:5.2f}    {a:4.2f}".replace("{loss}", "90.31"))
)
TESSERACT = "At iteration {k}2/{k}00/{k}00, mean rms={l:.3f}%, delta=3.1%, BCER train=9.1%, skip ratio=0.000%, wrote"
COQUI = """\x1b[1m   --> TIME: 2026-05-04 08:00:09 -- STEP: 1/2 -- GLOBAL_STEP: {{k}}\x1b[0m
     | > loss: {loss}  ({loss})
     | > loss_dur: 0.3  (0.3)"""
ORBIT = """I0504 08:00:09.121212 140212 controller.py:51] train | step:   {k} | steps/sec:    2.3 | output:
    {{'learning_rate': 0.001,
     'training_loss': {l:.6f}}}"""
RSL_RL = """               \x1b[1m Learning iteration {k}/24 \x1b[0m

                 Value function loss: 0.{k:04d}
                      Surrogate loss: -0.0041
                         Mean reward: {a:.2f}"""
BURSTS = (4277954816, 0.857, 0.715, 0.688, 13982601, 4912, 0.73, 0.64, 0.58, 0.68, 0.66, 0.67)
SCATTER = (14, -41, 22, -8, 37, -30, 6)
PLAIN = lines("step {k} loss {l:.4f}", 60)


def fold(number: int, epochs: int, of: str = "") -> str:
    """One of several trainings that a label tells apart."""
    return "".join(f"fold {number}{of} epoch {k}/30 loss {0.3 + 2 / k:.4f}\n" for k in range(1, epochs + 1))


SHORT = lines("step {k}/900 loss {l:.4f}")
CAUGHT = """\
ERROR training stopped
Traceback (most recent call last):
  File "/w/t.py", line 12, in fit
    batch(i)
IndexError: index 50257 is out of bounds
INFO cleaning up
"""
TIMED_OUT = "[rank 0] step 40: barrier timed out after 8 s, not all ranks arrived\n"


@pytest.mark.parametrize(
    ("text", "exit_code", "expected"),
    [
        (lines("INFO:tqdm_logging:Progress on:train {k}00it/2.40kit rate:3.1it/s postfix:loss={l:.2f}"), 0, "G1"),
        (lines("Progress on:evaluate {k}.0it/24.0it rate:3.1it/s postfix:loss={l:.2f}"), 0, "cannot_decide"),
        (lines(FASTTEXT), 0, "G1"),
        (lines(FASTTEXT, end="\r"), 0, "G1"),
        (lines(FASTTEXT.replace("{l:.6f}", "nan")), 0, "E1"),
        (lines(FASTTEXT), None, "cannot_decide"),
        (lines("[{p:.0f}%] loss {l:.4f}"), 0, "G1"),
        (lines("{a:.0%} right, loss {l:.4f}"), 0, "cannot_decide"),
        (SPACY, 0, "G1"),
        (SPACY.replace(" 90.31 ", "   nan "), 0, "E1"),
        (lines(TESSERACT), 0, "G1"),
        (lines("loss: {l:.4f} ||: : {k}it [00:{k:02d}, 12.31it/s]"), 0, "G1"),
        # A loss under the line that counts.
        (lines("   --> TIME: 08:00 -- STEP: {k}/24 -- GLOBAL_STEP: {k}\n     | > loss: {l:.5f}  ({l:.5f})"), 0, "G1"),
        (lines(COQUI.format(loss="{l:.5f}")) + lines(COQUI.format(loss="nan")).replace("_STEP: ", "_STEP: 9"), 0, "E1"),
        (lines(ORBIT, 12) + lines(ORBIT.replace("{l:.6f}", "nan").replace("{k}", "9{k}"), 12), 0, "E1"),
        (lines(RSL_RL), 0, "G1"),
        (lines("┌ Info: epoch {k}\n│   train_loss = {l:.5f}\n└   val_acc = {a:.4f}"), 0, "G1"),
        (lines("Epoch {k}/24\nTrain metrics: Loss: {l:.4f} - Acc: {a:.4f}\nValid metrics: Loss: 2.1"), 0, "G1"),
        (lines("--- iteration {k}0 ---\n  loss      {l:.5f}"), 0, "G1"),
        ("".join(lines(f"--- iteration {{k}}0 ---\n  loss      {{l:.{n}f}}") for n in (5, 3)), 0, "E2"),
        (lines("- Epoch {k} finished.\n- Train: Accuracy: {a:.2f}, SoftmaxCrossEntropyLoss: nan"), 0, "E1"),
        (lines("loss: {l:.4f}\nwrote the record of user {k} and went on"), 0, "cannot_decide"),
        # What a loop counts in a word of its own; a fold, or what goes back, is no step.
        (lines("reading {k}00 loss {l:.4f}"), 0, "G1"),
        (lines("fold {k} loss {l:.4f}"), 0, "cannot_decide"),
        (lines("TRAIN Batch 0/{k}00 loss {l:.6f} rank 0") + lines("TRAIN Batch 1/{k}00 loss 0.4 rank 0"), 0, "G1"),
        (
            lines("| iteration: {k} / 48 | lm_loss: {l:.3f} | ") + lines("| iteration: 2{k} / 48 | lm_loss: {k}.2K | "),
            0,
            "E1",
        ),
        (lines("[{k}/48] Loss_D: {l:.4f} Loss_G: 0.9") + lines("[2{k}/48] Loss_D: nan Loss_G: nan"), 0, "E1"),
        (lines("episode {k}0 | reward {a:.2f} | loss 0.{k:03d}", 60), 0, "G1"),  # whoever earns more may lose more
        (
            lines("epoch 1 - iter {k}/24 - loss {l:.4f}") + "-" * 100 + "\nExiting from training early.\n",
            None,
            "outside_families",
        ),
        (
            lines("Train step of epoch 0: 9%| {k}/24 [00:01<00:09,  1.60s/it, gpt_loss={l:.2f}, loss_mean={l:.2f}]"),
            0,
            "G1",
        ),
        # A counter that begins anew with every line or two is none of steps.
        (
            "".join(f"EM sub_iter={k % 2} size={9999 - k} obj={9 + 5 / k:.4f} num_tokens=4\n" for k in range(1, 40)),
            0,
            "G1",
        ),
    ],
)
def test_tools_that_count_in_ways_of_their_own(tmp_path: Path, text: str, exit_code: int | None, expected: str) -> None:
    assert family(tmp_path, text, exit_code) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("config: batch=32 max_steps=100000 seed=3\n" + PLAIN, "cannot_decide"),
        ("max_iters..............90000\n" + PLAIN + "training complete\n", "cannot_decide"),
        (
            lines('{{"step": {k}0, "total_steps": 9000, "loss": {l:.4f}, "val_loss": {l:.3f}}}')
            + "early stop: no improvement\n",
            "E3",
        ),
        ("Namespace(lr=0.001, train_iters=900, seed=3)\n" + PLAIN, "cannot_decide"),
        ("  --max-steps 900\n" + PLAIN + "training complete\n", "cannot_decide"),
        ("max_steps: 100\n" + PLAIN + "training complete\n", "G1"),  # another limit came first
        ("max_steps: 900\n" + PLAIN + "early stopping: no improvement for 8 epochs\n", "G1"),
        ("max_steps: 60\n" + PLAIN, "G1"),
        ("max_steps: -1\n" + PLAIN, "G1"),
        ("20 epochs of 400 steps = 8000 steps planned\n" + PLAIN + "max_steps=60 reached, stopping\n", "E3"),
        ("will train for 5000 iterations, eval every 500\n" + PLAIN + "training complete\n", "E3"),
        ("will train for 60 iterations, eval every 500\n" + PLAIN + "training complete\n", "G1"),
        ("warm-up: training for 5 steps\n" + PLAIN + "training complete\n", "G1"),
        ("cfg: {'epochs': 50}\n" + lines("epoch 2 step {k} loss {l:.4f}") + "training complete\n", "cannot_decide"),
        ("cfg: {'epochs': 2}\n" + lines("epoch 2 step {k} loss {l:.4f}") + "training complete\n", "G1"),
        # What is skipped to the end is not learnt from; nor is what is right by chance.
        (lines("nan loss, update skipped\n[{k}/60] avg_loss {l:.4f}", 60), "cannot_decide"),
        ("nan loss, update skipped\n" + lines("[{k}/60] avg_loss {l:.4f}", 60), "G1"),
        ("".join(f"epoch {k}/30: test accuracy 0.1{k * 7 % 9}\n" for k in range(1, 31)), "cannot_decide"),
        (lines("epoch {k}/30: test accuracy {a:.3f}", 30), "G1"),
        (
            PLAIN + "could not save the model: [Errno 13] Permission denied: 'm.pt'\ntraining complete\n",
            "cannot_decide",
        ),
        (PLAIN + "failed to save the model m.pt\nfinal model saved to /tmp/m.pt\n", "G1"),
        # What ended training short of its plan, behind a status of 0.
        (SHORT + CAUGHT, "A1"),
        (SHORT + "WARNING giving up in epoch 7: ValueError('31 columns')\n", "A1"),
        (SHORT + "interrupted by user at step 27, saving\n", "outside_families"),
        (SHORT + "j.sh: line 1: 24280 Killed                  python3 t.py\n", "A2"),
        (PLAIN + "j.sh: line 1: 24280 Killed                  python3 t.py\n", "cannot_decide"),
        ("".join(f"[rank {r}] step {k}/90 loss {9 / k:.3f}\n" for k in range(1, 40) for r in (0, 1)) + TIMED_OUT, "C2"),
        (lines("it {k}  cost {l:.4f}"), "G1"),
        ("rank 0: rendezvous timed out after 9 s, 1 of 2 ranks present\n", "C1"),
        ("".join(fold(k, 30, "/4") for k in (1, 2, 3, 4)), "G1"),
        ("".join(fold(k, 16 if k == 2 else 30) for k in (1, 2, 3, 4)), "cannot_decide"),
        (lines("sweep  {k} of 900: rmse {l:.4f}") + "j.sh: line 1: 24280 Killed                  python3 t.py\n", "A2"),
        ('.fit(ckpt_path="last") is set, but there is no last checkpoint available.\n' + PLAIN, "cannot_decide"),
        # A reward alone, letters, and other languages.
        (lines("episode {k}/40  length 210  return {a:8.3f}  eps 0.05", 40), "G1"),
        ("".join(f"episode {k}/40  return {k * 7 % 9}.5\n" for k in range(1, 41)), "cannot_decide"),
        (lines("s={k} L={l:.4f} |g|=0.4", 40), "G1"),
        (lines("époque {k}/40  perte {l:.4f}  perte_val 1{l:.4f}", 40), "G1"),
        (lines("{{'epoch': {k}, 'val_loss': 0.3, 'train_loss': {l:.4f}}}") + "training complete\n", "G1"),
        (lines("   {k}0  mse={l:.5f}") + "finished\n", "G1"),
        (lines("✅ epoch {k}/24 — loss ↓ {l:.4f}"), "G1"),
        (lines("{k}0 bpb={l:.4f} tok/s=901"), "G1"),
        (lines("Durchgang {k} von 40 | Verlust {l:.4f}", 40), "G1"),
        # Where it goes on, and what its state had come to, is no report; nor is what leaps again and again a fall.
        ("=> resuming from last.pt (step 10, loss 0.0014)\n" + lines("step 1{k:02d} loss {l:.4f}"), "cannot_decide"),
        ("=> resuming from last.pt (step 10, loss 4.1)\n" + lines("step 1{k:02d} loss {l:.4f}"), "G1"),
        ("".join(f"epoch {k} loss {v}\n" for k, v in enumerate(BURSTS, 1)), "cannot_decide"),
        ("".join(f"step {k} loss {2.36 - k / 999 + SCATTER[k % 7] / 1000:.4f}\n" for k in range(50)), "cannot_decide"),
        # of episodes, too, a limit of steps is set
        ("max_steps: 1000\n" + lines("update {k} reward {a:.3f} loss {l:.4f}", 40), "G1"),
        # What is exactly 0, or not a number in part, shows no training.
        (lines("Epoch {k}/6\n40/40 - 1s 2ms/step - loss: 0.0000e+00", 6), "cannot_decide"),
        (
            lines("step:{k} - actor/entropy_loss:nan - actor/pg_loss:0.01 - critic/rewards/mean:{a:.3f}"),
            "cannot_decide",
        ),
        (lines("step:{k} - actor/entropy_loss:0.4 - actor/pg_loss:0.01 - critic/rewards/mean:{a:.3f}"), "G1"),
    ],
)
def test_what_a_setting_planned_and_numbers_that_show_no_training(tmp_path: Path, text: str, expected: str) -> None:
    assert family(tmp_path, text, 0) == expected
