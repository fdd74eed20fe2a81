"""What the fortieth set found wrong or open at first contact, in short texts of our own with near misses."""

# ruff: noqa: E501 (log lines are kept whole, so that they can be searched for)

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from .short_logs import clock, fell, verdict_of

if TYPE_CHECKING:
    from pathlib import Path

_CHANCE = random.Random(40)


# --- an attempt that its owner called off ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("between", "lost"),
    [
        ("slurmstepd: error: *** JOB 771904 ON kelvin-g03 CANCELLED AT 2026-04-02T09:20:18 ***", False),
        (
            "slurmstepd: error: *** JOB 771904 ON kelvin-g03 CANCELLED AT 2026-04-02T09:20:18 DUE TO JOB REQUEUE ***",
            True,
        ),
    ],
)
def test_a_cancelled_attempt_proves_no_silent_restart(tmp_path: Path, between: str, *, lost: bool) -> None:
    def attempt(begin: float, steps: int) -> list[str]:
        return [
            f"{clock(begin)} Starting training on 4 ranks",
            *(f"{clock(begin + n)} step {n} loss {fell(_CHANCE, n, 400):.4f}" for n in range(1, steps, 5)),
        ]

    said = [*attempt(0, 340), "saved ckpt/step300.pt", between, *attempt(2000, 400), "training done"]
    assert (verdict_of(tmp_path, said).family == "E2") == lost


# --- a state that a full disk had left empty ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (
            "(ckpt writer: ckpt/step00240.pt: [enforce fail at inline_container.cc:672] . unexpected pos 768 vs 664; 0 KiB left)",
            "outside_families",
        ),
        ("(ckpt writer: ckpt/step00240.pt written, 612345 KiB left)", "decided"),
    ],
)
def test_a_torn_state_of_a_full_disk(tmp_path: Path, said: str, outcome: str) -> None:
    run = [f"{clock(2 * n)} step {20 * n}/900 loss {fell(_CHANCE, n, 45):.3f}" for n in range(1, 13)]
    after = [f"{clock(2 * n)} step {20 * n}/900 loss {fell(_CHANCE, n, 45):.3f}" for n in range(13, 19)]
    torn = [
        f"{clock(37)} step 360: back to the best so far, step 300 (0.324)",
        "Traceback (most recent call last):",
        '  File "/work/recipes.py", line 102, in <module>',
        "    main()",
        '  File "/work/recipes.py", line 95, in main',
        '    back = torch.load(f"{KEEP}/step{best_step:05d}.pt", map_location="cpu")',
        '  File "/venv/lib/python3.11/site-packages/torch/serialization.py", line 1626, in load',
        "    return _legacy_load(",
        "EOFError",
    ]
    assert verdict_of(tmp_path, [*run, f"  {said}", *after, *torn]).outcome == outcome


def test_another_error_after_a_full_disk_that_was_got_over_is_its_own(tmp_path: Path) -> None:
    full = (
        "  (ckpt writer: ckpt/a.pt: [enforce fail at inline_container.cc:672] . unexpected pos 768 vs 664; 0 KiB left)"
    )
    run = [f"{clock(2 * n)} step {20 * n}/900 loss {fell(_CHANCE, n, 45):.3f}" for n in range(1, 31)]
    raised = [
        "Traceback (most recent call last):",
        '  File "/work/recipes.py", line 102, in <module>',
        "    main()",
        '  File "/work/recipes.py", line 88, in main',
        '    answer = input("go on? ")',
        "EOFError: EOF when reading a line",
    ]
    assert verdict_of(tmp_path, [*run[:12], full, *run[12:], *raised]).family == "A1"


# --- words that stand before the next number's colon are that number's ----------------------------------------------------
@pytest.mark.parametrize(("end", "family"), [(13.0, "E1"), (4.1, None)])
def test_a_rate_does_not_take_the_name_of_what_follows(tmp_path: Path, end: float, family: str | None) -> None:
    said = []
    for n in range(60):
        loss = 13 - 6 * min(n, 20) / 20 if n < 30 else end
        grad = 1.2 if n < 30 or end < 13 else 0.0004
        said.append(
            f"{clock(120 * n)} | INFO | Train Epoch: 0 [{819200 * n + 8192} seen] Data (t): 20ms Batch (t): 1220ms, 402.7kpair/min,"
            f" 25.17kpair/min/gpu LR: 0.004000 Logit Scale: 14.286 Grad: {grad:.4f} Contrastive_loss: {loss:.3f}bit ({loss:.3f}bit)"
        )
    verdict = verdict_of(tmp_path, said)
    assert verdict.family == family
    assert "0.0004" not in verdict.headline


# --- a person's Ctrl-C in other languages ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("[중단] 12:00:40 Ctrl+C 를 받았습니다. 지금 가중치를 저장하고 멈춥니다.", "outside_families"),
        ("収集: Ctrl-C が押されました。保存します", "outside_families"),
        ("收到 Ctrl+C, 正在保存", "outside_families"),
        ("사용자가 3470/9000 스텝에서 멈춤", "outside_families"),
        ("사용자가 중단하려면 q 를 누르세요", "cannot_decide"),
        ("如果要停止, 请按 Ctrl+C", "cannot_decide"),
    ],
)
def test_a_persons_interrupt_in_other_languages(tmp_path: Path, said: str, outcome: str) -> None:
    run = [f"{clock(14 * n)} step {10 * n}/9000 loss {fell(_CHANCE, n, 900):.4f}" for n in range(1, 300)]
    assert verdict_of(tmp_path, [*run, said]).outcome == outcome
