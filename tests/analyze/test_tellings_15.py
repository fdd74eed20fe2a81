"""Waits, saves, exchange and slow members as numbers tell them, and ordinary runs in the same voices."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs.told_times import timed_lines, told_times
from inquest.bundle.logs_import import import_logs
from inquest.bundle.timers import COMM, COMPUTE, DATA, SAVE, timer_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def family(folder: Path, lines: list[str], name: str = "job.log") -> str | None:
    (folder / name).write_text("\n".join([*lines, "training complete", ""]), encoding="utf-8")
    return analyze(import_logs([folder]), strict=True)[0].family


def loss(at: int) -> float:
    return 2.5 * math.exp(-at / 40) + 0.2


def shares(text: str) -> dict[str, float]:
    told = told_times(text)
    return {} if told is None else {part: round(each / told.whole, 2) for part, each in told.parts.items()}


@pytest.mark.parametrize(
    ("text", "part", "share"),
    [
        # of several values of one time: over ranks the least, else a typical one
        ("it=4 fwd_us=40000 bwd_us=60000 sync_us[min/max]=900000/950000 obj=1.8", COMM, 0.9),
        ("it=4 fwd_us=400000 bwd_us=500000 sync_us[min/max]=100000/950000 obj=1.8", COMM, 0.1),
        ("step=25 fetch_ms(avg=3567,lo=3600,hi=3746) net_ms=380 sync_ms=20 bce=0.66", DATA, 0.9),
        ('{"nll": 4.9, "get_wait_s": {"p50": 4.5, "p95": 8.9}, "fwdbwd_s": {"p50": 0.5, "p95": 0.6}}', DATA, 0.9),
        # of a whole that its parts stand beside
        ("time (ms) | fwd_ms: 50 | bwd_ms: 950 | bwd_inner_ms: 50 | bwd_allreduce_ms: 900", COMM, 0.9),
        ("步数 6 | 单步耗时 5.0秒 | 计算 0.5秒 | 梯度同步占比 90.0%", COMM, 0.9),
        ("duró 10.0 min; 1.0 min en cálculo; 90 % escribiendo pesos", SAVE, 0.9),
        # by a server of parameters
        ("round n=3 pull_ms=400 grad_ms=100 push_ms=500 stale=0", COMM, 0.9),
        ("calc=1.00s/10 exch=9.00s/10", COMM, 0.9),
        ("шаг 4  невязка 3.7  счёт 1.00 с  запись на диск 9.00 с", SAVE, 0.9),
    ],
)
def test_parts_of_a_time(text: str, part: str, share: float) -> None:
    assert shares(text).get(part) == pytest.approx(share, abs=0.02)


def test_what_is_no_part_of_a_time() -> None:
    assert COMM not in shares("pull_ms=400 grad_ms=100 loss=0.9")  # from anywhere
    assert COMM not in shares("单步耗时 5.0秒 | 计算 4.0秒 | 梯度同步占比 90.0%")  # a share of something else
    assert timer_of("TFLOP/s/device") is None
    assert timer_of("exch_GBps") is None


def test_a_comma_before_decimals() -> None:
    lines = [
        f"Schritt {at}  Warten {0.02 + at / 10000:.3f} s  Rechnen 1,{at:03d} s".replace(".", ",") for at in range(9)
    ]
    assert all(told.parts[DATA] < 0.1 < told.parts[COMPUTE] < 2 for _, told in timed_lines(lines))
    thousands = ["wait 2,172 ms compute 1,209 ms", "wait 2,400 ms compute 1,100 ms"]
    assert [told.parts[DATA] for _, told in timed_lines(thousands)] == [2.172, 2.4]


def mxnet(sync_ms: float) -> list[str]:
    lines = []
    for at in range(60):
        epoch, batch = divmod(at, 20)
        first = f"INFO:root:Epoch[{epoch}] Batch [{batch * 20}-{batch * 20 + 20}]"
        lines.append(f"{first}\tSpeed: {64 / (0.2 + sync_ms / 1000):.2f} samples/sec\taccuracy={0.1 + at / 80:.6f}")
        lines.append(f"INFO:kv:worker 0 of 6  push+pull {sync_ms + at % 3:.1f} ms/batch  exec 200.0 ms/batch")
        if batch == 19:
            lines += [
                f"INFO:root:Epoch[{epoch}] Train-accuracy={0.2 + epoch / 5:.6f}",
                f"INFO:root:Epoch[{epoch}] Time cost=90.1",
            ]
    return lines


def test_mxnet_trains_by_pace_and_accuracy(tmp_path: Path) -> None:
    assert family(tmp_path, mxnet(1200)) == "D2"
    assert family(tmp_path, mxnet(15)) not in {"D2", "E2"}


SLOW: dict[str, Callable[[int, list[float]], list[str]]] = {
    "bare list": lambda at, own: [
        f"step {at}/60 loss {loss(at):.4f}",
        f"    own compute ms by rank: {' '.join(f'{1000 * each:.0f}' for each in own)}",
    ],
    "slashes": lambda at, own: [
        f"反復 {at} 損失={loss(at):.4f} 演算[ms]= {'/'.join(f'{1000 * each:.0f}' for each in own)}"
        f" 同期待ち[ms]= {'/'.join(f'{1000 * (max(own) - each) + 5:.0f}' for each in own)}"
    ],
    "longest": lambda at, own: [
        f"it. {at} : perte {loss(at):.4f} ; durée propre (s) min {min(own):.3f} / moy {sum(own) / len(own):.3f}"
        f" / max {max(own):.3f} (rang {own.index(max(own))})".replace(".", ",").replace("it,", "it.")
    ],
    "cells": lambda at, own: [
        f"epoch {at}/60   loss {loss(at):.4f}",
        "host      batches   own work/batch   barrier wait/batch",
        *(
            f"{name}         610         {each:.3f} s             {max(own) - each + 0.01:.3f} s"
            for name, each in zip(("ash", "elm", "fir", "oak"), own, strict=True)
        ),
    ],
}


@pytest.mark.parametrize("form", SLOW)
@pytest.mark.parametrize(("times", "slow"), [(2.4, True), (1.1, False)])
def test_who_takes_longest(tmp_path: Path, form: str, times: float, slow: bool) -> None:
    lines: list[str] = []
    for at in range(1, 61):
        own = [0.5 + 0.01 * ((at * 7 + who * 3) % 4) for who in range(4)]
        own[2] *= times
        lines += SLOW[form](at, own)
    assert (family(tmp_path, lines) == "D3") is slow


def test_percentiles_are_no_ranks(tmp_path: Path) -> None:
    lines = [f"step {at} loss {loss(at):.4f} compute[ms] p50/p90/p99 = 300/390/{900 + at}" for at in range(1, 61)]
    assert family(tmp_path, lines) != "D3"


def estimator(save_s: float, each: int) -> list[str]:
    now, lines = datetime(2026, 6, 6, 5, tzinfo=UTC), []
    for at in range(1, 81):
        now += timedelta(seconds=0.5)
        if at % each == 0:
            lines.append(f"{now:I%m%d %H:%M:%S.%f} 1400 hooks.py:614] Saving checkpoints for {at} into mnt/model.ckpt.")
            now += timedelta(seconds=save_s)
            lines.append(
                f"{now:I%m%d %H:%M:%S.%f} 1400 h.py:6] Calling checkpoint listeners after saving checkpoint {at}..."
            )
        lines.append(f"{now:I%m%d %H:%M:%S.%f} 1400 hooks.py:266] loss = {loss(at):.5f}, step = {at}")
    return lines


def test_an_estimator_s_saves(tmp_path: Path) -> None:
    assert family(tmp_path, estimator(15, 1)) == "D2"
    assert family(tmp_path, estimator(2, 40)) != "D2"


def trainer(first_s: float, each_s: float) -> list[str]:
    """Saves of a trainer that write for most of their time in silence."""
    now, lines = datetime(2026, 8, 1, 10, tzinfo=UTC), []

    def say(text: str) -> None:
        lines.append(f"[INFO|trainer.py:1] {now:%Y-%m-%d %H:%M:%S},000 >> {text}")

    say("***** Running training *****")
    now += timedelta(seconds=first_s)
    for at in range(1, 51):
        lines.append(f"{{'loss': {loss(at):.4f}, 'grad_norm': 0.8, 'learning_rate': 2e-05, 'epoch': {at / 50:.2f}}}")
        say(f"Saving model checkpoint to ./out/checkpoint-{at}")
        now += timedelta(seconds=3)
        say(f"Model weights saved in ./out/checkpoint-{at}/model.safetensors")
        now += timedelta(seconds=each_s)
    return lines


def test_what_the_first_step_leaves_of_the_others_is_the_saves(tmp_path: Path) -> None:
    assert family(tmp_path, trainer(6, 20)) == "D2"
    # Its steps may be as long as all that passes between two saves.
    assert family(tmp_path, trainer(22, 20)) != "D2"


@pytest.mark.parametrize(("write", "found"), [("0:47:07", "D2"), ("0:03:10", None)])
def test_what_is_summed_up_at_the_end(tmp_path: Path, write: str, found: str | None) -> None:
    lines = [f"upd {at} | cost {loss(at):.6f}" for at in range(1, 101)]
    family_told = family(tmp_path, [*lines, f"total write time {write}, wall 0:53:24"])
    assert (family_told == "D2") is (found == "D2")


def test_a_sum_of_waits(tmp_path: Path) -> None:
    lines = [f"шаг {at} ошибка {loss(at):.6f}" for at in range(1, 101)]
    assert family(tmp_path, [*lines, "итого: чтение 3715 с, счёт 242 с"]) == "D1"
    assert family(tmp_path, [*lines, "итого: чтение 242 с, счёт 3715 с"]) != "D1"
    assert family(tmp_path, [*lines, "итого: чтение 3715 с"]) != "D1"  # and of what else nobody tells


def blocks(save_s: float) -> list[str]:
    lines = []
    for at in range(1, 25):
        lines += ["-" * 30, f"|    ep_rew_mean     | {2 + at:.2f}   |", f"|    iterations      | {at}   |"]
        lines += [f"|    save_seconds    | {save_s + at % 3:.1f}   |", f"|    time_elapsed    | {at * 140}   |"]
        lines += [f"|    total_timesteps | {at * 2048}   |", "-" * 30]
    return lines


def test_a_clock_that_runs_on_tells_the_whole(tmp_path: Path) -> None:
    assert family(tmp_path, blocks(124)) == "D2"
    assert family(tmp_path, blocks(3)) != "D2"
    assert family(tmp_path, blocks(190)) != "D2"  # longer than that time: of something else


def composer(share: float, pace: float) -> list[str]:
    lines = []
    for at in range(20, 1001, 20):
        lines += [f"[batch={at}/1000]:", f"\t Train loss/train/total: {loss(at // 10):.4f}"]
        lines += [f"\t Train throughput/batches_per_sec: {pace:.4f}", f"\t Train dataload/wait_fraction: {share:.4f}"]
    return lines


def test_a_share_of_waits_beside_the_pace(tmp_path: Path) -> None:
    assert family(tmp_path, composer(0.88, 0.13)) == "D1"
    assert family(tmp_path, composer(0.06, 0.9)) != "D1"
    assert family(tmp_path, composer(0.88, 400.0)) != "D1"  # milliseconds


def test_who_says_that_there_is_no_input_is_not_called_healthy(tmp_path: Path) -> None:
    lines = [f"iteration {at} loss = {loss(at):.5f}" for at in range(1, 61)]
    empty = [text for line in lines for text in ("prefetch.cpp:115] Data layer prefetch queue empty", line)]
    assert family(tmp_path, lines) == "G1"
    assert family(tmp_path, [*empty[:6], *lines[3:]]) == "G1"  # it warmed up
    assert family(tmp_path, empty) is None


def test_who_notes_the_power_brake_is_not_called_healthy(tmp_path: Path) -> None:
    def minutes(mask: str) -> list[str]:
        head = "# throttle bits per card"
        return [
            head,
            *(f"minute {at} loss {loss(at):.4f}  {'0x0000' if at < 9 else mask} 0x0000" for at in range(1, 61)),
        ]

    assert family(tmp_path, minutes("0x0004")) == "G1"
    assert family(tmp_path, minutes("0x0088")) != "G1"


@pytest.mark.parametrize(("ratio", "whose", "slow"), [(2.4, 22, True), (1.1, 22, False), (2.4, None, False)])
def test_the_longest_by_their_ratios(tmp_path: Path, ratio: float, whose: int | None, slow: bool) -> None:
    lines = ["32 ranks; after each report the three longest own times relative to the median rank"]
    for at in range(1, 41):
        first = at % 31 if whose is None else whose
        lines += [f"step {at * 50} loss {loss(at):.4f} median own 266.0 ms step {266 * ratio + at % 5:.1f} ms"]
        lines += [f"    r{first}@n06 x{ratio + at % 3 / 100:.2f}, r{(at * 7) % 21}@n01 x1.09, r3@n02 x1.04"]
    assert (family(tmp_path, lines) == "D3") is slow
