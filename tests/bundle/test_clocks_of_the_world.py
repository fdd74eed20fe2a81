"""Clocks as programs of many places write them: the day first, half days, short years, seconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import polars as pl
import pytest

from inquest.bundle.line_clock import ClockReader
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

SLURM = "slurmstepd: error: *** JOB 71 ON gpu01 CANCELLED AT 2026-08-15T07:45:24 DUE TO TIME LIMIT ***"


def read(*lines: str, year: int | None = None) -> list[str | None]:
    """What the clocks of the lines tell, in short."""
    sample = "\n".join(lines).encode()
    times = ClockReader.of(sample, b"", year, 0).ts_ns(pl.Series("text", list(lines)))
    return [None if ns is None else f"{datetime.fromtimestamp(ns / 1e9, UTC):%m-%d %H:%M:%S}" for ns in times]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("15/08/2026 04:47:22,266 | INFO | step 7", "08-15 04:47:22"),
        ("08/15/2026 04:47:22 INFO step 7", "08-15 04:47:22"),
        ("8/15/2026 4:47:22 PM step 7", "08-15 16:47:22"),
        ("08/15/2026 12:07:22 a.m. step 7", "08-15 00:07:22"),
        ("15-08 08:37:42 - epoch 11", "08-15 08:37:42"),
        ("[15.08. 08:37:42] Schritt 11", "08-15 08:37:42"),
        ("26/08/15 12:41:19 INFO ChurnNet: pass 24/37", "08-15 12:41:19"),
        ("08/15/26 12:41:19 INFO pass 24/37", "08-15 12:41:19"),
        ("15/08/26 12:41:19 INFO pass 24/37", "08-15 12:41:19"),
        ("【08月15日 12:48:44】第8轮", "08-15 12:48:44"),
        ("2026年8月15日 12:48:44 第8轮", "08-15 12:48:44"),
        ("[08월 15일 12:48:44] 8/20", "08-15 12:48:44"),
        ("1786797704.95\t33\t2.17", "08-15 12:41:44"),
        ("t=1786797704 loss=2.17", "08-15 12:41:44"),
        (f'{{"a": "{"x" * 200}", "severity": "INFO", "timestamp": "2026-08-15T03:26:07.000Z"}}', "08-15 03:26:07"),
    ],
)
def test_a_clock_is_read(line: str, told: str) -> None:
    assert read(line, line, SLURM)[:2] == [told, told]


def test_a_date_that_may_be_read_in_two_ways_is_read_as_a_full_one_beside_it() -> None:
    slurm = SLURM.replace("08-15", "08-05")
    assert read("05/08/2026 06:00:00 step 1", slurm)[0] == "08-05 06:00:00"
    assert read("08/05/2026 06:00:00 step 1", slurm)[0] == "08-05 06:00:00"
    assert read("05/08/2026 06:00:00 step 1")[0] == "05-08 06:00:00"


@pytest.mark.parametrize(
    "line",
    ["loss 15.08 04:47", "eta 1:02:03 step 3/20 12/34", "step 1786797704 of 9999999999", "ratio 3/4/5 00:01:02"],
)
def test_what_is_no_clock_is_none(line: str) -> None:
    assert read(line, line, line, SLURM)[0] is None


def _log(tmp_path: Path, *lines: str) -> list[int | None]:
    (tmp_path / "train.log").write_text("\n".join(lines) + "\n")
    return import_logs([tmp_path]).scan("log_lines").sort("seq").collect()["ts_ns"].to_list()


def test_times_of_day_in_a_record_are_of_the_day_that_the_end_tells(tmp_path: Path) -> None:
    lines = [f"{{'t': '04:{minute:02d}:00', 'n': {minute}, 'cost': 4.6}}" for minute in range(40)]
    times = _log(tmp_path, *lines, SLURM)
    assert times[0] == int(datetime(2026, 8, 15, 4, tzinfo=UTC).timestamp() * 1e9)


def test_one_line_of_each_report_bears_the_time(tmp_path: Path) -> None:
    lines = [f"[04:{m:02d}:00] step {m}\n   loss {4 - m / 20:.3f}\n   lr 1e-4\n   read 3 %" for m in range(40)]
    times = _log(tmp_path, *lines, SLURM)
    assert times[-2] == int(datetime(2026, 8, 15, 4, 39, tzinfo=UTC).timestamp() * 1e9)


def test_a_stopwatch_is_no_time_of_day(tmp_path: Path) -> None:
    lines = [f"[{m // 60:02d}:{m % 60:02d}:07] step {m} loss {4 - m / 200:.3f}" for m in range(300)]
    assert _log(tmp_path, *lines, SLURM)[:-1] == [None] * 300


def test_what_slurm_writes_below_a_journal_has_its_own_clock(tmp_path: Path) -> None:
    lines = [f"Aug 15 02:10:{s:02d} node7 train[8373]: step {s} loss {4 - s / 20:.3f}" for s in range(40)]
    times = _log(tmp_path, *lines, SLURM)
    assert times[-1] == int(datetime(2026, 8, 15, 7, 45, 24, tzinfo=UTC).timestamp() * 1e9)


def test_a_time_of_day_of_no_known_day_stays_in_the_text(tmp_path: Path) -> None:
    lines = [f"(Aug 15 04:{m:02d}:00) Ep 1 Up {m} cost {4 - m / 20:.3f}" for m in range(40)]
    _log(tmp_path, *lines)
    assert import_logs([tmp_path]).scan("log_lines").collect()["text"].to_list() == lines
