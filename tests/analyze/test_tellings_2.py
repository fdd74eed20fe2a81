"""Times of the parts of a step as people of many tongues and frameworks tell them, and what is near to that."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs.told_times import part_by, timed_lines, told_times
from inquest.bundle.logs_import import import_logs
from inquest.bundle.timers import COMM, COMPUTE, DATA, SAVE, STEP, timer_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("Ladezeit_ms", DATA),
        ("Lesezeit_s", DATA),
        ("Rechenzeit_ms", COMPUTE),
        ("Schrittzeit_s", STEP),
        ("Gesamtdauer_s", STEP),
        ("t_sauv_ms", SAVE),
        ("ms_synchro", COMM),
        ("ms_pas", STEP),
        ("t_carga_s", DATA),
        ("troca_ms", COMM),
        ("обмен_s", COMM),
        ("starve_us", DATA),
        ("exec_us", COMPUTE),
        ("etl_ms", DATA),
        ("persist_ms", SAVE),
        ("kv_push_pull_ms", COMM),
        ("ar_ms", COMM),
        ("upload_state_ms", SAVE),
        ("upload_ms", None),
        ("push_ms", None),
        ("recv_wait_ms", None),
        ("Spielzeit_s", None),
        ("Speicher_s", None),
        ("car_ms", None),
    ],
)
def test_what_a_name_is_of(name: str, column: str | None) -> None:
    timer = timer_of(name)
    assert (None if timer is None else timer.column) == column


@pytest.mark.parametrize("name", ["gpu load", "cpu load", "carga gpu", "recv wait", "ddp wait"])
def test_no_wait_for_data(name: str) -> None:
    assert part_by(name) != DATA


def test_a_unit_within_a_name_counts() -> None:
    told = told_times("it 40 ce 2.31 blocked_ms 500 gpu_ms 100")
    assert told is not None
    assert told.parts == pytest.approx({DATA: 0.5, COMPUTE: 0.1})


def test_shares_of_one() -> None:
    told = told_times("step_s=1.4 frac_matmul=0.20 frac_allreduce=0.75 frac_infeed=0.05 frac_allreduce_max=0.77")
    assert told is not None
    assert told.parts == pytest.approx({COMPUTE: 20.0, COMM: 75.0, DATA: 5.0})
    assert told_times("loss=1.4 frac_pruned=0.75 frac_frozen=0.25") is None


def test_a_unit_that_is_told_once() -> None:
    told = told_times("time (ms) | forward-compute: 140 | backward-params-all-reduce: 2200 | check-inf: 4")
    assert told is not None
    assert told.parts[COMM] == pytest.approx(2.2)
    assert told_times("elapsed time per iteration (ms): 2705.0 | consumed samples: 25600") is None


def test_hours_and_minutes() -> None:
    lines = []
    for _ in range(3):
        lines += ["Epoca", "  espera de datos .... 0:40:00", "  cálculo ............ 0:10:00", ""]
    assert [told.parts for _, told in timed_lines(lines)] == [{DATA: 2400.0, COMPUTE: 600.0}] * 3


def test_times_that_add_up() -> None:
    waited, computed, lines = 0.0, 0.0, []
    for step in range(1, 12):
        waited, computed = waited + 9 + step % 3, computed + 1 + step % 2 / 10
        lines.append(f"minute {step}; read {waited:.2f} s; compute {computed:.2f} s")
    told = [told.parts for _, told in timed_lines(lines)]
    assert all(each[DATA] < 12 and each[COMPUTE] < 2 for each in told)


def test_a_count_of_steps_is_no_time_that_adds_up() -> None:
    lines = [
        f"iter {100 * n} fwd {5.0 * n:.1f} exchange {58.0 * n + n % 2:.1f} input {0.5 * n:.1f}" for n in range(1, 12)
    ]
    assert all(told.whole < 70 for _, told in timed_lines(lines))


def test_a_comma_within_the_names_of_a_head() -> None:
    head = "  rank   read,s(sum)   compute,s(sum)   exchange,s(sum)"
    rows = [f"  {n % 4}    {0.3 * n:.1f}    {36.6 * n:.1f}    {4.5 * n:.1f}" for n in range(1, 13)]
    told = [told for _, told in timed_lines([head, *rows])]
    assert all(each.parts[COMM] < each.parts[COMPUTE] for each in told)


def _verdict(tmp_path: Path, lines: list[str]) -> str | None:
    (tmp_path / "train.log").write_text("\n".join([*lines, "training done"]) + "\n", encoding="utf-8")
    return analyze(import_logs([tmp_path / "train.log"]))[0].family


def _waits(wait_ms: int, compute_ms: int, steps: int) -> list[str]:
    chance = random.Random(7)
    return [
        f"step {step}/{steps} loss {3 - 2 * step / steps:.4f} data_wait_ms={wait_ms + chance.randint(-9, 9)}"
        f" compute_ms={compute_ms + chance.randint(-3, 3)}"
        for step in range(1, steps + 1)
    ]


def test_short_waits_of_most_of_each_step_that_add_up_to_minutes(tmp_path: Path) -> None:
    assert _verdict(tmp_path, _waits(600, 100, 200)) == "D1"


@pytest.mark.parametrize(("wait_ms", "compute_ms", "steps"), [(600, 100, 40), (600, 300, 200), (60, 9, 2000)])
def test_waits_that_are_short_in_all_or_less_of_a_step(
    tmp_path: Path, wait_ms: int, compute_ms: int, steps: int
) -> None:
    assert _verdict(tmp_path, _waits(wait_ms, compute_ms, steps)) != "D1"


def test_a_summary_that_tells_its_wall_time_is_no_trouble(tmp_path: Path) -> None:
    reports = [f"2026-11-29 12:2{at // 6}:{at % 6}0 epoch {at:02} loss {2.0 * 0.8**at + 0.1:.4f}" for at in range(9)]
    text = "\n".join([*reports, "=====", " picker run 77190: completed", "   wall time  0:00:45", "=====", ""])
    path = tmp_path / "job.log"
    path.write_text(text)
    assert analyze(import_logs([path]), strict=True)[0].family == "G1"
