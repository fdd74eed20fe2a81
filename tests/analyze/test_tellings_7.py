"""Counts that go over their end within epochs, and a step's time in other tongues; and what is near to that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs.loop_clocks import loop_clocks
from inquest.bundle.logs_import import import_logs
from inquest.bundle.timers import STEP, timer_of

if TYPE_CHECKING:
    from pathlib import Path

TOTAL = 127


def report(epoch: int, step: int, at: int) -> str:
    loss = 2.0 + 6.0 / (1 + at / 10)
    share = step * 100 // TOTAL
    return f"Train: {epoch} [{step:4}/{TOTAL} ({share:3}%)]  Loss: {loss:.2f} ({loss:.2f})  Time: 0.500s,  512.00/s"


def over_its_end(last: int, stride: int = 5, late: int = 2) -> list[str]:
    """A loop whose epochs change their number ``late`` reports behind the count's new beginning."""
    told = []
    for at in range(1, last + 1):
        whole = at * stride
        told.append(report(max(0, (whole - late * stride) // TOTAL), whole % TOTAL, at))
    return told


def outcome(folder: Path, lines: list[str]) -> str | None:
    (folder / "train.log").write_text("\n".join([*lines, "*** Best metric: 78.661 (epoch 3)", ""]))
    verdict, _ = analyze(import_logs([folder], exit_code=0))
    return verdict.family


@pytest.mark.parametrize("last", [103, 102, 77])
def test_a_count_over_its_end_is_no_short_run(tmp_path: Path, last: int) -> None:
    assert outcome(tmp_path, over_its_end(last)) != "E3"


def test_a_short_run_stays_one(tmp_path: Path) -> None:
    assert outcome(tmp_path, [report(0, 1, 1), report(0, 2, 2), report(0, 3, 3)]) == "E3"


def test_who_begins_anew_at_the_first_epoch_went_back(tmp_path: Path) -> None:
    """Its second start did next to nothing: epochs fell, so what was done before counts for nothing."""
    first = over_its_end(103)
    assert outcome(tmp_path, [*first, report(0, 1, 1), report(0, 2, 2)]) != "G1"


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("время шага", STEP),
        ("время одного шага", STEP),
        ("tempo do passo", STEP),
        ("temps par pas", STEP),
        ("单步耗时", STEP),
        ("czas kroku", STEP),
        ("время", None),
        ("шага", None),
        ("tempo", None),
        ("tempo passado", None),
        ("temps passé", None),
    ],
)
def test_a_steps_time_in_other_tongues(name: str, column: str | None) -> None:
    timer = timer_of(name)
    assert (None if timer is None else timer.column) == column


@pytest.mark.parametrize(
    ("line", "step", "data"),
    [
        ("шаг 10, время шага 1.379 с, чтение 0.008 с", 1.379, 0.008),
        ("шаг 10, время шага 422.5 мс, чтение 8.5 мс", 0.4225, 0.0085),
        ("步 3 单步耗时 0.42 秒 数据 12.5 毫秒", 0.42, 0.0125),
        ("step 5 step time 0.4 s fetch 8.5 ms", 0.4, 0.0085),
        ("шаг 10, время шага 3 сна", None, None),  # no unit
    ],
)
def test_units_in_other_alphabets(line: str, step: float | None, data: float | None) -> None:
    told = loop_clocks(pl.Series([line])).row(0, named=True)
    assert (told[STEP], told["data_time_s"]) == (pytest.approx(step) if step else None, data and pytest.approx(data))
