"""Clocks without a date, in logs of which another line tells the day."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from inquest.bundle.imports.core import import_paths

if TYPE_CHECKING:
    from pathlib import Path


def _times(folder: Path, *lines: str) -> list[str | None]:
    (folder / "job.log").write_text("".join(f"{line}\n" for line in lines))
    told = pl.concat(import_paths([str(folder)]).rows.frames("log_lines")).sort("seq")["ts_ns"]
    return [None if at is None else f"{at:%d %H:%M:%S.%f}"[:15] for at in told.cast(pl.Datetime("ns")).to_list()]


def test_times_of_day_count_on_from_the_line_with_a_date(tmp_path: Path) -> None:
    assert _times(
        tmp_path,
        "job 48214 on hx01, 2026-11-24T20:37:27+00:00",
        "20:37:33 epoch 0 [0/200] mse 0.29570",
        "nothing to tell",
        "[20:37:34.250] epoch 0 [20/200] mse 0.33354",
        "slurmstepd: error: *** JOB 48214 ON hx01 CANCELLED AT 2026-11-24T20:38:30 DUE TO TIME LIMIT ***",
    ) == ["24 20:37:27.000", "24 20:37:33.000", "24 20:37:33.000", "24 20:37:34.250", "24 20:38:30.000"]


def test_midnight_begins_another_day(tmp_path: Path) -> None:
    lines = ("2026-11-24 23:59:50 start", "23:59:58 step 1", "00:00:04 step 2", "00:10:04 step 3")
    assert _times(tmp_path, *lines) == ["24 23:59:50.000", "24 23:59:58.000", "25 00:00:04.000", "25 00:10:04.000"]
    lines = ("2026-11-24 23:59:50 start", "00:00:04 step 2", "00:10:04 step 3")
    assert _times(tmp_path, *lines)[1:] == ["25 00:00:04.000", "25 00:10:04.000"]


@pytest.mark.parametrize("first", ["22:37:33 step 1", "20:31:00 step 1", "21:00:01 step 1"])
def test_another_zone_or_a_time_of_something_else_tells_nothing(tmp_path: Path, first: str) -> None:
    told = _times(tmp_path, "2026-11-24 20:37:27 start", first, f"{first} more")
    assert told == ["24 20:37:27.000"] * 3


def test_without_a_date_there_is_none(tmp_path: Path) -> None:
    assert _times(tmp_path, "start", "20:37:33 step 1", "20:37:34 step 2") == [None] * 3
