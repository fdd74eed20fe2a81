"""Ends, restarts and chains as people of many tongues and frameworks tell them, and what is near to that."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, **files: str) -> Verdict:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return analyze(import_logs([folder]), strict=True)[0]


def loss(at: int) -> float:
    return 2.4 * math.exp(-at / 15) + 0.2


def reports(first: int, last: int, *, plan: int, begun: int = 0) -> list[str]:
    return [f"step {at}/{plan} loss {loss(at - begun):.4f}" for at in range(first, last + 1)]


STOPPED = [
    "^CTraceback (most recent call last):",
    '  File "fit.py", line 40, in <module>',
    "    loss.backward()",
    "KeyboardInterrupt",
]


def test_who_stops_a_run_and_starts_it_again_below_has_not_ended_it(tmp_path: Path) -> None:
    lines = [*reports(1, 12, plan=40), *STOPPED, *reports(1, 40, plan=40), "training finished", ""]
    assert judged(tmp_path, job__log="\n".join(lines)).family == "G1"


def test_who_stops_it_again_has_ended_it(tmp_path: Path) -> None:
    lines = [*reports(1, 12, plan=40), *STOPPED, *reports(1, 12, plan=40), *STOPPED, ""]
    assert judged(tmp_path, job__log="\n".join(lines)).outcome == "outside_families"


@pytest.mark.parametrize(("plan", "anew"), [(80, True), (200, False)])
def test_logs_that_count_on_to_one_plan_are_one_run(tmp_path: Path, plan: int, *, anew: bool) -> None:
    """The second counts on, and begins at the loss of a new model; with a plan of its own it may be another stage."""
    first = "\n".join([*reports(1, 40, plan=80), ""])
    second = "\n".join([*reports(41, 80 if anew else 90, plan=plan, begun=40), ""])
    verdict = judged(tmp_path, train_1__log=first, train_2__log=second)
    assert (verdict.family == "E2") is anew


def test_steps_that_an_epoch_counts_anew_are_no_restart(tmp_path: Path) -> None:
    rows = [
        {"mode": "train", "epoch": epoch, "iter": step, "loss": round(loss(4 * epoch + step // 50), 4), "lr": 1e-3}
        for epoch in range(1, 9)
        for step in range(50, 201, 50)
    ]
    verdict = judged(tmp_path, metrics__jsonl="".join(json.dumps(row) + "\n" for row in rows))
    assert verdict.family != "E2"


@pytest.mark.parametrize(
    ("word", "family"),
    [
        ("Koniec nauki po 40 krokach", "G1"),
        ("finished all 40 steps, weights in out/final.pt", "G1"),
        ("Fertig nach 40 Schritten", "G1"),
        ("stopped after 40 of 900 steps", None),
        ("not finished: 40 steps", None),
    ],
)
def test_last_words_that_name_what_was_counted(tmp_path: Path, word: str, family: str | None) -> None:
    lines = [f"step {at} loss {loss(at):.4f}" for at in range(1, 41)]
    assert judged(tmp_path, job__log="\n".join([*lines, word, ""])).family == family
