"""Curves in voices of many kinds: what ends them, what they count by, and what is no curve to judge."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.metric_names import column_of
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, *lines: str, name: str = "job.log") -> Verdict:
    path = folder / name
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return analyze(import_logs([path]), strict=True)[0]


def loss(at: float, of: float = 15) -> float:
    """What learning brings down, with a ripple of its batches."""
    return 2.4 * math.exp(-at / of) + 0.2 + 0.01 * (at * 7 % 5)


# --- ended before its schedule began ---------------------------------------------------------------------------------

SET = {
    "far": ("warmup_iters = 300", "lr_decay_iters = 6000", 200),
    "option": ("run: fit --lr 3e-4 --warmup 200 --seed 3", "batch 32", 60),
}
NOT_SET = {
    "over": ("warmup_iters = 100", "lr_decay_iters = 6000", 200),
    "near": ("warmup_iters = 300", "lr_decay_iters = 900", 200),
    "unit": ("run: fit --lr 3e-4 --warmup 200 ms", "batch 32", 60),
}


def short(one: str, other: str, steps: int) -> list[str]:
    told = [f"iter {at}: loss {9 - 2 * at / steps:.4f}" for at in range(0, steps + 1, 4)]
    return [one, other, *told, "training finished"]


@pytest.mark.parametrize("form", SET)
def test_what_ended_within_its_warm_up(tmp_path: Path, form: str) -> None:
    assert judged(tmp_path, *short(*SET[form])).family == "E3"


@pytest.mark.parametrize("form", NOT_SET)
def test_what_came_beyond_its_warm_up(tmp_path: Path, form: str) -> None:
    assert judged(tmp_path, *short(*NOT_SET[form])).family != "E3"


# --- how it ended ----------------------------------------------------------------------------------------------------

LEAVES = (
    "schedule finished, weights -> out/final.safetensors",
    "steps reached (40 of 40), model saved as net.zip",
    "40 époques faites. EQM test 0,352",
    "Fim. Modelo gravado em modelos/rede.pt; NSE mediano 0,84.",
    "完了: 誤差 1.8 %",
    "patience 5/5 -> stop, best ep 35",
)
STAYS = (
    "steps reached (40 of 90), model saved as net.zip",
    "Fim: 2024-05-01 10:33",
    "patience 4/5 -> no stop yet",
    "完了していない: 誤差 1.8 %",
)


@pytest.mark.parametrize("word", LEAVES)
def test_last_words(tmp_path: Path, word: str) -> None:
    assert judged(tmp_path, *(f"step {at} loss {loss(at):.4f}" for at in range(1, 41)), word).family == "G1"


@pytest.mark.parametrize("word", STAYS)
def test_words_that_are_no_last_ones(tmp_path: Path, word: str) -> None:
    assert judged(tmp_path, *(f"step {at} loss {loss(at):.4f}" for at in range(1, 41)), word).family is None


def timed(reports: int, of: int) -> list[str]:
    left = ((of - at) * 30 for at in range(1, reports + 1))
    clocks = (f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}" for s in left)
    return [f"iter: {20 * at}  eta: {clock}  loss: {loss(at):.4f}" for at, clock in enumerate(clocks, 1)]


def test_a_clock_that_came_to_nothing(tmp_path: Path) -> None:
    assert judged(tmp_path, *timed(60, 60)).family == "G1"


def test_a_clock_that_did_not(tmp_path: Path) -> None:
    assert judged(tmp_path, *timed(56, 60)).family is None


def test_a_clock_of_each_epoch(tmp_path: Path) -> None:
    rows = [
        f"Epoch [{epoch}] step {20 * at} eta: 0:{20 - at:02d}:00 loss: {loss(at + 20 * epoch):.4f}"
        for epoch in range(3)
        for at in range(1, 21)
    ]
    assert judged(tmp_path, *rows).family is None


# --- what is read ----------------------------------------------------------------------------------------------------


def test_a_likelihood_and_its_parts_rise(tmp_path: Path) -> None:
    blocks = [
        line
        for at in range(1, 41)
        for line in (
            f"┌ Info: epoch {at}",
            f"│   elbo = {-400 + 15 * at + at % 3:.3f}",
            f"│   recon = {-398 + 15.5 * at + at % 3:.3f}",
            f"└   kl = {2 + 0.4 * at:.3f}",
        )
    ]
    verdict = judged(tmp_path, *blocks, "[ Info: finished 40 epochs in 4 minutes")
    assert verdict.family == "G1"


def test_the_loss_of_a_loop_below_deepspeeds_count(tmp_path: Path) -> None:
    lines = [
        line
        for at in range(10, 410, 10)
        for line in (
            f"[2024-07-19 12:{at // 10:02d}:09,390] [INFO] [logging.py:96:log_dist] [Rank 0] step={at}, skipped=1,"
            " lr=[1.989e-05], mom=[(0.9, 0.95)]",
            f"0: loss {loss(at / 10):.4f}  tok/s 11226",
        )
    ]
    assert judged(tmp_path, *lines, "training finished").family == "G1"


def test_a_table_with_foreign_heads_and_commas(tmp_path: Path) -> None:
    def rows(end: int) -> list[str]:
        told = [f"{loss(at):.4f}".replace(".", ",") if at < end else "NaN" for at in range(1, 41)]
        return [f"   {at} ; {value} ; {at % 2} de 312" for at, value in enumerate(told, 1)]

    head = "época ; pérdida ; lotes omitidos"
    assert judged(tmp_path, head, *rows(99), "Fin: 40 épocas en 0 h 58 min").family == "G1"
    assert judged(tmp_path, head, *rows(25), "Fin: 40 épocas en 0 h 58 min").family == "E1"


def test_a_squared_error_in_french_that_went_back(tmp_path: Path) -> None:
    def part(begin: int, end: int) -> list[str]:
        return [
            f"ép {at:3d}/90 : EQM app. {loss(at):.4f}, EQM val. {loss(at) + 0.1:.4f}, 188 s" for at in range(begin, end)
        ]

    parts = ["*** partie 1 ***", *part(1, 51), "   écrit etat_050.h5", "*** partie 2 *** départ à neuf", *part(1, 45)]
    assert judged(tmp_path, *parts).family == "E2"


def test_rewards_beside_frames(tmp_path: Path) -> None:
    def told(values: list[float]) -> list[str]:
        return [f"{{'frames': {40000 * at}, 'return_avg100': {value:.2f}}}" for at, value in enumerate(values, 1)]

    rising = [20 - 40 * math.exp(-at / 20) + 0.3 * (at % 3) for at in range(100)]
    lost = rising[:50] + [-20 + 0.3 * (at % 3) for at in range(50)]
    assert judged(tmp_path, *told(rising), "4000000 frames, done").family == "G1"
    assert judged(tmp_path, *told(lost), "4000000 frames, done").family == "E1"


def test_a_new_stage_explains_slower_steps(tmp_path: Path) -> None:
    def stage(begin: int, end: int, seconds: float, at: int) -> list[str]:
        return [
            f'{{"ts": "2025-10-03T{at + s // 3600:02d}:{s // 60 % 60:02d}:{s % 60:02d}Z", "event": "step", "step": {n},'
            f' "loss": {loss(n / 100):.4f}, "sec_per_step": {seconds}}}'
            for n in range(begin, end, 100)
            for s in [int((n - begin) * seconds)]
        ]

    def run(word: str) -> list[str]:
        line = f'{{"ts": "2025-10-03T06:10:00Z", "event": "{word}"}}'
        end = '{"ts": "2025-10-03T11:59:00Z", "event": "finished"}'
        return [*stage(0, 5000, 0.8, 5), line, *stage(5000, 9000, 3.2, 7), end]

    assert judged(tmp_path, *run("stage_begin")).family == "G1"
    assert judged(tmp_path, *run("cache_flushed")).family is None


def test_a_person_who_started_it_again(tmp_path: Path) -> None:
    def part(begin: int, end: int) -> list[str]:
        return [f"DEEPMD INFO    batch {at:7d} training time 90.25 s" for at in range(begin, end, 5000)]

    begun = "dp train --restart model.ckpt input.json"
    verdict = judged(tmp_path, *part(0, 200000), "^C", begun, *part(200000, 400000), "DEEPMD INFO    finished training")
    assert verdict.outcome != "outside_families"


def test_the_time_of_the_run_is_no_steps() -> None:
    assert column_of("time_total_s") is None
    assert column_of("time_since_restore") is None
    assert column_of("time_this_iter_s") == "step_time_s"
