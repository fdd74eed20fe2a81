"""Trainings that a callback or a setting cut short without a word, and what their bars and clocks tell of the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def _verdict(folder: Path, text: str) -> Verdict:
    folder.mkdir(exist_ok=True)
    (folder / "train.log").write_text(text)
    return analyze(import_logs([folder], exit_code=0), strict=True)[0]


# --- CatBoost --------------------------------------------------------------------------------------------------------


def _catboost(count: int, of: int, *, tell: str = "", upward: int = 10**6) -> str:
    lines = []
    for tree in [*range(0, count, 5), *([count - 1] if count == of and (count - 1) % 5 else [])]:
        spent, left = 0.06 * (tree + 1), 0.06 * (of - tree - 1)
        test = 0.85 * 0.997 ** min(tree, upward) * 1.004 ** max(0, tree - upward)
        ahead = f"{int(left // 60)}m {int(left % 60)}s" if left >= 60 else f"{left:.3g}s"
        lines.append(
            f"{tree}:\tlearn: {0.86 * 0.996**tree:.7f}\ttest: {test:.7f}\tbest: {test:.7f} ({tree})"
            f"\ttotal: {spent:.3g}s\tremaining: {ahead}\n"
        )
    last = min(count - 1, upward)
    end = f"{tell}\nbestTest = 0.79\nbestIteration = {last}\nShrink model to first {last + 1} iterations.\n"
    return "".join(lines) + end


def test_trees_that_stop_with_nearly_all_of_the_time_left_were_cut_short(tmp_path: Path) -> None:
    verdict = _verdict(tmp_path, _catboost(26, 3000))
    assert verdict.family == "E3"
    assert "about 3000" in verdict.headline


def test_trees_that_were_all_built_or_stopped_by_a_rule_are_not_short(tmp_path: Path) -> None:
    assert _verdict(tmp_path / "all", _catboost(300, 300)).family == "G1"
    stopped = "Stopped by overfitting detector  (20 iterations wait)"
    assert _verdict(tmp_path / "rule", _catboost(60, 3000, tell=stopped, upward=40)).family != "E3"
    assert _verdict(tmp_path / "risen", _catboost(60, 3000, upward=40)).family != "E3"  # past its best: a rule may be
    half = _verdict(tmp_path / "third", _catboost(1000, 3000))
    assert half.family not in ("E3", "G1")


# --- two bare bars ---------------------------------------------------------------------------------------------------


def _bars(steps: int, evaluated: int, *, fall: float, every: int = 5) -> str:
    lines = [f"  0%|          | 0/{steps} [00:00<?, ?it/s]\n"]
    for step in range(every, steps + 1, every):
        loss = 1.6 * fall ** (step / every)
        clock = f"[00:{step // 10 % 60:02}<00:01, 10.0it/s]"
        lines.append(f"{{'loss': '{loss:.4f}', 'learning_rate': '2e-05', 'epoch': '{step / 900:.4g}'}}\n")
        lines.append(f" 33%|███▎      | {step}/{steps} {clock}\n")
    lines.append(f"{{'train_runtime': '2.8', 'train_loss': '{1.6 * fall:.3f}', 'epoch': '{steps / 900:.4g}'}}\n")
    lines.append(f"100%|██████████| {steps}/{steps} [00:01<00:00, 10.0it/s]\n")
    lines.append(f"  0%|          | 0/{evaluated} [00:00<?, ?it/s]\n")
    lines.append(f"100%|██████████| {evaluated}/{evaluated} [00:00<00:00, 467.34it/s]\n")
    lines.append(
        f"{{'eval_loss': {1.6 * fall ** (steps / every):.4f}, 'eval_runtime': 0.16, 'epoch': {steps / 900:.4g}}}\n"
    )
    return "".join(lines)


def test_the_longer_bar_of_the_evaluation_is_not_that_of_the_training(tmp_path: Path) -> None:
    short = _verdict(tmp_path / "short", _bars(15, 75, fall=1.002))
    assert short.family == "E3"
    assert "15 steps" in short.headline
    whole = _verdict(tmp_path / "whole", _bars(200, 750, fall=0.97))
    assert whole.family == "G1"
    assert "200 steps" in whole.headline


# --- epochs that each report tells -----------------------------------------------------------------------------------


def _batches(word: tuple[str, str, str], last: int, *, saved: str, said: str = "") -> str:
    """Reports of one training that was to be 30 epochs; the files know no status."""
    epoch, batch, loss = word
    reports = "".join(
        f"{epoch} {1 + n // 625}/30  {batch} {n}/18750  {loss} {3.9 * 0.999**n:.4f}\n" for n in range(20, last + 1, 20)
    )
    return f"{reports}{said}{saved}"


FINAL = {
    ("époque", "lot", "perte"): "Perte de validation du modèle final : 2.4375\nModèle enregistré dans debits.pt\n",
    ("Epoche", "Batch", "Verlust"): "Verlust des endgültigen Modells (Test): 2.4375\nModell gespeichert: debits.pt\n",
    ("epoch", "batch", "loss"): "validation loss of the final model: 2.4375\nweights written to debits.pt\n",
}


def _unended(folder: Path, text: str) -> Verdict:
    folder.mkdir(exist_ok=True)
    (folder / "train.log").write_text(text)
    return analyze(import_logs([folder]), strict=True)[0]


@pytest.mark.parametrize("words", FINAL)
def test_a_final_model_after_the_first_of_thirty_epochs_is_undertrained(
    tmp_path: Path, words: tuple[str, str, str]
) -> None:
    assert _unended(tmp_path, _batches(words, 60, saved=FINAL[words])).family == "E3"


@pytest.mark.parametrize(
    ("saved", "said"),
    [
        ("Modèle enregistré dans debits.pt\n", ""),  # of every epoch, perhaps, and it runs on
        ("Perte de validation du modèle final : 2.4375\n", ""),
        (FINAL["époque", "lot", "perte"], "arrêt anticipé : aucune amélioration\n"),
        ("", ""),
    ],
)
def test_a_save_alone_or_a_word_of_a_rule_is_no_end_before_its_time(tmp_path: Path, saved: str, said: str) -> None:
    text = _batches(("époque", "lot", "perte"), 60, saved=saved, said=said)
    assert _unended(tmp_path, text).family != "E3"


# --- two numbers that count -------------------------------------------------------------------------------------------


def _games(word: str, end: str = "weights written to picker.pt\n") -> str:
    games = "".join(
        f"episode {4 * i} {word} {64 * i}/400000 return(50) {0.05 * i - 2:.3f} td loss {0.9 * 0.9**i + 0.1:.4f}\n"
        for i in range(1, 31)
    )
    return f"picker starts\n{games}{end}"


def test_episodes_that_say_of_how_many_frames_they_are_a_part_were_cut_short(tmp_path: Path) -> None:
    verdict = _verdict(tmp_path / "frames", _games("frame"))
    assert verdict.family == "E3"
    assert "1920 frames of 400000" in verdict.headline
    assert verdict.confidence < 0.8


@pytest.mark.parametrize(
    ("word", "end"),
    [
        ("replay", "weights written to picker.pt\n"),  # a buffer that fills up
        ("frame", "time budget used up, weights written to picker.pt\n"),
        ("frame", ""),
    ],
)
def test_a_buffer_and_a_rule_are_no_plan_that_was_cut_short(tmp_path: Path, word: str, end: str) -> None:
    assert _verdict(tmp_path, _games(word, end)).family != "E3"
